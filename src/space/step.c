/*
 * step.c - see step.h.
 *
 * Nothing here is done otherwise than by change.c and visibility.c with the
 * grid behind its interface: the same ring, the same hits in the same order,
 * the same comparisons. But it is one function, made for each kind of
 * processor, so that what one part has found out is at hand for the next.
 */
#include "space/step.h"

#include "index/bucket_scan.h"
#include "space/change.h"
#include "index/grid.h"
#include "sight/judge.h"
#include "base/self_check.h"
#include "sight/visibility.h"

/* In larger spaces most of what a search reads is far from the processor; in very large ones,
 * entities, too. */
#ifdef AOI_TINY
enum { LARGE = 4, VERY_LARGE = 8 };
#else
enum { LARGE = 4096, VERY_LARGE = 16384 };
#endif

/* How many slots further something is fetched for. */
enum { LOOK_AHEAD = 4 };

struct step {
    struct aoi_space *space;
    struct grid *grid;
    struct entity *entity;
    uint32_t slot;
    xy to;
    struct ring ring;
    /* What is searched for, and where. */
    struct ring_search search;
    struct bucket_window window;
};

ALWAYS_INLINE struct bucket_window window_around(const struct grid *grid, xy middle, xy reach) {
    const struct cell low = cell_at(grid, middle - reach), high = cell_at(grid, middle + reach);
    return (struct bucket_window){grid->cells + (size_t)low.row * grid->cols + low.column,
                                  high.column - low.column + 1, high.row - low.row + 1, grid->cols};
}

/* Says where to search. False: not a step that this file is for. */
ALWAYS_INLINE bool begin(struct step *step, struct aoi_space *space, bool moves, uint32_t slot,
                         double x, double y) {
    struct grid *grid = (struct grid *)space->main_index;
    struct entity *entity = &space->entities[slot];
    const xy from = {entity->x, entity->y}, to = {x, y};
    *step = (struct step){.space = space, .grid = grid, .entity = entity, .slot = slot, .to = to};
    if (!has_inside(space->rule, entity->radius) ||
        !ring_of_step(space->rule, from, to, entity->radius, entity->radius, &step->ring))
        return false;
    step->search = ring_search_of(&grid->buckets, &step->ring);
    step->window = window_around(grid, step->ring.middle, step->ring.outer);
    begin_search(space);
    /* In a window of more cells some lie wholly inside the view: grid_search leaves them out. */
    return step->window.columns <= 3 && step->window.rows <= 3 &&
           buckets_reserve_hits(&grid->buckets, &space->memory, &step->window, &space->hits) &&
           (!moves ||
            buckets_reserve_hits(&grid->buckets, &space->memory, &step->window, &space->inside));
}

/* Judges the hits, and notes those well inside. False: no memory. */
ALWAYS_INLINE bool judge_step(const struct step *step, bool moves) {
    const unsigned both = AS_WATCHER | AS_MARKER;
    struct aoi_space *space = step->space;
    const struct judgement judgement =
        judgement_of_step(SIGHT_SQUARE, step->entity, step->slot, step->to);
    if (space->hits.count > 0) {
        if (!reserve_lists(space))
            return false;
        if (space->rule == SIGHT_SQUARE)
            judge_by(SIGHT_SQUARE, both, moves, true, space, &judgement, false);
        else
            judge_by(SIGHT_CIRCLE, both, moves, true, space, &judgement, false);
    }
    return space->inside.count == 0 || note_inside(space, &judgement, false);
}

/* Tells what the step brings, also to watchers of unusual radii. False: no memory. */
ALWAYS_INLINE bool tell(const struct step *step, bool moves) {
    struct aoi_space *space = step->space;
    if (space->hits.count == 0 && space->inside.count == 0 && space->unusual_watchers == 0)
        return true;
    clear_changes(space);
    return judge_step(step, moves) &&
           (space->unusual_watchers == 0 ||
            visibility_step_in_classes(space, step->slot, step->to,
                                       space->listen | space->collect)) &&
           change_queue_events(space, step->entity->id) == AOI_OK;
}

ALWAYS_INLINE void go(const struct step *step) {
    struct grid *grid = step->grid;
    const double x = step->to[0], y = step->to[1];
    if (!grid_move_in_cell(grid, step->entity->place[0], step->to))
        grid->base.engine->relocate(&grid->base, step->slot, x, y);
    step->entity->x = x;
    step->entity->y = y;
}

/* Lets the processor fetch the blocks for the one after the next in a row, and the entity two
 * further on. */
ALWAYS_INLINE void fetch_blocks(const struct step *step) {
    const struct grid *grid = step->grid;
    const struct entity *entity = step->entity + 2;
    const struct bucket_window window =
        window_around(grid, (xy){entity->x, entity->y}, step->ring.outer);
    const struct bucket *last = window.corner + (window.rows - 1) * window.stride;
    buckets_prefetch(&grid->buckets, window.corner);
    buckets_prefetch(&grid->buckets, window.corner + window.columns - 1);
    buckets_prefetch(&grid->buckets, last);
    buckets_prefetch(&grid->buckets, last + window.columns - 1);
    __builtin_prefetch(entity + 2);
}

/* Who takes a step right after the entity in the slot before is one of a row, and the next will
 * probably follow. */
ALWAYS_INLINE bool is_in_row(const struct step *step) {
    struct aoi_space *space = step->space;
    const bool follows = step->slot == space->last_step + 1;
    space->last_step = step->slot;
    return follows && space->count > LARGE && step->slot + LOOK_AHEAD < space->used_slots;
}

/* After the search; false: no memory. */
ALWAYS_INLINE bool finish(const struct step *step, bool moves, bool goes_on) {
    struct grid *grid = step->grid;
    if (!buckets_have_room(&grid->buckets) && !grid->base.engine->reserve(&grid->base))
        return false;
    if (goes_on)
        fetch_blocks(step);
    if (!tell(step, moves))
        return false;
    go(step);
    space_check(step->space);
    return true;
}

/* What the next one in a row will search, if its step is no longer than the last. */
struct next_search {
    struct ring_search search;
    struct bucket_window window;
};

/* False: no memory. */
ALWAYS_INLINE bool begin_next(struct next_search *next, struct aoi_space *space,
                              const struct entity *entity, xy wall) {
    const struct grid *grid = (const struct grid *)space->main_index;
    const xy middle = {entity->x, entity->y};
    const float thick = (float)(wall[0] > wall[1] ? wall[0] : wall[1]) * 2;
    const float radius = (float)entity->radius, outer = radius + thick, inner = radius - thick;
    next->search = (struct ring_search){.x = (float)middle[0],
                                        .y = (float)middle[1],
                                        .outer_x = outer,
                                        .outer_y = outer,
                                        .inner_x = inner,
                                        .inner_y = inner};
    next->window = window_around(grid, middle, xy_of((double)outer));
    space->hits.count = 0;
    return buckets_reserve_hits(&grid->buckets, &space->memory, &next->window, &space->hits);
}

/* Lets the processor fetch the hits, and where the search for the id of who comes after `entity`
 * begins. */
ALWAYS_INLINE void fetch_hits(const struct aoi_space *space, const struct entity *entity) {
    /* Scans have written as many in any case, and to count would be to wait. */
    enum { AT_ONCE = 4 };
    const struct hits *hits = &space->hits;
    for (size_t i = 0; i < AT_ONCE; i++)
        __builtin_prefetch(&space->entities[hits->slots[i]]);
    for (size_t i = AT_ONCE; i < hits->count; i++)
        __builtin_prefetch(&space->entities[hits->slots[i]]);
    idmap_prefetch(&space->ids, entity[1].id);
}

/* Lets the processor fetch the entities that the one in slot will probably be judged with: to wait
 * for them would take longer than to search twice. wall: of the ring before it. scan is one of
 * bucket_scan.h. */
#define FETCH_HITS_OF_NEXT(scan)                                                                   \
    const struct grid *grid = (const struct grid *)space->main_index;                              \
    const struct entity *entity = &space->entities[slot];                                          \
    struct next_search next;                                                                       \
    if (begin_next(&next, space, entity, wall)) {                                                  \
        scan(&grid->buckets, false, &next.window, &next.search, &space->hits, NULL);               \
        fetch_hits(space, entity);                                                                 \
    }                                                                                              \
    (void)0

/* The course of a step. moves: somebody listens for them. */
#define TAKE_STEP(scan, moves, fetch_hits_of_next)                                                 \
    struct step step;                                                                              \
    if (!begin(&step, space, moves, slot, x, y))                                                   \
        return STEP_OTHERWISE;                                                                     \
    scan(&step.grid->buckets, false, &step.window, &step.search, &space->hits,                     \
         (moves) ? &space->inside : NULL);                                                         \
    const bool goes_on = is_in_row(&step);                                                         \
    if (!finish(&step, moves, goes_on))                                                            \
        return STEP_NO_MEMORY;                                                                     \
    if (goes_on && space->count > VERY_LARGE)                                                      \
        fetch_hits_of_next(space, slot + 1, step.ring.wall);                                       \
    return STEP_TAKEN

NEVER_INLINE static void fetch_hits_of_next_scalar(struct aoi_space *space, uint32_t slot,
                                                   xy wall) {
    FETCH_HITS_OF_NEXT(scan_plainly);
}

static enum step_outcome step_scalar(struct aoi_space *space, uint32_t slot, double x, double y) {
    TAKE_STEP(scan_plainly, false, fetch_hits_of_next_scalar);
}

static enum step_outcome step_scalar_with_moves(struct aoi_space *space, uint32_t slot, double x,
                                                double y) {
    TAKE_STEP(scan_plainly, true, fetch_hits_of_next_scalar);
}

#ifdef HAVE_VECTORS
FOR_AVX2 NEVER_INLINE static void fetch_hits_of_next_avx2(struct aoi_space *space, uint32_t slot,
                                                          xy wall) {
    FETCH_HITS_OF_NEXT(scan_eights);
}

FOR_AVX2 static enum step_outcome step_avx2(struct aoi_space *space, uint32_t slot, double x,
                                            double y) {
    TAKE_STEP(scan_eights, false, fetch_hits_of_next_avx2);
}

FOR_AVX2 static enum step_outcome step_avx2_with_moves(struct aoi_space *space, uint32_t slot,
                                                       double x, double y) {
    TAKE_STEP(scan_eights, true, fetch_hits_of_next_avx2);
}

FOR_AVX512 NEVER_INLINE static void fetch_hits_of_next_avx512(struct aoi_space *space,
                                                              uint32_t slot, xy wall) {
    FETCH_HITS_OF_NEXT(scan_sixteens);
}

FOR_AVX512 static enum step_outcome step_avx512(struct aoi_space *space, uint32_t slot, double x,
                                                double y) {
    TAKE_STEP(scan_sixteens, false, fetch_hits_of_next_avx512);
}

FOR_AVX512 static enum step_outcome step_avx512_with_moves(struct aoi_space *space, uint32_t slot,
                                                           double x, double y) {
    TAKE_STEP(scan_sixteens, true, fetch_hits_of_next_avx512);
}
#endif

void step_choose(struct aoi_space *space) {
    const bool is_round_or_square = space->rule == SIGHT_SQUARE || space->rule == SIGHT_CIRCLE;
    if (space->options.engine != AOI_GRID || !is_round_or_square || space->deferred ||
        space->slack > 0)
        return;
    space->step = step_scalar;
    space->step_with_moves = step_scalar_with_moves;
#ifdef HAVE_VECTORS
    if (has_avx2()) {
        space->step = step_avx2;
        space->step_with_moves = step_avx2_with_moves;
    }
    if (has_avx512()) {
        space->step = step_avx512;
        space->step_with_moves = step_avx512_with_moves;
    }
#endif
}
