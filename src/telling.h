/*
 * telling.h - a queue's events cut into groups, for aoi_peek and aoi_told.
 *
 * The change at the head of the queue goes through the wanted stages one
 * after the other, and leaves the queue in the last. Its events count as
 * waiting until then.
 */
#ifndef AOI_TELLING_H
#define AOI_TELLING_H

#include "queue.h"

/* The next telling; false when nothing waits. */
bool telling_peek(struct queue *queue, uint32_t wants, aoi_telling *telling);

/* Goes past what telling_peek gave. */
void telling_advance(struct queue *queue, uint32_t wants);

/* From now on telling_peek is called with other wants, maybe in the middle of a change: no pair
 * that has been told is told again, and none that has not is lost. */
void telling_change_wants(struct queue *queue, uint32_t wants);

#endif
