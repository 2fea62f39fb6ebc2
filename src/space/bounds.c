/* bounds.c - another map for a space that has entities. */
#include "base/complaint.h"
#include "space/options.h"
#include "space/rebuild.h"
#include "space/recording.h"
#include "space/scratch.h"

/* The entity in slot with its old cell. */
static struct entity as_before(const struct rebuild *rebuild, uint32_t slot) {
    struct entity entity = rebuild->space->entities.at[slot];
    entity.cell = rebuild->notes[slot].cell;
    return entity;
}

/* Queues the leave or the enter events of one watcher in a classic nine-grid. */
static bool queue_watcher(struct rebuild *rebuild, uint32_t slot, aoi_op op) {
    struct aoi_space *space = rebuild->space;
    struct visibility *visibility = &space->visibility;
    const struct entity before = as_before(rebuild, slot), after = space->entities.at[slot];
    bool leaves = op == AOI_LEAVE;
    struct spatial_index *index = leaves ? rebuild->indexes.main : space->indexes.main;
    struct hits *hits = &visibility->hits;
    begin_search(visibility);
    if (!index->engine->cells->search(index, leaves ? &before.cell : &after.cell, NULL, hits, NULL))
        return false;
    struct id_list *list = list_begin(space, LIST_MARKERS, hits->count);
    if (list == NULL)
        return false;
    for (size_t i = 0; i < hits->count; i++) {
        uint32_t other = hits->slots[i];
        if (other == slot)
            continue;
        const struct entity marker_before = as_before(rebuild, other);
        const struct entity *marker = &space->entities.at[other];
        bool saw = visibility_sees(visibility, &before, &marker_before);
        bool will_see = visibility_sees(visibility, &after, marker);
        if (leaves ? saw && !will_see : will_see && !saw)
            list->ids[list->count++] = marker->id;
    }
    struct queue *queues[2] = {&space->pending, &space->collected};
    const uint32_t wanted[2] = {space->listen, space->collect};
    for (int i = 0; i < 2; i++) {
        if (!(wanted[i] & op))
            continue;
        if (!queue_reserve(queues[i], &space->memory.events, 1, list->count))
            return false;
        queue_append(queues[i], after.id, op | SEGMENT_SUBJECT_WATCHES | SEGMENT_OF_MANY, list->ids,
                     list->count);
    }
    list_end(space, LIST_MARKERS);
    return true;
}

/* By ascending id, as the queue wants it of a change with several subjects. */
static bool queue_all(struct rebuild *rebuild) {
    struct aoi_space *space = rebuild->space;
    static const aoi_op ops[2] = {AOI_LEAVE, AOI_ENTER};
    struct id_list *watchers = list_begin(space, LIST_WATCHERS, space->entities.count);
    if (watchers == NULL)
        return false;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode & AOI_WATCHER)
            watchers->ids[watchers->count++] = space->entities.at[slot].id;
    }
    if (!list_sort(space, watchers))
        return false;
    queue_begin_change(&space->pending);
    queue_begin_change(&space->collected);
    for (int i = 0; i < 2; i++) {
        if (!(space_ops(space) & ops[i]))
            continue;
        for (size_t watcher = 0; watcher < watchers->count; watcher++) {
            if (!queue_watcher(rebuild, space_find(space, watchers->ids[watcher]), ops[i]))
                return false;
        }
    }
    return true;
}

/* In a deferred classic nine-grid everybody's cell is about to change. */
static bool note_cells(struct aoi_space *space) {
    if (!space_is_classic(space) || !space->deferred)
        return true;
    if (!old_states_reserve(&space->old_states, space->entities.count))
        return false;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0)
            old_states_note_change(&space->old_states, slot);
    }
    return true;
}

static aoi_status set_bounds(struct aoi_space *space, const double bounds[4], aoi_id *outside,
                             aoi_complaint *complaint) {
    if (!space->map.bounded)
        return complain(complaint, "this space has no map");
    aoi_options options = space->options;
    options.given |= AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
    options.x = bounds[0];
    options.y = bounds[1];
    options.width = bounds[2];
    options.height = bounds[3];
    struct map map;
    aoi_status status = options_map(&options, &map, complaint);
    if (status != AOI_OK)
        return status;
    for (uint32_t slot = 0; slot < space->entities.used && !map.clamp; slot++) {
        const struct entity *entity = &space->entities.at[slot];
        if (entity->mode == 0)
            continue;
        aoi_point place = space_place(space, slot);
        if (map_holds(&map, place.x, place.y))
            continue;
        if (outside != NULL)
            *outside = entity->id;
        return AOI_OUTSIDE;
    }
    const size_t noted = space->old_states.count;
    struct rebuild rebuild;
    scratch_end_call(space);
    if (!rebuild_begin(&rebuild, space))
        return AOI_NOMEM;
    space->map = map;
    if (!note_cells(space) || !rebuild_indexes(&rebuild) ||
        (space_is_classic(space) && !space->deferred && !queue_all(&rebuild))) {
        rebuild_fail(&rebuild);
        old_states_take_back(&space->old_states, noted);
        return AOI_NOMEM;
    }
    space->options = options;
    rebuild_end(&rebuild);
    return AOI_OK;
}

aoi_status aoi_set_bounds(aoi_space *space, double x, double y, double width, double height,
                          aoi_id *outside, aoi_complaint *complaint) {
    const double bounds[] = {x, y, width, height};
    if (!RECORD_CALL(space, .kind = CALL_SET_BOUNDS, .bounds = bounds))
        return AOI_NOMEM;
    return call_done(space, set_bounds(space, bounds, outside, complaint));
}
