/* scratch.c - see scratch.h. */
#include "space/scratch.h"

#include "space/areas.h"

static void free_rows(struct aoi_space *space) {
    memory_resize(&space->memory.scratch, space->rows, space->row_capacity, 0, sizeof(aoi_row));
    space->rows = NULL;
    space->row_capacity = 0;
}

static void free_candidates(struct aoi_space *space) {
    memory_resize(&space->memory.scratch, space->candidates, space->candidate_capacity, 0,
                  sizeof(struct candidate));
    space->candidates = NULL;
    space->candidate_capacity = 0;
}

aoi_status aoi_rows(aoi_space *space, size_t count, aoi_row **rows) {
    scratch_end_call(space);
    high_water_note(&space->row_use, count);
    if (count > space->row_capacity) {
        aoi_row *grown = memory_grow(&space->memory.scratch, space->rows, &space->row_capacity,
                                     count, sizeof *grown);
        if (grown == NULL)
            return AOI_NOMEM;
        space->rows = grown;
    }
    *rows = space->rows;
    return AOI_OK;
}

bool scratch_reserve_candidates(struct aoi_space *space, size_t count) {
    high_water_note(&space->candidate_use, count);
    if (count <= space->candidate_capacity)
        return true;
    struct candidate *grown = memory_grow(&space->memory.scratch, space->candidates,
                                          &space->candidate_capacity, count, sizeof *grown);
    if (grown != NULL)
        space->candidates = grown;
    return grown != NULL;
}

void scratch_trim(struct aoi_space *space, unsigned quiet_periods) {
    visibility_trim(&space->visibility, quiet_periods);
    if (space->areas != NULL)
        areas_trim_scratch(space, quiet_periods);
    if (high_water_end(&space->row_use, quiet_periods))
        free_rows(space);
    if (high_water_end(&space->candidate_use, quiet_periods))
        free_candidates(space);
}

void scratch_free(struct aoi_space *space) {
    visibility_free(&space->visibility);
    free_rows(space);
    free_candidates(space);
}
