/*
 * area_grid.h - a hierarchical hash grid of areas: finds all that may be at a
 * point.
 *
 * An area stands in a grid whose cells are as wide as its bounds are long, to
 * the next power of two: so it lies in four cells at most, and a point in one
 * cell of each size in use. All cells of all sizes share one table of chains.
 * A chain consists of blocks of two cache lines with a few areas each; there are enough for any way
 * in which the areas can stand, so that to move one takes no memory. Areas without bounds, or with
 * far too wide ones, stand in a chain of their own.
 *
 * Numbers of areas are the caller's. Bounds are kept as floats, rounded
 * outward: what is found may be at the point, and all that are there are found,
 * each once. After "Optimized Spatial Hashing for Collision Detection of
 * Deformable Objects" (Teschner and others, 2003), with levels.
 */
#ifndef AOI_AREA_GRID_H
#define AOI_AREA_GRID_H

#include <math.h>

#include "base/always_inline.h"
#include "base/float4.h"
#include "index/ring.h"

enum { LOWEST_LEVEL = -30, AREA_LEVELS = 128, CELLS_OF_AREA = 4, NO_LEVEL = 255 };

#define NO_BLOCK UINT32_MAX
#define NOT_THERE UINT32_MAX

enum { BLOCK_AREAS = 6 };

/* Bounds tell of the members of the area: nobody outside of them; or exactly the markers inside; or
 * those in the circle that fills them, and perhaps in a smaller one around the same middle, where
 * they come in. Its radius is told in parts of that of the other, rounded down: FORM_CIRCLE and so
 * many.
 */
enum { FORM_UNKNOWN, FORM_BOX, FORM_CIRCLE, INNER_PARTS = 60 };

/* The form stands above the number of the area. */
enum { FORM_SHIFT = 26 };
#define MOST_AREAS (UINT32_C(1) << FORM_SHIFT)
_Static_assert(FORM_CIRCLE + INNER_PARTS < (1 << (32 - FORM_SHIFT)) - 1,
               "forms fit in their bits, and none makes an area NOT_THERE");

/* Some areas of a chain. Only the first block of a chain may have empty places, behind the others:
 * their bounds hold nothing. */
struct area_block {
    float x1[BLOCK_AREAS], y1[BLOCK_AREAS], x2[BLOCK_AREAS], y2[BLOCK_AREAS];
    uint32_t area[BLOCK_AREAS]; /* NOT_THERE: empty; see block_area, block_form */
    uint32_t next;              /* also of the free ones */
    uint32_t unused;
};
_Static_assert(sizeof(struct area_block) == 128, "a block is two cache lines, fetched as one");

static inline uint32_t block_area(const struct area_block *block, unsigned i) {
    return block->area[i] & (MOST_AREAS - 1);
}

static inline unsigned block_form(const struct area_block *block, unsigned i) {
    return block->area[i] >> FORM_SHIFT;
}

/* Where an area stands. */
struct area_place {
    float x1, y1, x2, y2;                       /* its bounds */
    int32_t column, row, last_column, last_row; /* its cells */
    uint32_t entries[CELLS_OF_AREA];            /* where in its chains, in the order of chains_of */
    uint8_t level;  /* counted from LOWEST_LEVEL; AREA_LEVELS: among the unbounded; NO_LEVEL: it is
                       not there */
    uint8_t chains; /* it stands in so many */
    uint8_t form;   /* as above */
};

struct area_grid {
    struct memory *memory;
    struct area_place *places; /* by area */
    size_t capacity;           /* of areas */
    struct area_block *blocks;
    size_t block_count;
    uint32_t free_block;
    uint32_t *heads; /* the first block of each chain; 2^bits */
    unsigned bits;
    uint32_t unbounded;             /* the first block of their chain */
    uint32_t areas_at[AREA_LEVELS]; /* by level: how many */
    unsigned used_count;            /* levels with areas, */
    struct {
        double inverse;
        uint8_t level;
    } used[AREA_LEVELS]; /* of cells so wide */
};

void area_grid_init(struct area_grid *grid, struct memory *memory);

/* Room for so many areas. */
bool area_grid_reserve(struct area_grid *grid, size_t areas);

/* Puts an area there, or elsewhere than it was. extent: the longer side of the box. form: what the
 * box tells, with two dimensions; FORM_UNKNOWN is always true. */
void area_grid_place(struct area_grid *grid, uint32_t area, const struct box *box, double extent,
                     unsigned form);

/* True when the area is listed so that it need not be placed anew for this box: its bounds hold
 * that, and it stands in all cells of that. */
bool area_grid_holds(const struct area_grid *grid, uint32_t area, const struct box *box);

/* Takes an area out, if it is there. */
void area_grid_remove(struct area_grid *grid, uint32_t area);

void area_grid_free(struct area_grid *grid);

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* A cell, and the chain where its areas stand. */
struct area_cell {
    int32_t column, row;
    uint8_t level;
};

static inline uint32_t area_chain_of(const struct area_grid *grid, struct area_cell cell) {
    const uint64_t key =
        ((uint64_t)(uint32_t)cell.column << 32 | (uint32_t)cell.row) ^ (uint64_t)cell.level << 56;
    const uint64_t mixed = (key ^ key >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)((mixed ^ mixed >> 32) * UINT64_C(0x94D049BB133111EB) >> (64 - grid->bits));
}

/* The largest whole number that is not above; within the range of an int32_t. */
static inline int32_t floor_of(double number) {
    const int32_t whole = (int32_t)number;
    return whole - (number < (double)whole);
}

/* One by the width of the cells of a level. */
static inline double area_level_inverse(unsigned level) {
    const uint64_t bits = (uint64_t)(1023 - ((int)level + LOWEST_LEVEL)) << 52; /* a power of two */
    double inverse;
    memcpy(&inverse, &bits, sizeof inverse);
    return inverse;
}

/* The cell of a place at the number-th level in use; false where there can be none. */
static inline bool area_cell_at(const struct area_grid *grid, unsigned number, double x, double y,
                                struct area_cell *cell) {
    const double column = x * grid->used[number].inverse, row = y * grid->used[number].inverse;
    const double most = 0x1p30;
    if (!(column < most && column > -most && row < most && row > -most))
        return false;
    *cell = (struct area_cell){floor_of(column), floor_of(row), grid->used[number].level};
    return true;
}

/* The cell of the chain of the unbounded. */
static const struct area_cell unbounded_cell = {0, 0, AREA_LEVELS};

/* True when the area of a chain stands there for this cell: chains are shared. */
static inline bool area_is_in_cell(const struct area_grid *grid, uint32_t area,
                                   struct area_cell cell) {
    const struct area_place *place = &grid->places[area];
    return place->level == cell.level && place->column <= cell.column &&
           cell.column <= place->last_column && place->row <= cell.row &&
           cell.row <= place->last_row;
}

/* A box as blocks are compared with it: rounded outward. */
struct area_probe {
    float4 x1, y1, x2, y2;
};

static inline struct area_probe area_probe_of(xy low, xy high) {
    return (struct area_probe){float4_of(float_below(low[0])), float4_of(float_below(low[1])),
                               float4_of(float_above(high[0])), float4_of(float_above(high[1]))};
}

/* Four entries from there on whose bounds share a place with the box, as bits. */
static inline unsigned four_may_meet(const struct area_block *block, unsigned i,
                                     const struct area_probe *probe) {
    return float4_bits(
        (float4_at(&block->x1[i]) <= probe->x2) & (float4_at(&block->x2[i]) >= probe->x1) &
        (float4_at(&block->y1[i]) <= probe->y2) & (float4_at(&block->y2[i]) >= probe->y1));
}

/* All entries whose bounds share a place with the box, as bits. */
static inline unsigned block_may_meet(const struct area_block *block,
                                      const struct area_probe *probe) {
    _Static_assert(BLOCK_AREAS == 6, "twice four, of which two are the same");
    return four_may_meet(block, 0, probe) | four_may_meet(block, BLOCK_AREAS - 4, probe)
                                                << (BLOCK_AREAS - 4);
}

/* True when it is certain that a step from one place to the other crosses no border: both are in
 * the area or none, and with two radii inside the same of them. Most steps are such, and need not
 * look at the area itself. */
static inline bool block_keeps(const struct area_block *block, unsigned i, double x, double y,
                               double other_x, double other_y) {
    const unsigned form = block_form(block, i);
    if (form == FORM_UNKNOWN)
        return false;
    const double x1 = (double)block->x1[i], x2 = (double)block->x2[i], y1 = (double)block->y1[i],
                 y2 = (double)block->y2[i];
    const double middle_x = (x1 + x2) / 2, middle_y = (y1 + y2) / 2;
    const double half_x = (x2 - x1) / 2, half_y = (y2 - y1) / 2;
    /* More than bounds are off that were rounded to float. */
    const double size = fabs(middle_x) + fabs(middle_y) + half_x + half_y;
    const double off = size * 0x1p-20 + 0x1p-140;
    const double dx = x - middle_x, dy = y - middle_y;
    const double other_dx = other_x - middle_x, other_dy = other_y - middle_y;
    if (form == FORM_BOX)
        return (fabs(dx) < half_x - off) & (fabs(other_dx) < half_x - off) &
               (fabs(dy) < half_y - off) & (fabs(other_dy) < half_y - off);
    const double square = dx * dx + dy * dy, other = other_dx * other_dx + other_dy * other_dy;
    const double nearest = square < other ? square : other;
    const double farthest = square < other ? other : square;
    const double part = half_x / (double)INNER_PARTS, parts = form - FORM_CIRCLE;
    const double inner = parts * part - off, inner_most = (parts + 1) * part + off;
    const double outer = half_x - off, outer_most = half_x + off;
    return ((inner > 0) & (farthest < inner * inner)) |
           ((outer > 0) & (nearest > inner_most * inner_most) & (farthest < outer * outer)) |
           (nearest > outer_most * outer_most);
}

/* Lets the processor fetch the first blocks that a search at the place will look at. */
static inline void area_grid_fetch(const struct area_grid *grid, const aoi_point *at) {
    for (unsigned number = 0; number < grid->used_count; number++) {
        struct area_cell cell;
        if (!area_cell_at(grid, number, at->x, at->y, &cell))
            continue;
        const uint32_t first = grid->heads[area_chain_of(grid, cell)];
        if (first == NO_BLOCK)
            continue;
        __builtin_prefetch(&grid->blocks[first]);
        __builtin_prefetch(&grid->blocks[first].x2[4]);
    }
}

/* The search for the areas at a point. */
struct area_search {
    const struct area_grid *grid;
    double x, y;
    struct area_probe probe; /* the point */
    unsigned number;         /* of the next level in use; beyond them all: the unbounded */
    unsigned met;            /* bits of those of the block that are still to be looked at */
    uint32_t block, next;    /* the one that is looked at, and the one behind it */
    struct area_cell cell;
};

static inline struct area_search area_search_begin(const struct area_grid *grid, double x,
                                                   double y) {
    return (struct area_search){.grid = grid,
                                .x = x,
                                .y = y,
                                .probe = area_probe_of((xy){x, y}, (xy){x, y}),
                                .next = NO_BLOCK};
}

/* Goes on to the next level; false after the last. */
static inline bool next_level(struct area_search *search) {
    const struct area_grid *grid = search->grid;
    while (search->number < grid->used_count) {
        if (area_cell_at(grid, search->number++, search->x, search->y, &search->cell)) {
            search->next = grid->heads[area_chain_of(grid, search->cell)];
            return true;
        }
    }
    if (search->number++ > grid->used_count)
        return false;
    search->cell = unbounded_cell;
    search->next = grid->unbounded;
    return true;
}

/* The next area that may be at the point; NOT_THERE when there is none left. */
static inline uint32_t area_search_next(struct area_search *search) {
    for (;;) {
        while (search->met != 0) {
            const struct area_block *block = &search->grid->blocks[search->block];
            const uint32_t area = block_area(block, lowest_bit(search->met));
            search->met &= search->met - 1;
            if (area_is_in_cell(search->grid, area, search->cell))
                return area;
        }
        while (search->next == NO_BLOCK) {
            if (!next_level(search))
                return NOT_THERE;
        }
        search->block = search->next;
        search->met = block_may_meet(&search->grid->blocks[search->block], &search->probe);
        search->next = search->grid->blocks[search->block].next;
    }
}

#ifdef AOI_SELF_CHECK
/* The area stands in all cells of this box, and perhaps in more. */
void area_grid_check(const struct area_grid *grid, uint32_t area, const struct box *box);
#endif

#endif
