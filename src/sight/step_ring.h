/* step_ring.h - the ring around the border of a view, where a step can change a pair. */
#ifndef AOI_STEP_RING_H
#define AOI_STEP_RING_H

#include "index/ring.h"
#include "sight/sight.h"

/*
 * The ring of a step shorter than the largest view radius, where the radii that
 * matter stay the same; simpler than in general. Whoever is changed by the step
 * lies at one of the radii from its middle, give or take half the step. False
 * for other steps.
 */
static inline bool ring_of_step(enum sight_rule rule, xy from, xy to, double smallest,
                                double largest, struct ring *ring) {
    const xy step = (to - from) / 2, middle = from + step, half = xy_size(step);
    const xy sizes = xy_size(middle);
    double size = (sizes[0] > sizes[1] ? sizes[0] : sizes[1]) + 2 * largest;
    if (half[0] > largest / 2 || half[1] > largest / 2 || !(size < RING_LARGEST))
        return false;
    double allowance = ring_allowance(size);
    const xy wall = xy_of(allowance) + half;
    *ring = (struct ring){.middle = middle,
                          .outer = xy_of(largest) + wall,
                          .inner = xy_of(radius_inside(rule, smallest)) - wall,
                          .by_radius = true,
                          .inner_part = radius_inside(rule, 1),
                          .wall = wall};
    return true;
}

#endif
