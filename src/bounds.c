/*
 * bounds.c - another map for a space that has entities.
 *
 * All indexes are built anew beside the old ones, and take their place when
 * nothing can fail any more.
 */
#include <math.h>
#include <stdio.h>

#include "grid.h"
#include "options.h"
#include "sort.h"
#include "space.h"

/* What an index has noted in an entity. */
struct placing {
    uint32_t place[2], class_place;
    uint32_t cell_x, cell_y; /* classic nine-grid */
};

struct rebuild {
    struct aoi_space *space;
    struct map map;                   /* the old one */
    struct spatial_index *main_index; /* the old ones */
    struct radius_class classes[RADIUS_CLASSES];
    size_t special_watchers;
    struct placing *placings; /* the old ones, by slot */
    uint32_t slots;
    struct queue_mark pending, collected;
};

static void forget_placings(struct rebuild *rebuild) {
    memory_resize(&rebuild->space->memory, rebuild->placings, rebuild->slots, 0,
                  sizeof *rebuild->placings);
}

/* Sets the old indexes aside. False: no memory, unchanged. */
static bool rebuild_begin(struct rebuild *rebuild, struct aoi_space *space) {
    *rebuild = (struct rebuild){.space = space,
                                .map = space->map,
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
    rebuild->special_watchers = space->special_watchers;
    space->special_watchers = 0;
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        rebuild->classes[i] = space->classes[i];
        space->classes[i].index = NULL;
    }
    return true;
}

static void rebuild_fail(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    space_destroy_indexes(space);
    space->map = rebuild->map;
    space->main_index = rebuild->main_index;
    space->special_watchers = rebuild->special_watchers;
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
        }
    }
    queue_take_back(&space->pending, rebuild->pending);
    queue_take_back(&space->collected, rebuild->collected);
    forget_placings(rebuild);
}

static void rebuild_end(struct rebuild *rebuild) {
    rebuild->main_index->engine->destroy(rebuild->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (rebuild->classes[i].index != NULL)
            rebuild->classes[i].index->engine->destroy(rebuild->classes[i].index);
    }
    forget_placings(rebuild);
    space_check(rebuild->space);
}

/* Fills new indexes for the space's map. False: no memory. */
static bool build_indexes(struct aoi_space *space) {
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
        if (!in_radius_class(entity))
            continue;
        if (!radius_class_reserve(space, entity->radius_class))
            return false;
        radius_class_add(space, slot);
    }
    return true;
}

/* The entity in slot with its old cell. */
static struct entity as_before(const struct rebuild *rebuild, uint32_t slot) {
    struct entity entity = rebuild->space->entities[slot];
    entity.cell.x = rebuild->placings[slot].cell_x;
    entity.cell.y = rebuild->placings[slot].cell_y;
    return entity;
}

static bool touch(const struct entity *a, const struct entity *b) {
    return grid_cells_touch(a->cell.x, a->cell.y, b->cell.x, b->cell.y);
}

/* Queues the leave or the enter events of one watcher in a classic nine-grid. False: no memory. */
static bool queue_watcher(struct rebuild *rebuild, uint32_t slot, aoi_op op) {
    struct aoi_space *space = rebuild->space;
    const struct entity before = as_before(rebuild, slot), after = space->entities[slot];
    bool leaves = op == AOI_LEAVE;
    struct spatial_index *index = leaves ? rebuild->main_index : space->main_index;
    struct id_list *list = &space->changes[0];
    space->hits.count = list->count = 0;
    if (!grid_search_cells(index, leaves ? &before : &after, NULL, &space->hits, NULL) ||
        !id_list_reserve(list, &space->memory, space->hits.count))
        return false;
    for (size_t i = 0; i < space->hits.count; i++) {
        uint32_t other = space->hits.slots[i];
        const struct entity marker_before = as_before(rebuild, other);
        const struct entity *marker = &space->entities[other];
        bool can_see = other != slot && (marker->mode & AOI_MARKER) && (marker->layer & after.sees);
        bool stays = leaves ? touch(&after, marker) : touch(&before, &marker_before);
        if (can_see && !stays)
            list->ids[list->count++] = marker->id;
    }
    struct queue *queues[2] = {&space->pending, &space->collected};
    const uint32_t wanted[2] = {space->listen, space->collect};
    for (int i = 0; i < 2; i++) {
        if (!(wanted[i] & op))
            continue;
        if (!queue_reserve(queues[i], &space->memory, 1, list->count))
            return false;
        queue_append(queues[i], after.id, op | SEGMENT_SUBJECT_WATCHES | SEGMENT_OF_MANY, list->ids,
                     list->count);
    }
    return true;
}

/* By ascending id, as the queue wants it of a change with several subjects. False: no memory. */
static bool queue_all(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    static const aoi_op ops[2] = {AOI_LEAVE, AOI_ENTER};
    struct id_list *watchers = &space->changes[1], *spare = &space->changes[2];
    watchers->count = spare->count = 0;
    if (!id_list_reserve(watchers, &space->memory, space->count) ||
        !id_list_reserve(spare, &space->memory, space->count))
        return false;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        if (space->entities[slot].mode & AOI_WATCHER)
            watchers->ids[watchers->count++] = space->entities[slot].id;
    }
    const aoi_id *ids = sort_ids(watchers->ids, spare->ids, watchers->count);
    queue_begin_change(&space->pending);
    queue_begin_change(&space->collected);
    for (int i = 0; i < 2; i++) {
        if (!((space->listen | space->collect) & ops[i]))
            continue;
        for (size_t watcher = 0; watcher < watchers->count; watcher++) {
            if (!queue_watcher(rebuild, space_find(space, ids[watcher]), ops[i]))
                return false;
        }
    }
    return true;
}

/* In a deferred classic nine-grid everybody's cell is about to change. False: no memory. */
static bool note_cells(struct aoi_space *space) {
    if (space->rule != SIGHT_CELLS || !space->deferred)
        return true;
    if (!old_states_reserve(space, space->count))
        return false;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        if (space->entities[slot].mode != 0)
            old_states_note_change(space, slot);
    }
    return true;
}

aoi_status aoi_set_bounds(aoi_space *space, double x, double y, double width, double height,
                          aoi_id *outside, aoi_complaint *complaint) {
    if (!space->bounded) {
        if (complaint != NULL)
            snprintf(complaint->text, sizeof complaint->text, "the %s engine has no map",
                     aoi_engine_name(space->options.engine));
        return AOI_INVALID;
    }
    aoi_options options = space->options;
    options.given |= AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
    options.x = x;
    options.y = y;
    options.width = width;
    options.height = height;
    struct map map;
    aoi_status status = options_map(&options, &map, complaint);
    if (status != AOI_OK)
        return status;
    for (uint32_t slot = 0; slot < space->used_slots && !map.clamp; slot++) {
        const struct entity *entity = &space->entities[slot];
        if (entity->mode == 0)
            continue;
        aoi_point place = space_place(space, slot);
        if (map_holds(&map, place.x, place.y))
            continue;
        if (outside != NULL)
            *outside = entity->id;
        return AOI_OUTSIDE;
    }
    struct rebuild rebuild;
    if (!rebuild_begin(&rebuild, space))
        return AOI_NOMEM;
    space->map = map;
    if (!note_cells(space) || !build_indexes(space) ||
        (space->rule == SIGHT_CELLS && !space->deferred && !queue_all(&rebuild))) {
        rebuild_fail(&rebuild);
        return AOI_NOMEM;
    }
    space->options = options;
    rebuild_end(&rebuild);
    return AOI_OK;
}
