/* entities.c - slots of entities: taken, retired, freed. */
#include "entity/entities.h"

#include "base/self_check.h"

void entities_init(struct entities *entities) {
    *entities = (struct entities){.free_slot = NO_SLOT};
}

bool entities_reserve(struct entities *entities, struct memory *memory) {
    if (entities->free_slot == NO_SLOT && entities->used == entities->capacity) {
        entities->slots.count = entities->used;
        if (entities->used >= MOST_SLOTS || !array_reserve(&entities->slots, memory, 1))
            return false;
        entities->at = entities->slots.items;
        entities->capacity = entities->slots.capacity;
    }
    return idmap_reserve(&entities->ids, memory, IDS_OF(entities->at, id), 1);
}

static uint32_t take_slot(struct entities *entities) {
    const uint32_t slot = entities->free_slot;
    if (slot != NO_SLOT) {
        entities->free_slot = entities->at[slot].next_free_slot;
        return slot;
    }
    entities->at[entities->used].late = 0;
    return entities->used++;
}

static void add_at(struct entities *entities, uint32_t slot, const struct entity *entity) {
    const bool late = entities->at[slot].late; /* it belongs to the slot */
    entities->at[slot] = *entity;
    entities->at[slot].late = late;
    entities->at[slot].beacon = 0;
    idmap_add(&entities->ids, IDS_OF(entities->at, id), slot);
    entities->count++;
}

uint32_t entities_add(struct entities *entities, const struct entity *entity) {
    const bool is_new = entities->free_slot == NO_SLOT;
    const uint32_t slot = take_slot(entities);
    const uint64_t first_id = (uint64_t)entity->id - slot;
    /* The candidate of more than half the votes wins (R. S. Boyer, J S. Moore, "MJRTY", 1981). */
    if (is_new && first_id == entities->first_id)
        entities->votes++;
    else if (is_new && entities->votes > 0)
        entities->votes--;
    else if (is_new)
        entities->first_id = first_id;
    add_at(entities, slot, entity);
    return slot;
}

static void free_slot(struct entities *entities, uint32_t slot) {
    entities->at[slot].next_free_slot = entities->free_slot;
    entities->free_slot = slot;
}

static void take_out(struct entities *entities, uint32_t slot) {
    idmap_remove(&entities->ids, IDS_OF(entities->at, id), slot);
    entities->at[slot].mode = 0;
    entities->count--;
}

void entities_remove(struct entities *entities, uint32_t slot) {
    take_out(entities, slot);
    free_slot(entities, slot);
}

void entities_retire(struct entities *entities, uint32_t slot) {
    take_out(entities, slot);
    entities->retired++;
}

void entities_return(struct entities *entities, uint32_t slot, const struct entity *entity) {
    entities->retired--;
    add_at(entities, slot, entity);
}

uint32_t entities_add_retired(struct entities *entities, aoi_id id) {
    const uint32_t slot = take_slot(entities);
    const bool late = entities->at[slot].late;
    entities->at[slot] = (struct entity){.id = id, .mode = 0, .late = late};
    entities->retired++;
    return slot;
}

void entities_free_retired(struct entities *entities, uint32_t slot) {
    entities->retired--;
    free_slot(entities, slot);
}

void entities_free(struct entities *entities, struct memory *memory) {
    array_free(&entities->slots, memory);
    idmap_free(&entities->ids, memory);
    entities_init(entities);
}

#ifdef AOI_SELF_CHECK
void entities_check(const struct entities *entities) {
    size_t present = 0, free_slots = 0;
    for (uint32_t slot = 0; slot < entities->used; slot++) {
        if (entities->at[slot].mode == 0)
            continue;
        present++;
        SELF_CHECK(entities_find(entities, entities->at[slot].id) == slot);
    }
    for (uint32_t slot = entities->free_slot; slot != NO_SLOT;
         slot = entities->at[slot].next_free_slot)
        free_slots++;
    SELF_CHECK(present == entities->count && present == entities->ids.count);
    SELF_CHECK(present + entities->retired + free_slots == entities->used);
}
#endif
