/* pairs.c - pairs sorted by radix, and written as segments. */
#include "events/pairs.h"

#include <string.h>

static aoi_id subject_of(const struct pair *pair, enum pair_subject by) {
    return by == SUBJECT_WATCHER ? pair->watcher : pair->marker;
}

#define FIRST_BIT ((uint64_t)1 << 63)

/* A key whose unsigned order is the order of ids. */
static uint64_t key_of(const struct pair *pair, enum pair_subject by) {
    return (uint64_t)subject_of(pair, by) ^ FIRST_BIT;
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* The end of the run of one subject that begins at first. */
static size_t run_end(const struct pairs *pairs, size_t first, enum pair_subject by) {
    size_t end = first + 1;
    while (end < pairs->count &&
           subject_of(&pairs->items[end], by) == subject_of(&pairs->items[first], by))
        end++;
    return end;
}

/* A stable pass for each digit in which they differ. spare has room for as many. */
static void sort_one_by_one(struct pairs *pairs, struct pairs *spare, enum pair_subject by,
                            uint64_t differs) {
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (((differs >> shift) & (DIGITS - 1)) == 0)
            continue;
        size_t starts[DIGITS + 1] = {0};
        for (size_t i = 0; i < pairs->count; i++)
            starts[((key_of(&pairs->items[i], by) >> shift) & (DIGITS - 1)) + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < pairs->count; i++) {
            const size_t digit = (key_of(&pairs->items[i], by) >> shift) & (DIGITS - 1);
            spare->items[starts[digit]++] = pairs->items[i];
        }
        spare->count = pairs->count;
        array_swap(pairs, spare);
    }
}

/* Long runs are sorted whole: each is a pair of its subject and where it begins and ends. */
static void sort_runs(struct pairs *pairs, struct pairs *spare, enum pair_subject by,
                      uint64_t differs, size_t run_count) {
    struct pair *behind = spare->items + pairs->count;
    struct pairs runs = {behind, 0, run_count};
    struct pairs other = {behind + run_count, 0, run_count};
    for (size_t at = 0; at < pairs->count;) {
        const size_t end = run_end(pairs, at, by);
        runs.items[runs.count++] =
            (struct pair){subject_of(&pairs->items[at], by), (aoi_id)((uint64_t)at << 32 | end)};
        at = end;
    }
    sort_one_by_one(&runs, &other, SUBJECT_WATCHER, differs);
    size_t to = 0;
    for (size_t i = 0; i < runs.count; i++) {
        const size_t at = (size_t)((uint64_t)runs.items[i].marker >> 32);
        const size_t end = (size_t)((uint64_t)runs.items[i].marker & UINT32_MAX);
        memcpy(spare->items + to, pairs->items + at, (end - at) * sizeof *pairs->items);
        to += end - at;
    }
    spare->count = pairs->count;
    array_swap(pairs, spare);
}

void pairs_sort(struct pairs *pairs, struct pairs *spare, enum pair_subject by) {
    uint64_t differs = 0; /* the bits in which subjects do */
    bool ascends = true;
    size_t runs = pairs->count > 0; /* of one subject */
    for (size_t i = 1; i < pairs->count; i++) {
        uint64_t before = key_of(&pairs->items[i - 1], by), key = key_of(&pairs->items[i], by);
        differs |= before ^ key;
        ascends = ascends && before <= key;
        runs += before != key;
    }
    if (ascends)
        return;
    if (runs <= pairs->count / LONG_RUN && pairs->count <= UINT32_MAX)
        sort_runs(pairs, spare, by, differs, runs);
    else
        sort_one_by_one(pairs, spare, by, differs);
}

size_t pairs_segments(const struct pairs *pairs, enum pair_subject by) {
    size_t segments = 0;
    for (size_t at = 0; at < pairs->count; at = run_end(pairs, at, by))
        segments++;
    return segments;
}

static uint32_t segment_flags(aoi_op op, enum pair_subject by) {
    return segment_flags_of(op) | SEGMENT_OF_MANY |
           (by == SUBJECT_WATCHER ? SEGMENT_SUBJECT_WATCHES : 0);
}

static aoi_id other_of(const struct pair *pair, enum pair_subject by) {
    return by == SUBJECT_WATCHER ? pair->marker : pair->watcher;
}

/* Less than or equal to the key of the pair at `at` and all behind it. */
static uint64_t key_from(const struct pairs *pairs, size_t at, enum pair_subject by) {
    return at < pairs->count ? key_of(&pairs->items[at], by) : UINT64_MAX;
}

/* The end of the run at `at`, if it is the one of this key; else `at`. */
static size_t end_of(const struct pairs *pairs, size_t at, enum pair_subject by, uint64_t key) {
    const bool is_its = at < pairs->count && key_of(&pairs->items[at], by) == key;
    return is_its ? run_end(pairs, at, by) : at;
}

void pairs_write(const struct pairs *pairs, const struct pairs *more,
                 const struct later_pairs *later, struct queue *queue, aoi_op op,
                 enum pair_subject by) {
    const uint32_t flags = segment_flags(op, by);
    const struct pairs none = {NULL, 0, 0};
    const struct pairs *subjects = later == NULL ? &none : &later->subjects;
    more = more == NULL ? &none : more;
    for (size_t at = 0, more_at = 0, later_at = 0;
         at < pairs->count || more_at < more->count || later_at < subjects->count;) {
        const uint64_t first = key_from(pairs, at, by), other = key_from(more, more_at, by);
        const uint64_t third = key_from(subjects, later_at, SUBJECT_WATCHER);
        const uint64_t listed = first <= other ? first : other;
        const uint64_t key = listed <= third ? listed : third;
        const size_t end = end_of(pairs, at, by, key), more_end = end_of(more, more_at, by, key);
        const bool has_later = end_of(subjects, later_at, SUBJECT_WATCHER, key) > later_at;
        const size_t number = has_later ? (size_t)subjects->items[later_at++].marker : 0;
        const size_t rest = has_later ? later->counts[number] : 0;
        const size_t count = end - at + (more_end - more_at) + rest;
        if (count == 0)
            continue;
        aoi_id *others = queue_append_room(queue, (aoi_id)(key ^ FIRST_BIT), flags, count);
        for (; at < end; at++)
            *others++ = other_of(&pairs->items[at], by);
        for (; more_at < more_end; more_at++)
            *others++ = other_of(&more->items[more_at], by);
        if (rest > 0)
            later->places[number] = (uint32_t)(others - (aoi_id *)queue->words.items);
    }
}

struct pair *pairs_write_apart(const struct pairs *pairs, size_t before, struct queue *queue,
                               aoi_op op, enum pair_subject by) {
    const size_t count = before + pairs->count;
    if (count == 0)
        return NULL;
    struct pair *room = queue_append_pairs(queue, segment_flags(op, by) | SEGMENT_OF_PAIRS, count);
    if (pairs->count > 0) /* else there may be no items */
        memcpy(room + before, pairs->items, pairs->count * sizeof *room);
    return room;
}
