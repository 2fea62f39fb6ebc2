/* sight.h - the comparisons of the contract: when does a marker lie in a watcher's area? */
#ifndef AOI_SIGHT_H
#define AOI_SIGHT_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "aoi.h"

/* Who is in a watcher's area: how the space decides. */
enum sight_rule { SIGHT_CELLS, SIGHT_SQUARE, SIGHT_CIRCLE, SIGHT_CUBE, SIGHT_BALL };

/* x and y side by side, as processors compare them. */
typedef double pair __attribute__((vector_size(16)));

/* low <= position <= high on both axes: 1 or 0. */
static inline unsigned between(pair low, pair position, pair high) {
#ifdef __SSE2__
    __m128d inside = _mm_and_pd(_mm_cmple_pd(low, position), _mm_cmple_pd(position, high));
    return _mm_movemask_pd(inside) == 3;
#else
    return (unsigned)((low[0] <= position[0]) & (position[0] <= high[0]) & (low[1] <= position[1]) &
                      (position[1] <= high[1]));
#endif
}

/*
 * 1 when marker lies in the area of a watcher with this radius; their z are looked at where the
 * rule has three dimensions. In a classic nine-grid positions are cells and the radius is 1: cells
 * that touch. No branches: the outcome can't be predicted.
 */
static inline unsigned in_view(enum sight_rule rule, double radius, pair watcher, double watcher_z,
                               pair marker, double marker_z) {
    const pair reach = {radius, radius};
    unsigned inside = between(watcher - reach, marker, watcher + reach);
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL)
        inside &= (unsigned)((watcher_z - radius <= marker_z) & (marker_z <= watcher_z + radius));
    if (rule == SIGHT_CIRCLE || rule == SIGHT_BALL) {
        const pair apart = marker - watcher;
        double square = apart[0] * apart[0] + apart[1] * apart[1];
        if (rule == SIGHT_BALL)
            square += (marker_z - watcher_z) * (marker_z - watcher_z);
        inside &= (unsigned)(square <= radius * radius);
    }
    return inside;
}

/* Half the side of a square around a watcher that lies well inside its view on x and y. */
static inline double radius_inside(enum sight_rule rule, double radius) {
    const double square_in_circle = 0.7071; /* a little less than sqrt(1/2) */
    return rule == SIGHT_CIRCLE ? radius * square_in_circle : radius;
}

/* False where the square of the radius is too coarse to tell what is well inside a circle. */
static inline bool has_inside(enum sight_rule rule, double radius) {
    const double smallest_round_view = 1e-140;
    return rule != SIGHT_CIRCLE || radius > smallest_round_view;
}

#endif
