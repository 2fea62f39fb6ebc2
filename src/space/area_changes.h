/*
 * area_changes.h - what a change of an entity means for areas.
 *
 * It is found before the change is made, in two parts: as a marker the entity
 * comes into areas and goes out of them; as an owner it takes its areas along,
 * or they end with it. Room is reserved for all that follows, so that afterwards
 * nothing can fail:
 *
 *     if (!areas_find(space, slot, after, &place))
 *         return AOI_NOMEM;
 *     status = (the change)
 *     areas_finish(space, slot, after, status == AOI_OK);
 *
 * In a deferred space a tick finds out instead (tick/area_tick.h), and a change
 * only takes along what is owned, and notes what areas were.
 */
#ifndef AOI_AREA_CHANGES_H
#define AOI_AREA_CHANGES_H

#include "space/areas.h"

/* Before the entity in slot (NO_SLOT: a new one) becomes `after` (NULL: it leaves), truly at
 * `place`. The space has areas. False: no memory, nothing changed. */
bool areas_find(struct aoi_space *space, uint32_t slot, const struct entity *after,
                const aoi_point *place);

/* After it; or, not done, after it failed. */
void areas_finish(struct aoi_space *space, uint32_t slot, const struct entity *after, bool done);

/* A row of a batch that is still to leave. The areas of the entity count as ended, and can come
 * back. */
void areas_finish_row(struct aoi_space *space, uint32_t slot);

/* The entity in slot is elsewhere: its areas follow. */
void areas_follow(struct aoi_space *space, uint32_t slot);

/* The entity in slot is about to be removed: its areas end. */
void areas_end_owned(struct aoi_space *space, uint32_t slot);

/* Around the rows of a batch; not done: members are kept as they were before it. */
void areas_begin_batch(struct aoi_space *space);
void areas_end_batch(struct aoi_space *space, bool done);

#endif
