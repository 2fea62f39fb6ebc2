/*
 * area_changes.h - changes of an entity and their events of areas; capability.h
 * says when each of these is called.
 *
 * It is found before the change is made, in two parts: as a marker the entity
 * comes into areas and goes out of them; as an owner it takes its areas along,
 * or they end with it. Room is reserved for all that follows, so that afterwards
 * nothing can fail. In a deferred space a tick finds out instead (area_tick.h),
 * and a change only takes along what is owned, and notes what areas were.
 */
#ifndef AOI_AREA_CHANGES_H
#define AOI_AREA_CHANGES_H

#include "area/areas.h"

enum following areas_find(struct aoi_space *space, uint32_t slot, const struct entity *after,
                          const aoi_point *place);
void areas_finish(struct aoi_space *space, uint32_t slot, const struct entity *after, bool done);

/* The entity in slot is elsewhere: its areas follow. */
void areas_follow(struct aoi_space *space, uint32_t slot);

/* The entity in slot is about to be removed: its areas end. */
void areas_end_owned(struct aoi_space *space, uint32_t slot);

/* Not done: members are kept as they were before the batch. */
void areas_begin_batch(struct aoi_space *space);
void areas_end_batch(struct aoi_space *space, bool done);

#endif
