/* areas.c - when the areas of a space come into being and end, and whether they are sound. */
#include "area/areas.h"

#include "base/self_check.h"
#include "area/calm.h"

bool areas_create(struct aoi_space *space) {
    if (space->areas != NULL)
        return true;
    struct areas *areas = memory_resize(&space->memory.areas, NULL, 0, 1, sizeof *areas);
    if (areas == NULL)
        return false;
    *areas = (struct areas){.in_batch = false};
    area_table_init(&areas->table, &space->memory.areas, space->dims == 3);
    space->areas = areas;
    space->follower = &areas_capability;
    return true;
}

bool areas_reserve(struct aoi_space *space, bool owned, size_t more) {
    const size_t used = (size_t)space->entities.used + 1; /* one may be about to enter */
    const size_t slots = used > space->entities.capacity ? used : space->entities.capacity;
    return areas_create(space) && area_table_reserve(&space->areas->table, owned, more) &&
           (!owned || area_table_reserve_owners(&space->areas->table, slots));
}

void areas_destroy(struct aoi_space *space) {
    struct areas *areas = space->areas;
    struct memory *memory = &space->memory.areas;
    if (areas == NULL)
        return;
    area_states_free(&areas->states, memory);
    area_table_free(&areas->table);
    array_free(&areas->leaves, memory);
    array_free(&areas->enters, memory);
    array_free(&areas->calm, memory);
    array_free(&areas->journal, memory);
    memory_resize(memory, areas, 1, 0, sizeof *areas);
    space->areas = NULL;
    space->follower = NULL;
}

void areas_trim(struct aoi_space *space) {
    const struct areas *areas = space->areas;
    if (areas != NULL && areas->table.count + areas->states.count == 0 && !areas->in_batch &&
        areas->arriving.items == NULL)
        areas_destroy(space);
}

#ifdef AOI_SELF_CHECK
void areas_check(const struct aoi_space *space) {
    const struct areas *areas = space->areas;
    if (areas == NULL || areas->in_batch || areas->is_changing)
        return;
    const struct area_table *table = &areas->table;
    const bool with_z = space->dims == 3;
    area_table_check(table);
    area_states_check(&areas->states, table);
    SELF_CHECK(space->pending.kept == 0 && space->collected.kept == 0);
    for (uint32_t number = 0; number < table->used; number++) {
        const struct area *area = &table->at[number];
        if (area->shape == 0)
            continue;
        if (area->is_owned) {
            SELF_CHECK(space_find(space, area->owner) == area->owner_slot);
            const aoi_point at = area_place_at(area, space_place(space, area->owner_slot));
            SELF_CHECK(area->at.x == at.x && area->at.y == at.y && area->at.z == at.z);
        }
        for (size_t i = 0; i < area->members.count && !space->deferred; i++) {
            const uint32_t slot = space_find(space, area->members.ids[i]);
            SELF_CHECK(slot != NO_SLOT);
            const struct area_marker marker = area_marker_at(space, slot);
            SELF_CHECK(area_takes(area, &marker, true, with_z));
        }
    }
}
#endif
