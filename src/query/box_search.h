/* box_search.h - the entities whose true place lies in a box. */
#ifndef AOI_BOX_SEARCH_H
#define AOI_BOX_SEARCH_H

#include <math.h>

#include "space/space.h"

/* An index knows anchors: whoever is past a bound may have one that is this far before it. The
 * slack, and a little more for the rounding of both differences. */
static inline double slack_widening(const struct aoi_space *space, double bound) {
    const double limit = space->slack.limit;
    return limit > 0 ? limit + (fabs(bound) + limit) * 0x1p-50 : 0;
}

/* The hits of space->visibility become those that may be in the box, borders included. */
bool box_search(struct aoi_space *space, const struct box *box);

/* The hits become those that may be in the ring, which has the allowance for engines but none for
 * slack. */
bool ring_search(struct aoi_space *space, struct ring ring);

#endif
