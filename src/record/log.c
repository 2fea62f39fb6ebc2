/* log.c - see log.h. */
#include "record/log.h"

#include <string.h>

#include "area/saved_area.h"
#include "base/always_inline.h"
#include "base/checksum.h"
#include "entity/saved_fields.h"

/* The most bytes of each. */
enum { MOST_COUNT = 10, MOST_TRAITS = 1 + 8 + 5 * 5, NUMBER_SIZE = 8, FLOAT_SIZE = 4 };

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

static void begin_record(struct record_log *log, const aoi_moment *now) {
    static const uint8_t magic[] = {'A', 'O', 'R', RECORD_VERSION};
    uint8_t *head = log->bytes + log->used;
    memset(head, 0, RECORD_HEAD);
    memcpy(head, magic, sizeof magic);
    store_word(head + RECORD_FROM_AT, now->calls);
    store_word(head + RECORD_FROM_AT + 8, now->ticks);
    head[RECORD_DIMS_AT] = log->dims;
    log->head = log->used;
    log->last = log->used += RECORD_HEAD;
    log->is_open = true;
}

void log_finish(struct record_log *log, const aoi_moment *now) {
    if (!log->is_open)
        return;
    log->is_open = false;
    const size_t length = log->used - log->head;
    if (length == RECORD_HEAD) { /* its first call has failed */
        log->used = log->head;
        return;
    }
    uint8_t *head = log->bytes + log->head;
    store_word(head + RECORD_LENGTH_AT, length);
    store_word(head + RECORD_TO_AT, now->calls);
    store_word(head + RECORD_TO_AT + 8, now->ticks);
    store_word(head + RECORD_SUM_AT,
               checksum_words(head + RECORD_FROM_AT, length - RECORD_FROM_AT));
}

void log_take_back(struct record_log *log) {
    log->used = log->last;
}

/* Gives back the room that nothing recorded needs. */
static void give_back(struct record_log *log) {
    if (log->used == 0) {
        log_free(log);
        return;
    }
    uint8_t *bytes = memory_resize(log->memory, log->bytes, log->capacity, log->used, 1);
    if (bytes == NULL)
        return;
    log->bytes = bytes;
    log->capacity = log->used;
}

void log_end(struct record_log *log, const aoi_moment *now) {
    log->on = false;
    log_finish(log, now);
    if (log->used == 0)
        log_free(log);
}

void log_drop(struct record_log *log, size_t size) {
    if (size == 0)
        return;
    memmove(log->bytes, log->bytes + size, log->used - size);
    log->used -= size;
    log->last -= size;
    log->head -= size;
    if (high_water_end(&log->use, QUIET_TICKS) || (log->used == 0 && !log->on))
        give_back(log);
}

void log_free(struct record_log *log) {
    if (log->bytes != NULL)
        memory_resize(log->memory, log->bytes, log->capacity, 0, 1);
    log->bytes = NULL;
    log->used = log->capacity = 0;
    log->is_open = false;
}

/* ------------------------------------------------------------------ */
/* Calls                                                               */
/* ------------------------------------------------------------------ */

static bool make_room(struct record_log *log, const aoi_moment *now, size_t most) {
    const size_t needed = log->used + most + RECORD_HEAD;
    if (needed < most)
        return false;
    if (needed > log->capacity) {
        uint8_t *bytes = memory_grow(log->memory, log->bytes, &log->capacity, needed, 1);
        if (bytes == NULL)
            return false;
        log->bytes = bytes;
    }
    if (!log->is_open)
        begin_record(log, now);
    return true;
}

/* Where the next call goes: room for so many bytes. NULL: no memory, unchanged. */
ALWAYS_INLINE uint8_t *begin_call(struct record_log *log, const aoi_moment *now, size_t most) {
    const bool has_room = log->is_open && log->capacity - log->used >= most;
    if (!has_room && !make_room(log, now, most))
        return NULL;
    log->last = log->used;
    return log->bytes + log->used;
}

ALWAYS_INLINE bool end_call(struct record_log *log, const uint8_t *end) {
    log->used = (size_t)(end - log->bytes);
    high_water_note(&log->use, log->used);
    return true;
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

static uint8_t *put_traits(uint8_t *to, const aoi_traits *traits) {
    struct stream stream = {.to = to, .end = MOST_TRAITS};
    aoi_traits copy = *traits;
    stream_traits(&stream, &copy);
    return to + stream.at;
}

static bool has_traits(const aoi_traits *traits) {
    return traits != NULL && traits->given != 0;
}

bool log_simple(struct record_log *log, const aoi_moment *now, enum call_kind kind) {
    uint8_t *to = begin_call(log, now, 1);
    if (to == NULL)
        return false;
    *to++ = (uint8_t)kind;
    return end_call(log, to);
}

bool log_count(struct record_log *log, const aoi_moment *now, enum call_kind kind, uint64_t count) {
    uint8_t *to = begin_call(log, now, 1 + MOST_COUNT);
    if (to == NULL)
        return false;
    *to++ = (uint8_t)kind;
    return end_call(log, put_count(to, count));
}

bool log_id(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id) {
    return log_count(log, now, kind, zigzag_of(id));
}

bool log_pair(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id watcher,
              aoi_id marker) {
    uint8_t *to = begin_call(log, now, 1 + 2 * MOST_COUNT);
    if (to == NULL)
        return false;
    *to++ = (uint8_t)kind;
    return end_call(log, put_id(put_id(to, watcher), marker));
}

bool log_point(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
               const aoi_point *point, const aoi_traits *traits) {
    uint8_t *to = begin_call(log, now, 1 + MOST_COUNT + 3 * NUMBER_SIZE + MOST_TRAITS);
    if (to == NULL)
        return false;
    const unsigned dims = log->dims;
    const bool as_floats = are_floats(point, dims), with_traits = has_traits(traits);
    *to++ = (uint8_t)((unsigned)kind | (as_floats ? CALL_HAS_FLOATS : 0U) |
                      (with_traits ? CALL_HAS_TRAITS : 0U));
    to = put_point(put_id(to, id), point, dims, as_floats);
    return end_call(log, with_traits ? put_traits(to, traits) : to);
}

bool log_anchored(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
                  const aoi_point places[2], const aoi_traits *traits) {
    uint8_t *to = begin_call(log, now, 1 + MOST_COUNT + 6 * NUMBER_SIZE + MOST_TRAITS);
    if (to == NULL)
        return false;
    const unsigned dims = log->dims;
    const bool as_floats = are_floats(&places[0], dims) && are_floats(&places[1], dims);
    const bool with_traits = has_traits(traits);
    *to++ = (uint8_t)((unsigned)kind | (as_floats ? CALL_HAS_FLOATS : 0U) |
                      (with_traits ? CALL_HAS_TRAITS : 0U));
    to = put_id(to, id);
    to = put_point(to, &places[0], dims, as_floats);
    to = put_point(to, &places[1], dims, as_floats);
    return end_call(log, with_traits ? put_traits(to, traits) : to);
}

bool log_bytes(struct record_log *log, const aoi_moment *now, enum call_kind kind,
               const void *bytes, size_t size) {
    enum { MOST_HEAD = 1 + MOST_COUNT };
    uint8_t *to = size > SIZE_MAX - MOST_HEAD ? NULL : begin_call(log, now, MOST_HEAD + size);
    if (to == NULL)
        return false;
    *to++ = (uint8_t)kind;
    to = put_count(to, size);
    if (size > 0)
        memcpy(to, bytes, size);
    return end_call(log, to + size);
}

bool log_traits(struct record_log *log, const aoi_moment *now, aoi_id id,
                const aoi_traits *traits) {
    uint8_t *to = begin_call(log, now, 1 + MOST_COUNT + MOST_TRAITS);
    if (to == NULL)
        return false;
    *to++ = CALL_SET_TRAITS | CALL_HAS_TRAITS;
    return end_call(log, put_traits(put_id(to, id), traits));
}

bool log_rows(struct record_log *log, const aoi_moment *now, enum call_kind kind,
              const aoi_row *rows, size_t count, const aoi_traits *traits) {
    enum { MOST_HEAD = 1 + MOST_COUNT + MOST_TRAITS, MOST_ROW = MOST_COUNT + 3 * NUMBER_SIZE };
    if (count > (SIZE_MAX - MOST_HEAD) / MOST_ROW)
        return false;
    uint8_t *to = begin_call(log, now, MOST_HEAD + count * MOST_ROW);
    if (to == NULL)
        return false;
    const unsigned dims = log->dims;
    const bool with_points = kind != CALL_LEAVE_ALL;
    const bool with_traits = count > 0 && has_traits(traits); /* of no row they may be bad */
    bool as_floats = with_points;
    for (size_t row = 0; row < count && as_floats; row++)
        as_floats = are_floats(&rows[row].position, dims);
    *to++ = (uint8_t)((unsigned)kind | (as_floats ? CALL_HAS_FLOATS : 0U) |
                      (with_traits ? CALL_HAS_TRAITS : 0U));
    to = put_count(to, count);
    if (with_traits)
        to = put_traits(to, traits);
    for (size_t row = 0; row < count; row++) {
        to = put_id(to, rows[row].id);
        if (with_points)
            to = put_point(to, &rows[row].position, dims, as_floats);
    }
    return end_call(log, to);
}

bool log_area(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
              const aoi_area *area) {
    const size_t most = saved_area_most(area);
    uint8_t *to = begin_call(log, now, 1 + MOST_COUNT + most);
    if (to == NULL)
        return false;
    *to++ = (uint8_t)kind;
    to = put_id(to, id);
    struct stream stream = {.to = to, .end = most};
    aoi_area copy = *area;
    stream_area(&stream, &copy, log->dims);
    stream_rings(&stream, &copy, NULL, NULL);
    return end_call(log, to + stream.at);
}

bool log_bounds(struct record_log *log, const aoi_moment *now, const double bounds[4]) {
    uint8_t *to = begin_call(log, now, 1 + 4 * NUMBER_SIZE);
    if (to == NULL)
        return false;
    *to++ = CALL_SET_BOUNDS;
    for (int i = 0; i < 4; i++)
        to = put_coordinate(to, bounds[i], false);
    return end_call(log, to);
}
