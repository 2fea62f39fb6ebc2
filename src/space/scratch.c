/* scratch.c - see scratch.h. */
#include "space/scratch.h"

#include <string.h>

#include "base/self_check.h"
#include "base/sort.h"
#include "space/capability.h"

static void free_lists(struct aoi_space *space) {
    for (int i = 0; i < LIST_PURPOSES; i++)
        id_list_free(&space->lists[i], &space->memory.scratch);
}

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

struct id_list *list_begin(struct aoi_space *space, enum list_purpose purpose, size_t room) {
    struct id_list *list = &space->lists[purpose];
    SELF_CHECK(!(space->taken_lists & UINT32_C(1) << purpose));
    list->count = 0;
    high_water_note(&space->list_use, room);
    if (!id_list_reserve(list, &space->memory.scratch, room))
        return NULL;
    space->taken_lists |= UINT32_C(1) << purpose;
    return list;
}

bool list_add(struct aoi_space *space, struct id_list *list, const aoi_id *ids, size_t count) {
    if (!id_list_reserve(list, &space->memory.scratch, count))
        return false;
    for (size_t i = 0; i < count; i++)
        list->ids[list->count++] = ids[i];
    high_water_note(&space->list_use, list->count);
    return true;
}

bool list_sort(struct aoi_space *space, struct id_list *list) {
    const struct id_list *spare = list_begin(space, LIST_SPARE, list->count);
    if (spare == NULL)
        return false;
    const aoi_id *sorted = sort_ids(list->ids, spare->ids, list->count);
    if (sorted != list->ids)
        memcpy(list->ids, sorted, list->count * sizeof *sorted);
    list_end(space, LIST_SPARE);
    return true;
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
    if (high_water_end(&space->list_use, quiet_periods))
        free_lists(space);
    ASK_ALL(trim, space, quiet_periods);
    if (high_water_end(&space->row_use, quiet_periods))
        free_rows(space);
    if (high_water_end(&space->candidate_use, quiet_periods))
        free_candidates(space);
}

void scratch_free(struct aoi_space *space) {
    visibility_free(&space->visibility);
    free_lists(space);
    free_rows(space);
    free_candidates(space);
}
