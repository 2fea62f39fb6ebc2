/*
 * hand_over.c - aoi_handed, aoi_hand_out, aoi_hand_in: an entity goes to another space, and comes
 * from one.
 *
 * Who is handed out was no watcher at the last tick: so its old state says from
 * then on, and so does that of one who is handed in. All that is told to the
 * latter comes from the list that it brings, which waits in space->handed.
 */
#include <string.h>

#include "base/checksum.h"
#include "crowd/crowd.h"
#include "crowd/told.h"
#include "hand_over/luggage.h"
#include "space/capability.h"
#include "space/change.h"
#include "space/rebuild.h"
#include "space/recording.h"
#include "space/scratch.h"

static const uint8_t magic[LUGGAGE_SUM_AT] = {'A', 'O', 'H', LUGGAGE_VERSION};

aoi_status aoi_anchor(const aoi_space *space, aoi_id id, aoi_point *anchor) {
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    const struct entity *entity = &space->entities.at[slot];
    *anchor = (aoi_point){entity->x, entity->y, entity->z};
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* The luggage of an entity                                            */
/* ------------------------------------------------------------------ */

static bool are_apart(aoi_point a, aoi_point b) {
    return a.x != b.x || a.y != b.y || a.z != b.z;
}

/* Gives place and anchor of the entity in slot at the last tick; false: it was nowhere. */
static bool find_then(const struct aoi_space *space, uint32_t slot, aoi_point *place,
                      aoi_point *anchor) {
    const struct old_states *old = &space->old_states;
    const struct entity *entity = &space->entities.at[slot];
    const uint32_t handed = handed_find(&space->handed, entity->id);
    *place = space_place(space, slot);
    if (handed != NO_SLOT) {
        entity = &space->handed.watchers.items[handed];
        *place = space->handed.more.items[handed].place;
    } else if (entity->changed) {
        *place = old_states_place(old, old->of_slot.items[slot]);
        entity = &old->states[old->of_slot.items[slot]];
    }
    *anchor = (aoi_point){entity->x, entity->y, entity->z};
    return entity->mode != 0;
}

/* Where one who was inside at the last tick truly was. */
static aoi_point place_then(const struct aoi_space *space, aoi_id id) {
    const struct old_states *old = &space->old_states;
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return old_states_place(old, old_states_find_gone(old, id));
    return space->entities.at[slot].changed ? old_states_place(old, old->of_slot.items[slot])
                                            : space_place(space, slot);
}

static struct luggage luggage_of(const struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities.at[slot];
    struct luggage luggage = {.dims = (uint8_t)space->dims,
                              .id = entity->id,
                              .tick = space->moment.ticks,
                              .place = space_place(space, slot),
                              .anchor = {entity->x, entity->y, entity->z}};
    aoi_traits_of(space, entity->id, &luggage.traits);
    if (space->crowd != NULL)
        luggage.flags |= LUGGAGE_OF_CROWD;
    if (old_states_touched(&space->old_states, slot))
        luggage.flags |= LUGGAGE_TOUCHED;
    if (are_apart(luggage.place, luggage.anchor))
        luggage.flags |= LUGGAGE_ANCHOR;
    if (find_then(space, slot, &luggage.place_then, &luggage.anchor_then)) {
        luggage.flags |= LUGGAGE_WAS_INSIDE;
        if (are_apart(luggage.place_then, luggage.anchor_then))
            luggage.flags |= LUGGAGE_ANCHOR_THEN;
    }
    return luggage;
}

/* Of whom the entity in slot was told: where they are listed. */
struct told_source {
    uint32_t handed;            /* number, or NO_SLOT; then: */
    const struct told_set *set; /* in a crowd space; else NULL: */
    const aoi_id *ids;          /* ascending */
    size_t count;
};

/* The views of the last tick are found again. */
static bool find_source(struct aoi_space *space, uint32_t slot, struct told_source *source) {
    *source =
        (struct told_source){.handed = handed_find(&space->handed, space->entities.at[slot].id)};
    if (source->handed != NO_SLOT) {
        source->count = space->handed.watchers.items[source->handed].handed_count;
        return true;
    }
    if (space->crowd != NULL) {
        source->set = &space->crowd->members.items[slot].told;
        source->count = source->set->count;
        return true;
    }
    struct id_list *found = list_begin(space, LIST_TOLD, 0);
    if (!told_find_views(space, slot, TOLD_MARKERS, found) || !list_sort(space, found))
        return false;
    source->count = found->count;
    source->ids = found->ids;
    return true;
}

static struct handed_told told_at(const struct aoi_space *space, const struct told_source *source,
                                  size_t i) {
    if (source->handed != NO_SLOT)
        return handed_told_of(&space->handed, source->handed)[i];
    if (source->set == NULL)
        return (struct handed_told){.id = source->ids[i],
                                    .place = place_then(space, source->ids[i])};
    const struct told *pair = &source->set->pairs[i];
    const aoi_id id = space->entities.at[pair->slot].id;
    return (struct handed_told){.id = id,
                                .place = place_then(space, id),
                                .since = pair->since,
                                .period = pair->period,
                                .waits =
                                    space->crowd->members.items[pair->slot].moved > pair->since};
}

static void write_sights(struct stream *stream, const struct aoi_space *space, uint32_t slot) {
    const struct sights *sights = &space->visibility.sights;
    stream_write_count(stream, sights_count_of(sights, slot));
    for (uint32_t at = sights_of_watcher(sights, slot); at != NO_SIGHT;
         at = sights_next_of_watcher(sights, at)) {
        struct luggage_sight sight = {sights->items[at].marker, sight_word(sights, at)};
        stream_luggage_sight(stream, &sight);
    }
}

static void write_lists(struct stream *stream, const struct aoi_space *space, uint32_t slot,
                        const struct told_source *source) {
    if (space->crowd != NULL) {
        const struct id_list *pins = &space->crowd->members.items[slot].pins;
        stream_write_count(stream, pins->count);
        for (size_t i = 0; i < pins->count; i++)
            stream_id(stream, &pins->ids[i]);
    }
    write_sights(stream, space, slot);
    stream_write_count(stream, source->count);
    for (size_t i = 0; i < source->count; i++) {
        struct handed_told told = told_at(space, source, i);
        stream_handed_told(stream, space, space->moment.ticks, space->entities.at[slot].id, NULL,
                           &told);
    }
}

aoi_status aoi_handed(aoi_space *space, aoi_id id, void *buffer, size_t size, size_t *length) {
    if (!space->deferred)
        return AOI_INVALID;
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    struct told_source source;
    if (!find_source(space, slot, &source))
        return AOI_NOMEM;
    struct luggage luggage = luggage_of(space, slot);
    struct stream stream = {.to = buffer, .at = LUGGAGE_HEAD, .end = buffer == NULL ? 0 : size};
    bool some = false;
    ASK_ALL(find_luggage, &stream, space, slot, &some);
    if (!stream_is_well(&stream))
        return stream.status;
    if (some)
        luggage.flags |= LUGGAGE_AREAS;
    stream_luggage(&stream, &luggage);
    write_lists(&stream, space, slot, &source);
    if (some)
        ASK_ALL(write_luggage, &stream, space, slot);
    if (!stream_is_well(&stream))
        return stream.status;
    *length = stream.at;
    if (buffer != NULL && stream.at <= stream.end) {
        memcpy(buffer, magic, sizeof magic);
        store_word(stream.to + LUGGAGE_SUM_AT,
                   checksum_words(stream.to + LUGGAGE_HEAD, stream.at - LUGGAGE_HEAD));
    }
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* Out                                                                 */
/* ------------------------------------------------------------------ */

/* The entity in slot, which has an old state, was told of nobody. */
static void forget_told(struct aoi_space *space, uint32_t slot) {
    old_states_end_watching(&space->old_states, slot);
    if (space->crowd == NULL)
        return;
    crowd_forget(space->crowd, slot);
    crowd_drop_told_to(space->crowd);
    space->crowd->members.items[slot].knows_all = false;
}

static aoi_status hand_out(struct aoi_space *space, uint32_t slot) {
    struct visibility *visibility = &space->visibility;
    if (!old_states_reserve(&space->old_states, 1) ||
        !beacons_reserve_notes(&visibility->beacons, visibility->beacons.all.count > 0) ||
        !sights_reserve_notes(&visibility->sights, sights_count_of(&visibility->sights, slot)))
        return AOI_NOMEM;
    struct entity after = space->entities.at[slot];
    after.mode &= AOI_MARKER;
    ASK_ALL(drop_luggage, space, slot);
    old_states_note_change(&space->old_states, slot);
    forget_told(space, slot);
    handed_remove(&space->handed, after.id);
    if (after.mode == 0) {
        change_remove(space, slot);
    } else {
        change_entity(space, slot, &after, space_visible(space, slot));
        sights_end(&visibility->sights, after.id, slot);
        sights_trim(&visibility->sights);
        visibility_count_exceptions(&space->visibility);
        if (space->crowd != NULL)
            crowd_drop_pins(space->crowd, slot);
    }
    rebuild_for_usual_radius(space, 1);
    space_check(space);
    return AOI_OK;
}

aoi_status aoi_hand_out(aoi_space *space, aoi_id id) {
    if (!space->deferred)
        return AOI_INVALID;
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!RECORD_CALL(space, .kind = CALL_HAND_OUT, .id = id))
        return AOI_NOMEM;
    return call_done(space, hand_out(space, slot));
}

/* ------------------------------------------------------------------ */
/* In                                                                  */
/* ------------------------------------------------------------------ */

/* The content of a string, while it is read. */
struct arrival {
    struct aoi_space *space;
    struct luggage luggage;
    struct id_list pins;
    struct ARRAY_OF(struct luggage_sight) sights; /* descending by marker */
    size_t told, listed; /* they stand behind those of space->handed: told markers, areas */
};

/* Refuses a string that only a space of another kind takes. */
static void check_luggage(struct stream *stream, const struct aoi_space *space,
                          const struct luggage *luggage) {
    const struct entity now = {
        .x = luggage->anchor.x, .y = luggage->anchor.y, .z = luggage->anchor.z};
    const struct entity then = {
        .x = luggage->anchor_then.x, .y = luggage->anchor_then.y, .z = luggage->anchor_then.z};
    if (luggage->dims != space->dims)
        stream_refuse(stream, "it is of a space with %d dimensions, this one has %d", luggage->dims,
                      space->dims);
    else if (((luggage->traits.given & AOI_TRAIT_RADIUS) == 0) != space_is_classic(space))
        stream_refuse(stream, space_is_classic(space)
                                  ? "it has a radius, and this is a classic nine-grid"
                                  : "it is of a classic nine-grid, and this space has radii");
    else if (((luggage->flags & LUGGAGE_OF_CROWD) != 0) != (space->crowd != NULL) ||
             ((luggage->traits.given & AOI_TRAIT_LIMIT) != 0) != (space->crowd != NULL))
        stream_refuse(stream, "it is of a crowd space or this is one, not both");
    else if (!slack_keeps_anchor(&space->slack, &now, luggage->place) ||
             !slack_keeps_anchor(&space->slack, &then, luggage->place_then))
        stream_refuse(stream, "its anchor is farther away than the slack of this space");
}

static void open_luggage(struct stream *stream, struct luggage *luggage) {
    const uint8_t *bytes = stream->from;
    if (stream->end < LUGGAGE_HEAD || memcmp(bytes, magic, sizeof magic - 1) != 0)
        stream_refuse(stream, "the string is no entity that was handed out");
    else if (bytes[LUGGAGE_SUM_AT - 1] != LUGGAGE_VERSION)
        stream_refuse(stream, "it has format version %d, expected %d", bytes[LUGGAGE_SUM_AT - 1],
                      LUGGAGE_VERSION);
    else if (load_word(bytes + LUGGAGE_SUM_AT) !=
             checksum_words(bytes + LUGGAGE_HEAD, stream->end - LUGGAGE_HEAD))
        stream_refuse(stream, "the checksum is wrong: it is damaged");
    stream->at = LUGGAGE_HEAD;
    if (stream_is_well(stream))
        stream_luggage(stream, luggage);
}

static void read_pins(struct stream *stream, struct arrival *arrival) {
    struct id_list *pins = &arrival->pins;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_LUGGAGE_PIN, "pins");
    if (!stream_is_well(stream) || count == 0)
        return;
    if (!id_list_reserve(pins, arrival->space->crowd->memory, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    for (; pins->count < count && stream_is_well(stream); pins->count++) {
        stream_id(stream, &pins->ids[pins->count]);
        if (pins->count > 0 && pins->ids[pins->count] <= pins->ids[pins->count - 1])
            stream_refuse(stream, "a pin is out of turn");
    }
}

static void read_sights(struct stream *stream, struct arrival *arrival) {
    struct aoi_space *space = arrival->space;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_LUGGAGE_SIGHT, "sights");
    if (!stream_is_well(stream) || count == 0)
        return;
    if (!array_reserve(&arrival->sights, &space->memory.scratch, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    for (; arrival->sights.count < count && stream_is_well(stream); arrival->sights.count++) {
        struct luggage_sight *sight = &arrival->sights.items[arrival->sights.count];
        stream_luggage_sight(stream, sight);
        if (sight->marker == arrival->luggage.id ||
            (arrival->sights.count > 0 && sight->marker >= sight[-1].marker))
            stream_refuse(stream, "a sight of id %lld is out of turn", (long long)sight->marker);
    }
}

static void read_told(struct stream *stream, struct arrival *arrival) {
    const struct aoi_space *space = arrival->space;
    arrival->told =
        read_handed_told(stream, arrival->space, arrival->luggage.tick, arrival->luggage.id);
    /* In this space nothing was told after its last tick, nor has a move waited since then. */
    for (size_t i = 0; i < arrival->told && stream_is_well(stream) && space->crowd != NULL; i++) {
        struct handed_told *told = space->handed.told.items + space->handed.told.count + i;
        const int64_t latest = (int64_t)space->moment.ticks - (told->waits ? 1 : 0);
        told->since = told->since < latest ? told->since : latest;
    }
}

/* Says why the entity can't be entered or changed so. */
static void complain_of_change(struct stream *stream, const struct aoi_space *space,
                               const struct luggage *luggage, aoi_status status) {
    aoi_map map;
    switch (status) {
    case AOI_OK: break;
    case AOI_NOMEM: stream->status = AOI_NOMEM; break;
    case AOI_OUTSIDE:
        map = aoi_map_of(space);
        stream_refuse(stream, "its place (%.17g, %.17g) is outside the map (%g, %g) to (%g, %g)",
                      luggage->place.x, luggage->place.y, map.x, map.y, map.x + map.width,
                      map.y + map.height);
        break;
    default: stream_refuse(stream, "this space can't take it"); break;
    }
}

/* Room for the words that come along, and to note those that end. */
static bool reserve_sights(struct arrival *arrival, uint32_t slot) {
    struct sights *sights = &arrival->space->visibility.sights;
    const size_t count = arrival->sights.count;
    const size_t ending = slot == NO_SLOT ? 0 : sights_count_of(sights, slot);
    return (count == 0 || sights_reserve(sights, count)) &&
           sights_reserve_notes(sights, count + ending);
}

/* The words that come along take the place of those it had here. */
static void take_sights(const struct arrival *arrival, uint32_t slot) {
    struct sights *sights = &arrival->space->visibility.sights;
    const aoi_id id = arrival->luggage.id;
    sights_end(sights, id, slot);
    for (size_t i = arrival->sights.count; i-- > 0;) /* in ascending order, which is the fastest */
        sights_set(sights, id, slot, arrival->sights.items[i].marker,
                   arrival->sights.items[i].word);
    sights_trim(sights);
    visibility_count_exceptions(&arrival->space->visibility);
}

/* It is inside, and what it was told came along. */
static void settle(struct arrival *arrival) {
    struct aoi_space *space = arrival->space;
    const struct luggage *luggage = &arrival->luggage;
    const uint32_t slot = space_find(space, luggage->id);
    struct entity then = {.id = luggage->id,
                          .mode = (luggage->flags & LUGGAGE_WAS_INSIDE) ? 1 : 0,
                          .x = luggage->anchor_then.x,
                          .y = luggage->anchor_then.y,
                          .z = luggage->anchor_then.z};
    forget_told(space, slot);
    if (luggage->flags & LUGGAGE_TOUCHED)
        old_states_touch(&space->old_states, slot);
    handed_add(&space->handed, &then, luggage->place_then, arrival->told, arrival->listed);
    ASK_ALL(take_luggage, space, slot);
    take_sights(arrival, slot);
    if (space->crowd == NULL)
        return;
    struct member *member = &space->crowd->members.items[slot];
    crowd_drop_pins(space->crowd, slot);
    member->pins = arrival->pins;
    arrival->pins = (struct id_list){NULL, 0, 0};
}

static void take_in(struct stream *stream, struct arrival *arrival) {
    struct aoi_space *space = arrival->space;
    const struct luggage *luggage = &arrival->luggage;
    open_luggage(stream, &arrival->luggage);
    if (stream_is_well(stream))
        check_luggage(stream, space, luggage);
    if (stream_is_well(stream) && space->crowd != NULL)
        read_pins(stream, arrival);
    if (stream_is_well(stream))
        read_sights(stream, arrival);
    if (stream_is_well(stream))
        read_told(stream, arrival);
    if (stream_is_well(stream) && (luggage->flags & LUGGAGE_AREAS))
        ASK_ALL(read_luggage, stream, space, &arrival->listed);
    if (stream_is_well(stream) && stream->at != stream->end)
        stream_refuse(stream, "it goes on after its end");
    const uint32_t slot = space_find(space, luggage->id);
    if (stream_is_well(stream) && slot != NO_SLOT &&
        (space->entities.at[slot].mode & AOI_WATCHER)) {
        stream_refuse(stream, "id %lld is inside already, and watches", (long long)luggage->id);
        stream->status = AOI_EXISTS;
    }
    if (stream_is_well(stream) && !reserve_sights(arrival, slot))
        stream->status = AOI_NOMEM;
    if (!stream_is_well(stream))
        return;
    complain_of_change(stream, space, luggage,
                       change_enter_or_update(space, luggage->id, luggage->place, &luggage->anchor,
                                              &luggage->traits));
    if (stream_is_well(stream))
        settle(arrival);
}

aoi_status aoi_hand_in(aoi_space *space, const void *bytes, size_t size, aoi_complaint *complaint) {
    struct stream stream = {.from = bytes, .end = size, .complaint = complaint};
    struct arrival arrival = {.space = space};
    if (!space->deferred) {
        stream_refuse(&stream, "the space is not deferred (option deferred makes it so)");
        return AOI_INVALID;
    }
    if (!RECORD_CALL(space, .kind = CALL_HAND_IN, .text = bytes, .count = size))
        return AOI_NOMEM;
    take_in(&stream, &arrival);
    if (arrival.pins.ids != NULL)
        id_list_free(&arrival.pins, space->crowd->memory);
    array_free(&arrival.sights, &space->memory.scratch);
    ASK_ALL(free_luggage, space);
    space_check(space);
    return call_done(space, stream.status);
}
