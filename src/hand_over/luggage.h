/*
 * luggage.h - an entity that goes from one space to another, as a string of bytes.
 *
 * The format, version 3. Numbers, counts and ids are those of base/stream.h.
 *
 *     4 bytes      "AOH" and the version
 *     8 bytes      checksum of all that follows (base/checksum.h)
 *     byte, byte   dimensions of the space; flags (enum luggage_flag)
 *     id, count    of the entity; the number of the last tick
 *     byte, ...    the AOI_TRAIT_ bits of its traits, and these: as in records
 *     ...          place [, anchor, where it is another point]
 *     [...]        LUGGAGE_WAS_INSIDE: place [, anchor] at the last tick
 *     [count, ...] crowd spaces: pins, each an id, ascending
 *     count, ...   its sights, descending by marker, each: the marker, an id; an aoi_sight,
 *                  a byte
 *     count, ...   of whom it was told, ascending by id, each: id, place [, in crowd spaces: a
 * count, twice the ticks since it was told, and 1 more when the marker has moved since; its period,
 * a count, 0: never]
 *     [count, ...] LUGGAGE_AREAS: the areas without owner in which it was at the last tick, each an
 * id, ascending
 *     [count, ...] the same: areas that it owns, ascending, each: id, area (see
 * record/saved_area.h; its place is the offset from the owner), byte (1: it was there at the last
 * tick), [its members then: count, then the ids, ascending]
 *
 * A point is x, y [, z] (numbers). Ticks are counted from the last one on. A save of a space has
 * the lists of this format, too.
 */
#ifndef AOI_LUGGAGE_H
#define AOI_LUGGAGE_H

#include "base/stream.h"
#include "space/space.h"

enum luggage_flag {
    LUGGAGE_OF_CROWD = 1 << 0,
    LUGGAGE_WAS_INSIDE = 1 << 1, /* at the last tick */
    LUGGAGE_TOUCHED = 1 << 2,    /* it counts as moved at the next tick */
    LUGGAGE_ANCHOR = 1 << 3,     /* its anchor is not where it is */
    LUGGAGE_ANCHOR_THEN = 1 << 4,
    LUGGAGE_AREAS = 1 << 5,
    LUGGAGE_FLAGS = (1 << 6) - 1
};

enum { LUGGAGE_VERSION = 3, LUGGAGE_SUM_AT = 4, LUGGAGE_HEAD = 12 };

/* An entity without its lists. */
struct luggage {
    uint8_t dims, flags;
    aoi_id id;
    uint64_t tick;
    aoi_traits traits;
    aoi_point place, anchor;
    aoi_point place_then, anchor_then; /* where LUGGAGE_WAS_INSIDE */
};

/* The fewest bytes of each. */
enum {
    LEAST_LUGGAGE_PIN = 1,
    LEAST_LUGGAGE_SIGHT = 2,
    LEAST_LUGGAGE_TOLD = 17,
    LEAST_LUGGAGE_AREA = 1
};

/* A word of the entity about a marker. */
struct luggage_sight {
    aoi_id marker;
    aoi_sight word;
};

void stream_luggage_sight(struct stream *stream, struct luggage_sight *sight);

/* To or from the stream. What is read is checked as far as any space would. */
void stream_luggage(struct stream *stream, struct luggage *luggage);

/* One of whom a watcher was told. tick: the last one, where the string comes from; *last: the one
 * before, or NULL. */
void stream_handed_told(struct stream *stream, const struct aoi_space *space, uint64_t tick,
                        aoi_id watcher, const struct handed_told *last, struct handed_told *told);

/* Reads the list of those that a watcher was told of, behind the last ones of space->handed;
 * returns how many. */
size_t read_handed_told(struct stream *stream, struct aoi_space *space, uint64_t tick,
                        aoi_id watcher);

/* The entities that were handed in, as a space keeps them, to and from a save. */
void save_handed(struct stream *stream, const struct aoi_space *space);
void load_handed(struct stream *stream, struct aoi_space *space);

#endif
