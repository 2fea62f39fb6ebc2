/* log.c - recorded calls written in short forms; records begun, finished and dropped. */
#include "record/log.h"

#include <string.h>

#include "record/saved_area.h"
#include "base/always_inline.h"
#include "base/checksum.h"
#include "entity/saved_fields.h"

/* The most bytes of each. */
enum { MOST_COUNT = 10, MOST_TRAITS = 1 + 2 * 8 + 5 * 5, NUMBER_SIZE = 8, FLOAT_SIZE = 4 };

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

static void begin_record(struct record_log *log, const aoi_moment *now) {
    static const uint8_t magic[] = {'A', 'O', 'R', RECORD_VERSION};
    uint8_t *head = log->bytes.items + log->bytes.count;
    memset(head, 0, RECORD_HEAD);
    memcpy(head, magic, sizeof magic);
    store_word(head + RECORD_FROM_AT, now->calls);
    store_word(head + RECORD_FROM_AT + 8, now->ticks);
    head[RECORD_DIMS_AT] = log->dims;
    log->head = log->bytes.count;
    log->last = log->bytes.count += RECORD_HEAD;
    log->is_open = true;
}

void log_finish(struct record_log *log, const aoi_moment *now) {
    if (!log->is_open)
        return;
    log->is_open = false;
    const size_t length = log->bytes.count - log->head;
    if (length == RECORD_HEAD) { /* its first call has failed */
        log->bytes.count = log->head;
        return;
    }
    uint8_t *head = log->bytes.items + log->head;
    store_word(head + RECORD_LENGTH_AT, length);
    store_word(head + RECORD_TO_AT, now->calls);
    store_word(head + RECORD_TO_AT + 8, now->ticks);
    store_word(head + RECORD_SUM_AT,
               checksum_words(head + RECORD_FROM_AT, length - RECORD_FROM_AT));
}

void log_take_back(struct record_log *log) {
    log->bytes.count = log->last;
}

void log_end(struct record_log *log, const aoi_moment *now) {
    log->on = false;
    log_finish(log, now);
    if (log->bytes.count == 0)
        array_fit(&log->bytes, log->memory);
}

void log_drop(struct record_log *log, size_t size) {
    if (size == 0)
        return;
    memmove(log->bytes.items, log->bytes.items + size, log->bytes.count - size);
    log->bytes.count -= size;
    log->last -= size;
    log->head -= size;
    if (high_water_end(&log->use, QUIET_TICKS) || (log->bytes.count == 0 && !log->on))
        array_fit(&log->bytes, log->memory);
}

/* ------------------------------------------------------------------ */
/* Calls                                                               */
/* ------------------------------------------------------------------ */

static bool make_room(struct record_log *log, const aoi_moment *now, size_t most) {
    const size_t more = most + RECORD_HEAD;
    if (more < most || !array_reserve(&log->bytes, log->memory, more))
        return false;
    if (!log->is_open)
        begin_record(log, now);
    return true;
}

/* Where the next call goes: room for so many bytes. */
ALWAYS_INLINE uint8_t *begin_call(struct record_log *log, const aoi_moment *now, size_t most) {
    const bool has_room = log->is_open && array_has_room(&log->bytes, most);
    if (!has_room && !make_room(log, now, most))
        return NULL;
    log->last = log->bytes.count;
    return log->bytes.items + log->bytes.count;
}

ALWAYS_INLINE uint8_t *put_count(uint8_t *to, uint64_t count) {
    for (; count >= 1 << 7; count >>= 7)
        *to++ = (uint8_t)(count | 1 << 7);
    *to++ = (uint8_t)count;
    return to;
}

ALWAYS_INLINE uint8_t *put_id(uint8_t *to, aoi_id id) {
    return put_count(to, zigzag_of(id));
}

ALWAYS_INLINE bool are_floats(const aoi_point *point, unsigned dims) {
    return (double)(float)point->x == point->x && (double)(float)point->y == point->y &&
           (dims == 2 || (double)(float)point->z == point->z);
}

ALWAYS_INLINE uint8_t *put_coordinate(uint8_t *to, double number, bool as_float) {
    if (as_float) {
        store_float(to, (float)number);
        return to + FLOAT_SIZE;
    }
    store_double(to, number);
    return to + NUMBER_SIZE;
}

ALWAYS_INLINE uint8_t *put_point(uint8_t *to, const aoi_point *point, unsigned dims,
                                 bool as_floats) {
    to = put_coordinate(to, point->x, as_floats);
    to = put_coordinate(to, point->y, as_floats);
    return dims == 2 ? to : put_coordinate(to, point->z, as_floats);
}

static uint8_t *put_area(uint8_t *to, const aoi_area *area, size_t most, int dims) {
    struct stream stream = {.to = to, .end = most};
    aoi_area copy = *area;
    stream_area(&stream, &copy, dims);
    stream_rings(&stream, &copy, NULL, NULL);
    return to + stream.at;
}

ALWAYS_INLINE bool has_floats(const struct call *call, unsigned parts, unsigned dims) {
    if (parts & PART_ROWS) {
        size_t row = 0;
        while (row < call->count && are_floats(&call->rows[row].position, dims))
            row++;
        return row == call->count;
    }
    return (parts & PART_PLACE) && are_floats(call->place, dims) &&
           (!(parts & PART_ANCHOR) || are_floats(call->anchor, dims));
}

/* Traits of no row may be bad ones. */
ALWAYS_INLINE bool has_traits(const struct call *call, unsigned parts) {
    return (parts & PART_TRAITS) && call->traits != NULL && call->traits->given != 0 &&
           (!(parts & PART_ROWS) || call->count > 0);
}

/* The most bytes of the parts that have no bound. SIZE_MAX: more than there can be. */
static size_t most_unbounded(const struct call *call, unsigned parts) {
    enum { MOST_ROW = MOST_COUNT + 3 * NUMBER_SIZE };
    if (parts & PART_TEXT)
        return (size_t)call->count;
    if (parts & (PART_IDS | PART_ROWS))
        return call->count > SIZE_MAX / MOST_ROW ? SIZE_MAX : (size_t)call->count * MOST_ROW;
    return parts & PART_AREA ? saved_area_most(call->area) : 0;
}

static uint8_t *put_rows(uint8_t *to, const struct call *call, unsigned dims, bool as_floats) {
    const bool with_points = (call_parts(call->kind) & PART_ROWS) != 0;
    for (size_t row = 0; row < call->count; row++) {
        to = put_id(to, call->rows[row].id);
        if (with_points)
            to = put_point(to, &call->rows[row].position, dims, as_floats);
    }
    return to;
}

/* log_call for the parts of one kind: constants, where the kind is known. */
ALWAYS_INLINE bool write_call(struct record_log *log, const aoi_moment *now,
                              const struct call *call, unsigned parts) {
    enum { MOST_BOUNDED = 1 + 3 * MOST_COUNT + 10 * NUMBER_SIZE + MOST_TRAITS };
    const size_t more = most_unbounded(call, parts);
    uint8_t *to = more > SIZE_MAX - MOST_BOUNDED ? NULL : begin_call(log, now, MOST_BOUNDED + more);
    if (to == NULL)
        return false;
    const unsigned dims = log->dims;
    const bool as_floats = has_floats(call, parts, dims), with_traits = has_traits(call, parts);
    *to++ = (uint8_t)((unsigned)call->kind | (as_floats ? CALL_HAS_FLOATS : 0U) |
                      (with_traits ? CALL_HAS_TRAITS : 0U));
    if (parts & PART_ID)
        to = put_id(to, call->id);
    if (parts & PART_OTHER)
        to = put_id(to, call->other);
    if (parts & PART_PLACE)
        to = put_point(to, call->place, dims, as_floats);
    if (parts & PART_ANCHOR)
        to = put_point(to, call->anchor, dims, as_floats);
    if (parts & PART_AREA)
        to = put_area(to, call->area, more, log->dims);
    if (parts & PART_BOUNDS)
        for (int i = 0; i < 4; i++)
            to = put_coordinate(to, call->bounds[i], false);
    if (parts & (PART_NUMBER | PART_TEXT | PART_IDS | PART_ROWS))
        to = put_count(to, call->count);
    if (with_traits) {
        struct stream stream = {.to = to, .end = MOST_TRAITS};
        aoi_traits copy = *call->traits;
        stream_traits(&stream, &copy);
        to += stream.at;
    }
    if ((parts & PART_TEXT) && call->count > 0) {
        memcpy(to, call->text, (size_t)call->count);
        to += call->count;
    }
    if (parts & (PART_IDS | PART_ROWS))
        to = put_rows(to, call, dims, as_floats);
    log->bytes.count = (size_t)(to - log->bytes.items);
    high_water_note(&log->use, log->bytes.count);
    return true;
}

NEVER_INLINE static bool write_any_call(struct record_log *log, const aoi_moment *now,
                                        const struct call *call) {
    return write_call(log, now, call, call_parts(call->kind));
}

bool log_call(struct record_log *log, const aoi_moment *now, const struct call *call) {
    if (call->kind == CALL_MOVE) /* by far the most */
        return write_call(log, now, call, PART_ID | PART_PLACE);
    return write_any_call(log, now, call);
}
