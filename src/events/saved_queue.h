/* saved_queue.h - a queue as bytes, to and from a stream. */
#ifndef AOI_SAVED_QUEUE_H
#define AOI_SAVED_QUEUE_H

#include "base/stream.h"
#include "events/queue.h"

/* Writes the events that wait. is_pending: and how far the change at head has been told, if it has
 * begun. */
void saved_queue_write(struct stream *stream, const struct queue *queue, bool is_pending);

/* Fills an empty queue. ops: the kinds of events that may be there. What is wrong, and a lack of
 * memory, stands in the stream's status. */
void saved_queue_read(struct stream *stream, struct queue *queue, struct memory *memory,
                      uint32_t ops, bool is_pending);

#endif
