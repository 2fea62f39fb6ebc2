/*
 * borders.h - where the border of a beacon's reach may be: for each small cell of the plane, the
 * beacons whose border may touch it.
 *
 * Most steps are far from all borders: one look tells. The cells are folded to a square table, so a
 * border may seem to be where none is, and never the other way round. Boxes of one size have cells
 * of one size: so many to a cell of their area grid. A border is listed with some room around it,
 * so that a beacon can take several steps before its cells change. Where it truly is, its limits
 * tell, with which a step is compared: with those of a whole cell at once, as nobody can foresee
 * how many there are, and on which side of each a step is.
 */
#ifndef AOI_BORDERS_H
#define AOI_BORDERS_H

#include "index/area_grid.h"

enum { BORDERS_PER_CELL = 8 };

/* The beacons of a cell, by their place in the limits; those at hand without a beacon are behind
 * the others, and 0. Where there are more, the last one names the first of a chain of those that
 * are not at hand: IN_CHAIN and its number. */
enum { AT_HAND = 4 };
#define IN_CHAIN (UINT32_C(1) << 31)
struct border_cell {
    uint32_t at_hand[AT_HAND];
};

/* One in a chain. */
struct chained_border {
    uint32_t place, next; /* NOT_CHAINED ends a chain */
};
#define NOT_CHAINED UINT32_MAX

/* A square or circle of this radius around a place; radius 0: none. inverse: of the cells of the
 * area grid where its box stands; 0: it is too wide for these. */
struct border {
    double x, y, radius, inverse;
};

/* A beacon is in view for certain from where it is nearer than inner, and out of view from where it
 * is farther than outer, whatever floats round. In circles these are squares of distances. The
 * first limits are nobody's, and hold everything. */
struct limits {
    float x, y, inner, outer;
};

struct borders {
    bool is_round; /* they are circles */
    struct border_cell *cells;
    uint32_t side;            /* of the table of cells: a power of two */
    struct border_cell apart; /* those that are too wide for cells */
    struct ARRAY_OF(struct chained_border) chained;
    uint32_t free;                     /* list through next */
    struct ARRAY_OF(struct border) at; /* by beacon: as it is listed */
    struct ARRAY_OF(struct limits) limits;
    size_t room; /* for so many beacons */
};

typedef int64_t border_cells __attribute__((vector_size(16)));

/* The column and row of a place, given in cells: the nearest whole numbers, of which those that are
 * added leave the last bits. True below 2^51; no border in cells is as far away, so whatever comes
 * out there will do. */
ALWAYS_INLINE border_cells border_cells_at(xy place) {
    return (border_cells)(place + xy_of(0x1.8p52));
}

ALWAYS_INLINE struct border_cell *borders_cell(const struct borders *borders, int64_t column,
                                               int64_t row) {
    const uint32_t mask = borders->side - 1;
    return &borders
                ->cells[(size_t)((uint32_t)row & mask) * borders->side + ((uint32_t)column & mask)];
}

/* How far away a place is from others, as the limits count it. */
ALWAYS_INLINE float4 border_distances(bool is_round, float4 xs, float4 ys, xy at) {
    const float2 place = __builtin_convertvector(at, float2);
    const float4 x = xs - float4_of(place[0]), y = ys - float4_of(place[1]);
    return is_round ? x * x + y * y : float4_greater(float4_size(x), float4_size(y));
}

/* True when a step crosses none of four borders for certain. */
ALWAYS_INLINE bool limits_are_kept(const struct limits *limits, const uint32_t *places,
                                   bool is_round, xy from, xy to) {
    float4 rows[] = {float4_at(&limits[places[0]].x), float4_at(&limits[places[1]].x),
                     float4_at(&limits[places[2]].x), float4_at(&limits[places[3]].x)};
    float4_transpose(rows);
    const float4 first = border_distances(is_round, rows[0], rows[1], from);
    const float4 last = border_distances(is_round, rows[0], rows[1], to);
    return float4_bits((float4_greater(first, last) < rows[2]) |
                       (float4_lesser(first, last) > rows[3])) == 15;
}

ALWAYS_INLINE bool border_cell_has_chain(const struct border_cell *cell) {
    return (cell->at_hand[AT_HAND - 1] & IN_CHAIN) != 0;
}

/* True when a step crosses no border of a cell for certain; where all are at hand, limits_are_kept
 * tells that, too. */
bool borders_are_aside(const struct borders *borders, const struct border_cell *cell, xy from,
                       xy to);

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
