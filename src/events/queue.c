/* queue.c - segments appended, taken out event by event, kept or dropped, and given back. */
#include "events/queue.h"

#include <string.h>

#include "base/self_check.h"

const aoi_op queue_order[QUEUE_KINDS] = {AOI_LEAVE, AOI_ENTER, AOI_MOVE};

/* Before the tail goes back. */
static void note_taken(struct queue *queue) {
    high_water_note(&queue->use, queue->words.count);
}

bool queue_reserve(struct queue *queue, struct memory *memory, size_t segments, size_t others) {
    const size_t more = segments * QUEUE_HEADER_WORDS + others + queue->kept;
    if (array_has_room(&queue->words, more))
        return true;
    size_t used = queue->words.count - queue->head;
    /* Nothing is there to be copied, and what is needed is known. */
    if (used == 0 && queue_is_large(queue)) {
        note_taken(queue);
        array_free(&queue->words, memory);
        queue->head = 0;
    }
    /* Sliding down costs `used` words and gains at least as many: O(1) per word written. */
    if (queue->head < used || more > queue->words.capacity - used)
        return array_reserve(&queue->words, memory, more);
    note_taken(queue);
    memmove(queue->words.items, queue->words.items + queue->head, used * sizeof(uint64_t));
    queue->head = 0;
    queue->words.count = used;
    return true;
}

void queue_begin_change(struct queue *queue) {
    queue->change_open = true;
}

/* Returns the words behind its header. */
static inline uint64_t *append_segment(struct queue *queue, aoi_id subject, uint32_t flags,
                                       size_t count, size_t words_each) {
    if (queue->change_open)
        flags |= SEGMENT_STARTS_CHANGE;
    queue->change_open = false;
    uint64_t *words = queue->words.items + queue->words.count;
    words[0] = (uint64_t)subject;
    words[1] = (uint64_t)count << QUEUE_COUNT_SHIFT | flags;
    queue->words.count += QUEUE_HEADER_WORDS + words_each * count;
    queue->events += count;
    return words + QUEUE_HEADER_WORDS;
}

aoi_id *queue_append_room(struct queue *queue, aoi_id subject, uint32_t flags, size_t count) {
    return (aoi_id *)append_segment(queue, subject, flags, count, 1);
}

struct pair *queue_append_pairs(struct queue *queue, uint32_t flags, size_t count) {
    return (struct pair *)(void *)append_segment(queue, 0, flags, count, 2);
}

void queue_append(struct queue *queue, aoi_id subject, uint32_t flags, const aoi_id *others,
                  size_t count) {
    if (count == 0)
        return;
    aoi_id *room = queue_append_room(queue, subject, flags, count);
    /* Mostly one or two: not worth a call of memcpy. */
    for (size_t i = 0; i < count; i++)
        room[i] = others[i];
}

void queue_enter_stage(struct queue *queue, enum stage stage) {
    struct progress *progress = &queue->progress;
    progress->stage = stage;
    progress->told = progress->delivered = progress->segment = progress->index = 0;
}

/* Head has come to another segment, or to the end. */
static void begin_segment(struct queue *queue) {
    if (queue->head == queue->words.count) {
        note_taken(queue);
        queue->head = queue->words.count = 0;
    }
    const uint64_t *segment = queue->words.items + queue->head;
    if (queue->words.count == 0 || segment_starts_change(segment))
        queue->progress = (struct progress){.stage = NO_STAGE};
    else if (segment_is_of_areas(segment))
        queue_enter_stage(queue, IN_EVENTS);
}

/* Moves head past one event. Without a branch but at the end of the queue: how long a segment is
 * can't be predicted. */
static void leave_event(struct queue *queue) {
    const uint64_t *segment = queue->words.items + queue->head;
    const size_t index = queue->index + 1;
    const size_t is_last = -(size_t)(index == segment_count(segment)); /* all bits, or none */
    queue->index = index & ~is_last;
    queue->head += segment_words(segment) & is_last;
    queue->events--;
    if (queue->events > 0 && queue->progress.stage == NO_STAGE)
        return;
    queue_enter_stage(queue, IN_EVENTS);
    if (queue->index == 0)
        begin_segment(queue);
}

bool queue_next(struct queue *queue, aoi_event *event) {
    if (queue->events == 0)
        return false;
    const uint64_t *segment = queue->words.items + queue->head;
    segment_event(segment, queue->index, event);
    /* Segments of pairs are long: most events of them have another one behind them. */
    if (segment_is_of_pairs(segment) && queue->progress.stage == NO_STAGE &&
        queue->index + 1 < segment_count(segment)) {
        queue->index++;
        queue->events--;
    } else {
        leave_event(queue);
    }
    return true;
}

void queue_drop_part(struct queue *queue) {
    const uint64_t *first = queue->words.items + queue->head;
    const bool of_areas = segment_is_of_areas(first), is_untold = !queue_has_begun(queue);
    bool goes_on = true;
    while (goes_on) {
        uint64_t *segment = queue->words.items + queue->head;
        queue->events -= segment_count(segment) - queue->index;
        queue->head += segment_words(segment);
        queue->index = 0;
        segment = queue->words.items + queue->head;
        const bool ends = queue->head == queue->words.count || segment_starts_change(segment);
        goes_on = !ends && segment_is_of_areas(segment) == of_areas;
        if (!ends && !goes_on && is_untold)
            segment[1] |= SEGMENT_STARTS_CHANGE;
    }
    begin_segment(queue);
}

void queue_keep(struct queue *queue, uint32_t ops, size_t fixed) {
    if (queue->head == queue->words.count)
        return;
    size_t read = queue->head, write = 0, first = queue->index;
    note_taken(queue);
    if (fixed > 0) {
        read = write = queue->head + fixed;
        first = 0;
    } else {
        queue->head = queue->index = 0;
    }
    /* A change whose first events were taken goes on without a start. */
    bool starts = false;
    while (read != queue->words.count) {
        uint64_t *segment = queue->words.items + read;
        size_t count = segment_count(segment), rest = count - first;
        uint64_t flags = segment[1] & (((uint64_t)1 << QUEUE_COUNT_SHIFT) - 1);
        if (first > 0)
            flags &= ~(uint64_t)SEGMENT_STARTS_CHANGE;
        starts = starts || (flags & SEGMENT_STARTS_CHANGE) != 0;
        read += segment_words(segment);
        if ((segment_op(segment) & ops) != 0) {
            if (starts)
                flags |= SEGMENT_STARTS_CHANGE;
            const uint64_t subject = segment[0];
            const size_t rest_words = segment_words_of(segment, rest);
            memmove(queue->words.items + write + QUEUE_HEADER_WORDS,
                    segment + QUEUE_HEADER_WORDS + segment_words_of(segment, first),
                    rest_words * sizeof(uint64_t));
            queue->words.items[write] = subject;
            queue->words.items[write + 1] = (uint64_t)rest << QUEUE_COUNT_SHIFT | flags;
            write += QUEUE_HEADER_WORDS + rest_words;
            starts = false;
        } else {
            queue->events -= rest;
        }
        first = 0;
    }
    queue->words.count = write;
    if (fixed == 0)
        begin_segment(queue);
}

struct queue_mark queue_mark(const struct queue *queue) {
    return (struct queue_mark){queue->words.count - queue->head, queue->events};
}

void queue_take_back(struct queue *queue, struct queue_mark mark) {
    note_taken(queue);
    queue->words.count = queue->head + mark.words;
    queue->events = mark.events;
}

void queue_clear(struct queue *queue) {
    note_taken(queue);
    queue->head = queue->words.count = queue->index = queue->events = 0;
    queue->progress = (struct progress){.stage = NO_STAGE};
    queue->tellings++;
}

void queue_trim(struct queue *queue, struct memory *memory, unsigned quiet_periods) {
    if (queue->head == queue->words.count && high_water_end(&queue->use, quiet_periods))
        array_free(&queue->words, memory);
}

void queue_trim_delivered(struct queue *queue, struct memory *memory) {
    if (queue->head != queue->words.count)
        return;
    const bool is_first = high_water_is_new(&queue->use);
    if (high_water_end(&queue->use, QUIET_CALLS) || is_first)
        array_free(&queue->words, memory);
}

void queue_free(struct queue *queue, struct memory *memory) {
    array_free(&queue->words, memory);
    *queue = (struct queue){.tellings = queue->tellings + 1};
}
