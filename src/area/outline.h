/* outline.h - the polygon of an area, with its rings as they were given; several may share one. */
#ifndef AOI_OUTLINE_H
#define AOI_OUTLINE_H

#include "shape/polygon.h"

struct outline {
    struct polygon polygon;
    struct ring_room room; /* has the rings as they were given */
    unsigned users;
};

/* Makes an outline with one user; errors as polygon_make. */
aoi_status outline_make(struct outline **outline, struct memory *memory, const aoi_ring *rings,
                        size_t ring_count, aoi_complaint *complaint);

/* One user more, or less: it is freed with the last. NULL is allowed. */
void outline_share(struct outline *outline);
void outline_release(struct outline *outline);

#endif
