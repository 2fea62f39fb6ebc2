/* idmap.c - the table of numbers by id: linear probing, grown and trimmed. */
#include "entity/idmap.h"

enum { SMALLEST_BITS = 3 };

static size_t size_of(const struct idmap *map) {
    return map->bits == 0 ? 0 : (size_t)1 << map->bits;
}

void idmap_add(struct idmap *map, struct id_column ids, uint32_t slot) {
    size_t mask = idmap_mask(map);
    size_t probe = idmap_home(map, id_in(ids, slot));
    while (map->slots[probe] != NO_SLOT)
        probe = (probe + 1) & mask;
    map->slots[probe] = slot;
    map->count++;
}

/* Puts all slots into a table of 2^bits entries. */
static bool rehash(struct idmap *map, struct memory *memory, struct id_column ids, unsigned bits) {
    struct idmap other = {NULL, bits, 0};
    const size_t size = (size_t)1 << bits;
    other.slots = memory_resize(memory, NULL, 0, size, sizeof(uint32_t));
    if (other.slots == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        other.slots[i] = NO_SLOT;
    for (size_t i = 0; i < size_of(map); i++) {
        if (map->slots[i] != NO_SLOT)
            idmap_add(&other, ids, map->slots[i]);
    }
    idmap_free(map, memory);
    *map = other;
    return true;
}

/* The bits of the smallest table that is at most a part of so many full. */
static unsigned bits_for(size_t count, unsigned part) {
    unsigned bits = SMALLEST_BITS;
    while (((size_t)1 << bits) / part < count)
        bits++;
    return bits;
}

bool idmap_reserve(struct idmap *map, struct memory *memory, struct id_column ids, size_t more) {
    /* At most half full: a lookup then meets about 1.5 entries. */
    const size_t most = size_of(map) / 2;
    return (more <= most && map->count <= most - more) ||
           rehash(map, memory, ids, bits_for(map->count + more, 2));
}

void idmap_trim(struct idmap *map, struct memory *memory, struct id_column ids) {
    /* Far from where it grows, so that both cost O(1) for each that comes or goes. */
    if (map->bits > SMALLEST_BITS && map->count < size_of(map) / 16)
        rehash(map, memory, ids, bits_for(map->count, 4));
}

void idmap_remove(struct idmap *map, struct id_column ids, uint32_t slot) {
    size_t mask = idmap_mask(map);
    size_t hole = idmap_home(map, id_in(ids, slot));
    while (map->slots[hole] != slot)
        hole = (hole + 1) & mask;
    /* Close the gap: whoever stands further from home than the hole moves into it. */
    for (size_t probe = (hole + 1) & mask; map->slots[probe] != NO_SLOT;
         probe = (probe + 1) & mask) {
        size_t home = idmap_home(map, id_in(ids, map->slots[probe]));
        if (((probe - home) & mask) >= ((probe - hole) & mask)) {
            map->slots[hole] = map->slots[probe];
            hole = probe;
        }
    }
    map->slots[hole] = NO_SLOT;
    map->count--;
}

void idmap_free(struct idmap *map, struct memory *memory) {
    memory_resize(memory, map->slots, (size_t)1 << map->bits, 0, sizeof(uint32_t));
    *map = (struct idmap){NULL, 0, 0};
}
