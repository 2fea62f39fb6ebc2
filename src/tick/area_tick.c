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
 * What another space has handed over: see handed_areas.c.
 */
#include "tick/area_stages.h"

#include "space/box_search.h"
#include "space/scratch.h"

/* ------------------------------------------------------------------ */
/* Which areas have changed                                            */
/* ------------------------------------------------------------------ */

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
                                       .current = state->current,
                                       .is_handed = state->is_handed};
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
        if (note->before == NULL || note->is_handed)
            continue;
        const struct box box = area_box_at(note->before, note->from);
        area_grid_place(&tick->before, (uint32_t)i, &box, area_extent(note->before), FORM_UNKNOWN);
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Judging                                                             */
/* ------------------------------------------------------------------ */

bool area_tick_note_member(struct area_tick *tick, uint32_t number, aoi_id marker, bool was) {
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

/* ------------------------------------------------------------------ */
/* Changed markers                                                     */
/* ------------------------------------------------------------------ */

/* The marker was a member of the area, and is none any more. */
static bool lose_member(struct area_tick *tick, const struct changed_marker *marker, aoi_id area,
                        bool by_marker) {
    if (!by_marker)
        return areas_note_leave(tick->space, area, marker->now.id);
    if (!pairs_reserve(&tick->parted, memory_of(tick), 1))
        return false;
    tick->parted.items[tick->parted.count++] = (struct pair){area, marker->now.id};
    return true;
}

/* The areas of a grid that are what they were; in this stage those that go by the marker, or the
 * others. */
static bool find_left_of(struct area_tick *tick, const struct area_grid *grid,
                         const struct changed_marker *marker, bool by_marker) {
    const struct area_table *table = table_of(tick);
    struct area_search search = area_search_begin(grid);
    uint32_t found;
    while ((found = area_search_next(&search, marker->before.at.x, marker->before.at.y)) !=
           NO_AREA) {
        const struct area *area = &table->at[found];
        if (area->is_noted || !area_has(area, &marker->before, tick->space->dims == 3) ||
            by_marker != (marker->is_handed && goes_by_marker(area)))
            continue;
        const bool was = !by_marker || id_list_has(&marker->areas, area->id);
        if (!takes_now(tick, found, &marker->now, was) &&
            !lose_member(tick, marker, area->id, by_marker))
            return false;
    }
    return true;
}

bool area_tick_find_left(struct area_tick *tick, const struct changed_marker *marker,
                         bool by_marker) {
    for (int kind = 0; kind < AREA_GRIDS; kind++) {
        if (!find_left_of(tick, &table_of(tick)->grids[kind], marker, by_marker))
            return false;
    }
    struct area_search search = area_search_begin(&tick->before);
    uint32_t found;
    while ((found = area_search_next(&search, marker->before.at.x, marker->before.at.y)) !=
           NO_AREA) {
        const struct area_note *note = &tick->notes[found];
        if (by_marker != (marker->is_handed && goes_by_marker(note->before)) ||
            !had(tick, note, &marker->before))
            continue;
        const bool was = !by_marker || id_list_has(&marker->areas, note->before->id);
        if (!takes_now(tick, note->current, &marker->now, was) &&
            !lose_member(tick, marker, note->before->id, by_marker))
            return false;
    }
    return true;
}

static bool find_entered(struct area_tick *tick, const struct area_grid *grid,
                         const struct changed_marker *marker) {
    const struct area_table *table = table_of(tick);
    struct area_search search = area_search_begin(grid);
    uint32_t found;
    while ((found = area_search_next(&search, marker->now.at.x, marker->now.at.y)) != NO_AREA) {
        const struct area *area = &table->at[found];
        if (marker->is_handed && goes_by_marker(before_of(tick, area)))
            continue;
        const bool was = was_here(tick, area, &marker->before);
        if (takes_now(tick, found, &marker->now, was) &&
            !area_tick_note_member(tick, found, marker->now.id, was))
            return false;
    }
    return true;
}

struct changed_marker area_tick_changed_marker(const struct area_tick *tick, uint32_t state) {
    const struct aoi_space *space = tick->space;
    const uint32_t slot = space->old_states.states[state].current_slot;
    struct changed_marker marker = {.before = area_marker_of_state(space, state)};
    marker.now = (struct area_marker){.id = marker.before.id, .shown = 0};
    if (slot != NO_SLOT)
        marker.now = area_marker_at(space, slot);
    const uint32_t handed = handed_find(&space->handed, marker.now.id);
    marker.is_handed = handed != NO_SLOT;
    if (marker.is_handed)
        marker.areas = handed_areas_of(&space->handed, handed);
    return marker;
}

static bool find_for_changed(struct area_tick *tick) {
    for (uint32_t i = 0; i < tick->space->old_states.count; i++) {
        const struct changed_marker marker = area_tick_changed_marker(tick, i);
        if (marker.before.shown != 0 && !area_tick_find_left(tick, &marker, false))
            return false;
        for (int kind = 0; kind < AREA_GRIDS && marker.now.shown != 0; kind++) {
            if (!find_entered(tick, &table_of(tick)->grids[kind], &marker))
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
        if (may_gain && is && !area_tick_note_member(tick, note->current, marker.id, was))
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
        if (note->before != NULL && !note->is_handed) {
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
        if (note->collects && !list_sort(tick->space, &table_of(tick)->at[note->current].members))
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
    pairs_free(&tick->joined, memory_of(tick));
    pairs_free(&tick->parted, memory_of(tick));
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
    /* Who was handed in may have been in areas that do not stand here. */
    if (space->areas == NULL && (space->handed.areas.count == 0 || area_ops(space) == 0))
        return true;
    if (!areas_create(space))
        return false;
    if (!areas_matter(space))
        return true;
    areas_begin_change(space);
    tick->is_found = true;
    if (note_areas(tick) && find_for_changed(tick) && find_for_still(tick) &&
        area_tick_find_left_by_areas(tick) && area_tick_find_by_lists(tick) &&
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

static void remove_members(const struct area_tick *tick, const struct pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct area *area = keeper(tick, pairs[i].watcher);
        if (area != NULL)
            members_remove(&area->members, pairs[i].marker);
    }
}

static void add_members(const struct area_tick *tick, const struct pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct area *area = keeper(tick, pairs[i].watcher);
        if (area == NULL)
            continue;
        area->coming = 0;
        members_add(&area->members, pairs[i].marker);
    }
}

static void settle_members(struct area_tick *tick) {
    const struct areas *areas = tick->space->areas;
    if (areas->table.keeping == 0)
        return;
    return_members(tick);
    remove_members(tick, areas->leaves.items, tick->leaves);
    remove_members(tick, tick->parted.items, tick->parted.count);
    add_members(tick, areas->enters.items, tick->enters);
    add_members(tick, tick->joined.items, tick->joined.count);
}

/* False done: nobody is coming. */
static void forget_coming(const struct area_tick *tick) {
    areas_forget_coming(tick->space->areas);
    for (size_t i = 0; i < tick->joined.count; i++) {
        const uint32_t number = area_table_find(table_of(tick), tick->joined.items[i].watcher);
        table_of(tick)->at[number].coming = 0;
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
        forget_coming(tick);
        areas_drop_room(space);
        forget_collected(tick);
    }
    forget_notes(tick);
    if (done)
        area_states_clear(&areas->states, &areas->table, &space->memory.areas);
    areas_trim(space);
}
