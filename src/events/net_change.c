/* net_change.c - lists of pairs turned into segments, grouped as the listeners want them. */
#include "events/net_change.h"

#include "events/telling.h"

static bool wants_groups(const struct net_change *change) {
    return (change->wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)) != 0;
}

/* The subject by which pairs of a kind are grouped, as the first to be told wants them (telling.c
 * would, but has to copy them). */
static enum pair_subject subject_of_groups(const struct net_change *change, int kind) {
    return telling_subject(change->wants, (change->wants & AOI_TELL_VIEW) != 0, queue_order[kind]);
}

/* Sorts each list by itself: mostly the one has long runs, and the other has none. */
static bool group_pairs(const struct net_change *change) {
    for (int kind = 0; kind < QUEUE_KINDS && wants_groups(change); kind++) {
        for (int by = 0; by < 2; by++) {
            struct pairs *pairs = &change->lists[kind][by];
            if (!array_reserve(change->spare, change->memory, pairs_spare(pairs->count)))
                return false;
            pairs_sort(pairs, change->spare, subject_of_groups(change, kind));
        }
    }
    return true;
}

static bool reserve_events(const struct net_change *change, struct memory *memory,
                           const struct net_listener *listener) {
    size_t events = 0, segments = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (!(queue_order[kind] & listener->ops))
            continue;
        const size_t count =
            change->lists[kind][SUBJECT_WATCHER].count + change->lists[kind][SUBJECT_MARKER].count;
        const bool has_fewer = wants_groups(change) && change->subjects < count;
        events += count;
        segments += has_fewer ? change->subjects : count;
    }
    return events == 0 || queue_reserve(listener->queue, memory, segments, events);
}

static void write_events(const struct net_change *change, const struct net_listener *listener) {
    queue_begin_change(listener->queue);
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct pairs *lists = change->lists[kind];
        const aoi_op op = queue_order[kind];
        if (!(op & listener->ops))
            continue;
        const enum pair_subject subject = subject_of_groups(change, kind);
        if (wants_groups(change))
            pairs_write(&lists[subject], &lists[1 - subject], listener->queue, op, subject);
        for (int by = 0; by < 2 && !wants_groups(change); by++) {
            if (lists[by].count / LONG_RUN > change->entities)
                pairs_write(&lists[by], NULL, listener->queue, op, (enum pair_subject)by);
            else
                pairs_write_apart(&lists[by], listener->queue, op, (enum pair_subject)by);
        }
    }
}

bool net_change_queue(const struct net_change *change, struct memory *memory,
                      const struct net_listener listeners[2]) {
    if (!group_pairs(change) || !reserve_events(change, memory, &listeners[0]) ||
        !reserve_events(change, memory, &listeners[1]))
        return false;
    write_events(change, &listeners[0]);
    write_events(change, &listeners[1]);
    return true;
}
