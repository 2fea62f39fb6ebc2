/* space.c - a space's life, its events and the questions to it. Changes are in change.c. */
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "space/options.h"
#include "base/self_check.h"
#include "space/step.h"
#include "events/telling.h"
#include "tick/tick.h"
#include "sight/visibility.h"

/* ------------------------------------------------------------------ */
/* Life                                                                */
/* ------------------------------------------------------------------ */

static void *c_library_allocator(void *userdata, void *ptr, size_t osize, size_t nsize) {
    (void)userdata;
    (void)osize;
    if (nsize == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, nsize);
}

aoi_status aoi_create(const aoi_options *given_options, aoi_space **space_out,
                      aoi_complaint *complaint) {
    /* A caller built against an older header has a shorter struct: its missing fields are 0. */
    aoi_options options = aoi_options_default(AOI_GRID);
    size_t size = given_options->struct_size;
    memcpy(&options, given_options, size < sizeof options ? size : sizeof options);
    struct aoi_space setup;
    memset(&setup, 0, sizeof setup);
    setup.memory.allocate = options.allocator != NULL ? options.allocator : c_library_allocator;
    setup.memory.userdata = options.allocator_userdata;
    aoi_status status = options_apply(&options, &setup, complaint);
    if (status != AOI_OK)
        return status;
    setup.free_slot = NO_SLOT;
    setup.wants = AOI_TELL_EVENT;
    setup.create_index = options.engine == AOI_GRID        ? grid_create
                         : options.engine == AOI_CROSSLIST ? crosslist_create
                                                           : quadtree_create;
    step_choose(&setup);
    struct aoi_space *space = memory_resize(&setup.memory, NULL, 0, 1, sizeof *space);
    if (space == NULL)
        return AOI_NOMEM;
    *space = setup;
    space->main_index = space->create_index(space, true, space->default_radius);
    if (space->main_index == NULL) {
        aoi_destroy(space);
        return AOI_NOMEM;
    }
    *space_out = space;
    return AOI_OK;
}

void space_destroy_indexes(struct aoi_space *space) {
    if (space->main_index != NULL)
        space->main_index->engine->destroy(space->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->destroy(space->classes[i].index);
    }
}

/* Frees whatever grows with the entities, but for the main index. */
static void release(struct aoi_space *space) {
    struct memory *memory = &space->memory;
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->destroy(space->classes[i].index);
        space->classes[i].index = NULL;
    }
    aligned_free(memory, &space->entity_array);
    space->entities = NULL;
    space->capacity = 0;
    idmap_free(&space->ids, memory);
    queue_free(&space->pending, memory);
    queue_free(&space->collected, memory);
    old_states_free(space);
    late_moves_free(space);
    tick_free(space);
    memory_resize(memory, space->places, space->place_capacity, 0, sizeof *space->places);
    space->places = NULL;
    space->place_capacity = 0;
    hits_free(&space->hits, memory);
    hits_free(&space->inside, memory);
    for (int i = 0; i < CHANGE_LISTS; i++) {
        memory_resize(memory, space->changes[i].ids, space->changes[i].capacity, 0, sizeof(aoi_id));
        space->changes[i] = (struct id_list){NULL, 0, 0};
    }
    memory_resize(memory, space->row_scratch, space->row_capacity, 0, sizeof(aoi_row));
    space->row_scratch = NULL;
    space->row_capacity = 0;
    memory_resize(memory, space->candidates, space->candidate_capacity, 0,
                  sizeof *space->candidates);
    space->candidates = NULL;
    space->candidate_capacity = 0;
}

void aoi_destroy(aoi_space *space) {
    if (space == NULL)
        return;
    release(space);
    if (space->main_index != NULL)
        space->main_index->engine->destroy(space->main_index);
    struct memory last = space->memory;
    memory_resize(&last, space, 1, 0, sizeof *space);
    SELF_CHECK(last.bytes == 0);
}

void aoi_clear(aoi_space *space) {
    release(space);
    space->main_index->engine->clear(space->main_index);
    space->count = space->unusual_watchers = 0;
    space->used_slots = 0;
    space->free_slot = NO_SLOT;
    space_check(space);
}

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

bool aoi_next_event(aoi_space *space, aoi_event *event) {
    if (!queue_next(&space->pending, event))
        return false;
    space->delivered++;
    return true;
}

bool aoi_peek(aoi_space *space, uint32_t wants, aoi_telling *telling) {
    return telling_peek(&space->pending, &space->memory, wants, telling);
}

void aoi_told(aoi_space *space, uint32_t wants) {
    size_t before = aoi_pending(space);
    telling_advance(&space->pending, &space->memory, wants);
    space->delivered += before - aoi_pending(space);
}

size_t aoi_pending(const aoi_space *space) {
    return space->pending.events - space->pending.told_events;
}

void aoi_listen(aoi_space *space, uint32_t ops, uint32_t wants) {
    space->listen = ops;
    space->wants = wants;
    telling_change_wants(&space->pending, wants);
    queue_keep(&space->pending, ops);
}

bool aoi_collected_event(const aoi_space *space, aoi_cursor *cursor, aoi_event *event) {
    return queue_read(&space->collected, cursor, event);
}

size_t aoi_collected(const aoi_space *space) {
    return space->collected.events;
}

void aoi_drop_collected(aoi_space *space) {
    queue_clear(&space->collected);
}

/* ------------------------------------------------------------------ */
/* Questions                                                           */
/* ------------------------------------------------------------------ */

size_t aoi_count(const aoi_space *space) {
    return space->count;
}

bool aoi_has(const aoi_space *space, aoi_id id) {
    return space_find(space, id) != NO_SLOT;
}

aoi_status aoi_position(const aoi_space *space, aoi_id id, aoi_point *position) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    *position = space_place(space, slot);
    return AOI_OK;
}

aoi_status aoi_radius(const aoi_space *space, aoi_id id, double *radius) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    *radius = space->rule == SIGHT_CELLS ? 0 : space->entities[slot].radius;
    return AOI_OK;
}

bool aoi_sees(const aoi_space *space, aoi_id a, aoi_id b) {
    uint32_t watcher = space_find(space, a), marker = space_find(space, b);
    if (watcher == NO_SLOT || marker == NO_SLOT || watcher == marker)
        return false;
    return visibility_sees(space, &space->entities[watcher], &space->entities[marker]);
}

aoi_status aoi_markers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!late_moves_tell(space) || !visibility_markers(space, slot))
        return AOI_NOMEM;
    const struct id_list *found = &space->changes[ENTERED_MARKERS];
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_watchers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!late_moves_tell(space) || !visibility_watchers(space, slot))
        return AOI_NOMEM;
    const struct id_list *found = &space->changes[ENTERED_WATCHERS];
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_ids(aoi_space *space, aoi_list *list) {
    struct id_list *all = &space->changes[0];
    all->count = 0;
    if (!id_list_reserve(all, &space->memory, space->count))
        return AOI_NOMEM;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        if (space->entities[slot].mode != 0)
            all->ids[all->count++] = space->entities[slot].id;
    }
    *list = (aoi_list){all->ids, all->count};
    return AOI_OK;
}

aoi_engine aoi_engine_of(const aoi_space *space) {
    return space->options.engine;
}

aoi_map aoi_map_of(const aoi_space *space) {
    const struct map *map = &space->map;
    return space->bounded ? (aoi_map){true, map->x1, map->y1, map->width, map->height}
                          : (aoi_map){.bounded = false};
}

int aoi_dims(const aoi_space *space) {
    return space->dims;
}

uint32_t aoi_collects(const aoi_space *space) {
    return space->collect;
}

void aoi_get_stats(const aoi_space *space, aoi_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->entities = space->count;
    stats->bytes = space->memory.bytes;
    stats->pending = aoi_pending(space);
    stats->collected = space->collected.events;
    stats->changed = space->old_states.count;
    stats->delivered = space->delivered;
    space->main_index->engine->describe(space->main_index, stats);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->describe(space->classes[i].index, stats);
    }
}

#ifdef AOI_SELF_CHECK
void space_check(const struct aoi_space *space) {
    size_t present = 0, unusual[RADIUS_CLASSES] = {0}, all_unusual = 0, free_slots = 0;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        const struct entity *entity = &space->entities[slot];
        if (entity->mode == 0)
            continue;
        present++;
        SELF_CHECK(space_find(space, entity->id) == slot);
        if (space->rule == SIGHT_CELLS)
            continue;
        SELF_CHECK(entity->radius_class == radius_class_of(space, entity->radius));
        if (in_radius_class(entity)) {
            const struct radius_class *class = &space->classes[entity->radius_class];
            SELF_CHECK(class->smallest <= entity->radius && entity->radius <= class->largest);
            unusual[entity->radius_class]++;
            all_unusual++;
        }
    }
    for (uint32_t slot = space->free_slot; slot != NO_SLOT;
         slot = space->entities[slot].next_free_slot)
        free_slots++;
    if (space->deferred)
        old_states_check(space);
    SELF_CHECK(present == space->count && present == space->ids.count);
    SELF_CHECK(present + free_slots == space->used_slots);
    SELF_CHECK(space->main_index->count == present);
    SELF_CHECK(space->unusual_watchers == all_unusual);
    if (space->late_moves.count == 0)
        space->main_index->engine->check(space->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        const struct spatial_index *index = space->classes[i].index;
        SELF_CHECK(unusual[i] == (index == NULL ? 0 : index->count));
        if (index != NULL && space->late_moves.count == 0)
            index->engine->check(index);
    }
}
#endif
