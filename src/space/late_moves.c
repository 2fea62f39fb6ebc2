/* late_moves.c - late moves noted, and passed on to the indexes. */
#include "space/late_moves.h"

#include <string.h>

#include "base/self_check.h"

void late_moves_note(struct late_moves *late, uint32_t slot) {
    struct entity *entity = &late->indexes->setup.entities->at[slot];
    if (entity->late)
        return;
    SELF_CHECK(array_has_room(&late->slots, 1));
    entity->late = 1;
    late->slots.items[late->slots.count++] = slot;
}

static bool pass_on(struct spatial_index *index, uint32_t slot, const struct entity *entity) {
    if (!index->engine->reserve(index))
        return false;
    index->engine->relocate(index, slot, entity->x, entity->y);
    return true;
}

bool late_moves_apply(struct late_moves *late) {
    size_t passed = 0;
    for (; passed < late->slots.count; passed++) {
        const uint32_t slot = late->slots.items[passed];
        struct entity *entity = &late->indexes->setup.entities->at[slot];
        if (entity->mode != 0 &&
            (!pass_on(late->indexes->main, slot, entity) ||
             (in_radius_class(entity) &&
              !pass_on(late->indexes->classes[entity->radius_class].index, slot, entity))))
            break;
        entity->late = 0;
    }
    late->slots.count -= passed;
    if (late->slots.count > 0)
        memmove(late->slots.items, late->slots.items + passed,
                late->slots.count * sizeof *late->slots.items);
    return late->slots.count == 0;
}
