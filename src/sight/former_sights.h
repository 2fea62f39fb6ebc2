/* former_sights.h - a note of each word that sights.c changes; all else is in sights.h. */
#ifndef AOI_FORMER_SIGHTS_H
#define AOI_FORMER_SIGHTS_H

#include "sight/sights.h"

static inline uint64_t sights_mixed(uint64_t key) {
    key = (key ^ (key >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return key ^ (key >> 29);
}

/* Deferred: notes what a word was, if it has not changed before; room is reserved. */
void sights_note(struct sights *sights, aoi_id watcher, aoi_id marker, aoi_sight word);

#endif
