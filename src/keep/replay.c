/* replay.c - aoi_record_span and aoi_replay: records are checked, and made again. */
#include <stdio.h>

#include "base/self_check.h"
#include "record/saved_area.h"
#include "record/reading.h"
#include "space/recording.h"

/* ------------------------------------------------------------------ */
/* Checking                                                            */
/* ------------------------------------------------------------------ */

/* Goes through all calls of the record whose head was just read, and makes none. */
static void check_calls(struct stream *stream, const struct record_head *head, size_t end) {
    uint64_t calls = 0, ticks = head->from.ticks;
    const size_t end_of_string = stream->end;
    stream->end = end;
    while (stream->at < end && stream_is_well(stream)) {
        struct recorded_call call;
        read_call(stream, head->dims, &call);
        if (call_has_rows(&call))
            read_rows(stream, head->dims, &call, NULL);
        if (call_has_area(&call))
            stream_rings(stream, &call.area, NULL, NULL);
        calls++;
        if (call.kind == CALL_TICK_TO && call.count <= ticks)
            stream_refuse(stream, "a tick has the number %llu, the one before %llu",
                          (unsigned long long)call.count, (unsigned long long)ticks);
        ticks = call.kind == CALL_TICK_TO ? call.count : ticks + (call.kind == CALL_TICK);
    }
    if (calls != head->to.calls - head->from.calls || ticks != head->to.ticks)
        stream_refuse(stream, "the record does not have as many calls as it says");
    stream->end = end_of_string;
}

/* Adds the record to the span of those before it, the last of which has the head `before`. */
static void join_span(struct stream *stream, const struct record_head *head,
                      const struct record_head *before, aoi_span *span) {
    const bool follows = head->from.calls == span->to.calls;
    if (span->whole == 0)
        span->from = head->from;
    else if (head->from.calls > span->to.calls)
        stream_refuse(stream, "the record begins at call %llu, the one before ends at %llu",
                      (unsigned long long)head->from.calls, (unsigned long long)span->to.calls);
    else if (head->dims != before->dims || head->from.ticks > span->to.ticks ||
             (follows && head->from.ticks != span->to.ticks))
        stream_refuse(stream, "the record is not of the history of the one before");
    if (!stream_is_well(stream))
        return;
    if (span->whole == 0 || head->to.calls > span->to.calls)
        span->to = head->to;
    span->whole = stream->at;
}

aoi_status aoi_record_span(const void *bytes, size_t size, aoi_span *span,
                           aoi_complaint *complaint) {
    struct stream stream = {.from = bytes, .end = size, .complaint = complaint};
    struct record_head before = {.length = 0};
    *span = (aoi_span){.whole = 0};
    while (stream.at < size && stream_is_well(&stream)) {
        const size_t start = stream.at;
        struct record_head head = {.length = 0};
        read_record_head(&stream, &head);
        if (stream_is_well(&stream))
            check_calls(&stream, &head, start + head.length);
        if (stream_is_well(&stream))
            join_span(&stream, &head, &before, span);
        before = head;
    }
    if (!stream_is_well(&stream) && complaint != NULL) {
        const aoi_complaint what = *complaint;
        snprintf(complaint->text, sizeof complaint->text, "%.140s (%zu bytes before are whole)",
                 what.text, span->whole);
    }
    return stream.status;
}

/* ------------------------------------------------------------------ */
/* Making the calls                                                    */
/* ------------------------------------------------------------------ */

/* rows: of a batch. */
static aoi_status make_call(aoi_space *space, const struct recorded_call *call,
                            const aoi_row *rows) {
    const aoi_traits *traits = call->has_traits ? &call->traits : NULL;
    const size_t count = (size_t)call->count;
    switch (call->kind) {
#define CALL_AGAIN(name, number, method, parts, again)                                             \
    case CALL_##name: return again;
        RECORDED_CALLS(CALL_AGAIN)
#undef CALL_AGAIN
    case CALL_KINDS: break;
    }
    return AOI_INVALID;
}

/* The arguments of aoi_replay, and its complaint. */
struct replay {
    aoi_space *space;
    const aoi_moment *until; /* may be NULL */
    aoi_complaint *complaint;
};

static bool has_arrived(const struct replay *replay) {
    const aoi_moment now = replay->space->moment, *until = replay->until;
    return until != NULL && (now.calls >= until->calls || now.ticks >= until->ticks);
}

static aoi_status complain_of_call(const struct replay *replay, const struct recorded_call *call,
                                   aoi_status status) {
#define CALL_METHOD(name, number, method, parts, again) [CALL_##name] = (method),
    static const char *const methods[] = {RECORDED_CALLS(CALL_METHOD)};
#undef CALL_METHOD
    SELF_CHECK(call->kind > 0 && call->kind < CALL_KINDS);
    if (status == AOI_NOMEM)
        return AOI_NOMEM;
    if (replay->complaint != NULL)
        snprintf(replay->complaint->text, sizeof replay->complaint->text,
                 "call %llu (%s, id %lld) can't be made: the record is of another history; the "
                 "calls before it are made",
                 (unsigned long long)replay->space->moment.calls + 1, methods[call->kind],
                 (long long)call->id);
    return AOI_INVALID;
}

/* Makes the next call of the stream, or passes over it. */
static aoi_status replay_call(const struct replay *replay, struct stream *stream, int dims,
                              bool is_made) {
    aoi_space *space = replay->space;
    struct recorded_call call;
    read_call(stream, dims, &call);
    aoi_row *rows = NULL;
    if (call_has_rows(&call)) {
        if (!is_made && aoi_rows(space, (size_t)call.count, &rows) != AOI_OK)
            return AOI_NOMEM;
        read_rows(stream, dims, &call, rows);
    }
    struct ring_room room = {.rings = {.items = NULL}};
    if (call_has_area(&call))
        stream_rings(stream, &call.area, &space->memory.scratch, is_made ? NULL : &room);
    aoi_status status = stream->status;
    if (status == AOI_OK && !is_made)
        status = make_call(space, &call, rows);
    ring_room_free(&room, &space->memory.scratch);
    return status == AOI_OK ? AOI_OK : complain_of_call(replay, &call, status);
}

static aoi_status replay_record(const struct replay *replay, struct stream *stream) {
    const size_t start = stream->at;
    struct record_head head = {.length = 0};
    read_record_head(stream, &head);
    const size_t end = start + head.length;
    if (head.to.calls <= replay->space->moment.calls)
        stream->at = end;
    for (uint64_t call = head.from.calls; stream->at < end && !has_arrived(replay); call++) {
        const bool is_made = call < replay->space->moment.calls;
        const aoi_status status = replay_call(replay, stream, head.dims, is_made);
        if (status != AOI_OK)
            return status;
    }
    return AOI_OK;
}

/* Refuses whole records that can't be of this space. */
static aoi_status check_history(const struct replay *replay, const aoi_span *span, int dims) {
    const aoi_space *space = replay->space;
    const aoi_moment now = space->moment;
    if (span->whole == 0)
        return AOI_OK;
    aoi_complaint unused = {""},
                  *complaint = replay->complaint != NULL ? replay->complaint : &unused;
    if (now.calls < span->from.calls)
        snprintf(complaint->text, sizeof complaint->text,
                 "the record begins at call %llu, the space is at call %llu: the calls between are "
                 "missing",
                 (unsigned long long)span->from.calls, (unsigned long long)now.calls);
    else if (now.calls < span->to.calls && dims != space->dims)
        snprintf(complaint->text, sizeof complaint->text,
                 "the record is of a space with %d dimensions, this one has %d", dims, space->dims);
    else if (now.calls < span->to.calls &&
             (now.ticks > span->to.ticks ||
              (now.calls == span->from.calls && now.ticks != span->from.ticks)))
        snprintf(complaint->text, sizeof complaint->text,
                 "the record goes from tick %llu to %llu, the space is at tick %llu: they are of "
                 "two histories",
                 (unsigned long long)span->from.ticks, (unsigned long long)span->to.ticks,
                 (unsigned long long)now.ticks);
    else
        return AOI_OK;
    return AOI_INVALID;
}

aoi_status aoi_replay(aoi_space *space, const void *bytes, size_t size, const aoi_span *checked,
                      const aoi_moment *until, aoi_complaint *complaint) {
    const struct replay replay = {space, until, complaint};
    aoi_status status = AOI_OK;
    aoi_span span;
    if (checked == NULL) {
        status = aoi_record_span(bytes, size, &span, complaint);
        checked = &span;
    }
    if (status == AOI_OK)
        status = check_history(&replay, checked,
                               size > 0 ? ((const uint8_t *)bytes)[RECORD_DIMS_AT] : 0);
    struct stream stream = {.from = bytes, .end = size};
    while (status == AOI_OK && stream.at < size && !has_arrived(&replay))
        status = replay_record(&replay, &stream);
    return status;
}
