/* vectors.h - the common part of the loops for AVX2; HAVE_VECTORS says whether the compiler can
 * make them. */
#ifndef AOI_VECTORS_H
#define AOI_VECTORS_H

#include "base/specialised.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__) && !defined(AOI_WITHOUT_AVX2)
#define HAVE_VECTORS 1
#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* True when the processor has what these loops need. Test builds: not when AOI_SCALAR is set. */
static inline bool has_avx2(void) {
#ifdef AOI_SELF_CHECK
    if (getenv("AOI_SCALAR") != NULL)
        return false;
#endif
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

#define FOR_AVX2 __attribute__((target("avx2,bmi2,popcnt")))

/* Appends the lanes whose bit is set in mask; returns how many. They go to the front first: the
 * order of lanes is packed as eight bytes, pdep spreads the mask to whole bytes, pext takes the
 * numbers of the chosen lanes. */
FOR_AVX2 static inline size_t store_lanes(uint32_t *slots, __m256i lanes, unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, UINT64_C(0x0101010101010101)) * 0xFF;
    uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    __m256i permutation = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    _mm256_storeu_si256((__m256i *)(void *)slots, _mm256_permutevar8x32_epi32(lanes, permutation));
    return (size_t)_mm_popcnt_u32(mask);
}
#endif

#endif
