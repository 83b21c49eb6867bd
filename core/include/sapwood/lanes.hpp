// The steps that are done several at once, or ahead of time: the search among final keys, and a few more.
//
// Keys are filled up with infinity to whole groups of eight. Behind them lie the pivots, the last key of each group but
// the last one, filled up with infinity to whole groups of four. A search counts the pivots below x, then the keys
// below x in the group that follows: no step waits for a branch that depends on a value.
//
// There is a plain form, one with the compiler's vectors of two doubles, which every x86-64 and arm64 has, and one each
// for AVX2 and AVX-512, chosen when the library is loaded. All give the same counts (core/tests/lanes_test.cpp): one
// wheel runs on any processor, and takes the same decisions on all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sapwood::lanes {

inline constexpr std::size_t kGroup = 8;
inline constexpr std::size_t kPivots = 4;
inline constexpr std::size_t kMostExamples = 32;  // that are counted together

#if defined(__GNUC__)
using Pair = double __attribute__((vector_size(16), aligned(8)));
using Mask = std::int64_t __attribute__((vector_size(16)));
#endif

/// Asks for memory that will be wanted soon. Nothing waits for it.
inline void fetch([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t n_bytes) {
#if defined(__GNUC__)
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < n_bytes; i += kLine) __builtin_prefetch(static_cast<const char*>(memory) + i, 0, 2);
#endif
}

/// How many of n values are below x.
template <std::size_t n>
inline std::size_t count_below_plainly(const double* values, double x) {
    std::size_t below = 0;
    for (std::size_t i = 0; i < n; ++i) below += values[i] < x;
    return below;
}
template <std::size_t n>
inline std::size_t count_below(const double* values, double x) {
#if defined(__GNUC__)
    const auto* pairs = reinterpret_cast<const Pair*>(values);
    const Pair bar = {x, x};
    Mask sum = pairs[0] < bar;
    for (std::size_t i = 1; i < n / 2; ++i) sum += pairs[i] < bar;
    return static_cast<std::size_t>(-(sum[0] + sum[1]));  // true is -1
#else
    return count_below_plainly<n>(values, x);
#endif
}

/// Index of the first of `held` keys that is not below x.
inline std::size_t position(const double* keys, std::size_t held, double x) {
    const double* pivots = keys + held;
    std::size_t below = count_below<kPivots>(pivots, x);
    for (std::size_t g = kPivots; g * kGroup < held; g += kPivots) below += count_below<kPivots>(pivots + g, x);
    return below * kGroup + count_below<kGroup>(keys + below * kGroup, x);
}

/// The same of n keys without padding or pivots.
inline std::size_t position_among(const double* keys, std::size_t n, double x) {
    const double* base = keys;
    if (n == 0) return 0;
    while (n > 1) {
        const std::size_t half = n / 2;
        base += half & -static_cast<std::size_t>(base[half - 1] < x);  // no branch: values cannot be predicted
        n -= half;
    }
    return static_cast<std::size_t>(base - keys) + (*base < x ? 1 : 0);
}

/// Examples: the classes of n rows, whose values in one attribute lie `step` apart.
struct Examples {
    const std::uint32_t* classes;
    std::size_t n;
    std::size_t step;
    bool complete;  // no value is missing, as far as is known

    /// Without the first of them.
    Examples from(std::size_t first) const { return {classes + first, n - first, step, complete}; }
};

/// One attribute: its keys, how many classes its rows of 32-bit counts have (see Tally), and the values.
struct Column {
    const double* keys;
    std::size_t held;
    std::size_t stride;
    std::byte* counts;
    const double* values;
};

/// Writes the place of each value's count in each of some columns: the row times `stride`, and the class; NaN has row
/// 0. The keys are final, with padding and pivots. Where values do not lie side by side, there are whole groups of
/// kGroup to read. The places of a column follow those of the one before, kMostExamples apart.
using Locate = void (*)(const Column* columns, std::size_t n, const Examples& examples, std::uint32_t* places);
/// Adds one at each of these places. Row by row: a counter that was just written is slow to be read again.
inline void count(const Column* columns, std::size_t n, std::size_t rows, const std::uint32_t* places) {
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            std::byte* where = columns[j].counts + places[j * kMostExamples + i] * sizeof(std::uint32_t);
            std::uint32_t count;
            std::memcpy(&count, where, sizeof count);
            ++count;
            std::memcpy(where, &count, sizeof count);
        }
    }
}

/// Adds one to the count of each value's row and class, where a value has a row only if it is a key, and keys are as
/// many as held: ends at the first value without a row, and returns how many came before it. `skip_zeros`: zeros need
/// no row, and are not counted.
using CountKnown = std::size_t (*)(const Column& column, const Examples& examples, bool skip_zeros);

/// How many of n values are below each of them. There are kMostExamples to read, those behind the n infinite, and as
/// many places to write.
using Rank = void (*)(const double* values, std::size_t n, std::uint32_t* below);

/// Lists which of n values are not 0 (NaN is not) and returns how many; `out` has room for n + 3.
using ListNonzero = std::size_t (*)(const double* values, std::size_t n, std::uint32_t* out);

/// Of n rows with the counts of two classes each, below 2^24 in sum, the sums up to each row: those of the first class
/// at left, of the second at left + pitch, whole groups of them, with 0 behind the n. `sum` gets both sums, laid
/// out like a row.
using SumPairs = void (*)(const std::byte* rows, std::size_t n, float* left, std::size_t pitch, std::uint64_t& sum);

/// n divisions of examples of k classes into two sides: the counts of class y on the left begin at counts + y * pitch;
/// all[y] are those of both sides. There is room for whole groups of divisions, and what lies behind the n is 0.
struct Lefts {
    const float* counts;
    std::size_t pitch;
    std::size_t n;
    std::size_t k;
    const float* all;
};
inline constexpr std::size_t kDivisions = 8;
inline constexpr std::size_t whole_groups(std::size_t n) {
    return (n + kDivisions - 1) / kDivisions * kDivisions;
}

/// About the least that any of the divisions leaves over by Gini's criterion (glance.cpp says how nearly); infinity if
/// each has an empty side.
using LeastGini = float (*)(const Lefts& left);

/// One form of each step.
struct Form {
    Locate locate;
    CountKnown count_known;
    Rank rank;
    ListNonzero list_nonzero;
    SumPairs sum_pairs;
    LeastGini least_gini;
};
/// The forms there are; those for AVX2 and AVX-512 are null where the processor lacks it.
extern const Form plain, everywhere;
const Form* avx2();
const Form* avx512();

/// The fastest one here, or the one that the environment variable SAPWOOD_LANES names: plain, everywhere or avx2.
extern const Form& best;

}  // namespace sapwood::lanes
