/*
 * area_tick.c - the net change of areas since the last tick.
 *
 * An area and a marker can differ only if one of the two has changed. Pairs
 * with a changed marker are looked for from the marker: among the areas at the
 * place where it was, and at the place where it is; areas that have changed, or
 * moved with their owner, stand in a grid of their own as they were. All other
 * pairs are looked for from the changed areas, among the markers that have not
 * changed.
 */
#include "tick/area_tick.h"

#include "space/box_search.h"

/* ------------------------------------------------------------------ */
/* Which areas have changed                                            */
/* ------------------------------------------------------------------ */

static struct memory *memory_of(const struct area_tick *tick) {
    return &tick->space->memory.tick;
}

static struct area_table *table_of(const struct area_tick *tick) {
    return &tick->space->areas->table;
}

/* False: no memory. */
static bool add_note(struct area_tick *tick, struct area_note note) {
    if (tick->count == tick->capacity) {
        struct area_note *notes = memory_grow(memory_of(tick), tick->notes, &tick->capacity,
                                              tick->count + 1, sizeof *notes);
        if (notes == NULL)
            return false;
        tick->notes = notes;
    }
    if (note.current != NO_AREA) {
        struct area *area = &table_of(tick)->at[note.current];
        area->is_noted = true;
        area->note = (uint32_t)tick->count;
        note.collects = area->keeps_members && !(note.before != NULL && note.before->keeps_members);
    }
    tick->notes[tick->count++] = note;
    return true;
}

static bool note_changed(struct area_tick *tick) {
    const struct area_states *states = &tick->space->areas->states;
    for (size_t i = 0; i < states->count; i++) {
        const struct area_state *state = &states->items[i];
        const struct area_note note = {.before = state->before.shape == 0 ? NULL : &state->before,
                                       .from = state->before.at,
                                       .current = state->current};
        if (!add_note(tick, note))
            return false;
    }
    return true;
}

/* Those that went with the entity in slot. */
static bool note_moved(struct area_tick *tick, uint32_t slot) {
    const struct area_table *table = table_of(tick);
    const bool with_z = tick->space->dims == 3;
    uint32_t number = area_table_first_owned(table, slot);
    if (number == NO_AREA)
        return true;
    const aoi_point owner = area_marker_before(tick->space, slot).at;
    for (; number != NO_AREA; number = table->at[number].next_owned) {
        const struct area *area = &table->at[number];
        const aoi_point from = area_place_at(area, owner);
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
    if (!note_changed(tick))
        return false;
    for (size_t i = 0; i < old->count; i++) {
        if (old->states[i].current_slot != NO_SLOT &&
            !note_moved(tick, old->states[i].current_slot))
            return false;
    }
    if (!area_grid_reserve(&tick->before, tick->count))
        return false;
    for (size_t i = 0; i < tick->count; i++) {
        const struct area_note *note = &tick->notes[i];
        if (note->before == NULL)
            continue;
        const struct box box = area_box_at(note->before, note->from);
        area_grid_place(&tick->before, (uint32_t)i, &box, area_extent(note->before), FORM_UNKNOWN);
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Judging                                                             */
/* ------------------------------------------------------------------ */

/* True when the marker, as it was, was a member. */
static bool had(const struct area_tick *tick, const struct area_note *note,
                const struct area_marker *marker) {
    const struct area *before = note->before;
    if (before == NULL)
        return false;
    return before->keeps_members
               ? members_have(&before->members, marker->id)
               : area_takes_at(before, &note->from, marker, false, tick->space->dims == 3);
}

/* The kept members of the area once the tick is over. */
static struct id_list *members_to_be(const struct area_tick *tick, struct area *area) {
    return area->old == NO_AREA || tick->notes[area->note].collects
               ? &area->members
               : &tick->space->areas->states.items[area->old].before.members;
}

/* The marker is a member now, and was one or was not. False: no memory. */
static bool note_member(struct area_tick *tick, uint32_t number, aoi_id marker, bool was) {
    struct aoi_space *space = tick->space;
    struct area *area = &table_of(tick)->at[number];
    if (!was && !areas_note_enter(space, NULL, area->id, marker))
        return false;
    if (!area->keeps_members)
        return true;
    struct id_list *members = members_to_be(tick, area);
    if (area->is_noted && tick->notes[area->note].collects) {
        if (!id_list_reserve(members, &space->memory.areas, 1))
            return false;
        members->ids[members->count++] = marker;
    } else if (!was) {
        if (!id_list_reserve(members, &space->memory.areas, (size_t)area->coming + 1))
            return false;
        area->coming++;
    }
    return true;
}

static bool takes_now(const struct area_tick *tick, uint32_t number,
                      const struct area_marker *marker, bool was) {
    return number != NO_AREA &&
           area_takes(&table_of(tick)->at[number], marker, was, tick->space->dims == 3);
}

/* ------------------------------------------------------------------ */
/* Changed markers                                                     */
/* ------------------------------------------------------------------ */

/* The areas of a grid that are what they were. */
static bool find_left_of(struct area_tick *tick, const struct area_grid *grid,
                         const struct area_marker *before, const struct area_marker *now) {
    const struct area_table *table = table_of(tick);
    struct area_search search = area_search_begin(grid);
    uint32_t found;
    while ((found = area_search_next(&search, before->at.x, before->at.y)) != NO_AREA) {
        const struct area *area = &table->at[found];
        if (!area->is_noted && area_has(area, before, tick->space->dims == 3) &&
            !takes_now(tick, found, now, true) && !areas_note_leave(tick->space, area->id, now->id))
            return false;
    }
    return true;
}

static bool find_left(struct area_tick *tick, const struct area_marker *before,
                      const struct area_marker *now) {
    for (int kind = 0; kind < AREA_GRIDS; kind++) {
        if (!find_left_of(tick, &table_of(tick)->grids[kind], before, now))
            return false;
    }
    struct area_search search = area_search_begin(&tick->before);
    uint32_t found;
    while ((found = area_search_next(&search, before->at.x, before->at.y)) != NO_AREA) {
        const struct area_note *note = &tick->notes[found];
        if (had(tick, note, before) && !takes_now(tick, note->current, now, true) &&
            !areas_note_leave(tick->space, note->before->id, now->id))
            return false;
    }
    return true;
}

static bool find_entered(struct area_tick *tick, const struct area_grid *grid,
                         const struct area_marker *before, const struct area_marker *now) {
    const struct area_table *table = table_of(tick);
    struct area_search search = area_search_begin(grid);
    uint32_t found;
    while ((found = area_search_next(&search, now->at.x, now->at.y)) != NO_AREA) {
        const struct area *area = &table->at[found];
        const bool was = area->is_noted ? had(tick, &tick->notes[area->note], before)
                                        : area_has(area, before, tick->space->dims == 3);
        if (takes_now(tick, found, now, was) && !note_member(tick, found, now->id, was))
            return false;
    }
    return true;
}

static bool find_for_changed(struct area_tick *tick) {
    struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    for (uint32_t i = 0; i < old->count; i++) {
        const uint32_t slot = old->states[i].current_slot;
        const struct area_marker before = area_marker_of_state(space, i);
        struct area_marker now = {.id = before.id, .shown = 0};
        if (slot != NO_SLOT)
            now = area_marker_at(space, slot);
        if (before.shown != 0 && !find_left(tick, &before, &now))
            return false;
        for (int kind = 0; kind < AREA_GRIDS && now.shown != 0; kind++) {
            if (!find_entered(tick, &table_of(tick)->grids[kind], &before, &now))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Markers that have not changed                                       */
/* ------------------------------------------------------------------ */

/* Judges the note with who was found and has not changed: what it may lose, and what it may gain.
 * False: no memory. */
static bool judge_still(struct area_tick *tick, const struct area_note *note, bool may_lose,
                        bool may_gain) {
    struct aoi_space *space = tick->space;
    const struct hits *hits = &space->visibility.hits;
    for (size_t i = 0; i < hits->count; i++) {
        if (space->entities.at[hits->slots[i]].changed)
            continue;
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        const bool was = had(tick, note, &marker),
                   is = takes_now(tick, note->current, &marker, was);
        if (may_lose && was && !is && !areas_note_leave(space, note->before->id, marker.id))
            return false;
        if (may_gain && is && !note_member(tick, note->current, marker.id, was))
            return false;
    }
    return true;
}

static bool find_for_still(struct area_tick *tick) {
    struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    if (space->entities.count == old->count - old->gone.count)
        return true;
    for (size_t i = 0; i < tick->count; i++) {
        const struct area_note *note = &tick->notes[i];
        if (note->has_ring) {
            if (!ring_search(space, note->ring) || !judge_still(tick, note, true, true))
                return false;
            continue;
        }
        if (note->before != NULL) {
            const struct box box = area_box_at(note->before, note->from);
            if (!box_search(space, &box) || !judge_still(tick, note, true, false))
                return false;
        }
        if (note->current != NO_AREA) {
            const struct box box = area_box(&table_of(tick)->at[note->current]);
            if (!box_search(space, &box) || !judge_still(tick, note, false, true))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The tick                                                            */
/* ------------------------------------------------------------------ */

static bool sort_collected(struct area_tick *tick) {
    for (size_t i = 0; i < tick->count; i++) {
        const struct area_note *note = &tick->notes[i];
        if (note->collects && !areas_sort(tick->space, &table_of(tick)->at[note->current].members))
            return false;
    }
    return true;
}

static void forget_notes(struct area_tick *tick) {
    for (size_t i = 0; i < tick->count; i++) {
        if (tick->notes[i].current != NO_AREA)
            table_of(tick)->at[tick->notes[i].current].is_noted = false;
    }
    memory_resize(memory_of(tick), tick->notes, tick->capacity, 0, sizeof *tick->notes);
    area_grid_free(&tick->before);
}

/* The members that were collected are none. */
static void forget_collected(struct area_tick *tick) {
    for (size_t i = 0; i < tick->count; i++) {
        if (tick->notes[i].collects)
            id_list_free(&table_of(tick)->at[tick->notes[i].current].members,
                         &tick->space->memory.areas);
    }
}

bool area_tick_find(struct area_tick *tick, struct aoi_space *space) {
    *tick = (struct area_tick){.space = space};
    area_grid_init(&tick->before, memory_of(tick));
    if (space->areas == NULL || !areas_matter(space))
        return true;
    areas_begin_change(space->areas);
    tick->is_found = true;
    if (note_areas(tick) && find_for_changed(tick) && find_for_still(tick) &&
        sort_collected(tick) && areas_reserve_events(space))
        return true;
    area_tick_finish(tick, false);
    return false;
}

/* Those that kept their members at the last tick, and do so now, get them back. */
static void return_members(struct area_tick *tick) {
    struct area_states *states = &tick->space->areas->states;
    for (size_t i = 0; i < states->count; i++) {
        struct area_state *state = &states->items[i];
        if (state->current == NO_AREA || !state->before.keeps_members ||
            !table_of(tick)->at[state->current].keeps_members)
            continue;
        table_of(tick)->at[state->current].members = state->before.members;
        state->before.members = (struct id_list){NULL, 0, 0};
    }
}

/* The area, if it keeps members that are to be changed. */
static struct area *keeper(const struct area_tick *tick, aoi_id id) {
    const uint32_t number = area_table_find(table_of(tick), id);
    struct area *area = number == NO_AREA ? NULL : &table_of(tick)->at[number];
    if (area == NULL || !area->keeps_members ||
        (area->is_noted && tick->notes[area->note].collects))
        return NULL;
    return area;
}

static void settle_members(struct area_tick *tick) {
    const struct areas *areas = tick->space->areas;
    if (areas->table.keeping == 0)
        return;
    return_members(tick);
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

void area_tick_finish(struct area_tick *tick, bool done) {
    struct aoi_space *space = tick->space;
    struct areas *areas = space->areas;
    if (areas == NULL)
        return;
    if (tick->is_found && done) {
        areas_queue_events(space);
        settle_members(tick);
    } else if (tick->is_found) {
        areas_forget_coming(areas);
        areas_drop_room(space);
        forget_collected(tick);
    }
    forget_notes(tick);
    if (!done)
        return;
    area_states_clear(&areas->states, &areas->table, &space->memory.areas);
    areas_trim(space);
}
