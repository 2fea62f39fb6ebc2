/*
 * idmap.h - from the id of an item to its number: of an entity or an area to
 * its slot, of an old state to its place.
 *
 * Open addressing with linear probing over a table of numbers; the ids stand in
 * the items themselves, which a lookup is about to read anyway.
 */
#ifndef AOI_IDMAP_H
#define AOI_IDMAP_H

#include "base/always_inline.h"
#include "base/array.h"

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

/* Where the ids of a map stand: the items by number, how many bytes apart, and where in each. */
struct id_column {
    const void *items;
    uint32_t step, offset;
};

#define IDS_OF(its_items, field)                                                                   \
    ((struct id_column){.items = (its_items),                                                      \
                        .step = sizeof *(its_items),                                               \
                        .offset = offsetof(__typeof__(*(its_items)), field)})

static inline aoi_id id_in(struct id_column ids, uint32_t number) {
    /* NOLINTNEXTLINE: numbered items are there */
    return *(const aoi_id *)((const char *)ids.items + (size_t)number * ids.step + ids.offset);
}

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
    /* The highest bits: each bit of the id reaches them, also where ids differ in their highest
     * alone. In two steps, as an empty map has no bits, and C no shift by 64. */
    uint64_t high = row >> (63 - map->bits) >> 1;
    return (size_t)((high & ~(uint64_t)15) | (key & 15)) & idmap_mask(map);
}

/* Lets the processor fetch where a search for id begins. */
ALWAYS_INLINE void idmap_prefetch(const struct idmap *map, aoi_id id) {
    __builtin_prefetch(&map->slots[idmap_home(map, id)]);
}

/* The number of id, or NO_SLOT. O(1) expected. */
static inline uint32_t idmap_find(const struct idmap *map, struct id_column ids, aoi_id id) {
    if (map->bits == 0)
        return NO_SLOT;
    const size_t mask = idmap_mask(map);
    for (size_t probe = idmap_home(map, id);; probe = (probe + 1) & mask) {
        const uint32_t slot = map->slots[probe];
        if (slot == NO_SLOT || id_in(ids, slot) == id)
            return slot;
    }
}

/* Room for `more` further ids. */
bool idmap_reserve(struct idmap *map, struct memory *memory, struct id_column ids, size_t more);

/* Adds a number whose item has its id already; the id must be new and room reserved. */
void idmap_add(struct idmap *map, struct id_column ids, uint32_t slot);

/* Takes out a number that is in the map; its item still has its id. */
void idmap_remove(struct idmap *map, struct id_column ids, uint32_t slot);

/* Takes a smaller table when far fewer are left than there were; a lack of memory for it is no
 * matter. */
void idmap_trim(struct idmap *map, struct memory *memory, struct id_column ids);

void idmap_free(struct idmap *map, struct memory *memory);

#endif
