/*
 * crowd_tick.c - the tick of a crowd space: for each watcher whose told set can
 * change, choose.c finds the new one; then all of them take effect.
 *
 * A told set stays as it is unless the watcher has changed, or somebody whom it
 * saw at the last tick or sees now has; or something waits: a newcomer for the
 * enter_budget, a move for its ring or the budget. So where few have changed
 * only these watchers are looked at, through the space's own indexes. Where
 * many have, all are, and a tree of the markers is planted first.
 */
#include "crowd/crowd_tick.h"

#include <string.h>

#include "crowd/choose.h"
#include "tick/tick.h"

/* From what share of changed entities on (one in so many) everybody is looked at. */
enum { EVERYBODY_FROM = 8 };

/* ------------------------------------------------------------------ */
/* Who stands where                                                    */
/* ------------------------------------------------------------------ */

/* True when the entity in slot counts as moved at this tick. */
static bool has_moved(const struct aoi_space *space, uint32_t slot) {
    const struct old_states *old = &space->old_states;
    if (!space->entities.at[slot].changed)
        return false;
    const uint32_t number = old->of_slot[slot];
    const struct entity *before = &old->states[number];
    if (before->mode == 0)
        return false;
    const aoi_point to = space_place(space, slot);
    aoi_point from = {before->x, before->y, before->z};
    if (space->slack.limit > 0)
        from = old->places[number];
    return space->crowd->members[slot].touched || from.x != to.x || from.y != to.y ||
           from.z != to.z;
}

void crowd_set_stand(const struct crowd_work *work, uint32_t slot, struct stand *stand) {
    const struct aoi_space *space = work->space;
    const struct entity *entity = &space->entities.at[slot];
    const struct member *member = &space->crowd->members[slot];
    const bool is_inside = entity->mode != 0;
    stand->at = (xy){entity->x, entity->y};
    stand->z = entity->z;
    stand->radius = entity->radius; /* or the cell */
    stand->id = entity->id;
    stand->shown = is_inside ? entity_shown(entity) : 0;
    stand->looked_for = is_inside ? entity_looked_for(entity) : 0;
    stand->slot = slot;
    stand->moved = is_inside && has_moved(space, slot) ? work->tick : member->moved;
    stand->importance = member->traits.importance;
    stand->is_free = (entity->layer & space->crowd->limit_layers) == 0;
}

/* ------------------------------------------------------------------ */
/* Life of the work                                                    */
/* ------------------------------------------------------------------ */

static void free_ranking(struct ranking *ranking, struct memory *memory) {
    memory_resize(memory, ranking->items, ranking->capacity, 0, sizeof *ranking->items);
}

static void end_work(struct crowd_work *work) {
    struct memory *memory = work->memory;
    aligned_free(memory, &work->stand_array);
    memory_resize(memory, work->places, work->slot_count, 0, sizeof *work->places);
    marker_tree_free(&work->tree);
    memory_resize(memory, work->marks, work->slot_count, 0, sizeof *work->marks);
    memory_resize(memory, work->newcomers_start, work->slot_count + 1, 0,
                  sizeof *work->newcomers_start);
    memory_resize(memory, work->newcomers, work->newcomer_count, 0, sizeof *work->newcomers);
    free_ranking(&work->ranking, memory);
    free_ranking(&work->free, memory);
    free_ranking(&work->told, memory);
    memory_resize(memory, work->fates, work->fate_capacity, 0, sizeof *work->fates);
    memory_resize(memory, work->next, work->next_capacity, 0, sizeof *work->next);
    memory_resize(memory, work->ages, work->age_capacity, 0, sizeof *work->ages);
    memory_resize(memory, work->choices, work->choice_capacity, 0, sizeof *work->choices);
    memory_resize(memory, work->pool, work->pool_capacity, 0, sizeof *work->pool);
    memory_resize(memory, work->watchers, work->slot_count, 0, sizeof *work->watchers);
    memory_resize(memory, work->know_all, work->slot_count, 0, sizeof *work->know_all);
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        pairs_free(&work->lists[kind][0], memory);
        pairs_free(&work->lists[kind][1], memory);
    }
    pairs_free(&work->spare, memory);
}

/* False: no memory. */
static bool begin_work(struct crowd_work *work) {
    work->slot_count = work->space->entities.used;
    work->marks = memory_resize(work->memory, NULL, 0, work->slot_count, sizeof *work->marks);
    work->watchers = memory_resize(work->memory, NULL, 0, work->slot_count, sizeof *work->watchers);
    work->know_all = memory_resize(work->memory, NULL, 0, work->slot_count, sizeof *work->know_all);
    if (work->marks == NULL || work->watchers == NULL || work->know_all == NULL)
        return false;
    memset(work->marks, 0, work->slot_count * sizeof *work->marks);
    return true;
}

/* ------------------------------------------------------------------ */
/* Whose told set can change                                           */
/* ------------------------------------------------------------------ */

/* True when a tick has something to do with the one in slot: it is a watcher, or was. */
static bool may_be_told(const struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities.at[slot];
    return entity->mode != 0 &&
           ((entity->mode & AOI_WATCHER) || space->crowd->members[slot].told.count > 0);
}

static void add_watcher(struct crowd_work *work, uint32_t slot) {
    if (work->marks[slot] != 0 || !may_be_told(work->space, slot))
        return;
    work->marks[slot] = 1;
    work->watchers[work->watcher_count++] = slot;
}

/* Those who saw the entity with this old state, or see it now, and have not changed. False: no
 * memory. */
static bool add_watchers_of(struct crowd_work *work, const struct entity *state) {
    static const int lists[] = {LEFT_WATCHERS, ENTERED_WATCHERS, MOVED_WATCHERS};
    static const struct entity absent = {.mode = 0};
    struct aoi_space *space = work->space;
    const uint32_t slot = state->current_slot;
    const struct entity *now = slot == NO_SLOT ? &absent : &space->entities.at[slot];
    if (!visibility_changes_to_still(&space->visibility, slot, state, now, true,
                                     AOI_ENTER | AOI_LEAVE | AOI_MOVE))
        return false;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        const struct id_list *found = &space->visibility.changes[lists[list]];
        for (size_t i = 0; i < found->count; i++)
            add_watcher(work, space_find(space, found->ids[i]));
    }
    return true;
}

static bool gather_few(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    const struct old_states *old = &space->old_states;
    if (!late_moves_apply(&space->late_moves))
        return false;
    for (size_t number = 0; number < old->count; number++) {
        const uint32_t slot = old->states[number].current_slot;
        if (slot != NO_SLOT)
            add_watcher(work, slot);
        if (!add_watchers_of(work, &old->states[number]))
            return false;
    }
    for (uint32_t slot = 0; slot < work->slot_count && space->crowd->waiting > 0; slot++) {
        if (space->crowd->members[slot].is_waiting)
            add_watcher(work, slot);
    }
    return true;
}

/* Puts all markers into the tree, and their stands into its order. False: no memory. */
static bool plant_tree(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    struct marker_tree *tree = &work->tree;
    size_t markers = 0;
    work->places = memory_resize(work->memory, NULL, 0, work->slot_count, sizeof *work->places);
    if (work->places == NULL || !marker_tree_reserve(tree, space->entities.count) ||
        !aligned_grow(work->memory, &work->stand_array, 0, space->entities.count,
                      sizeof *work->stands))
        return false;
    work->stands = work->stand_array.items;
    for (uint32_t slot = 0; slot < work->slot_count; slot++) {
        const struct entity *entity = &space->entities.at[slot];
        work->places[slot] = NO_SLOT;
        if (entity->mode != 0 && entity_shown(entity) != 0)
            tree->points[markers++] =
                (struct tree_point){(xy){entity->x, entity->y}, entity->z, slot};
    }
    marker_tree_plant(tree, markers);
    for (uint32_t place = 0; place < markers; place++) {
        work->places[tree->points[place].slot] = place;
        crowd_set_stand(work, tree->points[place].slot, &work->stands[place]);
    }
    marker_tree_describe(tree, space->visibility.rule, work->stands);
    return true;
}

/* True when it pays to find who came into whose view for all at once: most watchers were told of
 * all that they saw, and few would be told of a whole view. */
static bool most_know_all(const struct aoi_space *space) {
    enum { FEW = 16 };
    const struct old_states *old = &space->old_states;
    size_t watchers = 0, knowing = 0, came = 0;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        watchers += (space->entities.at[slot].mode & AOI_WATCHER) != 0;
        knowing += space->entities.at[slot].mode != 0 && space->crowd->members[slot].knows_all;
    }
    for (size_t number = 0; number < old->count; number++)
        came += old->states[number].mode == 0;
    return knowing >= watchers / 2 && came <= space->entities.count / FEW;
}

/* Groups the pairs that have entered by watcher. False: no memory. */
static bool sort_newcomers(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    const struct pairs *entered = tick_entered(space);
    work->newcomer_count = entered[0].count + entered[1].count;
    work->newcomers_start =
        memory_resize(work->memory, NULL, 0, work->slot_count + 1, sizeof *work->newcomers_start);
    if (work->newcomer_count > 0)
        work->newcomers =
            memory_resize(work->memory, NULL, 0, work->newcomer_count, sizeof *work->newcomers);
    uint32_t *start = work->newcomers_start;
    if (start == NULL || (work->newcomer_count > 0 && work->newcomers == NULL))
        return false;
    /* start[slot] ends as the begin of its group: it is lowered by one for each pair. */
    memset(start, 0, (work->slot_count + 1) * sizeof *start);
    for (int by = 0; by < 2; by++) {
        for (size_t i = 0; i < entered[by].count; i++)
            start[space_find(space, entered[by].items[i].watcher)]++;
    }
    for (size_t slot = 1; slot <= work->slot_count; slot++)
        start[slot] += start[slot - 1];
    for (int by = 0; by < 2; by++) {
        for (size_t i = 0; i < entered[by].count; i++) {
            const struct pair *pair = &entered[by].items[i];
            work->newcomers[--start[space_find(space, pair->watcher)]] =
                space_find(space, pair->marker);
        }
    }
    return true;
}

/* Neighbours after one another: they are told of the same markers. False: no memory. */
static bool gather_everybody(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    if (!plant_tree(work) ||
        (most_know_all(space) && !(tick_find_pairs(space, AOI_ENTER) && sort_newcomers(work))))
        return false;
    for (size_t place = 0; place < work->tree.point_count; place++)
        add_watcher(work, work->tree.points[place].slot);
    for (uint32_t slot = 0; slot < work->slot_count; slot++)
        add_watcher(work, slot);
    return true;
}

/* ------------------------------------------------------------------ */
/* Those who left                                                      */
/* ------------------------------------------------------------------ */

/* Those who left are told that they see nobody any more. False: no memory. */
static bool tell_gone(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    const struct old_states *old = &space->old_states;
    struct pairs *leaves = &work->lists[queue_rank(AOI_LEAVE)][SUBJECT_WATCHER];
    for (size_t number = 0; number < old->count && (work->ops & AOI_LEAVE); number++) {
        const struct entity *state = &old->states[number];
        if (state->current_slot != NO_SLOT)
            continue;
        const struct told_set *told = &space->crowd->members[state->former_slot].told;
        if (!pairs_reserve(leaves, work->memory, told->count))
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

/* Room for the told sets if they stay about as large as they are. False: no memory. */
static bool reserve_pool(struct crowd_work *work) {
    size_t told = 0;
    for (size_t i = 0; i < work->watcher_count; i++)
        told += work->space->crowd->members[work->watchers[i]].told.count;
    work->pool = told == 0
                     ? NULL
                     : memory_resize(work->memory, NULL, 0, told + told / 8, sizeof *work->pool);
    work->pool_capacity = work->pool == NULL ? 0 : told + told / 8;
    return told == 0 || work->pool != NULL;
}

/* Watchers are near each other on the map and anywhere in memory: what the next ones will read is
 * on its way before. */
ALWAYS_INLINE void fetch_next(const struct crowd_work *work, size_t i) {
    enum { MEMBER_AHEAD = 8, TOLD_AHEAD = 4, FIRST_LINES = 4 };
    const struct member *members = work->space->crowd->members;
    if (i + MEMBER_AHEAD >= work->watcher_count)
        return;
    __builtin_prefetch(&members[work->watchers[i + MEMBER_AHEAD]]);
    const uintptr_t told = (uintptr_t)members[work->watchers[i + TOLD_AHEAD]].told.pairs;
    for (uintptr_t line = 0; line < FIRST_LINES; line++)
        __builtin_prefetch((const void *)(told + line * CACHE_LINE)); /* NOLINT: also of NULL */
}

static bool choose_all(struct crowd_work *work) {
    memset(work->marks, 0, work->slot_count * sizeof *work->marks);
    if (!reserve_pool(work))
        return false;
    for (size_t i = 0; i < work->watcher_count; i++) {
        fetch_next(work, i);
        if (!crowd_choose(work, work->watchers[i], &work->know_all[i]))
            return false;
    }
    return tell_gone(work);
}

static bool queue_events(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    const struct net_change change = {.lists = work->lists,
                                      .spare = &work->spare,
                                      .memory = work->memory,
                                      .wants = space->wants,
                                      .entities = space->entities.count};
    return space_queue_net_change(space, &change);
}

/* The same as has_moved, which the stands of markers know already. */
static bool moved_now(const struct crowd_work *work, uint32_t slot) {
    const uint32_t place = work->stands != NULL ? work->places[slot] : NO_SLOT;
    return place == NO_SLOT ? has_moved(work->space, slot)
                            : work->stands[place].moved == work->tick;
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
        struct member *member = &space->crowd->members[state->current_slot];
        if (moved_now(work, state->current_slot))
            member->moved = work->tick;
        member->touched = false;
    }
}

bool crowd_tick(struct aoi_space *space) {
    struct crowd *crowd = space->crowd;
    const size_t changed = space->old_states.count;
    struct crowd_work work = {.space = space,
                              .memory = &space->memory.tick,
                              .tree = {.memory = &space->memory.tick},
                              .tick = crowd->tick + 1,
                              .ops = space_ops(space)};
    const bool everybody = changed + crowd->waiting > space->entities.count / EVERYBODY_FROM;
    if (changed + crowd->waiting > 0) {
        const bool done = begin_work(&work) &&
                          (everybody ? gather_everybody(&work) : gather_few(&work)) &&
                          choose_all(&work) && queue_events(&work);
        if (done) {
            crowd_keep_choices(&work);
            settle_changed(&work);
        } else {
            crowd_take_back_choices(&work);
        }
        end_work(&work);
        if (!done)
            return false;
        crowd_drop_told_to(crowd);
    }
    crowd->tick++;
    crowd_renew(crowd);
    return true;
}
