/*
 * log.h - the calls that a space has recorded, and the writing of more. The
 * bytes: format.h.
 *
 * A call is written before it is made, while it can still fail for lack of memory, and taken out
 * again when it fails otherwise.
 */
#ifndef AOI_RECORD_LOG_H
#define AOI_RECORD_LOG_H

#include "base/array.h"
#include "base/high_water.h"
#include "record/format.h"

struct record_log {
    bool on;
    bool is_open;          /* a record is begun and not yet finished */
    uint8_t dims;          /* of the space */
    struct memory *memory; /* of the log */
    struct ARRAY_OF(uint8_t) bytes;
    size_t head; /* where the open record begins */
    size_t last; /* where the last call begins */
    struct high_water use;
};

/* A call to be written: the parts of its kind, and no others. */
struct call {
    enum call_kind kind;
    aoi_id id;
    const aoi_point *place, *anchor;
    const aoi_traits *traits; /* NULL: none */
    union {
        aoi_id other;
        uint64_t count; /* the number of a call that has one; of rows; of bytes in the text */
    };
    union {
        const aoi_row *rows;
        const aoi_area *area;
        const double *bounds;
        const void *text;
    };
};

/* Writes a call of a space that has made so many calls and ticks. O(bytes). */
bool log_call(struct record_log *log, const aoi_moment *now, const struct call *call);

/* The last call has failed: as if it had never been written. */
void log_take_back(struct record_log *log);

/* Finishes the open record, if there is one, at this moment. */
void log_finish(struct record_log *log, const aoi_moment *now);

/* No further calls come: what is recorded waits to be dropped. */
void log_end(struct record_log *log, const aoi_moment *now);

/* Forgets the oldest bytes, which are whole records. Room that has not been needed for some times
 * goes back; when no further calls come, all of it. */
void log_drop(struct record_log *log, size_t size);

#endif
