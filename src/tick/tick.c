/*
 * tick.c - the net change of a deferred space since the last tick.
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
#include "tick/tick.h"

#include "tick/stages.h"

/* From what share of changed entities on (one in so many) everybody takes part. Below it, to look
 * for those that stand still costs less than to have them there: measured, the two cost the same
 * with two fifths (sparse) to two thirds (crowded) of all changed. */
enum { EVERYBODY_FROM = 2 };

/* How many watchers (one in so many) have another radius than the usual one, where the rows are
 * made for the median. */
enum { MANY_UNUSUAL = 8 };

/* From how many pairs for each entity on it costs no more to judge all pairs twice than to list
 * them; where somebody wants groups, lists are sorted, too. Measured. */
#ifdef AOI_TINY
enum { MANY_IN_GROUPS = 2, MANY_APART = 3 };
#else
enum { MANY_IN_GROUPS = 4, MANY_APART = 32 };
#endif

struct pairs (*tick_empty_pairs(struct aoi_space *space))[2] {
    if (!tick_create_scratch(space))
        return NULL;
    struct pairs(*pairs)[2] = space->tick_scratch->pairs;
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        pairs[outcome][0].count = pairs[outcome][1].count = 0;
    return &pairs[LEAVES];
}

bool tick_queue_pairs(struct aoi_space *space) {
    struct tick_scratch *scratch = space->tick_scratch;
    return space_queue_net_change(space, &scratch->pairs[LEAVES], &scratch->spare, NULL, NULL);
}

/* Finds the pairs of these kinds of events. */
static bool find_pairs(struct aoi_space *space, uint32_t ops, size_t many_from, struct tick *tick) {
    size_t changed = space->old_states.count;
    const bool is_usual = space->indexes.unusual_watchers <= space->entities.count / MANY_UNUSUAL;
    const bool everybody = changed >= space->entities.count / EVERYBODY_FROM;
    *tick = (struct tick){
        .space = space,
        .ops = ops,
        .everybody = everybody,
        .keeps = everybody && many_from > 0 && !net_change_has_groups(space->wants),
        .radius = is_usual ? space->indexes.usual_radius : indexes_median_radius(&space->indexes),
        .flat = true,
        .many_from = many_from,
    };
    if (tick_empty_pairs(space) == NULL)
        return false;
    tick->scratch = space->tick_scratch;
    tick->scratch->kept = (struct kept){.first = NULL};
    return tick_gather(tick) && (!tick->keeps || tick_begin_keeping(tick)) &&
           tick_judge_pairs(tick);
}

bool tick_find_pairs(struct aoi_space *space, uint32_t ops) {
    struct tick tick;
    return find_pairs(space, ops, 0, &tick);
}

const struct pairs *tick_entered(const struct aoi_space *space) {
    return space->tick_scratch->pairs[ENTERS];
}

bool tick_row_order(const struct aoi_space *space, size_t i, uint32_t *slot) {
    const struct tick_scratch *scratch = space->tick_scratch;
    const struct point_rows *steps = &scratch->partitions[STEPS];
    if (i >= steps->count)
        return false;
    *slot = scratch->gathered.all[steps->keys[i].index].slot;
    return true;
}

bool tick_net_change(struct aoi_space *space) {
    const uint32_t ops = space_ops(space);
    const bool some_handed = space->handed.watchers.count > 0;
    if ((space->old_states.count == 0 && !some_handed) || ops == 0)
        return true;
    /* Lists are what those who were handed in, and exceptions, are taken out of. */
    const bool must_be_listed = some_handed || space->visibility.exceptions > 0;
    const size_t many_from = net_change_has_groups(space->wants) ? MANY_IN_GROUPS : MANY_APART;
    struct tick tick;
    if (!find_pairs(space, some_handed ? ops | AOI_ENTER : ops, must_be_listed ? 0 : many_from,
                    &tick) ||
        (some_handed && !tick_tell_handed(space)))
        return false;
    if (tick.are_many[STEPS] || tick.are_many[ARRIVALS])
        return tick_queue_many(&tick);
    return tick.keeps ? tick_queue_kept(&tick) : tick_queue_pairs(space);
}
