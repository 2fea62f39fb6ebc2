/*
 * step.c - the search of the cells around a step, its judging and its events,
 * in one function.
 *
 * Nothing here is done otherwise than by change.c and visibility.c with the
 * grid behind its interface: the same ring, the same hits in the same order,
 * the same comparisons. But it is one function, made for each kind of
 * processor, so that what one part has found out is at hand for the next.
 */
#include "space/step.h"

#include "space/change.h"
#include "index/grid_window.h"
#include "sight/judge.h"
#include "base/self_check.h"
#include "base/specialised.h"
#include "sight/step_ring.h"

/* How many slots further something is fetched for. */
enum { LOOK_AHEAD = 4 };

struct step {
    struct aoi_space *space;
    struct spatial_index *index;
    bool folded; /* see grid_window.h */
    struct entity *entity;
    uint32_t slot;
    xy to;
    struct ring ring;
    struct grid_window window;
};

/* Says where to search. False: not a step that this file is for. */
ALWAYS_INLINE bool begin(struct step *step, bool moves, double x, double y,
                         struct bucket *gathered) {
    struct aoi_space *space = step->space;
    struct visibility *visibility = &space->visibility;
    struct buckets *buckets = grid_buckets(step->index, step->folded);
    const struct entity *entity = step->entity;
    const xy from = {entity->x, entity->y}, to = {x, y};
    step->to = to;
    if (!has_inside(visibility->rule, entity->radius) ||
        !ring_of_step(visibility->rule, from, to, entity->radius, entity->radius, &step->ring))
        return false;
    begin_step(visibility, from);
    return grid_window_set(&step->window, step->index, step->folded, &step->ring, gathered) &&
           buckets_reserve_hits(buckets, &step->window.cells, &visibility->hits) &&
           (!moves || buckets_reserve_hits(buckets, &step->window.cells, &visibility->inside));
}

/* Judges the hits, and notes those well inside. False: no memory. */
ALWAYS_INLINE bool judge_step(const struct step *step, bool moves) {
    const unsigned both = AS_WATCHER | AS_MARKER;
    struct visibility *visibility = &step->space->visibility;
    const struct judgement judgement =
        judgement_of_step(SIGHT_SQUARE, step->entity, step->slot, step->to);
    if (visibility->hits.count > 0) {
        if (!reserve_lists(visibility))
            return false;
        if (visibility->rule == SIGHT_SQUARE)
            judge_by(SIGHT_SQUARE, both, moves, true, visibility, &judgement, false);
        else
            judge_by(SIGHT_CIRCLE, both, moves, true, visibility, &judgement, false);
    }
    return visibility->inside.count == 0 || note_inside(visibility, &judgement, false);
}

/* Queues what the step brings, also for watchers of unusual radii, and by exceptions. False: no
 * memory. */
ALWAYS_INLINE bool queue_events(const struct step *step, bool moves) {
    struct aoi_space *space = step->space;
    struct visibility *visibility = &space->visibility;
    const bool found = visibility->hits.count > 0 || visibility->inside.count > 0;
    if (!found && space->indexes.unusual_watchers + visibility->exceptions == 0)
        return true;
    clear_changes(visibility);
    if (found && !judge_step(step, moves))
        return false;
    const bool is_over = visibility_is_over(visibility, step->slot, step->to, moves);
    if (!found && is_over)
        return true;
    return (is_over || visibility_end_step(visibility, step->slot, step->to, space_ops(space))) &&
           change_queue_events(space, step->entity->id) == AOI_OK;
}

/* Lets the processor fetch the first hits, before it knows how many there are: a search has written
 * as many in any case, and to count would be to wait. */
ALWAYS_INLINE void fetch_hits(const struct aoi_space *space) {
    enum { AT_ONCE = 4 };
    const struct hits *hits = &space->visibility.hits;
    for (size_t i = 0; i < AT_ONCE; i++)
        __builtin_prefetch(&space->entities.at[hits->slots[i]]);
}

/* An entity that takes a step right after the one in the slot before is one of a row, and the next
 * will probably follow: lets the processor fetch the blocks and the place in the id map of the one
 * after the next, and the entity two further on. */
ALWAYS_INLINE void fetch_row(const struct step *step) {
    struct aoi_space *space = step->space;
    const struct entity *entity = step->entity + 2;
    space->in_row = step->slot == space->last_step + 1;
    space->last_step = step->slot;
    if (!WITH_LOOK_AHEAD || !space->in_row || space->entities.count <= LARGE_SPACE ||
        step->slot + LOOK_AHEAD >= space->entities.used)
        return;
    fetch_hits(space);
    grid_prefetch_around(step->index, step->folded, (xy){entity->x, entity->y}, step->ring.outer);
    __builtin_prefetch(entity + 2);
    idmap_prefetch(&space->entities.ids, entity->id);
}

/* After the search; false: no memory. */
ALWAYS_INLINE bool finish(const struct step *step, bool moves) {
    struct entity *entity = step->entity;
    if (!grid_reserve_point(step->index, step->folded))
        return false;
    fetch_row(step);
    if (!queue_events(step, moves))
        return false;
    grid_move(step->index, step->folded, step->slot, entity->handle[0], step->to);
    entity->x = step->to[0];
    entity->y = step->to[1];
    space_check(step->space);
    return true;
}

/* True when the whole map lies well inside the view, before and after: nobody is to be searched
 * for, however many there are. Mostly its width tells that it does not. */
ALWAYS_INLINE bool has_map_inside(const struct step *step) {
    const struct map *map = &step->space->map;
    if (map->width >= 2 * step->ring.inner[0])
        return false;
    const struct box inner = box_of(step->ring.middle, step->ring.inner);
    return (inner.x1 < map->x1) & (inner.y1 < map->y1) & (map->x2 < inner.x2) &
           (map->y2 < inner.y2);
}

/* The course of a step. moves: somebody listens for them. scan: NULL where there are crowds. */
ALWAYS_INLINE enum step_outcome take(struct aoi_space *space, uint32_t slot, double x, double y,
                                     bool moves, bool folded, window_scanner scan) {
    struct visibility *visibility = &space->visibility;
    struct bucket gathered[FEW_CELLS * FEW_CELLS];
    struct step step = {.space = space,
                        .index = space->indexes.main,
                        .folded = folded,
                        .entity = &space->entities.at[slot],
                        .slot = slot};
    if (!begin(&step, moves, x, y, gathered))
        return STEP_OTHERWISE;
    struct buckets *buckets = grid_buckets(step.index, folded);
    if (scan == NULL)
        buckets_search_crowd(buckets, step.index->memory, &step.window.search, &step.window.cells,
                             &visibility->hits);
    else if (folded || moves || !has_map_inside(&step))
        scan(buckets, false, &step.window.cells, &step.window.search, &visibility->hits,
             moves ? &visibility->inside : NULL);
    return finish(&step, moves) ? STEP_TAKEN : STEP_NO_MEMORY;
}

/* Steps where some bucket is crowded and nobody listens for moves, with a map and without. Apart
 * from the others, whose searches are part of them. */
NEVER_INLINE static enum step_outcome step_among_crowds(struct aoi_space *space, uint32_t slot,
                                                        double x, double y) {
    return take(space, slot, x, y, false, false, NULL);
}

NEVER_INLINE static enum step_outcome step_among_crowds_folded(struct aoi_space *space,
                                                               uint32_t slot, double x, double y) {
    return take(space, slot, x, y, false, true, NULL);
}

/* A step for each kind of processor, with and without moves, with and without a map. */
#define STEP(name, attributes, moves, folded, scan)                                                \
    attributes static enum step_outcome name(struct aoi_space *space, uint32_t slot, double x,     \
                                             double y) {                                           \
        if (!(moves) && grid_buckets(space->indexes.main, folded)->longest >= CROWDED)             \
            return (folded) ? step_among_crowds_folded(space, slot, x, y)                          \
                            : step_among_crowds(space, slot, x, y);                                \
        return take(space, slot, x, y, moves, folded, scan);                                       \
    }

STEP(step_scalar, , false, false, scan_plainly)
STEP(step_scalar_with_moves, , true, false, scan_plainly)
STEP(step_scalar_folded, , false, true, scan_plainly)
STEP(step_scalar_folded_with_moves, , true, true, scan_plainly)

#ifdef HAVE_VECTORS
STEP(step_avx2, FOR_AVX2, false, false, scan_eights)
STEP(step_avx2_with_moves, FOR_AVX2, true, false, scan_eights)
STEP(step_avx2_folded, FOR_AVX2, false, true, scan_eights)
STEP(step_avx2_folded_with_moves, FOR_AVX2, true, true, scan_eights)
#endif

void step_choose(struct aoi_space *space) {
    static const step_function scalar[2][2] = {
        {step_scalar, step_scalar_with_moves},
        {step_scalar_folded, step_scalar_folded_with_moves},
    };
    const step_function *steps = scalar[!space->map.bounded];
    const bool is_round_or_square =
        space->visibility.rule == SIGHT_SQUARE || space->visibility.rule == SIGHT_CIRCLE;
    if (!WITH_FUSED_STEP || space->options.engine != AOI_GRID || !is_round_or_square ||
        space->deferred || space->slack.limit > 0)
        return;
#ifdef HAVE_VECTORS
    static const step_function with_avx2[2][2] = {
        {step_avx2, step_avx2_with_moves},
        {step_avx2_folded, step_avx2_folded_with_moves},
    };
    if (has_avx2())
        steps = with_avx2[!space->map.bounded];
#endif
    space->step = steps[0];
    space->step_with_moves = steps[1];
}
