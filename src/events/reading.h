/* reading.h - a queue read without taking anything out. Somebody must hear of what is read: no
 * segment of it is dead. */
#ifndef AOI_READING_H
#define AOI_READING_H

#include "events/queue.h"

/* The event behind the cursor, which starts at zero; false at the end. */
bool queue_read(const struct queue *queue, aoi_cursor *cursor, aoi_event *event);

/* Up to `count` of the events behind the cursor, as an array or as packed rows of AOI_PACKED_EVENT
 * bytes each; returns how many, 0 at the end. */
size_t queue_read_many(const struct queue *queue, aoi_cursor *cursor, size_t count, void *to,
                       bool packed);

#endif
