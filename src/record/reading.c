/* reading.c - see reading.h. */
#include "record/reading.h"

#include <math.h>
#include <string.h>

#include "area/saved_area.h"

#include "base/checksum.h"
#include "entity/saved_fields.h"
#include "entity/traits.h"

/* ------------------------------------------------------------------ */
/* Heads                                                               */
/* ------------------------------------------------------------------ */

static bool moments_fit(const struct record_head *head) {
    const aoi_moment from = head->from, to = head->to;
    return to.calls <= INT64_MAX && to.calls >= from.calls && to.ticks <= INT64_MAX &&
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

/* Whether a space takes them depends on the space; whether any does is known. */
static void read_traits(struct stream *stream, struct recorded_call *call) {
    struct entity unused = traits_usual(0);
    stream_traits(stream, &call->traits);
    if (traits_take(&unused, &call->traits, true, true) != AOI_OK)
        stream_refuse(stream, "a call has a bad trait");
}

enum { LEAST_ROW_OF_IDS = 1, LEAST_ROW_OF_FLOATS = 9, LEAST_ROW = 17 };

static size_t least_row(int dims, const struct recorded_call *call) {
    if (call->kind == CALL_LEAVE_ALL)
        return LEAST_ROW_OF_IDS;
    const size_t more = dims == 3 ? 1 : 0;
    return call->has_floats ? LEAST_ROW_OF_FLOATS + 4 * more : LEAST_ROW + 8 * more;
}

/* Which of them a kind can have. */
static unsigned flags_of(enum call_kind kind) {
    switch (kind) {
    case CALL_ENTER:
    case CALL_UPDATE:
    case CALL_ENTER_ALL:
    case CALL_ENTER_ANCHORED:
    case CALL_UPDATE_ANCHORED:
    case CALL_UPDATE_ALL: return CALL_HAS_FLOATS | CALL_HAS_TRAITS;
    case CALL_MOVE:
    case CALL_MOVE_AREA:
    case CALL_MOVE_ALL:
    case CALL_MOVE_KNOWN: return CALL_HAS_FLOATS;
    case CALL_SET_TRAITS: return CALL_HAS_TRAITS;
    case CALL_LEAVE:
    case CALL_LEAVE_ALL:
    case CALL_TICK:
    case CALL_CLEAR:
    case CALL_SET_BOUNDS:
    case CALL_PIN:
    case CALL_UNPIN:
    case CALL_TOUCH:
    case CALL_ADD_AREA:
    case CALL_SET_AREA:
    case CALL_REMOVE_AREA:
    case CALL_DROP_COLLECTED:
    case CALL_TICK_TO:
    case CALL_HAND_OUT:
    case CALL_HAND_IN:
    case CALL_KINDS: break;
    }
    return 0;
}

void read_call(struct stream *stream, int dims, struct recorded_call *call) {
    enum { FLAGS = CALL_HAS_FLOATS | CALL_HAS_TRAITS };
    const size_t start = stream->at;
    uint8_t first = 0;
    stream_byte(stream, &first);
    *call = (struct recorded_call){.kind = (enum call_kind)(first & ~FLAGS & 0xFF),
                                   .has_floats = (first & CALL_HAS_FLOATS) != 0,
                                   .has_traits = (first & CALL_HAS_TRAITS) != 0};
    if (call->kind == 0 || call->kind >= CALL_KINDS || (first & FLAGS & ~flags_of(call->kind))) {
        stream_refuse(stream, "there is a call of an unknown kind at byte %zu", start);
        return;
    }
    switch (call->kind) {
    case CALL_ENTER:
    case CALL_UPDATE:
    case CALL_MOVE:
    case CALL_MOVE_AREA:
        stream_id(stream, &call->id);
        call->position = read_point(stream, dims, call);
        break;
    case CALL_PIN:
    case CALL_UNPIN:
        stream_id(stream, &call->id);
        stream_id(stream, &call->other);
        break;
    case CALL_SET_TRAITS:
    case CALL_LEAVE:
    case CALL_HAND_OUT:
    case CALL_TOUCH:
    case CALL_REMOVE_AREA: stream_id(stream, &call->id); break;
    case CALL_ENTER_ANCHORED:
    case CALL_UPDATE_ANCHORED:
        stream_id(stream, &call->id);
        call->position = read_point(stream, dims, call);
        call->anchor = read_point(stream, dims, call);
        break;
    case CALL_HAND_IN:
        stream_length(stream, &call->count, 1, "bytes");
        call->bytes = stream->from + stream->at;
        stream->at += (size_t)call->count;
        break;
    case CALL_ADD_AREA:
    case CALL_SET_AREA:
        stream_id(stream, &call->id);
        stream_area(stream, &call->area, dims);
        break;
    case CALL_ENTER_ALL:
    case CALL_UPDATE_ALL:
    case CALL_MOVE_ALL:
    case CALL_MOVE_KNOWN:
    case CALL_LEAVE_ALL: stream_length(stream, &call->count, least_row(dims, call), "rows"); break;
    case CALL_SET_BOUNDS:
        for (int i = 0; i < 4; i++) {
            stream_number(stream, &call->bounds[i]);
            check_finite(stream, call->bounds[i]);
        }
        break;
    case CALL_TICK_TO:
    case CALL_DROP_COLLECTED: stream_count(stream, &call->count); break;
    case CALL_TICK:
    case CALL_CLEAR:
    case CALL_KINDS: break;
    }
    if (call->has_traits)
        read_traits(stream, call);
}

void read_rows(struct stream *stream, int dims, const struct recorded_call *call, aoi_row *rows) {
    for (size_t row = 0; row < call->count && stream_is_well(stream); row++) {
        aoi_row read = {.id = 0};
        stream_id(stream, &read.id);
        if (call->kind != CALL_LEAVE_ALL)
            read.position = read_point(stream, dims, call);
        if (rows != NULL)
            rows[row] = read;
    }
}
