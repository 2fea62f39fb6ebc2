/* sight.h - the comparisons of the contract: when does a marker lie in a watcher's area? */
#ifndef AOI_SIGHT_H
#define AOI_SIGHT_H

#include "aoi.h"
#include "base/xy.h"

/* Who is in a watcher's area: how the space decides. */
enum sight_rule { SIGHT_CELLS, SIGHT_SQUARE, SIGHT_CIRCLE, SIGHT_CUBE, SIGHT_BALL };

/*
 * 1 when marker lies in the area of a watcher with this radius; their z are looked at where the
 * rule has three dimensions. In a classic nine-grid positions are cells and the radius is 1: cells
 * that touch. No branches: the outcome can't be predicted.
 */
static inline unsigned in_view(enum sight_rule rule, double radius, xy watcher, double watcher_z,
                               xy marker, double marker_z) {
    const xy reach = xy_of(radius);
    unsigned inside = xy_between(watcher - reach, marker, watcher + reach);
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL)
        inside &= (unsigned)((watcher_z - radius <= marker_z) & (marker_z <= watcher_z + radius));
    if (rule == SIGHT_CIRCLE || rule == SIGHT_BALL) {
        const xy apart = marker - watcher;
        double square = apart[0] * apart[0] + apart[1] * apart[1];
        if (rule == SIGHT_BALL)
            square += (marker_z - watcher_z) * (marker_z - watcher_z);
        inside &= (unsigned)(square <= radius * radius);
    }
    return inside;
}

/* Where the answers of in_two_views stand: where processors leave them. */
enum { IN_FIRST = 1 << 0, IN_SECOND = 1 << 2 };

/* The same on x and y for two pairs at once: rules without a third dimension. */
static inline unsigned in_two_views(enum sight_rule rule, double radius1, xy watcher1, xy marker1,
                                    double radius2, xy watcher2, xy marker2) {
#ifdef __SSE2__
    const xy reach1 = xy_of(radius1), reach2 = xy_of(radius2);
    __m128d first = _mm_and_pd(_mm_cmple_pd(watcher1 - reach1, marker1),
                               _mm_cmple_pd(marker1, watcher1 + reach1));
    __m128d second = _mm_and_pd(_mm_cmple_pd(watcher2 - reach2, marker2),
                                _mm_cmple_pd(marker2, watcher2 + reach2));
    if (rule == SIGHT_CIRCLE) {
        const xy apart1 = marker1 - watcher1, apart2 = marker2 - watcher2;
        const xy squares1 = apart1 * apart1, squares2 = apart2 * apart2;
        const xy squares =
            _mm_unpacklo_pd(squares1, squares2) + _mm_unpackhi_pd(squares1, squares2);
        const xy largest = {radius1 * radius1, radius2 * radius2};
        const __m128d round = _mm_cmple_pd(squares, largest);
        first = _mm_and_pd(first, _mm_unpacklo_pd(round, round));
        second = _mm_and_pd(second, _mm_unpackhi_pd(round, round));
    }
    __m128 axes = _mm_shuffle_ps(_mm_castpd_ps(first), _mm_castpd_ps(second), 0x88);
    unsigned inside = (unsigned)_mm_movemask_ps(axes); /* x and y of the first, of the second */
    return inside & inside >> 1 & (IN_FIRST | IN_SECOND);
#else
    return in_view(rule, radius1, watcher1, 0, marker1, 0) * IN_FIRST |
           in_view(rule, radius2, watcher2, 0, marker2, 0) * IN_SECOND;
#endif
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
