/* recording.c - whether a space records, and taking out what it has recorded. */
#include "space/recording.h"

#include <string.h>

void aoi_record(aoi_space *space, bool on) {
    if (on)
        space->log.on = true;
    else
        log_end(&space->log, &space->moment);
}

size_t aoi_recorded(aoi_space *space, void *buffer, size_t size) {
    struct record_log *log = &space->log;
    log_finish(log, &space->moment);
    if (buffer != NULL && log->bytes.count > 0 && log->bytes.count <= size)
        memcpy(buffer, log->bytes.items, log->bytes.count);
    return log->bytes.count;
}

void aoi_drop_recorded(aoi_space *space, size_t size) {
    log_drop(&space->log, size);
}
