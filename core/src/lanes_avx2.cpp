#include "sapwood/lane_steps.hpp"

#if defined(SAPWOOD_X86)
#include <immintrin.h>

#define SAPWOOD_AVX2 __attribute__((target("avx2,popcnt")))

namespace sapwood::lanes {
namespace {

SAPWOOD_AVX2 void rank_with_avx2(const double* values, std::size_t n, std::uint32_t* below) {
    rank<FourDoubles, FourWholes>(values, n, below);
}
SAPWOOD_AVX2 float least_gini_with_avx2(const Lefts& left) {
    return least_gini<Floats>(left);
}

/// Four values at a time; the indices of those that are not 0 come first in an entry of this table.
alignas(16) constexpr std::uint32_t kPacked[16][4] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {0, 1, 2, 0},
    {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0}, {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};

SAPWOOD_AVX2 std::size_t list_with_avx2(const double* values, std::size_t n, std::uint32_t* out) {
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
SAPWOOD_AVX2 inline unsigned below(const double* four, __m256d bar) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(bar, _mm256_loadu_pd(four), _CMP_GT_OQ)));
}
SAPWOOD_AVX2 inline std::size_t count_below(const double* four, __m256d bar) {
    return static_cast<std::size_t>(__builtin_popcount(below(four, bar)));
}

/// `few`: there are no more groups than pivots are compared at once. `whole`: no value is missing.
template <bool few, bool whole>
SAPWOOD_AVX2 inline void locate_in(const Column& column, const Examples& examples, std::uint32_t* places) {
    const double *keys = column.keys, *value = column.values;
    const std::size_t held = column.held;
    const auto [classes, n, step, complete] = examples;
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
        places[i] = static_cast<std::uint32_t>(row * column.stride + classes[i]);
    }
}

SAPWOOD_AVX2 void locate_with_avx2(const Column* columns, std::size_t n, const Examples& examples,
                                   std::uint32_t* places) {
    for (const Column* column = columns; column < columns + n; ++column, places += kMostExamples) {
        const bool few = column->held <= kPivots * kGroup;
        if (few && examples.complete)
            locate_in<true, true>(*column, examples, places);
        else if (few)
            locate_in<true, false>(*column, examples, places);
        else
            locate_in<false, false>(*column, examples, places);
    }
}

}  // namespace

const Form* avx2() {
    static const Form form{locate_with_avx2, count_known<position_among>, rank_with_avx2, list_with_avx2,
                           sum_pairs,        least_gini_with_avx2};
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") ? &form : nullptr;
}

}  // namespace sapwood::lanes
#else
const sapwood::lanes::Form* sapwood::lanes::avx2() {
    return nullptr;
}
#endif
