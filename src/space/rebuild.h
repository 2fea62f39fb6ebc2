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

/* The notes of the indexes in an entity. */
struct index_notes {
    uint32_t handle[2], class_handle;
    struct cell cell; /* or the radius, which shares its place */
};

/* How things were before. */
struct rebuild {
    struct aoi_space *space;
    struct map map;
    struct indexes indexes;
    struct index_notes *notes; /* by slot */
    uint32_t slots;
    struct queue_mark pending, collected;
};

bool rebuild_begin(struct rebuild *rebuild, struct aoi_space *space);

/* Fills new indexes for the space's map and usual radius. */
bool rebuild_indexes(struct rebuild *rebuild);

/* Takes back everything, events that were queued since included. */
void rebuild_fail(struct rebuild *rebuild);

void rebuild_end(struct rebuild *rebuild);

/*
 * To be called after so many entities have entered, left, or got another
 * radius or mode. Without a default radius, whoever came first has said what
 * is usual; if that turns out not to be so, it is chosen anew, and all indexes
 * are built anew. O(1) on average: the question is asked again only after half
 * as many changes as there are entities. It is only about speed, so that a
 * lack of memory is no matter; and the count of changes is not saved with a
 * space, so that a loaded one may be asked at another time.
 */
void rebuild_for_usual_radius(struct aoi_space *space, size_t changes);

#endif
