/*
 * format.h - the format of records, version 1: one table of all recorded calls. Writing (log.c),
 * reading (reading.c), replay and its messages follow from it.
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
 *     call:     byte (an enum call_kind, CALL_HAS_FLOATS, CALL_HAS_TRAITS), then its parts, in the
 *               order of enum call_part
 *     point:    x, y [, z]: 4 bytes each with CALL_HAS_FLOATS, which is so when all coordinates of
 *               the call are the same as floats; else 8
 */
#ifndef AOI_RECORD_FORMAT_H
#define AOI_RECORD_FORMAT_H

#include <stdint.h>

enum call_part {
    PART_ID = 1 << 0,
    PART_OTHER = 1 << 1,  /* the marker of a pin or sight: id */
    PART_PLACE = 1 << 2,  /* point */
    PART_ANCHOR = 1 << 3, /* point */
    PART_AREA = 1 << 4,   /* record/saved_area.h, with its rings */
    PART_BOUNDS = 1 << 5, /* x, y, width, height (numbers) */
    PART_NUMBER = 1 << 6, /* count */
    PART_TEXT = 1 << 7,   /* count of bytes, and these */
    PART_IDS = 1 << 8,    /* count of rows; behind the traits each row: id */
    PART_ROWS = 1 << 9,   /* count of rows; behind the traits each row: id, point */
    /* With CALL_HAS_TRAITS: byte (AOI_TRAIT_ bits of those that are given), then each: radius
     * (number), mode, layers, sees_layers, limit, importance (counts), visible_radius (number). */
    PART_TRAITS = 1 << 10
};

/*
 * CALL(NAME, number, method, parts, again) for each kind of call. method: its name in messages.
 * again: makes it once more; `space`, `call` (see reading.h), `traits` (NULL: none given), `rows`
 * and `count` are at hand where it is used.
 */
/* clang-format off */
#define RECORDED_CALLS(CALL)                                                                        \
    CALL(ENTER, 1, "enter", PART_ID | PART_PLACE | PART_TRAITS,                                     \
         aoi_enter(space, call->id, call->place, traits))                                           \
    CALL(MOVE, 2, "move", PART_ID | PART_PLACE,                                                     \
         aoi_move(space, call->id, call->place))                                                    \
    CALL(LEAVE, 3, "leave", PART_ID,                                                                \
         aoi_leave(space, call->id))                                                                \
    CALL(UPDATE, 4, "update", PART_ID | PART_PLACE | PART_TRAITS,                                   \
         aoi_update(space, call->id, call->place, traits, NULL))                                    \
    CALL(SET_TRAITS, 5, "a setter", PART_ID | PART_TRAITS,                                          \
         aoi_set_traits(space, call->id, &call->traits))                                            \
    CALL(ENTER_ALL, 6, "enter_all", PART_ROWS | PART_TRAITS,                                        \
         aoi_enter_all(space, rows, count, traits, NULL))                                           \
    CALL(MOVE_ALL, 7, "move_all", PART_ROWS,                                                        \
         aoi_move_all(space, rows, count, NULL, NULL))                                              \
    /* unknown ids are passed over */                                                               \
    CALL(MOVE_KNOWN, 8, "move_all", PART_ROWS,                                                      \
         aoi_move_all(space, rows, count, &(size_t){0}, NULL))                                      \
    CALL(UPDATE_ALL, 9, "update_all", PART_ROWS | PART_TRAITS,                                      \
         aoi_update_all(space, rows, count, traits, NULL, NULL))                                    \
    CALL(LEAVE_ALL, 10, "leave_all", PART_IDS,                                                      \
         aoi_leave_all(space, rows, count, NULL))                                                   \
    CALL(TICK, 11, "tick", 0,                                                                       \
         aoi_tick(space))                                                                           \
    CALL(CLEAR, 12, "clear", 0,                                                                     \
         aoi_clear(space))                                                                          \
    CALL(SET_BOUNDS, 13, "set_bounds", PART_BOUNDS,                                                 \
         aoi_set_bounds(space, call->bounds[0], call->bounds[1], call->bounds[2], call->bounds[3],  \
                        NULL, NULL))                                                                \
    CALL(PIN, 14, "pin", PART_ID | PART_OTHER,                                                      \
         aoi_pin(space, call->id, call->other))                                                     \
    CALL(UNPIN, 15, "unpin", PART_ID | PART_OTHER,                                                  \
         aoi_unpin(space, call->id, call->other))                                                   \
    CALL(TOUCH, 16, "touch", PART_ID,                                                               \
         aoi_touch(space, call->id))                                                                \
    /* the number of events, the oldest; 0: all of them */                                          \
    CALL(DROP_COLLECTED, 17, "drain", PART_NUMBER,                                                  \
         drop_collected(space, call->count))                                                        \
    CALL(ADD_AREA, 18, "add_area", PART_ID | PART_AREA,                                             \
         aoi_add_area(space, call->id, &call->area, NULL))                                          \
    CALL(SET_AREA, 19, "set_area", PART_ID | PART_AREA,                                             \
         aoi_set_area(space, call->id, &call->area, NULL))                                          \
    CALL(MOVE_AREA, 20, "move_area", PART_ID | PART_PLACE,                                          \
         aoi_move_area(space, call->id, call->place))                                               \
    CALL(REMOVE_AREA, 21, "remove_area", PART_ID,                                                   \
         aoi_remove_area(space, call->id))                                                          \
    CALL(TICK_TO, 22, "tick", PART_NUMBER,                                                          \
         aoi_tick_to(space, call->count))                                                           \
    CALL(ENTER_ANCHORED, 23, "enter", PART_ID | PART_PLACE | PART_ANCHOR | PART_TRAITS,             \
         aoi_enter_anchored(space, call->id, call->place, call->anchor, traits))                    \
    CALL(UPDATE_ANCHORED, 24, "update", PART_ID | PART_PLACE | PART_ANCHOR | PART_TRAITS,           \
         aoi_update_anchored(space, call->id, call->place, call->anchor, traits, NULL))             \
    CALL(HAND_OUT, 25, "hand_out", PART_ID,                                                         \
         aoi_hand_out(space, call->id))                                                             \
    /* see hand_over/luggage.h */                                                                   \
    CALL(HAND_IN, 26, "hand_in", PART_TEXT,                                                         \
         aoi_hand_in(space, call->text, count, NULL))                                               \
    /* in the order of aoi_sight */                                                                 \
    CALL(SIGHT_BY_RULE, 27, "set_sight", PART_ID | PART_OTHER,                                      \
         aoi_set_sight(space, call->id, call->other, AOI_SIGHT_BY_RULE))                            \
    CALL(SIGHT_NEVER, 28, "set_sight", PART_ID | PART_OTHER,                                        \
         aoi_set_sight(space, call->id, call->other, AOI_SIGHT_NEVER))                              \
    CALL(SIGHT_ALWAYS, 29, "set_sight", PART_ID | PART_OTHER,                                       \
         aoi_set_sight(space, call->id, call->other, AOI_SIGHT_ALWAYS))
/* clang-format on */

enum call_kind {
#define CALL_KIND(name, number, method, parts, again) CALL_##name = (number),
    RECORDED_CALLS(CALL_KIND)
#undef CALL_KIND
        CALL_KINDS /* stays last */
};

/* Beside the kind, in the same byte. */
enum { CALL_HAS_FLOATS = 1 << 6, CALL_HAS_TRAITS = 1 << 7 };

/* The parts of a call of this kind, PART_ bits. */
static inline unsigned call_parts(enum call_kind kind) {
#define CALL_ROW(name, number, method, parts, again) [CALL_##name] = (parts),
    static const uint16_t parts_of[CALL_KINDS] = {RECORDED_CALLS(CALL_ROW)};
#undef CALL_ROW
    return parts_of[kind];
}

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
