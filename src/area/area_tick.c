/*
 * area_tick.c - the net change of areas since the last tick.
 *
 * An area and a marker can differ only if one of the two has changed. Pairs
 * with a changed marker are looked for from the marker: among the areas at the
 * place where it was, and at the place where it is; areas that have changed, or
 * moved with their owner, stand in a grid of their own as they were. All other
 * pairs are looked for from the changed areas, among the markers that have not
 * changed.
 *
 * An area that another space has handed over was nowhere: a list has its members
 * then.
 */
#include "area/area_tick.h"

#include "area/area_found.h"
#include "query/box_search.h"
#include "space/scratch.h"

/* ------------------------------------------------------------------ */
/* Which areas have changed                                            */
/* ------------------------------------------------------------------ */

static bool add_note(struct area_tick *tick, struct area_note note) {
    if (!array_reserve(&tick->notes, &tick->space->memory.tick, 1))
        return false;
    if (note.current != NO_AREA) {
        struct area *area = &tick_areas(tick)->at[note.current];
        area->is_noted = true;
        area->note = (uint32_t)tick->notes.count;
        note.collects = area->keeps_members && !note.before->keeps_members;
    }
    tick->notes.items[tick->notes.count++] = note;
    return true;
}

/* Notes the areas that went with the entity in slot. */
static bool note_moved(struct area_tick *tick, uint32_t slot) {
    const struct area_table *table = tick_areas(tick);
    const bool with_z = tick->space->dims == 3;
    uint32_t number = area_table_first_owned(table, slot);
    for (; number != NO_AREA; number = table->at[number].next_owned) {
        const struct area *area = &table->at[number];
        const aoi_point from = area_place_before(tick->space, area);
        if (area->is_noted ||
            (from.x == area->at.x && from.y == area->at.y && from.z == area->at.z))
            continue;
        struct area_note note = {.before = area, .from = from, .current = number};
        note.has_ring = area_ring_of_step(area, &from, &area->at, with_z, &note.ring);
        if (!add_note(tick, note))
            return false;
    }
    return true;
}

static bool note_areas(struct area_tick *tick) {
    const struct old_states *old = &tick->space->old_states;
    const struct area_states *states = &tick->space->areas->states;
    for (size_t i = 0; i < states->count; i++) {
        const struct area_state *state = &states->items[i];
        const struct area_note note = {.before = &state->before,
                                       .from = state->before.at,
                                       .current = state->current,
                                       .is_handed = state->is_handed};
        if (!add_note(tick, note))
            return false;
    }
    for (size_t i = 0; i < old->count; i++) {
        if (old->states[i].current_slot != NO_SLOT &&
            !note_moved(tick, old->states[i].current_slot))
            return false;
    }
    if (!area_grid_reserve(&tick->before, tick->notes.count))
        return false;
    for (size_t i = 0; i < tick->notes.count; i++) {
        const struct area_note *note = &tick->notes.items[i];
        if (note->before->shape == 0 || note->is_handed)
            continue;
        const struct box box = area_box_at(note->before, note->from);
        area_grid_place(&tick->before, (uint32_t)i, &box, area_extent(note->before), FORM_UNKNOWN);
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Markers that have changed                                          */
/* ------------------------------------------------------------------ */

/* Finds the events of a marker that was so, is in this slot (NO_SLOT: gone), and was handed in
 * with a list, or was not. */
static inline bool find_for(struct area_tick *tick, const struct area_marker *before, uint32_t slot,
                            bool with_list) {
    const struct former_marker former = area_former_marker(tick->space, before);
    struct area_marker now = {.id = before->id, .shown = 0};
    if (slot != NO_SLOT)
        now = area_marker_at(tick->space, slot);
    return former.is_listed != with_list || area_pairs_of_marker(tick, &former, &now);
}

static bool find_for_changed(struct area_tick *tick) {
    const struct old_states *old = &tick->space->old_states;
    for (uint32_t i = 0; i < old->count; i++) {
        const struct area_marker before = area_marker_of_state(tick->space, i);
        if (!find_for(tick, &before, old->states[i].current_slot, false))
            return false;
    }
    return true;
}

static bool find_for_handed(struct area_tick *tick) {
    for (uint32_t i = 0; i < tick->space->handed.watchers.count; i++) {
        uint32_t slot;
        const struct area_marker before =
            area_marker_then(tick->space, tick->space->handed.watchers.items[i].id, &slot);
        if (!find_for(tick, &before, slot, true))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Markers that have not changed                                       */
/* ------------------------------------------------------------------ */

/* Judges the note with the markers found that have not changed: who may leave it, and who may
 * enter. */
static bool judge_still(struct area_tick *tick, const struct area_note *note, bool may_leave,
                        bool may_enter) {
    struct aoi_space *space = tick->space;
    const struct hits *hits = &space->visibility.hits;
    for (size_t i = 0; i < hits->count; i++) {
        if (space->entities.at[hits->slots[i]].changed)
            continue;
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        const bool was = area_has_at(note->before, &note->from, &marker, space->dims == 3),
                   is = area_pairs_take(tick, note->current, &marker, was);
        if (may_leave && was && !is && !areas_note_leave(space, note->before->id, marker.id))
            return false;
        if (may_enter && is && !area_pairs_note_member(tick, note->current, marker.id, was))
            return false;
    }
    return true;
}

static bool find_for_still(struct area_tick *tick) {
    struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    if (space->entities.count == old->count - old->gone.count)
        return true;
    for (size_t i = 0; i < tick->notes.count; i++) {
        const struct area_note *note = &tick->notes.items[i];
        if (note->has_ring) {
            if (!ring_search(space, note->ring) || !judge_still(tick, note, true, true))
                return false;
            continue;
        }
        if (note->before->shape != 0 && !note->is_handed) {
            const struct box box = area_box_at(note->before, note->from);
            if (!box_search(space, &box) || !judge_still(tick, note, true, false))
                return false;
        }
        if (note->current != NO_AREA) {
            const struct box box = area_box(&tick_areas(tick)->at[note->current]);
            if (!box_search(space, &box) || !judge_still(tick, note, false, true))
                return false;
        }
    }
    return true;
}

/* Of the members of areas that were in another space, those who are none here. */
static bool find_left_elsewhere(struct area_tick *tick) {
    const struct aoi_space *space = tick->space;
    for (size_t i = 0; i < tick->notes.count; i++) {
        const struct area_note *note = &tick->notes.items[i];
        for (size_t k = 0; note->is_handed && k < note->before->members.count; k++) {
            const aoi_id id = note->before->members.ids[k];
            const uint32_t slot = space_find(space, id);
            struct area_marker now = {.id = id, .shown = 0};
            if (slot != NO_SLOT)
                now = area_marker_at(space, slot);
            if (!area_pairs_take(tick, note->current, &now, true) &&
                !areas_note_leave(tick->space, note->before->id, id))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The tick                                                            */
/* ------------------------------------------------------------------ */

bool area_tick_find(struct aoi_space *space) {
    /* A marker that was handed in may have been in areas that do not stand here. */
    if (space->areas == NULL && (space->handed.areas.count == 0 || area_ops(space) == 0))
        return true;
    if (!areas_create(space))
        return false;
    struct area_tick *tick = &space->areas->tick;
    *tick = (struct area_tick){.space = space, .is_found = areas_matter(space)};
    area_grid_init(&tick->before, &space->memory.tick);
    if (!tick->is_found)
        return true;
    areas_begin_change(space);
    if (!note_areas(tick) || !find_for_changed(tick) || !find_for_still(tick) ||
        !find_left_elsewhere(tick) || !find_for_handed(tick))
        return false;
    for (size_t i = 0; i < tick->notes.count; i++) {
        const struct area_note *note = &tick->notes.items[i];
        if (note->collects && !list_sort(space, &tick_areas(tick)->at[note->current].members))
            return false;
    }
    return areas_reserve_events(space);
}

/* The area, if it keeps members that are to be changed. */
static struct area *keeper(const struct area_tick *tick, aoi_id id) {
    const uint32_t number = area_table_find(tick_areas(tick), id);
    struct area *area = number == NO_AREA ? NULL : &tick_areas(tick)->at[number];
    return area != NULL && area->keeps_members && !area_collects(tick, area) ? area : NULL;
}

/* A list that came along with the marker counts for what the area was, not what this space
 * thought. */
static void settle_former(const struct area_tick *tick, const struct area *before,
                          const struct former_marker *former) {
    struct area *area = before->is_owned ? NULL : keeper(tick, before->id);
    if (area == NULL)
        return;
    const aoi_id id = former->marker.id;
    const bool is = id_list_has(&area->members, id);
    const bool was = id_list_has(&former->areas, area->id);
    area->coming = 0;
    if (was && !is)
        members_add(&area->members, id);
    else if (is && !was)
        members_remove(&area->members, id);
}

static void settle_former_members(const struct area_tick *tick, uint32_t handed) {
    uint32_t slot, found;
    const struct area_marker before =
        area_marker_then(tick->space, tick->space->handed.watchers.items[handed].id, &slot);
    const struct former_marker former = area_former_marker(tick->space, &before);
    const aoi_point at = before.at;
    struct area_search search =
        area_search_begin(&tick_areas(tick)->grids[STILL_AREAS], at.x, at.y);
    while ((found = area_search_next(&search)) != NO_AREA) {
        const struct area *area = &tick_areas(tick)->at[found];
        if (!area->is_noted)
            settle_former(tick, area, &former);
    }
    search = area_search_begin(&tick->before, at.x, at.y);
    while ((found = area_search_next(&search)) != NO_AREA)
        settle_former(tick, tick->notes.items[found].before, &former);
    for (size_t i = 0; i < former.areas.count; i++) {
        found = area_table_find(tick_areas(tick), former.areas.ids[i]);
        if (found != NO_AREA)
            settle_former(tick, area_before(tick->space, &tick_areas(tick)->at[found]), &former);
    }
}

static void settle_kept_members(struct area_tick *tick) {
    const struct areas *areas = tick->space->areas;
    if (areas->table.keeping == 0)
        return;
    /* Areas that kept their members at the last tick, and do so now, get them back. */
    for (size_t i = 0; i < areas->states.count; i++) {
        struct area_state *state = &areas->states.items[i];
        if (state->current == NO_AREA || !state->before.keeps_members ||
            !areas->table.at[state->current].keeps_members)
            continue;
        areas->table.at[state->current].members = state->before.members;
        state->before.members = (struct id_list){NULL, 0, 0};
    }
    for (uint32_t i = 0; i < tick->space->handed.watchers.count; i++)
        settle_former_members(tick, i);
    for (size_t i = 0; i < areas->leaves.count; i++) {
        struct area *area = keeper(tick, areas->leaves.items[i].watcher);
        if (area != NULL)
            members_remove(&area->members, areas->leaves.items[i].marker);
    }
    for (size_t i = 0; i < areas->enters.count; i++) {
        struct area *area = keeper(tick, areas->enters.items[i].watcher);
        if (area == NULL)
            continue;
        area->coming = 0;
        members_add(&area->members, areas->enters.items[i].marker);
    }
}

void area_tick_finish(struct aoi_space *space, bool done) {
    struct areas *areas = space->areas;
    if (areas == NULL)
        return;
    struct area_tick *tick = &areas->tick;
    if (tick->is_found && done) {
        areas_queue_events(space);
        settle_kept_members(tick);
    } else if (tick->is_found) {
        areas_forget_coming(areas);
        for (size_t i = 0; i < space->handed.areas.count; i++) {
            const uint32_t number = area_table_find(&areas->table, space->handed.areas.ids[i]);
            if (number != NO_AREA)
                areas->table.at[number].coming = 0;
        }
        areas_drop_room(space);
    }
    for (size_t i = 0; i < tick->notes.count; i++) {
        if (tick->notes.items[i].current == NO_AREA)
            continue;
        struct area *area = &areas->table.at[tick->notes.items[i].current];
        area->is_noted = false;
        if (!done && tick->notes.items[i].collects)
            id_list_free(&area->members, &space->memory.areas);
    }
    array_free(&tick->notes, &space->memory.tick);
    area_grid_free(&tick->before);
    if (done)
        area_states_clear(&areas->states, &areas->table, &space->memory.areas);
    areas_trim(space);
}
