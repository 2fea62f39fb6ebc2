/*
 * log.h - the calls that a space has recorded, and the writing of more. What the bytes are:
 * format.h.
 *
 * A call is written before it is made, while it can still fail for lack of memory, and taken out
 * again when it fails otherwise.
 */
#ifndef AOI_RECORD_LOG_H
#define AOI_RECORD_LOG_H

#include "base/high_water.h"
#include "base/memory.h"
#include "record/format.h"

struct record_log {
    bool on;
    bool is_open;          /* a record is begun and not yet finished */
    uint8_t dims;          /* of the space */
    struct memory *memory; /* of the log */
    uint8_t *bytes;
    size_t used, capacity;
    size_t head; /* where the open record begins */
    size_t last; /* where the last call begins */
    struct high_water use;
};

/* Each writes one call of a space that has made so many calls and ticks. traits may be NULL. False:
 * no memory, unchanged. O(bytes). */
bool log_simple(struct record_log *log, const aoi_moment *now, enum call_kind kind);
bool log_id(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id);
bool log_count(struct record_log *log, const aoi_moment *now, enum call_kind kind, uint64_t count);
bool log_pair(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id watcher,
              aoi_id marker);
bool log_point(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
               const aoi_point *point, const aoi_traits *traits);
bool log_anchored(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
                  const aoi_point places[2], const aoi_traits *traits);
bool log_bytes(struct record_log *log, const aoi_moment *now, enum call_kind kind,
               const void *bytes, size_t size);
bool log_traits(struct record_log *log, const aoi_moment *now, aoi_id id, const aoi_traits *traits);
bool log_rows(struct record_log *log, const aoi_moment *now, enum call_kind kind,
              const aoi_row *rows, size_t count, const aoi_traits *traits);
bool log_area(struct record_log *log, const aoi_moment *now, enum call_kind kind, aoi_id id,
              const aoi_area *area);
bool log_bounds(struct record_log *log, const aoi_moment *now, const double bounds[4]);

/* The last call has failed: as if it had never been written. */
void log_take_back(struct record_log *log);

/* Finishes the open record, if there is one, at this moment. */
void log_finish(struct record_log *log, const aoi_moment *now);

/* No further calls come: what is recorded waits to be dropped. */
void log_end(struct record_log *log, const aoi_moment *now);

/* Forgets the oldest bytes, which are whole records. Room that has not been needed for some times
 * goes back; when no further calls come, all of it. */
void log_drop(struct record_log *log, size_t size);

void log_free(struct record_log *log);

#endif
