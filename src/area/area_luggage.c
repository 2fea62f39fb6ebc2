/* area_luggage.c - areas of an entity in a hand-over: memberships and owned areas found, written
 * and read. */
#include "area/area_luggage.h"

#include "record/saved_area.h"
#include "area/area_description.h"
#include "area/area_former.h"
#include "area/saved_areas.h"
#include "query/box_search.h"
#include "space/scratch.h"

/* An area that comes along: its owner is no one yet, and it stands at its offset. */
struct arriving_area {
    struct area area; /* with its members at the last tick */
    bool was;         /* it was there at the last tick */
};

/* The fewest bytes of each. */
enum { LEAST_ID = 1, LEAST_AREA = 28 };

/* ------------------------------------------------------------------ */
/* The memberships of a marker                                         */
/* ------------------------------------------------------------------ */

/* Of all without owner, those in which the entity in slot was: a list of the scratch. */
static const struct id_list *find_memberships(struct aoi_space *space, uint32_t slot) {
    const uint32_t handed = handed_find(&space->handed, space->entities.at[slot].id);
    struct id_list *found = list_begin(space, LIST_AREAS, 0);
    if (handed != NO_SLOT) {
        const struct id_list listed = handed_areas_of(&space->handed, handed);
        return list_add(space, found, listed.ids, listed.count) ? found : NULL;
    }
    const struct areas *areas = space->areas;
    if (areas == NULL)
        return found;
    const struct area_marker marker = area_marker_before(space, slot);
    const bool with_z = space->dims == 3;
    struct area_search search =
        area_search_begin(&areas->table.grids[STILL_AREAS], marker.at.x, marker.at.y);
    uint32_t number;
    while ((number = area_search_next(&search)) != NO_AREA) {
        const struct area *area = &areas->table.at[number];
        if (area->old == NO_AREA && area_has(area, &marker, with_z) &&
            !list_add(space, found, &area->id, 1))
            return NULL;
    }
    for (size_t i = 0; i < areas->states.count; i++) { /* of areas that have changed since */
        const struct area *before = &areas->states.items[i].before;
        if (!before->is_owned && area_has(before, &marker, with_z) &&
            !list_add(space, found, &before->id, 1))
            return NULL;
    }
    return list_sort(space, found) ? found : NULL;
}

void area_luggage_find(struct stream *stream, struct aoi_space *space, uint32_t slot, bool *some) {
    const struct id_list *memberships = find_memberships(space, slot);
    if (memberships == NULL)
        stream->status = AOI_NOMEM;
    else if (memberships->count > 0 || areas_first_owned(space, slot) != NO_AREA)
        *some = true;
}

/* ------------------------------------------------------------------ */
/* The areas of an owner                                               */
/* ------------------------------------------------------------------ */

/* The members, in no order, of an area that keeps none and that was so, and there, at the last
 * tick. */
static bool find_members(struct aoi_space *space, const struct area *before, aoi_point at,
                         struct id_list *found) {
    const struct old_states *old = &space->old_states;
    const struct box box = area_box_at(before, at);
    const bool with_z = space->dims == 3;
    if (!box_search(space, &box))
        return false;
    const struct hits *hits = &space->visibility.hits;
    for (size_t i = 0; i < hits->count; i++) {
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        if (!space->entities.at[hits->slots[i]].changed &&
            area_takes_at(before, &at, &marker, false, with_z) &&
            !list_add(space, found, &marker.id, 1))
            return false;
    }
    for (uint32_t number = 0; number < old->count; number++) {
        const struct area_marker marker = area_marker_of_state(space, number);
        if (area_takes_at(before, &at, &marker, false, with_z) &&
            !list_add(space, found, &marker.id, 1))
            return false;
    }
    return true;
}

static bool write_members(struct stream *stream, struct aoi_space *space, const struct area *area) {
    const struct area *before = area_before(space, area);
    const aoi_point at = before == area ? area_place_before(space, area) : before->at;
    uint8_t was = before->shape != 0;
    stream_byte(stream, &was);
    if (before->keeps_members)
        save_members(stream, &before->members);
    if (before->keeps_members || !was)
        return true;
    struct id_list *members = list_begin(space, LIST_MEMBERS, 0);
    const bool found = find_members(space, before, at, members) && list_sort(space, members);
    if (found)
        save_members(stream, members);
    list_end(space, LIST_MEMBERS);
    return found;
}

/* Each stands where its offset is. */
static bool write_owned(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    struct id_list *owned = list_begin(space, LIST_OWNED_AREAS, 0);
    for (uint32_t number = areas_first_owned(space, slot); number != NO_AREA;
         number = space->areas->table.at[number].next_owned) {
        if (!list_add(space, owned, &space->areas->table.at[number].id, 1))
            return false;
    }
    if (!list_sort(space, owned))
        return false;
    stream_write_count(stream, owned->count);
    for (size_t i = 0; i < owned->count; i++) {
        const struct area *area = areas_named(space, owned->ids[i]);
        struct area placed = *area;
        placed.is_owned = false;
        placed.at = area->offset;
        aoi_area given = area_description_of(&placed);
        stream_id(stream, &placed.id);
        stream_area(stream, &given, space->dims);
        if (!write_members(stream, space, area))
            return false;
    }
    return true;
}

void area_luggage_write(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    save_members(stream, &space->lists[LIST_AREAS]);
    if (!write_owned(stream, space, slot))
        stream->status = AOI_NOMEM;
}

void area_luggage_drop(struct aoi_space *space, uint32_t slot) {
    uint32_t number;
    while ((number = areas_first_owned(space, slot)) != NO_AREA) {
        struct areas *areas = space->areas;
        area_states_note_hand_out(&areas->states, &areas->table, number, &space->memory.areas);
        area_table_remove(&areas->table, number);
    }
    areas_trim(space);
}

/* ------------------------------------------------------------------ */
/* In                                                                  */
/* ------------------------------------------------------------------ */

static void read_memberships(struct stream *stream, struct aoi_space *space, size_t *listed) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_ID, "areas that it was in");
    if (!stream_is_well(stream))
        return;
    if (!handed_reserve_areas(&space->handed, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    struct id_list behind = {NULL, 0, 0};
    if (count > 0)
        behind.ids = id_list_end(&space->handed.areas);
    load_ids(stream, &behind, count);
    *listed = (size_t)count;
}

static void read_description(struct stream *stream, struct aoi_space *space, struct area *area) {
    aoi_area given = {.given = 0};
    aoi_complaint complaint = {""};
    aoi_id id = 0;
    stream_id(stream, &id);
    stream_area(stream, &given, space->dims);
    if (!stream_is_well(stream))
        return;
    if (aoi_has_area(space, id)) {
        stream_refuse(stream, "area %lld is there already", (long long)id);
        stream->status = AOI_EXISTS;
    } else if (given.shape == AOI_AREA_POLYGON || (given.given & AOI_AREA_GIVEN_OWNER)) {
        stream_refuse(stream, "area %lld can't go along", (long long)id);
    } else if (area_describe(space, &given, NULL, area, &complaint) != AOI_OK) {
        stream_refuse(stream, "area %lld: %.150s", (long long)id, complaint.text);
    }
    area->id = id;
}

static void read_owned(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_AREA, "areas that it owns");
    if (!stream_is_well(stream) || count == 0)
        return;
    struct memory *memory = &space->memory.areas;
    const bool is_reserved = areas_reserve(space, true, (size_t)count) &&
                             array_extend(&space->areas->arriving, memory, (size_t)count) &&
                             area_states_reserve(&space->areas->states, memory, (size_t)count);
    if (!is_reserved) {
        stream->status = AOI_NOMEM;
        return;
    }
    struct areas *areas = space->areas;
    for (; areas->arriving.count < count && stream_is_well(stream); areas->arriving.count++) {
        struct arriving_area *item = &areas->arriving.items[areas->arriving.count];
        uint8_t was = 0;
        *item = (struct arriving_area){.area = {.shape = 0}};
        read_description(stream, space, &item->area);
        if (areas->arriving.count > 0 && item->area.id <= item[-1].area.id)
            stream_refuse(stream, "area %lld is out of turn", (long long)item->area.id);
        stream_byte(stream, &was);
        if (was > 1)
            stream_refuse(stream, "area %lld was there or was not", (long long)item->area.id);
        item->was = was == 1;
        if (stream_is_well(stream) && item->was)
            load_members(stream, space, &item->area.members);
    }
}

void area_luggage_read(struct stream *stream, struct aoi_space *space, size_t *listed) {
    read_memberships(stream, space, listed);
    if (stream_is_well(stream))
        read_owned(stream, space);
}

void area_luggage_take(struct aoi_space *space, uint32_t slot) {
    struct areas *areas = space->areas;
    const aoi_point place = space_place(space, slot);
    for (size_t i = 0; areas != NULL && i < areas->arriving.count; i++) {
        struct arriving_area *item = &areas->arriving.items[i];
        struct id_list members = item->area.members;
        item->area.members = (struct id_list){NULL, 0, 0};
        item->area.offset = item->area.at;
        item->area.is_owned = true;
        item->area.owner = space->entities.at[slot].id;
        item->area.owner_slot = slot;
        item->area.at = area_place_at(&item->area, place);
        const uint32_t number = area_table_add(&areas->table, &item->area);
        if (item->was)
            area_states_note_hand_in(&areas->states, &areas->table, number, members,
                                     &space->memory.areas);
        else
            area_states_note_add(&areas->states, &areas->table, number);
    }
}

void area_luggage_free(struct aoi_space *space) {
    struct memory *memory = &space->memory.areas;
    struct areas *areas = space->areas;
    if (areas == NULL)
        return;
    for (size_t i = 0; i < areas->arriving.count; i++)
        id_list_free(&areas->arriving.items[i].area.members, memory);
    array_free(&areas->arriving, memory);
    areas_trim(space);
}
