/*
 * area_grid.h - which areas may be at a point: a hierarchical hash grid.
 *
 * An area stands in a grid whose cells are as wide as its bounds are long, to
 * the next power of two: so it lies in four cells at most, and a point in one
 * cell of each size in use. All cells of all sizes share one table of chains.
 * Each area has its four nodes for as long as it lives: to move it takes no
 * memory. Areas without bounds, or with far too wide ones, stand in a chain of
 * their own.
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

enum { LOWEST_LEVEL = -30, AREA_LEVELS = 128, NODES_OF_AREA = 4, NO_LEVEL = 255 };

#define NO_NODE UINT32_MAX

struct area_node {
    float x1, y1, x2, y2; /* the bounds of the area */
    int32_t column, row;  /* the cell */
    uint32_t next;        /* in the chain */
    uint8_t level;        /* counted from LOWEST_LEVEL; AREA_LEVELS: the chain of the unbounded;
                             NO_LEVEL: the node is not in use */
};

struct area_grid {
    struct memory *memory;
    struct area_node *nodes; /* NODES_OF_AREA for each area */
    size_t capacity;         /* of areas */
    uint32_t *heads;         /* of chains; 2^bits */
    unsigned bits;
    uint32_t unbounded;             /* the first of them */
    uint32_t areas_at[AREA_LEVELS]; /* by level: how many */
    unsigned used_count;            /* levels with areas, */
    struct {
        double inverse;
        uint8_t level;
    } used[AREA_LEVELS]; /* of cells so wide */
};

void area_grid_init(struct area_grid *grid, struct memory *memory);

/* Nodes for so many areas. False: no memory, unchanged. */
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

static inline bool node_is_of(const struct area_node *node, struct area_cell cell) {
    return node->column == cell.column && node->row == cell.row && node->level == cell.level;
}

static inline bool node_may_hold(const struct area_node *node, double x, double y) {
    return ((double)node->x1 <= x) & (x <= (double)node->x2) & ((double)node->y1 <= y) &
           (y <= (double)node->y2);
}

/* The search for the areas at one point, or at two at once. */
struct area_search {
    const struct area_grid *grid;
    unsigned number; /* of the next level in use; beyond them all: the unbounded */
    uint32_t node;   /* the next one of the chain */
    struct area_cell cell;
};

static inline struct area_search area_search_begin(const struct area_grid *grid) {
    return (struct area_search){.grid = grid, .number = 0, .node = NO_NODE};
}

/* Goes on to the next level; false after the last. */
static inline bool next_level(struct area_search *search, double x, double y) {
    const struct area_grid *grid = search->grid;
    while (search->number < grid->used_count) {
        if (area_cell_at(grid, search->number++, x, y, &search->cell)) {
            search->node = grid->heads[area_chain_of(grid, search->cell)];
            return true;
        }
    }
    if (search->number++ > grid->used_count)
        return false;
    search->cell = (struct area_cell){0, 0, AREA_LEVELS};
    search->node = grid->unbounded;
    return true;
}

/* The next area that may be at the point; NO_NODE when there is none left. */
static inline uint32_t area_search_next(struct area_search *search, double x, double y) {
    for (;;) {
        while (search->node != NO_NODE) {
            const uint32_t found = search->node;
            const struct area_node *node = &search->grid->nodes[found];
            search->node = node->next;
            if (node_is_of(node, search->cell) && node_may_hold(node, x, y))
                return found / NODES_OF_AREA;
        }
        if (!next_level(search, x, y))
            return NO_NODE;
    }
}

#ifdef AOI_SELF_CHECK
/* The area stands where its box says. */
void area_grid_check(const struct area_grid *grid, uint32_t area, const struct box *box);
#endif

#endif
