/* late_moves.c - see late_moves.h. */
#include "space/late_moves.h"

#include <string.h>

#include "base/self_check.h"

bool late_moves_reserve(struct late_moves *late) {
    const size_t slots_needed = late->indexes->setup.entities->capacity;
    if (late->capacity == slots_needed || !late->used)
        return true;
    uint32_t *slots = memory_resize(late->indexes->setup.memory, late->slots, late->capacity,
                                    slots_needed, sizeof *slots);
    if (slots == NULL)
        return false;
    late->slots = slots;
    late->capacity = slots_needed;
    return true;
}

void late_moves_note(struct late_moves *late, uint32_t slot) {
    struct entity *entity = &late->indexes->setup.entities->at[slot];
    if (entity->late)
        return;
    SELF_CHECK(late->count < late->capacity);
    entity->late = 1;
    late->slots[late->count++] = slot;
}

/* False: no memory, unchanged. */
static bool pass_on(struct spatial_index *index, uint32_t slot, const struct entity *entity) {
    if (!index->engine->reserve(index))
        return false;
    index->engine->relocate(index, slot, entity->x, entity->y);
    return true;
}

bool late_moves_apply(struct late_moves *late) {
    size_t passed = 0;
    for (; passed < late->count; passed++) {
        const uint32_t slot = late->slots[passed];
        struct entity *entity = &late->indexes->setup.entities->at[slot];
        if (entity->mode != 0 &&
            (!pass_on(late->indexes->main, slot, entity) ||
             (in_radius_class(entity) &&
              !pass_on(late->indexes->classes[entity->radius_class].index, slot, entity))))
            break;
        entity->late = 0;
    }
    late->count -= passed;
    if (late->count > 0)
        memmove(late->slots, late->slots + passed, late->count * sizeof *late->slots);
    return late->count == 0;
}

void late_moves_free(struct late_moves *late) {
    memory_resize(late->indexes->setup.memory, late->slots, late->capacity, 0, sizeof *late->slots);
    late->slots = NULL;
    late->count = late->capacity = 0;
}
