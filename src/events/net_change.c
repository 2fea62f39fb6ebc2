/* net_change.c - lists of pairs turned into segments, grouped as the listeners want them. */
#include "events/net_change.h"

#include <string.h>

#include "events/telling.h"

static bool wants_groups(const struct net_change *change) {
    return (change->wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)) != 0;
}

/* Groups the pairs as the first to be told wants them (telling.c would, but has to copy them): all
 * go to the list of that subject. */
static bool group_pairs(const struct net_change *change) {
    const uint32_t wants = change->wants;
    if (!wants_groups(change))
        return true;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        enum pair_subject by =
            telling_subject(wants, (wants & AOI_TELL_VIEW) != 0, queue_order[kind]);
        struct pairs *to = &change->lists[kind][by], *from = &change->lists[kind][1 - by];
        if (!array_reserve(to, change->memory, from->count))
            return false;
        if (from->count > 0)
            memcpy(to->items + to->count, from->items, from->count * sizeof *to->items);
        to->count += from->count;
        from->count = 0;
        if (!array_reserve(change->spare, change->memory, pairs_spare(to->count)))
            return false;
        pairs_sort(to, change->spare, by);
    }
    return true;
}

static bool reserve_events(const struct net_change *change, struct memory *memory,
                           const struct net_listener *listener) {
    size_t events = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (queue_order[kind] & listener->ops)
            events += change->lists[kind][SUBJECT_WATCHER].count +
                      change->lists[kind][SUBJECT_MARKER].count;
    }
    /* A segment each at most. */
    return events == 0 || queue_reserve(listener->queue, memory, events, events);
}

static void write_events(const struct net_change *change, const struct net_listener *listener) {
    queue_begin_change(listener->queue);
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        for (int by = 0; by < 2 && (queue_order[kind] & listener->ops); by++) {
            const struct pairs *pairs = &change->lists[kind][by];
            const bool has_runs =
                wants_groups(change) || pairs->count / LONG_RUN > change->entities;
            (has_runs ? pairs_write : pairs_write_apart)(pairs, listener->queue, queue_order[kind],
                                                         (enum pair_subject)by);
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
