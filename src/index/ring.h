/*
 * ring.h - where to look for entities: a box, less a box inside it.
 *
 * A step changes who sees whom only near the border of a view, so most
 * searches are for a hollow box. Searches may return more than lies in the
 * ring (the exact comparisons come later), never less, and nothing twice. On
 * demand they also tell who is inside: whoever they tell there certainly is.
 */
#ifndef AOI_RING_H
#define AOI_RING_H

#include "base/memory.h"
#include "base/xy.h"
#include "sight/sight.h"

/* A closed box on x and y; infinite bounds are allowed. */
struct box {
    double x1, y1, x2, y2;
};

/*
 * Two boxes around one middle, given by half their sides. Everybody searched
 * for lies in the outer box, borders included. Whoever is nearer to the middle
 * than both parts of inner lies in the inner box; nobody does where one of
 * them is not above 0.
 *
 * Both carry the allowance for engines that measure the distances to the
 * middle in float: the middle is of a size that floats can hold, and the sides
 * are wider and narrower by ring_allowance than they need be.
 */
struct ring {
    xy middle;
    xy outer; /* may be infinite */
    xy inner;

    /* by_radius: where an index knows the view radius of each point, this ring may be made thinner
     * for it: radius + wall is then its outer, radius * inner_part - wall its inner box. */
    bool by_radius;
    double inner_part;
    xy wall;
};

/* More than a distance is off that was computed from coordinates rounded to float, when neither
 * they nor the distance are larger than size. */
static inline double ring_allowance(double size) {
    return size * 0x1p-21 + 0x1p-126;
}

/* Coordinates and distances below this are of a size that floats can hold. */
#define RING_LARGEST 0x1p120

static inline struct box ring_outer(const struct ring *ring) {
    const xy low = ring->middle - ring->outer, high = ring->middle + ring->outer;
    return (struct box){low[0], low[1], high[0], high[1]};
}

static inline struct box ring_inner(const struct ring *ring) {
    const xy low = ring->middle - ring->inner, high = ring->middle + ring->inner;
    return (struct box){low[0], low[1], high[0], high[1]};
}

static inline bool ring_is_hollow(const struct ring *ring) {
    return ring->inner[0] > 0 && ring->inner[1] > 0;
}

/* The ring without a hole around a box. */
struct ring ring_of_box(const struct box *box);

/* The ring around `outer` whose hole lies in `inner`. */
struct ring ring_of_boxes(const struct box *outer, const struct box *inner);

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

/*
 * The slots of the entities that a search found. Sixteen are written at once,
 * wherever the last one was; a write over the border of two pages takes twenty
 * times as long as others, so the array begins with a page.
 */
struct hits {
    struct aligned_array array;
    uint32_t *slots; /* = array.items */
    size_t count, capacity;
};

/* Room for `more` further slots, when there is none. False: no memory, unchanged. */
bool hits_grow(struct hits *hits, struct memory *memory, size_t more);

/* Room for `more` further slots. False: no memory, unchanged. */
static inline bool hits_reserve(struct hits *hits, struct memory *memory, size_t more) {
    return more <= hits->capacity - hits->count || hits_grow(hits, memory, more);
}

void hits_free(struct hits *hits, struct memory *memory);

#endif
