/* explain.c - aoi_explain: the reason why a watcher is told of a marker, or not. */
#include "crowd/crowd.h"
#include "crowd/ranking.h"
#include "crowd/stand.h"
#include "crowd/told.h"

/* The rank of the entity in slot among those that the watcher sees, if the tick came now. */
static struct ranked rank_of(const struct aoi_space *space, uint32_t watcher, uint32_t slot) {
    const struct entity *from = &space->entities.at[watcher], *to = &space->entities.at[slot];
    const bool is_told = told_has(space, watcher, to->id);
    const xy way = {to->x - from->x, to->y - from->y};
    const double square = square_of_way(way, to->z - from->z);
    return (struct ranked){.square = is_told ? square : square * space->crowd->keep_square,
                           .id = to->id,
                           .slot = slot,
                           .told = is_told ? 0 : NEWCOMER,
                           .importance = space->crowd->members.items[slot].traits.importance};
}

static bool is_free(const struct aoi_space *space, uint32_t watcher, uint32_t marker) {
    const struct entity *entity = &space->entities.at[marker];
    return !crowd_counts(space->crowd, entity) ||
           id_list_has(&space->crowd->members.items[watcher].pins, entity->id);
}

/* How many rank before the marker, which is ranked itself. */
static bool count_before(struct aoi_space *space, uint32_t watcher, uint32_t marker,
                         size_t *count) {
    if (!late_moves_apply(&space->late_moves))
        return false;
    const struct id_list *seen = visibility_view(&space->visibility, watcher, ENTERED_MARKERS);
    if (seen == NULL)
        return false;
    const struct ranked own = rank_of(space, watcher, marker);
    *count = 0;
    for (size_t i = 0; i < seen->count; i++) {
        const uint32_t slot = space_find(space, seen->ids[i]);
        const struct ranked other = rank_of(space, watcher, slot);
        *count += slot != marker && !is_free(space, watcher, slot) && ranks_before(&other, &own);
    }
    return true;
}

static aoi_reason reason_to_see(const struct aoi_space *space, uint32_t watcher, uint32_t marker) {
    if (watcher == NO_SLOT || marker == NO_SLOT)
        return AOI_BECAUSE_UNKNOWN;
    if (watcher == marker)
        return AOI_BECAUSE_SELF;
    const struct entity *from = &space->entities.at[watcher], *to = &space->entities.at[marker];
    if (!(from->mode & AOI_WATCHER) || !(to->mode & AOI_MARKER))
        return AOI_BECAUSE_MODE;
    const aoi_sight word = aoi_sight_of(space, from->id, to->id);
    if (word == AOI_SIGHT_NEVER)
        return AOI_BECAUSE_HIDDEN;
    if (word == AOI_SIGHT_BY_RULE && (to->layers & from->sees_layers) == 0)
        return AOI_BECAUSE_LAYER;
    return visibility_sees(&space->visibility, from, to) ? AOI_BECAUSE_SEES : AOI_BECAUSE_RANGE;
}

aoi_status aoi_explain(aoi_space *space, aoi_id watcher_id, aoi_id marker_id, aoi_reason *reason,
                       size_t *rank) {
    const uint32_t watcher = space_find(space, watcher_id), marker = space_find(space, marker_id);
    size_t before = 0;
    *reason = reason_to_see(space, watcher, marker);
    if (rank != NULL)
        *rank = 0;
    if (*reason != AOI_BECAUSE_SEES || space->crowd == NULL)
        return AOI_OK;
    if (!count_before(space, watcher, marker, &before))
        return AOI_NOMEM;
    if (told_has(space, watcher, marker_id))
        *reason = AOI_BECAUSE_TOLD;
    else if (is_free(space, watcher, marker) ||
             before < space->crowd->members.items[watcher].traits.limit)
        *reason = AOI_BECAUSE_WAITS;
    else
        *reason = AOI_BECAUSE_LIMIT;
    if (rank != NULL && *reason == AOI_BECAUSE_LIMIT)
        *rank = before + 1;
    return AOI_OK;
}
