/* xy.h - x and y side by side, as processors compute with them: two doubles in one register. */
#ifndef AOI_XY_H
#define AOI_XY_H

#include <float.h>
#include <stdint.h>

/* The contract's comparisons are in double. The x87 of 32-bit x86 computes with more digits, and an
 * answer would depend on what the compiler keeps in registers. 1 (s390x: floats too are computed as
 * doubles) is fine: the comparisons of floats only sort out, and allow for greater errors. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "doubles must be computed as doubles: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#include <math.h>
#endif

typedef double xy __attribute__((vector_size(16)));

static inline xy xy_of(double both) {
    return (xy){both, both};
}

/* The lesser and the greater on each axis; b where a is no number. */
static inline xy xy_lesser(xy a, xy b) {
#ifdef __SSE2__
    return _mm_min_pd(a, b);
#elif defined(__wasm_simd128__)
    return (xy)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
#else
    return (xy){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
}

static inline xy xy_greater(xy a, xy b) {
#ifdef __SSE2__
    return _mm_max_pd(a, b);
#elif defined(__wasm_simd128__)
    return (xy)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
#else
    return (xy){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

/* The sizes without their signs. */
static inline xy xy_size(xy a) {
#ifdef __SSE2__
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
#elif defined(__wasm_simd128__)
    return (xy)wasm_f64x2_abs((v128_t)a);
#else
    return (xy){fabs(a[0]), fabs(a[1])};
#endif
}

/* Without what follows the point; both from 0 to INT32_MAX. */
static inline void xy_truncate(xy a, uint32_t *x, uint32_t *y) {
#ifdef __SSE2__
    uint64_t both = (uint64_t)_mm_cvttpd_epi32(a)[0]; /* _mm_cvtsi128_si64 is for 64 bits only */
    *x = (uint32_t)both;
    *y = (uint32_t)(both >> 32);
#else
    *x = (uint32_t)a[0];
    *y = (uint32_t)a[1];
#endif
}

/* low <= position <= high on both axes: 1 or 0. */
static inline unsigned xy_between(xy low, xy position, xy high) {
#ifdef __SSE2__
    __m128d inside = _mm_and_pd(_mm_cmple_pd(low, position), _mm_cmple_pd(position, high));
    return _mm_movemask_pd(inside) == 3;
#elif defined(__wasm_simd128__)
    return wasm_i64x2_all_true((v128_t)((low <= position) & (position <= high)));
#else
    return (unsigned)((low[0] <= position[0]) & (position[0] <= high[0]) & (low[1] <= position[1]) &
                      (position[1] <= high[1]));
#endif
}

#endif
