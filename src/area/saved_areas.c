/* saved_areas.c - areas, members and old states of areas, written and read; a save is not
 * trusted. */
#include "area/saved_areas.h"

#include <math.h>

#include "record/saved_area.h"
#include "area/area_description.h"
#include "area/area_former.h"

/* The fewest bytes of each. */
enum { LEAST_AREA = 4, LEAST_STATE = 2, LEAST_MEMBER = 1 };

/* Bits of a state about the owner. */
enum { STATE_IS_OWNED = 1, STATE_IS_HANDED = 2, STATE_FLAGS = 3 };

/* ------------------------------------------------------------------ */
/* Saving                                                              */
/* ------------------------------------------------------------------ */

void save_members(struct stream *stream, const struct id_list *members) {
    stream_write_count(stream, members->count);
    for (size_t i = 0; i < members->count; i++)
        stream_id(stream, &members->ids[i]);
}

static void save_area(struct stream *stream, const struct aoi_space *space,
                      const struct area *area) {
    aoi_area given = area_description_of(area);
    stream_area(stream, &given, space->dims);
    stream_rings(stream, &given, NULL, NULL);
}

static void save_state(struct stream *stream, const struct aoi_space *space,
                       const struct area_state *state) {
    const struct area *before = &state->before;
    uint8_t owner = (uint8_t)(before->is_owned | (state->is_handed ? STATE_IS_HANDED : 0));
    struct area placed = *before;
    placed.is_owned = false;
    save_area(stream, space, &placed);
    stream_byte(stream, &owner);
    if (before->is_owned)
        stream_id(stream, &placed.owner);
    if (before->keeps_members)
        save_members(stream, &before->members);
}

void save_areas(struct stream *stream, const struct aoi_space *space) {
    stream_write_count(stream, aoi_area_count(space));
    for (uint32_t number = 0; space->areas != NULL && number < space->areas->table.used; number++) {
        struct area area = space->areas->table.at[number];
        if (area.shape == 0)
            continue;
        stream_id(stream, &area.id);
        save_area(stream, space, &area);
        uint8_t has_members = area.old == NO_AREA;
        if (area.keeps_members)
            stream_byte(stream, &has_members);
        if (area.keeps_members && has_members)
            save_members(stream, &area.members);
    }
    const size_t count = space->areas == NULL ? 0 : space->areas->states.count;
    stream_write_count(stream, count);
    for (size_t i = 0; i < count; i++) {
        const struct area_state *state = &space->areas->states.items[i];
        aoi_id id = state->before.id;
        uint8_t was = state->before.shape != 0;
        stream_id(stream, &id);
        stream_byte(stream, &was);
        if (was)
            save_state(stream, space, state);
    }
}

/* ------------------------------------------------------------------ */
/* Loading                                                             */
/* ------------------------------------------------------------------ */

/* Reads what is said of an area, and makes it. It is whole, or the stream is not well.
 * may_be_far: its place may be beyond all numbers, where that of an owner and an offset are. */
static void load_area(struct stream *stream, struct aoi_space *space, aoi_id id, struct area *area,
                      bool may_be_far) {
    struct memory *memory = &space->memory.scratch;
    struct ring_room room = {.rings = {.items = NULL}};
    aoi_area given = {.given = 0};
    aoi_complaint complaint = {""};
    *area = (struct area){.shape = 0};
    stream_area(stream, &given, space->dims);
    if (stream_is_well(stream))
        stream_rings(stream, &given, memory, &room);
    const aoi_point at = {given.x, given.y, given.z};
    if (may_be_far)
        given.x = given.y = given.z = 0;
    if (stream_is_well(stream)) {
        const aoi_status status = area_describe(space, &given, NULL, area, &complaint);
        if (status == AOI_NOMEM)
            stream->status = AOI_NOMEM;
        else if (status == AOI_NO_OWNER)
            stream_refuse(stream, "area %lld: its owner is not there", (long long)id);
        else if (status != AOI_OK)
            stream_refuse(stream, "area %lld: %.150s", (long long)id, complaint.text);
    }
    ring_room_free(&room, memory);
    if (may_be_far)
        area->at = at;
    area->id = id;
}

void load_ids(struct stream *stream, struct id_list *list, uint64_t count) {
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id id = 0;
        stream_id(stream, &id);
        if (i > 0 && id <= list->ids[list->count - 1])
            stream_refuse(stream, "id %lld is out of turn", (long long)id);
        list->ids[list->count++] = id;
    }
}

void load_members(struct stream *stream, struct aoi_space *space, struct id_list *members) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_MEMBER, "members of an area");
    if (id_list_reserve(members, &space->memory.areas, (size_t)count))
        load_ids(stream, members, count);
    else
        stream->status = AOI_NOMEM;
}

/* The area was there. */
static void check_members(struct stream *stream, const struct aoi_space *space,
                          const struct area *area, const aoi_point *at) {
    for (size_t i = 0; i < area->members.count && stream_is_well(stream); i++) {
        uint32_t slot;
        const struct area_marker marker = area_marker_then(space, area->members.ids[i], &slot);
        if (!area_takes_at(area, at, &marker, true, space->dims == 3))
            stream_refuse(stream, "area %lld: %lld can't be its member", (long long)area->id,
                          (long long)area->members.ids[i]);
    }
}

static void load_current(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_AREA, "areas");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        struct area area;
        aoi_id id = 0;
        stream_id(stream, &id);
        load_area(stream, space, id, &area, false);
        uint8_t has_members = 0;
        if (stream_is_well(stream) && area.keeps_members)
            stream_byte(stream, &has_members);
        if (stream_is_well(stream) && has_members > 1)
            stream_refuse(stream, "area %lld has bad members", (long long)id);
        if (has_members == 1)
            load_members(stream, space, &area.members);
        area.note = has_members; /* until its state is read, if it has one */
        if (aoi_has_area(space, id))
            stream_refuse(stream, "area %lld is there twice", (long long)id);
        if (stream_is_well(stream) && !areas_reserve(space, area.is_owned, 1))
            stream->status = AOI_NOMEM;
        if (!stream_is_well(stream)) {
            area_release(&area, &space->memory.areas);
            return;
        }
        area_table_add(&space->areas->table, &area);
    }
}

/* Only a place that is the sum of two finite numbers may be infinite. */
static bool state_can_be_at(const aoi_point *at, bool is_owned) {
    return is_owned ? !isnan(at->x) && !isnan(at->y) && !isnan(at->z)
                    : isfinite(at->x) && isfinite(at->y) && isfinite(at->z);
}

static void load_state(struct stream *stream, struct aoi_space *space, struct area *before,
                       bool *is_handed) {
    uint8_t owner = 0;
    load_area(stream, space, before->id, before, true);
    if (stream_is_well(stream) && before->is_owned)
        stream_refuse(stream, "area %lld: its state has an owner", (long long)before->id);
    stream_byte(stream, &owner);
    if (owner > STATE_FLAGS || owner == STATE_IS_HANDED ||
        (owner != 0 && before->shape == AOI_AREA_POLYGON))
        stream_refuse(stream, "area %lld: its state has a bad owner", (long long)before->id);
    before->is_owned = (owner & STATE_IS_OWNED) != 0;
    if (!state_can_be_at(&before->at, before->is_owned))
        stream_refuse(stream, "area %lld: its state can't be there", (long long)before->id);
    *is_handed = (owner & STATE_IS_HANDED) != 0;
    before->keeps_members = before->keeps_members || *is_handed;
    if (before->is_owned)
        stream_id(stream, &before->owner);
    if (stream_is_well(stream) && before->keeps_members)
        load_members(stream, space, &before->members);
    if (stream_is_well(stream) && !*is_handed)
        check_members(stream, space, before, &before->at);
}

static void load_states(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_STATE, "states of areas");
    if (count > 0 && !space->deferred)
        stream_refuse(stream, "there are states of areas, in a space that is not deferred");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        struct area before = {.shape = 0};
        uint8_t was = 0;
        bool is_handed = false;
        stream_id(stream, &before.id);
        stream_byte(stream, &was);
        if (was > 1)
            stream_refuse(stream, "area %lld has a bad state", (long long)before.id);
        if (stream_is_well(stream) && was == 1)
            load_state(stream, space, &before, &is_handed);
        if (stream_is_well(stream) &&
            (!areas_create(space) ||
             !area_states_reserve(&space->areas->states, &space->memory.areas, 1)))
            stream->status = AOI_NOMEM;
        if (stream_is_well(stream) &&
            !area_states_restore(&space->areas->states, &space->areas->table, &before, is_handed))
            stream_refuse(stream, "area %lld: its state can't be", (long long)before.id);
        if (!stream_is_well(stream))
            area_release(&before, &space->memory.areas);
    }
}

/* All states together decide which members were settled. */
static void check_current(struct stream *stream, struct aoi_space *space) {
    struct area_table *table = &space->areas->table;
    for (uint32_t number = 0; number < table->used && stream_is_well(stream); number++) {
        struct area *area = &table->at[number];
        const bool is_settled = area->keeps_members && area->old == NO_AREA;
        if (is_settled != (area->note == 1))
            stream_refuse(stream, "area %lld has members, or none, against its state",
                          (long long)area->id);
        area->note = 0;
        if (!is_settled || !stream_is_well(stream))
            continue;
        const aoi_point at = area_place_before(space, area);
        check_members(stream, space, area, &at);
    }
}

void load_areas(struct stream *stream, struct aoi_space *space) {
    load_current(stream, space);
    if (stream_is_well(stream))
        load_states(stream, space);
    if (space->areas != NULL && stream_is_well(stream))
        check_current(stream, space);
}
