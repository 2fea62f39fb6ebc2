/*
 * area_table.h - the areas of a space: by slot, by id, by owner, and by where they are.
 *
 * A slot is a number that stays while its area lives. The areas of one owner form a list. Whoever
 * changes where an area is tells the table, so that the grid knows.
 */
#ifndef AOI_AREA_TABLE_H
#define AOI_AREA_TABLE_H

#include "area/area.h"
#include "index/area_grid.h"

/* Areas that stand still are kept apart from those that go with an owner. */
enum { STILL_AREAS, OWNED_AREAS, AREA_GRIDS };

struct area_table {
    struct memory *memory;
    bool with_z;        /* three dimensions */
    struct area *at;    /* by slot */
    size_t capacity;    /* slots that there is memory for */
    uint32_t used;      /* slots ever in use */
    uint32_t free_slot; /* the first free one; NO_AREA ends the list */
    size_t count;       /* of areas */
    size_t keeping;     /* of those that keep their members */
    size_t owned_count; /* of those with an owner */
    struct idmap ids;   /* id -> slot */
    struct area_grid grids[AREA_GRIDS];
    uint64_t age;                    /* counts the changes of areas that stand still, from 1 */
    struct ARRAY_OF(uint32_t) owned; /* by slot of an entity: its first area, or NO_AREA */
};

void area_table_init(struct area_table *table, struct memory *memory, bool with_z);

/* The slot of the area, or NO_AREA. */
static inline uint32_t area_table_find(const struct area_table *table, aoi_id id) {
    return idmap_find(&table->ids, IDS_OF(table->at, id), id);
}

/* The first area of the entity in this slot, or NO_AREA. */
static inline uint32_t area_table_first_owned(const struct area_table *table, uint32_t slot) {
    return slot < table->owned.capacity ? table->owned.items[slot] : NO_AREA;
}

/* Room for `more` areas, with an owner or without. */
bool area_table_reserve(struct area_table *table, bool owned, size_t more);

/* Nobody finds the area for now; area_table_move ends that. */
void area_table_hide(struct area_table *table, uint32_t slot);

/* Room for owners among so many slots of entities. */
bool area_table_reserve_owners(struct area_table *table, size_t slots);

/* Adds a copy in a slot of its own, room is reserved; what it points to belongs to the table from
 * then on. Returns the slot. */
uint32_t area_table_add(struct area_table *table, const struct area *area);

/* The area becomes another one of the same id and with the same old state; as in area_table_add. */
void area_table_replace(struct area_table *table, uint32_t slot, const struct area *area);

/* Takes out an area. */
void area_table_remove(struct area_table *table, uint32_t slot);

/* The area is there now. */
void area_table_move(struct area_table *table, uint32_t slot, aoi_point at);

/* Frees all, what the areas point to included. */
void area_table_free(struct area_table *table);

#ifdef AOI_SELF_CHECK
void area_table_check(const struct area_table *table);
#endif

#endif
