/* reading.h - records as they are read again: heads, and one call after the other. The bytes:
 * format.h. They are not trusted. */
#ifndef AOI_RECORD_READING_H
#define AOI_RECORD_READING_H

#include "base/stream.h"
#include "record/format.h"

struct record_head {
    size_t length; /* of the whole record */
    aoi_moment from, to;
    int dims;
};

/* A call that was read; what its kind does not have is 0. */
struct recorded_call {
    enum call_kind kind;
    bool has_floats, has_traits;
    aoi_id id, other; /* other: the marker of a pin */
    aoi_point place, anchor;
    aoi_traits traits;
    double bounds[4];
    aoi_area area;
    uint64_t count;      /* of rows, events, or bytes; the number of a tick */
    const uint8_t *text; /* in the string itself */
};

/* Reads a head, which must fit in the rest of the string as its length says, be of this version and
 * have the right checksum, and leaves the stream at its first call. */
void read_record_head(struct stream *stream, struct record_head *head);

/* Reads a call, of a batch all but the rows, of an area all but the rings. What is wrong in any
 * space is refused, numbers that are not finite, say. */
void read_call(struct stream *stream, int dims, struct recorded_call *call);

/* True for a batch, whose rows follow: they are to be read next. */
static inline bool call_has_rows(const struct recorded_call *call) {
    return (call_parts(call->kind) & (PART_IDS | PART_ROWS)) != 0;
}

/* True for a call with an area, whose rings follow, if it has any: stream_rings. */
static inline bool call_has_area(const struct recorded_call *call) {
    return (call_parts(call->kind) & PART_AREA) != 0;
}

/* Reads the rows of a batch into the array of so many. rows NULL: only looks at them. */
void read_rows(struct stream *stream, int dims, const struct recorded_call *call, aoi_row *rows);

#endif
