/* ring.c - see ring.h. */
#include "ring.h"

#include <math.h>

/* One axis: the middle of an interval, and half its length with the allowance. */
static void surround(double low, double high, double *middle, double *half) {
    double x = low + (high - low) / 2, reach = (high - low) / 2, size = fabs(x) + reach;
    bool is_small = size < RING_LARGEST; /* false also for infinity less infinity */
    *middle = is_small ? x : 0;
    *half = is_small ? reach + ring_allowance(size) : INFINITY;
}

/* Half the longest interval around middle that is certainly inside low to high, both of which are
 * no further away than outer. */
static double hollow_out(double low, double high, double middle, double outer) {
    double below = middle - low, above = high - middle;
    return isinf(outer) ? 0 : fmin(below, above) - ring_allowance(fabs(middle) + outer);
}

struct ring ring_of_box(const struct box *box) {
    struct ring ring = {0, 0, 0, 0, 0, 0};
    surround(box->x1, box->x2, &ring.x, &ring.outer_x);
    surround(box->y1, box->y2, &ring.y, &ring.outer_y);
    return ring;
}

struct ring ring_of_boxes(const struct box *outer, const struct box *inner) {
    struct ring ring = ring_of_box(outer);
    ring.inner_x = hollow_out(inner->x1, inner->x2, ring.x, ring.outer_x);
    ring.inner_y = hollow_out(inner->y1, inner->y2, ring.y, ring.outer_y);
    return ring;
}
