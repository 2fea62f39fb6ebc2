/* telling.c - see telling.h. */
#include "events/telling.h"

#include <string.h>

#include "base/self_check.h"
#include "events/reading.h"

static bool subject_watches(const uint64_t *segment) {
    return (segment[1] & SEGMENT_SUBJECT_WATCHES) != 0;
}

static aoi_op op_of(const uint64_t *segment) {
    return (aoi_op)(segment[1] & SEGMENT_OPS);
}

/* The segment `words` after head, if it belongs to the change at head; else NULL. */
static const uint64_t *segment_at(const struct queue *queue, size_t words) {
    if (queue->words == NULL || queue->head + words >= queue->tail)
        return NULL;
    const uint64_t *segment = queue->words + queue->head + words;
    return words > 0 && (segment[1] & SEGMENT_STARTS_CHANGE) ? NULL : segment;
}

static size_t segment_words(const uint64_t *segment) {
    return QUEUE_HEADER_WORDS + segment_count(segment);
}

static aoi_list others_of(const uint64_t *segment) {
    return (aoi_list){(const aoi_id *)(segment + QUEUE_HEADER_WORDS), segment_count(segment)};
}

static aoi_list *view_list(aoi_telling *telling, aoi_op op) {
    return op == AOI_LEAVE ? &telling->left : op == AOI_ENTER ? &telling->entered : &telling->moved;
}

/* Looks up where the segments begin whose subjects watch, for each op. */
static void enter_views(struct queue *queue) {
    const uint64_t *segment;
    progress_enter(&queue->progress, IN_VIEWS);
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        queue->progress.views[kind] = PROGRESS_NO_SEGMENT;
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        size_t *first = &queue->progress.views[queue_rank(op_of(segment))];
        if (!segment_is_dead(segment) && subject_watches(segment) && *first == PROGRESS_NO_SEGMENT)
            *first = at;
    }
}

/*
 * What the next watcher among the subjects lost, gained and saw moving; false
 * when all have been told. The segments of each op ascend by subject, so
 * those of one watcher are at the fronts of their runs together.
 */
static bool peek_own_view(const struct queue *queue, aoi_telling *telling) {
    const uint64_t *fronts[QUEUE_KINDS];
    bool found = false;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        size_t at = queue->progress.views[kind];
        fronts[kind] = at == PROGRESS_NO_SEGMENT ? NULL : segment_at(queue, at);
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

/* Goes past the segments that peek_own_view gave. */
static void advance_own_view(struct queue *queue, aoi_id subject) {
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        size_t at = queue->progress.views[kind];
        const uint64_t *front = at == PROGRESS_NO_SEGMENT ? NULL : segment_at(queue, at);
        if (front == NULL || (aoi_id)front[0] != subject)
            continue;
        const uint64_t *next = segment_at(queue, at + segment_words(front));
        bool goes_on = next != NULL && subject_watches(next) && op_of(next) == op_of(front);
        queue->progress.views[kind] = goes_on ? at + segment_words(front) : PROGRESS_NO_SEGMENT;
    }
}

static bool own_views_told(const struct progress *progress) {
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (progress->views[kind] != PROGRESS_NO_SEGMENT)
            return false;
    }
    return true;
}

static bool peek_view(struct queue *queue, aoi_telling *telling) {
    struct progress *progress = &queue->progress;
    telling->kind = AOI_TELL_VIEW;
    if (peek_own_view(queue, telling))
        return true;
    const uint64_t *segment;
    while ((segment = segment_at(queue, progress->segment)) != NULL) {
        aoi_list others = others_of(segment);
        bool counts = !segment_is_dead(segment) && !subject_watches(segment);
        if (counts && progress->index < others.count) {
            telling->subject = others.ids[progress->index];
            *view_list(telling, op_of(segment)) = (aoi_list){(const aoi_id *)segment, 1};
            return true;
        }
        progress_next_segment(progress, segment_words(segment));
    }
    return false;
}

/* True when the segment is told as a whole, false when pair by pair. */
static bool told_whole(const uint64_t *segment, uint32_t wants) {
    return (wants & (subject_watches(segment) ? AOI_TELL_MARKERS : AOI_TELL_WATCHERS)) != 0;
}

static bool peek_group(struct queue *queue, uint32_t wants, aoi_telling *telling) {
    struct progress *progress = &queue->progress;
    const uint64_t *segment;
    while ((segment = segment_at(queue, progress->segment)) != NULL && segment_is_dead(segment))
        progress_next_segment(progress, segment_words(segment));
    if (segment == NULL)
        return false;
    telling->op = op_of(segment);
    if (told_whole(segment, wants)) {
        telling->kind = subject_watches(segment) ? AOI_TELL_MARKERS : AOI_TELL_WATCHERS;
        telling->subject = (aoi_id)segment[0];
        telling->others = others_of(segment);
        telling->others.ids += progress->index; /* above 0 only after an aoi_listen */
        telling->others.count -= progress->index;
    } else {
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

static enum pair_subject wanted_subject(const struct queue *queue, uint32_t wants, aoi_op op) {
    return telling_subject(wants, progress_before_groups(&queue->progress), op);
}

/* True when the change at head has its groups: for each op one run of segments, ascending. */
static bool is_arranged(const struct queue *queue, uint32_t wants) {
    const uint64_t *segment, *last[QUEUE_KINDS] = {NULL};
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        if (segment_is_dead(segment))
            continue;
        aoi_op op = op_of(segment);
        const uint64_t **before = &last[queue_rank(op)];
        bool watches = wanted_subject(queue, wants, op) == SUBJECT_WATCHER;
        if (subject_watches(segment) != watches ||
            (*before != NULL && (aoi_id)(*before)[0] >= (aoi_id)segment[0]))
            return false;
        *before = segment;
    }
    return true;
}

/* Appends the pairs of one op of the change at head that are still to be told. */
static bool read_pairs(const struct queue *queue, struct memory *memory, aoi_op op,
                       struct pairs *pairs) {
    const uint64_t *segment;
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        if (op_of(segment) != op)
            continue;
        const aoi_list others = others_of(segment);
        if (!pairs_reserve(pairs, memory, others.count))
            return false;
        aoi_id subject = (aoi_id)segment[0];
        for (size_t i = 0; i < others.count; i++)
            pairs->items[pairs->count++] = subject_watches(segment)
                                               ? (struct pair){subject, others.ids[i]}
                                               : (struct pair){others.ids[i], subject};
    }
    return true;
}

/* The words of the change at head. */
static size_t change_words(const struct queue *queue) {
    const uint64_t *segment;
    size_t words = 0;
    while ((segment = segment_at(queue, words)) != NULL)
        words += segment_words(segment);
    return words;
}

/* Writes the change at head anew, grouped by the wanted subjects, and the rest of the queue behind
 * it. False: no memory, unchanged. */
static bool rewrite(struct queue *queue, struct memory *memory, uint32_t wants, struct pairs *pairs,
                    struct pairs *spare) {
    struct queue anew = {.events = 0};
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        pairs[kind].count = 0;
        enum pair_subject by = wanted_subject(queue, wants, queue_order[kind]);
        if (!read_pairs(queue, memory, queue_order[kind], &pairs[kind]) ||
            !pairs_reserve(spare, memory, pairs_spare(pairs[kind].count)))
            return false;
        pairs_sort(&pairs[kind], spare, by);
    }
    size_t old_words = change_words(queue), rest = queue->tail - queue->head - old_words;
    size_t segments = 0, events = rest;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        segments += pairs_segments(&pairs[kind], wanted_subject(queue, wants, queue_order[kind]));
        events += pairs[kind].count;
    }
    if (!queue_reserve(&anew, memory, segments, events))
        return false;
    queue_begin_change(&anew);
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        pairs_write(&pairs[kind], &anew, queue_order[kind],
                    wanted_subject(queue, wants, queue_order[kind]));
    if (rest > 0) /* else both may be NULL */
        memcpy(anew.words + anew.tail, queue->words + queue->head + old_words,
               rest * sizeof *anew.words);
    memory_resize(memory, queue->words, queue->capacity, 0, sizeof *queue->words);
    queue->words = anew.words;
    queue->capacity = anew.capacity;
    queue->head = 0;
    queue->tail = anew.tail + rest;
    return true;
}

/* Gives the change the groups that the stage wants, as far as there is memory for that; before
 * anything of the stage is told. */
static void arrange(struct queue *queue, struct memory *memory, uint32_t wants) {
    SELF_CHECK(queue->index == 0); /* single events are told in the last stage */
    const uint64_t *first = queue->words + queue->head;
    if (!(first[1] & SEGMENT_OF_MANY) || is_arranged(queue, wants))
        return;
    struct pairs pairs[QUEUE_KINDS] = {{NULL, 0, 0}}, spare = {NULL, 0, 0};
    rewrite(queue, memory, wants, pairs, &spare);
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        pairs_free(&pairs[kind], memory);
    pairs_free(&spare, memory);
}

/* The next view of the change at head; false when there is none left. */
static bool find_view(struct queue *queue, struct memory *memory, uint32_t wants,
                      aoi_telling *telling) {
    if (queue->progress.state == NOT_BEGUN) {
        arrange(queue, memory, wants);
        enter_views(queue);
    }
    return peek_view(queue, telling);
}

/* The next group of the change at head; false when there is none left. */
static bool find_group(struct queue *queue, struct memory *memory, uint32_t wants,
                       aoi_telling *telling) {
    if (queue->progress.state == GROUPS_NEXT) {
        arrange(queue, memory, wants);
        progress_enter(&queue->progress, IN_GROUPS);
    }
    return peek_group(queue, wants, telling);
}

/* The next event of the change at head, which is one of areas; false when it is dropped, as nobody
 * wants it. */
static bool find_area_event(struct queue *queue, uint32_t wants, aoi_telling *telling) {
    if (!(wants & (AOI_TELL_AREA | AOI_TELL_EVENT))) {
        queue_drop_change(queue);
        return false;
    }
    aoi_cursor start = {0, 0};
    telling->kind = wants & AOI_TELL_AREA ? AOI_TELL_AREA : AOI_TELL_EVENT;
    return queue_read(queue, &start, &telling->event);
}

bool telling_peek(struct queue *queue, struct memory *memory, uint32_t wants,
                  aoi_telling *telling) {
    memset(telling, 0, sizeof *telling);
    telling->number = queue->tellings;
    while (queue->head != queue->tail) {
        struct progress *progress = &queue->progress;
        if (segment_is_of_areas(queue->words + queue->head)) {
            if (find_area_event(queue, wants, telling))
                return true;
            continue;
        }
        if (progress_before_groups(progress)) {
            if (!(wants & AOI_TELL_VIEW))
                progress->viewed = false; /* not of all, else its stage would be over */
            else if (find_view(queue, memory, wants, telling))
                return true;
            progress_enter(progress, GROUPS_NEXT);
        }
        if (progress_at_groups(progress)) {
            if (!(wants & (AOI_TELL_WATCHERS | AOI_TELL_MARKERS)))
                progress->grouped = false;
            else if (find_group(queue, memory, wants, telling))
                return true;
            progress_enter(progress, IN_EVENTS);
        }
        if (wants & AOI_TELL_EVENT) {
            aoi_cursor start = {0, 0};
            queue_skip_dead(queue);
            if (progress->state != IN_EVENTS)
                continue; /* that was the last of the change */
            telling->kind = AOI_TELL_EVENT;
            return queue_read(queue, &start, &telling->event);
        }
        queue_drop_change(queue);
    }
    return false;
}

/* The last of the wanted stages. */
static enum progress_state last_stage(uint32_t wants) {
    if (wants & AOI_TELL_EVENT)
        return IN_EVENTS;
    return wants & (AOI_TELL_WATCHERS | AOI_TELL_MARKERS) ? IN_GROUPS : IN_VIEWS;
}

void telling_advance(struct queue *queue, struct memory *memory, uint32_t wants) {
    aoi_telling telling;
    if (!telling_peek(queue, memory, wants, &telling))
        return;
    struct progress *progress = &queue->progress;
    queue->tellings++;
    if (telling.kind == AOI_TELL_EVENT || telling.kind == AOI_TELL_AREA) {
        queue_next(queue, &telling.event);
        return;
    }
    size_t told = telling.others.count;
    if (telling.kind == AOI_TELL_VIEW) {
        progress->viewed = true;
        told = telling.left.count + telling.entered.count + telling.moved.count;
        if (!own_views_told(progress))
            advance_own_view(queue, telling.subject);
        else
            progress->index++;
    } else {
        progress->grouped = true;
        const uint64_t *segment = segment_at(queue, progress->segment);
        progress->index += told_whole(segment, wants) ? telling.others.count : 1;
        if (progress->index == others_of(segment).count)
            progress_next_segment(progress, segment_words(segment));
    }
    if (progress->state == last_stage(wants))
        progress->events += told;
}

/* How many pairs at the start of this segment of the change at head are told. */
static size_t told_of(const struct queue *queue, const uint64_t *segment, size_t at) {
    const struct progress *progress = &queue->progress;
    if (segment_is_dead(segment))
        return segment_count(segment);
    if (progress->state == IN_VIEWS && subject_watches(segment))
        return at < progress->views[queue_rank(op_of(segment))] ? segment_count(segment) : 0;
    if (at < progress->segment)
        return segment_count(segment);
    return at == progress->segment ? progress->index : 0;
}

/* Takes the pairs that the current stage has told out of the queue; false when none are left of
 * the change at head. */
static bool remove_told(struct queue *queue) {
    uint64_t *words = queue->words + queue->head;
    uint64_t starts = words[1] & SEGMENT_STARTS_CHANGE;
    size_t read = 0, write = 0;
    const uint64_t *segment;
    while ((segment = segment_at(queue, read)) != NULL) {
        size_t count = segment_count(segment), told = told_of(queue, segment, read);
        uint64_t header[QUEUE_HEADER_WORDS] = {segment[0], segment[1]};
        size_t next = read + segment_words(segment);
        if (!segment_is_dead(segment))
            queue->events -= told;
        if (told < count) {
            uint64_t flags = header[1] & (((uint64_t)1 << QUEUE_COUNT_SHIFT) - 1);
            memmove(words + write + QUEUE_HEADER_WORDS, segment + QUEUE_HEADER_WORDS + told,
                    (count - told) * sizeof *words);
            words[write] = header[0];
            words[write + 1] = (uint64_t)(count - told) << QUEUE_COUNT_SHIFT | flags | starts;
            write += QUEUE_HEADER_WORDS + count - told;
            starts = 0;
        }
        read = next;
    }
    size_t rest = queue->tail - queue->head - read;
    memmove(words + write, words + read, rest * sizeof *words);
    queue_end_at(queue, queue->head + write + rest);
    return write > 0;
}

/* Goes on to the next stage when all of the change at head has been told in this one. */
static void end_told_stage(struct queue *queue) {
    struct progress *progress = &queue->progress;
    aoi_telling telling;
    if (progress->state == IN_VIEWS && progress->viewed && !peek_view(queue, &telling))
        progress_enter(progress, GROUPS_NEXT);
    else if (progress_at_groups(progress) && progress->grouped &&
             !peek_group(queue, AOI_TELL_WATCHERS, &telling))
        progress_enter(progress, IN_EVENTS);
}

void telling_change_wants(struct queue *queue, uint32_t wants) {
    /* What the last stage has told is done with. So is what a group has told that no event would
     * follow: otherwise going on from here would lose the pairs not yet told. */
    struct progress *progress = &queue->progress;
    bool removes = progress->events > 0 || (progress_at_groups(progress) && progress->grouped &&
                                            !progress->viewed && last_stage(wants) == IN_VIEWS);
    bool left = true;
    if (removes && queue->words != NULL)
        left = remove_told(queue);
    if (!left || (removes ? !progress->viewed || progress_before_groups(progress)
                          : !progress->viewed && !progress->grouped))
        progress_restart(progress); /* what is at head has been told to nobody */
    else if (removes)
        progress_enter(progress, GROUPS_NEXT);
    progress->events = 0;
    queue->tellings++;
    end_told_stage(queue);
    /* Single events are taken without telling_peek, which would see that the groups are over. */
    if ((wants & ~(uint32_t)AOI_TELL_AREA) == AOI_TELL_EVENT && progress->state != IN_EVENTS &&
        (progress->viewed || progress->grouped)) {
        progress->viewed = progress->viewed && !progress_before_groups(progress);
        progress->grouped = false;
        progress_enter(progress, IN_EVENTS);
    }
}

bool telling_is_sound(const struct queue *queue) {
    const struct progress *progress = &queue->progress;
    const uint64_t *segment;
    bool has_place = progress->segment > 0 || progress->index > 0;
    if (queue->head != queue->tail && segment_is_of_areas(queue->words + queue->head))
        return progress->state == NOT_BEGUN && !progress->viewed && !progress->grouped &&
               !has_place && progress->events == 0;
    if ((progress->state == NOT_BEGUN && (progress->viewed || progress->grouped)) ||
        (progress->state == IN_VIEWS && progress->grouped) ||
        (progress->state != IN_VIEWS && progress->state != IN_GROUPS && has_place))
        return false;
    for (int kind = 0; kind < QUEUE_KINDS && progress->state == IN_VIEWS; kind++) {
        if (progress->views[kind] == PROGRESS_NO_SEGMENT)
            continue;
        segment = segment_at(queue, progress->views[kind]);
        if (segment == NULL || !subject_watches(segment) || op_of(segment) != queue_order[kind])
            return false;
    }
    segment = segment_at(queue, progress->segment);
    size_t most = segment == NULL ? 0 : others_of(segment).count;
    if (segment != NULL && progress->state == IN_GROUPS && !segment_is_dead(segment))
        most--; /* a group that is told is left behind at once */
    if (progress->index > most)
        return false;
    size_t told = 0;
    for (size_t at = 0; (segment = segment_at(queue, at)) != NULL; at += segment_words(segment)) {
        if (!segment_is_dead(segment))
            told += told_of(queue, segment, at);
    }
    return progress->events <= told;
}
