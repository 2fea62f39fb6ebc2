/*
 * snapshot.c - aoi_save and aoi_load: a space as a string of bytes.
 *
 * One description of the format serves both ways: each pass_ function writes
 * its value to the stream or reads it from there. What comes from a string is
 * checked as strictly as the arguments of a call.
 *
 * The format, version 1. Everything is little endian. A `count` is an unsigned
 * number in the shortest form of 7 bits a byte, lowest first, the 8th bit set
 * in all bytes but the last. An `id` is a count of its zigzag form: 0, -1, 1,
 * -2, 2, ... A `number` is a double in 8 bytes.
 *
 *     4 bytes      "AOI" and the version
 *     8 bytes      length of the whole string
 *     count        the caller's note
 *     byte, count  engine; the AOI_GIVEN_ bits of the options
 *     ...          each given option, in the order of the bits: a number, an id (whole numbers), or
 *                  a byte (clamp, deferred, shape, dims)
 *     byte         the aoi_op bits that are gathered
 *     [number]     usual radius, where there are radii but no default
 *     count        events delivered
 *     count        entities, then each: id, state
 *     [count]      deferred: old states, then each: id, state
 *     queue        events that wait
 *     queue        events gathered
 *     8 bytes      FNV-1a (64 bits) of all bytes before
 *
 *     state:  byte (bits 0 and 1: mode; 2: radius, 3: layer, 4: sees are not the default and
 * follow), anchor x, y [, z], [with slack: place x, y [, z]], [old states of a classic nine-grid:
 *             column and row of the cell, counts], [radius], [layer], [sees: counts].
 *             Mode 0: an old state of one who was not there; nothing follows.
 *     queue:  count of segments, then each: flags (byte), subject (id), count of others, others
 * (ids). In the first queue, unless it is empty, how far the change at head has been told: byte
 * (bits 0 and 1: stage; 2: viewed, 3: grouped, 4: arranged, 5: views found), segments told, pairs
 * told of the next one, events told (counts), [views found: for leave, enter and move the number of
 * a segment, from 1, or 0 (counts)].
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "entity/traits.h"
#include "space/change.h"
#include "space/space.h"
#include "events/telling.h"

enum { VERSION = 1, HEAD_SIZE = 12, CHECKSUM_SIZE = 8, LENGTH_AT = 4 };

/* To or from a string. Writing past `end` writes nothing and only counts; after a bad byte has been
 * read, all that is read is 0. */
struct stream {
    uint8_t *to;         /* NULL: loading */
    const uint8_t *from; /* NULL: saving */
    size_t at, end;
    aoi_status status;
    aoi_complaint *complaint;
};

static bool is_loading(const struct stream *stream) {
    return stream->from != NULL;
}

static bool is_well(const struct stream *stream) {
    return stream->status == AOI_OK;
}

/* The first complaint stays. */
static void refuse(struct stream *stream, const char *format, ...) {
    if (!is_well(stream))
        return;
    stream->status = AOI_INVALID;
    if (stream->complaint != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(stream->complaint->text, sizeof stream->complaint->text, format, arguments);
        va_end(arguments);
    }
}

/* ------------------------------------------------------------------ */
/* Single values                                                       */
/* ------------------------------------------------------------------ */

static void pass_byte(struct stream *stream, uint8_t *byte) {
    if (is_loading(stream)) {
        *byte = 0;
        if (!is_well(stream))
            return;
        if (stream->at == stream->end)
            refuse(stream, "the string ends too early");
        else
            *byte = stream->from[stream->at++];
        return;
    }
    if (stream->at < stream->end)
        stream->to[stream->at] = *byte;
    stream->at++;
}

static void pass_word(struct stream *stream, uint64_t *word) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 8) {
        uint8_t byte = (uint8_t)(*word >> shift);
        pass_byte(stream, &byte);
        result |= (uint64_t)byte << shift;
    }
    *word = result;
}

static void pass_number(struct stream *stream, double *number) {
    uint64_t word;
    memcpy(&word, number, sizeof word);
    pass_word(stream, &word);
    memcpy(number, &word, sizeof word);
}

enum { COUNT_BITS = 7, COUNT_GOES_ON = 1 << COUNT_BITS, LAST_COUNT_SHIFT = 63 };

static void write_count(struct stream *stream, uint64_t count) {
    uint8_t byte;
    for (; count >= COUNT_GOES_ON; count >>= COUNT_BITS) {
        byte = (uint8_t)(count | COUNT_GOES_ON);
        pass_byte(stream, &byte);
    }
    byte = (uint8_t)count;
    pass_byte(stream, &byte);
}

static uint64_t read_count(struct stream *stream) {
    uint64_t count = 0;
    uint8_t byte = COUNT_GOES_ON;
    for (int shift = 0; byte & COUNT_GOES_ON; shift += COUNT_BITS) {
        pass_byte(stream, &byte);
        if ((byte == 0 && shift > 0) || (shift == LAST_COUNT_SHIFT && byte > 1)) {
            refuse(stream, "a count at byte %zu is not in its shortest form", stream->at);
            return 0;
        }
        count |= (uint64_t)(byte & (COUNT_GOES_ON - 1)) << shift;
    }
    return count;
}

static void pass_count(struct stream *stream, uint64_t *count) {
    if (is_loading(stream))
        *count = read_count(stream);
    else
        write_count(stream, *count);
}

static void pass_count32(struct stream *stream, uint32_t *count, const char *what) {
    uint64_t wide = *count;
    pass_count(stream, &wide);
    if (wide > UINT32_MAX)
        refuse(stream, "%s is above 4294967295", what);
    *count = (uint32_t)wide;
}

static void pass_id(struct stream *stream, int64_t *id) {
    uint64_t zigzag = (uint64_t)*id << 1 ^ (*id < 0 ? UINT64_MAX : 0);
    pass_count(stream, &zigzag);
    *id = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

/* How many items follow; each takes `least` bytes or more, so that an invented count is refused
 * before anything is done for it. */
static void pass_length(struct stream *stream, uint64_t *length, size_t least, const char *what) {
    pass_count(stream, length);
    if (is_loading(stream) && *length > (stream->end - stream->at) / least) {
        refuse(stream, "%s: %llu are announced, more than fit in the rest of the string", what,
               (unsigned long long)*length);
        *length = 0;
    }
}

/* ------------------------------------------------------------------ */
/* Options                                                             */
/* ------------------------------------------------------------------ */

_Static_assert(sizeof(aoi_shape) == sizeof(int), "shapes are passed like dims");

/* The field of an option or a trait. */
static void pass_field(struct stream *stream, void *field, aoi_type type, const char *name) {
    uint8_t byte;
    double value;
    int64_t integer;
    uint32_t bits;
    int small;
    bool truth;
    switch (type) {
    case AOI_NUMBER:
    case AOI_LENGTH:
        memcpy(&value, field, sizeof value);
        pass_number(stream, &value);
        memcpy(field, &value, sizeof value);
        break;
    case AOI_INTEGER:
        memcpy(&integer, field, sizeof integer);
        pass_id(stream, &integer);
        memcpy(field, &integer, sizeof integer);
        break;
    case AOI_SHAPE:
    case AOI_DIMS:
        memcpy(&small, field, sizeof small);
        byte = (uint8_t)small;
        pass_byte(stream, &byte);
        small = byte;
        memcpy(field, &small, sizeof small);
        break;
    case AOI_BOOLEAN:
        memcpy(&truth, field, sizeof truth);
        byte = truth;
        pass_byte(stream, &byte);
        if (byte > 1)
            refuse(stream, "option %s is %d, expected 0 or 1", name, byte);
        truth = byte == 1;
        memcpy(field, &truth, sizeof truth);
        break;
    case AOI_MODE:
    case AOI_BITS:
        memcpy(&bits, field, sizeof bits);
        pass_count32(stream, &bits, name);
        memcpy(field, &bits, sizeof bits);
        break;
    }
}

static void pass_options(struct stream *stream, aoi_options *options) {
    uint8_t engine = (uint8_t)options->engine, collect = (uint8_t)options->collect;
    size_t count;
    const aoi_option_info *table = aoi_option_table(&count);
    options->given &= (1U << count) - 1;
    pass_byte(stream, &engine);
    options->engine = (aoi_engine)engine;
    pass_count32(stream, &options->given, "the set of options");
    if (options->given >> count != 0)
        refuse(stream, "there is an option that this version does not know");
    for (size_t i = 0; i < count; i++) {
        if (options->given & table[i].bit)
            pass_field(stream, (char *)options + table[i].offset, table[i].type, table[i].name);
    }
    pass_byte(stream, &collect);
    if (collect > (AOI_ENTER | AOI_LEAVE | AOI_MOVE))
        refuse(stream, "the set of gathered events is %d, expected 0 to 7", collect);
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
enum { LEAST_ENTITY = 18, LEAST_OLD_STATE = 2, LEAST_SEGMENT = 4, LEAST_OTHER = 1 };

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
    pass_number(stream, &point->x);
    pass_number(stream, &point->y);
    if (space->dims == 3)
        pass_number(stream, &point->z);
}

static void pass_state(struct stream *stream, const struct aoi_space *space, struct state *state) {
    struct entity *entity = &state->entity;
    uint8_t flags = entity->mode == 0 ? 0 : state_flags(space, entity);
    pass_byte(stream, &flags);
    entity->mode = flags & STATE_MODE;
    if (flags & ~STATE_FLAGS || (entity->mode == 0 && (flags != 0 || !state->is_old)))
        refuse(stream, "%s %zu has bad flags or no mode", state->what, state->number);
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
        pass_count32(stream, &entity->cell.column, "a column");
        pass_count32(stream, &entity->cell.row, "a row");
    }
    if (flags & STATE_RADIUS) {
        if (space_is_classic(space))
            refuse(stream, "%s %zu has a radius, in a classic nine-grid", state->what,
                   state->number);
        else
            pass_number(stream, &entity->radius);
    } else if (space->own_radii) {
        refuse(stream, "%s %zu has no radius", state->what, state->number);
    }
#define PASS_AOI_LENGTH(field, flag) ONLY_THE_RADIUS(flag);
#define PASS_AOI_MODE(field, flag) ONLY_THE_MODE(flag);
#define PASS_AOI_BITS(field, flag)                                                                 \
    if (flags & (flag))                                                                            \
        pass_field(stream, &entity->field, AOI_BITS, #field);
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
        refuse(stream, "%s %zu: its position is not finite", what, number);
    if (!slack_keeps_anchor(&space->slack, entity, *place))
        refuse(stream, "%s %zu is farther from its anchor than the slack", what, number);
    if (space_is_classic(space))
        return;
    if (!(entity->radius >= 0))
        refuse(stream, "%s %zu: its radius is %.17g, expected a number from 0 up", what, number,
               entity->radius);
    else
        space_classify(space, entity);
}

/* What an entity is unless it is said. */
static struct state blank_state(const struct aoi_space *space, const char *what, uint64_t number) {
    return (struct state){
        .what = what, .number = (size_t)number, .entity = traits_usual(space->default_radius)};
}

static void save_entities(struct stream *stream, const struct aoi_space *space) {
    write_count(stream, space->entities.count);
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        struct state state = {.entity = space->entities.at[slot]};
        if (state.entity.mode == 0)
            continue;
        state.place = space_place(space, slot);
        pass_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

static void load_entities(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    pass_length(stream, &count, LEAST_ENTITY, "entities");
    for (uint64_t number = 1; number <= count && is_well(stream); number++) {
        struct state state = blank_state(space, "entity", number);
        const aoi_point *place = &state.place;
        pass_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        if (space->map.bounded && !space->map.clamp && !map_holds(&space->map, place->x, place->y))
            refuse(stream, "entity %zu is outside the map", state.number);
        if (space_find(space, state.entity.id) != NO_SLOT)
            refuse(stream, "entity %zu: its id %lld is there twice", state.number,
                   (long long)state.entity.id);
        if (!is_well(stream))
            return;
        space_locate(space, &state.entity);
        if (!change_restore(space, &state.entity, state.place))
            stream->status = AOI_NOMEM;
    }
}

static void save_old_states(struct stream *stream, const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    write_count(stream, old->count);
    for (size_t number = 0; number < old->count; number++) {
        struct state state = {.is_old = true, .entity = old->states[number]};
        if (space->slack.limit > 0)
            state.place = old->places[number];
        pass_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

/* Old cells may be those of a map before aoi_set_bounds; then everybody has an old state. */
static bool has_cell_of_map(const struct aoi_space *space, const struct entity *state) {
    struct entity located = *state;
    space_locate(space, &located);
    return located.cell.column == state->cell.column && located.cell.row == state->cell.row;
}

static void load_old_states(struct stream *stream, struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    uint64_t count = 0;
    bool all_must_have_one = false;
    pass_length(stream, &count, LEAST_OLD_STATE, "old states");
    for (uint64_t number = 1; number <= count; number++) {
        struct state state = blank_state(space, "old state", number);
        struct entity *entity = &state.entity;
        state.is_old = true;
        pass_id(stream, &entity->id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        uint32_t slot = space_find(space, entity->id);
        bool is_double = slot == NO_SLOT
                             ? idmap_find(&old->gone, old->states, entity->id) != NO_SLOT
                             : space->entities.at[slot].changed;
        if (is_double)
            refuse(stream, "old state %zu: its id %lld is there twice", state.number,
                   (long long)entity->id);
        if (slot == NO_SLOT && entity->mode == 0)
            refuse(stream, "old state %zu: its id %lld neither was nor is in the space",
                   state.number, (long long)entity->id);
        if (entity->mode != 0 && space_is_classic(space) && !has_cell_of_map(space, entity)) {
            all_must_have_one = true;
            if (entity->cell.column >= AOI_MOST_CELLS || entity->cell.row >= AOI_MOST_CELLS)
                refuse(stream, "old state %zu: no map has its cell", state.number);
        }
        if (!is_well(stream))
            return;
        if (!old_states_reserve(&space->old_states, 1)) {
            stream->status = AOI_NOMEM;
            return;
        }
        old_states_restore(&space->old_states, entity, state.place, slot);
    }
    if (all_must_have_one && old->count - old->gone.count < space->entities.count)
        refuse(stream, "old states are in cells of another map");
}

/* ------------------------------------------------------------------ */
/* Queues                                                              */
/* ------------------------------------------------------------------ */

enum { QUEUE_FLAGS = (1 << QUEUE_COUNT_SHIFT) - 1, KNOWN_FLAGS = (SEGMENT_OF_MANY << 1) - 1 };

/* The words of the queue's segment at this word. */
static size_t words_at(const struct queue *queue, size_t at) {
    return QUEUE_HEADER_WORDS + segment_count(queue->words + at);
}

static bool starts_change(const struct queue *queue, size_t at) {
    return (queue->words[at + 1] & SEGMENT_STARTS_CHANGE) != 0;
}

static void save_segments(struct stream *stream, const struct queue *queue) {
    uint64_t segments = 0;
    for (size_t at = queue->head; at < queue->tail; at += words_at(queue, at))
        segments++;
    write_count(stream, segments);
    for (size_t at = queue->head; at < queue->tail; at += words_at(queue, at)) {
        const uint64_t *segment = queue->words + at;
        uint8_t flags = (uint8_t)(segment[1] & QUEUE_FLAGS);
        aoi_id id = (aoi_id)segment[0];
        size_t gone = at == queue->head ? queue->index : 0;
        pass_byte(stream, &flags);
        pass_id(stream, &id);
        write_count(stream, segment_count(segment) - gone);
        for (size_t i = gone; i < segment_count(segment); i++) {
            id = (aoi_id)segment[QUEUE_HEADER_WORDS + i];
            pass_id(stream, &id);
        }
    }
}

/* Reads the others of a segment into the queue. */
static void load_segment(struct stream *stream, struct queue *queue, struct memory *memory,
                         uint8_t flags) {
    aoi_id subject = 0;
    uint64_t count = 0;
    pass_id(stream, &subject);
    pass_length(stream, &count, LEAST_OTHER, "ids of an event");
    if (count == 0)
        refuse(stream, "an event is about nobody");
    if (!is_well(stream))
        return;
    if (!queue_reserve(queue, memory, 1, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    aoi_id *others = queue_append_room(queue, subject, flags, (size_t)count);
    for (size_t i = 0; i < count; i++) {
        pass_id(stream, &others[i]);
        if (others[i] == subject)
            refuse(stream, "an event tells somebody about itself");
    }
    if (!(flags & SEGMENT_OPS))
        queue->events -= (size_t)count;
}

/* ops: the kinds of events that may be there. Events that nobody listens for any more (without a
 * kind) stand only in the change at head of those that wait. */
static void load_segments(struct stream *stream, struct queue *queue, struct memory *memory,
                          uint32_t ops, bool is_pending) {
    uint64_t segments = 0;
    int last = 0;
    pass_length(stream, &segments, LEAST_SEGMENT, "events");
    for (uint64_t number = 0; number < segments && is_well(stream); number++) {
        uint8_t flags = 0;
        pass_byte(stream, &flags);
        uint32_t op = flags & SEGMENT_OPS;
        if (number > 0 && (flags & SEGMENT_STARTS_CHANGE)) {
            last = 0;
            is_pending = false; /* the change at head is over */
        }
        bool is_kind = op == AOI_LEAVE || op == AOI_ENTER || op == AOI_MOVE;
        bool is_good =
            is_kind ? (op & ops) != 0 && queue_rank((aoi_op)op) >= last : op == 0 && is_pending;
        if (!is_good || flags & ~KNOWN_FLAGS)
            refuse(stream, "an event is of a kind that can't be there");
        else if (is_kind)
            last = queue_rank((aoi_op)op);
        load_segment(stream, queue, memory, flags);
    }
}

/* Which segment, from 0, begins this many words after head; as many as there are at the end. */
static uint64_t segment_number(const struct queue *queue, size_t words) {
    uint64_t number = 0;
    for (size_t at = 0; at < words; at += words_at(queue, queue->head + at))
        number++;
    return number;
}

/* How many words after head segment `number` of the change at head begins; false: it has not so
 * many. The end of the change counts as one more. */
static bool words_of_segment(const struct queue *queue, uint64_t number, size_t *words) {
    size_t at = queue->head;
    for (; number > 0; number--) {
        if (at == queue->tail || (at != queue->head && starts_change(queue, at)))
            return false;
        at += words_at(queue, at);
    }
    *words = at - queue->head;
    return true;
}

/* Flags of how far the change at head has been told: bits of its state, and two of progress. */
enum { TOLD_VIEWED = 1 << 2, TOLD_GROUPED = 1 << 3, TOLD_ARRANGED = 1 << 4, TOLD_VIEWS = 1 << 5 };

static const uint8_t state_bits[] = {
    [NOT_BEGUN] = 0,   [IN_VIEWS] = 0 | TOLD_ARRANGED | TOLD_VIEWS,
    [GROUPS_NEXT] = 1, [IN_GROUPS] = 1 | TOLD_ARRANGED,
    [IN_EVENTS] = 2,
};

/* False when no state has these bits. */
static bool state_of_bits(int bits, enum progress_state *state) {
    for (size_t i = 0; i < sizeof state_bits; i++) {
        if (state_bits[i] == bits) {
            *state = (enum progress_state)i;
            return true;
        }
    }
    return false;
}

static void save_progress(struct stream *stream, const struct queue *queue) {
    const struct progress *progress = &queue->progress;
    uint8_t flags = (uint8_t)(state_bits[progress->state] | (progress->viewed ? TOLD_VIEWED : 0) |
                              (progress->grouped ? TOLD_GROUPED : 0));
    pass_byte(stream, &flags);
    write_count(stream, segment_number(queue, progress->segment));
    write_count(stream, progress->index);
    write_count(stream, progress->events);
    for (int kind = 0; kind < QUEUE_KINDS && progress->state == IN_VIEWS; kind++)
        write_count(stream, progress->views[kind] == PROGRESS_NO_SEGMENT
                                ? 0
                                : segment_number(queue, progress->views[kind]) + 1);
}

static void load_progress(struct stream *stream, struct queue *queue) {
    struct progress *progress = &queue->progress;
    uint8_t flags = 0;
    pass_byte(stream, &flags);
    progress->viewed = (flags & TOLD_VIEWED) != 0;
    progress->grouped = (flags & TOLD_GROUPED) != 0;
    bool is_good = state_of_bits(flags & ~(TOLD_VIEWED | TOLD_GROUPED), &progress->state) &&
                   words_of_segment(queue, read_count(stream), &progress->segment);
    uint64_t index = read_count(stream), events = read_count(stream);
    progress->index = (size_t)index;
    progress->events = (size_t)events;
    is_good = is_good && progress->index == index && progress->events == events;
    for (int kind = 0; kind < QUEUE_KINDS && progress->state == IN_VIEWS; kind++) {
        uint64_t number = read_count(stream);
        progress->views[kind] = PROGRESS_NO_SEGMENT;
        is_good =
            is_good && (number == 0 || words_of_segment(queue, number - 1, &progress->views[kind]));
    }
    if (!is_good || !is_well(stream) || !telling_is_sound(queue))
        refuse(stream, "how far the events have been told makes no sense");
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
        pass_byte(&stream, &byte);
    }
    write_count(&stream, note);
    pass_options(&stream, &options);
    if (space->own_radii)
        pass_number(&stream, &usual_radius);
    write_count(&stream, space->delivered);
    save_entities(&stream, space);
    if (space->deferred)
        save_old_states(&stream, space);
    save_segments(&stream, &space->pending);
    if (space->pending.head != space->pending.tail)
        save_progress(&stream, &space->pending);
    save_segments(&stream, &space->collected);
    const size_t body = stream.at, whole = body + CHECKSUM_SIZE;
    if (whole > stream.end)
        return whole;
    uint64_t word = whole;
    stream.at = LENGTH_AT;
    pass_word(&stream, &word);
    stream.at = body;
    word = checksum(stream.to, body);
    pass_word(&stream, &word);
    return whole;
}

/* Checks all that can be checked of any string, and leaves the stream at the caller's note. */
static void open_string(struct stream *stream, size_t size) {
    uint64_t length = 0, sum = 0;
    if (size < HEAD_SIZE + CHECKSUM_SIZE || memcmp(stream->from, magic, LENGTH_AT - 1) != 0) {
        refuse(stream, "the string is not a saved space");
        return;
    }
    if (stream->from[LENGTH_AT - 1] != VERSION) {
        refuse(stream, "the string has format version %d, expected %d", stream->from[LENGTH_AT - 1],
               VERSION);
        return;
    }
    stream->end = size;
    stream->at = LENGTH_AT;
    pass_word(stream, &length);
    if (length != size)
        refuse(stream, "the string has %zu bytes, expected %llu: it is not whole", size,
               (unsigned long long)length);
    stream->at = size - CHECKSUM_SIZE;
    pass_word(stream, &sum);
    if (sum != checksum(stream->from, size - CHECKSUM_SIZE))
        refuse(stream, "the checksum is wrong: the string is damaged");
    stream->at = HEAD_SIZE;
    stream->end = size - CHECKSUM_SIZE;
}

static void load_usual_radius(struct stream *stream, struct aoi_space *space) {
    pass_number(stream, &space->indexes.usual_radius);
    if (!(space->indexes.usual_radius >= 0))
        refuse(stream, "the usual radius is %.17g, expected a number from 0 up",
               space->indexes.usual_radius);
}

/* All that comes after the options. */
static void load_contents(struct stream *stream, struct aoi_space *space) {
    if (space->own_radii)
        load_usual_radius(stream, space);
    pass_count(stream, &space->delivered);
    load_entities(stream, space);
    if (space->deferred)
        load_old_states(stream, space);
    load_segments(stream, &space->pending, &space->memory, SEGMENT_OPS, true);
    if (space->pending.head != space->pending.tail && is_well(stream))
        load_progress(stream, &space->pending);
    load_segments(stream, &space->collected, &space->memory, space->collect, false);
    if (stream->at != stream->end)
        refuse(stream, "the string goes on after its end");
}

aoi_status aoi_load(const void *bytes, size_t size, aoi_allocator allocator,
                    void *allocator_userdata, aoi_space **space_out, uint32_t *note_out,
                    aoi_complaint *complaint) {
    struct stream stream = {.from = bytes, .complaint = complaint};
    aoi_options options = aoi_options_default((aoi_engine)0);
    uint32_t note = 0;
    open_string(&stream, size);
    pass_count32(&stream, &note, "the note");
    pass_options(&stream, &options);
    if (!is_well(&stream))
        return stream.status;
    options.listen = 0;
    options.allocator = allocator;
    options.allocator_userdata = allocator_userdata;
    aoi_space *space;
    aoi_status status = aoi_create(&options, &space, complaint);
    if (status != AOI_OK)
        return status;
    load_contents(&stream, space);
    if (!is_well(&stream)) {
        aoi_destroy(space);
        return stream.status;
    }
    space_check(space);
    *space_out = space;
    if (note_out != NULL)
        *note_out = note;
    return AOI_OK;
}
