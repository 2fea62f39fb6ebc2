/* queue.c - see queue.h. */
#include "queue.h"

#include <string.h>

bool queue_reserve(struct queue *queue, struct memory *memory, size_t segments, size_t events) {
    size_t more = segments * QUEUE_HEADER_WORDS + events;
    if (more <= queue->capacity - queue->tail)
        return true;
    size_t used = queue->tail - queue->head;
    /* Sliding down costs `used` words and gains at least as many: O(1) per word written. */
    if (queue->head < used || more > queue->capacity - used) {
        size_t capacity = memory_next_capacity(queue->capacity, queue->tail + more);
        if (capacity == 0)
            return false;
        uint64_t *words =
            memory_resize(memory, queue->words, queue->capacity, capacity, sizeof(uint64_t));
        if (words == NULL)
            return false;
        queue->words = words;
        queue->capacity = capacity;
        return true;
    }
    memmove(queue->words, queue->words + queue->head, used * sizeof(uint64_t));
    queue->head = 0;
    queue->tail = used;
    return true;
}

void queue_begin_change(struct queue *queue) {
    queue->change_open = true;
}

void queue_append(struct queue *queue, aoi_id subject, uint32_t flags, const aoi_id *others,
                  size_t count) {
    if (count == 0)
        return;
    if (queue->change_open)
        flags |= SEGMENT_STARTS_CHANGE;
    queue->change_open = false;
    uint64_t *words = queue->words + queue->tail;
    words[0] = (uint64_t)subject;
    words[1] = (uint64_t)count << QUEUE_COUNT_SHIFT | flags;
    memcpy(words + QUEUE_HEADER_WORDS, others, count * sizeof(uint64_t));
    queue->tail += QUEUE_HEADER_WORDS + count;
    queue->events += count;
}

static void event_at(const uint64_t *segment, size_t index, aoi_event *event) {
    aoi_id subject = (aoi_id)segment[0];
    aoi_id other = (aoi_id)segment[QUEUE_HEADER_WORDS + index];
    bool watches = (segment[1] & SEGMENT_SUBJECT_WATCHES) != 0;
    event->watcher = watches ? subject : other;
    event->marker = watches ? other : subject;
    event->op = (aoi_op)(segment[1] & SEGMENT_OPS);
}

bool queue_next(struct queue *queue, aoi_event *event) {
    if (queue->events == 0)
        return false;
    const uint64_t *segment = queue->words + queue->head;
    event_at(segment, queue->index, event);
    queue->events--;
    if (++queue->index == segment_count(segment)) {
        queue->index = 0;
        queue->head += QUEUE_HEADER_WORDS + segment_count(segment);
        if (queue->head == queue->tail)
            queue->head = queue->tail = 0;
    }
    return true;
}

void queue_drop_change(struct queue *queue) {
    bool first = true;
    while (queue->head != queue->tail) {
        const uint64_t *segment = queue->words + queue->head;
        if (!first && (segment[1] & SEGMENT_STARTS_CHANGE))
            return;
        queue->events -= segment_count(segment) - queue->index;
        queue->index = 0;
        queue->head += QUEUE_HEADER_WORDS + segment_count(segment);
        first = false;
    }
    queue->head = queue->tail = 0;
}

bool queue_read(const struct queue *queue, aoi_cursor *cursor, aoi_event *event) {
    size_t word = queue->head + cursor->word;
    if (word == queue->tail)
        return false;
    const uint64_t *segment = queue->words + word;
    size_t first = cursor->word == 0 ? queue->index : 0;
    event_at(segment, first + cursor->index, event);
    if (first + ++cursor->index == segment_count(segment)) {
        cursor->index = 0;
        cursor->word += QUEUE_HEADER_WORDS + segment_count(segment);
    }
    return true;
}

void queue_keep(struct queue *queue, uint32_t ops) {
    size_t write = 0, events = 0;
    bool starts = false;
    size_t read = queue->head;
    size_t first = queue->index;
    while (read != queue->tail) {
        uint64_t *segment = queue->words + read;
        size_t count = segment_count(segment);
        uint64_t flags = segment[1] & (((uint64_t)1 << QUEUE_COUNT_SHIFT) - 1);
        starts = starts || (flags & SEGMENT_STARTS_CHANGE) != 0;
        read += QUEUE_HEADER_WORDS + count;
        if ((flags & ops) != 0) {
            size_t left = count - first;
            if (starts)
                flags |= SEGMENT_STARTS_CHANGE;
            uint64_t subject = segment[0];
            memmove(queue->words + write + QUEUE_HEADER_WORDS, segment + QUEUE_HEADER_WORDS + first,
                    left * sizeof(uint64_t));
            queue->words[write] = subject;
            queue->words[write + 1] = (uint64_t)left << QUEUE_COUNT_SHIFT | flags;
            write += QUEUE_HEADER_WORDS + left;
            events += left;
            starts = false;
        }
        first = 0;
    }
    queue->head = queue->index = 0;
    queue->tail = write;
    queue->events = events;
}

struct queue_mark queue_mark(const struct queue *queue) {
    return (struct queue_mark){queue->tail - queue->head, queue->events};
}

void queue_take_back(struct queue *queue, struct queue_mark mark) {
    queue->tail = queue->head + mark.words;
    queue->events = mark.events;
}

void queue_clear(struct queue *queue) {
    queue->head = queue->tail = queue->index = queue->events = 0;
    queue->stage = 0;
    queue->viewed = queue->grouped = queue->views_found = false;
    queue->told_words = queue->told_index = queue->told_events = 0;
    queue->told++;
}

void queue_free(struct queue *queue, struct memory *memory) {
    memory_resize(memory, queue->words, queue->capacity, 0, sizeof(uint64_t));
    queue->words = NULL;
    queue->capacity = 0;
    queue_clear(queue);
}
