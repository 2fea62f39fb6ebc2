/* saved_queue.h - a queue as bytes, to and from a stream. */
#ifndef AOI_SAVED_QUEUE_H
#define AOI_SAVED_QUEUE_H

#include "base/stream.h"
#include "events/queue.h"

void saved_queue_write(struct stream *stream, const struct queue *queue);

/* Fills an empty queue. ops: the kinds of events that may be there. Events that nobody listens for
 * any more (without a kind) stand only in the change at head of those that wait. What is wrong, and
 * a lack of memory, stands in the stream's status. */
void saved_queue_read(struct stream *stream, struct queue *queue, struct memory *memory,
                      uint32_t ops, bool is_pending);

/* How far the change at head has been told; of a queue that is not empty. */
void saved_queue_write_progress(struct stream *stream, const struct queue *queue);
void saved_queue_read_progress(struct stream *stream, struct queue *queue);

#endif
