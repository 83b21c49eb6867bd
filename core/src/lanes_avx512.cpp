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

/// Up to 32 keys as a heap: node 1 has the one in the middle, and below node q are the nodes 2q and 2q + 1. A search
/// goes down five levels; the last of the 32 keys is no node, and is asked at the end.
struct Heap {
    __m512d top;  // nodes 1 to 7; the last key in place 0
    __m512d middle, low, high;
};
SAPWOOD_AVX512 inline Heap heap_of(const double* keys, std::size_t held) {
    __m512d groups[4];
    for (std::size_t g = 0; g < 4; ++g)
        groups[g] = g * kGroup < held ? _mm512_loadu_pd(keys + g * kGroup)
                                      : _mm512_set1_pd(std::numeric_limits<double>::infinity());
    const auto [a, b, c, d] = groups;
    const __m512i evens = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odds = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512d left = _mm512_permutex2var_pd(a, odds, b), right = _mm512_permutex2var_pd(c, odds, d);
    return {_mm512_permutex2var_pd(left, _mm512_setr_epi64(15, 7, 3, 11, 1, 5, 9, 13), right),
            _mm512_permutex2var_pd(left, evens, right), _mm512_permutex2var_pd(a, evens, b),
            _mm512_permutex2var_pd(c, evens, d)};
}

/// From each node to one below it: the right one where the value is above the node's key.
SAPWOOD_AVX512 inline __m512i descend(__m512i node, __m512d value, __m512d key) {
    const __m512i below = _mm512_add_epi64(node, node);
    return _mm512_mask_add_epi64(below, _mm512_cmp_pd_mask(value, key, _CMP_GT_OQ), below, _mm512_set1_epi64(1));
}

SAPWOOD_AVX512 inline __m512d eight_of(const double* x, std::size_t step) {
    return _mm512_setr_pd(x[0], x[step], x[2 * step], x[3 * step], x[4 * step], x[5 * step], x[6 * step], x[7 * step]);
}

/// Eight values at a time go down the heap.
SAPWOOD_AVX512 void count_with_avx512(const Table& table, const Examples& examples) {
    const auto [keys, held, counts, stride] = table;
    const auto [value, step, classes, n, complete] = examples;
    if (held > 4 * kGroup) return avx2()->count_into(table, examples);
    const Heap heap = heap_of(keys, held);
    const __m512i one = _mm512_set1_epi64(1);
    const __m512d last = _mm512_broadcastsd_pd(_mm512_castpd512_pd128(heap.top));
    const __m256i row_size = _mm256_set1_epi32(static_cast<int>(stride)), before = _mm256_set1_epi32(31);
    for (std::size_t i = 0; i < n; i += 8) {
        const std::size_t here = n - i < 8 ? n - i : 8;
        const double* x = value + i * step;
        double few[8] = {};
        for (std::size_t k = 0; here < 8 && k < here; ++k) few[k] = x[k * step];
        const __m512d values = here < 8 ? _mm512_loadu_pd(few) : eight_of(x, step);
        __m512i node = one;
        node = descend(node, values, _mm512_permutexvar_pd(node, heap.top));
        node = descend(node, values, _mm512_permutexvar_pd(node, heap.top));
        node = descend(node, values, _mm512_permutexvar_pd(node, heap.top));
        node = descend(node, values, _mm512_permutexvar_pd(node, heap.middle));
        node = descend(node, values, _mm512_permutex2var_pd(heap.low, node, heap.high));
        node = _mm512_mask_add_epi64(node, _mm512_cmp_pd_mask(values, last, _CMP_GT_OQ), node, one);
        // Row 1 is that of node 32. A value that is not a number is counted in row 0.
        const __mmask8 numbers = _mm512_cmp_pd_mask(values, values, _CMP_ORD_Q);
        const __m256i row = _mm256_maskz_sub_epi32(numbers, _mm512_cvtepi64_epi32(node), before);
        const __m256i y = _mm256_maskz_loadu_epi32(static_cast<__mmask8>((1u << here) - 1), classes + i);
        alignas(32) std::uint32_t places[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(places), _mm256_add_epi32(_mm256_mullo_epi32(row, row_size), y));
        if (here == 8)
            for (const std::uint32_t place : places) add_one(counts + place * sizeof(std::uint32_t));
        else
            for (std::size_t k = 0; k < here; ++k) add_one(counts + places[k] * sizeof(std::uint32_t));
    }
}

}  // namespace

const Form* avx512() {
    static const Form form{count_with_avx512, list_with_avx512, least_gini_with_avx512};
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
