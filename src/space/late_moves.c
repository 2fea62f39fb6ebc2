/* late_moves.c - see late_moves.h. */
#include "space/late_moves.h"

#include <string.h>

#include "base/self_check.h"
#include "space/space.h"

bool late_moves_reserve(struct aoi_space *space) {
    struct late_moves *late = &space->late_moves;
    if (late->capacity == space->entities.capacity || !space_moves_late(space))
        return true;
    uint32_t *slots = memory_resize(&space->memory, late->slots, late->capacity,
                                    space->entities.capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    late->slots = slots;
    late->capacity = space->entities.capacity;
    return true;
}

void late_moves_note(struct aoi_space *space, uint32_t slot) {
    if (space->entities.at[slot].late)
        return;
    SELF_CHECK(space->late_moves.count < space->late_moves.capacity);
    space->entities.at[slot].late = 1;
    space->late_moves.slots[space->late_moves.count++] = slot;
}

/* False: no memory, unchanged. */
static bool pass_on(struct spatial_index *index, uint32_t slot, const struct entity *entity) {
    if (!index->engine->reserve(index))
        return false;
    index->engine->relocate(index, slot, entity->x, entity->y);
    return true;
}

bool late_moves_apply(struct aoi_space *space) {
    struct late_moves *late = &space->late_moves;
    size_t passed = 0;
    for (; passed < late->count; passed++) {
        const uint32_t slot = late->slots[passed];
        struct entity *entity = &space->entities.at[slot];
        if (entity->mode != 0 &&
            (!pass_on(space->indexes.main, slot, entity) ||
             (in_radius_class(entity) &&
              !pass_on(space->indexes.classes[entity->radius_class].index, slot, entity))))
            break;
        entity->late = 0;
    }
    late->count -= passed;
    if (late->count > 0)
        memmove(late->slots, late->slots + passed, late->count * sizeof *late->slots);
    return late->count == 0;
}

void late_moves_free(struct aoi_space *space) {
    struct late_moves *late = &space->late_moves;
    memory_resize(&space->memory, late->slots, late->capacity, 0, sizeof *late->slots);
    *late = (struct late_moves){NULL, 0, 0};
}
