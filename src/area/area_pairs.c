/*
 * area_pairs.c - one marker among the areas of a tick.
 *
 * Areas are looked for at the place where the marker was, and at the place where
 * it is; areas that have changed, or moved with their owner, stand in a grid of
 * their own as they were. A list that came along with the marker says itself in
 * which areas it was.
 */
#include "area/area_pairs.h"

#include "area/area_found.h"

/* True when the area of this id, in that slot or gone, had an owner at the last tick. */
static bool was_owned(const struct area_tick *tick, aoi_id id, uint32_t slot) {
    const struct area_states *states = &tick->space->areas->states;
    if (slot != NO_AREA)
        return area_before(tick->space, &tick_areas(tick)->at[slot])->is_owned;
    const uint32_t gone = area_states_find_gone(states, id);
    return gone != NO_SLOT && states->items[gone].before.is_owned;
}

/* Room for one more of the kept members, beside those who are coming. */
static bool expect_member(struct area_tick *tick, struct area *area) {
    struct id_list *members = area->old == NO_AREA
                                  ? &area->members
                                  : &tick->space->areas->states.items[area->old].before.members;
    if (!area->keeps_members || area_collects(tick, area))
        return true;
    if (!id_list_reserve(members, &tick->space->memory.areas, (size_t)area->coming + 1))
        return false;
    area->coming++;
    return true;
}

bool area_pairs_note_member(struct area_tick *tick, uint32_t slot, aoi_id marker, bool was) {
    struct aoi_space *space = tick->space;
    struct area *area = &tick_areas(tick)->at[slot];
    if (!was && !areas_note_enter(space, NULL, area->id, marker))
        return false;
    if (!area_collects(tick, area))
        return was || expect_member(tick, area);
    return id_list_add(&area->members, &space->memory.areas, marker);
}

/* Finds leaves of areas that have not changed. */
static bool find_left(struct area_tick *tick, const struct former_marker *former,
                      const struct area_marker *now) {
    const struct area_table *table = tick_areas(tick);
    const aoi_point *at = &former->marker.at;
    for (int kind = 0; kind < AREA_GRIDS; kind++) {
        struct area_search search = area_search_begin(&table->grids[kind], at->x, at->y);
        uint32_t found;
        while ((found = area_search_next(&search)) != NO_AREA) {
            const struct area *area = &table->at[found];
            if (!area->is_noted && !area_goes_by_list(area, former) &&
                area_had(area, &area->at, former, table->with_z) &&
                !area_pairs_take(tick, found, now, true) &&
                !areas_note_leave(tick->space, area->id, now->id))
                return false;
        }
    }
    return true;
}

/* Finds leaves of areas that have changed. */
static bool find_left_of_noted(struct area_tick *tick, const struct former_marker *former,
                               const struct area_marker *now) {
    const aoi_point *at = &former->marker.at;
    struct area_search search = area_search_begin(&tick->before, at->x, at->y);
    uint32_t found;
    while ((found = area_search_next(&search)) != NO_AREA) {
        const struct area_note *note = &tick->notes.items[found];
        if (!area_goes_by_list(note->before, former) &&
            area_had(note->before, &note->from, former, tick->space->dims == 3) &&
            !area_pairs_take(tick, note->current, now, true) &&
            !areas_note_leave(tick->space, note->before->id, now->id))
            return false;
    }
    return true;
}

/* Finds leaves of areas of the list. The list counts, and not the view that this space had of the
 * marker: so a kept list of members may get it. */
static bool find_left_of_list(struct area_tick *tick, const struct former_marker *former,
                              const struct area_marker *now) {
    for (size_t i = 0; i < former->areas.count; i++) {
        const aoi_id id = former->areas.ids[i];
        const uint32_t slot = area_table_find(tick_areas(tick), id);
        if (was_owned(tick, id, slot))
            continue;
        if ((slot != NO_AREA && !expect_member(tick, &tick_areas(tick)->at[slot])) ||
            (!area_pairs_take(tick, slot, now, true) &&
             !areas_note_leave(tick->space, id, now->id)))
            return false;
    }
    return true;
}

static bool find_entered(struct area_tick *tick, const struct former_marker *former,
                         const struct area_marker *now) {
    const struct area_table *table = tick_areas(tick);
    for (int kind = 0; kind < AREA_GRIDS; kind++) {
        struct area_search search = area_search_begin(&table->grids[kind], now->at.x, now->at.y);
        uint32_t found;
        while ((found = area_search_next(&search)) != NO_AREA) {
            const struct area *before = &table->at[found];
            const aoi_point *from = &before->at;
            if (before->is_noted) {
                const struct area_note *note = &tick->notes.items[before->note];
                before = note->before;
                from = &note->from;
            }
            const bool was = area_had(before, from, former, table->with_z);
            if (area_pairs_take(tick, found, now, was) &&
                !area_pairs_note_member(tick, found, now->id, was))
                return false;
        }
    }
    return true;
}

bool area_pairs_of_marker(struct area_tick *tick, const struct former_marker *former,
                          const struct area_marker *now) {
    return (!former->is_listed || find_left_of_list(tick, former, now)) &&
           (former->marker.shown == 0 ||
            (find_left(tick, former, now) && find_left_of_noted(tick, former, now))) &&
           (now->shown == 0 || find_entered(tick, former, now));
}
