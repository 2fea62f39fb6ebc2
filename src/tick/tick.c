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

#include "crowd/crowd_tick.h"
#include "events/net_change.h"
#include "space/scratch.h"

/* Queues what the lists of pairs say. False: no memory, unchanged. */
static bool queue_events(struct tick *tick) {
    struct aoi_space *space = tick->space;
    struct memory *events = &space->memory.events;
    const struct net_change change = {
        .lists = &tick->scratch->pairs[LEAVES],
        .spare = &tick->scratch->spare,
        .memory = &space->memory.tick,
        .wants = space->wants,
        .entities = space->entities.count,
    };
    if (!net_change_group(&change) ||
        !net_change_reserve(&change, &space->pending, events, space->listen) ||
        !net_change_reserve(&change, &space->collected, events, space->collect))
        return false;
    net_change_write(&change, &space->pending, space->listen);
    net_change_write(&change, &space->collected, space->collect);
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
    if (!(space->crowd != NULL ? crowd_tick(space) : queue_net_change(space)))
        return AOI_NOMEM;
    tick_end_scratch(space);
    scratch_trim(space, QUIET_TICKS);
    old_states_clear(&space->old_states);
    space_check(space);
    return AOI_OK;
}
