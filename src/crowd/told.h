/* told.h - told pairs as of the last tick: for the other files of a space, and above. */
#ifndef AOI_TOLD_H
#define AOI_TOLD_H

#include "space/space.h"

enum told_direction { TOLD_MARKERS, TOLD_WATCHERS };

/* Deferred spaces that are no crowd spaces: adds the view of the entity in slot at the last tick,
 * or who had it in view, found again; in any order. */
bool told_find_views(struct aoi_space *space, uint32_t slot, enum told_direction direction,
                     struct id_list *list);

/* Crowd spaces: true when the watcher in that slot was told of the marker. */
bool told_has(const struct aoi_space *space, uint32_t watcher, aoi_id marker);

#endif
