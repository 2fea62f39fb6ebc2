/*
 * grid.c - the nine-grid engine: a map cut into cells, each cell a chain of
 * points (buckets.h).
 *
 * Cells are numbered row by row: number = row * cols + column; back again,
 * column = number % cols and row = number / cols. A position outside the map
 * counts in the nearest border cell; the cell of a coordinate therefore never
 * falls as the coordinate grows, and a box of coordinates is a box of cells.
 */
#include "index/grid.h"

#include <math.h>
#include <string.h>

#include "base/always_inline.h"
#include "index/buckets.h"
#include "base/self_check.h"

static struct grid *grid_of(struct spatial_index *index) {
    return (struct grid *)index;
}

static void grid_destroy(struct spatial_index *index) {
    struct grid *grid = grid_of(index);
    struct memory *memory = index->memory;
    buckets_free(&grid->buckets, memory);
    memory_resize(memory, grid->cells, (size_t)grid->cols * grid->rows, 0, sizeof *grid->cells);
    memory_resize(memory, grid, 1, 0, sizeof *grid);
}

static void grid_clear(struct spatial_index *index) {
    struct grid *grid = grid_of(index);
    memset(grid->cells, 0, (size_t)grid->cols * grid->rows * sizeof *grid->cells);
    buckets_free(&grid->buckets, index->memory);
    index->count = 0;
}

static bool grid_reserve(struct spatial_index *index) {
    struct buckets *buckets = &grid_of(index)->buckets;
    return buckets_have_room(buckets) || buckets_reserve(buckets, index->memory, 1);
}

static void add_to_cell(struct grid *grid, uint32_t slot, double x, double y) {
    uint32_t cell = number_of(grid, cell_at(grid, (xy){x, y}));
    buckets_add(&grid->buckets, &grid->base, &grid->cells[cell], cell, slot, x, y);
}

static void remove_from_cell(struct grid *grid, uint32_t slot) {
    uint32_t cell = buckets_owner(&grid->buckets, *bucket_handle_of(&grid->base, slot));
    buckets_remove(&grid->buckets, &grid->base, &grid->cells[cell], slot);
}

static void grid_insert(struct spatial_index *index, uint32_t slot) {
    const struct entity *entity = &index->entities->at[slot];
    add_to_cell(grid_of(index), slot, entity->x, entity->y);
    index->count++;
}

static void grid_remove(struct spatial_index *index, uint32_t slot) {
    remove_from_cell(grid_of(index), slot);
    index->count--;
}

/* Apart from grid_relocate, which is short without it. */
NEVER_INLINE static void change_cell(struct grid *grid, uint32_t slot, double x, double y) {
    remove_from_cell(grid, slot);
    add_to_cell(grid, slot, x, y);
}

static bool grid_relocate_in_cell(struct spatial_index *index, uint32_t slot, double x, double y) {
    return grid_move_in_cell(grid_of(index), *bucket_handle_of(index, slot), (xy){x, y});
}

static void grid_relocate(struct spatial_index *index, uint32_t slot, double x, double y) {
    if (!grid_relocate_in_cell(index, slot, x, y))
        change_cell(grid_of(index), slot, x, y);
}

/* Searches columns col1 to col2 - 1 of rows row1 to row2 - 1. */
static bool search_window(const struct grid *grid, uint32_t col1, uint32_t col2, uint32_t row1,
                          uint32_t row2, const struct ring_search *search, struct hits *hits,
                          struct hits *inside) {
    const struct bucket_window window = {grid->cells + (size_t)row1 * grid->cols + col1,
                                         col2 - col1, row2 - row1, grid->cols};
    return buckets_search(&grid->buckets, &window, search, hits, inside);
}

static bool grid_search(struct spatial_index *index, const struct ring *ring, uint32_t near_slot,
                        struct hits *hits, struct hits *inside) {
    (void)near_slot;
    const struct grid *grid = grid_of(index);
    const struct ring_search search = ring_search_of(&grid->buckets, ring);
    const struct cell low = cell_at(grid, ring->middle - ring->outer);
    const struct cell high = cell_at(grid, ring->middle + ring->outer);
    uint32_t col1 = low.column, col2 = high.column + 1, row1 = low.row, row2 = high.row + 1;
    /* Cells strictly between those of the inner borders lie wholly inside: nothing to find. */
    if (col2 - col1 > 3 && row2 - row1 > 3 && ring_is_hollow(ring) && inside == NULL) {
        const struct cell inner_low = cell_at(grid, ring->middle - ring->inner);
        const struct cell inner_high = cell_at(grid, ring->middle + ring->inner);
        uint32_t skip_col1 = inner_low.column + 1, skip_col2 = inner_high.column;
        uint32_t skip_row1 = inner_low.row + 1, skip_row2 = inner_high.row;
        if (skip_col1 < skip_col2 && skip_row1 < skip_row2)
            return search_window(grid, col1, col2, row1, skip_row1, &search, hits, NULL) &&
                   search_window(grid, col1, skip_col1, skip_row1, skip_row2, &search, hits,
                                 NULL) &&
                   search_window(grid, skip_col2, col2, skip_row1, skip_row2, &search, hits,
                                 NULL) &&
                   search_window(grid, col1, col2, skip_row2, row2, &search, hits, NULL);
    }
    return search_window(grid, col1, col2, row1, row2, &search, hits, inside);
}

/* Two cells see each other when they are the same or touch. */
static bool grid_search_cells(struct spatial_index *index, const struct cell *before,
                              const struct cell *after, struct hits *hits, struct hits *inside) {
    struct grid *grid = grid_of(index);
    const struct cell *centres[2] = {before, after};
    bool same_cell = before != NULL && after != NULL && before->column == after->column &&
                     before->row == after->row;
    if (same_cell && inside == NULL)
        return true;
    for (int i = 0; i < 2; i++) {
        const struct cell *centre = centres[i], *other = centres[1 - i];
        if (centre == NULL || (same_cell && i == 1))
            continue;
        uint32_t col1 = centre->column == 0 ? 0 : centre->column - 1;
        uint32_t col2 = centre->column + 1 < grid->cols ? centre->column + 1 : grid->cols - 1;
        uint32_t row1 = centre->row == 0 ? 0 : centre->row - 1;
        uint32_t row2 = centre->row + 1 < grid->rows ? centre->row + 1 : grid->rows - 1;
        for (uint32_t row = row1; row <= row2; row++) {
            for (uint32_t col = col1; col <= col2; col++) {
                bool both = other != NULL && col - other->column + 1 <= 2 &&
                            row - other->row + 1 <= 2; /* unsigned: no borders */
                if (both && (inside == NULL || i == 1))
                    continue; /* a cell of both is searched once, with the first centre */
                const struct bucket *cell = &grid->cells[(size_t)row * grid->cols + col];
                if (!buckets_append(&grid->buckets, cell, both ? inside : hits))
                    return false;
            }
        }
    }
    return true;
}

static struct cell grid_cell_at(const struct spatial_index *index, double x, double y) {
    return cell_at((const struct grid *)index, (xy){x, y});
}

static const struct cell_rule grid_cell_rule = {
    .cell_at = grid_cell_at,
    .relocate_in_cell = grid_relocate_in_cell,
    .search = grid_search_cells,
};

static void grid_fetch(const struct spatial_index *index, uint32_t slot, double x, double y,
                       double reach) {
    (void)slot;
    grid_prefetch((const struct grid *)index, (xy){x, y}, xy_of(reach));
}

static void grid_describe(const struct spatial_index *index, aoi_stats *stats) {
    const struct grid *grid = (const struct grid *)index;
    size_t cells = (size_t)grid->cols * grid->rows;
    stats->cells += cells;
    for (size_t i = 0; i < cells; i++) {
        if (grid->cells[i].count > stats->longest_chain)
            stats->longest_chain = grid->cells[i].count;
    }
    if (index->is_main) {
        stats->cols = grid->cols;
        stats->rows = grid->rows;
        stats->cell_width = grid->cell_size[0];
        stats->cell_height = grid->cell_size[1];
    }
}

static void grid_list_cells(const struct spatial_index *index, struct cell_list *list) {
    const struct grid *grid = (const struct grid *)index;
    const double width = grid->cell_size[0], height = grid->cell_size[1];
    for (uint32_t row = 0; row < grid->rows; row++) {
        for (uint32_t column = 0; column < grid->cols; column++) {
            const struct cell cell = {column, row};
            cell_list_add(list, (aoi_cell){grid->corner[0] + column * width,
                                           grid->corner[1] + row * height, width, height,
                                           grid->cells[number_of(grid, cell)].count});
        }
    }
}

#ifdef AOI_SELF_CHECK
static bool cell_holds(const struct spatial_index *index, uint32_t owner, double x, double y) {
    const struct grid *grid = (const struct grid *)index;
    return owner == number_of(grid, cell_at(grid, (xy){x, y}));
}

static void grid_check(const struct spatial_index *index) {
    const struct grid *grid = (const struct grid *)index;
    size_t count = 0;
    for (uint32_t cell = 0; cell < grid->cols * grid->rows; cell++)
        count += buckets_check(&grid->buckets, &grid->cells[cell], cell);
    SELF_CHECK(count == index->count);
    buckets_check_entities(&grid->buckets, index, cell_holds);
}
#endif

/* Cells for watchers of an unusual radius; few of them, so that a class costs little memory. */
static void size_for_reach(struct grid *grid, double reach) {
    const struct map *map = grid->base.map;
    enum { MOST_PER_AXIS = 256 };
    double width = fmax(2 * reach, map->cell_width), height = fmax(2 * reach, map->cell_height);
    double cols = ceil(map->width / width), rows = ceil(map->height / height);
    grid->cols = (uint32_t)fmin(fmax(cols, 1), MOST_PER_AXIS);
    grid->rows = (uint32_t)fmin(fmax(rows, 1), MOST_PER_AXIS);
    grid->cell_size = (xy){map->width / grid->cols, map->height / grid->rows};
}

static struct spatial_index *grid_create(const struct index_setup *setup, unsigned radius_class,
                                         double reach) {
    struct memory *memory = setup->memory;
    const struct map *map = setup->map;
    struct grid *grid = memory_resize(memory, NULL, 0, 1, sizeof *grid);
    if (grid == NULL)
        return NULL;
    memset(grid, 0, sizeof *grid);
    grid->base = spatial_index_of(&grid_engine, setup, radius_class);
    const bool is_main = grid->base.is_main;
    grid->corner = (xy){map->x1, map->y1};
    if (is_main) {
        grid->cols = map->cols;
        grid->rows = map->rows;
        grid->cell_size = (xy){map->cell_width, map->cell_height};
    } else {
        size_for_reach(grid, reach);
    }
    grid->per_size = xy_of(1) / grid->cell_size;
    /* The inverse may be too large or too small to be of use. */
    grid->divides =
        setup->cells_decide || !isnormal(grid->per_size[0]) || !isnormal(grid->per_size[1]);
    grid->last_cell = (xy){(double)(grid->cols - 1), (double)(grid->rows - 1)};
    buckets_init(&grid->buckets, !is_main);
    size_t cells = (size_t)grid->cols * grid->rows;
    grid->cells = memory_resize(memory, NULL, 0, cells, sizeof *grid->cells);
    if (grid->cells == NULL) {
        grid_destroy(&grid->base);
        return NULL;
    }
    grid_clear(&grid->base);
    return &grid->base;
}

const struct spatial_index_engine grid_engine = {
    .name = "grid",
    .keeps_radii = true,
    .cells = &grid_cell_rule,
    .can_be_late = true,
    .create = grid_create,
    .destroy = grid_destroy,
    .clear = grid_clear,
    .reserve = grid_reserve,
    .insert = grid_insert,
    .remove = grid_remove,
    .relocate = grid_relocate,
    .search = grid_search,
    .fetch = grid_fetch,
    .describe = grid_describe,
    .list_cells = grid_list_cells,
#ifdef AOI_SELF_CHECK
    .check = grid_check,
#endif
};
