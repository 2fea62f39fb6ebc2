/* net_change.h - the net change of a tick: lists of pairs, written to a queue as one change. */
#ifndef AOI_NET_CHANGE_H
#define AOI_NET_CHANGE_H

#include "events/pairs.h"

enum { NET_LISTENERS = 2 /* those who listen, and those who gather */ };

/* Pairs that nobody wants in groups and that are written later: each before the listed ones of its
 * kind and by of whom it was found. */
struct pairs_in_front {
    size_t counts[QUEUE_KINDS][2];
    struct pair *places[NET_LISTENERS][QUEUE_KINDS][2]; /* filled; NULL: none, or not wanted */
};

struct net_change {
    struct pairs (*lists)[2]; /* [place in queue_order][by]: found as its enum pair_subject */
    struct pairs *spare;
    struct pairs_in_front *in_front; /* NULL: none */
    struct memory *memory;           /* of the lists */
    uint32_t wants;                  /* AOI_TELL_ bits */
    bool are_many;                   /* some are written later */
    size_t entities;
    size_t subjects; /* of all pairs there are no more than so many */
};

/* A listener: its queue, and the kinds of events that it wants (aoi_op bits). */
struct net_listener {
    struct queue *queue;
    uint32_t ops;
    struct later_pairs later[QUEUE_KINDS]; /* only where are_many says so */
};

/* True when somebody wants groups. */
bool net_change_has_groups(uint32_t wants);

/* The subject by which pairs of a kind (place in queue_order) are grouped. */
enum pair_subject net_change_subject(uint32_t wants, int kind);

/* Appends the change to both queues. */
bool net_change_queue(const struct net_change *change, struct memory *memory,
                      const struct net_listener listeners[NET_LISTENERS]);

#endif
