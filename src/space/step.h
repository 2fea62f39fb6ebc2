/*
 * step.h - the shortest way of the most frequent change: in a grid, an entity
 * of the usual radius takes a step, and somebody listens.
 */
#ifndef AOI_STEP_H
#define AOI_STEP_H

#include "space/space.h"

/* Sets space->step and space->step_with_moves to those for this space and processor. */
void step_choose(struct aoi_space *space);

#endif
