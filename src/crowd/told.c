/* told.c - told pairs as of the last tick, in every kind of space. */
#include "crowd/told.h"

#include "crowd/crowd.h"
#include "space/scratch.h"

/* ---- crowd spaces ---- */

static bool told_to_in_crowd(struct aoi_space *space, uint32_t slot, struct id_list *list) {
    struct crowd *crowd = space->crowd;
    if (!crowd_sort_told_to(crowd))
        return false;
    if (slot + 1 >= crowd->told_watchers_start.capacity) /* it came since */
        return true;
    const uint32_t *start = crowd->told_watchers_start.items;
    for (uint32_t i = start[slot]; i < start[slot + 1]; i++) {
        const struct entity *watcher = &space->entities.at[crowd->told_watchers.items[i]];
        if (watcher->mode != 0 && !list_add(space, list, &watcher->id, 1))
            return false;
    }
    return true;
}

/* ---- other deferred spaces: nothing is kept per pair, the last views are found again ---- */

/* Among those that have an old state; of these watchers, only who is inside now. */
static bool find_among_changed(struct aoi_space *space, const struct entity *before,
                               enum told_direction direction, struct id_list *list) {
    const struct old_states *old = &space->old_states;
    for (size_t number = 0; number < old->count; number++) {
        const struct entity *other = &old->states[number];
        if (other->mode == 0 || other->id == before->id)
            continue;
        if (direction == TOLD_WATCHERS && other->current_slot == NO_SLOT)
            continue;
        const struct entity *watcher = direction == TOLD_MARKERS ? before : other;
        const struct entity *marker = direction == TOLD_MARKERS ? other : before;
        if (visibility_saw(&space->visibility, watcher, marker) &&
            !list_add(space, list, &other->id, 1))
            return false;
    }
    return true;
}

bool told_find_views(struct aoi_space *space, uint32_t slot, enum told_direction direction,
                     struct id_list *list) {
    static const struct entity absent = {.mode = 0};
    const struct entity *entity = &space->entities.at[slot];
    const struct entity before =
        entity->changed ? space->old_states.states[space->old_states.of_slot.items[slot]] : *entity;
    const struct id_list *found =
        &space->visibility.changes[direction == TOLD_MARKERS ? LEFT_MARKERS : LEFT_WATCHERS];
    return late_moves_apply(&space->late_moves) &&
           visibility_changes_to_still(&space->visibility, slot, &before, &absent, false, AOI_LEAVE,
                                       true) &&
           list_add(space, list, found->ids, found->count) &&
           find_among_changed(space, &before, direction, list);
}

/* ---- told sets that were handed in ---- */

/* Adds the told set that the watcher was handed in with as this number; NO_SLOT: that of the crowd.
 */
static bool add_told(struct aoi_space *space, uint32_t slot, uint32_t number,
                     struct id_list *list) {
    const bool is_handed = number != NO_SLOT;
    const struct told_set *told = is_handed ? NULL : &space->crowd->members.items[slot].told;
    const uint32_t count =
        is_handed ? space->handed.watchers.items[number].handed_count : told->count;
    if (!id_list_reserve(list, &space->memory.scratch, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        list->ids[list->count++] = is_handed ? handed_told_of(&space->handed, number)[i].id
                                             : space->entities.at[told->pairs[i].slot].id;
    return true;
}

/* Adds those watchers, of them only who is inside now. */
static bool add_handed_watchers(struct aoi_space *space, aoi_id marker, struct id_list *list) {
    const struct handed *handed = &space->handed;
    for (uint32_t number = 0; number < handed->watchers.count; number++) {
        const aoi_id watcher = handed->watchers.items[number].id;
        if (handed_find_told(handed, number, marker) != NULL &&
            space_find(space, watcher) != NO_SLOT && !list_add(space, list, &watcher, 1))
            return false;
    }
    return true;
}

bool told_has(const struct aoi_space *space, uint32_t watcher, aoi_id marker) {
    const uint32_t number = handed_find(&space->handed, space->entities.at[watcher].id);
    return number != NO_SLOT ? handed_find_told(&space->handed, number, marker) != NULL
                             : crowd_find_told(space->crowd, watcher, marker) != NULL;
}

static aoi_status ask(aoi_space *space, aoi_id id, enum told_direction direction, aoi_list *list) {
    if (!space->deferred)
        return direction == TOLD_MARKERS ? aoi_markers_of(space, id, list)
                                         : aoi_watchers_of(space, id, list);
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    struct id_list *found = list_begin(space, LIST_ANSWER, 0);
    bool done;
    const uint32_t handed = direction == TOLD_MARKERS ? handed_find(&space->handed, id) : NO_SLOT;
    if (handed == NO_SLOT && space->crowd == NULL)
        done = told_find_views(space, slot, direction, found);
    else if (direction == TOLD_MARKERS)
        done = add_told(space, slot, handed, found);
    else
        done = told_to_in_crowd(space, slot, found);
    if (!done || (direction == TOLD_WATCHERS && !add_handed_watchers(space, id, found)))
        return AOI_NOMEM;
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_told_markers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask(space, id, TOLD_MARKERS, list);
}

aoi_status aoi_told_watchers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask(space, id, TOLD_WATCHERS, list);
}
