/*
 * fold.c - the grid without a map: a grid (grid.c) whose cells share an array
 * of buckets, as fold.h says.
 *
 * The fold follows the number of entities. When they are too many or too few
 * for it, a new one is made beside it, and each change moves some points from
 * the old one; until that is empty, searches look into both.
 */
#include "index/fold.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

/* How many points there may be for each bucket, on an average; where there are fewer than an
 * eighth of that, the fold is too large. How many points a change moves from one fold to another,
 * and up to how many buckets a search gathers without memory. */
#ifdef AOI_TINY
enum { MOST_PER_BUCKET = 8, MOVES_PER_CHANGE = 1, FEW_BUCKETS = 2 };
#else
enum { MOST_PER_BUCKET = 4, MOVES_PER_CHANGE = 256, FEW_BUCKETS = 64 };
#endif
/* How many changes of a batch are made up for at its end. */
enum { MOST_MADE_UP = 16 };

static struct folded_grid *folded_of(struct spatial_index *index) {
    return (struct folded_grid *)index;
}

static size_t size_of_fold(const struct fold *fold) {
    return (size_t)fold->columns * fold->rows;
}

/* ------------------------------------------------------------------ */
/* Folds                                                               */
/* ------------------------------------------------------------------ */

static void drop_fold(struct folded_grid *grid, struct fold *fold) {
    if (fold->buckets != NULL && fold->buckets != grid->least)
        memory_resize(grid->base.memory, fold->buckets, size_of_fold(fold), 0,
                      sizeof *fold->buckets);
    fold->buckets = NULL;
}

/* Makes an empty fold the one of now. False: no memory, and nothing is done. */
static bool make_fold(struct folded_grid *grid, unsigned bits) {
    struct fold fold = {.columns = (uint32_t)1 << (bits + 1) / 2,
                        .rows = (uint32_t)1 << bits / 2,
                        .tag = grid->now.tag ^ FOLD_TAG};
    fold.column_mask = fold.columns - 1;
    fold.row_mask = fold.rows - 1;
    fold.buckets =
        bits == LEAST_FOLD_BITS
            ? grid->least
            : memory_resize(grid->base.memory, NULL, 0, size_of_fold(&fold), sizeof *fold.buckets);
    if (fold.buckets == NULL)
        return false;
    memset(fold.buckets, 0, size_of_fold(&fold) * sizeof *fold.buckets);
    grid->now = fold;
    grid->bits = bits;
    return true;
}

/* Begins to move to another fold when this one is too small or too large by far, and no move is
 * under way. One that can't be made is tried again with the next change. */
static void choose_fold(struct folded_grid *grid) {
    if (grid->old.buckets != NULL)
        return;
    const unsigned bits = grid->bits;
    const size_t count = grid->base.count, most = (size_t)MOST_PER_BUCKET << bits;
    unsigned better = bits;
    if (count > most) {
        while (better < MOST_FOLD_BITS && count > (size_t)MOST_PER_BUCKET << better)
            better++;
    } else if (count < most / 8) {
        while (better > LEAST_FOLD_BITS && count < (size_t)MOST_PER_BUCKET << better >> 1)
            better--;
    }
    const struct fold now = grid->now;
    if (better != bits && make_fold(grid, better)) {
        grid->old = now;
        grid->unmoved = (uint32_t)size_of_fold(&now);
    }
}

/* Moves some points to the fold of now. Never needs memory to go on later: where it lacks, they
 * wait. */
static void move_some(struct folded_grid *grid) {
    struct buckets *buckets = &grid->buckets;
    for (int moves = 0; moves < MOVES_PER_CHANGE && grid->old.buckets != NULL; moves++) {
        if (grid->unmoved == 0) {
            drop_fold(grid, &grid->old);
            break;
        }
        struct bucket *from = &grid->old.buckets[grid->unmoved - 1];
        if (from->count == 0) {
            grid->unmoved--;
            continue;
        }
        if (!buckets_reserve(buckets, grid->base.memory, 1))
            break;
        const uint32_t slot = buckets->blocks.items[from->first].slot[bucket_last_lane(from)];
        const struct entity *entity = &grid->base.entities->at[slot];
        const uint32_t owner = fold_owner_at(grid, &grid->now, (xy){entity->x, entity->y});
        buckets_remove(buckets, &grid->base, from, slot);
        buckets_add(buckets, &grid->base, &grid->now.buckets[owner & FOLD_NUMBER], owner, slot,
                    entity->x, entity->y);
    }
}

static void go_on(struct folded_grid *grid) {
    choose_fold(grid);
    move_some(grid);
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

static void add_point(struct folded_grid *grid, struct fold *fold, uint32_t slot, double x,
                      double y) {
    const uint32_t owner = fold_owner_at(grid, fold, (xy){x, y}), number = owner & FOLD_NUMBER;
    buckets_add(&grid->buckets, &grid->base, &fold->buckets[number], owner, slot, x, y);
    if (fold == &grid->old && number >= grid->unmoved)
        grid->unmoved = number + 1;
}

/* The fold that a point is in. */
static struct fold *fold_of(struct folded_grid *grid, uint32_t slot) {
    const uint32_t owner = buckets_owner(&grid->buckets, *bucket_handle_of(&grid->base, slot));
    return (owner & FOLD_TAG) == grid->now.tag ? &grid->now : &grid->old;
}

static void remove_point(struct folded_grid *grid, const struct fold *fold, uint32_t slot) {
    const uint32_t owner = buckets_owner(&grid->buckets, *bucket_handle_of(&grid->base, slot));
    buckets_remove(&grid->buckets, &grid->base, &fold->buckets[owner & FOLD_NUMBER], slot);
}

/* Taking back a batch never needs memory: points go back to the chains that they came from, in
 * reverse order. So no others go on to another fold until its end. */
static void rest(struct folded_grid *grid) {
    grid->rests++;
}

static void fold_insert(struct spatial_index *index, uint32_t slot) {
    struct folded_grid *grid = folded_of(index);
    const struct entity *entity = &index->entities->at[slot];
    add_point(grid, &grid->now, slot, entity->x, entity->y);
    index->count++;
    if (grid->rests > 0)
        rest(grid);
    else
        go_on(grid);
}

static void fold_remove(struct spatial_index *index, uint32_t slot) {
    struct folded_grid *grid = folded_of(index);
    const struct fold *fold = fold_of(grid, slot);
    remove_point(grid, fold, slot);
    index->count--;
    if (grid->batching) {
        grid->owed += fold == &grid->old; /* it would come back into the fold of now */
        rest(grid);
    } else {
        go_on(grid);
    }
}

/* A point that moves comes to the fold of now, which is chosen before. So move_some, which asks
 * entities where they are, meets none whose place is about to change. */
static void fold_relocate(struct spatial_index *index, uint32_t slot, double x, double y) {
    struct folded_grid *grid = folded_of(index);
    if (!grid->batching)
        choose_fold(grid);
    if (!fold_move_in_cell(grid, *bucket_handle_of(index, slot), (xy){x, y})) {
        struct fold *fold = fold_of(grid, slot);
        remove_point(grid, fold, slot);
        add_point(grid, grid->batching ? fold : &grid->now, slot, x, y);
    }
    if (grid->batching)
        rest(grid);
    else
        move_some(grid);
}

static void fold_begin_batch(struct spatial_index *index) {
    folded_of(index)->batching = true;
}

static void fold_end_batch(struct spatial_index *index) {
    struct folded_grid *grid = folded_of(index);
    grid->batching = false;
    grid->owed = 0;
    for (int made_up = 0; grid->rests > 0 && made_up < MOST_MADE_UP; made_up++, grid->rests--)
        go_on(grid);
    grid->rests = 0;
}

/* ------------------------------------------------------------------ */
/* Searches                                                            */
/* ------------------------------------------------------------------ */

/* Cells of different tiles may share a bucket: those that are gathered carry a mark. */
size_t fold_gather(const struct folded_grid *grid, const struct fold *fold,
                   const struct cell_span *span, struct bucket *to) {
    struct bucket_link *links = grid->buckets.links.items;
    size_t count = 0;
    for (int64_t row = span->low.row; row <= span->high.row; row++) {
        const bool meets_hole = span->hole_low.row < row && row < span->hole_high.row;
        for (int64_t column = span->low.column; column <= span->high.column; column++) {
            if (meets_hole && span->hole_low.column < column && column < span->hole_high.column)
                column = span->hole_high.column;
            const struct folded_cell cell = {column, row};
            const struct bucket bucket =
                fold->buckets[fold_number(fold, cell, fold_shift(fold, cell))];
            if (bucket.count == 0 || (links[bucket.first].owner & FOLD_GATHERED))
                continue;
            links[bucket.first].owner |= FOLD_GATHERED;
            to[count++] = bucket;
        }
    }
    for (size_t i = 0; i < count; i++)
        links[to[i].first].owner &= ~FOLD_GATHERED;
    return count;
}

/* Where there are as many cells as buckets, all buckets are searched. */
static bool search_fold(const struct folded_grid *grid, const struct fold *fold,
                        const struct cell_span *span, const struct ring_search *search,
                        struct hits *hits, struct hits *inside) {
    const int64_t size = (int64_t)size_of_fold(fold);
    const int64_t columns = span->high.column - span->low.column + 1;
    const int64_t rows = span->high.row - span->low.row + 1;
    struct bucket_window window = {fold->buckets, (size_t)size, 1, 0};
    struct bucket few[FEW_BUCKETS];
    struct ARRAY_OF(struct bucket) many = {NULL, 0, 0};
    if (columns < size && rows < size && columns * rows < size) {
        const size_t cells = (size_t)(columns * rows);
        if (cells > FEW_BUCKETS && !array_reserve(&many, hits->memory, cells))
            return false;
        struct bucket *to = cells > FEW_BUCKETS ? many.items : few;
        window = (struct bucket_window){to, fold_gather(grid, fold, span, to), 1, 0};
    }
    const bool searched = buckets_search(&grid->buckets, &window, search, hits, inside);
    array_free(&many, hits->memory);
    return searched;
}

static bool fold_search(struct spatial_index *index, const struct ring *ring, uint32_t near_slot,
                        struct hits *hits, struct hits *inside) {
    (void)near_slot;
    struct folded_grid *grid = folded_of(index);
    const struct ring_search search = ring_search_of(&grid->buckets, ring);
    struct cell_span span = {.low = folded_cell_at(grid, ring->middle - ring->outer),
                             .high = folded_cell_at(grid, ring->middle + ring->outer)};
    /* Cells strictly between those of the inner borders lie wholly inside: nothing to find. */
    if (ring_is_hollow(ring) && inside == NULL) {
        span.hole_low = folded_cell_at(grid, ring->middle - ring->inner);
        span.hole_high = folded_cell_at(grid, ring->middle + ring->inner);
    }
    return search_fold(grid, &grid->now, &span, &search, hits, inside) &&
           (grid->old.buckets == NULL ||
            search_fold(grid, &grid->old, &span, &search, hits, inside));
}

static void fold_fetch(const struct spatial_index *index, uint32_t slot, double x, double y,
                       double reach) {
    (void)slot;
    fold_prefetch((const struct folded_grid *)index, (xy){x, y}, xy_of(reach));
}

/* Of a sample of the entities. O(1) unless most have left. */
static struct box fold_extent(const struct spatial_index *index) {
    enum { SAMPLE = 64 };
    const struct entities *entities = index->entities;
    const uint32_t stride = entities->used / SAMPLE + 1;
    struct box extent = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t offset = 0; offset < stride && extent.x1 > extent.x2; offset++) {
        for (uint32_t slot = offset; slot < entities->used; slot += stride) {
            const struct entity *entity = &entities->at[slot];
            if (entity->mode == 0)
                continue;
            extent = (struct box){fmin(extent.x1, entity->x), fmin(extent.y1, entity->y),
                                  fmax(extent.x2, entity->x), fmax(extent.y2, entity->y)};
        }
    }
    return extent;
}

/* ------------------------------------------------------------------ */
/* The look of it                                                      */
/* ------------------------------------------------------------------ */

static void fold_describe(const struct spatial_index *index, aoi_stats *stats) {
    const struct folded_grid *grid = (const struct folded_grid *)index;
    const struct fold *folds[2] = {&grid->now, &grid->old};
    for (int i = 0; i < 2 && folds[i]->buckets != NULL; i++) {
        const size_t size = size_of_fold(folds[i]);
        stats->cells += size;
        for (size_t number = 0; number < size; number++) {
            if (folds[i]->buckets[number].count > stats->longest_chain)
                stats->longest_chain = folds[i]->buckets[number].count;
        }
    }
    if (index->is_main)
        stats->cell_width = stats->cell_height = grid->cell;
}

/* A point in a chain; block 0: behind the last one. */
struct chain_point {
    uint32_t block, lane;
};

static struct chain_point next_point(const struct folded_grid *grid, struct chain_point point) {
    const struct buckets *buckets = &grid->buckets;
    const uint32_t lane = point.lane + 1;
    return lane < BUCKET_LANES && buckets->blocks.items[point.block].slot[lane] != NO_SLOT
               ? (struct chain_point){point.block, lane}
               : (struct chain_point){buckets->links.items[point.block].next, 0};
}

static bool is_in_cell(const struct folded_grid *grid, struct chain_point point,
                       struct folded_cell cell) {
    const uint32_t slot = grid->buckets.blocks.items[point.block].slot[point.lane];
    const struct entity *entity = &grid->base.entities->at[slot];
    const struct folded_cell its = folded_cell_at(grid, (xy){entity->x, entity->y});
    return its.column == cell.column && its.row == cell.row;
}

/* The cells that a bucket has points of: the first point of each cell counts it. */
static void list_cells_of(const struct folded_grid *grid, const struct bucket *bucket,
                          struct cell_list *list) {
    const struct chain_point start = {bucket->first, 0};
    const struct folded_cell origin = folded_cell_at(grid, xy_of(0));
    for (struct chain_point at = start; at.block != 0; at = next_point(grid, at)) {
        const uint32_t slot = grid->buckets.blocks.items[at.block].slot[at.lane];
        const struct entity *entity = &grid->base.entities->at[slot];
        const struct folded_cell cell = folded_cell_at(grid, (xy){entity->x, entity->y});
        struct chain_point same = start;
        while (!is_in_cell(grid, same, cell))
            same = next_point(grid, same);
        if (same.block != at.block || same.lane != at.lane)
            continue;
        size_t count = 0;
        for (; same.block != 0; same = next_point(grid, same))
            count += is_in_cell(grid, same, cell);
        const double column = (double)(cell.column - origin.column) - 0.5;
        const double row = (double)(cell.row - origin.row) - 0.5, size = 1 / grid->per_size;
        cell_list_add(list, (aoi_cell){column * size, row * size, size, size, count});
    }
}

static void fold_list_cells(const struct spatial_index *index, struct cell_list *list) {
    const struct folded_grid *grid = (const struct folded_grid *)index;
    const struct fold *folds[2] = {&grid->now, &grid->old};
    for (int i = 0; i < 2 && folds[i]->buckets != NULL; i++) {
        for (size_t number = 0; number < size_of_fold(folds[i]); number++)
            list_cells_of(grid, &folds[i]->buckets[number], list);
    }
}

#ifdef AOI_SELF_CHECK
static bool fold_holds(const struct spatial_index *index, uint32_t owner, double x, double y) {
    const struct folded_grid *grid = (const struct folded_grid *)index;
    return owner == fold_owner_at(grid, &grid->now, (xy){x, y}) ||
           (grid->old.buckets != NULL && owner == fold_owner_at(grid, &grid->old, (xy){x, y}));
}

static void fold_check(const struct spatial_index *index) {
    const struct folded_grid *grid = (const struct folded_grid *)index;
    const struct fold *folds[2] = {&grid->now, &grid->old};
    size_t count = 0;
    for (int i = 0; i < 2 && folds[i]->buckets != NULL; i++) {
        for (uint32_t number = 0; number < size_of_fold(folds[i]); number++) {
            SELF_CHECK(i == 0 || number < grid->unmoved || folds[i]->buckets[number].count == 0);
            count +=
                buckets_check(&grid->buckets, &folds[i]->buckets[number], number | folds[i]->tag);
        }
    }
    SELF_CHECK(count == index->count);
    buckets_check_entities(&grid->buckets, index, fold_holds);
}
#endif

/* ------------------------------------------------------------------ */
/* The engine                                                          */
/* ------------------------------------------------------------------ */

static void fold_clear(struct spatial_index *index) {
    struct folded_grid *grid = folded_of(index);
    drop_fold(grid, &grid->now);
    drop_fold(grid, &grid->old);
    make_fold(grid, LEAST_FOLD_BITS); /* needs no memory */
    buckets_free(&grid->buckets, index->memory);
    index->count = 0;
}

static void fold_destroy(struct spatial_index *index) {
    fold_clear(index);
    memory_resize(index->memory, folded_of(index), 1, 0, sizeof(struct folded_grid));
}

static bool fold_reserve(struct spatial_index *index) {
    struct folded_grid *grid = folded_of(index);
    /* One more for a removal, which a batch may take back; but for those it needs no room. */
    if (grid->batching && grid->old.buckets != NULL)
        return buckets_reserve(&grid->buckets, index->memory, grid->owed + 2);
    return buckets_have_room(&grid->buckets) || buckets_reserve(&grid->buckets, index->memory, 1);
}

static struct spatial_index *fold_create(const struct index_setup *setup, unsigned radius_class,
                                         double reach) {
    struct folded_grid *grid = memory_resize(setup->memory, NULL, 0, 1, sizeof *grid);
    if (grid == NULL)
        return NULL;
    memset(grid, 0, sizeof *grid);
    grid->base = spatial_index_of(&fold_engine, setup, radius_class);
    const double cell = setup->map->cell_width;
    grid->cell = grid->base.is_main ? cell : fmax(2 * reach, cell);
    grid->per_size = fmin(fmax(1 / grid->cell, DBL_MIN), DBL_MAX);
    buckets_init(&grid->buckets, !grid->base.is_main);
    fold_clear(&grid->base);
    return &grid->base;
}

const struct spatial_index_engine fold_engine = {
    .name = "grid",
    .keeps_radii = true,
    .can_be_late = true,
    .create = fold_create,
    .destroy = fold_destroy,
    .clear = fold_clear,
    .reserve = fold_reserve,
    .insert = fold_insert,
    .remove = fold_remove,
    .relocate = fold_relocate,
    .search = fold_search,
    .fetch = fold_fetch,
    .extent = fold_extent,
    .begin_batch = fold_begin_batch,
    .end_batch = fold_end_batch,
    .describe = fold_describe,
    .list_cells = fold_list_cells,
#ifdef AOI_SELF_CHECK
    .check = fold_check,
#endif
};
