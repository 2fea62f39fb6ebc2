/*
 * pairs.h - lists of ordered pairs: grouped by watcher or by marker, and
 * written to a queue.
 */
#ifndef AOI_PAIRS_H
#define AOI_PAIRS_H

#include "events/queue.h"

struct pairs ARRAY_OF(struct pair);

/* The subject of a segment that tells the pairs. */
enum pair_subject { SUBJECT_WATCHER, SUBJECT_MARKER };

/* Runs of one subject that are as long as this on average are moved as a whole. */
enum { LONG_RUN = 8 };

/* How many pairs the spare list needs to have room for. */
static inline size_t pairs_spare(size_t count) {
    return count + 2 * (count / LONG_RUN);
}

/* Puts the pairs in ascending order of their subjects; those of one subject keep their order.
 * spare has room for pairs_spare of them, and may end up with the items. Radix sort: O(n) for each
 * byte in which the subjects differ. */
void pairs_sort(struct pairs *pairs, struct pairs *spare, enum pair_subject by);

/* How many segments pairs_write will write. */
size_t pairs_segments(const struct pairs *pairs, enum pair_subject by);

/* Pairs of one kind that are written later: of each subject there will be so many. */
struct later_pairs {
    struct pairs subjects;  /* watcher: the id, marker: a number; ascending by id */
    const uint32_t *counts; /* by number: pairs */
    uint32_t *places; /* by number: filled with the words of the queue where the others of its pairs
                         are to stand */
};

/* Appends the pairs to the queue, in runs of one subject each; room is reserved. more and later:
 * NULL, or others; all are sorted then, and the run of a subject has those of all, the first ones
 * first. */
void pairs_write(const struct pairs *pairs, const struct pairs *more,
                 const struct later_pairs *later, struct queue *queue, aoi_op op,
                 enum pair_subject by);

/* Appends a segment of the pairs, behind `before` others, 0 or more, which the caller writes to the
 * array returned; NULL where there is no pair at all. Faster than runs where these are short, as
 * their ends can't be foreseen, neither here nor by a reader of the queue. */
struct pair *pairs_write_apart(const struct pairs *pairs, size_t before, struct queue *queue,
                               aoi_op op, enum pair_subject by);

#endif
