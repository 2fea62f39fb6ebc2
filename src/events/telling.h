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

/* The next telling; false when nothing waits. */
bool telling_peek(struct queue *queue, struct memory *memory, uint32_t wants, aoi_telling *telling);

/* Goes past what telling_peek gave. */
void telling_advance(struct queue *queue, struct memory *memory, uint32_t wants);

/* How a change with many subjects is grouped, for a view or for groups: a view has all of its
 * watcher; with both kinds of groups a watcher learns whom it lost and gained, and a marker who
 * is to hear of its move. */
enum pair_subject telling_subject(uint32_t wants, bool for_view, aoi_op op);

/* From now on telling_peek is called with other wants, maybe in the middle of a change: no pair
 * that has been told is told again, and none that has not is lost. */
void telling_change_wants(struct queue *queue, uint32_t wants);

/* False when the progress of the change at head can't be: for queues that were saved. Its segment
 * and views are where segments of that change begin, or its end. */
bool telling_is_sound(const struct queue *queue);

#endif
