/* idmap.c - see idmap.h. */
#include "entity/idmap.h"

#include "entity/entity.h"

uint32_t idmap_find(const struct idmap *map, const struct entity *entities, aoi_id id) {
    if (map->bits == 0)
        return NO_SLOT;
    size_t mask = idmap_mask(map);
    for (size_t probe = idmap_home(map, id);; probe = (probe + 1) & mask) {
        uint32_t slot = map->slots[probe];
        if (slot == NO_SLOT || entities[slot].id == id)
            return slot;
    }
}

static void put(struct idmap *map, const struct entity *entities, uint32_t slot) {
    size_t mask = idmap_mask(map);
    size_t probe = idmap_home(map, entities[slot].id);
    while (map->slots[probe] != NO_SLOT)
        probe = (probe + 1) & mask;
    map->slots[probe] = slot;
}

bool idmap_reserve(struct idmap *map, struct memory *memory, const struct entity *entities,
                   size_t more) {
    size_t old_size = map->bits == 0 ? 0 : (size_t)1 << map->bits;
    /* At most half full: a lookup then meets about 1.5 entries. */
    if (more <= old_size / 2 && map->count <= old_size / 2 - more)
        return true;
    struct idmap grown = {NULL, map->bits == 0 ? 3 : map->bits, map->count};
    while (((size_t)1 << grown.bits) / 2 < map->count + more)
        grown.bits++;
    size_t size = (size_t)1 << grown.bits;
    grown.slots = memory_resize(memory, NULL, 0, size, sizeof(uint32_t));
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        grown.slots[i] = NO_SLOT;
    for (size_t i = 0; i < old_size; i++) {
        if (map->slots[i] != NO_SLOT)
            put(&grown, entities, map->slots[i]);
    }
    idmap_free(map, memory);
    *map = grown;
    return true;
}

void idmap_add(struct idmap *map, const struct entity *entities, uint32_t slot) {
    put(map, entities, slot);
    map->count++;
}

void idmap_remove(struct idmap *map, const struct entity *entities, uint32_t slot) {
    size_t mask = idmap_mask(map);
    size_t hole = idmap_home(map, entities[slot].id);
    while (map->slots[hole] != slot)
        hole = (hole + 1) & mask;
    /* Close the gap: whoever stands further from home than the hole moves into it. */
    for (size_t probe = (hole + 1) & mask; map->slots[probe] != NO_SLOT;
         probe = (probe + 1) & mask) {
        size_t home = idmap_home(map, entities[map->slots[probe]].id);
        if (((probe - home) & mask) >= ((probe - hole) & mask)) {
            map->slots[hole] = map->slots[probe];
            hole = probe;
        }
    }
    map->slots[hole] = NO_SLOT;
    map->count--;
}

void idmap_free(struct idmap *map, struct memory *memory) {
    if (map->bits != 0)
        memory_resize(memory, map->slots, (size_t)1 << map->bits, 0, sizeof(uint32_t));
    map->slots = NULL;
    map->bits = 0;
    map->count = 0;
}
