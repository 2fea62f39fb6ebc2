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

#include "memory.h"
#include "ring.h"

struct spot {
    double x, y;
    uint32_t number; /* the caller's */
};

/* A point's place in the order, and which spot it was. */
struct spot_key {
    uint32_t key, index;
};

/* Positions from..to - 1 that are strictly inside no inner box and in the outer box go to hits;
 * returns how many. hits has room for eight more than to - from. */
typedef size_t (*column_scanner)(const float *x, const float *y, size_t from, size_t to,
                                 const float outer[4], const float inner[4], uint32_t *hits);

struct point_rows {
    float *x, *y;          /* by position in the order, relative to the corner */
    uint32_t *columns;     /* the column of each */
    struct spot_key *keys; /* after building: index is the spot that stands here */
    struct spot_key *spare;
    size_t count, capacity; /* points */
    uint32_t *row_starts;   /* rows + 1: positions */
    size_t row_capacity;
    uint32_t rows, cols;
    double corner_x, corner_y;
    double rows_per_unit, cols_per_unit;
    column_scanner scan;
};

void point_rows_init(struct point_rows *points);
void point_rows_free(struct point_rows *points, struct memory *memory);

/* Sorts the spots for searches that reach this far (0 .. infinity). O(n). False: no memory. */
bool point_rows_build(struct point_rows *points, struct memory *memory, const struct spot *spots,
                      size_t count, double reach);

/* Where the neighbours of the last point were, for a walk through all points in order. */
struct row_walk {
    uint32_t row;
    size_t same_end, next_begin, next_end;
};

/*
 * Finds the neighbours of the point at `position` that come later in the order, within `outer` on
 * both axes and not both nearer than `inner` (negative: none is too near). Positions must ascend
 * from call to call; outer is at most the reach of the build. Returns how many positions it wrote
 * to hits, which has room for the count and 8 more.
 */
size_t point_rows_later(const struct point_rows *points, struct row_walk *walk, size_t position,
                        double outer, double inner, uint32_t *hits);

/* Finds all points around (x, y) in the same way, at any distance. */
size_t point_rows_around(const struct point_rows *points, double x, double y, double outer,
                         double inner, uint32_t *hits);

#endif
