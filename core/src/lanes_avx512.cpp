#include "sapwood/lane_steps.hpp"

#if defined(SAPWOOD_X86)
#include <immintrin.h>

#define SAPWOOD_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,popcnt,prefer-vector-width=512")))

namespace sapwood::lanes {
namespace {

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

/// Where eight values come among the keys: the place in its half of them, and which are in the upper half.
struct Places {
    __m512i in_half;
    __mmask8 upper;
};
SAPWOOD_AVX512 inline __m512d key_at(const Keys& keys, const Places& places) {
    return _mm512_mask_blend_pd(places.upper, _mm512_permutex2var_pd(keys.group[0], places.in_half, keys.group[1]),
                                _mm512_permutex2var_pd(keys.group[2], places.in_half, keys.group[3]));
}
SAPWOOD_AVX512 inline __mmask8 above(__m512d values, __m512d keys) {
    return _mm512_cmp_pd_mask(values, keys, _CMP_GT_OQ);
}
/// The first key that is not below the value, or the last of all: the group by its last key, and three steps within.
SAPWOOD_AVX512 inline Places places_of(const Keys& keys, __m512d values) {
    const auto upper = above(values, keys.last[1]);
    const auto second = static_cast<__mmask8>(above(values, keys.last[2]) | (above(values, keys.last[0]) & ~upper));
    Places places{_mm512_mask_add_epi64(_mm512_set1_epi64(3), second, _mm512_set1_epi64(3), _mm512_set1_epi64(8)),
                  upper};
    const auto step = [&](int by, int next) __attribute__((always_inline, target("avx512f,avx512dq,avx512vl"))) {
        const __mmask8 beyond = above(values, key_at(keys, places));
        places.in_half = _mm512_add_epi64(places.in_half, _mm512_set1_epi64(next));
        places.in_half = _mm512_mask_add_epi64(places.in_half, beyond, places.in_half, _mm512_set1_epi64(by));
    };
    step(4, -2);
    step(2, -1);
    step(1, 0);
    return places;
}

/// The next values, at most eight; the last one again where there are fewer.
SAPWOOD_AVX512 inline __m512d eight_of(const double* x, std::size_t step, std::size_t n) {
    if (step == 1) return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), x);
    if (n >= 8)
        return _mm512_setr_pd(x[0], x[step], x[2 * step], x[3 * step], x[4 * step], x[5 * step], x[6 * step],
                              x[7 * step]);
    const auto at = [&](std::size_t i) { return x[(i < n ? i : n - 1) * step]; };
    return _mm512_setr_pd(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
}

/// `all_known`: the keys are final, and every value has a row. Otherwise it ends at a value that is no key.
template <bool all_known>
SAPWOOD_AVX512 inline std::size_t count_eight_by_eight(const Table& table, const Examples& examples, bool skip_zeros) {
    const auto [first_key, held, counts, stride] = table;
    const auto [value, step, classes, n, complete] = examples;
    const Keys keys = keys_of(first_key, held);
    const __m256i row_size = _mm256_set1_epi32(static_cast<int>(stride)), one = _mm256_set1_epi32(1);
    const __m256i half = _mm256_set1_epi32(2 * kGroup);
    for (std::size_t i = 0; i < n; i += 8) {
        std::size_t here = std::min<std::size_t>(8, n - i);
        const __m512d values = eight_of(value + i * step, step, here);
        const Places places = places_of(keys, values);
        __mmask8 counted = 0xff;
        const __mmask8 numbers = _mm512_cmp_pd_mask(values, values, _CMP_ORD_Q), last = above(values, keys.last[3]);
        if constexpr (!all_known) {
            const __mmask8 equal = _mm512_cmp_pd_mask(values, key_at(keys, places), _CMP_EQ_OQ);
            const __mmask8 zeros = _mm512_cmp_pd_mask(values, _mm512_setzero_pd(), _CMP_EQ_OQ);
            if (skip_zeros) counted = static_cast<__mmask8>(~zeros);
            const auto unknown = static_cast<unsigned>(numbers & counted & ~equal);
            here = std::min<std::size_t>(here, static_cast<std::size_t>(__builtin_ctz(unknown | 0x100u)));
        }
        __m256i row = _mm256_add_epi32(_mm512_cvtepi64_epi32(places.in_half), one);
        row = _mm256_mask_add_epi32(row, places.upper, row, half);
        if constexpr (all_known) row = _mm256_mask_add_epi32(row, last, row, one);
        // What is not a number is counted in row 0; what is left out adds nothing there.
        row = _mm256_maskz_mov_epi32(static_cast<__mmask8>(numbers & counted), row);
        const __m256i y = _mm256_maskz_loadu_epi32(static_cast<__mmask8>((1u << here) - 1), classes + i);
        alignas(32) std::uint32_t at[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(at), _mm256_add_epi32(_mm256_mullo_epi32(row, row_size), y));
        if (all_known && here == 8)
            for (const std::uint32_t place : at) add_to(counts + place * sizeof(std::uint32_t), 1);
        else
            for (std::size_t k = 0; k < here; ++k) add_to(counts + at[k] * sizeof(std::uint32_t), counted >> k & 1u);
        if (!all_known && here < 8) return i + here;
    }
    return n;
}

SAPWOOD_AVX512 void count_with_avx512(const Table& table, const Examples& examples) {
    if (table.held > 4 * kGroup) return avx2()->count_into(table, examples);
    count_eight_by_eight<true>(table, examples, false);
}
SAPWOOD_AVX512 std::size_t count_known_with_avx512(const Table& table, const Examples& examples, bool skip_zeros) {
    if (table.held > 4 * kGroup || examples.n < 8) return count_known<position_among>(table, examples, skip_zeros);
    return count_eight_by_eight<false>(table, examples, skip_zeros);
}

}  // namespace

const Form* avx512() {
    static const Form form{count_with_avx512, count_known_with_avx512, list_with_avx512, least_gini_with_avx512};
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
