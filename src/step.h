/*
 * step.h - the shortest way of the most frequent change: in a grid, an entity
 * of the usual radius takes a step, and somebody listens for who enters and
 * leaves views, but nobody for moves.
 */
#ifndef AOI_STEP_H
#define AOI_STEP_H

#include "space.h"

/* The one for this space and processor; NULL where the space has none. */
step_function step_for(const struct aoi_space *space);

#endif
