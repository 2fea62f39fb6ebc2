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

static size_t count_in_front(const struct net_change *change, int kind, int by) {
    return change->in_front == NULL ? 0 : change->in_front->counts[kind][by];
}

/* True when runs of the pairs that nobody groups are so long that a segment each is shorter. */
static bool has_long_runs(const struct net_change *change, int kind, int by) {
    return count_in_front(change, kind, by) == 0 &&
           change->lists[kind][by].count / LONG_RUN > change->entities;
}

/* Adds what the pairs of a kind take in the queue: segments, and words behind their headers. */
static void add_ungrouped(const struct net_change *change, int kind, size_t *segments,
                          size_t *words) {
    for (int by = 0; by < 2; by++) {
        const struct pairs *pairs = &change->lists[kind][by];
        const bool in_runs = has_long_runs(change, kind, by);
        *segments += in_runs ? pairs_segments(pairs, (enum pair_subject)by) : 1;
        *words += in_runs ? pairs->count : 2 * (pairs->count + count_in_front(change, kind, by));
    }
}

static bool reserve_events(const struct net_change *change, struct memory *memory,
                           const struct net_listener *listener) {
    size_t words = 0, segments = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (!(queue_order[kind] & listener->ops))
            continue;
        const struct pairs *lists = change->lists[kind];
        const struct later_pairs *later = &listener->later[kind];
        if (!is_grouped(change)) {
            add_ungrouped(change, kind, &segments, &words);
            continue;
        }
        size_t count = lists[0].count + lists[1].count;
        for (size_t i = 0; i < later->subjects.count; i++)
            count += later->counts[later->subjects.items[i].marker];
        words += count;
        segments += change->subjects < count ? change->subjects : count;
    }
    /* Of what is written later, places have 32 bits, and what nobody wants needs one, too. */
    const size_t more = segments * QUEUE_HEADER_WORDS + words;
    if (change->are_many && more >= UINT32_MAX - listener->queue->words.count)
        return false;
    return (words == 0 && !change->are_many) ||
           queue_reserve(listener->queue, memory, segments, words + change->are_many);
}

static void write_ungrouped(const struct net_change *change, const struct net_listener *listener,
                            int kind, struct pair **places) {
    for (int by = 0; by < 2; by++) {
        const struct pairs *pairs = &change->lists[kind][by];
        struct pair *place = NULL;
        if (has_long_runs(change, kind, by))
            pairs_write(pairs, NULL, NULL, listener->queue, queue_order[kind],
                        (enum pair_subject)by);
        else
            place = pairs_write_apart(pairs, count_in_front(change, kind, by), listener->queue,
                                      queue_order[kind], (enum pair_subject)by);
        if (places != NULL)
            places[by] = place;
    }
}

static void write_events(const struct net_change *change, const struct net_listener *listener,
                         struct pair *(*places)[2]) {
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
        else
            write_ungrouped(change, listener, kind, places == NULL ? NULL : places[kind]);
    }
}

bool net_change_queue(const struct net_change *change, struct memory *memory,
                      const struct net_listener listeners[NET_LISTENERS]) {
    if (!group_pairs(change) || !reserve_events(change, memory, &listeners[0]) ||
        !reserve_events(change, memory, &listeners[1]))
        return false;
    for (int i = 0; i < NET_LISTENERS; i++)
        write_events(change, &listeners[i],
                     change->in_front == NULL ? NULL : change->in_front->places[i]);
    return true;
}
