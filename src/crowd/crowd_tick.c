/*
 * crowd_tick.c - the tick of a crowd space: for each watcher whose told set can
 * change (gather.c), choose.c finds the new one and its events.
 */
#include <string.h>

#include "crowd/work.h"
#include "tick/tick.h"

static bool begin_work(struct crowd_work *work) {
    const size_t slots = work->slot_count;
    work->marks = pool_take(work->pool, slots, sizeof *work->marks);
    work->watchers = pool_take(work->pool, slots, sizeof *work->watchers);
    work->know_all = pool_take(work->pool, slots, sizeof *work->know_all);
    if (work->marks == NULL || work->watchers == NULL || work->know_all == NULL)
        return false;
    memset(work->marks, 0, slots * sizeof *work->marks);
    return true;
}

/* ------------------------------------------------------------------ */
/* Watchers that left                                                  */
/* ------------------------------------------------------------------ */

/* Watchers that left are told that they see nobody any more. */
static bool tell_gone(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    const struct old_states *old = &space->old_states;
    struct pairs *leaves = &work->lists[queue_rank(AOI_LEAVE)][SUBJECT_WATCHER];
    for (size_t number = 0; number < old->count && (work->ops & AOI_LEAVE); number++) {
        const struct entity *state = &old->states[number];
        if (state->current_slot != NO_SLOT)
            continue;
        const struct told_set *told = &space->crowd->members.items[state->former_slot].told;
        if (!array_reserve(leaves, &work->space->memory.tick, told->count))
            return false;
        for (uint32_t i = 0; i < told->count; i++)
            leaves->items[leaves->count++] =
                (struct pair){state->id, space->entities.at[told->pairs[i].slot].id};
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The tick                                                            */
/* ------------------------------------------------------------------ */

/* Watchers are near each other on the map and anywhere in memory: what the next ones will read is
 * on its way before. */
ALWAYS_INLINE void fetch_next(const struct crowd_work *work, size_t i) {
    enum { MEMBER_AHEAD = 8, TOLD_AHEAD = 4, FIRST_LINES = 4 };
    const struct member *members = work->space->crowd->members.items;
    if (i + MEMBER_AHEAD >= work->watcher_count)
        return;
    __builtin_prefetch(&members[work->watchers[i + MEMBER_AHEAD]]);
    const uintptr_t told = (uintptr_t)members[work->watchers[i + TOLD_AHEAD]].told.pairs;
    for (uintptr_t line = 0; line < FIRST_LINES; line++)
        __builtin_prefetch((const void *)(told + line * CACHE_LINE)); /* NOLINT: also of NULL */
}

static bool choose_all(struct crowd_work *work) {
    memset(work->marks, 0, work->slot_count * sizeof *work->marks);
    work->lists = tick_empty_pairs(work->space);
    if (work->lists == NULL || !tick_tell_left(work->space) ||
        !pool_reserve(&work->choices, work->pool, work->watcher_count))
        return false;
    for (size_t i = 0; i < work->watcher_count; i++) {
        fetch_next(work, i);
        if (!crowd_choose(work, work->watchers[i], &work->know_all[i]))
            return false;
    }
    return tell_gone(work);
}

/* Brings what is kept of the changed ones up to date. */
static void settle_changed(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    const struct old_states *old = &space->old_states;
    for (size_t number = 0; number < old->count; number++) {
        const struct entity *state = &old->states[number];
        if (state->current_slot == NO_SLOT) {
            crowd_forget(space->crowd, state->former_slot);
            entities_free_retired(&space->entities, state->former_slot);
            continue;
        }
        struct member *member = &space->crowd->members.items[state->current_slot];
        if (crowd_has_moved(work, state->current_slot))
            member->moved = work->tick;
    }
}

bool crowd_tick(struct aoi_space *space, uint64_t number) {
    struct crowd *crowd = space->crowd;
    const size_t changed = space->old_states.count;
    const size_t handed = space->handed.watchers.count;
    struct crowd_work work = {.space = space,
                              .pool = &space->tick_pool,
                              .slot_count = space->entities.used,
                              .tick = (int64_t)number,
                              .ops = space_ops(space)};
    if (changed + crowd->waiting + handed > 0) {
        const bool done = begin_work(&work) && crowd_take_handed(&work) && crowd_gather(&work) &&
                          choose_all(&work) && tick_queue_pairs(space);
        if (done) {
            crowd_keep_choices(&work);
            settle_changed(&work);
        } else {
            crowd_drop_choices(&work);
            crowd_take_back_handed(&work);
            old_states_take_back(&space->old_states, changed);
            return false;
        }
        crowd_drop_told_to(crowd);
    }
    return true;
}
