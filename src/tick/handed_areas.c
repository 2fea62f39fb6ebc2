/*
 * handed_areas.c - what a tick means for areas that another space has handed
 * over, and for markers and the areas without owner.
 *
 * Such an area was nowhere: its members then are a list. So are the areas in
 * which such a marker was; what this space knows of that marker is then only of
 * use for the lists of members here, which are made right with it.
 */
#include "tick/area_stages.h"

bool area_tick_find_left_by_areas(struct area_tick *tick) {
    const struct aoi_space *space = tick->space;
    for (size_t i = 0; i < tick->count; i++) {
        const struct area_note *note = &tick->notes[i];
        for (size_t k = 0; note->is_handed && k < note->before->members.count; k++) {
            const aoi_id id = note->before->members.ids[k];
            const uint32_t slot = space_find(space, id);
            struct area_marker now = {.id = id, .shown = 0};
            if (slot != NO_SLOT)
                now = area_marker_at(space, slot);
            if (!takes_now(tick, note->current, &now, true) &&
                !areas_note_leave(tick->space, note->before->id, id))
                return false;
        }
    }
    return true;
}

/* The marker is in one of the areas that go by its list. */
static bool note_member_by_list(struct area_tick *tick, uint32_t number,
                                const struct changed_marker *marker, bool was) {
    struct area *area = &table_of(tick)->at[number];
    if (!was && !areas_note_enter(tick->space, NULL, area->id, marker->now.id))
        return false;
    if (!area->keeps_members)
        return true;
    if (area->is_noted && tick->notes[area->note].collects)
        return area_tick_note_member(tick, number, marker->now.id, true);
    if (was_here(tick, area, &marker->before))
        return true;
    if (!id_list_reserve(members_to_be(tick, area), &tick->space->memory.areas,
                         (size_t)area->coming + 1) ||
        !pairs_reserve(&tick->joined, memory_of(tick), 1))
        return false;
    area->coming++;
    tick->joined.items[tick->joined.count++] = (struct pair){area->id, marker->now.id};
    return true;
}

static bool find_entered_by_list(struct area_tick *tick, const struct area_grid *grid,
                                 const struct changed_marker *marker) {
    const struct area_table *table = table_of(tick);
    struct area_search search = area_search_begin(grid);
    uint32_t found;
    while ((found = area_search_next(&search, marker->now.at.x, marker->now.at.y)) != NO_AREA) {
        const struct area *area = &table->at[found];
        const bool was = id_list_has(&marker->areas, area->id);
        if (goes_by_marker(before_of(tick, area)) && takes_now(tick, found, &marker->now, was) &&
            !note_member_by_list(tick, found, marker, was))
            return false;
    }
    return true;
}

/* What the area of this id was at the last tick; NULL: there was none. number: of what it is now.
 */
static const struct area *area_then(const struct area_tick *tick, aoi_id id, uint32_t *number) {
    const struct areas *areas = tick->space->areas;
    *number = area_table_find(&areas->table, id);
    if (*number != NO_AREA)
        return before_of(tick, &areas->table.at[*number]);
    const uint32_t gone = id_table_find(&areas->states.gone, id);
    return gone == NO_NUMBER ? NULL : &areas->states.items[gone].before;
}

static bool find_left_by_list(struct area_tick *tick, const struct changed_marker *marker) {
    for (size_t i = 0; i < marker->areas.count; i++) {
        const aoi_id id = marker->areas.ids[i];
        uint32_t number;
        if (goes_by_marker(area_then(tick, id, &number)) &&
            !takes_now(tick, number, &marker->now, true) &&
            !areas_note_leave(tick->space, id, marker->now.id))
            return false;
    }
    return true;
}

/* What is told of markers that were handed in, and areas without owner: it comes behind all else.
 */
bool area_tick_find_by_lists(struct area_tick *tick) {
    const struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    tick->leaves = space->areas->leaves.count;
    tick->enters = space->areas->enters.count;
    for (uint32_t handed = 0; handed < space->handed.count; handed++) {
        const aoi_id id = space->handed.watchers[handed].id;
        const uint32_t slot = space_find(space, id);
        const uint32_t state = slot != NO_SLOT ? old->of_slot[slot] : old_states_find_gone(old, id);
        struct changed_marker marker = {.now = {.id = id, .shown = 0},
                                        .before = {.id = id, .shown = 0},
                                        .is_handed = true,
                                        .areas = handed_areas_of(&space->handed, handed)};
        if (state != NO_SLOT)
            marker = area_tick_changed_marker(tick, state);
        if (!find_left_by_list(tick, &marker) ||
            (marker.before.shown != 0 && !area_tick_find_left(tick, &marker, true)))
            return false;
        for (int kind = 0; kind < AREA_GRIDS && marker.now.shown != 0; kind++) {
            if (!find_entered_by_list(tick, &table_of(tick)->grids[kind], &marker))
                return false;
        }
    }
    return true;
}
