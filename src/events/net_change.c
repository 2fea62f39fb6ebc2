/* net_change.c - lists of pairs turned into segments, grouped as the listeners want them. */
#include "events/net_change.h"

#include "events/telling.h"

bool net_change_has_groups(uint32_t wants) {
    return (wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)) != 0;
}

/* As the first to be told wants them (telling.c would, but has to copy them). */
enum pair_subject net_change_subject(uint32_t wants, int kind) {
    return telling_subject(wants, (wants & AOI_TELL_VIEW) != 0, queue_order[kind]);
}

/* True when the pairs of a subject stand together: somebody wants that, or they are many. */
static bool is_grouped(const struct net_change *change) {
    return net_change_has_groups(change->wants) || change->are_many;
}

/* Sorts each list by itself: mostly the one has long runs, and the other has none. */
static bool group_pairs(const struct net_change *change) {
    for (int kind = 0; kind < QUEUE_KINDS && is_grouped(change); kind++) {
        for (int by = 0; by < 2; by++) {
            struct pairs *pairs = &change->lists[kind][by];
            if (!array_reserve(change->spare, change->memory, pairs_spare(pairs->count)))
                return false;
            pairs_sort(pairs, change->spare, net_change_subject(change->wants, kind));
        }
    }
    return true;
}

/* True when runs of the pairs that nobody groups are so long that a segment each is faster. */
static bool has_long_runs(const struct net_change *change, const struct pairs *pairs) {
    return pairs->count / LONG_RUN > change->entities;
}

static size_t segments_ungrouped(const struct net_change *change, const struct pairs lists[2]) {
    size_t segments = 0;
    for (int by = 0; by < 2; by++)
        segments += has_long_runs(change, &lists[by])
                        ? pairs_segments(&lists[by], (enum pair_subject)by)
                        : lists[by].count;
    return segments;
}

static bool reserve_events(const struct net_change *change, struct memory *memory,
                           const struct net_listener *listener) {
    size_t events = 0, segments = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (!(queue_order[kind] & listener->ops))
            continue;
        const struct pairs *lists = change->lists[kind];
        const struct later_pairs *later = &listener->later[kind];
        size_t count = lists[0].count + lists[1].count;
        for (size_t i = 0; i < later->subjects.count; i++)
            count += later->counts[later->subjects.items[i].marker];
        events += count;
        if (is_grouped(change))
            segments += change->subjects < count ? change->subjects : count;
        else
            segments += segments_ungrouped(change, lists);
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
        const enum pair_subject subject = net_change_subject(change->wants, kind);
        if (is_grouped(change))
            pairs_write(&lists[subject], &lists[1 - subject], &listener->later[kind],
                        listener->queue, op, subject);
        for (int by = 0; by < 2 && !is_grouped(change); by++) {
            if (has_long_runs(change, &lists[by]))
                pairs_write(&lists[by], NULL, NULL, listener->queue, op, (enum pair_subject)by);
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
