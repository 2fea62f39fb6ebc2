/* area_table.c - the table of areas: slots, ids, owners and the grids that find them. */
#include "area/area_table.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

void area_table_init(struct area_table *table, struct memory *memory, bool with_z) {
    *table = (struct area_table){.memory = memory, .with_z = with_z, .free_slot = NO_AREA};
    table->age = 1;
    for (int kind = 0; kind < AREA_GRIDS; kind++)
        area_grid_init(&table->grids[kind], memory);
}

bool area_table_reserve(struct area_table *table, bool owned, size_t more) {
    if (!idmap_reserve(&table->ids, table->memory, IDS_OF(table->at, id), more))
        return false;
    if (!array_has_room(table, more))
        table->at = array_grown(table->memory, table->at, &table->capacity, table->used,
                                table->count + more - table->used, sizeof *table->at, CACHE_LINE);
    if (!array_has_room(table, more))
        return false;
    return area_grid_reserve(&table->grids[owned ? OWNED_AREAS : STILL_AREAS], table->capacity);
}

bool area_table_reserve_owners(struct area_table *table, size_t slots) {
    const size_t before = table->owned.capacity;
    if (!array_extend(&table->owned, table->memory, slots))
        return false;
    memset(table->owned.items + before, 0xFF,
           (table->owned.capacity - before) * sizeof *table->owned.items);
    return true;
}

/* ------------------------------------------------------------------ */
/* Lists of owners                                                     */
/* ------------------------------------------------------------------ */

static void join_owner(struct area_table *table, uint32_t slot) {
    struct area *area = &table->at[slot];
    if (!area->is_owned)
        return;
    const uint32_t first = table->owned.items[area->owner_slot];
    area->previous_owned = NO_AREA;
    area->next_owned = first;
    if (first != NO_AREA)
        table->at[first].previous_owned = slot;
    table->owned.items[area->owner_slot] = slot;
}

static void part_from_owner(struct area_table *table, uint32_t slot) {
    const struct area *area = &table->at[slot];
    if (!area->is_owned)
        return;
    if (area->previous_owned == NO_AREA)
        table->owned.items[area->owner_slot] = area->next_owned;
    else
        table->at[area->previous_owned].next_owned = area->next_owned;
    if (area->next_owned != NO_AREA)
        table->at[area->next_owned].previous_owned = area->previous_owned;
}

/* ------------------------------------------------------------------ */
/* Areas                                                               */
/* ------------------------------------------------------------------ */

static struct area_grid *grid_of(struct area_table *table, const struct area *area) {
    return &table->grids[area->is_owned ? OWNED_AREAS : STILL_AREAS];
}

static unsigned form_of(const struct area *area, bool with_z) {
    if (area->shape == AOI_AREA_RECT)
        return FORM_BOX;
    if (area->shape == AOI_AREA_SQUARE && !area->keeps_members && !with_z)
        return FORM_BOX;
    if (area->shape != AOI_AREA_CIRCLE || with_z || !(area->leave_radius < HUGE_VAL))
        return FORM_UNKNOWN;
    if (!area->keeps_members)
        return FORM_CIRCLE + INNER_PARTS;
    return FORM_CIRCLE + (unsigned)(area->radius / area->leave_radius * (double)INNER_PARTS);
}

static void place(struct area_table *table, uint32_t slot) {
    const struct area *area = &table->at[slot];
    const struct box box = area_box(area);
    table->age += !area->is_owned;
    area_grid_place(grid_of(table, area), slot, &box, area_extent(area),
                    form_of(area, table->with_z));
}

void area_table_hide(struct area_table *table, uint32_t slot) {
    const struct area *area = &table->at[slot];
    table->age += !area->is_owned;
    area_grid_remove(grid_of(table, area), slot);
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
    table->owned_count += area->is_owned;
    idmap_add(&table->ids, IDS_OF(table->at, id), slot);
    join_owner(table, slot);
    place(table, slot);
    return slot;
}

void area_table_replace(struct area_table *table, uint32_t slot, const struct area *area) {
    if (table->at[slot].is_owned != area->is_owned)
        area_table_hide(table, slot);
    part_from_owner(table, slot);
    table->keeping += (size_t)area->keeps_members - (size_t)table->at[slot].keeps_members;
    table->owned_count += (size_t)area->is_owned - (size_t)table->at[slot].is_owned;
    const uint32_t old = table->at[slot].old;
    area_release(&table->at[slot], table->memory);
    table->at[slot] = *area;
    table->at[slot].old = old;
    join_owner(table, slot);
    place(table, slot);
}

void area_table_remove(struct area_table *table, uint32_t slot) {
    struct area *area = &table->at[slot];
    part_from_owner(table, slot);
    area_table_hide(table, slot);
    idmap_remove(&table->ids, IDS_OF(table->at, id), slot);
    table->count--;
    table->keeping -= area->keeps_members;
    table->owned_count -= area->is_owned;
    area_release(area, table->memory);
    *area = (struct area){.shape = 0, .next_owned = table->free_slot};
    table->free_slot = slot;
}

void area_table_move(struct area_table *table, uint32_t slot, aoi_point at) {
    table->at[slot].at = at;
    place(table, slot);
}

void area_table_free(struct area_table *table) {
    struct memory *memory = table->memory;
    for (uint32_t slot = 0; slot < table->used; slot++)
        area_release(&table->at[slot], memory);
    array_resized(memory, table->at, &table->capacity, 0, 0, sizeof *table->at, CACHE_LINE);
    idmap_free(&table->ids, memory);
    for (int kind = 0; kind < AREA_GRIDS; kind++)
        area_grid_free(&table->grids[kind]);
    array_free(&table->owned, memory);
    area_table_init(table, memory, table->with_z);
}

#ifdef AOI_SELF_CHECK
void area_table_check(const struct area_table *table) {
    size_t count = 0, keeping = 0, owned = 0;
    for (uint32_t slot = 0; slot < table->used; slot++) {
        const struct area *area = &table->at[slot];
        if (area->shape == 0)
            continue;
        count++;
        keeping += area->keeps_members;
        owned += area->is_owned;
        SELF_CHECK(area_table_find(table, area->id) == slot);
        SELF_CHECK(area->keeps_members == (area->leave_radius > area->radius));
        SELF_CHECK((area->shape == AOI_AREA_POLYGON) == (area->outline != NULL));
        SELF_CHECK(area->coming == 0 && !area->is_noted);
        const struct box box = area_box(area);
        area_grid_check(&table->grids[area->is_owned ? OWNED_AREAS : STILL_AREAS], slot, &box);
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
    SELF_CHECK(owned == table->owned_count);
}
#endif
