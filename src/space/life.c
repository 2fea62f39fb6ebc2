/* life.c - how a space is made and ends, and who listens to it. */
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

#include "space/capability.h"
#include "space/change.h"
#include "space/course.h"
#include "space/options.h"
#include "space/recording.h"
#include "space/scratch.h"
#include "base/self_check.h"
#include "base/specialised.h"
#include "space/step.h"
#include "events/reading.h"
#include "events/telling.h"

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

static const struct spatial_index_engine *const engines[] = {[AOI_GRID] = &grid_engine,
                                                             [AOI_CROSSLIST] = &crosslist_engine,
                                                             [AOI_QUADTREE] = &quadtree_engine};

/* Shows the parts of the space to each other. */
static void assemble(struct aoi_space *space) {
    struct index_setup *setup = &space->indexes.setup;
    setup->memory = &space->memory.index;
    setup->entities = &space->entities;
    setup->map = &space->map;
    setup->cells_decide = space_is_classic(space);
    const bool folded = space->options.engine == AOI_GRID && !space->map.bounded;
    space->indexes.engine = folded ? &fold_engine : engines[space->options.engine];
    struct visibility *visibility = &space->visibility;
    visibility->memory = &space->memory.scratch;
    visibility->hits.memory = visibility->inside.memory = visibility->memory;
    visibility->entities = &space->entities;
    visibility->indexes = &space->indexes;
    visibility->map = &space->map;
    beacons_init(&visibility->beacons, visibility->rule, &space->memory.entities, space->deferred);
    visibility->sights.memory = &space->memory.sights;
    visibility->sights.deferred = space->deferred;
    space->old_states.memory = &space->memory.changes;
    space->old_states.entities = &space->entities;
    space->old_states.slack = &space->slack;
    space->handed.memory = &space->memory.changes;
    space->tick_pool.memory = &space->memory.tick;
    space->log.memory = &space->memory.record;
    space->log.dims = (uint8_t)space->dims;
    space->late_moves.indexes = &space->indexes;
    space->late_moves.used =
        WITH_LATE_MOVES && space->deferred && space->indexes.engine->can_be_late;
}

aoi_status aoi_create(const aoi_options *given_options, aoi_space **space_out,
                      aoi_complaint *complaint) {
    /* A caller built against an older header has a shorter struct: its missing fields are 0. */
    aoi_options options = aoi_options_default(AOI_GRID);
    size_t size = given_options->struct_size;
    memcpy(&options, given_options, size < sizeof options ? size : sizeof options);
    struct aoi_space setup;
    memset(&setup, 0, sizeof setup);
    const struct memory none = {.allocate = options.allocator != NULL ? options.allocator
                                                                      : c_library_allocator,
                                .userdata = options.allocator_userdata};
    setup.memory = (struct purposes){none, none, none, none, none, none, none, none, none, none};
    aoi_status status = options_apply(&options, &setup, complaint);
    if (status != AOI_OK)
        return status;
    setup.wants = AOI_TELL_EVENT;
    struct aoi_space *space = memory_resize(&setup.memory.entities, NULL, 0, 1, sizeof *space);
    if (space == NULL)
        return AOI_NOMEM;
    *space = setup;
    entities_init(&space->entities);
    assemble(space);
    step_choose(space);
    course_choose(space);
    bool created = true;
    for (const struct capability *const *each = capabilities; created && *each != NULL; each++)
        created = (*each)->create == NULL || (*each)->create(space);
    if (!created || !indexes_create(&space->indexes, space->default_radius)) {
        aoi_destroy(space);
        return AOI_NOMEM;
    }
    *space_out = space;
    return AOI_OK;
}

/* Frees whatever grows with the entities, but for the indexes. */
static void release(struct aoi_space *space) {
    struct purposes *memory = &space->memory;
    ASK_ALL(clear, space);
    entities_free(&space->entities, &memory->entities);
    beacons_free(&space->visibility.beacons);
    sights_free(&space->visibility.sights);
    visibility_count_exceptions(&space->visibility);
    array_free(&space->slack.places, &memory->entities);
    queue_free(&space->pending, &memory->events);
    queue_free(&space->collected, &memory->events);
    old_states_free(&space->old_states);
    handed_free(&space->handed);
    array_free(&space->late_moves.slots, &memory->index);
    scratch_free(space);
}

void aoi_destroy(aoi_space *space) {
    if (space == NULL)
        return;
    release(space);
    array_free(&space->log.bytes, &space->memory.record);
    ASK_ALL(destroy, space);
    indexes_destroy(&space->indexes);
    struct purposes last = space->memory;
    memory_resize(&last.entities, space, 1, 0, sizeof *space);
    SELF_CHECK(last.entities.bytes == 0 && last.index.bytes == 0 && last.changes.bytes == 0);
    SELF_CHECK(last.areas.bytes == 0 && last.sights.bytes == 0);
    SELF_CHECK(last.crowd.bytes == 0 && last.events.bytes == 0 && last.tick.bytes == 0 &&
               last.record.bytes == 0 && last.scratch.bytes == 0);
}

aoi_status aoi_clear(aoi_space *space) {
    if (!RECORD_CALL(space, .kind = CALL_CLEAR))
        return AOI_NOMEM;
    release(space);
    indexes_clear(&space->indexes);
    space_check(space);
    return call_done(space, AOI_OK);
}

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

/* Nothing is in the queue any more. If something has been taken since this was last so, a delivery
 * is over, which is a period; in a deferred space ticks are. */
static void end_delivery(struct aoi_space *space, struct queue *queue) {
    if (queue->use.used == 0 || space->deferred)
        return;
    if (queue_is_large(queue))
        queue_trim_delivered(queue, &space->memory.events);
    queue->use.used = 0;
    scratch_end_call(space);
}

bool aoi_next_event(aoi_space *space, aoi_event *event) {
    if (!queue_next(&space->pending, event)) {
        end_delivery(space, &space->pending);
        return false;
    }
    space->delivered++;
    return true;
}

bool aoi_peek(aoi_space *space, aoi_telling *telling) {
    if (telling_peek(&space->pending, &space->memory.events, space->wants, telling))
        return true;
    end_delivery(space, &space->pending);
    return false;
}

void aoi_told(aoi_space *space) {
    size_t before = aoi_pending(space);
    telling_advance(&space->pending, &space->memory.events, space->wants);
    space->delivered += before - aoi_pending(space);
}

size_t aoi_pending(const aoi_space *space) {
    return space->pending.events - space->pending.progress.delivered;
}

bool aoi_is_midway(const aoi_space *space) {
    return space->pending.progress.is_older;
}

void aoi_listen(aoi_space *space, uint32_t ops, uint32_t wants) {
    const struct listeners listeners = {space->wants, ops, wants, space->is_unheard};
    telling_change_listeners(&space->pending, &listeners);
    space->listen = ops;
    space->wants = wants;
    space->is_unheard = false;
    end_delivery(space, &space->pending);
}

void aoi_drop_pending(aoi_space *space) {
    queue_clear(&space->pending);
    end_delivery(space, &space->pending);
}

bool aoi_collected_event(const aoi_space *space, aoi_cursor *cursor, aoi_event *event) {
    return queue_read(&space->collected, cursor, event);
}

size_t aoi_collected(const aoi_space *space) {
    return space->collected.events;
}

void aoi_collect(aoi_space *space, uint32_t ops) {
    space->collect = space->options.collect = ops;
    queue_keep(&space->collected, ops, 0);
    end_delivery(space, &space->collected);
}

aoi_status drop_collected(struct aoi_space *space, uint64_t count) {
    if (!RECORD_CALL(space, .kind = CALL_DROP_COLLECTED, .count = count))
        return AOI_NOMEM;
    aoi_event event;
    if (count == 0)
        queue_clear(&space->collected);
    for (; count > 0 && queue_next(&space->collected, &event); count--)
        ;
    if (space->collected.events == 0)
        end_delivery(space, &space->collected);
    return call_done(space, AOI_OK);
}

aoi_status aoi_drop_oldest_collected(aoi_space *space, size_t count) {
    return count == 0 || space->collected.events == 0 ? AOI_OK : drop_collected(space, count);
}

aoi_status aoi_drop_collected(aoi_space *space) {
    return space->collected.events == 0 ? AOI_OK : drop_collected(space, 0);
}
