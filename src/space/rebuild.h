/*
 * rebuild.h - all indexes of a space built anew beside the old ones, which
 * they then replace: for another map, and for another usual radius.
 *
 *     rebuild_begin     the old indexes are set aside
 *     (the caller changes what the new ones depend on)
 *     rebuild_indexes
 *     rebuild_end, or rebuild_fail: all is as it was before
 */
#ifndef AOI_REBUILD_H
#define AOI_REBUILD_H

#include "space/space.h"

/* What the indexes have noted in an entity. */
struct placing {
    uint32_t place[2], class_place;
    uint32_t cell_x, cell_y; /* classic nine-grid */
};

/* How things were before. */
struct rebuild {
    struct aoi_space *space;
    struct map map;
    double usual_radius;
    struct spatial_index *main_index;
    struct radius_class classes[RADIUS_CLASSES];
    size_t unusual_watchers;
    struct placing *placings; /* by slot */
    uint32_t slots;
    struct queue_mark pending, collected;
};

/* False: no memory, unchanged. */
bool rebuild_begin(struct rebuild *rebuild, struct aoi_space *space);

/* Fills new indexes for the space's map and usual radius. False: no memory, the caller fails. */
bool rebuild_indexes(struct rebuild *rebuild);

/* Takes back everything, events that were queued since included. */
void rebuild_fail(struct rebuild *rebuild);

void rebuild_end(struct rebuild *rebuild);

#endif
