/* questions.c - the questions of a caller about a space: they change nothing. Shapes are in
 * query.c. */
#include <string.h>

#include "space/capability.h"
#include "space/scratch.h"

size_t aoi_count(const aoi_space *space) {
    return space->entities.count;
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
    *radius = space_is_classic(space) ? 0 : space->entities.at[slot].radius;
    return AOI_OK;
}

aoi_status aoi_traits_of(const aoi_space *space, aoi_id id, aoi_traits *traits) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    const struct entity *entity = &space->entities.at[slot];
    *traits = (aoi_traits){.given = AOI_TRAIT_MODE | AOI_TRAIT_LAYERS | AOI_TRAIT_SEES_LAYERS,
                           .mode = entity->mode,
                           .layers = entity->layers,
                           .sees_layers = entity->sees_layers};
    if (!space_is_classic(space)) {
        traits->given |= AOI_TRAIT_RADIUS | AOI_TRAIT_VISIBLE_RADIUS;
        traits->radius = entity->radius;
        traits->visible_radius = space_visible(space, slot);
    }
    if (space->keeper != NULL) {
        const struct crowd_traits *kept = space->keeper->traits_at(space, slot);
        traits->given |= AOI_TRAIT_LIMIT | AOI_TRAIT_IMPORTANCE;
        traits->limit = kept->limit;
        traits->importance = kept->importance;
    }
    return AOI_OK;
}

bool aoi_sees(const aoi_space *space, aoi_id a, aoi_id b) {
    uint32_t watcher = space_find(space, a), marker = space_find(space, b);
    if (watcher == NO_SLOT || marker == NO_SLOT || watcher == marker)
        return false;
    return visibility_sees(&space->visibility, &space->entities.at[watcher],
                           &space->entities.at[marker]);
}

static aoi_status ask_view(aoi_space *space, aoi_id id, int view, aoi_list *list) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    if (!late_moves_apply(&space->late_moves))
        return AOI_NOMEM;
    const struct id_list *found = visibility_view(&space->visibility, slot, view);
    if (found == NULL)
        return AOI_NOMEM;
    *list = (aoi_list){found->ids, found->count};
    return AOI_OK;
}

aoi_status aoi_markers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask_view(space, id, ENTERED_MARKERS, list);
}

aoi_status aoi_watchers_of(aoi_space *space, aoi_id id, aoi_list *list) {
    return ask_view(space, id, ENTERED_WATCHERS, list);
}

aoi_status aoi_ids(aoi_space *space, aoi_list *list) {
    scratch_end_call(space);
    struct id_list *all = list_begin(space, LIST_ANSWER, space->entities.count);
    if (all == NULL)
        return AOI_NOMEM;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0)
            all->ids[all->count++] = space->entities.at[slot].id;
    }
    *list = (aoi_list){all->ids, all->count};
    return AOI_OK;
}

aoi_engine aoi_engine_of(const aoi_space *space) {
    return space->options.engine;
}

aoi_map aoi_map_of(const aoi_space *space) {
    const struct map *map = &space->map;
    return map->bounded ? (aoi_map){true, map->x1, map->y1, map->width, map->height}
                        : (aoi_map){.bounded = false};
}

int aoi_dims(const aoi_space *space) {
    return space->dims;
}

void aoi_options_of(const aoi_space *space, aoi_options *options) {
    const size_t size = options->struct_size;
    aoi_options all = space->options;
    all.struct_size = size;
    memcpy(options, &all, size < sizeof all ? size : sizeof all);
}

size_t aoi_cells(const aoi_space *space, aoi_cell *cells, size_t room) {
    struct cell_list list = {cells, room, 0};
    space->indexes.engine->list_cells(space->indexes.main, &list);
    return list.count;
}

aoi_moment aoi_moment_of(const aoi_space *space) {
    return space->moment;
}

uint32_t aoi_collects(const aoi_space *space) {
    return space->collect;
}

void aoi_get_stats(const aoi_space *space, aoi_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->entities = space->entities.count;
    const struct purposes *memory = &space->memory;
    stats->held = (aoi_held){
        .entities = memory->entities.bytes,
        .index = memory->index.bytes,
        .changes = memory->changes.bytes,
        .crowd = memory->crowd.bytes,
        .areas = memory->areas.bytes,
        .sights = memory->sights.bytes,
        .events = memory->events.bytes,
        .tick = memory->tick.bytes,
        .record = memory->record.bytes,
        .scratch = memory->scratch.bytes,
    };
    stats->bytes = stats->held.entities + stats->held.index + stats->held.changes +
                   stats->held.crowd + stats->held.areas + stats->held.sights + stats->held.events +
                   stats->held.tick + stats->held.record + stats->held.scratch;
    stats->sights = space->visibility.sights.count;
    ASK_ALL(describe, space, stats);
    stats->pending = aoi_pending(space);
    stats->collected = space->collected.events;
    stats->changed = space->old_states.count;
    stats->delivered = space->delivered;
    stats->moment = space->moment;
    indexes_describe(&space->indexes, stats);
}
