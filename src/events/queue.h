/*
 * queue.h - the queue of events that wait: changes, in segments of one subject
 * each.
 *
 * All events of one change share one entity, so the queue keeps segments: a
 * subject, what happened, and the list of the others. Two header words and a
 * word per event, in one array that is read at the head and written at the
 * end:
 *
 *     [subject id] [count << 8 | flags] [other id] * count
 *
 * A tick has many subjects, most of which have few events. Where nobody wants
 * them in groups, they stand in segments of pairs, which have no subject:
 *
 *     [0] [count << 8 | flags] [watcher id, marker id] * count
 *
 * Leaves come first in a change, then enters, then moves (queue_order). What
 * a change means for areas is its second part: there the subjects that watch
 * are areas, and it is told event by event.
 */
#ifndef AOI_QUEUE_H
#define AOI_QUEUE_H

#include "base/array.h"
#include "base/high_water.h"

enum { QUEUE_KINDS = 3 }; /* see queue_order */

/* Flags of a segment, beside its aoi_op bit (1, 2 or 4). */
enum {
    SEGMENT_OPS = 7,
    SEGMENT_SUBJECT_WATCHES = 1 << 3, /* the subject is the watcher, else the marker */
    SEGMENT_STARTS_CHANGE = 1 << 4,   /* and nothing of the change has been told in groups */
    SEGMENT_OF_MANY = 1 << 5,  /* the change has many subjects: telling.c may group it anew */
    SEGMENT_OF_AREAS = 1 << 6, /* AOI_AREA_ENTER or AOI_AREA_LEAVE: the op bit is shifted */
    SEGMENT_OF_PAIRS = 1 << 7
};

/* The kinds of events of pairs, and of areas. */
enum { PAIR_OPS = AOI_ENTER | AOI_LEAVE | AOI_MOVE, AREA_OPS = AOI_AREA_ENTER | AOI_AREA_LEAVE };
enum { AREA_OP_SHIFT = 3 };

/* The flags of a segment that say its op. */
static inline uint32_t segment_flags_of(aoi_op op) {
    return op & AREA_OPS ? (uint32_t)op >> AREA_OP_SHIFT | SEGMENT_OF_AREAS : (uint32_t)op;
}

/* The kinds of events in the order that they have in a change, and the place of one in it. */
extern const aoi_op queue_order[QUEUE_KINDS];

static inline int queue_rank(aoi_op op) {
    return op == AOI_LEAVE ? 0 : op == AOI_ENTER ? 1 : 2;
}

/* A change is told in up to three stages, of which the listeners want some; a stage that nobody
 * wants is passed over. Events leave the queue in the last of the wanted stages only. */
enum stage {
    NO_STAGE, /* nothing has been asked for, or events were taken without telling.c; zero */
    IN_VIEWS,
    IN_GROUPS,
    IN_EVENTS /* what is pending is told event by event */
};

/* How far the part at head of the change at head has been told. Places are words from the head. */
struct progress {
    enum stage stage;
    bool is_older;             /* the change was begun before the listeners changed, and goes */
    uint32_t wants;            /* to those before, who want this: AOI_TELL_ bits */
    size_t told;               /* pairs, in this stage */
    size_t delivered;          /* the same where the stage is the last: no longer pending */
    size_t views[QUEUE_KINDS]; /* IN_VIEWS: the next segment whose subject watches, for each op */
    size_t segment, index;     /* the next segment, and its next pair */
};

struct queue {
    struct ARRAY_OF(uint64_t) words;
    size_t head;   /* the first word of what is pending */
    size_t index;  /* events of the segment at head that are delivered */
    size_t events; /* in the queue */
    bool change_open;
    size_t kept; /* words of room that queue_reserve leaves over: for a later part of a change */
    struct progress progress; /* of the change at head */
    uint64_t tellings;        /* counts the steps of telling, never reset */
    struct high_water use;    /* in words */
};

enum { QUEUE_HEADER_WORDS = 2, QUEUE_COUNT_SHIFT = 8 };

struct pair {
    aoi_id watcher, marker;
};

/* The number of others, or of pairs, in the segment that begins at these words. */
static inline size_t segment_count(const uint64_t *segment) {
    return (size_t)(segment[1] >> QUEUE_COUNT_SHIFT);
}

static inline bool segment_is_of_pairs(const uint64_t *segment) {
    return (segment[1] & SEGMENT_OF_PAIRS) != 0;
}

static inline const struct pair *segment_pairs(const uint64_t *segment) {
    return (const struct pair *)(const void *)(segment + QUEUE_HEADER_WORDS);
}

/* The words of so many others, or pairs, of a segment. */
static inline size_t segment_words_of(const uint64_t *segment, size_t count) {
    return segment_is_of_pairs(segment) ? 2 * count : count;
}

static inline size_t segment_words(const uint64_t *segment) {
    return QUEUE_HEADER_WORDS + segment_words_of(segment, segment_count(segment));
}

static inline uint32_t segment_op(const uint64_t *segment) {
    const uint32_t shift = (uint32_t)(segment[1] / SEGMENT_OF_AREAS & 1) * AREA_OP_SHIFT;
    return (uint32_t)(segment[1] & SEGMENT_OPS) << shift;
}

static inline bool segment_is_of_areas(const uint64_t *segment) {
    return (segment[1] & SEGMENT_OF_AREAS) != 0;
}

static inline void segment_event(const uint64_t *segment, size_t index, aoi_event *event) {
    if (segment_is_of_pairs(segment)) {
        const struct pair pair = segment_pairs(segment)[index];
        *event = (aoi_event){
            .watcher = pair.watcher, .marker = pair.marker, .op = (aoi_op)segment_op(segment)};
        return;
    }
    aoi_id subject = (aoi_id)segment[0];
    aoi_id other = (aoi_id)segment[QUEUE_HEADER_WORDS + index];
    /* Without a branch: which of the two watches can't be predicted. */
    aoi_id watches = -(aoi_id)(segment[1] / SEGMENT_SUBJECT_WATCHES & 1); /* all bits, or none */
    event->watcher = other ^ ((subject ^ other) & watches);
    event->marker = subject ^ ((subject ^ other) & watches);
    event->op = (aoi_op)segment_op(segment);
}

static inline bool segment_starts_change(const uint64_t *segment) {
    return (segment[1] & SEGMENT_STARTS_CHANGE) != 0;
}

/* Something of the change at head has been told. */
static inline bool queue_has_begun(const struct queue *queue) {
    return queue->head != queue->words.count &&
           (queue->index > 0 || !segment_starts_change(queue->words.items + queue->head));
}

/* Begins a stage of the part at head: nothing of it has been told. */
void queue_enter_stage(struct queue *queue, enum stage stage);

/* Room for `segments` segments with `others` words behind their headers in all. */
bool queue_reserve(struct queue *queue, struct memory *memory, size_t segments, size_t others);

/* The segments up to the next queue_begin_change belong to one change. */
void queue_begin_change(struct queue *queue);

/* Appends a segment; nothing when count is 0. Room must be reserved. */
void queue_append(struct queue *queue, aoi_id subject, uint32_t flags, const aoi_id *others,
                  size_t count);

/* Appends a segment of count others, 1 or more, which the caller writes to the array returned. */
aoi_id *queue_append_room(struct queue *queue, aoi_id subject, uint32_t flags, size_t count);

/* The same for pairs; the flags say SEGMENT_OF_PAIRS. */
struct pair *queue_append_pairs(struct queue *queue, uint32_t flags, size_t count);

/* Takes out the part at head of the change at head: its views' or its areas'. */
void queue_drop_part(struct queue *queue);

/* Takes the oldest event; false when there is none. Of a change that is told in groups just then
 * the events are taken from here on. */
bool queue_next(struct queue *queue, aoi_event *event);

/* Drops all events whose kind is not among ops, but for those in the first `fixed` words. */
void queue_keep(struct queue *queue, uint32_t ops, size_t fixed);

/* How long the queue is now; queue_take_back drops what was appended since. */
struct queue_mark {
    size_t words, events;
};

struct queue_mark queue_mark(const struct queue *queue);
void queue_take_back(struct queue *queue, struct queue_mark mark);

/* True when it is worth asking whether a delivered queue is to be trimmed: seldom. */
static inline bool queue_is_large(const struct queue *queue) {
#ifdef AOI_TINY
    enum { LARGE = 0 };
#else
    enum { LARGE = 4096 };
#endif
    return queue->words.capacity > LARGE;
}

/* A period is over: gives the memory of an empty queue back by the rule of high_water.h. */
void queue_trim(struct queue *queue, struct memory *memory, unsigned quiet_periods);

/* Trims after a delivery, which may be the last for long: memory that is not expected to be needed
 * again, as nothing like this was there before, is given back at once. */
void queue_trim_delivered(struct queue *queue, struct memory *memory);

/* Drops all events; keeps the memory. */
void queue_clear(struct queue *queue);
void queue_free(struct queue *queue, struct memory *memory);

#endif
