/* net_change.h - the net change of a tick: lists of pairs, written to a queue as one change. */
#ifndef AOI_NET_CHANGE_H
#define AOI_NET_CHANGE_H

#include "events/pairs.h"

struct net_change {
    struct pairs (*lists)[2]; /* [place in queue_order][by]: found as its enum pair_subject */
    struct pairs *spare;
    struct memory *memory; /* of the lists */
    uint32_t wants;        /* AOI_TELL_ bits */
    size_t entities;
};

/* Groups the pairs as the first to be told wants them (telling.c would, but has to copy them): all
 * go to the list of that subject. False: no memory. */
bool net_change_group(const struct net_change *change);

/* Makes room in the queue for the events of these kinds (aoi_op bits). False: no memory. */
bool net_change_reserve(const struct net_change *change, struct queue *queue, struct memory *memory,
                        uint32_t ops);

/* Appends them as one change; room is reserved. */
void net_change_write(const struct net_change *change, struct queue *queue, uint32_t ops);

#endif
