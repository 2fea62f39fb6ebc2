/*
 * ring.h - rings to search for entities: a box, less a box inside it.
 *
 * A step changes who sees whom only near the border of a view, so most
 * searches are for a hollow box. Searches may return more than lies in the
 * ring (the exact comparisons come later), never less, and nothing twice. On
 * demand they also give who is inside: whoever they give there certainly is.
 */
#ifndef AOI_RING_H
#define AOI_RING_H

#include "base/array.h"
#include "base/xy.h"

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

/* The outer or inner box of a ring, by half its sides. */
static inline struct box box_of(xy middle, xy half) {
    const xy low = middle - half, high = middle + half;
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
 * The slots of the entities that a search found. Sixteen are written at once,
 * wherever the last one was; a write over the border of two pages takes twenty
 * times as long as others, so the array begins with a page.
 */
struct hits {
    struct memory *memory;
    union {
        uint32_t *items;
        uint32_t *slots;
    };
    size_t count, capacity;
};

/* Room for `more` further slots. */
static inline bool hits_reserve(struct hits *hits, size_t more) {
    return array_reserve_on(hits, hits->memory, more, MEMORY_PAGE);
}

#endif
