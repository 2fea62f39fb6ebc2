/*
 * fold.h - the inside of the grid without a map, shared by fold.c and
 * grid_window.h.
 *
 * The plane is cut into cells, and the cells into tiles, each as large as the
 * fold: an array of buckets. A cell stands at its place in its tile, shifted by
 * a hash of the tile, modulo the sides of the fold: powers of two. So a bucket
 * holds strangers from far away, which fall out in the scan; and clusters that
 * are exactly a fold apart do not meet in one bucket.
 */
#ifndef AOI_FOLD_H
#define AOI_FOLD_H

#include "base/always_inline.h"
#include "index/buckets.h"
#include "index/spatial_index.h"

/* The owner of a chain is the number of its bucket, with a bit that tells the fold from the one
 * before, and one that is set while buckets are gathered. */
enum { MOST_FOLD_BITS = 28 };
#define FOLD_NUMBER (((uint32_t)1 << MOST_FOLD_BITS) - 1)
#define FOLD_GATHERED ((uint32_t)1 << 30)
#define FOLD_TAG ((uint32_t)1 << 31)

/* The smallest fold. */
#ifdef AOI_TINY
enum { LEAST_FOLD_BITS = 0 };
#else
enum { LEAST_FOLD_BITS = 6 };
#endif

/* columns * rows buckets, both powers of two; row by row. */
struct fold {
    struct bucket *buckets; /* NULL: there is no such fold */
    uint32_t columns, rows;
    int64_t column_mask, row_mask; /* one less */
    uint32_t tag;                  /* 0 or FOLD_TAG */
};

struct folded_grid {
    struct spatial_index base;
    struct buckets buckets; /* the chains of both folds */
    double cell;            /* side of a cell; may be infinite */
    double per_size;        /* 1 / cell, but normal */
    struct fold now;
    unsigned bits;   /* log2 of its buckets */
    struct fold old; /* while there is one, its points move to the new one, some with each change */
    uint32_t unmoved; /* its buckets before this one may have points */
    bool batching;
    size_t rests; /* batch: changes after which no points went on to the new fold */
    size_t owed;  /* batch: blocks that taking back removals from the old fold may need */
    struct bucket least[1 << LEAST_FOLD_BITS]; /* the smallest fold, which takes no memory */
};

/* A column and a row of the plane, both from the same far number on. */
struct folded_cell {
    int64_t column, row;
};

/* Cells beyond this one count as it does; far below 2^52, up to which doubles hold every number. */
#define FARTHEST_CELL 0x1p50

/* Added to a smaller number it rounds that, and leaves it in the last bits. */
#define CELL_ROUNDER 0x1.8p52

typedef int64_t two_integers __attribute__((vector_size(16)));

/* Of two coordinates the greater never has the lesser number. */
ALWAYS_INLINE struct folded_cell folded_cell_at(const struct folded_grid *grid, xy position) {
    const xy cell = xy_greater(position * xy_of(grid->per_size), xy_of(-FARTHEST_CELL));
    const two_integers bits =
        (two_integers)(xy_lesser(cell, xy_of(FARTHEST_CELL)) + xy_of(CELL_ROUNDER));
    return (struct folded_cell){bits[0], bits[1]};
}

/* How far the cells of a cell's tile are shifted: columns by the upper bits, rows by those below.
 * Tiles side by side are as far from each other as can be. */
ALWAYS_INLINE struct folded_cell fold_shift(const struct fold *fold, struct folded_cell cell) {
    const uint64_t hash = (uint64_t)(cell.column & ~fold->column_mask) * 0x9E3779B97F4A7C15 +
                          (uint64_t)(cell.row & ~fold->row_mask) * 0xC2B2AE3D27D4EB4F;
    return (struct folded_cell){(int64_t)(hash >> 50), (int64_t)(hash >> 36)};
}

ALWAYS_INLINE uint32_t fold_number(const struct fold *fold, struct folded_cell cell,
                                   struct folded_cell shift) {
    const int64_t column = (cell.column + shift.column) & fold->column_mask;
    const int64_t row = (cell.row + shift.row) & fold->row_mask;
    return (uint32_t)(row * fold->columns + column);
}

/* The owner of the chain for a position. */
ALWAYS_INLINE uint32_t fold_owner_at(const struct folded_grid *grid, const struct fold *fold,
                                     xy position) {
    const struct folded_cell cell = folded_cell_at(grid, position);
    return fold_number(fold, cell, fold_shift(fold, cell)) | fold->tag;
}

/* The point at handle goes to another position; false, and nothing done, when that is in another
 * bucket. */
ALWAYS_INLINE bool fold_move_in_cell(struct folded_grid *grid, bucket_handle handle, xy to) {
    if (buckets_owner(&grid->buckets, handle) != fold_owner_at(grid, &grid->now, to))
        return false;
    buckets_set(&grid->buckets, handle, to[0], to[1]);
    return true;
}

/* Cells from low to high, but for those strictly between the two of the hole. */
struct cell_span {
    struct folded_cell low, high, hole_low, hole_high;
};

ALWAYS_INLINE bool is_in_one_tile(const struct fold *fold, const struct cell_span *span) {
    return (((span->low.column ^ span->high.column) & ~fold->column_mask) |
            ((span->low.row ^ span->high.row) & ~fold->row_mask)) == 0;
}

/* Copies the buckets of the cells, but for empty ones, each once; returns how many. */
size_t fold_gather(const struct folded_grid *grid, const struct fold *fold,
                   const struct cell_span *span, struct bucket *to);

/* The buckets of the cells at the corners of a span in one tile. */
struct fold_corners {
    const struct bucket *first, *second, *third, *fourth;
};

ALWAYS_INLINE struct fold_corners fold_corners_of(const struct fold *fold,
                                                  const struct cell_span *span) {
    const struct folded_cell shift = fold_shift(fold, span->low);
    const int64_t left = (span->low.column + shift.column) & fold->column_mask;
    const int64_t right = (span->high.column + shift.column) & fold->column_mask;
    const struct bucket *below =
        fold->buckets + ((span->low.row + shift.row) & fold->row_mask) * fold->columns;
    const struct bucket *above =
        fold->buckets + ((span->high.row + shift.row) & fold->row_mask) * fold->columns;
    return (struct fold_corners){below + left, below + right, above + left, above + right};
}

enum { FEW_CELLS = 3 /* each way */ };

/* The cells around a middle, gathered to room for FEW_CELLS * FEW_CELLS. False: there are more, or
 * two folds. Where no cell is smaller than a view these are corners: no branches. */
ALWAYS_INLINE bool fold_gather_few(const struct folded_grid *grid, xy middle, xy reach,
                                   struct bucket *to, struct bucket_window *window) {
    const struct fold *fold = &grid->now;
    const struct cell_span span = {.low = folded_cell_at(grid, middle - reach),
                                   .high = folded_cell_at(grid, middle + reach)};
    const int64_t columns = span.high.column - span.low.column;
    const int64_t rows = span.high.row - span.low.row;
    size_t count = 0;
    if (columns >= FEW_CELLS || rows >= FEW_CELLS || grid->old.buckets != NULL)
        return false;
    if ((columns | rows) > 1 || !is_in_one_tile(fold, &span)) {
        count = fold_gather(grid, fold, &span, to);
    } else {
        const struct fold_corners corners = fold_corners_of(fold, &span);
        to[0] = *corners.first;
        to[count = 1] = *corners.second;
        to[count += (size_t)columns] = *corners.third;
        to[count += (size_t)rows] = *corners.fourth;
        count += (size_t)(columns & rows);
    }
    *window = (struct bucket_window){to, count, 1, 0};
    return true;
}

/* Lets the processor fetch the corners of the cells around a middle. */
ALWAYS_INLINE void fold_prefetch(const struct folded_grid *grid, xy middle, xy reach) {
    const struct cell_span span = {.low = folded_cell_at(grid, middle - reach),
                                   .high = folded_cell_at(grid, middle + reach)};
    const struct fold_corners corners = fold_corners_of(&grid->now, &span);
    buckets_prefetch(&grid->buckets, corners.first);
    buckets_prefetch(&grid->buckets, corners.second);
    buckets_prefetch(&grid->buckets, corners.third);
    buckets_prefetch(&grid->buckets, corners.fourth);
}

#endif
