/* telling.c - groups of the oldest change found in its segments: views, markers, watchers, single
 * events. */
#include "events/telling.h"

#include <string.h>

#include "base/self_check.h"
#include "events/reading.h"

/* False where it has no subject. */
static bool subject_watches(const uint64_t *segment) {
    return (segment[1] & (SEGMENT_SUBJECT_WATCHES | SEGMENT_OF_PAIRS)) == SEGMENT_SUBJECT_WATCHES;
}

static aoi_op op_of(const uint64_t *segment) {
    return (aoi_op)(segment[1] & SEGMENT_OPS);
}

/* The segment `words` after head, if it belongs to the part at head of the change at head; else
 * NULL. */
static const uint64_t *segment_at(const struct queue *queue, size_t words) {
    if (queue->words.items == NULL || queue->head + words >= queue->words.count)
        return NULL;
    const uint64_t *first = queue->words.items + queue->head, *segment = first + words;
    const bool ends = segment_starts_change(segment) ||
                      segment_is_of_areas(segment) != segment_is_of_areas(first);
    return words > 0 && ends ? NULL : segment;
}

/* Of a segment that is not of pairs. */
static aoi_list others_of(const uint64_t *segment) {
    return (aoi_list){(const aoi_id *)(segment + QUEUE_HEADER_WORDS), segment_count(segment)};
}

/* The words of the part at head. */
static size_t part_words(const struct queue *queue) {
    const uint64_t *segment;
    size_t words = 0;
    while ((segment = segment_at(queue, words)) != NULL)
        words += segment_words(segment);
    return words;
}

static aoi_list *view_list(aoi_telling *telling, aoi_op op) {
    return op == AOI_LEAVE ? &telling->left : op == AOI_ENTER ? &telling->entered : &telling->moved;
}

/* Looks up where the segments begin whose subjects watch, for each op. */
static void enter_views(struct queue *queue) {
    const uint64_t *segment;
    size_t *views = queue->progress.views;
    const size_t end = part_words(queue);
    queue_enter_stage(queue, IN_VIEWS);
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        views[kind] = end;
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        const int kind = queue_rank(op_of(segment));
        if (subject_watches(segment) && views[kind] == end)
            views[kind] = at;
    }
}

/* The next segment of a kind whose subject watches; NULL when all have been told. */
static const uint64_t *own_front(const struct queue *queue, int kind) {
    const uint64_t *segment = segment_at(queue, queue->progress.views[kind]);
    bool goes_on =
        segment != NULL && subject_watches(segment) && op_of(segment) == queue_order[kind];
    return goes_on ? segment : NULL;
}

/*
 * The markers that left and entered the view of the next watcher among the subjects, and
 * that it saw moving; false when all have been told. The segments of each op ascend by
 * subject, so those of one watcher are at the fronts of their runs together.
 */
static bool peek_own_view(const struct queue *queue, aoi_telling *telling) {
    const uint64_t *fronts[QUEUE_KINDS];
    bool found = false;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        fronts[kind] = own_front(queue, kind);
        if (fronts[kind] == NULL)
            continue;
        aoi_id subject = (aoi_id)fronts[kind][0];
        if (!found || subject < telling->subject)
            telling->subject = subject;
        found = true;
    }
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (fronts[kind] != NULL && (aoi_id)fronts[kind][0] == telling->subject)
            *view_list(telling, op_of(fronts[kind])) = others_of(fronts[kind]);
    }
    return found;
}

/* Goes past the segments that peek_own_view gave; false when it gave none. */
static bool advance_own_view(struct queue *queue, aoi_id subject) {
    bool found = false;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const uint64_t *front = own_front(queue, kind);
        found = found || front != NULL;
        if (front != NULL && (aoi_id)front[0] == subject)
            queue->progress.views[kind] += segment_words(front);
    }
    return found;
}

/* Goes on behind this segment. */
static void next_segment(struct progress *progress, const uint64_t *segment) {
    progress->segment += segment_words(segment);
    progress->index = 0;
}

static bool peek_view(struct queue *queue, aoi_telling *telling) {
    struct progress *progress = &queue->progress;
    telling->kind = AOI_TELL_VIEW;
    if (peek_own_view(queue, telling))
        return true;
    const uint64_t *segment;
    while ((segment = segment_at(queue, progress->segment)) != NULL) {
        if (!subject_watches(segment) && progress->index < segment_count(segment)) {
            const bool of_pairs = segment_is_of_pairs(segment);
            const struct pair *pair = segment_pairs(segment) + progress->index;
            telling->subject = of_pairs ? pair->watcher : others_of(segment).ids[progress->index];
            *view_list(telling, op_of(segment)) =
                (aoi_list){of_pairs ? &pair->marker : (const aoi_id *)segment, 1};
            return true;
        }
        next_segment(progress, segment);
    }
    return false;
}

/* One pair of a segment of pairs, as a group in the way that is wanted. */
static void peek_pair(const uint64_t *segment, size_t index, uint32_t wants, aoi_telling *telling) {
    const struct pair *pair = &segment_pairs(segment)[index];
    const bool watches = (segment[1] & SEGMENT_SUBJECT_WATCHES) != 0;
    const uint32_t kind = watches ? AOI_TELL_MARKERS : AOI_TELL_WATCHERS;
    const bool by_watcher = watches == ((wants & kind) != 0);
    telling->kind = by_watcher ? AOI_TELL_MARKERS : AOI_TELL_WATCHERS;
    telling->subject = by_watcher ? pair->watcher : pair->marker;
    telling->others = (aoi_list){by_watcher ? &pair->marker : &pair->watcher, 1};
}

static bool peek_group(const struct queue *queue, uint32_t wants, aoi_telling *telling) {
    const struct progress *progress = &queue->progress;
    const uint64_t *segment = segment_at(queue, progress->segment);
    if (segment == NULL)
        return false;
    telling->op = op_of(segment);
    if (segment_is_of_pairs(segment)) {
        peek_pair(segment, progress->index, wants, telling);
        return true;
    }
    const uint32_t as_whole = subject_watches(segment) ? AOI_TELL_MARKERS : AOI_TELL_WATCHERS;
    if (wants & as_whole) {
        telling->kind = as_whole;
        telling->subject = (aoi_id)segment[0];
        telling->others = others_of(segment);
        telling->others.ids += progress->index; /* above 0 only after aoi_load */
        telling->others.count -= progress->index;
    } else { /* pair by pair */
        telling->kind = subject_watches(segment) ? AOI_TELL_WATCHERS : AOI_TELL_MARKERS;
        telling->subject = others_of(segment).ids[progress->index];
        telling->others = (aoi_list){(const aoi_id *)segment, 1};
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* A change with many subjects, grouped anew                           */
/* ------------------------------------------------------------------ */

enum pair_subject telling_subject(uint32_t wants, bool for_view, aoi_op op) {
    if (for_view || !(wants & AOI_TELL_WATCHERS))
        return SUBJECT_WATCHER;
    if (!(wants & AOI_TELL_MARKERS))
        return SUBJECT_MARKER;
    return op == AOI_MOVE ? SUBJECT_MARKER : SUBJECT_WATCHER;
}

/* The subjects by which a stage wants the change at head to be grouped, for each op. */
struct grouping {
    enum pair_subject by[QUEUE_KINDS];
};

/* True when the change at head has its groups: for each op one run of segments, ascending. */
static bool is_arranged(const struct queue *queue, const struct grouping *grouping) {
    const uint64_t *segment, *last[QUEUE_KINDS] = {NULL};
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        const int kind = queue_rank(op_of(segment));
        const uint64_t **before = &last[kind];
        bool watches = grouping->by[kind] == SUBJECT_WATCHER;
        if (segment_is_of_pairs(segment) || subject_watches(segment) != watches ||
            (*before != NULL && (aoi_id)(*before)[0] >= (aoi_id)segment[0]))
            return false;
        *before = segment;
    }
    return true;
}

/* Appends the pairs of one op of the change at head. */
static bool read_pairs(const struct queue *queue, struct memory *memory, aoi_op op,
                       struct pairs *pairs) {
    const uint64_t *segment;
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        if (op_of(segment) != op)
            continue;
        const size_t count = segment_count(segment);
        if (!array_reserve(pairs, memory, count))
            return false;
        for (size_t i = 0; i < count; i++) {
            aoi_event event;
            segment_event(segment, i, &event);
            pairs->items[pairs->count++] = (struct pair){event.watcher, event.marker};
        }
    }
    return true;
}

/* Writes the change at head anew, grouped by the wanted subjects, and the rest of the queue behind
 * it. */
static bool rewrite(struct queue *queue, struct memory *memory, const struct grouping *grouping,
                    struct pairs *pairs, struct pairs *spare) {
    struct queue anew = {.events = 0};
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        pairs[kind].count = 0;
        if (!read_pairs(queue, memory, queue_order[kind], &pairs[kind]) ||
            !array_reserve(spare, memory, pairs_spare(pairs[kind].count)))
            return false;
        pairs_sort(&pairs[kind], spare, grouping->by[kind]);
    }
    size_t old_words = part_words(queue), rest = queue->words.count - queue->head - old_words;
    size_t segments = 0, events = rest;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        segments += pairs_segments(&pairs[kind], grouping->by[kind]);
        events += pairs[kind].count;
    }
    if (!queue_reserve(&anew, memory, segments, events))
        return false;
    if (!queue_has_begun(queue))
        queue_begin_change(&anew);
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        pairs_write(&pairs[kind], NULL, NULL, &anew, queue_order[kind], grouping->by[kind]);
    if (rest > 0) /* else both may be NULL */
        memcpy(anew.words.items + anew.words.count, queue->words.items + queue->head + old_words,
               rest * sizeof *anew.words.items);
    anew.words.count += rest;
    array_free(&queue->words, memory);
    queue->words = anew.words;
    queue->head = 0;
    return true;
}

/* Begins a stage: gives the change the groups that it wants, as far as there is memory for that. */
static void begin_stage(struct queue *queue, struct memory *memory, uint32_t wants,
                        enum stage stage) {
    SELF_CHECK(queue->index == 0); /* single events are told in the last stage */
    struct grouping grouping;
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        grouping.by[kind] = telling_subject(wants, stage == IN_VIEWS, queue_order[kind]);
    const uint64_t *first = queue->words.items + queue->head;
    if ((first[1] & SEGMENT_OF_MANY) && !is_arranged(queue, &grouping)) {
        struct pairs pairs[QUEUE_KINDS] = {{NULL, 0, 0}}, spare = {NULL, 0, 0};
        rewrite(queue, memory, &grouping, pairs, &spare);
        for (int kind = 0; kind < QUEUE_KINDS; kind++)
            array_free(&pairs[kind], memory);
        array_free(&spare, memory);
    }
    if (stage == IN_VIEWS)
        enter_views(queue);
    else
        queue_enter_stage(queue, stage);
}

enum { TELL_GROUPS = AOI_TELL_WATCHERS | AOI_TELL_MARKERS };

/* The last of the wanted stages. */
static enum stage last_stage(uint32_t wants) {
    if (wants & AOI_TELL_EVENT)
        return IN_EVENTS;
    return wants & TELL_GROUPS ? IN_GROUPS : wants & AOI_TELL_VIEW ? IN_VIEWS : NO_STAGE;
}

/* Events were taken out one by one, without telling_peek. */
static void note_stage(struct queue *queue) {
    if (queue->progress.stage == NO_STAGE && queue_has_begun(queue))
        queue_enter_stage(queue, IN_EVENTS);
}

/* The event at head. */
static bool peek_event(const struct queue *queue, uint32_t kind, aoi_telling *telling) {
    aoi_cursor start = {0, 0};
    telling->kind = kind;
    return queue_read(queue, &start, &telling->event);
}

/* Finds the next telling of the part at head; false: none. */
static bool find_telling(struct queue *queue, struct memory *memory, uint32_t wants,
                         aoi_telling *telling) {
    if (segment_is_of_areas(queue->words.items + queue->head))
        return (wants & (AOI_TELL_AREA | AOI_TELL_EVENT)) != 0 &&
               peek_event(queue, wants & AOI_TELL_AREA ? AOI_TELL_AREA : AOI_TELL_EVENT, telling);
    const struct progress *progress = &queue->progress;
    note_stage(queue);
    if (wants & AOI_TELL_VIEW && progress->stage <= IN_VIEWS) {
        if (progress->stage < IN_VIEWS)
            begin_stage(queue, memory, wants, IN_VIEWS);
        if (peek_view(queue, telling))
            return true;
    }
    if (wants & TELL_GROUPS && progress->stage <= IN_GROUPS) {
        if (progress->stage < IN_GROUPS)
            begin_stage(queue, memory, wants, IN_GROUPS);
        if (peek_group(queue, wants, telling))
            return true;
    }
    return (wants & AOI_TELL_EVENT) && peek_event(queue, AOI_TELL_EVENT, telling);
}

/* The wants of handlers that hear of the change at head; the others want `wants`. */
static uint32_t wants_of_head(const struct queue *queue, uint32_t wants) {
    return queue->progress.is_older ? queue->progress.wants : wants;
}

bool telling_peek(struct queue *queue, struct memory *memory, uint32_t wants,
                  aoi_telling *telling) {
    memset(telling, 0, sizeof *telling);
    telling->number = queue->tellings;
    while (queue->head != queue->words.count) {
        if (find_telling(queue, memory, wants_of_head(queue, wants), telling))
            return true;
        queue_drop_part(queue);
    }
    return false;
}

/* Goes past a view or a group, which was the next; returns how many pairs it has. */
static size_t pass_telling(struct queue *queue, const aoi_telling *telling) {
    struct progress *progress = &queue->progress;
    size_t told = telling->others.count;
    if (progress->stage == IN_VIEWS) {
        told = telling->left.count + telling->entered.count + telling->moved.count;
        if (!advance_own_view(queue, telling->subject))
            progress->index++;
    } else {
        const uint64_t *segment = segment_at(queue, progress->segment);
        progress->index += told;
        if (progress->index == segment_count(segment))
            next_segment(progress, segment);
    }
    progress->told += told;
    return told;
}

void telling_advance(struct queue *queue, struct memory *memory, uint32_t wants) {
    aoi_telling telling;
    if (!telling_peek(queue, memory, wants, &telling))
        return;
    queue->tellings++;
    if (telling.kind == AOI_TELL_EVENT || telling.kind == AOI_TELL_AREA) {
        queue_next(queue, &telling.event);
        return;
    }
    queue->words.items[queue->head + 1] &= ~(uint64_t)SEGMENT_STARTS_CHANGE;
    const size_t told = pass_telling(queue, &telling);
    if (queue->progress.stage == last_stage(wants_of_head(queue, wants)))
        queue->progress.delivered += told;
}

/* The words of the change at head, both of its parts. */
static size_t change_words(const struct queue *queue) {
    size_t at = queue->head;
    do
        at += segment_words(queue->words.items + at);
    while (at != queue->words.count && !segment_starts_change(queue->words.items + at));
    return at - queue->head;
}

size_t telling_delivered(const struct queue *queue, size_t at) {
    const struct progress *progress = &queue->progress;
    const uint64_t *segment = queue->words.items + at;
    const size_t words = at - queue->head;
    if (progress->delivered == 0)
        return words == 0 ? queue->index : 0;
    const bool in_own_view = progress->stage == IN_VIEWS && subject_watches(segment);
    if (words < (in_own_view ? progress->views[queue_rank(op_of(segment))] : progress->segment))
        return segment_count(segment);
    if (in_own_view)
        return 0;
    return words == progress->segment ? progress->index : 0;
}

/* The first listeners of a queue go on with the change at head, which has begun. Returns how many
 * of its words are to stay as they are: of a part that is told in groups no kind is dropped. */
static size_t take_over(struct queue *queue, uint32_t wants) {
    struct progress *progress = &queue->progress;
    const enum stage last = last_stage(wants);
    note_stage(queue);
    progress->delivered = 0;
    if (segment_is_of_areas(queue->words.items + queue->head))
        return 0;
    aoi_telling telling = {.kind = 0};
    const bool is_over = (progress->stage == IN_VIEWS && !peek_view(queue, &telling)) ||
                         (progress->stage == IN_GROUPS && !peek_group(queue, 0, &telling));
    const enum stage next = is_over ? progress->stage + 1 : progress->stage;
    if (next > last) {
        queue_drop_part(queue);
        return 0;
    }
    const bool has_views = next == IN_VIEWS && (wants & AOI_TELL_VIEW);
    const bool has_groups = next <= IN_GROUPS && (wants & TELL_GROUPS);
    if (!has_views && !has_groups) {
        queue_enter_stage(queue, IN_EVENTS);
        return 0;
    }
    if (progress->stage == last)
        progress->delivered = progress->told;
    return part_words(queue);
}

void telling_change_listeners(struct queue *queue, const struct listeners *listeners) {
    struct progress *progress = &queue->progress;
    size_t fixed = 0;
    if (progress->is_older) {
        fixed = change_words(queue);
    } else if (!queue_has_begun(queue)) {
        *progress = (struct progress){.stage = NO_STAGE};
        queue->tellings++;
    } else if (listeners->are_first) {
        fixed = take_over(queue, listeners->wants);
        queue->tellings++;
    } else {
        note_stage(queue);
        progress->is_older = true;
        progress->wants = listeners->before;
        fixed = change_words(queue);
    }
    queue_keep(queue, listeners->ops, fixed);
}

bool telling_resume(struct queue *queue, enum stage stage, size_t told) {
    if (stage == IN_VIEWS)
        enter_views(queue);
    else
        queue_enter_stage(queue, stage);
    while (queue->progress.told < told) {
        aoi_telling telling = {.kind = 0};
        const bool is_more =
            stage == IN_VIEWS ? peek_view(queue, &telling) : peek_group(queue, 0, &telling);
        if (!is_more)
            return false;
        pass_telling(queue, &telling);
    }
    return queue->progress.told == told;
}
