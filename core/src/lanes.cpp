#include "sapwood/lanes.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#if defined(__GNUC__) && defined(__x86_64__)
#define SAPWOOD_HAS_AVX2 1
#include <immintrin.h>
#endif

namespace sapwood::lanes {
namespace {

inline void add_one(std::byte* where) {
    std::uint32_t count;
    std::memcpy(&count, where, sizeof count);
    ++count;
    std::memcpy(where, &count, sizeof count);
}

std::size_t position_plainly(const double* keys, std::size_t held, double x) {
    std::size_t i = 0;
    while (i < held && keys[i] < x) ++i;
    return i;
}

template <std::size_t (*find)(const double*, std::size_t, double)>
void count_with(const Table& table, const Examples& examples) {
    const auto [keys, held, counts, stride] = table;
    const auto [values, step, classes, n, complete] = examples;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = values[i * step];
        const std::size_t row = x == x ? 1 + find(keys, held, x) : 0;
        add_one(counts + (row * stride + classes[i]) * sizeof(std::uint32_t));
    }
}

std::size_t list_plainly(const double* values, std::size_t n, std::uint32_t* out) {
    std::size_t listed = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (values[i] != 0.0) out[listed++] = static_cast<std::uint32_t>(i);
    return listed;
}

/// Without a branch: which values are 0 cannot be predicted.
std::size_t list_everywhere(const double* values, std::size_t n, std::uint32_t* out) {
    std::size_t listed = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out[listed] = static_cast<std::uint32_t>(i);
        listed += values[i] != 0.0;
    }
    return listed;
}

/// The compiler makes of these what the processor can do; each number is that of one division alone.
inline __attribute__((always_inline)) void gini_of_two(const double* left0, const double* left1, std::size_t n,
                                                       const double* all, double* out) {
    const double all0 = all[0], all1 = all[1];
    for (std::size_t i = 0; i < n; ++i) {
        const double a = left0[i], b = left1[i], c = all0 - a, d = all1 - b;
        const double ab = a * b, cd = c * d;
        out[i] = (ab + ab) / (a + b) + (cd + cd) / (c + d);
    }
}
inline __attribute__((always_inline)) void gini_of_many(const Lefts& left, double* out) {
    constexpr std::size_t kBlock = 32;
    double all = 0.0;
    for (std::size_t y = 0; y < left.k; ++y) all += left.all[y];
    for (std::size_t from = 0; from < left.n; from += kBlock) {
        const std::size_t n = std::min(kBlock, left.n - from);
        double total[kBlock], squares[kBlock], others[kBlock];
        for (double* sums : {total, squares, others}) std::fill_n(sums, n, 0.0);
        for (std::size_t y = 0; y < left.k; ++y) {
            const double* counts = left.counts + y * left.pitch + from;
            const double all_y = left.all[y];
            for (std::size_t i = 0; i < n; ++i) {
                const double a = counts[i], b = all_y - a;
                total[i] += a;
                squares[i] += a * a;
                others[i] += b * b;
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double a = total[i], b = all - a;
            out[from + i] = (a * a - squares[i]) / a + (b * b - others[i]) / b;
        }
    }
}
inline __attribute__((always_inline)) void gini(const Lefts& left, double* out) {
    if (left.k == 2)
        gini_of_two(left.counts, left.counts + left.pitch, left.n, left.all, out);
    else
        gini_of_many(left, out);
}
void gini_everywhere(const Lefts& left, double* out) {
    gini(left, out);
}

#if defined(SAPWOOD_HAS_AVX2)

__attribute__((target("avx2"))) void gini_with_avx2(const Lefts& left, double* out) {
    gini(left, out);
}

/// Four values at a time; the indices of those that are not 0 come first in an entry of this table.
alignas(16) constexpr std::uint32_t kPacked[16][4] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {0, 1, 2, 0},
    {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0}, {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};

__attribute__((target("avx2,popcnt"))) std::size_t list_with_avx2(const double* values, std::size_t n,
                                                                  std::uint32_t* out) {
    std::size_t listed = 0, i = 0;
    const __m256d zero = _mm256_setzero_pd();
    for (; i + 4 <= n; i += 4) {
        const auto mask =
            static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), zero, _CMP_NEQ_UQ)));
        const __m128i packed = _mm_load_si128(reinterpret_cast<const __m128i*>(kPacked[mask]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + listed),
                         _mm_add_epi32(packed, _mm_set1_epi32(static_cast<int>(i))));
        listed += static_cast<std::size_t>(__builtin_popcount(mask));
    }
    for (; i < n; ++i) {
        out[listed] = static_cast<std::uint32_t>(i);
        listed += values[i] != 0.0;
    }
    return listed;
}

/// Which of four values are below a bar.
__attribute__((target("avx2,popcnt"))) inline unsigned below(const double* four, __m256d bar) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(bar, _mm256_loadu_pd(four), _CMP_GT_OQ)));
}
__attribute__((target("avx2,popcnt"))) inline std::size_t count_below(const double* four, __m256d bar) {
    return static_cast<std::size_t>(__builtin_popcount(below(four, bar)));
}

/// `few`: there are no more groups than pivots are compared at once. `whole`: no value is missing.
template <bool few, bool whole>
__attribute__((target("avx2,popcnt"))) inline void count_into_with_avx2(const Table& table, const Examples& examples) {
    const auto [keys, held, counts, stride] = table;
    const auto [value, step, classes, n, complete] = examples;
    const double* pivots = keys + held;
    const __m256d first_pivots = _mm256_loadu_pd(pivots);
    for (std::size_t i = 0; i < n; ++i) {
        const double* x = value + i * step;
        const __m256d bar = _mm256_broadcast_sd(x);
        auto groups = static_cast<std::size_t>(__builtin_popcount(
            static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(bar, first_pivots, _CMP_GT_OQ)))));
        if constexpr (!few)
            for (std::size_t g = kPivots; g * kGroup < held; g += kPivots) groups += count_below(pivots + g, bar);
        const double* group = keys + groups * kGroup;
        std::size_t row = groups * kGroup +
                          static_cast<std::size_t>(__builtin_popcount(below(group, bar) | below(group + 4, bar) << 4));
        // A value that is not a number is above nothing, and so ends in row 0.
        row += whole || *x == *x;
        add_one(counts + (row * stride + classes[i]) * sizeof(std::uint32_t));
    }
}

__attribute__((target("avx2,popcnt"))) void count_with_avx2(const Table& table, const Examples& examples) {
    const bool few = table.held <= kPivots * kGroup;
    if (few && examples.complete)
        count_into_with_avx2<true, true>(table, examples);
    else if (few)
        count_into_with_avx2<true, false>(table, examples);
    else
        count_into_with_avx2<false, false>(table, examples);
}

#endif

const Form& chosen() {
    const char* name = std::getenv("SAPWOOD_LANES");
    if (name && name == std::string_view("plain")) return plain;
    if (name && name == std::string_view("everywhere")) return everywhere;
    return avx2() ? *avx2() : everywhere;
}

}  // namespace

const Form plain{count_with<position_plainly>, list_plainly, gini_everywhere};
const Form everywhere{count_with<position>, list_everywhere, gini_everywhere};

const Form* avx2() {
#if defined(SAPWOOD_HAS_AVX2)
    static const Form form{count_with_avx2, list_with_avx2, gini_with_avx2};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return &form;
#endif
    return nullptr;
}

const Form& best = chosen();

}  // namespace sapwood::lanes
