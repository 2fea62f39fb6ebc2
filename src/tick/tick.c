/*
 * tick.c - aoi_tick: the net change of a deferred space since the last one.
 *
 * A pair can differ only if one of the two has an old state. Who is compared
 * with whom:
 *
 *   steps      those who are what they were and went a short way, or stayed:
 *              they stand halfway between before and now, and every pair whose
 *              halfway points are near enough is judged once
 *   arrivals,  the others: who entered, left, went far or became another.
 *   departures They stand where they are now, and where they were; a pair that
 *              sees each other now is judged at the first, one that does no
 *              longer at the second
 *
 * Where few have changed, these partitions hold the changed ones alone, and each
 * of them looks for those that stand still in the space's own indexes. Else
 * they hold everybody. Watchers of an unusual radius take part as markers,
 * and look around themselves one by one.
 */
#include "tick/stages.h"

#include <string.h>

#include "events/telling.h"
#include "space/scratch.h"

static bool wants_groups(const struct aoi_space *space) {
    return (space->wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)) != 0;
}

/* Groups the pairs as the first to be told wants them (telling.c would, but has to copy them): all
 * go to the list of that subject. False: no memory. */
static bool group_pairs(struct tick *tick) {
    uint32_t wants = tick->space->wants;
    struct tick_scratch *scratch = tick->scratch;
    struct memory *memory = &tick->space->memory.tick;
    if (!wants_groups(tick->space))
        return true;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        struct pairs *lists = scratch->pairs[LEAVES + kind];
        enum pair_subject by =
            telling_subject(wants, (wants & AOI_TELL_VIEW) != 0, queue_order[kind]);
        struct pairs *to = &lists[by], *from = &lists[1 - by];
        if (!pairs_reserve(to, memory, from->count))
            return false;
        if (from->count > 0)
            memcpy(to->items + to->count, from->items, from->count * sizeof *to->items);
        to->count += from->count;
        from->count = 0;
        if (!pairs_reserve(&scratch->spare, memory, to->count))
            return false;
        pairs_sort(to, &scratch->spare, by);
    }
    return true;
}

static bool reserve_events(struct tick *tick, struct queue *queue, uint32_t ops) {
    size_t events = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[LEAVES + kind];
        if (queue_order[kind] & ops)
            events += lists[SUBJECT_WATCHER].count + lists[SUBJECT_MARKER].count;
    }
    /* A segment each at most. */
    return events == 0 || queue_reserve(queue, &tick->space->memory.events, events, events);
}

static void write_pairs(const struct tick *tick, const struct pairs *pairs, struct queue *queue,
                        aoi_op op, enum pair_subject by) {
    enum { LONG_RUN = 8 };
    if (wants_groups(tick->space) || pairs->count / LONG_RUN > tick->space->entities.count)
        pairs_write(pairs, queue, op, by);
    else
        pairs_write_apart(pairs, queue, op, by);
}

static void write_events(struct tick *tick, struct queue *queue, uint32_t ops) {
    queue_begin_change(queue);
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[LEAVES + kind];
        for (int by = 0; by < 2 && (queue_order[kind] & ops); by++)
            write_pairs(tick, &lists[by], queue, queue_order[kind], (enum pair_subject)by);
    }
}

static bool queue_events(struct tick *tick) {
    struct aoi_space *space = tick->space;
    if (!group_pairs(tick) || !reserve_events(tick, &space->pending, space->listen) ||
        !reserve_events(tick, &space->collected, space->collect))
        return false;
    write_events(tick, &space->pending, space->listen);
    write_events(tick, &space->collected, space->collect);
    return true;
}

/* From what share of changed entities on (one in so many) everybody takes part. Below it, to look
 * for those that stand still costs less than to have them there: measured, the two cost the same
 * with two fifths (sparse) to two thirds (crowded) of all changed. */
enum { EVERYBODY_FROM = 2 };

/* The radius that the rows are made for: the usual one; or, where many watchers have another, the
 * median. */
static double radius_of_most(const struct aoi_space *space) {
    enum { MANY = 8 };
    if (space->indexes.unusual_watchers <= space->entities.count / MANY)
        return space->indexes.usual_radius;
    return indexes_median_radius(&space->indexes);
}

/* Queues the events; the old states stay. False: no memory, unchanged. */
static bool queue_net_change(struct aoi_space *space) {
    size_t changed = space->old_states.count;
    struct tick tick = {
        .space = space,
        .ops = space_ops(space),
        .everybody = changed >= space->entities.count / EVERYBODY_FROM,
        .radius = radius_of_most(space),
        .flat = true,
    };
    if (changed == 0 || tick.ops == 0)
        return true;
    if (!tick_create_scratch(space))
        return false;
    tick.scratch = space->tick_scratch;
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        tick.scratch->pairs[outcome][0].count = tick.scratch->pairs[outcome][1].count = 0;
    return tick_gather(&tick) && tick_judge_pairs(&tick) && queue_events(&tick);
}

aoi_status aoi_tick(aoi_space *space) {
    if (!space->deferred)
        return AOI_INVALID;
    queue_trim(&space->pending, &space->memory.events, QUIET_TICKS);
    queue_trim(&space->collected, &space->memory.events, QUIET_TICKS);
    if (!queue_net_change(space))
        return AOI_NOMEM;
    tick_end_scratch(space);
    scratch_trim(space, QUIET_TICKS);
    old_states_clear(&space->old_states);
    space_check(space);
    return AOI_OK;
}
