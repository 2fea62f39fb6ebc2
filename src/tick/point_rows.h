/*
 * point_rows.h - many points at once, sorted into rows and columns, for a
 * tick that looks at everybody's neighbours.
 *
 * Built anew each time: a row is as high as the reach of a search, so the
 * points near a point are in its own row and the rows above and below it,
 * each time in one run of columns. The coordinates stand side by side as
 * floats, relative to a corner, to be compared eight at a time. Searches may
 * find more than is asked for, never less.
 *
 * Rows and columns cover where most points are; whoever stands far out
 * counts in the nearest of them.
 */
#ifndef AOI_POINT_ROWS_H
#define AOI_POINT_ROWS_H

#include "base/pool.h"
#include "index/ring.h"

struct spot {
    double x, y;
};

/* A point's place in the order, and which spot it was. */
struct spot_key {
    uint32_t key, index;
};

struct point_rows;

/* A point and how far others are from it: the larger of both axes is at most `outer`, and not less
 * than `inner`. In floats, wide enough for their rounding. */
struct around {
    float x, y, outer, inner;
};

/* A part of one row: the positions from..to - 1, of which those past the column `last` need not be
 * looked at. */
struct run {
    size_t from, to;
    uint32_t last;
};

/* How far a walk through all pairs has come; all zero at the start. */
struct row_walk {
    size_t position;
    uint32_t row;
    size_t next_begin;
};

/* Writes the positions of the points of a run that are around the point to hits; returns how many.
 * hits has room for the whole run and 8 more. */
typedef size_t (*run_scanner)(const struct point_rows *points, struct run run,
                              const struct around *around, uint32_t *hits);

/*
 * Finds the pairs of points that are within `outer` of each other on both axes, and not both nearer
 * than `inner` (negative: none is too near). Each pair comes once, as two positions. Goes on from
 * where the walk is until it has `enough` pairs, or has passed as many points, or all; returns how
 * many it wrote. The arrays have
 * room for enough + most_near + 16. outer is at most the reach of the build.
 */
typedef size_t (*find_pairs_function)(const struct point_rows *points, struct row_walk *walk,
                                      double outer, double inner, size_t enough, uint32_t *firsts,
                                      uint32_t *seconds);

struct point_rows {
    float *x, *y;           /* by position in the order, relative to the corner */
    uint16_t *columns;      /* the column of each */
    struct spot_key *keys;  /* after building: index is the spot that stands here */
    struct spot_key *spare; /* while building: what x and y become */
    size_t count;           /* points */
    size_t most_near;       /* most points in two rows, one after the other */
    uint32_t *row_starts;   /* rows + 1: positions */
    uint32_t rows, cols;
    xy corner;
    xy per_unit;  /* columns, rows */
    double slip;  /* what rounding can take from a difference of coordinates up to `extent` */
    float extent; /* of rows and columns, from the corner */
    find_pairs_function find_pairs; /* the fastest ones that this processor has */
    run_scanner scan;
};

void point_rows_init(struct point_rows *points);

/* Room for so many points, in the pool. */
bool point_rows_reserve(struct point_rows *points, struct pool *pool, size_t count);

/* Sorts the spots, as many as there is room for, for searches that reach this far
 * (0 .. infinity). They are not needed any more then. O(n). */
void point_rows_build(struct point_rows *points, const struct spot *spots, double reach);

/* The end of those that are in the row of a position that has been passed, and in the next one. */
static inline size_t point_rows_near_end(const struct point_rows *points,
                                         const struct row_walk *walk) {
    const uint32_t end = walk->row + 2 < points->rows ? walk->row + 2 : points->rows;
    return points->row_starts[end];
}

/* Finds all points around (x, y) in the same way, at any distance. Returns how many positions it
 * wrote to hits, which has room for the count and 8 more. */
size_t point_rows_around(const struct point_rows *points, double x, double y, double outer,
                         double inner, uint32_t *hits);

#endif
