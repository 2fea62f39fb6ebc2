/*
 * area_grid.h - which areas may be at a point: a hierarchical hash grid.
 *
 * An area stands in a grid whose cells are as wide as its bounds are long, to
 * the next power of two: so it lies in four cells at most, and a point in one
 * cell of each size in use. All cells of all sizes share one table of chains.
 * A chain consists of blocks of a cache line with a few areas each; there are enough for any way in
 * which the areas can stand, so that to move one takes no memory. Areas without bounds, or with far
 * too wide ones, stand in a chain of their own.
 *
 * Numbers of areas are the caller's. Bounds are kept as floats, rounded
 * outward: what is found may be at the point, and all that are there are found,
 * each once. After "Optimized Spatial Hashing for Collision Detection of
 * Deformable Objects" (Teschner and others, 2003), with levels.
 */
#ifndef AOI_AREA_GRID_H
#define AOI_AREA_GRID_H

#include "base/always_inline.h"
#include "index/ring.h"

enum { LOWEST_LEVEL = -30, AREA_LEVELS = 128, CELLS_OF_AREA = 4, NO_LEVEL = 255 };

#define NO_BLOCK UINT32_MAX
#define NOT_THERE UINT32_MAX

enum { BLOCK_AREAS = 3 };

/* Some areas of a chain. Only the first block of a chain may have empty places, behind the others:
 * their bounds hold nothing. */
struct area_block {
    float x1[BLOCK_AREAS], y1[BLOCK_AREAS], x2[BLOCK_AREAS], y2[BLOCK_AREAS];
    uint32_t area[BLOCK_AREAS]; /* NOT_THERE: empty */
    uint32_t next;              /* also of the free ones */
};
_Static_assert(sizeof(struct area_block) == 64, "a block is one cache line");

/* Where an area stands. */
struct area_place {
    float x1, y1, x2, y2;                       /* its bounds */
    int32_t column, row, last_column, last_row; /* its cells */
    uint8_t level; /* counted from LOWEST_LEVEL; AREA_LEVELS: among the unbounded; NO_LEVEL: it is
                      not there */
};

struct area_grid {
    struct memory *memory;
    struct area_place *places; /* by area */
    size_t capacity;           /* of areas */
    struct aligned_array array;
    struct area_block *blocks; /* = array.items */
    uint32_t block_count, free_block;
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

/* Room for so many areas. False: no memory, unchanged. */
bool area_grid_reserve(struct area_grid *grid, size_t areas);

/* Puts an area there, or elsewhere than it was. extent: the longer side of the box. */
void area_grid_place(struct area_grid *grid, uint32_t area, const struct box *box, double extent);

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

static inline bool area_cells_equal(struct area_cell a, struct area_cell b) {
    return a.column == b.column && a.row == b.row && a.level == b.level;
}

/* The cell of the chain of the unbounded. */
static inline struct area_cell area_cell_of_unbounded(void) {
    return (struct area_cell){0, 0, AREA_LEVELS};
}

/* True when the area of a chain stands there for this cell: chains are shared. */
static inline bool area_is_in_cell(const struct area_grid *grid, uint32_t area,
                                   struct area_cell cell) {
    const struct area_place *place = &grid->places[area];
    return place->level == cell.level && place->column <= cell.column &&
           cell.column <= place->last_column && place->row <= cell.row &&
           cell.row <= place->last_row;
}

static inline bool block_may_hold(const struct area_block *block, unsigned i, double x, double y) {
    return ((double)block->x1[i] <= x) & (x <= (double)block->x2[i]) & ((double)block->y1[i] <= y) &
           (y <= (double)block->y2[i]);
}

/* The search for the areas at a point. */
struct area_search {
    const struct area_grid *grid;
    unsigned number; /* of the next level in use; beyond them all: the unbounded */
    uint32_t block;  /* the one that is looked at, and the next area in it */
    unsigned index;
    struct area_cell cell;
};

static inline struct area_search area_search_begin(const struct area_grid *grid) {
    return (struct area_search){.grid = grid, .number = 0, .block = NO_BLOCK};
}

/* Goes on to the next level; false after the last. */
static inline bool next_level(struct area_search *search, double x, double y) {
    const struct area_grid *grid = search->grid;
    search->index = 0;
    while (search->number < grid->used_count) {
        if (area_cell_at(grid, search->number++, x, y, &search->cell)) {
            search->block = grid->heads[area_chain_of(grid, search->cell)];
            return true;
        }
    }
    if (search->number++ > grid->used_count)
        return false;
    search->cell = area_cell_of_unbounded();
    search->block = grid->unbounded;
    return true;
}

/* The next area that may be at the point; NOT_THERE when there is none left. */
static inline uint32_t area_search_next(struct area_search *search, double x, double y) {
    for (;;) {
        while (search->block != NO_BLOCK) {
            const struct area_block *block = &search->grid->blocks[search->block];
            while (search->index < BLOCK_AREAS) {
                const unsigned i = search->index++;
                if (block_may_hold(block, i, x, y) &&
                    area_is_in_cell(search->grid, block->area[i], search->cell))
                    return block->area[i];
            }
            search->block = block->next;
            search->index = 0;
        }
        if (!next_level(search, x, y))
            return NOT_THERE;
    }
}

#ifdef AOI_SELF_CHECK
/* The area stands where its box says. */
void area_grid_check(const struct area_grid *grid, uint32_t area, const struct box *box);
#endif

#endif
