/*
 * specialised.h - special ways that are only faster. A build with
 * AOI_WITHOUT_... defined does without one, and tells the same events;
 * AOI_PLAIN is without all of them. docs/inside/performance.md says why each is there,
 * `make bench-specialisations` measures its gain.
 */
#ifndef AOI_SPECIALISED_H
#define AOI_SPECIALISED_H

#ifdef AOI_PLAIN
#define AOI_WITHOUT_AVX2       /* loops for AVX2; without: plain C */
#define AOI_WITHOUT_FUSED_STEP /* a step in a grid as one function (space/step.c) */
#define AOI_WITHOUT_LOOK_AHEAD /* in there: memory fetched for the steps to come */
#define AOI_WITHOUT_LATE_MOVES /* deferred spaces: indexes learn of moves when asked */
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

#endif
