/*
 * space.c - a space's life, its changes and its questions: the public calls.
 *
 * Every change runs the same course (apply): reserve what it may need, find
 * out what it means for the pairs, reserve the events; from there on nothing
 * can fail, and the events are queued and the entity is changed.
 */
#include "space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "options.h"
#include "self_check.h"
#include "visibility.h"

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
    setup.create_index = options.engine == AOI_GRID ? grid_create : crosslist_create;
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

void aoi_destroy(aoi_space *space) {
    if (space == NULL)
        return;
    struct memory *memory = &space->memory;
    if (space->main_index != NULL)
        space->main_index->engine->destroy(space->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->destroy(space->classes[i].index);
    }
    aligned_free(memory, &space->entity_array);
    idmap_free(&space->ids, memory);
    queue_free(&space->pending, memory);
    queue_free(&space->collected, memory);
    memory_resize(memory, space->hits.slots, space->hits.capacity, 0, sizeof(uint32_t));
    for (int i = 0; i < CHANGE_LISTS; i++)
        memory_resize(memory, space->changes[i].ids, space->changes[i].capacity, 0,
                      sizeof(aoi_id));
    struct memory last = *memory;
    memory_resize(&last, space, 1, 0, sizeof *space);
    SELF_CHECK(last.bytes == 0);
}

void aoi_clear(aoi_space *space) {
    space->main_index->engine->clear(space->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->clear(space->classes[i].index);
    }
    idmap_clear(&space->ids);
    space->count = 0;
    space->used_slots = 0;
    space->free_slot = NO_SLOT;
    queue_clear(&space->pending);
    queue_clear(&space->collected);
    space_check(space);
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

static uint32_t find(const struct aoi_space *space, aoi_id id) {
    return idmap_find(&space->ids, space->entities, id);
}

/* Room for one more entity. False: no memory. */
static bool reserve_entity(struct aoi_space *space) {
    if (space->free_slot == NO_SLOT && space->used_slots == space->capacity) {
        size_t capacity = memory_next_capacity(space->capacity, (size_t)space->used_slots + 1);
        if (capacity == 0 || capacity >= NO_SLOT)
            return false;
        if (!aligned_grow(&space->memory, &space->entity_array, space->used_slots, capacity,
                          sizeof(struct entity)))
            return false;
        space->entities = space->entity_array.items;
        space->capacity = (uint32_t)capacity;
    }
    return idmap_reserve(&space->ids, &space->memory, space->entities, 1);
}

static uint32_t take_slot(struct aoi_space *space) {
    uint32_t slot = space->free_slot;
    if (slot == NO_SLOT)
        return space->used_slots++;
    space->free_slot = space->entities[slot].next_free_slot;
    return slot;
}

static bool reserve_events(struct aoi_space *space, struct queue *queue, uint32_t ops) {
    const struct id_list *changes = space->changes;
    size_t events = 0;
    if (ops & AOI_LEAVE)
        events += changes[LEFT_MARKERS].count + changes[LEFT_WATCHERS].count;
    if (ops & AOI_ENTER)
        events += changes[ENTERED_MARKERS].count + changes[ENTERED_WATCHERS].count;
    if (ops & AOI_MOVE)
        events += changes[MOVED_WATCHERS].count;
    return events == 0 || queue_reserve(queue, &space->memory, CHANGE_LISTS, events);
}

static void append_events(const struct aoi_space *space, struct queue *queue, aoi_id id,
                          uint32_t ops) {
    static const uint32_t flags[CHANGE_LISTS] = {
        [LEFT_MARKERS] = AOI_LEAVE | SEGMENT_SUBJECT_WATCHES,
        [LEFT_WATCHERS] = AOI_LEAVE,
        [ENTERED_MARKERS] = AOI_ENTER | SEGMENT_SUBJECT_WATCHES,
        [ENTERED_WATCHERS] = AOI_ENTER,
        [MOVED_WATCHERS] = AOI_MOVE,
    };
    queue_begin_change(queue);
    for (int i = 0; i < CHANGE_LISTS; i++) {
        if (flags[i] & ops)
            queue_append(queue, id, flags[i], space->changes[i].ids, space->changes[i].count);
    }
}

/* Changes the indexes and the entity from what it is to `after`; room is reserved. */
static void change_entity(struct aoi_space *space, uint32_t slot, const struct entity *after) {
    struct entity *entity = &space->entities[slot];
    bool was_special = in_radius_class(entity), is_special = in_radius_class(after);
    bool stays_special =
        was_special && is_special && entity->radius_class == after->radius_class;
    if (was_special && !stays_special)
        radius_class_remove(space, slot);
    if (entity->x != after->x || entity->y != after->y) {
        space->main_index->engine->relocate(space->main_index, slot, after->x, after->y);
        if (stays_special) {
            struct spatial_index *index = space->classes[entity->radius_class].index;
            index->engine->relocate(index, slot, after->x, after->y);
        }
    }
    entity->x = after->x;
    entity->y = after->y;
    entity->z = after->z;
    entity->radius = after->radius; /* or the cell, which shares its place */
    entity->layer = after->layer;
    entity->sees = after->sees;
    entity->mode = after->mode;
    entity->radius_class = after->radius_class;
    if (stays_special)
        radius_class_widen(&space->classes[entity->radius_class], entity->radius);
    else if (is_special)
        radius_class_add(space, slot);
}

static void add_entity(struct aoi_space *space, const struct entity *entity) {
    uint32_t slot = take_slot(space);
    space->entities[slot] = *entity;
    idmap_add(&space->ids, space->entities, slot);
    space->main_index->engine->insert(space->main_index, slot);
    if (in_radius_class(entity))
        radius_class_add(space, slot);
    space->count++;
}

static void remove_entity(struct aoi_space *space, uint32_t slot) {
    struct entity *entity = &space->entities[slot];
    if (in_radius_class(entity))
        radius_class_remove(space, slot);
    space->main_index->engine->remove(space->main_index, slot);
    idmap_remove(&space->ids, space->entities, slot);
    entity->mode = 0;
    entity->next_free_slot = space->free_slot;
    space->free_slot = slot;
    space->count--;
}

/* The course of every change: the entity in slot (NO_SLOT: a new one) becomes after (NULL: it
 * leaves). */
static aoi_status apply(struct aoi_space *space, uint32_t slot, const struct entity *after,
                        bool moved) {
    aoi_id id = after != NULL ? after->id : space->entities[slot].id;
    if (after != NULL) {
        if (slot == NO_SLOT && !reserve_entity(space))
            return AOI_NOMEM;
        if (!space->main_index->engine->reserve(space->main_index))
            return AOI_NOMEM;
        if (in_radius_class(after) && !radius_class_reserve(space, after->radius_class))
            return AOI_NOMEM;
    }
    uint32_t ops = space->listen | space->collect;
    if (!visibility_changes(space, slot, after, moved, ops) ||
        !reserve_events(space, &space->pending, space->listen) ||
        !reserve_events(space, &space->collected, space->collect))
        return AOI_NOMEM;
    append_events(space, &space->pending, id, space->listen);
    if (space->collect != 0)
        append_events(space, &space->collected, id, space->collect);
    if (after == NULL)
        remove_entity(space, slot);
    else if (slot == NO_SLOT)
        add_entity(space, after);
    else
        change_entity(space, slot, after);
    space_check(space);
    return AOI_OK;
}

static aoi_status set_position(const struct aoi_space *space, struct entity *entity,
                               aoi_point position) {
    if (!isfinite(position.x) || !isfinite(position.y))
        return AOI_INVALID;
    if (space->dims == 3 && !isfinite(position.z))
        return AOI_INVALID;
    if (space->bounded && !space->clamp &&
        !(space->x1 <= position.x && position.x <= space->x2 && space->y1 <= position.y &&
          position.y <= space->y2))
        return AOI_OUTSIDE;
    entity->x = position.x;
    entity->y = position.y;
    entity->z = space->dims == 3 ? position.z : 0;
    if (space->rule == SIGHT_CELLS)
        grid_locate(space, entity);
    return AOI_OK;
}

static aoi_status set_traits(const struct aoi_space *space, struct entity *entity,
                             const aoi_traits *traits) {
    if (traits == NULL)
        return AOI_OK;
    if (traits->given & AOI_TRAIT_RADIUS) {
        if (space->rule == SIGHT_CELLS)
            return AOI_RADIUS_UNUSED;
        if (!(traits->radius >= 0))
            return AOI_INVALID;
        entity->radius = traits->radius;
    }
    if (traits->given & AOI_TRAIT_MODE) {
        if (traits->mode < AOI_WATCHER || traits->mode > (AOI_WATCHER | AOI_MARKER))
            return AOI_INVALID;
        entity->mode = (uint8_t)traits->mode;
    }
    if (traits->given & AOI_TRAIT_LAYER)
        entity->layer = traits->layer;
    if (traits->given & AOI_TRAIT_SEES)
        entity->sees = traits->sees;
    return AOI_OK;
}

static void set_radius_class(struct aoi_space *space, struct entity *entity) {
    if (space->rule == SIGHT_CELLS)
        return;
    /* Without a default, the first entity of an empty space says what is usual. */
    if (space->count == 0 && !space->has_default_radius)
        space->usual_radius = entity->radius;
    entity->radius_class = (uint8_t)radius_class_of(space, entity->radius);
}

aoi_status aoi_enter(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits) {
    if (find(space, id) != NO_SLOT)
        return AOI_EXISTS;
    struct entity entity = {.id = id,
                            .radius = space->default_radius,
                            .layer = 1,
                            .sees = UINT32_MAX,
                            .mode = AOI_WATCHER | AOI_MARKER};
    aoi_status status = set_traits(space, &entity, traits);
    if (status == AOI_OK)
        status = set_position(space, &entity, position);
    if (status != AOI_OK)
        return status;
    bool has_radius = traits != NULL && (traits->given & AOI_TRAIT_RADIUS);
    if (space->rule != SIGHT_CELLS && !space->has_default_radius && !has_radius)
        return AOI_NO_RADIUS;
    set_radius_class(space, &entity);
    return apply(space, NO_SLOT, &entity, false);
}

aoi_status aoi_move(aoi_space *space, aoi_id id, aoi_point position) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    struct entity after = space->entities[slot];
    aoi_status status = set_position(space, &after, position);
    return status == AOI_OK ? apply(space, slot, &after, true) : status;
}

aoi_status aoi_leave(aoi_space *space, aoi_id id) {
    uint32_t slot = find(space, id);
    return slot == NO_SLOT ? AOI_NOT_FOUND : apply(space, slot, NULL, false);
}

aoi_status aoi_update(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits,
                      bool *entered) {
    uint32_t slot = find(space, id);
    if (entered != NULL)
        *entered = slot == NO_SLOT;
    if (slot == NO_SLOT)
        return aoi_enter(space, id, position, traits);
    struct entity after = space->entities[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status == AOI_OK)
        status = set_position(space, &after, position);
    if (status != AOI_OK)
        return status;
    if (traits != NULL && (traits->given & AOI_TRAIT_RADIUS))
        set_radius_class(space, &after);
    return apply(space, slot, &after, true);
}

aoi_status aoi_set_traits(aoi_space *space, aoi_id id, const aoi_traits *traits) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    struct entity after = space->entities[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status != AOI_OK)
        return status;
    if (traits->given & AOI_TRAIT_RADIUS)
        set_radius_class(space, &after);
    return apply(space, slot, &after, false);
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

size_t aoi_pending(const aoi_space *space) {
    return space->pending.events;
}

void aoi_listen(aoi_space *space, uint32_t ops) {
    space->listen = ops;
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
    return find(space, id) != NO_SLOT;
}

aoi_status aoi_position(const aoi_space *space, aoi_id id, aoi_point *position) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    const struct entity *entity = &space->entities[slot];
    *position = (aoi_point){entity->x, entity->y, entity->z};
    return AOI_OK;
}

aoi_status aoi_radius(const aoi_space *space, aoi_id id, double *radius) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    *radius = space->rule == SIGHT_CELLS ? 0 : space->entities[slot].radius;
    return AOI_OK;
}

bool aoi_sees(const aoi_space *space, aoi_id a, aoi_id b) {
    uint32_t watcher = find(space, a), marker = find(space, b);
    if (watcher == NO_SLOT || marker == NO_SLOT || watcher == marker)
        return false;
    return visibility_sees(space, &space->entities[watcher], &space->entities[marker]);
}

aoi_status aoi_markers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!visibility_markers(space, slot))
        return AOI_NOMEM;
    const struct id_list *found = &space->changes[ENTERED_MARKERS];
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_watchers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    uint32_t slot = find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!visibility_watchers(space, slot))
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
    return space->engine;
}

aoi_map aoi_map_of(const aoi_space *space) {
    return (aoi_map){space->bounded, space->x1, space->y1, space->width, space->height};
}

int aoi_dims(const aoi_space *space) {
    return space->dims;
}

void aoi_get_stats(const aoi_space *space, aoi_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->entities = space->count;
    stats->bytes = space->memory.bytes;
    stats->pending = space->pending.events;
    stats->collected = space->collected.events;
    stats->delivered = space->delivered;
    space->main_index->engine->describe(space->main_index, stats);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (space->classes[i].index != NULL)
            space->classes[i].index->engine->describe(space->classes[i].index, stats);
    }
}

#ifdef AOI_SELF_CHECK
void space_check(const struct aoi_space *space) {
    size_t present = 0, special[RADIUS_CLASSES] = {0}, free_slots = 0;
    for (uint32_t slot = 0; slot < space->used_slots; slot++) {
        const struct entity *entity = &space->entities[slot];
        if (entity->mode == 0)
            continue;
        present++;
        SELF_CHECK(find(space, entity->id) == slot);
        if (space->rule == SIGHT_CELLS)
            continue;
        SELF_CHECK(entity->radius_class == radius_class_of(space, entity->radius));
        if (in_radius_class(entity)) {
            const struct radius_class *class = &space->classes[entity->radius_class];
            SELF_CHECK(class->smallest <= entity->radius && entity->radius <= class->largest);
            special[entity->radius_class]++;
        }
    }
    for (uint32_t slot = space->free_slot; slot != NO_SLOT;
         slot = space->entities[slot].next_free_slot)
        free_slots++;
    SELF_CHECK(present == space->count && present == space->ids.count);
    SELF_CHECK(present + free_slots == space->used_slots);
    SELF_CHECK(space->main_index->count == present);
    space->main_index->engine->check(space->main_index);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        const struct spatial_index *index = space->classes[i].index;
        SELF_CHECK(special[i] == (index == NULL ? 0 : index->count));
        if (index != NULL)
            index->engine->check(index);
    }
}
#endif
