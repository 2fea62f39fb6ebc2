/* area_questions.c - the questions about areas. */
#include <string.h>

#include "area/area_description.h"
#include "area/area_former.h"
#include "query/box_search.h"
#include "space/scratch.h"

size_t aoi_area_count(const aoi_space *space) {
    return space->areas == NULL ? 0 : space->areas->table.count;
}

bool aoi_has_area(const aoi_space *space, aoi_id id) {
    return areas_named(space, id) != NULL;
}

aoi_status aoi_area_of(const aoi_space *space, aoi_id id, aoi_area *description) {
    const struct area *area = areas_named(space, id);
    if (area == NULL)
        return AOI_NO_AREA;
    const size_t size = description->struct_size;
    aoi_area all = area_description_of(area);
    all.struct_size = size;
    memcpy(description, &all, size < sizeof all ? size : sizeof all);
    return AOI_OK;
}

static bool is_member(const struct aoi_space *space, const struct area *area, uint32_t slot) {
    const bool with_z = space->dims == 3;
    const struct area_marker marker = area_marker_at(space, slot);
    bool was = false; /* in a deferred space: at the last tick */
    if (area->keeps_members) {
        const struct area *before = area_before(space, area);
        const struct area_marker then = area_marker_before(space, slot);
        const struct former_marker former = area_former_marker(space, &then);
        was = area_had(before, &before->at, &former, with_z);
    }
    return area_takes(area, &marker, was, with_z);
}

bool aoi_in_area(const aoi_space *space, aoi_id area, aoi_id id) {
    const struct area *named = areas_named(space, area);
    const uint32_t slot = space_find(space, id);
    return named != NULL && slot != NO_SLOT && is_member(space, named, slot);
}

aoi_status aoi_members_of(aoi_space *space, aoi_id id, aoi_list *list) {
    const struct area *area = areas_named(space, id);
    if (area == NULL)
        return AOI_NO_AREA;
    scratch_end_call(space);
    const struct box box = area_box(area);
    if (!box_search(space, &box))
        return AOI_NOMEM;
    const struct hits *hits = &space->visibility.hits;
    struct id_list *found = list_begin(space, LIST_ANSWER, hits->count);
    if (found == NULL)
        return AOI_NOMEM;
    for (size_t i = 0; i < hits->count; i++) {
        if (is_member(space, area, hits->slots[i]))
            found->ids[found->count++] = space->entities.at[hits->slots[i]].id;
    }
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_areas_of(aoi_space *space, aoi_id id, aoi_list *list) {
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    struct id_list *found = list_begin(space, LIST_ANSWER, 0);
    if (space->areas != NULL) {
        const struct area_table *table = &space->areas->table;
        const aoi_point at = space_place(space, slot);
        for (int kind = 0; kind < AREA_GRIDS; kind++) {
            struct area_search search = area_search_begin(&table->grids[kind], at.x, at.y);
            uint32_t number;
            while ((number = area_search_next(&search)) != NO_AREA) {
                if (is_member(space, &table->at[number], slot) &&
                    !list_add(space, found, &table->at[number].id, 1))
                    return AOI_NOMEM;
            }
        }
    }
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_areas(aoi_space *space, aoi_list *list) {
    scratch_end_call(space);
    const size_t count = aoi_area_count(space);
    struct id_list *all = list_begin(space, LIST_ANSWER, count);
    if (all == NULL)
        return AOI_NOMEM;
    for (uint32_t number = 0; count > 0 && number < space->areas->table.used; number++) {
        if (space->areas->table.at[number].shape != 0)
            all->ids[all->count++] = space->areas->table.at[number].id;
    }
    *list = (aoi_list){all->ids, all->count};
    return AOI_OK;
}
