/* area_table.c - see area_table.h. */
#include "area/area_table.h"

#include <string.h>

#include "base/self_check.h"

void area_table_init(struct area_table *table, struct memory *memory) {
    *table = (struct area_table){.memory = memory, .free_slot = NO_AREA};
    area_grid_init(&table->grid, memory);
}

bool area_table_reserve(struct area_table *table) {
    if (!id_table_reserve(&table->ids, table->memory, 1))
        return false;
    if (table->free_slot == NO_AREA && table->used == table->capacity) {
        struct area *areas = memory_grow(table->memory, table->at, &table->capacity,
                                         table->capacity + 1, sizeof *areas);
        if (areas == NULL)
            return false;
        table->at = areas;
    }
    return area_grid_reserve(&table->grid, table->capacity);
}

bool area_table_reserve_owners(struct area_table *table, size_t slots) {
    if (slots <= table->owned_capacity)
        return true;
    uint32_t *owned =
        memory_resize(table->memory, table->owned, table->owned_capacity, slots, sizeof *owned);
    if (owned == NULL)
        return false;
    memset(owned + table->owned_capacity, 0xFF, (slots - table->owned_capacity) * sizeof *owned);
    table->owned = owned;
    table->owned_capacity = slots;
    return true;
}

/* ------------------------------------------------------------------ */
/* Lists of owners                                                     */
/* ------------------------------------------------------------------ */

static void join_owner(struct area_table *table, uint32_t slot) {
    struct area *area = &table->at[slot];
    if (!area->is_owned)
        return;
    const uint32_t first = table->owned[area->owner_slot];
    area->previous_owned = NO_AREA;
    area->next_owned = first;
    if (first != NO_AREA)
        table->at[first].previous_owned = slot;
    table->owned[area->owner_slot] = slot;
}

static void part_from_owner(struct area_table *table, uint32_t slot) {
    const struct area *area = &table->at[slot];
    if (!area->is_owned)
        return;
    if (area->previous_owned == NO_AREA)
        table->owned[area->owner_slot] = area->next_owned;
    else
        table->at[area->previous_owned].next_owned = area->next_owned;
    if (area->next_owned != NO_AREA)
        table->at[area->next_owned].previous_owned = area->previous_owned;
}

/* ------------------------------------------------------------------ */
/* Areas                                                               */
/* ------------------------------------------------------------------ */

static void place(struct area_table *table, uint32_t slot) {
    const struct area *area = &table->at[slot];
    const struct box box = area_box(area);
    area_grid_place(&table->grid, slot, &box, area_extent(area));
}

uint32_t area_table_add(struct area_table *table, const struct area *area) {
    uint32_t slot = table->free_slot;
    if (slot == NO_AREA)
        slot = table->used++;
    else
        table->free_slot = table->at[slot].next_owned;
    table->at[slot] = *area;
    table->count++;
    table->keeping += area->keeps_members;
    id_table_set(&table->ids, area->id, slot);
    join_owner(table, slot);
    place(table, slot);
    return slot;
}

void area_table_replace(struct area_table *table, uint32_t slot, const struct area *area) {
    part_from_owner(table, slot);
    table->keeping += (size_t)area->keeps_members - (size_t)table->at[slot].keeps_members;
    table->at[slot] = *area;
    join_owner(table, slot);
    place(table, slot);
}

void area_table_remove(struct area_table *table, uint32_t slot) {
    struct area *area = &table->at[slot];
    part_from_owner(table, slot);
    area_grid_remove(&table->grid, slot);
    id_table_remove(&table->ids, area->id);
    table->count--;
    table->keeping -= area->keeps_members;
    *area = (struct area){.shape = 0, .next_owned = table->free_slot};
    table->free_slot = slot;
}

void area_table_move(struct area_table *table, uint32_t slot, aoi_point at) {
    table->at[slot].at = at;
    place(table, slot);
}

void area_table_free(struct area_table *table) {
    struct memory *memory = table->memory;
    for (uint32_t slot = 0; slot < table->used; slot++) {
        outline_release(table->at[slot].outline);
        id_list_free(&table->at[slot].members, memory);
    }
    memory_resize(memory, table->at, table->capacity, 0, sizeof *table->at);
    id_table_free(&table->ids, memory);
    area_grid_free(&table->grid);
    memory_resize(memory, table->owned, table->owned_capacity, 0, sizeof *table->owned);
    area_table_init(table, memory);
}

#ifdef AOI_SELF_CHECK
void area_table_check(const struct area_table *table) {
    size_t count = 0, keeping = 0;
    for (uint32_t slot = 0; slot < table->used; slot++) {
        const struct area *area = &table->at[slot];
        if (area->shape == 0)
            continue;
        count++;
        keeping += area->keeps_members;
        SELF_CHECK(area_table_find(table, area->id) == slot);
        SELF_CHECK(area->keeps_members == (area->leave_radius > area->radius));
        SELF_CHECK((area->shape == AOI_AREA_POLYGON) == (area->outline != NULL));
        SELF_CHECK(area->coming == 0 && !area->is_noted);
        const struct box box = area_box(area);
        area_grid_check(&table->grid, slot, &box);
        for (size_t i = 1; i < area->members.count; i++)
            SELF_CHECK(area->members.ids[i - 1] < area->members.ids[i]);
        if (!area->is_owned)
            continue;
        uint32_t at = area_table_first_owned(table, area->owner_slot);
        while (at != slot) {
            SELF_CHECK(at != NO_AREA);
            SELF_CHECK(table->at[at].owner == area->owner);
            at = table->at[at].next_owned;
        }
    }
    SELF_CHECK(count == table->count && keeping == table->keeping && count == table->ids.count);
}
#endif
