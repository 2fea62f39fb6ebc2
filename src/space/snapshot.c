/*
 * snapshot.c - aoi_save and aoi_load: a space as a string of bytes.
 *
 * One description of the format serves both ways: each pass_ function, like
 * those of stream.h, writes its value or reads it. What comes from a string is
 * checked as strictly as the arguments of a call.
 *
 * The format, version 2. Everything is little endian. A `count` is an unsigned
 * number in the shortest form of 7 bits a byte, lowest first, the 8th bit set
 * in all bytes but the last. An `id` is a count of its zigzag form: 0, -1, 1,
 * -2, 2, ... A `number` is a double in 8 bytes.
 *
 *     4 bytes      "AOI" and the version
 *     8 bytes      length of the whole string
 *     count        the caller's note
 *     byte, count  engine; the AOI_GIVEN_ bits of the options
 *     ...          each given option, in the order of the bits: a number, an id (whole numbers), a
 *                  count (limit, layers), a byte (clamp, deferred, shape, dims), or (rates) a count
 *                  of rings, each a number and an id
 *     byte         the aoi_op bits that are gathered
 *     [number]     usual radius, where there are radii but no default
 *     count        events delivered
 *     count        entities, then each: id, state
 *     [count]      deferred: old states, then each: id, state
 *     [crowd]      crowd spaces: count of ticks; a member for each entity, then for each old state
 *                  of one who is gone, in the same order
 *     queue        events that wait
 *     queue        events gathered
 *     count, count calls that changed the space so far, ticks among them
 *     areas        see saved_areas.h
 *     count        those who were handed in since the last tick, then each: id, byte (1: it was
 *                  inside at the last tick; and 2: it was in areas), [place and anchor then: x,
 *                  y [, z] each], of whom it was told, as in passage.h, and [the areas: count, then
 *                  the ids, ascending]
 *     8 bytes      FNV-1a (64 bits) of all bytes before
 *
 *     state:  byte (bits 0 and 1: mode; 2: radius, 3: layer, 4: sees are not the default and
 * follow), anchor x, y [, z], [with slack: place x, y [, z]], [old states of a classic nine-grid:
 *             column and row of the cell, counts], [radius], [layer], [sees: counts].
 *             Mode 0: an old state of one who was not there; nothing follows.
 *     member: byte (bits 0: limit, 1: importance are not the default and follow; 2: touched,
 *             3: waiting), [limit, importance: counts], ticks since it moved (count), count of
 * pins, each an id, count of the told set, each: id, ticks since it was told (count), ticks until
 * it is due (as an id). queue:  count of segments, then each: flags (byte), subject (id), count of
 * others, others (ids). In the first queue, unless it is empty, how far the change at head has been
 * told: byte (bits 0 and 1: stage; 2: viewed, 3: grouped, 4: arranged, 5: views found), segments
 * told, pairs told of the next one, events told (counts), [views found: for leave, enter and move
 * the number of a segment, from 1, or 0 (counts)].
 */
#include <math.h>
#include <string.h>

#include "entity/saved_fields.h"
#include "entity/traits.h"
#include "events/saved_queue.h"
#include "space/change.h"
#include "space/passage.h"
#include "space/saved_areas.h"
#include "space/space.h"

enum { VERSION = 2, HEAD_SIZE = 12, CHECKSUM_SIZE = 8, LENGTH_AT = 4 };

/* ------------------------------------------------------------------ */
/* Options                                                             */
/* ------------------------------------------------------------------ */

static void pass_options(struct stream *stream, aoi_options *options) {
    uint8_t engine = (uint8_t)options->engine, collect = (uint8_t)options->collect;
    size_t count;
    const aoi_option_info *table = aoi_option_table(&count);
    options->given &= (1U << count) - 1;
    stream_byte(stream, &engine);
    options->engine = (aoi_engine)engine;
    stream_count32(stream, &options->given, "the set of options");
    if (options->given >> count != 0)
        stream_refuse(stream, "there is an option that this version does not know");
    for (size_t i = 0; i < count; i++) {
        if (options->given & table[i].bit)
            stream_field(stream, (char *)options + table[i].offset, table[i].type, table[i].name);
    }
    stream_byte(stream, &collect);
    if (collect > (AOI_ENTER | AOI_LEAVE | AOI_MOVE | AREA_OPS))
        stream_refuse(stream, "the set of gathered events is %d, expected 0 to 31", collect);
    options->collect = collect;
}

/* ------------------------------------------------------------------ */
/* Entities and old states                                             */
/* ------------------------------------------------------------------ */

/* Flags of a state, see traits.h; the lowest two bits are the mode. */
#define FLAG_OF_TRAIT(bit, field, type, stored, flag) STATE_##bit = (flag),
enum { TRAITS(FLAG_OF_TRAIT) STATE_FLAGS = (1 << (TRAIT_COUNT + 1)) - 1 };
#define FLAG_OR(bit, field, type, stored, flag) | (flag)
_Static_assert((0 TRAITS(FLAG_OR)) == STATE_FLAGS, "the flags of the traits leave no gap");

/* The fewest bytes of each. */
enum { LEAST_ENTITY = 18, LEAST_OLD_STATE = 2 };

/* An entity, or what it was at the last tick. */
struct state {
    const char *what; /* for complaints */
    size_t number;
    bool is_old;
    struct entity entity;
    aoi_point place; /* with slack: where it truly is; else as the entity */
};

/* The mode is in the flags, and the radius has rules of its own; what the other traits are is said
 * where it is not the usual. */
#define ONLY_THE_RADIUS(flag) _Static_assert((flag) == STATE_RADIUS, "saved by hand: the radius")
#define ONLY_THE_MODE(flag) _Static_assert((flag) == STATE_MODE, "saved by hand: the mode")

static uint8_t state_flags(const struct aoi_space *space, const struct entity *entity) {
    const struct entity usual = traits_usual(space->default_radius);
    uint32_t flags = entity->mode;
    if (!space_is_classic(space) && (space->own_radii || entity->radius != usual.radius))
        flags |= STATE_RADIUS;
#define NOTE_AOI_LENGTH(field, flag) ONLY_THE_RADIUS(flag);
#define NOTE_AOI_MODE(field, flag) ONLY_THE_MODE(flag);
#define NOTE_AOI_BITS(field, flag)                                                                 \
    if (entity->field != usual.field)                                                              \
        flags |= (flag);
#define NOTE(bit, field, type, stored, flag) NOTE_##type(field, flag)
    TRAITS(NOTE)
    return (uint8_t)flags;
}

static void pass_point(struct stream *stream, const struct aoi_space *space, aoi_point *point) {
    stream_number(stream, &point->x);
    stream_number(stream, &point->y);
    if (space->dims == 3)
        stream_number(stream, &point->z);
}

static void pass_state(struct stream *stream, const struct aoi_space *space, struct state *state) {
    struct entity *entity = &state->entity;
    uint8_t flags = entity->mode == 0 ? 0 : state_flags(space, entity);
    stream_byte(stream, &flags);
    entity->mode = flags & STATE_MODE;
    if (flags & ~STATE_FLAGS || (entity->mode == 0 && (flags != 0 || !state->is_old)))
        stream_refuse(stream, "%s %zu has bad flags or no mode", state->what, state->number);
    if (entity->mode == 0)
        return;
    aoi_point anchor = {entity->x, entity->y, entity->z};
    pass_point(stream, space, &anchor);
    entity->x = anchor.x;
    entity->y = anchor.y;
    entity->z = anchor.z;
    if (space->slack.limit > 0)
        pass_point(stream, space, &state->place);
    else
        state->place = anchor;
    if (space_is_classic(space) && state->is_old) {
        stream_count32(stream, &entity->cell.column, "a column");
        stream_count32(stream, &entity->cell.row, "a row");
    }
    if (flags & STATE_RADIUS) {
        if (space_is_classic(space))
            stream_refuse(stream, "%s %zu has a radius, in a classic nine-grid", state->what,
                          state->number);
        else
            stream_number(stream, &entity->radius);
    } else if (space->own_radii) {
        stream_refuse(stream, "%s %zu has no radius", state->what, state->number);
    }
#define PASS_AOI_LENGTH(field, flag) ONLY_THE_RADIUS(flag);
#define PASS_AOI_MODE(field, flag) ONLY_THE_MODE(flag);
#define PASS_AOI_BITS(field, flag)                                                                 \
    if (flags & (flag))                                                                            \
        stream_field(stream, &entity->field, AOI_BITS, #field);
#define PASS(bit, field, type, stored, flag) PASS_##type(field, flag)
    TRAITS(PASS)
}

/* Checks what was read, and sets what follows from it. */
static void accept_state(struct stream *stream, const struct aoi_space *space,
                         struct state *state) {
    struct entity *entity = &state->entity;
    const aoi_point *place = &state->place;
    const char *what = state->what;
    const size_t number = state->number;
    if (!isfinite(entity->x) || !isfinite(entity->y) || !isfinite(entity->z) ||
        !isfinite(place->x) || !isfinite(place->y) || !isfinite(place->z))
        stream_refuse(stream, "%s %zu: its position is not finite", what, number);
    if (!slack_keeps_anchor(&space->slack, entity, *place))
        stream_refuse(stream, "%s %zu is farther from its anchor than the slack", what, number);
    if (space_is_classic(space))
        return;
    if (!(entity->radius >= 0))
        stream_refuse(stream, "%s %zu: its radius is %.17g, expected a number from 0 up", what,
                      number, entity->radius);
    else
        space_classify(space, entity);
}

/* What an entity is unless it is said. */
static struct state blank_state(const struct aoi_space *space, const char *what, uint64_t number) {
    return (struct state){
        .what = what, .number = (size_t)number, .entity = traits_usual(space->default_radius)};
}

static void save_entities(struct stream *stream, const struct aoi_space *space) {
    stream_write_count(stream, space->entities.count);
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        struct state state = {.entity = space->entities.at[slot]};
        if (state.entity.mode == 0)
            continue;
        state.place = space_place(space, slot);
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

static void load_entities(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_ENTITY, "entities");
    for (uint64_t number = 1; number <= count && stream_is_well(stream); number++) {
        struct state state = blank_state(space, "entity", number);
        const aoi_point *place = &state.place;
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        if (space->map.bounded && !space->map.clamp && !map_holds(&space->map, place->x, place->y))
            stream_refuse(stream, "entity %zu is outside the map", state.number);
        if (space_find(space, state.entity.id) != NO_SLOT)
            stream_refuse(stream, "entity %zu: its id %lld is there twice", state.number,
                          (long long)state.entity.id);
        if (!stream_is_well(stream))
            return;
        space_locate(space, &state.entity);
        if (!change_restore(space, &state.entity, state.place))
            stream->status = AOI_NOMEM;
    }
}

static void save_old_states(struct stream *stream, const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    stream_write_count(stream, old->count);
    for (size_t number = 0; number < old->count; number++) {
        struct state state = {.is_old = true, .entity = old->states[number]};
        if (space->slack.limit > 0)
            state.place = old->places[number];
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

/* Old cells may be those of a map before aoi_set_bounds; then everybody has an old state. */
static bool has_cell_of_map(const struct aoi_space *space, const struct entity *state) {
    struct entity located = *state;
    space_locate(space, &located);
    return located.cell.column == state->cell.column && located.cell.row == state->cell.row;
}

/* In a crowd space one who is gone has its slot still. False: no memory. */
static bool retire_slot(struct aoi_space *space, struct entity *state) {
    if (space->crowd == NULL)
        return true;
    struct entities *entities = &space->entities;
    if (!entities_reserve(entities, &space->memory.entities) ||
        !slack_reserve(&space->slack, &space->memory.entities, entities->capacity) ||
        !crowd_reserve(space->crowd))
        return false;
    state->former_slot = entities_add_retired(entities, state->id);
    return true;
}

static void load_old_states(struct stream *stream, struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    uint64_t count = 0;
    bool all_must_have_one = false;
    stream_length(stream, &count, LEAST_OLD_STATE, "old states");
    for (uint64_t number = 1; number <= count; number++) {
        struct state state = blank_state(space, "old state", number);
        struct entity *entity = &state.entity;
        state.is_old = true;
        stream_id(stream, &entity->id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        uint32_t slot = space_find(space, entity->id);
        bool is_double = slot == NO_SLOT
                             ? idmap_find(&old->gone, old->states, entity->id) != NO_SLOT
                             : space->entities.at[slot].changed;
        if (is_double)
            stream_refuse(stream, "old state %zu: its id %lld is there twice", state.number,
                          (long long)entity->id);
        if (slot == NO_SLOT && entity->mode == 0)
            stream_refuse(stream, "old state %zu: its id %lld neither was nor is in the space",
                          state.number, (long long)entity->id);
        if (entity->mode != 0 && space_is_classic(space) && !has_cell_of_map(space, entity)) {
            all_must_have_one = true;
            if (entity->cell.column >= AOI_MOST_CELLS || entity->cell.row >= AOI_MOST_CELLS)
                stream_refuse(stream, "old state %zu: no map has its cell", state.number);
        }
        if (!stream_is_well(stream))
            return;
        if (!old_states_reserve(&space->old_states, 1) ||
            (slot == NO_SLOT && !retire_slot(space, entity))) {
            stream->status = AOI_NOMEM;
            return;
        }
        old_states_restore(&space->old_states, entity, state.place, slot);
    }
    if (all_must_have_one && old->count - old->gone.count < space->entities.count)
        stream_refuse(stream, "old states are in cells of another map");
}

/* ------------------------------------------------------------------ */
/* Crowds                                                              */
/* ------------------------------------------------------------------ */

/* Flags of a member, beside those of its traits. */
enum { MEMBER_TOUCHED = 1 << CROWD_TRAIT_COUNT, MEMBER_WAITS = MEMBER_TOUCHED << 1 };
enum { MEMBER_FLAGS = 2 * MEMBER_WAITS - 1, LEAST_PIN = 1, LEAST_TOLD = 3 };

static uint8_t member_flags(const struct crowd *crowd, const struct member *member) {
    unsigned flags =
        (member->touched ? MEMBER_TOUCHED : 0) | (member->is_waiting ? MEMBER_WAITS : 0);
#define NOTE_CROWD(bit, field, type, stored, flag)                                                 \
    if (member->traits.field != crowd->usual.field)                                                \
        flags |= (flag);
    CROWD_TRAITS(NOTE_CROWD)
    return (uint8_t)flags;
}

static void pass_member_traits(struct stream *stream, const struct crowd *crowd,
                               struct member *member) {
    uint8_t flags = member_flags(crowd, member);
    uint32_t ago = crowd->tick - member->moved;
    stream_byte(stream, &flags);
    if (flags & ~MEMBER_FLAGS)
        stream_refuse(stream, "a member of the crowd has bad flags");
    aoi_traits traits = {.given = 0};
#define PASS_CROWD(bit, field, type, stored, flag)                                                 \
    traits.field = member->traits.field;                                                           \
    if (flags & (flag)) {                                                                          \
        traits.given |= AOI_TRAIT_##bit;                                                           \
        stream_field(stream, &traits.field, type, #field);                                         \
    }
    CROWD_TRAITS(PASS_CROWD)
    struct entity unused = traits_usual(0);
    if (traits_take(&unused, &traits, true, true) != AOI_OK)
        stream_refuse(stream, "a member of the crowd has a bad limit or importance");
    else
        traits_take_crowd(&member->traits, &traits);
    stream_count32(stream, &ago, "the ticks since a move");
    if (ago > ticks_kept(crowd->tick))
        stream_refuse(stream, "a member of the crowd moved too long ago");
    member->moved = crowd->tick - ago;
    member->touched = (flags & MEMBER_TOUCHED) != 0;
    member->is_waiting = (flags & MEMBER_WAITS) != 0;
}

static void save_member(struct stream *stream, const struct aoi_space *space, uint32_t slot) {
    struct member member = space->crowd->members[slot];
    pass_member_traits(stream, space->crowd, &member);
    stream_write_count(stream, member.pins.count);
    for (size_t i = 0; i < member.pins.count; i++)
        stream_id(stream, &member.pins.ids[i]);
    stream_write_count(stream, member.told.count);
    for (uint32_t i = 0; i < member.told.count; i++) {
        const struct told *pair = &member.told.pairs[i];
        int64_t due = (int32_t)(pair->due - space->crowd->tick);
        stream_id(stream, &space->entities.at[pair->slot].id);
        stream_write_count(stream, space->crowd->tick - pair->since);
        stream_id(stream, &due);
    }
}

/* One who was inside at the last tick, as it was then; NULL: nobody of that id was. */
static const struct entity *state_at_last_tick(const struct aoi_space *space, aoi_id id,
                                               uint32_t *slot) {
    const struct old_states *old = &space->old_states;
    const struct entity *entity;
    *slot = space_find(space, id);
    if (*slot != NO_SLOT) {
        entity = &space->entities.at[*slot];
        if (entity->changed)
            entity = &old->states[old->of_slot[*slot]];
        return entity->mode == 0 ? NULL : entity;
    }
    const uint32_t number = old_states_find_gone(old, id);
    if (number == NO_SLOT)
        return NULL;
    *slot = old->states[number].former_slot;
    return &old->states[number];
}

/* One pair of the told set of the watcher, as it was at the last tick (NULL: it was not there). */
static struct told load_pair(struct stream *stream, const struct aoi_space *space,
                             const struct entity *watcher, aoi_id watcher_id, aoi_id *id) {
    const uint32_t tick = space->crowd->tick;
    uint32_t ago = 0, slot;
    int64_t until = 0;
    stream_id(stream, id);
    stream_count32(stream, &ago, "the ticks since a telling");
    stream_id(stream, &until);
    const struct entity *marker = state_at_last_tick(space, *id, &slot);
    if (watcher == NULL || marker == NULL || *id == watcher_id ||
        !visibility_sees(&space->visibility, watcher, marker)) {
        stream_refuse(stream, "id %lld was told of id %lld, which it did not see",
                      (long long)watcher_id, (long long)*id);
        slot = 0;
    }
    if (ago > ticks_kept(tick) || until < -(int64_t)ago || until > AOI_MOST - (int64_t)ago)
        stream_refuse(stream, "id %lld was told of id %lld at a time that can't be",
                      (long long)watcher_id, (long long)*id);
    return (struct told){slot, tick - ago, tick + (uint32_t)until};
}

static void load_told(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    struct crowd *crowd = space->crowd;
    struct told_set *told = &crowd->members[slot].told;
    const aoi_id id = space->entities.at[slot].id;
    uint32_t unused;
    const struct entity *watcher = state_at_last_tick(space, id, &unused);
    uint64_t count = 0;
    aoi_id last = 0;
    stream_length(stream, &count, LEAST_TOLD, "told markers");
    if (count > space->entities.used)
        stream_refuse(stream, "id %lld was told of more than there are", (long long)id);
    if (!stream_is_well(stream) || count == 0)
        return;
    const uint32_t room = told_room(0, (uint32_t)count);
    told->pairs = memory_resize(crowd->memory, NULL, 0, room, sizeof *told->pairs);
    if (told->pairs == NULL) {
        stream->status = AOI_NOMEM;
        return;
    }
    told->count = (uint32_t)count;
    told->room = room;
    for (uint32_t i = 0; i < told->count && stream_is_well(stream); i++) {
        aoi_id marker = 0;
        told->pairs[i] = load_pair(stream, space, watcher, id, &marker);
        if (i > 0 && marker <= last)
            stream_refuse(stream, "id %lld was told of id %lld out of turn", (long long)id,
                          (long long)marker);
        last = marker;
    }
}

static void load_pins(struct stream *stream, struct crowd *crowd, uint32_t slot) {
    uint64_t count = 0;
    aoi_id last = 0;
    stream_length(stream, &count, LEAST_PIN, "pins");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id id = 0;
        stream_id(stream, &id);
        if (i > 0 && id <= last)
            stream_refuse(stream, "pin %lld is out of turn", (long long)id);
        else if (!crowd_pin(crowd, slot, id))
            stream->status = AOI_NOMEM;
        last = id;
    }
}

static void load_member(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    struct crowd *crowd = space->crowd;
    struct member *member = &crowd->members[slot];
    const unsigned no_traits = MEMBER_TOUCHED | MEMBER_WAITS;
    member->traits = crowd->usual;
    member->knows_all = false; /* nobody has found out: it may have seen many at the last tick */
    pass_member_traits(stream, crowd, member);
    crowd->waiting += member->is_waiting;
    load_pins(stream, crowd, slot);
    if (space->entities.at[slot].mode == 0 &&
        (member->pins.count > 0 || (member_flags(crowd, member) & ~no_traits)))
        stream_refuse(stream, "one who is gone has pins or traits");
    load_told(stream, space, slot);
}

static void save_crowd(struct stream *stream, const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    stream_write_count(stream, space->crowd->tick);
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0)
            save_member(stream, space, slot);
    }
    for (size_t number = 0; number < old->count; number++) {
        if (old->states[number].current_slot == NO_SLOT)
            save_member(stream, space, old->states[number].former_slot);
    }
}

static void load_crowd(struct stream *stream, struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    stream_count32(stream, &space->crowd->tick, "the number of the last tick");
    for (uint32_t slot = 0; slot < space->entities.used && stream_is_well(stream); slot++) {
        if (space->entities.at[slot].mode != 0)
            load_member(stream, space, slot);
    }
    for (size_t number = 0; number < old->count && stream_is_well(stream); number++) {
        if (old->states[number].current_slot == NO_SLOT)
            load_member(stream, space, old->states[number].former_slot);
    }
}

/* ------------------------------------------------------------------ */
/* The whole                                                           */
/* ------------------------------------------------------------------ */

static const uint8_t magic[LENGTH_AT] = {'A', 'O', 'I', VERSION};

/* FNV-1a by Fowler, Noll and Vo (www.isthe.com/chongo/tech/comp/fnv): any change of a single byte
 * changes it. */
static uint64_t checksum(const uint8_t *bytes, size_t size) {
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    return sum;
}

size_t aoi_save(const aoi_space *space, uint32_t note, void *buffer, size_t size) {
    struct stream stream = {.to = buffer, .end = buffer == NULL ? 0 : size};
    aoi_options options = space->options;
    double usual_radius = space->indexes.usual_radius;
    for (int i = 0; i < HEAD_SIZE; i++) {
        uint8_t byte = i < LENGTH_AT ? magic[i] : 0; /* the length is filled in below */
        stream_byte(&stream, &byte);
    }
    stream_write_count(&stream, note);
    pass_options(&stream, &options);
    if (space->own_radii)
        stream_number(&stream, &usual_radius);
    stream_write_count(&stream, space->delivered);
    save_entities(&stream, space);
    if (space->deferred)
        save_old_states(&stream, space);
    if (space->crowd != NULL)
        save_crowd(&stream, space);
    saved_queue_write(&stream, &space->pending);
    if (space->pending.head != space->pending.tail)
        saved_queue_write_progress(&stream, &space->pending);
    saved_queue_write(&stream, &space->collected);
    stream_write_count(&stream, space->moment.calls);
    stream_write_count(&stream, space->moment.ticks);
    save_areas(&stream, space);
    save_handed(&stream, space);
    const size_t body = stream.at, whole = body + CHECKSUM_SIZE;
    if (whole > stream.end)
        return whole;
    uint64_t word = whole;
    stream.at = LENGTH_AT;
    stream_word(&stream, &word);
    stream.at = body;
    word = checksum(stream.to, body);
    stream_word(&stream, &word);
    return whole;
}

/* Checks all that can be checked of any string, and leaves the stream at the caller's note. */
static void open_string(struct stream *stream, size_t size) {
    uint64_t length = 0, sum = 0;
    if (size < HEAD_SIZE + CHECKSUM_SIZE || memcmp(stream->from, magic, LENGTH_AT - 1) != 0) {
        stream_refuse(stream, "the string is not a saved space");
        return;
    }
    if (stream->from[LENGTH_AT - 1] != VERSION) {
        stream_refuse(stream, "the string has format version %d, expected %d",
                      stream->from[LENGTH_AT - 1], VERSION);
        return;
    }
    stream->end = size;
    stream->at = LENGTH_AT;
    stream_word(stream, &length);
    if (length != size)
        stream_refuse(stream, "the string has %zu bytes, expected %llu: it is not whole", size,
                      (unsigned long long)length);
    stream->at = size - CHECKSUM_SIZE;
    stream_word(stream, &sum);
    if (sum != checksum(stream->from, size - CHECKSUM_SIZE))
        stream_refuse(stream, "the checksum is wrong: the string is damaged");
    stream->at = HEAD_SIZE;
    stream->end = size - CHECKSUM_SIZE;
}

static void load_usual_radius(struct stream *stream, struct aoi_space *space) {
    stream_number(stream, &space->indexes.usual_radius);
    if (!(space->indexes.usual_radius >= 0))
        stream_refuse(stream, "the usual radius is %.17g, expected a number from 0 up",
                      space->indexes.usual_radius);
}

/* All that comes after the options. */
static void load_contents(struct stream *stream, struct aoi_space *space) {
    if (space->own_radii)
        load_usual_radius(stream, space);
    stream_count(stream, &space->delivered);
    load_entities(stream, space);
    if (space->deferred)
        load_old_states(stream, space);
    if (space->crowd != NULL && stream_is_well(stream))
        load_crowd(stream, space);
    saved_queue_read(stream, &space->pending, &space->memory.events, UINT32_MAX, true);
    if (space->pending.head != space->pending.tail && stream_is_well(stream))
        saved_queue_read_progress(stream, &space->pending);
    saved_queue_read(stream, &space->collected, &space->memory.events, space->collect, false);
    stream_count(stream, &space->moment.calls);
    stream_count(stream, &space->moment.ticks);
    if (space->moment.calls > INT64_MAX / 2 || /* so that it can go on */
        space->moment.ticks > (space->deferred ? INT64_MAX / 2 : 0))
        stream_refuse(stream, "%llu ticks in %llu calls", (unsigned long long)space->moment.ticks,
                      (unsigned long long)space->moment.calls);
    if (stream_is_well(stream))
        load_areas(stream, space);
    if (stream_is_well(stream))
        load_handed(stream, space);
    if (stream->at != stream->end)
        stream_refuse(stream, "the string goes on after its end");
}

aoi_status aoi_load(const void *bytes, size_t size, aoi_allocator allocator,
                    void *allocator_userdata, aoi_space **space_out, uint32_t *note_out,
                    aoi_complaint *complaint) {
    struct stream stream = {.from = bytes, .complaint = complaint};
    aoi_options options = aoi_options_default((aoi_engine)0);
    uint32_t note = 0;
    open_string(&stream, size);
    stream_count32(&stream, &note, "the note");
    pass_options(&stream, &options);
    if (!stream_is_well(&stream))
        return stream.status;
    options.listen = 0;
    options.allocator = allocator;
    options.allocator_userdata = allocator_userdata;
    aoi_space *space;
    aoi_status status = aoi_create(&options, &space, complaint);
    if (status != AOI_OK)
        return status;
    load_contents(&stream, space);
    if (!stream_is_well(&stream)) {
        aoi_destroy(space);
        return stream.status;
    }
    space_check(space);
    *space_out = space;
    if (note_out != NULL)
        *note_out = note;
    return AOI_OK;
}
