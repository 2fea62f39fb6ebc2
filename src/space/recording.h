/*
 * recording.h - the work of every call that changes a space around its own: it
 * is counted, and, while the space records, written down.
 *
 * It is written before it is made, which can fail for lack of memory, and
 * taken out again when it fails:
 *
 *     if (!RECORD_CALL(space, .kind = CALL_LEAVE, .id = id))
 *         return AOI_NOMEM;
 *     return call_done(space, leave(space, slot));
 */
#ifndef AOI_RECORDING_H
#define AOI_RECORDING_H

#include "space/space.h"

/* Writes the call down, if the space records. */
#define RECORD_CALL(space, ...)                                                                    \
    (!(space)->log.on ||                                                                           \
     log_call(&(space)->log, &(space)->moment, &(const struct call){__VA_ARGS__}))

static inline aoi_status call_done(struct aoi_space *space, aoi_status status) {
    if (status == AOI_OK)
        space->moment.calls++;
    else if (space->log.on)
        log_take_back(&space->log);
    return status;
}

/* Drops the oldest `count` of the gathered events; 0: all. A call also where none are gathered: one
 * who gathers other kinds than the recorded space did makes as many calls. */
aoi_status drop_collected(struct aoi_space *space, uint64_t count);

#endif
