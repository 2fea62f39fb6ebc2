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
    else if (head->to.calls > INT64_MAX || head->to.calls < head->from.calls ||
             head->to.ticks > AOI_LAST_TICK || head->to.ticks < head->from.ticks ||
             (head->dims != 2 && head->dims != 3))
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

enum { LEAST_ID = 1, LEAST_ROW_OF_FLOATS = 9, LEAST_ROW = 17 };

static size_t least_row(int dims, const struct recorded_call *call) {
    if (!(call_parts(call->kind) & PART_ROWS))
        return LEAST_ID;
    const size_t more = dims == 3 ? 1 : 0;
    return call->has_floats ? LEAST_ROW_OF_FLOATS + 4 * more : LEAST_ROW + 8 * more;
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
    for (int i = 0; i < 4 && (parts & PART_BOUNDS); i++) {
        stream_number(stream, &call->bounds[i]);
        check_finite(stream, call->bounds[i]);
    }
    if (parts & PART_NUMBER)
        stream_count(stream, &call->count);
    if (parts & PART_TEXT) {
        stream_length(stream, &call->count, 1, "bytes");
        call->text = stream->from + stream->at;
        stream->at += (size_t)call->count;
    }
    if (parts & (PART_IDS | PART_ROWS))
        stream_length(stream, &call->count, least_row(dims, call), "rows");
    if (!call->has_traits)
        return;
    /* Refuses traits that no space accepts; whether this one does shows when the call is made. */
    struct entity unused = traits_usual(0);
    stream_traits(stream, &call->traits);
    if (traits_take(&unused, &call->traits, true, true) != AOI_OK)
        stream_refuse(stream, "a call has a bad trait");
}

void read_call(struct stream *stream, int dims, struct recorded_call *call) {
    enum { FLAGS = CALL_HAS_FLOATS | CALL_HAS_TRAITS };
    const size_t start = stream->at;
    uint8_t first = 0;
    stream_byte(stream, &first);
    const unsigned kind = first & ~(unsigned)FLAGS, flags = first & (unsigned)FLAGS;
    *call = (struct recorded_call){.kind = CALL_TICK};
    const unsigned parts = kind < CALL_KINDS ? call_parts(kind) : 0;
    if (kind == 0 || kind >= CALL_KINDS ||
        ((flags & CALL_HAS_FLOATS) && !(parts & (PART_PLACE | PART_ROWS))) ||
        ((flags & CALL_HAS_TRAITS) && !(parts & PART_TRAITS))) {
        stream_refuse(stream, "there is a call of an unknown kind at byte %zu", start);
        return;
    }
    call->kind = (enum call_kind)kind;
    call->has_floats = (flags & CALL_HAS_FLOATS) != 0;
    call->has_traits = (flags & CALL_HAS_TRAITS) != 0;
    read_parts(stream, dims, call, parts);
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
