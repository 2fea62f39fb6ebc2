/* reading.c - recorded calls read again, each field checked. */
#include "record/reading.h"

#include <math.h>
#include <string.h>

#include "record/saved_area.h"

#include "base/checksum.h"
#include "entity/saved_fields.h"
#include "entity/traits.h"

/* ------------------------------------------------------------------ */
/* Heads                                                               */
/* ------------------------------------------------------------------ */

static bool moments_fit(const struct record_head *head) {
    const aoi_moment from = head->from, to = head->to;
    return to.calls <= INT64_MAX && to.calls >= from.calls && to.ticks <= AOI_LAST_TICK &&
           to.ticks >= from.ticks;
}

void read_record_head(struct stream *stream, struct record_head *head) {
    const size_t start = stream->at, rest = stream->end - start;
    const uint8_t *bytes = stream->from + start;
    if (rest < RECORD_HEAD || memcmp(bytes, "AOR", 3) != 0) {
        stream_refuse(stream, rest < RECORD_HEAD ? "the record is not whole"
                                                 : "there is no record where one should begin");
        return;
    }
    if (bytes[3] != RECORD_VERSION) {
        stream_refuse(stream, "the record has format version %d, expected %d", bytes[3],
                      RECORD_VERSION);
        return;
    }
    const uint64_t length = load_word(bytes + RECORD_LENGTH_AT);
    if (length > rest || length <= RECORD_HEAD) {
        stream_refuse(stream, "the record has %zu bytes, expected %llu: it is not whole", rest,
                      (unsigned long long)length);
        return;
    }
    *head = (struct record_head){
        .length = (size_t)length,
        .from = {load_word(bytes + RECORD_FROM_AT), load_word(bytes + RECORD_FROM_AT + 8)},
        .to = {load_word(bytes + RECORD_TO_AT), load_word(bytes + RECORD_TO_AT + 8)},
        .dims = bytes[RECORD_DIMS_AT]};
    if (load_word(bytes + RECORD_SUM_AT) !=
        checksum_words(bytes + RECORD_FROM_AT, head->length - RECORD_FROM_AT))
        stream_refuse(stream, "the checksum is wrong: the record is damaged");
    else if (!moments_fit(head) || (head->dims != 2 && head->dims != 3))
        stream_refuse(stream, "the record has bad numbers of calls, ticks or dimensions");
    stream->at = start + RECORD_HEAD;
}

/* ------------------------------------------------------------------ */
/* Calls                                                               */
/* ------------------------------------------------------------------ */

static void read_number(struct stream *stream, bool is_float, double *number) {
    if (is_float)
        stream_float(stream, number);
    else
        stream_number(stream, number);
}

static void check_finite(struct stream *stream, double number) {
    if (!isfinite(number))
        stream_refuse(stream, "a coordinate of a call is not finite");
}

static aoi_point read_point(struct stream *stream, int dims, const struct recorded_call *call) {
    aoi_point point = {0, 0, 0};
    read_number(stream, call->has_floats, &point.x);
    read_number(stream, call->has_floats, &point.y);
    if (dims == 3)
        read_number(stream, call->has_floats, &point.z);
    if (call->kind == CALL_MOVE_KNOWN) /* whose rows are passed over where the id is unknown */
        return point;
    check_finite(stream, point.x);
    check_finite(stream, point.y);
    check_finite(stream, point.z);
    return point;
}

/* Refuses traits that no space accepts; whether this one does shows when the call is made. */
static void read_traits(struct stream *stream, struct recorded_call *call) {
    struct entity unused = traits_usual(0);
    stream_traits(stream, &call->traits);
    if (traits_take(&unused, &call->traits, true, true) != AOI_OK)
        stream_refuse(stream, "a call has a bad trait");
}

enum { LEAST_ID = 1, LEAST_ROW_OF_FLOATS = 9, LEAST_ROW = 17 };

static size_t least_row(int dims, const struct recorded_call *call) {
    if (!(call_parts(call->kind) & PART_ROWS))
        return LEAST_ID;
    const size_t more = dims == 3 ? 1 : 0;
    return call->has_floats ? LEAST_ROW_OF_FLOATS + 4 * more : LEAST_ROW + 8 * more;
}

/* The flags that a call with these parts can have. */
static unsigned flags_of(unsigned parts) {
    return (parts & (PART_PLACE | PART_ROWS) ? CALL_HAS_FLOATS : 0U) |
           (parts & PART_TRAITS ? CALL_HAS_TRAITS : 0U);
}

static void read_bounds(struct stream *stream, double bounds[4]) {
    for (int i = 0; i < 4; i++) {
        stream_number(stream, &bounds[i]);
        check_finite(stream, bounds[i]);
    }
}

static void read_text(struct stream *stream, struct recorded_call *call) {
    stream_length(stream, &call->count, 1, "bytes");
    call->text = stream->from + stream->at;
    stream->at += (size_t)call->count;
}

static void read_parts(struct stream *stream, int dims, struct recorded_call *call,
                       unsigned parts) {
    if (parts & PART_ID)
        stream_id(stream, &call->id);
    if (parts & PART_OTHER)
        stream_id(stream, &call->other);
    if (parts & PART_PLACE)
        call->place = read_point(stream, dims, call);
    if (parts & PART_ANCHOR)
        call->anchor = read_point(stream, dims, call);
    if (parts & PART_AREA)
        stream_area(stream, &call->area, dims);
    if (parts & PART_BOUNDS)
        read_bounds(stream, call->bounds);
    if (parts & PART_NUMBER)
        stream_count(stream, &call->count);
    if (parts & PART_TEXT)
        read_text(stream, call);
    if (parts & (PART_IDS | PART_ROWS))
        stream_length(stream, &call->count, least_row(dims, call), "rows");
    if (call->has_traits)
        read_traits(stream, call);
}

void read_call(struct stream *stream, int dims, struct recorded_call *call) {
    enum { FLAGS = CALL_HAS_FLOATS | CALL_HAS_TRAITS };
    const size_t start = stream->at;
    uint8_t first = 0;
    stream_byte(stream, &first);
    const unsigned kind = first & ~(unsigned)FLAGS, flags = first & (unsigned)FLAGS;
    *call = (struct recorded_call){.kind = CALL_TICK};
    if (kind == 0 || kind >= CALL_KINDS || (flags & ~flags_of(call_parts(kind)))) {
        stream_refuse(stream, "there is a call of an unknown kind at byte %zu", start);
        return;
    }
    call->kind = (enum call_kind)kind;
    call->has_floats = (flags & CALL_HAS_FLOATS) != 0;
    call->has_traits = (flags & CALL_HAS_TRAITS) != 0;
    read_parts(stream, dims, call, call_parts(call->kind));
}

void read_rows(struct stream *stream, int dims, const struct recorded_call *call, aoi_row *rows) {
    for (size_t row = 0; row < call->count && stream_is_well(stream); row++) {
        aoi_row read = {.id = 0};
        stream_id(stream, &read.id);
        if (call_parts(call->kind) & PART_ROWS)
            read.position = read_point(stream, dims, call);
        if (rows != NULL)
            rows[row] = read;
    }
}
