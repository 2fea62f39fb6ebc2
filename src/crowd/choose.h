/*
 * choose.h - the choice of one watcher's told set: the contract's section about
 * crowds, for one watcher at one tick.
 *
 * Whoever is told already bounds the search for newcomers: one that ranks
 * behind the last of `limit` told ones need not be looked at. So in a crowd a
 * watcher looks at a small neighbourhood.
 */
#ifndef AOI_CHOOSE_H
#define AOI_CHOOSE_H

#include "crowd/work.h"

/* Makes the choice of the watcher in slot, and adds its events. *knows_all: see struct member. */
bool crowd_choose(struct crowd_work *work, uint32_t slot, bool *knows_all);

/* Makes the chosen told sets those that count, or drops them. */
void crowd_keep_choices(struct crowd_work *work);
void crowd_drop_choices(struct crowd_work *work);

#endif
