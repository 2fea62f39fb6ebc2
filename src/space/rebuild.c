/* rebuild.c - see rebuild.h. */
#include "space/rebuild.h"

#include "index/grid.h"

static void forget_placings(struct rebuild *rebuild) {
    memory_resize(&rebuild->space->memory, rebuild->placings, rebuild->slots, 0,
                  sizeof *rebuild->placings);
}

bool rebuild_begin(struct rebuild *rebuild, struct aoi_space *space) {
    *rebuild = (struct rebuild){.space = space,
                                .map = space->map,
                                .usual_radius = space->usual_radius,
                                .main_index = space->main_index,
                                .slots = space->used_slots,
                                .pending = queue_mark(&space->pending),
                                .collected = queue_mark(&space->collected)};
    if (rebuild->slots > 0) {
        rebuild->placings =
            memory_resize(&space->memory, NULL, 0, rebuild->slots, sizeof *rebuild->placings);
        if (rebuild->placings == NULL)
            return false;
    }
    for (uint32_t slot = 0; slot < rebuild->slots; slot++) {
        const struct entity *entity = &space->entities[slot];
        rebuild->placings[slot] = (struct placing){{entity->place[0], entity->place[1]},
                                                   entity->class_place,
                                                   entity->cell.x,
                                                   entity->cell.y};
    }
    space->main_index = NULL;
    rebuild->unusual_watchers = space->unusual_watchers;
    space->unusual_watchers = 0;
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        rebuild->classes[i] = space->classes[i];
        space->classes[i].index = NULL;
    }
    return true;
}

void rebuild_fail(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    space_destroy_indexes(space);
    space->map = rebuild->map;
    space->usual_radius = rebuild->usual_radius;
    space->main_index = rebuild->main_index;
    space->unusual_watchers = rebuild->unusual_watchers;
    for (int i = 0; i < RADIUS_CLASSES; i++)
        space->classes[i] = rebuild->classes[i];
    for (uint32_t slot = 0; slot < rebuild->slots; slot++) {
        struct entity *entity = &space->entities[slot];
        const struct placing *placing = &rebuild->placings[slot];
        entity->place[0] = placing->place[0];
        entity->place[1] = placing->place[1];
        entity->class_place = placing->class_place;
        if (space->rule == SIGHT_CELLS) {
            entity->cell.x = placing->cell_x;
            entity->cell.y = placing->cell_y;
        } else {
            entity->radius_class = (uint8_t)radius_class_of(space, entity->radius);
        }
    }
    queue_take_back(&space->pending, rebuild->pending);
    queue_take_back(&space->collected, rebuild->collected);
    forget_placings(rebuild);
}

void rebuild_end(struct rebuild *rebuild) {
    rebuild->main_index->engine->destroy(rebuild->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (rebuild->classes[i].index != NULL)
            rebuild->classes[i].index->engine->destroy(rebuild->classes[i].index);
    }
    forget_placings(rebuild);
    space_check(rebuild->space);
}

bool rebuild_indexes(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    space->main_index = space->create_index(space, true, space->default_radius);
    if (space->main_index == NULL)
        return false;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        struct entity *entity = &space->entities[slot];
        if (entity->mode == 0)
            continue;
        if (!space->main_index->engine->reserve(space->main_index))
            return false;
        space->main_index->engine->insert(space->main_index, slot);
        if (space->rule == SIGHT_CELLS)
            grid_locate(space, entity);
        else
            entity->radius_class = (uint8_t)radius_class_of(space, entity->radius);
        if (!in_radius_class(entity))
            continue;
        if (!radius_class_reserve(space, entity->radius_class))
            return false;
        radius_class_add(space, slot);
    }
    return true;
}
