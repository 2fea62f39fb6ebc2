/* tick.h - the net change of a deferred space since the last tick: which pairs have entered, left,
 * moved. */
#ifndef AOI_TICK_H
#define AOI_TICK_H

#include "events/pairs.h"
#include "space/capability.h"

/* Finds the pairs of these kinds (aoi_op bits), as if all watchers were told of all that they see;
 * the old states stay. O(n) where many changed; else about as many single moves. */
bool tick_find_pairs(struct aoi_space *space, uint32_t ops);

/* Two lists of those found that see each other now and did not at the last tick. */
const struct pairs *tick_entered(const struct aoi_space *space);

/* The slot of the entity at place i of the order in which tick_find_pairs looked for pairs: mostly
 * of neighbours after one another. False: there is none. Not all have a place in it. */
bool tick_row_order(const struct aoi_space *space, size_t i, uint32_t *slot);

/* Finds those that somebody wants to be told of, and queues their events. */
bool tick_net_change(struct aoi_space *space);

/* The lists of pairs that the tick tells of, empty: by place in queue_order, and by what a pair was
 * found as. tick_find_pairs fills them, too. */
struct pairs (*tick_empty_pairs(struct aoi_space *space))[2];

/* Adds a LEAVE for each marker that is not is_seen, of those that watchers were told of where they
 * came from. */
bool tick_tell_left(struct aoi_space *space);

/* Queues the events of these lists. */
bool tick_queue_pairs(struct aoi_space *space);

#endif
