/*
 * snapshot.c - aoi_save and aoi_load: a space as a string of bytes.
 *
 * One description of the format serves both ways: each pass_ function, like
 * those of stream.h, writes its value or reads it. What comes from a string is
 * checked as strictly as the arguments of a call.
 *
 * The format, version 5. Everything is little endian. A `count` is an unsigned
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
 *     count, count calls that changed the space so far, number of the last tick
 *     count        entities, then each: id, state
 *     [count]      deferred: old states, then each: id, state
 *     exceptions   visible radii and sights: see saved_exceptions.h
 *     [crowd]      crowd spaces: a member for each entity, then for each old state of one who is
 *                  gone, in the same order
 *     queue        events that wait
 *     queue        events gathered
 *     areas        see saved_areas.h
 *     count        those who were handed in since the last tick, then each: id, byte (1: it was
 *                  inside at the last tick; and 2: it was in areas), [place and anchor then: x,
 *                  y [, z] each], of whom it was told, as in luggage.h, and [the areas: count, then
 *                  the ids, ascending]
 *     8 bytes      FNV-1a (64 bits) of all bytes before
 *
 * What has a file of its own is described there: a state in saved_entities.h, a member in
 * saved_crowd.h.
 *
 *     queue:  count of segments, then each: flags (byte), subject (id), count of others, others
 *             (ids), without those told in the last stage of a change. Behind the first queue, if
 *             its first segment starts no change, where that change is being told: byte (1: in
 *             views, 2: in groups, 3: event by event) and, in the first two, how many pairs were
 *             told there that other stages are still to tell.
 */
#include <string.h>

#include "entity/saved_fields.h"
#include "events/saved_queue.h"
#include "space/capability.h"
#include "hand_over/luggage.h"
#include "crowd/saved_crowd.h"
#include "keep/saved_entities.h"
#include "keep/saved_exceptions.h"
#include "space/space.h"

enum { VERSION = 5, HEAD_SIZE = 12, CHECKSUM_SIZE = 8, LENGTH_AT = 4 };

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
    if (collect > (PAIR_OPS | AREA_OPS))
        stream_refuse(stream, "the set of gathered events is %d, expected 0 to 31", collect);
    options->collect = collect;
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
    stream_write_count(&stream, space->moment.calls);
    stream_write_count(&stream, space->moment.ticks);
    save_entities(&stream, space);
    if (space->deferred)
        save_old_states(&stream, space);
    save_exceptions(&stream, space);
    if (space->crowd != NULL)
        save_crowd(&stream, space);
    saved_queue_write(&stream, &space->pending, true);
    saved_queue_write(&stream, &space->collected, false);
    ASK_ALL(save, &stream, space);
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

/* All that comes after the options. */
static void load_contents(struct stream *stream, struct aoi_space *space) {
    if (space->own_radii)
        stream_number(stream, &space->indexes.usual_radius);
    if (!(space->indexes.usual_radius >= 0))
        stream_refuse(stream, "the usual radius is %.17g, expected a number from 0 up",
                      space->indexes.usual_radius);
    stream_count(stream, &space->delivered);
    stream_count(stream, &space->moment.calls);
    stream_count(stream, &space->moment.ticks);
    if (space->moment.calls > INT64_MAX / 2 || /* so that it can go on */
        space->moment.ticks > (space->deferred ? AOI_LAST_TICK : 0))
        stream_refuse(stream, "%llu ticks in %llu calls", (unsigned long long)space->moment.ticks,
                      (unsigned long long)space->moment.calls);
    load_entities(stream, space);
    if (space->deferred)
        load_old_states(stream, space);
    if (stream_is_well(stream))
        load_exceptions(stream, space);
    if (space->crowd != NULL && stream_is_well(stream))
        load_crowd(stream, space);
    saved_queue_read(stream, &space->pending, &space->memory.events, UINT32_MAX, true);
    saved_queue_read(stream, &space->collected, &space->memory.events, space->collect, false);
    if (stream_is_well(stream))
        ASK_ALL(load, stream, space);
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
    space->is_unheard = true;
    space_check(space);
    *space_out = space;
    if (note_out != NULL)
        *note_out = note;
    return AOI_OK;
}
