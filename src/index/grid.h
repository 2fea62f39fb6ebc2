/* grid.h - the inside of the grid engine, shared by grid.c and grid_window.h. */
#ifndef AOI_GRID_H
#define AOI_GRID_H

#include "index/buckets.h"
#include "index/spatial_index.h"

struct grid {
    struct spatial_index base;
    uint32_t cols, rows;
    xy corner, cell_size;
    xy per_size;  /* 1 / cell_size; unless it divides */
    bool divides; /* the classic nine-grid, whose cells decide who sees whom; else the cells are
                     found by multiplying, which is faster and as monotone */
    xy last_cell; /* column and row */
    struct bucket *cells; /* cols * rows */
    struct buckets buckets;
};

static inline struct cell cell_at(const struct grid *grid, xy position) {
    xy cell = position - grid->corner;
    cell = grid->divides ? cell / grid->cell_size : cell * grid->per_size;
    cell = xy_lesser(xy_greater(cell, xy_of(0)), grid->last_cell);
    struct cell found;
    xy_truncate(cell, &found.column, &found.row);
    return found;
}

static inline uint32_t number_of(const struct grid *grid, struct cell cell) {
    return cell.row * grid->cols + cell.column;
}

/* The cells around a middle. */
ALWAYS_INLINE struct bucket_window grid_cells_around(const struct grid *grid, xy middle, xy reach) {
    const struct cell low = cell_at(grid, middle - reach), high = cell_at(grid, middle + reach);
    return (struct bucket_window){grid->cells + (size_t)low.row * grid->cols + low.column,
                                  high.column - low.column + 1, high.row - low.row + 1, grid->cols};
}

/* Lets the processor fetch the corners of the cells around a middle. */
ALWAYS_INLINE void grid_prefetch(const struct grid *grid, xy middle, xy reach) {
    const struct bucket_window cells = grid_cells_around(grid, middle, reach);
    const struct bucket *last = cells.corner + (cells.rows - 1) * cells.stride;
    buckets_prefetch(&grid->buckets, cells.corner);
    buckets_prefetch(&grid->buckets, cells.corner + cells.columns - 1);
    buckets_prefetch(&grid->buckets, last);
    buckets_prefetch(&grid->buckets, last + cells.columns - 1);
}

/* The point at handle goes to another position; false, and nothing done, when that is in another
 * cell. */
static inline bool grid_move_in_cell(struct grid *grid, bucket_handle handle, xy to) {
    if (buckets_owner(&grid->buckets, handle) != number_of(grid, cell_at(grid, to)))
        return false;
    buckets_set(&grid->buckets, handle, to[0], to[1]);
    return true;
}

#endif
