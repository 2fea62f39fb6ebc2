/* change.h - what other files need of change.c. */
#ifndef AOI_CHANGE_H
#define AOI_CHANGE_H

#include "space/space.h"

/* Adds an entity as it was saved, with its cell or radius class set, and without telling anybody.
 * place: where it truly is; counts with slack. False: no memory. */
bool change_restore(struct aoi_space *space, const struct entity *entity, aoi_point place);

/* Queues the events of what space->changes says of the entity with this id. */
aoi_status change_queue_events(struct aoi_space *space, aoi_id id);

#endif
