/*
 * scratch.h - working memory of calls: lists, rows, candidates. They are kept
 * for the next call, and given back by the rule of high_water.h.
 *
 * A space's periods are its ticks. One that is not deferred has none, so there
 * each call that works with the scratch is a period, and each delivery; but
 * nobody looks as long as the scratch is small, which is mostly.
 */
#ifndef AOI_SCRATCH_H
#define AOI_SCRATCH_H

#include "space/space.h"

/*
 * The list of this purpose, empty, with room for so many ids. NULL: no memory, and never for none.
 * It belongs to the caller until list_end, or until a call that works with the scratch begins: test
 * builds stop when somebody else takes it meanwhile.
 */
struct id_list *list_begin(struct aoi_space *space, enum list_purpose purpose, size_t room);

static inline void list_end(struct aoi_space *space, enum list_purpose purpose) {
    space->taken_lists &= ~(UINT32_C(1) << purpose);
}

/* Adds ids to a list of the scratch. */
bool list_add(struct aoi_space *space, struct id_list *list, const aoi_id *ids, size_t count);

/* Puts any list of ids into ascending order, in place. */
bool list_sort(struct aoi_space *space, struct id_list *list);

/* A period is over. The lists and rows that calls have given out are not valid after it. */
void scratch_trim(struct aoi_space *space, unsigned quiet_periods);

void scratch_free(struct aoi_space *space);

/* To be called before a call works with the scratch, and after a delivery: a period is over. */
static inline void scratch_end_call(struct aoi_space *space) {
#ifdef AOI_TINY
    enum { LARGE = 0 };
#else
    enum { LARGE = 1 << 17 };
#endif
    space->taken_lists = 0;
    if (space->memory.scratch.bytes > LARGE && !space->deferred)
        scratch_trim(space, QUIET_CALLS);
}

#endif
