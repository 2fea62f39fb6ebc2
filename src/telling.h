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

/* Takes out of the queue the pairs of the change at head that somebody has heard of already. */
void telling_forget_told(struct queue *queue);

#endif
