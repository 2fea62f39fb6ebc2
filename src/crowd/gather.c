/*
 * gather.c - the watchers whose told set can change at a tick, and the stands
 * of everybody.
 *
 * A told set stays as it is unless the watcher has changed, or somebody whom it
 * saw at the last tick or sees now has; or something waits: a newcomer for the
 * enter_budget, a move for its ring or the budget. So where few have changed
 * only these watchers are looked at, through the space's own indexes. Where
 * many have, or many see those who have and many others, all are.
 */
#include <string.h>

#include "crowd/work.h"
#include "tick/tick.h"

/* From what share of changed entities on (one in so many) everybody is looked at; and what that
 * costs for each of them, in pairs that the indexes find: measured. */
#ifdef AOI_TINY
enum { EVERYBODY_FROM = 8, PAIRS_A_HEAD = 3 };
#else
enum { EVERYBODY_FROM = 8, PAIRS_A_HEAD = 40 };
#endif

/* True when the entity in slot counts as moved at this tick. */
static bool has_moved(const struct aoi_space *space, uint32_t slot) {
    const struct old_states *old = &space->old_states;
    if (!space->entities.at[slot].changed)
        return false;
    const uint32_t number = old->of_slot.items[slot];
    return old->states[number].mode != 0 && space_has_moved(space, slot, number);
}

void crowd_set_stand(const struct crowd_work *work, uint32_t slot, struct stand *stand) {
    const struct aoi_space *space = work->space;
    const struct entity *entity = &space->entities.at[slot];
    const struct member *member = &space->crowd->members.items[slot];
    stand->at = (xy){entity->x, entity->y};
    stand->z = entity->z;
    stand->radius = entity->radius; /* or the cell */
    stand->id = entity->id;
    stand->shown = entity_shown(entity);
    stand->looked_for = entity_looked_for(entity);
    stand->slot = slot;
    stand->moved = entity->mode != 0 && has_moved(space, slot) ? work->tick : member->moved;
    stand->importance = member->traits.importance;
    stand->is_free = !crowd_counts(space->crowd, entity);
}

bool crowd_has_moved(const struct crowd_work *work, uint32_t slot) {
    const uint32_t place = work->stands != NULL ? work->places[slot] : NO_SLOT;
    return place == NO_SLOT ? has_moved(work->space, slot)
                            : work->stands[place].moved == work->tick;
}

/* Adds the one in slot, if the tick has something to do with it: it is a watcher, or was. */
static void add_watcher(struct crowd_work *work, uint32_t slot) {
    const struct entity *entity = &work->space->entities.at[slot];
    if (work->marks[slot] != 0 || entity->mode == 0 ||
        (!(entity->mode & AOI_WATCHER) && work->space->crowd->members.items[slot].told.count == 0))
        return;
    work->marks[slot] = 1;
    work->watchers[work->watcher_count++] = slot;
}

/* Adds the watchers that saw the entity with this old state, or see it now, and have not changed;
 * counts them. */
static bool add_watchers_of(struct crowd_work *work, const struct entity *state, size_t *pairs) {
    static const int lists[] = {LEFT_WATCHERS, ENTERED_WATCHERS, MOVED_WATCHERS};
    static const struct entity absent = {.mode = 0};
    struct aoi_space *space = work->space;
    const uint32_t slot = state->current_slot;
    const struct entity *now = slot == NO_SLOT ? &absent : &space->entities.at[slot];
    if (!visibility_changes_to_still(&space->visibility, slot, state, now, true, PAIR_OPS, true))
        return false;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        const struct id_list *found = &space->visibility.changes[lists[list]];
        *pairs += found->count;
        for (size_t i = 0; i < found->count; i++)
            add_watcher(work, space_find(space, found->ids[i]));
    }
    return true;
}

/* Adds how many pairs the searches of the watchers will find: by some of them, unless it can't be
 * too many. */
static bool add_searches(struct crowd_work *work, size_t most, size_t *pairs) {
    enum { SAMPLES = 8 };
    struct aoi_space *space = work->space;
    size_t seen = 0;
    if (work->watcher_count <= most / (space->entities.count + 1))
        return true;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint32_t watcher = work->watchers[i * work->watcher_count / SAMPLES];
        const struct id_list *found = visibility_view(&space->visibility, watcher, ENTERED_MARKERS);
        if (found == NULL)
            return false;
        seen += found->count;
    }
    *pairs += seen * work->watcher_count / SAMPLES;
    return true;
}

static void add_point(struct crowd_work *work, uint32_t slot) {
    if (work->places[slot] != NO_SLOT || !(work->space->entities.at[slot].mode & AOI_MARKER))
        return;
    work->places[slot] = 0; /* it will be set */
    work->tree.points[work->tree.point_count++].slot = slot;
}

/* Sets up the stands of all markers, as the points of the tree, of which only the slots count
 * unless with_tree: somebody is to be searched for. Markers near each other are mostly near each
 * other in that order. */
static bool set_stands(struct crowd_work *work, bool with_tree) {
    const struct aoi_space *space = work->space;
    struct marker_tree *tree = &work->tree;
    work->places = pool_take(work->pool, work->slot_count, sizeof *work->places);
    work->stands = pool_take(work->pool, space->entities.count, sizeof *work->stands);
    if (work->places == NULL || work->stands == NULL ||
        !marker_tree_reserve(tree, work->pool, space->entities.count))
        return false;
    for (uint32_t slot = 0; slot < work->slot_count; slot++)
        work->places[slot] = NO_SLOT;
    if (with_tree) {
        size_t markers = 0;
        for (uint32_t slot = 0; slot < work->slot_count; slot++) {
            const struct entity *entity = &space->entities.at[slot];
            if (entity->mode & AOI_MARKER)
                tree->points[markers++] =
                    (struct tree_point){(xy){entity->x, entity->y}, entity->z, slot};
        }
        marker_tree_plant(tree, markers, space->entities.at);
    } else { /* in the order in which the tick looked for pairs, which costs less */
        uint32_t slot;
        for (size_t i = 0; tick_row_order(space, i, &slot); i++)
            add_point(work, slot);
        for (slot = 0; slot < work->slot_count; slot++)
            add_point(work, slot);
    }
    for (uint32_t place = 0; place < tree->point_count; place++) {
        work->places[tree->points[place].slot] = place;
        crowd_set_stand(work, tree->points[place].slot, &work->stands[place]);
    }
    if (with_tree)
        marker_tree_describe(tree, space->visibility.rule, work->stands);
    return true;
}

/* True when few would be told of a whole view. */
static bool few_came(const struct aoi_space *space) {
    enum { FEW = 16 };
    const struct old_states *old = &space->old_states;
    size_t came = 0;
    for (size_t number = 0; number < old->count; number++)
        came += old->states[number].mode == 0;
    return came <= space->entities.count / FEW;
}

/* Groups the pairs that have entered by watcher. */
static bool sort_newcomers(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    const struct pairs *entered = tick_entered(space);
    const size_t newcomers = entered[0].count + entered[1].count;
    uint32_t *start = pool_take(work->pool, work->slot_count + 1, sizeof *start);
    work->newcomers_start = start;
    work->newcomers = pool_take(work->pool, newcomers, sizeof *work->newcomers);
    if (start == NULL || work->newcomers == NULL)
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

/* Neighbours after one another: they are told of the same markers. Where most were told of all that
 * they saw, it pays to find who came into whose view for all at once. */
static bool gather_everybody(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    size_t watchers = 0, knowing = 0; /* all that they saw at the last tick */
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        const bool is_watcher = (space->entities.at[slot].mode & AOI_WATCHER) != 0;
        watchers += is_watcher;
        knowing += is_watcher && space->crowd->members.items[slot].knows_all;
    }
    const bool for_all_at_once = knowing >= watchers / 2 && few_came(space);
    if ((for_all_at_once && !tick_find_pairs(space, AOI_ENTER)) ||
        !set_stands(work, !for_all_at_once || knowing < watchers) ||
        (for_all_at_once && !sort_newcomers(work)))
        return false;
    for (size_t place = 0; place < work->tree.point_count; place++)
        add_watcher(work, work->tree.points[place].slot);
    for (uint32_t slot = 0; slot < work->slot_count; slot++)
        add_watcher(work, slot);
    return true;
}

/* The watchers alone that can hear something, while to look for them, and then for their newcomers,
 * finds at most so many pairs; *pairs: how many. */
static bool gather_few(struct crowd_work *work, size_t most, size_t *pairs) {
    struct aoi_space *space = work->space;
    const struct old_states *old = &space->old_states;
    *pairs = 0;
    if (!late_moves_apply(&space->late_moves))
        return false;
    for (size_t number = 0; number < old->count && *pairs <= most; number++) {
        const uint32_t slot = old->states[number].current_slot;
        if (slot != NO_SLOT)
            add_watcher(work, slot);
        if (!add_watchers_of(work, &old->states[number], pairs))
            return false;
    }
    for (uint32_t slot = 0; slot < work->slot_count && space->crowd->waiting > 0; slot++) {
        if (space->crowd->members.items[slot].is_waiting)
            add_watcher(work, slot);
    }
    return *pairs > most || add_searches(work, most, pairs);
}

bool crowd_gather(struct crowd_work *work) {
    const struct aoi_space *space = work->space;
    const size_t changed = space->old_states.count + space->crowd->waiting;
    const size_t most = space->entities.count * PAIRS_A_HEAD;
    size_t pairs;
    if (changed > space->entities.count / EVERYBODY_FROM)
        return gather_everybody(work);
    if (!gather_few(work, most, &pairs))
        return false;
    if (pairs <= most)
        return true;
    for (size_t i = 0; i < work->watcher_count; i++)
        work->marks[work->watchers[i]] = 0;
    work->watcher_count = 0;
    return gather_everybody(work);
}
