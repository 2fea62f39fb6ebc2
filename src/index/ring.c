/* ring.c - rings widened outward for rounding; room for hits. */
#include "index/ring.h"

#include <math.h>

/* An interval around a middle. */
struct interval {
    double middle, half;
};

/* One axis: the middle of an interval, and half its length with the allowance. */
static struct interval surround(double low, double high) {
    double middle = low + (high - low) / 2, half = (high - low) / 2, size = fabs(middle) + half;
    bool is_small = size < RING_LARGEST; /* false also for infinity less infinity */
    return is_small ? (struct interval){middle, half + ring_allowance(size)}
                    : (struct interval){0, INFINITY};
}

/* Half the longest interval around middle that is certainly inside low to high, both of which are
 * no further away than outer. */
static double hollow_out(double low, double high, double middle, double outer) {
    double below = middle - low, above = high - middle;
    return isinf(outer) ? 0 : fmin(below, above) - ring_allowance(fabs(middle) + outer);
}

struct ring ring_of_box(const struct box *box) {
    const struct interval x = surround(box->x1, box->x2), y = surround(box->y1, box->y2);
    return (struct ring){.middle = {x.middle, y.middle}, .outer = {x.half, y.half}};
}

struct ring ring_of_boxes(const struct box *outer, const struct box *inner) {
    struct ring ring = ring_of_box(outer);
    ring.inner = (xy){hollow_out(inner->x1, inner->x2, ring.middle[0], ring.outer[0]),
                      hollow_out(inner->y1, inner->y2, ring.middle[1], ring.outer[1])};
    return ring;
}
