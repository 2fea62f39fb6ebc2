/* scratch.c - the lists of a call, reserved, sorted and given back. */
#include "space/scratch.h"

#include <string.h>

#include "base/self_check.h"
#include "base/sort.h"
#include "space/capability.h"

struct id_list *list_begin(struct aoi_space *space, enum list_purpose purpose, size_t room) {
    struct id_list *list = &space->lists[purpose];
    SELF_CHECK(!(space->taken_lists & UINT32_C(1) << purpose));
    list->count = 0;
    high_water_note(&space->visibility.use, room);
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
    high_water_note(&space->visibility.use, list->count);
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
    high_water_note(&space->visibility.use, count);
    const bool done = array_reserve(&space->rows, &space->memory.scratch, count);
    *rows = space->rows.items;
    return done ? AOI_OK : AOI_NOMEM;
}

void scratch_trim(struct aoi_space *space, unsigned quiet_periods) {
    begin_search(&space->visibility);
    ASK_ALL(trim, space, quiet_periods);
    if (high_water_end(&space->visibility.use, quiet_periods))
        scratch_free(space);
}

void scratch_free(struct aoi_space *space) {
    struct visibility *visibility = &space->visibility;
    struct memory *memory = &space->memory.scratch;
    array_free_on(&visibility->hits, memory, MEMORY_PAGE);
    array_free_on(&visibility->inside, memory, MEMORY_PAGE);
    id_list_free(&visibility->overruled, memory);
    for (int i = 0; i < CHANGE_LISTS; i++)
        id_list_free(&visibility->changes[i], memory);
    for (int i = 0; i < LIST_PURPOSES; i++)
        id_list_free(&space->lists[i], memory);
    array_free(&space->rows, memory);
    array_free(&space->candidates, memory);
}
