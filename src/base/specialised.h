/*
 * specialised.h - special ways that are only faster. A build with
 * AOI_WITHOUT_... defined does without one, and tells the same events;
 * AOI_PLAIN is without all of them. docs/performance.md has the gain of each,
 * measured by `make bench-specialisations`.
 */
#ifndef AOI_SPECIALISED_H
#define AOI_SPECIALISED_H

#include <stdint.h>

#ifdef AOI_PLAIN
#define AOI_WITHOUT_AVX512        /* loops for AVX-512; without: those for AVX2 */
#define AOI_WITHOUT_AVX2          /* loops for AVX2 and AVX-512; without: plain C */
#define AOI_WITHOUT_FUSED_STEP    /* a step in a grid as one function (space/step.c) */
#define AOI_WITHOUT_LOOK_AHEAD    /* in there: memory fetched for the steps to come */
#define AOI_WITHOUT_LATE_MOVES    /* deferred spaces: indexes learn of moves when asked */
#define AOI_WITHOUT_FLOAT_COLUMNS /* grid and quadtree: points as floats; without: doubles */
#define AOI_WITHOUT_FLOAT_AXES    /* cross-list: searches compare floats; without: doubles */
#endif

/* The loops with vector instructions are made for floats. */
#if defined(AOI_WITHOUT_FLOAT_COLUMNS) || defined(AOI_WITHOUT_FLOAT_AXES)
#undef AOI_WITHOUT_AVX2
#define AOI_WITHOUT_AVX2
#endif

#ifdef AOI_WITHOUT_FUSED_STEP
enum { WITH_FUSED_STEP = 0 };
#else
enum { WITH_FUSED_STEP = 1 };
#endif

#ifdef AOI_WITHOUT_LOOK_AHEAD
enum { WITH_LOOK_AHEAD = 0 };
#else
enum { WITH_LOOK_AHEAD = 1 };
#endif

#ifdef AOI_WITHOUT_LATE_MOVES
enum { WITH_LATE_MOVES = 0 };
#else
enum { WITH_LATE_MOVES = 1 };
#endif

/* A coordinate or a distance in the columns of a bucket. */
#ifdef AOI_WITHOUT_FLOAT_COLUMNS
typedef double column_number;
#define column_size fabs /* without its sign */
#else
typedef float column_number;
#define column_size fabsf
#endif

/* The same where the nodes of an axis are searched, and an integer of its size. */
#ifdef AOI_WITHOUT_FLOAT_AXES
typedef double axis_number;
typedef int64_t axis_bits;
#else
typedef float axis_number;
typedef int32_t axis_bits;
#endif

#endif
