/*
 * queue.h - events that wait.
 *
 * All events of one change share one entity, so the queue keeps segments: a
 * subject, what happened, and the list of the others. Two header words and a
 * word per event, in one array that is read at the head and written at the
 * tail:
 *
 *     [subject id] [count << 8 | flags] [other id] * count
 *
 * Leaves come first in a change, then enters, then moves (queue_order).
 */
#ifndef AOI_QUEUE_H
#define AOI_QUEUE_H

#include "base/memory.h"
#include "events/progress.h"

/* Flags of a segment, beside its aoi_op bit (1, 2 or 4; none: see queue_skip_dead). */
enum {
    SEGMENT_OPS = 7,
    SEGMENT_SUBJECT_WATCHES = 1 << 3, /* the subject is the watcher, else the marker */
    SEGMENT_STARTS_CHANGE = 1 << 4,
    SEGMENT_OF_MANY = 1 << 5 /* the change has many subjects: telling.c may group it anew */
};

/* The kinds of events in the order that they have in a change, and the place of one in it. */
extern const aoi_op queue_order[QUEUE_KINDS];

static inline int queue_rank(aoi_op op) {
    return op == AOI_LEAVE ? 0 : op == AOI_ENTER ? 1 : 2;
}

struct queue {
    uint64_t *words;
    size_t head, tail, capacity;
    size_t index;  /* events of the segment at head that are gone already */
    size_t events; /* in the queue */
    bool change_open;
    struct progress progress; /* of the change at head */
    uint64_t tellings;        /* counts the steps of telling, never reset */

    /* For queue_trim, in words. */
    size_t taken;        /* since it was last trimmed, at most */
    size_t taken_lately; /* before that, at most; it fades */
};

enum { QUEUE_HEADER_WORDS = 2, QUEUE_COUNT_SHIFT = 8 };

/* The number of others in the segment that begins at these words. */
static inline size_t segment_count(const uint64_t *segment) {
    return (size_t)(segment[1] >> QUEUE_COUNT_SHIFT);
}

/* Nobody hears of this kind any more. */
static inline bool segment_is_dead(const uint64_t *segment) {
    return (segment[1] & SEGMENT_OPS) == 0;
}

/* Room for `segments` segments with `events` events in all. False: no memory, unchanged. */
bool queue_reserve(struct queue *queue, struct memory *memory, size_t segments, size_t events);

/* The segments up to the next queue_begin_change belong to one change. */
void queue_begin_change(struct queue *queue);

/* Appends a segment; nothing when count is 0. Room must be reserved. */
void queue_append(struct queue *queue, aoi_id subject, uint32_t flags, const aoi_id *others,
                  size_t count);

/* Appends a segment of count others, 1 or more, which the caller writes to the array returned. */
aoi_id *queue_append_room(struct queue *queue, aoi_id subject, uint32_t flags, size_t count);

/* Takes out the whole change at head. */
void queue_drop_change(struct queue *queue);

/* Goes past segments at head that nobody hears any more: those without an aoi_op bit. */
void queue_skip_dead(struct queue *queue);

/* Takes the oldest event; false when there is none. */
bool queue_next(struct queue *queue, aoi_event *event);

/* Reads through the queue without taking anything; the cursor starts at zero. */
bool queue_read(const struct queue *queue, aoi_cursor *cursor, aoi_event *event);

/* Drops all events whose kind is not among ops. A change that is half told keeps its layout, so
 * that its progress stays true. */
void queue_keep(struct queue *queue, uint32_t ops);

/* How long the queue is now; queue_take_back drops what was appended since. */
struct queue_mark {
    size_t words, events;
};

struct queue_mark queue_mark(const struct queue *queue);
void queue_take_back(struct queue *queue, struct queue_mark mark);

/* A queue with room for no more words keeps them in any case. */
enum { QUEUE_KEPT_ANYWAY = 4096 };

/* True when queue_trim may have something to do: seldom. */
static inline bool queue_is_large(const struct queue *queue) {
    return queue->capacity > QUEUE_KEPT_ANYWAY && queue->taken > 0;
}

/*
 * Gives memory back when the queue holds far more than it took lately; for
 * each time that it has been emptied while it is large. The first burst gives
 * its memory back at once; those that follow keep it, until they have been
 * missing for some dozens of times. Nothing happens to a queue
 * that is not empty, and a refusal of the allocator does no harm.
 */
void queue_trim(struct queue *queue, struct memory *memory);

/* Drops all events; keeps the memory. */
void queue_clear(struct queue *queue);
void queue_free(struct queue *queue, struct memory *memory);

#endif
