/*
 * reading.c - segments read without taking them out.
 *
 * Most segments of single changes have one event. Where all are read the code
 * asks for that first: as long as the processor guesses right it is at the next
 * segment before it knows the length of this one.
 */
#include "events/reading.h"

#include "base/always_inline.h"
#include "base/little_endian.h"

bool queue_read(const struct queue *queue, aoi_cursor *cursor, aoi_event *event) {
    size_t word = queue->head + cursor->word;
    if (word == queue->words.count)
        return false;
    const uint64_t *segment = queue->words.items + word;
    size_t first = cursor->word == 0 ? queue->index : 0;
    segment_event(segment, first + cursor->index, event);
    if (first + ++cursor->index == segment_count(segment)) {
        cursor->index = 0;
        cursor->word += segment_words(segment);
    }
    return true;
}

/* Writes event `index` of the segment as number `place` of an array, or of packed rows: watcher,
 * marker, op. */
ALWAYS_INLINE void write_event(const uint64_t *segment, size_t index, size_t place, void *to,
                               bool packed) {
    enum { SECOND_ID = 8, OP = 16 };
    if (!packed) {
        segment_event(segment, index, (aoi_event *)to + place);
        return;
    }
    uint8_t *row = (uint8_t *)to + place * AOI_PACKED_EVENT;
    row[OP] = (uint8_t)segment_op(segment);
    if (segment_is_of_pairs(segment)) {
        store_word(row, (uint64_t)segment_pairs(segment)[index].watcher);
        store_word(row + SECOND_ID, (uint64_t)segment_pairs(segment)[index].marker);
        return;
    }
    const size_t watches = segment[1] / SEGMENT_SUBJECT_WATCHES & 1;
    const size_t subject_at = SECOND_ID - SECOND_ID * watches;
    store_word(row + subject_at, segment[0]);
    store_word(row + (SECOND_ID - subject_at), segment[QUEUE_HEADER_WORDS + index]);
}

ALWAYS_INLINE size_t read_many(const struct queue *queue, aoi_cursor *cursor, size_t count,
                               void *to, bool packed) {
    if (queue->events == 0) /* without words, perhaps */
        return 0;
    const uint64_t *const begin = queue->words.items + queue->head;
    const uint64_t *const end = queue->words.items + queue->words.count;
    const uint64_t *segment = begin + cursor->word;
    size_t index = cursor->index + (segment == begin ? queue->index : 0), done = 0;
    while (segment != end && done < count) {
        const size_t length = segment_count(segment);
        if (length == 1) {
            write_event(segment, 0, done++, to, packed);
            segment += segment_words(segment);
            continue;
        }
        while (index < length && done < count)
            write_event(segment, index++, done++, to, packed);
        if (index == length) {
            segment += segment_words(segment);
            index = 0;
        }
    }
    cursor->word = (size_t)(segment - begin);
    cursor->index = index - (segment == begin ? queue->index : 0);
    return done;
}

size_t queue_read_many(const struct queue *queue, aoi_cursor *cursor, size_t count, void *to,
                       bool packed) {
    return packed ? read_many(queue, cursor, count, to, true)
                  : read_many(queue, cursor, count, to, false);
}
