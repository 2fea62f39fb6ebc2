/*
 * borders.h - where the border of a beacon's reach may be: a count for each small cell of the
 * plane.
 *
 * Most steps are far from all borders, and need to look at no beacon: a few bytes tell. The cells
 * are folded to a square table, so a border may seem to be where none is, and never the other way
 * round. Boxes of one size have cells of one size: so many to a cell of their area grid.
 */
#ifndef AOI_BORDERS_H
#define AOI_BORDERS_H

#include "index/area_grid.h"

enum { BORDERS_PER_CELL = 32 };

struct borders {
    uint8_t *counts; /* one that has come to 255 stays there */
    uint32_t side;   /* a power of two */
};

/* Where a cell is, and one with another's row. */
static inline size_t borders_place(const struct borders *borders, int64_t column, int64_t row) {
    const uint32_t mask = borders->side - 1;
    return (size_t)((uint32_t)row & mask) * borders->side + ((uint32_t)column & mask);
}

typedef int64_t border_cell __attribute__((vector_size(16)));

/* The column and row of a place, given in cells: the nearest whole numbers, of which those that are
 * added leave the last bits. No border is as far away as the last cells. */
ALWAYS_INLINE border_cell border_cell_at(xy place) {
    const double farthest = 0x1p50, rounder = 0x1.8p52;
    const xy near = xy_lesser(xy_greater(place, xy_of(-farthest)), xy_of(farthest));
    return (border_cell)(near + xy_of(rounder));
}

/* True unless it is certain that a step crosses no border of boxes in this grid. */
ALWAYS_INLINE bool borders_near(const struct borders *borders, const struct area_grid *boxes,
                                xy from, xy to) {
    for (unsigned number = 0; number < boxes->used_count; number++) {
        const xy cells = xy_of(boxes->used[number].inverse * BORDERS_PER_CELL);
        const border_cell a = border_cell_at(from * cells), b = border_cell_at(to * cells);
        const border_cell step = b - a;
        /* A step crosses a border in one of the cells that it passes. */
        if ((uint64_t)(step[0] + 1) > 2 || (uint64_t)(step[1] + 1) > 2 ||
            (borders->counts[borders_place(borders, a[0], a[1])] |
             borders->counts[borders_place(borders, b[0], a[1])] |
             borders->counts[borders_place(borders, a[0], b[1])] |
             borders->counts[borders_place(borders, b[0], b[1])]) != 0)
            return true;
    }
    return boxes->unbounded != NO_BLOCK;
}

/* Room for the borders of so many. */
bool borders_reserve(struct borders *borders, struct memory *memory, size_t beacons);

/* A square or circle of this radius around a place. inverse: of the cells of the area grid where
 * its box stands. */
struct border {
    double x, y, radius, inverse;
    bool is_round;
};

/* A border comes (1), or goes (-1). O(the cells that it touches), which are 4 * BORDERS_PER_CELL at
 * most. */
void borders_count(struct borders *borders, const struct border *border, int change);

/* True when it is known to touch the same cells as another one. */
bool borders_alike(const struct border *border, const struct border *other);

void borders_free(struct borders *borders, struct memory *memory);

#ifdef AOI_SELF_CHECK
void borders_check(const struct borders *borders, const struct border *border);
#endif

#endif
