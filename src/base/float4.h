/* float4.h - four floats side by side, to be compared at once; and doubles rounded to floats. */
#ifndef AOI_FLOAT4_H
#define AOI_FLOAT4_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

typedef float float4 __attribute__((vector_size(16)));
typedef float float2 __attribute__((vector_size(8)));
typedef int32_t int4 __attribute__((vector_size(16)));

static inline float4 float4_of(float all) {
    return (float4){all, all, all, all};
}

/* Four floats from this address on, which need not be aligned. */
static inline float4 float4_at(const float *first) {
    float4 four;
    memcpy(&four, first, sizeof four);
    return four;
}

/* The sizes without their signs. */
static inline float4 float4_size(float4 four) {
    const int4 bits = (int4)four & INT32_MAX;
    return (float4)bits;
}

/* The outcome of a comparison as bits, the first the lowest. */
static inline unsigned float4_bits(int4 outcome) {
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)outcome);
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)outcome);
#else
    return (unsigned)((outcome[0] & 1) | (outcome[1] & 2) | (outcome[2] & 4) | (outcome[3] & 8));
#endif
}

/* Four rows of four numbers become four columns. */
static inline void float4_transpose(float4 *rows) {
#ifdef __SSE2__
    __m128 a = (__m128)rows[0], b = (__m128)rows[1], c = (__m128)rows[2], d = (__m128)rows[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    rows[0] = (float4)a;
    rows[1] = (float4)b;
    rows[2] = (float4)c;
    rows[3] = (float4)d;
#else
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < row; column++) {
            const float number = rows[row][column];
            rows[row][column] = rows[column][row];
            rows[column][row] = number;
        }
    }
#endif
}

static inline float4 float4_lesser(float4 a, float4 b) {
#ifdef __SSE2__
    return (float4)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (float4)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return (float4){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1], a[2] < b[2] ? a[2] : b[2],
                    a[3] < b[3] ? a[3] : b[3]};
#endif
}

static inline float4 float4_greater(float4 a, float4 b) {
#ifdef __SSE2__
    return (float4)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (float4)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return (float4){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1], a[2] > b[2] ? a[2] : b[2],
                    a[3] > b[3] ? a[3] : b[3]};
#endif
}

/* The number of the lowest bit that is set. */
static inline unsigned lowest_bit(unsigned bits) {
    return (unsigned)__builtin_ctz(bits);
}

/* A float that is not above the number, and one that is not below, one or two steps away at most.
 * Without branches: which way a conversion rounds can't be predicted. */
static inline float float_below(double number) {
    const double below = number - fabs(number) * 0x1p-23 - 0x1p-148;
    return (float)(below < (double)FLT_MAX ? below : (double)FLT_MAX);
}

static inline float float_above(double number) {
    return -float_below(-number);
}

#endif
