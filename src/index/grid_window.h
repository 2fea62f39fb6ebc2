/*
 * grid_window.h - a grid's search of a few cells, to be made part of another
 * function: what the engine interface offers, without the way through it. Only
 * for step.c, which takes the most frequent change in one function.
 */
#ifndef AOI_GRID_WINDOW_H
#define AOI_GRID_WINDOW_H

#include "index/bucket_scan.h"
#include "index/grid.h"

/* A search of the cells around a middle. */
struct grid_window {
    struct ring_search search;
    struct bucket_window cells;
};

/* Sets the window to the cells that a ring touches. */
ALWAYS_INLINE void grid_window_set(struct grid_window *window, const struct grid *grid,
                                   const struct ring *ring) {
    window->search = ring_search_of(&grid->buckets, ring);
    window->cells = grid_cells_around(grid, ring->middle, ring->outer);
}

/* In a window of more cells some lie wholly inside the view: the engine's search leaves them out.
 */
ALWAYS_INLINE bool grid_window_is_small(const struct grid_window *window) {
    return window->cells.columns <= 3 && window->cells.rows <= 3;
}

/* Room for what the search may find. */
ALWAYS_INLINE bool grid_window_reserve(const struct grid *grid, const struct grid_window *window,
                                       struct hits *hits) {
    return buckets_reserve_hits(&grid->buckets, &window->cells, hits);
}

/* One of the scanners of bucket_scan.h. */
typedef void (*window_scanner)(const struct buckets *buckets, bool by_radius,
                               const struct bucket_window *window, const struct ring_search *search,
                               struct hits *hits, struct hits *inside);

/* Room for one more point. */
ALWAYS_INLINE bool grid_reserve_point(struct grid *grid) {
    return buckets_have_room(&grid->buckets) || grid->base.engine->reserve(&grid->base);
}

/* relocate, mostly without a call. */
ALWAYS_INLINE void grid_move(struct grid *grid, uint32_t slot, bucket_handle handle, xy to) {
    if (!grid_move_in_cell(grid, handle, to))
        grid->base.engine->relocate(&grid->base, slot, to[0], to[1]);
}

#endif
