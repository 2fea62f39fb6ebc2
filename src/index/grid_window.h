/*
 * grid_window.h - a grid's search of a few cells, to be made part of another
 * function: what the engine interface offers, without the way through it. Only
 * for step.c, which takes the most frequent change in one function.
 *
 * folded: it is the grid without a map; a constant, for which each caller is
 * made anew.
 */
#ifndef AOI_GRID_WINDOW_H
#define AOI_GRID_WINDOW_H

#include "index/bucket_scan.h"
#include "index/fold.h"
#include "index/grid.h"

/* A search of the cells around a middle. */
struct grid_window {
    struct ring_search search;
    struct bucket_window cells;
};

ALWAYS_INLINE struct buckets *grid_buckets(struct spatial_index *index, bool folded) {
    return folded ? &((struct folded_grid *)index)->buckets : &((struct grid *)index)->buckets;
}

/* Sets the window to the cells that a ring touches; gathered: room for FEW_CELLS * FEW_CELLS of a
 * grid without a map. False: there are more than a few, of which some lie wholly inside the view:
 * the engine's search leaves them out. */
ALWAYS_INLINE bool grid_window_set(struct grid_window *window, struct spatial_index *index,
                                   bool folded, const struct ring *ring, struct bucket *gathered) {
    window->search = ring_search_of(grid_buckets(index, folded), ring);
    if (folded)
        return fold_gather_few((struct folded_grid *)index, ring->middle, ring->outer, gathered,
                               &window->cells);
    window->cells = grid_cells_around((struct grid *)index, ring->middle, ring->outer);
    return window->cells.columns <= FEW_CELLS && window->cells.rows <= FEW_CELLS;
}

/* One of the scanners of bucket_scan.h. */
typedef void (*window_scanner)(const struct buckets *buckets, bool by_radius,
                               const struct bucket_window *window, const struct ring_search *search,
                               struct hits *hits, struct hits *inside);

/* Room for one more point. */
ALWAYS_INLINE bool grid_reserve_point(struct spatial_index *index, bool folded) {
    return buckets_have_room(grid_buckets(index, folded)) || index->engine->reserve(index);
}

/* Lets the processor fetch the corners of the cells around a middle. */
ALWAYS_INLINE void grid_prefetch_around(const struct spatial_index *index, bool folded, xy middle,
                                        xy reach) {
    if (folded)
        fold_prefetch((const struct folded_grid *)index, middle, reach);
    else
        grid_prefetch((const struct grid *)index, middle, reach);
}

/* relocate, mostly without a call. */
ALWAYS_INLINE void grid_move(struct spatial_index *index, bool folded, uint32_t slot,
                             bucket_handle handle, xy to) {
    if (!(folded ? fold_move_in_cell((struct folded_grid *)index, handle, to)
                 : grid_move_in_cell((struct grid *)index, handle, to)))
        index->engine->relocate(index, slot, to[0], to[1]);
}

#endif
