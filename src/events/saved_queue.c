/* saved_queue.c - the segments of a queue written and read; the format stands at the head of
 * keep/snapshot.c. */
#include "events/saved_queue.h"

#include "events/telling.h"

enum { LEAST_SEGMENT = 4, LEAST_OTHER = 1 }; /* bytes */

enum { QUEUE_FLAGS = (1 << QUEUE_COUNT_SHIFT) - 1, KNOWN_FLAGS = (SEGMENT_OF_AREAS << 1) - 1 };

/* The word of the first segment from this one on of which something waits; tail: there is none. */
static size_t waiting_from(const struct queue *queue, size_t at) {
    while (at != queue->words.count &&
           telling_delivered(queue, at) == segment_count(queue->words.items + at))
        at += segment_words(queue->words.items + at);
    return at;
}

/* As segments of one event each. Those of a view that is told pair by pair go by marker: they are
 * told in the same way then when they have been read. */
static void write_pairs(struct stream *stream, const struct queue *queue, const uint64_t *segment,
                        size_t delivered, uint8_t flags) {
    flags &= (uint8_t)~SEGMENT_OF_PAIRS;
    if (queue->progress.stage == IN_VIEWS)
        flags &= (uint8_t)~SEGMENT_SUBJECT_WATCHES;
    for (size_t i = delivered; i < segment_count(segment); i++) {
        struct pair pair = segment_pairs(segment)[i];
        const bool watches = (flags & SEGMENT_SUBJECT_WATCHES) != 0;
        stream_byte(stream, &flags);
        stream_id(stream, watches ? &pair.watcher : &pair.marker);
        stream_write_count(stream, 1);
        stream_id(stream, watches ? &pair.marker : &pair.watcher);
        flags &= (uint8_t)~SEGMENT_STARTS_CHANGE;
    }
}

static void write_segment(struct stream *stream, const struct queue *queue, size_t at) {
    const uint64_t *segment = queue->words.items + at;
    const size_t delivered = telling_delivered(queue, at);
    uint8_t flags = (uint8_t)(segment[1] & QUEUE_FLAGS);
    aoi_id id = (aoi_id)segment[0];
    if (delivered > 0) /* the change has begun */
        flags &= (uint8_t)~SEGMENT_STARTS_CHANGE;
    if (segment_is_of_pairs(segment)) {
        write_pairs(stream, queue, segment, delivered, flags);
        return;
    }
    stream_byte(stream, &flags);
    stream_id(stream, &id);
    stream_write_count(stream, segment_count(segment) - delivered);
    for (size_t i = delivered; i < segment_count(segment); i++) {
        id = (aoi_id)segment[QUEUE_HEADER_WORDS + i];
        stream_id(stream, &id);
    }
}

/* How many segments the one at this word is written as. */
static uint64_t written_segments(const struct queue *queue, size_t at) {
    const uint64_t *segment = queue->words.items + at;
    return segment_is_of_pairs(segment) ? segment_count(segment) - telling_delivered(queue, at) : 1;
}

void saved_queue_write(struct stream *stream, const struct queue *queue, bool is_pending) {
    uint64_t segments = 0;
    const size_t first = waiting_from(queue, queue->head);
    for (size_t at = first; at != queue->words.count;
         at = waiting_from(queue, at + segment_words(queue->words.items + at)))
        segments += written_segments(queue, at);
    stream_write_count(stream, segments);
    for (size_t at = first; at != queue->words.count;
         at = waiting_from(queue, at + segment_words(queue->words.items + at)))
        write_segment(stream, queue, at);
    const bool goes_on =
        first != queue->words.count &&
        (!segment_starts_change(queue->words.items + first) || telling_delivered(queue, first) > 0);
    if (!is_pending || !goes_on)
        return;
    /* How far the change has been told. */
    const struct progress *progress = &queue->progress;
    const bool in_groups = progress->stage == IN_VIEWS || progress->stage == IN_GROUPS;
    const bool is_of_areas = segment_is_of_areas(queue->words.items + first);
    uint8_t stage = (uint8_t)(in_groups && !is_of_areas ? progress->stage : IN_EVENTS);
    stream_byte(stream, &stage);
    if (stage != IN_EVENTS)
        stream_write_count(stream, progress->told - progress->delivered);
}

/* Reads the others of a segment into the queue. */
static void load_segment(struct stream *stream, struct queue *queue, struct memory *memory,
                         uint8_t flags) {
    aoi_id subject = 0;
    uint64_t count = 0;
    stream_id(stream, &subject);
    stream_length(stream, &count, LEAST_OTHER, "ids of an event");
    if (count == 0)
        stream_refuse(stream, "an event is about nobody");
    if (!stream_is_well(stream))
        return;
    if (!queue_reserve(queue, memory, 1, (size_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    aoi_id *others = queue_append_room(queue, subject, flags, (size_t)count);
    for (size_t i = 0; i < count; i++) {
        stream_id(stream, &others[i]);
        if (others[i] == subject && !(flags & SEGMENT_OF_AREAS))
            stream_refuse(stream, "an event tells somebody about itself");
    }
}

/* The words that may come next in a queue that is read. */
struct expected {
    uint32_t ops;
    bool of_areas; /* the part of the change under way is */
    int rank;      /* of its last kind */
};

/* False for flags that can't be there; else notes what may follow. */
static bool accept_flags(struct expected *expected, uint8_t flags, bool is_first) {
    const uint64_t words[QUEUE_HEADER_WORDS] = {0, flags};
    const uint32_t op = segment_op(words), kind = flags & SEGMENT_OPS;
    const bool of_areas = segment_is_of_areas(words);
    if (is_first || segment_starts_change(words) || of_areas > expected->of_areas)
        *expected = (struct expected){expected->ops, of_areas, 0};
    const bool is_kind = kind == AOI_LEAVE || kind == AOI_ENTER || (kind == AOI_MOVE && !of_areas);
    if (flags & ~KNOWN_FLAGS || of_areas != expected->of_areas || !is_kind ||
        !(op & expected->ops) || queue_rank((aoi_op)kind) < expected->rank)
        return false;
    expected->rank = queue_rank((aoi_op)kind);
    return true;
}

static void read_progress(struct stream *stream, struct queue *queue) {
    uint8_t stage = 0;
    uint64_t told = 0;
    stream_byte(stream, &stage);
    bool is_good = stage == IN_EVENTS || (stage >= IN_VIEWS && stage <= IN_GROUPS &&
                                          !segment_is_of_areas(queue->words.items + queue->head));
    if (is_good && stage != IN_EVENTS)
        told = stream_read_count(stream);
    if (!is_good || told > queue->events || !telling_resume(queue, (enum stage)stage, (size_t)told))
        stream_refuse(stream, "how far the events have been told makes no sense");
}

void saved_queue_read(struct stream *stream, struct queue *queue, struct memory *memory,
                      uint32_t ops, bool is_pending) {
    struct expected expected = {.ops = ops};
    uint64_t segments = 0;
    stream_length(stream, &segments, LEAST_SEGMENT, "events");
    for (uint64_t number = 0; number < segments && stream_is_well(stream); number++) {
        uint8_t flags = 0;
        stream_byte(stream, &flags);
        if (!accept_flags(&expected, flags, number == 0))
            stream_refuse(stream, "an event is of a kind that can't be there");
        load_segment(stream, queue, memory, flags);
    }
    if (is_pending && stream_is_well(stream) && queue_has_begun(queue))
        read_progress(stream, queue);
}
