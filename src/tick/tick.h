/* tick.h - aoi_tick: the net change of a deferred space since the last one. */
#ifndef AOI_TICK_H
#define AOI_TICK_H

#include "space/space.h"

/* Frees the scratch memory of ticks. */
void tick_free(struct aoi_space *space);

#endif
