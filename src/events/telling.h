/*
 * telling.h - a queue's events cut into groups, for aoi_peek and aoi_told.
 *
 * The change at the head of the queue goes through the wanted stages one
 * after the other, and leaves the queue in the last. Its events count as
 * waiting until then. A change with many subjects (a tick) is grouped anew
 * where a stage needs it by watcher and it lies by marker, or the other way
 * round; without memory for that, it is told in smaller groups.
 */
#ifndef AOI_TELLING_H
#define AOI_TELLING_H

#include "events/pairs.h"

/* The next telling, for those who want this (AOI_TELL_ bits), or for those before them when they
 * have begun the change; false when nothing waits. */
bool telling_peek(struct queue *queue, struct memory *memory, uint32_t wants, aoi_telling *telling);

/* Goes past what telling_peek gave. */
void telling_advance(struct queue *queue, struct memory *memory, uint32_t wants);

/* How a change with many subjects is grouped, for a view or for groups: a view has all of its
 * watcher; with both kinds of groups a watcher learns who left and entered its view, and a
 * marker who is to hear of its move. */
enum pair_subject telling_subject(uint32_t wants, bool for_view, aoi_op op);

/* Others listen from now on: for these kinds of events (ops), in this way (wants). A change that
 * has begun goes on for those before them, who want `before`, unless there are none: then the new
 * ones go on with it. Of what has not begun, kinds that nobody wants are dropped. */
struct listeners {
    uint32_t before, ops, wants;
    bool are_first;
};

void telling_change_listeners(struct queue *queue, const struct listeners *listeners);

/* How many at the start of the segment at this word, from the start of the queue's words, have been
 * told in the last of the wanted stages. O(1). */
size_t telling_delivered(const struct queue *queue, size_t at);

/* Goes to where so many pairs of the change at head have been told in this stage. False: no telling
 * ends there. For queues that were saved. */
bool telling_resume(struct queue *queue, enum stage stage, size_t told);

#endif
