/* luggage.c - the string of a hand-over, each field written or read; entities handed in, to and
 * from a save. */
#include "hand_over/luggage.h"

#include <math.h>

#include "entity/saved_fields.h"
#include "entity/traits.h"
#include "crowd/saved_crowd.h"

static void pass_point(struct stream *stream, int dims, aoi_point *point) {
    stream_number(stream, &point->x);
    stream_number(stream, &point->y);
    if (dims == 3)
        stream_number(stream, &point->z);
    if (!isfinite(point->x) || !isfinite(point->y) || !isfinite(point->z))
        stream_refuse(stream, "a position is not finite");
}

/* A place and the anchor that goes with it. */
static void pass_stand(struct stream *stream, int dims, bool has_anchor, aoi_point *place,
                       aoi_point *anchor) {
    pass_point(stream, dims, place);
    if (has_anchor)
        pass_point(stream, dims, anchor);
    else
        *anchor = *place;
}

void stream_luggage(struct stream *stream, struct luggage *luggage) {
    struct entity unused = traits_usual(0);
    stream_byte(stream, &luggage->dims);
    stream_byte(stream, &luggage->flags);
    if ((luggage->dims != 2 && luggage->dims != 3) || (luggage->flags & ~LUGGAGE_FLAGS))
        stream_refuse(stream, "it has bad dimensions or flags");
    stream_id(stream, &luggage->id);
    stream_count(stream, &luggage->tick);
    if (luggage->tick > AOI_LAST_TICK)
        stream_refuse(stream, "the number of its last tick is too large");
    stream_traits(stream, &luggage->traits);
    if (traits_take(&unused, &luggage->traits, true, true) != AOI_OK)
        stream_refuse(stream, "it has a bad trait");
    pass_stand(stream, luggage->dims, luggage->flags & LUGGAGE_ANCHOR, &luggage->place,
               &luggage->anchor);
    if (luggage->flags & LUGGAGE_WAS_INSIDE)
        pass_stand(stream, luggage->dims, luggage->flags & LUGGAGE_ANCHOR_THEN,
                   &luggage->place_then, &luggage->anchor_then);
}

void stream_luggage_sight(struct stream *stream, struct luggage_sight *sight) {
    uint8_t word = (uint8_t)sight->word;
    stream_id(stream, &sight->marker);
    stream_byte(stream, &word);
    if (word != AOI_SIGHT_NEVER && word != AOI_SIGHT_ALWAYS)
        stream_refuse(stream, "a sight is %d, expected %d or %d", word, AOI_SIGHT_NEVER,
                      AOI_SIGHT_ALWAYS);
    sight->word = (aoi_sight)word;
}

void stream_handed_told(struct stream *stream, const struct aoi_space *space, uint64_t tick,
                        aoi_id watcher, const struct handed_told *last, struct handed_told *told) {
    stream_id(stream, &told->id);
    pass_point(stream, space->dims, &told->place);
    if (space->crowd != NULL) { /* ticks are counted back from the last one */
        uint64_t since = (tick - (uint64_t)told->since) * 2 + told->waits;
        stream_count(stream, &since);
        const uint64_t ago = since / 2;
        told->waits = since % 2 == 1;
        if (ago > tick + told->waits || (told->waits && ago == 0))
            stream_refuse(stream, "it was told at a time that can't be");
        told->since = (int64_t)(tick - ago);
        pass_period(stream, &told->period);
    }
    if (told->id == watcher || (last != NULL && told->id <= last->id))
        stream_refuse(stream, "it was told of id %lld out of turn", (long long)told->id);
}

size_t read_handed_told(struct stream *stream, struct aoi_space *space, uint64_t tick,
                        aoi_id watcher) {
    struct handed *handed = &space->handed;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_LUGGAGE_TOLD, "told markers");
    if (stream_is_well(stream) && !handed_reserve(handed, (size_t)count))
        stream->status = AOI_NOMEM;
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        struct handed_told *told = handed->told.items + handed->told.count + i;
        *told = (struct handed_told){.id = 0};
        stream_handed_told(stream, space, tick, watcher, i > 0 ? told - 1 : NULL, told);
    }
    return (size_t)count;
}

/* ------------------------------------------------------------------ */
/* In a save                                                           */
/* ------------------------------------------------------------------ */

enum { LEAST_HANDED = 3, HANDED_WAS_INSIDE = 1, HANDED_WAS_IN_AREAS = 2, HANDED_FLAGS = 3 };

/* A watcher whose told set came here was none at the last tick, and has changed since. */
static bool can_be_handed(const struct aoi_space *space, aoi_id id) {
    const struct old_states *old = &space->old_states;
    const uint32_t slot = space_find(space, id);
    if (slot != NO_SLOT && !space->entities.at[slot].changed)
        return false;
    const uint32_t number =
        slot != NO_SLOT ? old->of_slot.items[slot] : old_states_find_gone(old, id);
    return number == NO_SLOT || (old->states[number].mode & AOI_WATCHER) == 0;
}

/* The areas stand behind those of the others then. */
static size_t load_handed_areas(struct stream *stream, struct handed *handed) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_LUGGAGE_AREA, "areas of one who was handed in");
    if (!stream_is_well(stream))
        return 0;
    if (!handed_reserve_areas(handed, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return 0;
    }
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id *area = id_list_end(&handed->areas) + i;
        stream_id(stream, area);
        if (i > 0 && *area <= area[-1])
            stream_refuse(stream, "area %lld is out of turn", (long long)*area);
    }
    return (size_t)count;
}

static void load_handed_watcher(struct stream *stream, struct aoi_space *space) {
    struct handed *handed = &space->handed;
    struct entity watcher = {.id = 0};
    aoi_point place = {0, 0, 0}, anchor = {0, 0, 0};
    uint8_t flags = 0;
    stream_id(stream, &watcher.id);
    stream_byte(stream, &flags);
    watcher.mode = flags & HANDED_WAS_INSIDE;
    if (flags > HANDED_FLAGS || !can_be_handed(space, watcher.id) ||
        handed_find(handed, watcher.id) != NO_SLOT)
        stream_refuse(stream, "id %lld can't have been handed in", (long long)watcher.id);
    if (watcher.mode == HANDED_WAS_INSIDE)
        pass_stand(stream, space->dims, true, &place, &anchor);
    watcher.x = anchor.x;
    watcher.y = anchor.y;
    watcher.z = anchor.z;
    const size_t told = read_handed_told(stream, space, space->moment.ticks, watcher.id);
    const size_t areas = (flags & HANDED_WAS_IN_AREAS) && stream_is_well(stream)
                             ? load_handed_areas(stream, handed)
                             : 0;
    if (stream_is_well(stream))
        handed_add(handed, &watcher, place, told, areas);
}

static void save_handed_watcher(struct stream *stream, const struct aoi_space *space,
                                uint32_t number) {
    struct entity watcher = space->handed.watchers.items[number];
    aoi_point place = space->handed.more.items[number].place,
              anchor = {watcher.x, watcher.y, watcher.z};
    const struct handed_told *told = handed_told_of(&space->handed, number);
    stream_id(stream, &watcher.id);
    const struct id_list areas = handed_areas_of(&space->handed, number);
    uint8_t flags = watcher.mode;
    if (areas.count > 0)
        flags |= HANDED_WAS_IN_AREAS;
    stream_byte(stream, &flags);
    if (watcher.mode == HANDED_WAS_INSIDE)
        pass_stand(stream, space->dims, true, &place, &anchor);
    stream_write_count(stream, watcher.handed_count);
    for (uint32_t i = 0; i < watcher.handed_count; i++) {
        struct handed_told copy = told[i];
        stream_handed_told(stream, space, space->moment.ticks, watcher.id,
                           i > 0 ? &told[i - 1] : NULL, &copy);
    }
    if (areas.count > 0)
        stream_write_count(stream, areas.count);
    for (size_t i = 0; i < areas.count; i++)
        stream_id(stream, &areas.ids[i]);
}

void save_handed(struct stream *stream, const struct aoi_space *space) {
    stream_write_count(stream, space->handed.watchers.count);
    for (uint32_t number = 0; number < space->handed.watchers.count; number++)
        save_handed_watcher(stream, space, number);
}

void load_handed(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_HANDED, "watchers handed in");
    if (count > 0 && !space->deferred)
        stream_refuse(stream, "a space that is not deferred has watchers handed in");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++)
        load_handed_watcher(stream, space);
}
