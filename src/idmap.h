/*
 * idmap.h - from an entity's id to its slot.
 *
 * Open addressing with linear probing over a table of slots; the ids stand in
 * the entities themselves, which a lookup is about to read anyway.
 */
#ifndef AOI_IDMAP_H
#define AOI_IDMAP_H

#include "memory.h"

struct entity;

#define NO_SLOT UINT32_MAX

/* Most slots that a space can have. Far fewer in test builds, to see what happens there. */
#ifdef AOI_TINY
#define MOST_SLOTS 5000
#else
#define MOST_SLOTS (NO_SLOT - 1)
#endif

struct idmap {
    uint32_t *slots; /* NO_SLOT where empty */
    unsigned bits;   /* the table has 2^bits places; 0: no table yet */
    size_t count;
};

/* The slot of id, or NO_SLOT. O(1) expected. */
uint32_t idmap_find(const struct idmap *map, const struct entity *entities, aoi_id id);

/* Room for `more` further ids. False: no memory, unchanged. */
bool idmap_reserve(struct idmap *map, struct memory *memory, const struct entity *entities,
                   size_t more);

/* Adds a slot whose entity has its id already; the id must be new and room reserved. */
void idmap_add(struct idmap *map, const struct entity *entities, uint32_t slot);

/* Takes out a slot that is in the map; its entity still has its id. */
void idmap_remove(struct idmap *map, const struct entity *entities, uint32_t slot);

void idmap_free(struct idmap *map, struct memory *memory);

#endif
