/* saved_queue.c - see saved_queue.h; the format stands at the head of space/snapshot.c. */
#include "events/saved_queue.h"

#include "events/telling.h"

enum { LEAST_SEGMENT = 4, LEAST_OTHER = 1 }; /* bytes */

enum { QUEUE_FLAGS = (1 << QUEUE_COUNT_SHIFT) - 1, KNOWN_FLAGS = (SEGMENT_OF_AREAS << 1) - 1 };

/* The words of the queue's segment at this word. */
static size_t words_at(const struct queue *queue, size_t at) {
    return QUEUE_HEADER_WORDS + segment_count(queue->words + at);
}

static bool starts_change(const struct queue *queue, size_t at) {
    return (queue->words[at + 1] & SEGMENT_STARTS_CHANGE) != 0;
}

void saved_queue_write(struct stream *stream, const struct queue *queue) {
    uint64_t segments = 0;
    for (size_t at = queue->head; at < queue->tail; at += words_at(queue, at))
        segments++;
    stream_write_count(stream, segments);
    for (size_t at = queue->head; at < queue->tail; at += words_at(queue, at)) {
        const uint64_t *segment = queue->words + at;
        uint8_t flags = (uint8_t)(segment[1] & QUEUE_FLAGS);
        aoi_id id = (aoi_id)segment[0];
        size_t gone = at == queue->head ? queue->index : 0;
        stream_byte(stream, &flags);
        stream_id(stream, &id);
        stream_write_count(stream, segment_count(segment) - gone);
        for (size_t i = gone; i < segment_count(segment); i++) {
            id = (aoi_id)segment[QUEUE_HEADER_WORDS + i];
            stream_id(stream, &id);
        }
    }
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
    if (!(flags & SEGMENT_OPS))
        queue->events -= (size_t)count;
}

/* What may come next in a queue that is read. */
struct expected {
    uint32_t ops;
    bool dead;     /* segments without an op, too: those of the change at head */
    bool of_areas; /* the change under way is */
    int rank;      /* of its last kind */
};

/* False for flags that can't be there; else notes what may follow. */
static bool accept_flags(struct expected *expected, uint8_t flags, bool is_first) {
    const uint64_t words[QUEUE_HEADER_WORDS] = {0, flags};
    const uint32_t op = segment_op(words);
    const bool of_areas = segment_is_of_areas(words), starts = flags & SEGMENT_STARTS_CHANGE;
    if (is_first || starts) {
        expected->rank = 0;
        expected->of_areas = of_areas;
        expected->dead = expected->dead && is_first; /* else the change at head is over */
    }
    if (flags & ~KNOWN_FLAGS || of_areas != expected->of_areas)
        return false;
    if (op == 0)
        return expected->dead && !of_areas;
    const uint32_t kind = flags & SEGMENT_OPS;
    const bool is_kind = kind == AOI_LEAVE || kind == AOI_ENTER || (kind == AOI_MOVE && !of_areas);
    if (!is_kind || !(op & expected->ops) || queue_rank((aoi_op)kind) < expected->rank)
        return false;
    expected->rank = queue_rank((aoi_op)kind);
    return true;
}

void saved_queue_read(struct stream *stream, struct queue *queue, struct memory *memory,
                      uint32_t ops, bool is_pending) {
    struct expected expected = {.ops = ops, .dead = is_pending};
    uint64_t segments = 0;
    stream_length(stream, &segments, LEAST_SEGMENT, "events");
    for (uint64_t number = 0; number < segments && stream_is_well(stream); number++) {
        uint8_t flags = 0;
        stream_byte(stream, &flags);
        if (!accept_flags(&expected, flags, number == 0))
            stream_refuse(stream, "an event is of a kind that can't be there");
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

void saved_queue_write_progress(struct stream *stream, const struct queue *queue) {
    const struct progress *progress = &queue->progress;
    uint8_t flags = (uint8_t)(state_bits[progress->state] | (progress->viewed ? TOLD_VIEWED : 0) |
                              (progress->grouped ? TOLD_GROUPED : 0));
    stream_byte(stream, &flags);
    stream_write_count(stream, segment_number(queue, progress->segment));
    stream_write_count(stream, progress->index);
    stream_write_count(stream, progress->events);
    for (int kind = 0; kind < QUEUE_KINDS && progress->state == IN_VIEWS; kind++)
        stream_write_count(stream, progress->views[kind] == PROGRESS_NO_SEGMENT
                                       ? 0
                                       : segment_number(queue, progress->views[kind]) + 1);
}

void saved_queue_read_progress(struct stream *stream, struct queue *queue) {
    struct progress *progress = &queue->progress;
    uint8_t flags = 0;
    stream_byte(stream, &flags);
    progress->viewed = (flags & TOLD_VIEWED) != 0;
    progress->grouped = (flags & TOLD_GROUPED) != 0;
    bool is_good = state_of_bits(flags & ~(TOLD_VIEWED | TOLD_GROUPED), &progress->state) &&
                   words_of_segment(queue, stream_read_count(stream), &progress->segment);
    uint64_t index = stream_read_count(stream), events = stream_read_count(stream);
    progress->index = (size_t)index;
    progress->events = (size_t)events;
    is_good = is_good && progress->index == index && progress->events == events;
    for (int kind = 0; kind < QUEUE_KINDS && progress->state == IN_VIEWS; kind++) {
        uint64_t number = stream_read_count(stream);
        progress->views[kind] = PROGRESS_NO_SEGMENT;
        is_good =
            is_good && (number == 0 || words_of_segment(queue, number - 1, &progress->views[kind]));
    }
    if (!is_good || !stream_is_well(stream) || !telling_is_sound(queue))
        stream_refuse(stream, "how far the events have been told makes no sense");
}
