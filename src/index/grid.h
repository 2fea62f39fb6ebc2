/* grid.h - the nine-grid engine beyond the engine interface: what the classic nine-grid needs of
 * it, and what step.c does to save time. */
#ifndef AOI_GRID_H
#define AOI_GRID_H

#include "index/buckets.h"
#include "index/spatial_index.h"

struct entity;

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

struct cell {
    uint32_t column, row;
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

/* The point at place goes to another position; false, and nothing done, when that is in another
 * cell. */
static inline bool grid_move_in_cell(struct grid *grid, bucket_place place, xy to) {
    if (buckets_owner(&grid->buckets, place) != number_of(grid, cell_at(grid, to)))
        return false;
    buckets_set(&grid->buckets, place, to[0], to[1]);
    return true;
}

/* Sets entity->cell from its position. */
void grid_locate(const struct aoi_space *space, struct entity *entity);

/* Classic nine-grid: the entity in slot goes where `after` is, in the same cell. */
void grid_step_in_cell(struct aoi_space *space, uint32_t slot, const struct entity *after);

/* Two cells see each other when they are the same or touch. */
static inline bool grid_cells_touch(uint32_t ax, uint32_t ay, uint32_t bx, uint32_t by) {
    return ax - bx + 1 <= 2 && ay - by + 1 <= 2; /* unsigned: below -1 wraps to huge */
}

/*
 * Appends to hits the slots of all entities in the cells that touch before's
 * cell or after's (NULL: none) but not both, and, unless inside is NULL, those
 * that touch both to inside, which may be hits itself. False: no memory.
 */
bool grid_search_cells(struct spatial_index *index, const struct entity *before,
                       const struct entity *after, struct hits *hits, struct hits *inside);

#endif
