/* orientation.h - on which side of a line a point is, exactly. */
#ifndef AOI_ORIENTATION_H
#define AOI_ORIENTATION_H

#include "aoi.h"

/* A place on the plane. */
struct corner {
    double x, y;
};

/* The greatest size of a coordinate: products of differences are still finite. */
#define MOST_COORDINATE 0x1p500

/*
 * The sign (-1, 0, 1) of (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x): 1 when p is to the
 * left of the way from a to b. Coordinates are up to MOST_COORDINATE. Exact unless a product falls
 * below 2^-900.
 */
int orientation(struct corner a, struct corner b, struct corner p);

#endif
