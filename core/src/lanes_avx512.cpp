#include "sapwood/lane_steps.hpp"

#if defined(SAPWOOD_X86)
#include <immintrin.h>

#define SAPWOOD_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,popcnt,prefer-vector-width=512")))

namespace sapwood::lanes {
namespace {

SAPWOOD_AVX512 void rank_with_avx512(const double* values, std::size_t n, std::uint32_t* below) {
    rank<EightDoubles, EightWholes>(values, n, below);
}
SAPWOOD_AVX512 float least_gini_with_avx512(const Lefts& left) {
    return least_gini<Floats>(left);
}

SAPWOOD_AVX512 std::size_t list_with_avx512(const double* values, std::size_t n, std::uint32_t* out) {
    std::size_t listed = 0;
    __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (std::size_t i = 0; i < n; i += 8) {
        const auto there = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);
        const __m512d x = _mm512_maskz_loadu_pd(there, values + i);
        const __mmask8 kept = _mm512_mask_cmp_pd_mask(there, x, _mm512_setzero_pd(), _CMP_NEQ_UQ);
        const auto found = static_cast<std::size_t>(__builtin_popcount(kept));
        _mm256_mask_storeu_epi32(out + listed, static_cast<__mmask8>((1u << found) - 1),
                                 _mm256_maskz_compress_epi32(kept, places));
        places = _mm256_add_epi32(places, _mm256_set1_epi32(8));
        listed += found;
    }
    return listed;
}

SAPWOOD_AVX512 void sum_pairs_with_avx512(const std::byte* rows, std::size_t n, float* left, std::size_t pitch,
                                          std::uint64_t& sum) {
    const __m512i none = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
    __m512i so_far = none;
    for (std::size_t i = 0; i < n; i += 8) {
        const auto there = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);
        __m512i sums = _mm512_maskz_loadu_epi64(there, rows + i * sizeof(std::uint64_t));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, none, 7));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, none, 6));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, none, 4));
        sums = _mm512_add_epi64(sums, so_far);
        so_far = _mm512_permutexvar_epi64(last, sums);
        sums = _mm512_maskz_mov_epi64(there, sums);
        _mm256_storeu_ps(left + i, _mm256_cvtepi32_ps(_mm512_cvtepi64_epi32(sums)));
        const __m256i second = _mm512_cvtepi64_epi32(_mm512_srli_epi64(sums, 32));
        _mm256_storeu_ps(left + pitch + i, _mm256_cvtepi32_ps(second));
    }
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&sum), _mm512_castsi512_si128(so_far));
}

/// Up to 32 keys in four registers, and the last key of each group in every place of another.
struct Keys {
    __m512d group[4], last[4];
};
SAPWOOD_AVX512 inline Keys keys_of(const double* keys, std::size_t n) {
    const __m512d no_key = _mm512_set1_pd(std::numeric_limits<double>::quiet_NaN());  // nothing is above or equal to it
    Keys held;
    for (std::size_t g = 0; g < 4; ++g) {
        const std::size_t here = n > g * kGroup ? std::min(kGroup, n - g * kGroup) : 0;
        held.group[g] = _mm512_mask_loadu_pd(no_key, static_cast<__mmask8>((1u << here) - 1), keys + g * kGroup);
        held.last[g] = _mm512_permutexvar_pd(_mm512_set1_epi64(kGroup - 1), held.group[g]);
    }
    return held;
}

/// The same of final keys, which are filled up to whole groups.
SAPWOOD_AVX512 inline Keys whole_keys_of(const double* keys, std::size_t held) {
    if (held != 4 * kGroup) return keys_of(keys, held);
    Keys all;
    for (std::size_t g = 0; g < 4; ++g) {
        all.group[g] = _mm512_loadu_pd(keys + g * kGroup);
        all.last[g] = _mm512_set1_pd(keys[(g + 1) * kGroup - 1]);
    }
    return all;
}

/// Where eight values come among the keys: the place in its half of them, and which are in the upper half.
struct Found {
    __m512i in_half;
    __mmask8 upper;
};
SAPWOOD_AVX512 inline __m512d key_at(const Keys& keys, const Found& found) {
    return _mm512_mask_blend_pd(found.upper, _mm512_permutex2var_pd(keys.group[0], found.in_half, keys.group[1]),
                                _mm512_permutex2var_pd(keys.group[2], found.in_half, keys.group[3]));
}
SAPWOOD_AVX512 inline __mmask8 above(__m512d values, __m512d keys) {
    return _mm512_cmp_pd_mask(values, keys, _CMP_GT_OQ);
}
/// One of the three steps within a group: on by `by` where the value is above the key, and to the next to ask.
template <int by, int next>
SAPWOOD_AVX512 inline void step_in(const Keys& keys, __m512d values, Found& found) {
    const __mmask8 beyond = above(values, key_at(keys, found));
    found.in_half = _mm512_add_epi64(found.in_half, _mm512_set1_epi64(next));
    found.in_half = _mm512_mask_add_epi64(found.in_half, beyond, found.in_half, _mm512_set1_epi64(by));
}
/// The first key that is not below the value, or the last of all: the group by its last key, and three steps within.
SAPWOOD_AVX512 inline Found find(const Keys& keys, __m512d values) {
    const auto upper = above(values, keys.last[1]);
    const auto second = static_cast<__mmask8>(above(values, keys.last[2]) | (above(values, keys.last[0]) & ~upper));
    const __m512i middle = _mm512_set1_epi64(3);
    Found found{_mm512_mask_add_epi64(middle, second, middle, _mm512_set1_epi64(kGroup)), upper};
    step_in<4, -2>(keys, values, found);
    step_in<2, -1>(keys, values, found);
    step_in<1, 0>(keys, values, found);
    return found;
}
/// The places of their counts: those that are no numbers have row 0, those beyond the last key the row behind it.
SAPWOOD_AVX512 inline __m256i places_of(const Found& found, __mmask8 numbers, __mmask8 beyond, std::size_t stride,
                                        const std::uint32_t* classes, __mmask8 there) {
    const __m256i one = _mm256_set1_epi32(1);
    __m256i row = _mm256_add_epi32(_mm512_cvtepi64_epi32(found.in_half), one);
    row = _mm256_mask_add_epi32(row, found.upper, row, _mm256_set1_epi32(2 * kGroup));
    row = _mm256_mask_add_epi32(row, beyond, row, one);
    row = _mm256_maskz_mov_epi32(numbers, row);
    row = _mm256_mullo_epi32(row, _mm256_set1_epi32(static_cast<int>(stride)));
    return _mm256_add_epi32(row, _mm256_maskz_loadu_epi32(there, classes));
}

/// The next values, of which n are wanted, at most eight. `room`: there is something to read in place of the others.
template <bool room>
SAPWOOD_AVX512 inline __m512d eight_of(const double* x, std::size_t step, std::size_t n) {
    if (step == 1) return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), x);
    const auto at = [&](std::size_t i) { return x[(room || i < n ? i : n - 1) * step]; };
    return _mm512_setr_pd(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
}

template <bool whole>
SAPWOOD_AVX512 inline void locate_in(const Column& column, const Examples& examples, std::uint32_t* places) {
    const auto [classes, n, step, complete] = examples;
    const Keys keys = whole_keys_of(column.keys, column.held);
    for (std::size_t i = 0; i < n; i += 8) {
        const std::size_t here = whole ? 8 : std::min<std::size_t>(8, n - i);
        const auto there = static_cast<__mmask8>((1u << here) - 1);
        const __m512d values = eight_of<true>(column.values + i * step, step, here);
        const Found found = find(keys, values);
        const __mmask8 numbers = whole ? 0xff : _mm512_cmp_pd_mask(values, values, _CMP_ORD_Q);
        const __m256i at = places_of(found, numbers, above(values, keys.last[3]), column.stride, classes + i, there);
        _mm256_mask_storeu_epi32(places + i, there, at);
    }
}
SAPWOOD_AVX512 void locate_with_avx512(const Column* columns, std::size_t n, const Examples& examples,
                                       std::uint32_t* places) {
    const bool whole = examples.complete && examples.n % 8 == 0 && examples.step > 1;
    for (const Column* column = columns; column < columns + n; ++column, places += kMostExamples) {
        if (column->held > 4 * kGroup)
            avx2()->locate(column, 1, examples, places);
        else if (whole)
            locate_in<true>(*column, examples, places);
        else
            locate_in<false>(*column, examples, places);
    }
}

SAPWOOD_AVX512 std::size_t count_known_with_avx512(const Column& column, const Examples& examples, bool skip_zeros) {
    const auto [classes, n, step, complete] = examples;
    if (column.held > 4 * kGroup || n < 8) return count_known<position_among>(column, examples, skip_zeros);
    const Keys keys = keys_of(column.keys, column.held);
    for (std::size_t i = 0; i < n; i += 8) {
        std::size_t here = std::min<std::size_t>(8, n - i);
        const __m512d values = here == 8 ? eight_of<true>(column.values + i * step, step, here)
                                         : eight_of<false>(column.values + i * step, step, here);
        const Found found = find(keys, values);
        const __mmask8 equal = _mm512_cmp_pd_mask(values, key_at(keys, found), _CMP_EQ_OQ);
        const __mmask8 numbers = _mm512_cmp_pd_mask(values, values, _CMP_ORD_Q);
        const __mmask8 zeros = _mm512_cmp_pd_mask(values, _mm512_setzero_pd(), _CMP_EQ_OQ);
        const auto counted = static_cast<__mmask8>(skip_zeros ? ~zeros : 0xff);
        const auto unknown = static_cast<unsigned>(numbers & counted & ~equal);
        here = std::min<std::size_t>(here, static_cast<std::size_t>(__builtin_ctz(unknown | 0x100u)));
        // What is left out adds nothing in row 0.
        const auto in_row = static_cast<__mmask8>(numbers & counted);
        const auto there = static_cast<__mmask8>((1u << here) - 1);
        alignas(32) std::uint32_t at[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(at),
                           places_of(found, in_row, 0, column.stride, classes + i, there));
        for (std::size_t k = 0; k < here; ++k) add_to(column.counts + at[k] * sizeof(std::uint32_t), counted >> k & 1u);
        if (here < 8) return i + here;
    }
    return n;
}

}  // namespace

const Form* avx512() {
    static const Form form{locate_with_avx512, count_known_with_avx512, rank_with_avx512,
                           list_with_avx512,   sum_pairs_with_avx512,   least_gini_with_avx512};
    __builtin_cpu_init();
    const bool has = avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
    return has ? &form : nullptr;
}

}  // namespace sapwood::lanes
#else
const sapwood::lanes::Form* sapwood::lanes::avx512() {
    return nullptr;
}
#endif
