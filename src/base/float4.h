/* float4.h - four floats side by side, to be compared at once; and doubles rounded to floats. */
#ifndef AOI_FLOAT4_H
#define AOI_FLOAT4_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef float float4 __attribute__((vector_size(16)));
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
#else
    return (unsigned)((outcome[0] & 1) | (outcome[1] & 2) | (outcome[2] & 4) | (outcome[3] & 8));
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
