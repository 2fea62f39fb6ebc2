/*
 * scratch.h - what calls work with: lists, rows, candidates. They are kept for
 * the next call, and given back by the rule of high_water.h.
 *
 * A space's periods are its ticks. One that is not deferred has none, so there
 * each call that works with the scratch is a period, and each delivery; but
 * nobody looks as long as the scratch is small, which is mostly.
 */
#ifndef AOI_SCRATCH_H
#define AOI_SCRATCH_H

#include "space/space.h"

/* Room for so many candidates. False: no memory, unchanged. */
bool scratch_reserve_candidates(struct aoi_space *space, size_t count);

/* A period is over. The lists and rows that calls have given out may be gone after it. */
void scratch_trim(struct aoi_space *space, unsigned quiet_periods);

void scratch_free(struct aoi_space *space);

/* To be called before a call works with the scratch, and after a delivery: a period is over. */
static inline void scratch_end_call(struct aoi_space *space) {
#ifdef AOI_TINY
    enum { LARGE = 0 };
#else
    enum { LARGE = 1 << 17 };
#endif
    if (space->memory.scratch.bytes > LARGE && !space->deferred)
        scratch_trim(space, QUIET_CALLS);
}

#endif
