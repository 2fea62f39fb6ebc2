/* area_tick.h - the stage of a tick that finds the net change of areas. */
#ifndef AOI_AREA_TICK_H
#define AOI_AREA_TICK_H

#include "area/area_pairs.h"

/* Finds what the tick means, before anything else of it is done, and reserves what it takes. */
bool area_tick_find(struct aoi_space *space);

/* Queues the events behind the others, and brings kept members up to date; or, not done, forgets
 * what was found. To be called after each area_tick_find. */
void area_tick_finish(struct aoi_space *space, bool done);

#endif
