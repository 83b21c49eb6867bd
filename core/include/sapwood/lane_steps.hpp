// What the forms of lanes.hpp share: each form compiles these for its own processor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sapwood/lanes.hpp"

#if defined(__GNUC__)
#define SAPWOOD_EVERY_FORM [[gnu::always_inline]] inline
#else
#define SAPWOOD_EVERY_FORM inline
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define SAPWOOD_X86 1
#endif

namespace sapwood::lanes {

SAPWOOD_EVERY_FORM void add_to(std::byte* where, std::uint32_t w) {
    std::uint32_t count;
    std::memcpy(&count, where, sizeof count);
    count += w;
    std::memcpy(where, &count, sizeof count);
}

/// One by one.
template <std::size_t (*find)(const double* keys, std::size_t n, double x)>
std::size_t count_known(const Column& column, const Examples& examples, bool skip_zeros) {
    for (std::size_t i = 0; i < examples.n; ++i) {
        const double x = column.values[i * examples.step];
        if (skip_zeros && x == 0.0) continue;
        std::size_t row = 0;
        if (x == x) {
            const std::size_t at = find(column.keys, column.held, x);
            if (at == column.held || column.keys[at] != x) return i;
            row = 1 + at;
        }
        add_to(column.counts + (row * column.stride + examples.classes[i]) * sizeof(std::uint32_t), 1);
    }
    return examples.n;
}

/// Each value is compared with all others, as many at a time as `Numbers` has; true is -1.
template <class Numbers, class Wholes>
SAPWOOD_EVERY_FORM void rank(const double* values, std::size_t n, std::uint32_t* below) {
    constexpr std::size_t kLanes = sizeof(Numbers) / sizeof(double), kParts = kMostExamples / kLanes;
    Numbers x[kParts];
    Wholes sums[kParts] = {};
    std::memcpy(x, values, sizeof x);
    for (std::size_t i = 0; i < n; ++i) {
        const Numbers bar = Numbers{} + values[i];
        for (std::size_t part = 0; part < kParts; ++part) sums[part] -= bar < x[part];
    }
    std::int64_t all[kMostExamples];
    std::memcpy(all, sums, sizeof all);
    for (std::size_t i = 0; i < kMostExamples; ++i) below[i] = static_cast<std::uint32_t>(all[i]);
}

/// Both counts of a pair as one number of 64 bits: below 2^31 they do not meet.
inline void sum_pairs(const std::byte* rows, std::size_t n, float* left, std::size_t pitch, std::uint64_t& sum) {
    sum = 0;
    for (std::size_t from = 0; from < n; from += kDivisions) {
        const std::size_t here = std::min(kDivisions, n - from);
        std::int32_t sums[2 * kDivisions];
        for (std::size_t i = 0; i < here; ++i) {
            std::uint64_t pair;
            std::memcpy(&pair, rows + (from + i) * sizeof pair, sizeof pair);
            sum += pair;
            std::memcpy(sums + 2 * i, &sum, sizeof sum);
        }
        std::fill(sums + 2 * here, sums + 2 * kDivisions, 0);
        for (std::size_t i = 0; i < kDivisions; ++i) {
            left[from + i] = static_cast<float>(sums[2 * i]);
            left[pitch + from + i] = static_cast<float>(sums[2 * i + 1]);
        }
    }
}

/// What a division into n_left and n_right examples leaves over, where each side has a sum of squares: in one quotient,
/// (n^2 - sum_y n_y^2) / n of both sides. It is no number where a side is empty.
template <class Number>
SAPWOOD_EVERY_FORM Number left_over(Number n_left, Number squares_left, Number n_right, Number squares_right) {
    return ((n_left * n_left - squares_left) * n_right + (n_right * n_right - squares_right) * n_left) /
           (n_left * n_right);
}
/// The same for two classes, halved: n^2 - a^2 - b^2 is 2 a b.
template <class Number>
SAPWOOD_EVERY_FORM Number half_left_over(Number left0, Number left1, Number right0, Number right1) {
    const Number n_left = left0 + left1, n_right = right0 + right1;
    return ((left0 * left1) * n_right + (right0 * right1) * n_left) / (n_left * n_right);
}

/// `Number` is a float, or as many as the compiler can make the processor take at once.
template <class Number>
SAPWOOD_EVERY_FORM float least_gini(const Lefts& left) {
    constexpr std::size_t kLanes = sizeof(Number) / sizeof(float);
    const auto load = [](const float* from) {
        Number numbers;
        std::memcpy(&numbers, from, sizeof numbers);
        return numbers;
    };
    const Number zero = {};
    Number least = zero + std::numeric_limits<float>::infinity();
    if (left.k == 2) {
        for (std::size_t i = 0; i < left.n; i += kLanes) {
            const Number a = load(left.counts + i), b = load(left.counts + left.pitch + i);
            const Number x = half_left_over<Number>(a, b, left.all[0] - a, left.all[1] - b);
            least = x < least ? x : least;
        }
        least += least;
    } else {
        float all = 0.0F;
        for (std::size_t y = 0; y < left.k; ++y) all += left.all[y];
        for (std::size_t i = 0; i < left.n; i += kLanes) {
            Number n_left = zero, squares_left = zero, squares_right = zero;
            const float* counts = left.counts + i;
            for (std::size_t y = 0; y < left.k; ++y, counts += left.pitch) {
                const Number a = load(counts), b = left.all[y] - a;
                n_left += a;
                squares_left += a * a;
                squares_right += b * b;
            }
            const Number x = left_over<Number>(n_left, squares_left, all - n_left, squares_right);
            least = x < least ? x : least;
        }
    }
    float lanes[kLanes];
    std::memcpy(lanes, &least, sizeof least);
    return *std::min_element(lanes, lanes + kLanes);
}

#if defined(__GNUC__)
using FourDoubles = double __attribute__((vector_size(32)));
using FourWholes = std::int64_t __attribute__((vector_size(32)));
using EightDoubles = double __attribute__((vector_size(64)));
using EightWholes = std::int64_t __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(kDivisions * sizeof(float))));
#else
using Floats = float;
#endif

}  // namespace sapwood::lanes
