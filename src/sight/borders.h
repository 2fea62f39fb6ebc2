/*
 * borders.h - where the border of a beacon's reach may be: for each small cell of the plane, the
 * beacons whose border may touch it.
 *
 * Most steps are far from all borders: one look tells. The cells are folded to a square table, so a
 * border may seem to be where none is, and never the other way round. Boxes of one size have cells
 * of one size: so many to a cell of their area grid. A border is listed with some room around it,
 * so that a beacon can take several steps before its cells change.
 */
#ifndef AOI_BORDERS_H
#define AOI_BORDERS_H

#include "index/area_grid.h"

enum { BORDERS_PER_CELL = 8 };

#define NO_LISTED UINT32_MAX

/* A beacon in the list of a cell. */
struct listed_border {
    uint32_t beacon, next; /* NO_LISTED ends a list */
};

/* A square or circle of this radius around a place; radius 0: none. inverse: of the cells of the
 * area grid where its box stands. */
struct border {
    double x, y, radius, inverse;
    bool is_round;
};

struct borders {
    uint32_t *heads; /* by cell */
    uint32_t side;   /* a power of two */
    struct ARRAY_OF(struct listed_border) listed;
    uint32_t free;                     /* list through next */
    struct ARRAY_OF(struct border) at; /* by beacon: as it is listed */
    size_t room;                       /* for so many beacons */
};

typedef int64_t border_cell __attribute__((vector_size(16)));

/* The column and row of a place, given in cells: the nearest whole numbers, of which those that are
 * added leave the last bits. No border is as far away as the last cells. */
ALWAYS_INLINE border_cell border_cell_at(xy place) {
    const double farthest = 0x1p50, rounder = 0x1.8p52;
    const xy near = xy_lesser(xy_greater(place, xy_of(-farthest)), xy_of(farthest));
    return (border_cell)(near + xy_of(rounder));
}

/* The first entry of a cell's list. */
ALWAYS_INLINE uint32_t borders_first(const struct borders *borders, int64_t column, int64_t row) {
    const uint32_t mask = borders->side - 1;
    return borders
        ->heads[(size_t)((uint32_t)row & mask) * borders->side + ((uint32_t)column & mask)];
}

/* Room for the borders of so many. */
bool borders_reserve(struct borders *borders, struct memory *memory, size_t beacons);

/* The border of a beacon is there now. O(1) as long as it stays in the same cells, else O(cells
 * that it touches), which are MOST_CELLS of borders.c at most. */
void borders_set(struct borders *borders, uint32_t beacon, const struct border *border);

void borders_free(struct borders *borders, struct memory *memory);

#ifdef AOI_SELF_CHECK
void borders_check(const struct borders *borders, uint32_t beacon, const struct border *border);
#endif

#endif
