/* crowd_tick.h - the tick of a crowd space. */
#ifndef AOI_CROWD_TICK_H
#define AOI_CROWD_TICK_H

#include "space/space.h"

/* Chooses the new told sets and queues the events of the tick of this number; the old states
 * stay. */
bool crowd_tick(struct aoi_space *space, uint64_t number);

#endif
