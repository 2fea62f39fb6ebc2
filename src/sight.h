/* sight.h - the comparisons of the contract: when does a marker lie in a watcher's area? */
#ifndef AOI_SIGHT_H
#define AOI_SIGHT_H

#include "aoi.h"

/* Who is in a watcher's area: how the space decides. */
enum sight_rule { SIGHT_CELLS, SIGHT_SQUARE, SIGHT_CIRCLE, SIGHT_CUBE, SIGHT_BALL };

/*
 * 1 when marker lies in the area of a watcher with this radius. In a classic nine-grid positions
 * are cells and the radius is 1: cells that touch. No branches: the outcome can't be predicted.
 */
static inline unsigned in_view(enum sight_rule rule, double radius, aoi_point watcher,
                               aoi_point marker) {
    unsigned inside =
        (unsigned)((watcher.x - radius <= marker.x) & (marker.x <= watcher.x + radius) &
                   (watcher.y - radius <= marker.y) & (marker.y <= watcher.y + radius));
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL)
        inside &= (unsigned)((watcher.z - radius <= marker.z) & (marker.z <= watcher.z + radius));
    if (rule == SIGHT_CIRCLE || rule == SIGHT_BALL) {
        double dx = marker.x - watcher.x, dy = marker.y - watcher.y;
        double square = dx * dx + dy * dy;
        if (rule == SIGHT_BALL) {
            double dz = marker.z - watcher.z;
            square += dz * dz;
        }
        inside &= (unsigned)(square <= radius * radius);
    }
    return inside;
}

#endif
