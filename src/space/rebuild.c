/* rebuild.c - new indexes filled beside the old ones, and either of them dropped. */
#include "space/rebuild.h"

static void forget_notes(struct rebuild *rebuild) {
    memory_resize(&rebuild->space->memory.scratch, rebuild->notes, rebuild->slots, 0,
                  sizeof *rebuild->notes);
}

bool rebuild_begin(struct rebuild *rebuild, struct aoi_space *space) {
    *rebuild = (struct rebuild){.space = space,
                                .map = space->map,
                                .indexes = space->indexes,
                                .slots = space->entities.used,
                                .pending = queue_mark(&space->pending),
                                .collected = queue_mark(&space->collected)};
    if (rebuild->slots > 0) {
        rebuild->notes =
            memory_resize(&space->memory.scratch, NULL, 0, rebuild->slots, sizeof *rebuild->notes);
        if (rebuild->notes == NULL)
            return false;
    }
    for (uint32_t slot = 0; slot < rebuild->slots; slot++) {
        const struct entity *entity = &space->entities.at[slot];
        rebuild->notes[slot] = (struct index_notes){
            {entity->handle[0], entity->handle[1]}, entity->class_handle, entity->cell};
    }
    space->indexes.main = NULL;
    space->indexes.unusual_watchers = 0;
    for (int i = 0; i < RADIUS_CLASSES; i++)
        space->indexes.classes[i].index = NULL;
    return true;
}

void rebuild_fail(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    indexes_destroy(&space->indexes);
    space->map = rebuild->map;
    space->indexes = rebuild->indexes;
    for (uint32_t slot = 0; slot < rebuild->slots; slot++) {
        struct entity *entity = &space->entities.at[slot];
        const struct index_notes *notes = &rebuild->notes[slot];
        entity->handle[0] = notes->handle[0];
        entity->handle[1] = notes->handle[1];
        entity->class_handle = notes->class_handle;
        entity->cell = notes->cell;
        space_classify(space, entity);
    }
    queue_take_back(&space->pending, rebuild->pending);
    queue_take_back(&space->collected, rebuild->collected);
    forget_notes(rebuild);
}

void rebuild_end(struct rebuild *rebuild) {
    indexes_destroy(&rebuild->indexes);
    forget_notes(rebuild);
    space_check(rebuild->space);
}

bool rebuild_indexes(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    if (!indexes_create(&space->indexes, space->default_radius))
        return false;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        struct entity *entity = &space->entities.at[slot];
        if (entity->mode == 0)
            continue;
        space_locate(space, entity);
        space_classify(space, entity);
        if (!indexes_reserve(&space->indexes, entity))
            return false;
        indexes_insert(&space->indexes, slot);
    }
    return true;
}

void rebuild_for_usual_radius(struct aoi_space *space, size_t changes) {
    if (!space->own_radii)
        return;
    space->radius_changes += changes;
    if (space->radius_changes < space->entities.count / 2 || space->indexes.unusual_watchers == 0)
        return;
    space->radius_changes = 0;
    double better;
    struct rebuild rebuild;
    if (!indexes_better_usual(&space->indexes, &better) || !rebuild_begin(&rebuild, space))
        return;
    space->indexes.usual_radius = better;
    if (rebuild_indexes(&rebuild))
        rebuild_end(&rebuild);
    else
        rebuild_fail(&rebuild);
}
