/*
 * area_calls.c - the calls that make, change and end areas.
 *
 * Each such call makes a whole area of what it is given, and finds out who is
 * inside that one and not inside the one before, and the other way round. In a
 * deferred space it only notes what the area was.
 */
#include <string.h>

#include "area/area_description.h"
#include "area/area_former.h"
#include "area/area_found.h"
#include "space/recording.h"
#include "space/scratch.h"

/* Finds the events of an area (NULL: none) that becomes another (NULL: none), and the members of
 * the latter if it keeps them. */
static bool find_events(struct aoi_space *space, const struct area *before, struct area *after) {
    struct id_list *all = after != NULL && after->keeps_members ? &after->members : NULL;
    areas_begin_change(space);
    if (area_ops(space) == 0 && all == NULL)
        return true;
    return areas_find_difference(space, before, before != NULL ? &before->at : NULL, after,
                                 after != NULL ? &after->at : NULL, all) &&
           (all == NULL || list_sort(space, all)) && areas_reserve_events(space);
}

/* Makes the change, for which all is reserved. before: NULL where there was none; after: NULL where
 * there is none, else what it points to belongs to the space from now on. */
static void put(struct aoi_space *space, const struct area *before, const struct area *after) {
    struct areas *areas = space->areas;
    struct area_table *table = &areas->table;
    if (before == NULL) {
        const uint32_t number = area_table_add(table, after);
        if (space->deferred)
            area_states_note_add(&areas->states, table, number);
        return;
    }
    const uint32_t number = (uint32_t)(before - table->at);
    if (space->deferred)
        area_states_note_change(&areas->states, table, number, area_place_before(space, before));
    if (after == NULL) {
        if (space->deferred)
            area_states_note_remove(&areas->states, table, number, &space->memory.areas);
        area_table_remove(table, number);
        return;
    }
    area_table_replace(table, number, after);
}

/* The course of every change of an area. after: its outline and members are given to the space, or
 * freed. */
static aoi_status change_area(struct aoi_space *space, aoi_id id, struct area *after) {
    const bool is_new = areas_named(space, id) == NULL;
    bool found =
        (after == NULL || areas_reserve(space, after->is_owned, 1)) &&
        (!space->deferred || area_states_reserve(&space->areas->states, &space->memory.areas, 1));
    const struct area *before = areas_named(space, id); /* not sooner: the table may have moved */
    if (found && !space->deferred)
        found = find_events(space, before, after);
    if (!found) {
        if (after != NULL)
            area_release(after, &space->memory.areas);
        return AOI_NOMEM;
    }
    if (!space->deferred)
        areas_queue_events(space);
    put(space, is_new ? NULL : before, after);
    return AOI_OK;
}

/* Makes the change of a call that has been recorded, if need be. */
static aoi_status carry_out(struct aoi_space *space, aoi_id id, struct area *after) {
    scratch_end_call(space);
    const aoi_status status = change_area(space, id, after);
    areas_trim(space);
    space_check(space);
    return call_done(space, status);
}

/* Makes an area of what is given, and for the rest of the one before (NULL: there is none). */
static aoi_status make_area(struct aoi_space *space, enum call_kind kind, aoi_id id,
                            const aoi_area *description, const struct area *before,
                            aoi_complaint *complaint) {
    /* A caller built against an older header has a shorter struct. */
    aoi_area given = {.given = 0};
    const size_t size = description->struct_size;
    memcpy(&given, description, size < sizeof given ? size : sizeof given);
    struct area area;
    const aoi_status status = area_describe(space, &given, before, &area, complaint);
    if (status != AOI_OK)
        return status;
    area.id = id;
    if (!RECORD_CALL(space, .kind = kind, .id = id, .area = &given)) {
        outline_release(area.outline);
        return AOI_NOMEM;
    }
    return carry_out(space, id, &area);
}

aoi_status aoi_add_area(aoi_space *space, aoi_id id, const aoi_area *description,
                        aoi_complaint *complaint) {
    if (aoi_has_area(space, id))
        return AOI_EXISTS;
    return make_area(space, CALL_ADD_AREA, id, description, NULL, complaint);
}

aoi_status aoi_set_area(aoi_space *space, aoi_id id, const aoi_area *description,
                        aoi_complaint *complaint) {
    const struct area *before = areas_named(space, id);
    if (before == NULL)
        return AOI_NO_AREA;
    return make_area(space, CALL_SET_AREA, id, description, before, complaint);
}

/* Recorded as the call that it comes to. */
aoi_status aoi_update_area(aoi_space *space, aoi_id id, const aoi_area *description, bool *added,
                           aoi_complaint *complaint) {
    const bool is_new = !aoi_has_area(space, id);
    if (added != NULL)
        *added = is_new;
    return is_new ? aoi_add_area(space, id, description, complaint)
                  : aoi_set_area(space, id, description, complaint);
}

aoi_status aoi_move_area(aoi_space *space, aoi_id id, aoi_point place) {
    const struct area *before = areas_named(space, id);
    if (before == NULL)
        return AOI_NO_AREA;
    if (before->is_owned || before->shape == AOI_AREA_POLYGON)
        return AOI_NO_PLACE;
    const aoi_area given = {.struct_size = sizeof given,
                            .given = AOI_AREA_GIVEN_PLACE,
                            .x = place.x,
                            .y = place.y,
                            .z = place.z};
    struct area area;
    const aoi_status status = area_describe(space, &given, before, &area, NULL);
    if (status != AOI_OK)
        return status;
    if (!RECORD_CALL(space, .kind = CALL_MOVE_AREA, .id = id, .place = &place))
        return AOI_NOMEM;
    return carry_out(space, id, &area);
}

aoi_status aoi_remove_area(aoi_space *space, aoi_id id) {
    if (!aoi_has_area(space, id))
        return AOI_NO_AREA;
    if (!RECORD_CALL(space, .kind = CALL_REMOVE_AREA, .id = id))
        return AOI_NOMEM;
    return carry_out(space, id, NULL);
}
