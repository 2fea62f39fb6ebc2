/* told.c - who was told of whom, as of the last tick. */
#include "space/scratch.h"

static bool add(struct id_list *list, struct memory *memory, aoi_id id) {
    if (!id_list_reserve(list, memory, 1))
        return false;
    list->ids[list->count++] = id;
    return true;
}

/* ---- crowd spaces ---- */

static bool told_in_crowd(struct aoi_space *space, uint32_t slot, struct id_list *list) {
    const struct told_set *told = &space->crowd->members[slot].told;
    if (!id_list_reserve(list, &space->memory.scratch, told->count))
        return false;
    for (uint32_t i = 0; i < told->count; i++)
        list->ids[list->count++] = space->entities.at[told->pairs[i].slot].id;
    return true;
}

static bool told_to_in_crowd(struct aoi_space *space, uint32_t slot, struct id_list *list) {
    struct crowd *crowd = space->crowd;
    if (!crowd_sort_told_to(crowd))
        return false;
    if (slot + 1 >= crowd->told_to_slots) /* it came since */
        return true;
    for (uint32_t i = crowd->told_to_start[slot]; i < crowd->told_to_start[slot + 1]; i++) {
        const struct entity *watcher = &space->entities.at[crowd->told_to[i]];
        if (watcher->mode != 0 && !add(list, &space->memory.scratch, watcher->id))
            return false;
    }
    return true;
}

/* ---- other deferred spaces: nothing is kept per pair, the last views are found again ---- */

enum direction { MARKERS, WATCHERS };

/* Among those that have an old state; of these watchers, only who is inside now. */
static bool find_among_changed(struct aoi_space *space, const struct entity *before,
                               enum direction direction, struct id_list *list) {
    const struct old_states *old = &space->old_states;
    for (size_t number = 0; number < old->count; number++) {
        const struct entity *other = &old->states[number];
        if (other->mode == 0 || other->id == before->id)
            continue;
        if (direction == WATCHERS && other->current_slot == NO_SLOT)
            continue;
        const struct entity *watcher = direction == MARKERS ? before : other;
        const struct entity *marker = direction == MARKERS ? other : before;
        if (visibility_sees(&space->visibility, watcher, marker) &&
            !add(list, &space->memory.scratch, other->id))
            return false;
    }
    return true;
}

static bool find_views(struct aoi_space *space, uint32_t slot, enum direction direction,
                       struct id_list **found) {
    static const struct entity absent = {.mode = 0};
    const struct entity *entity = &space->entities.at[slot];
    const struct entity before =
        entity->changed ? space->old_states.states[space->old_states.of_slot[slot]] : *entity;
    *found = &space->visibility.changes[direction == MARKERS ? LEFT_MARKERS : LEFT_WATCHERS];
    return late_moves_apply(&space->late_moves) &&
           visibility_changes_to_still(&space->visibility, slot, &before, &absent, false,
                                       AOI_LEAVE) &&
           find_among_changed(space, &before, direction, *found);
}

static aoi_status ask(aoi_space *space, aoi_id id, enum direction direction, aoi_list *list) {
    if (!space->deferred)
        return direction == MARKERS ? aoi_markers_of(space, id, list)
                                    : aoi_watchers_of(space, id, list);
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    struct id_list *found = &space->visibility.changes[0];
    found->count = 0;
    bool done;
    if (space->crowd == NULL)
        done = find_views(space, slot, direction, &found);
    else if (direction == MARKERS)
        done = told_in_crowd(space, slot, found);
    else
        done = told_to_in_crowd(space, slot, found);
    if (!done)
        return AOI_NOMEM;
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_told_markers(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask(space, id, MARKERS, list);
}

aoi_status aoi_told_watchers(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask(space, id, WATCHERS, list);
}
