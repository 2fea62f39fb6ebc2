/*
 * format.h - the format of records, version 1, which log.c writes and reading.c reads.
 *
 * Everything is little endian; counts, ids and numbers are those of base/stream.h. A record is
 *
 *     4 bytes   "AOR" and the version
 *     8 bytes   length of the whole record
 *     8 bytes   checksum of all that follows (base/checksum.h)
 *     8, 8      calls and ticks of the space when it begins
 *     8, 8      calls and ticks when it ends
 *     byte      dimensions of the space, 2 or 3
 *     ...       the calls, one after the other
 *
 *     call:     byte (an enum call_kind, CALL_HAS_FLOATS, CALL_HAS_TRAITS), then by its kind:
 *         ENTER, UPDATE      id, point [, traits]
 *         MOVE, MOVE_AREA    id, point
 *         SET_TRAITS         id, traits
 *         LEAVE, TOUCH, REMOVE_AREA   id
 *         ADD_AREA, SET_AREA id, area (area/saved_area.h)
 *         PIN, UNPIN         watcher, marker (ids)
 *         ENTER_ALL, UPDATE_ALL   count of rows [, traits], then each row: id, point
 *         MOVE_ALL, MOVE_KNOWN    count of rows, then each row: id, point
 *         LEAVE_ALL          count of rows, then each: id
 *         SET_BOUNDS         x, y, width, height (numbers)
 *         DROP_COLLECTED     count of events, the oldest; 0: all of them
 *         TICK, CLEAR        nothing
 *         TICK_TO            number (count)
 *         ENTER_ANCHORED, UPDATE_ANCHORED   id, point, anchor (point) [, traits]
 *         HAND_OUT           id
 *         HAND_IN            count of bytes, and these (space/passage.h)
 *     point:    x, y [, z]: 4 bytes each with CALL_HAS_FLOATS, which is so when all coordinates of
 *               the call are the same as floats; else 8
 *     traits:   byte (AOI_TRAIT_ bits of those that are given), then each: radius (number), mode,
 *               layer, sees, limit, importance (counts)
 */
#ifndef AOI_RECORD_FORMAT_H
#define AOI_RECORD_FORMAT_H

enum call_kind {
    CALL_ENTER = 1,
    CALL_MOVE,
    CALL_LEAVE,
    CALL_UPDATE,
    CALL_SET_TRAITS,
    CALL_ENTER_ALL,
    CALL_MOVE_ALL,
    CALL_MOVE_KNOWN, /* the same, unknown ids are passed over */
    CALL_UPDATE_ALL,
    CALL_LEAVE_ALL,
    CALL_TICK,
    CALL_CLEAR,
    CALL_SET_BOUNDS,
    CALL_PIN,
    CALL_UNPIN,
    CALL_TOUCH,
    CALL_DROP_COLLECTED,
    CALL_ADD_AREA,
    CALL_SET_AREA,
    CALL_MOVE_AREA,
    CALL_REMOVE_AREA,
    CALL_TICK_TO,
    CALL_ENTER_ANCHORED,
    CALL_UPDATE_ANCHORED,
    CALL_HAND_OUT,
    CALL_HAND_IN,
    CALL_KINDS /* stays last */
};

/* Beside the kind, in the same byte. */
enum { CALL_HAS_FLOATS = 1 << 6, CALL_HAS_TRAITS = 1 << 7 };

/* Where what is in the head of a record. */
enum {
    RECORD_VERSION = 1,
    RECORD_LENGTH_AT = 4,
    RECORD_SUM_AT = 12,
    RECORD_FROM_AT = 20, /* here begins what the sum is of */
    RECORD_TO_AT = 36,
    RECORD_DIMS_AT = 52,
    RECORD_HEAD = 53
};

#endif
