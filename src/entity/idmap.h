/*
 * idmap.h - from an entity's id to its slot.
 *
 * Open addressing with linear probing over a table of slots; the ids stand in
 * the entities themselves, which a lookup is about to read anyway.
 */
#ifndef AOI_IDMAP_H
#define AOI_IDMAP_H

#include "base/always_inline.h"
#include "base/array.h"

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
    unsigned bits;   /* the table has 2^bits entries; 0: no table yet */
    size_t count;
};

static inline size_t idmap_mask(const struct idmap *map) {
    return ((size_t)1 << map->bits) - 1;
}

/*
 * Ids are mostly handed out in sequence: sixteen in a row stand side by side,
 * in one cache line, since who came together is often met together. The rows
 * themselves are scattered by a multiplication (Fibonacci hashing, Knuth, The
 * Art of Computer Programming, volume 3, 6.4). Were they not, a table full of
 * sequential ids would be one long run, which a search for an unknown id and
 * every removal would have to walk to its end.
 */
static inline size_t idmap_home(const struct idmap *map, aoi_id id) {
    uint64_t key = (uint64_t)id;
    uint64_t row = ((key >> 4) + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(((row >> 28) & ~(uint64_t)15) | (key & 15)) & idmap_mask(map);
}

/* Lets the processor fetch where a search for id begins. */
ALWAYS_INLINE void idmap_prefetch(const struct idmap *map, aoi_id id) {
    __builtin_prefetch(&map->slots[idmap_home(map, id)]);
}

/* The slot of id, or NO_SLOT. O(1) expected. */
uint32_t idmap_find(const struct idmap *map, const struct entity *entities, aoi_id id);

/* Room for `more` further ids. */
bool idmap_reserve(struct idmap *map, struct memory *memory, const struct entity *entities,
                   size_t more);

/* Adds a slot whose entity has its id already; the id must be new and room reserved. */
void idmap_add(struct idmap *map, const struct entity *entities, uint32_t slot);

/* Takes out a slot that is in the map; its entity still has its id. */
void idmap_remove(struct idmap *map, const struct entity *entities, uint32_t slot);

/* Takes a smaller table when far fewer are left than there were; a lack of memory for it is no
 * matter. */
void idmap_trim(struct idmap *map, struct memory *memory, const struct entity *entities);

void idmap_free(struct idmap *map, struct memory *memory);

#endif
