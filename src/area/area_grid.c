/* area_grid.c - see area_grid.h. */
#include "area/area_grid.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

/* So that rounding can't make a box reach a third cell. */
#define FULL_CELL 0.999

void area_grid_init(struct area_grid *grid, struct memory *memory) {
    *grid = (struct area_grid){.memory = memory, .unbounded = NO_NODE};
}

void area_grid_free(struct area_grid *grid) {
    struct memory *memory = grid->memory;
    memory_resize(memory, grid->nodes, grid->capacity * NODES_OF_AREA, 0, sizeof *grid->nodes);
    if (grid->heads != NULL)
        memory_resize(memory, grid->heads, (size_t)1 << grid->bits, 0, sizeof *grid->heads);
    area_grid_init(grid, memory);
}

/* ------------------------------------------------------------------ */
/* Chains                                                              */
/* ------------------------------------------------------------------ */

static struct area_cell cell_of(const struct area_node *node) {
    return (struct area_cell){node->column, node->row, node->level};
}

static uint32_t *chain_of(struct area_grid *grid, const struct area_node *node) {
    return node->level == AREA_LEVELS ? &grid->unbounded
                                      : &grid->heads[area_chain_of(grid, cell_of(node))];
}

static void link_node(struct area_grid *grid, uint32_t number) {
    uint32_t *chain = chain_of(grid, &grid->nodes[number]);
    grid->nodes[number].next = *chain;
    *chain = number;
}

static void unlink_node(struct area_grid *grid, uint32_t number) {
    uint32_t *link = chain_of(grid, &grid->nodes[number]);
    while (*link != number)
        link = &grid->nodes[*link].next;
    *link = grid->nodes[number].next;
    grid->nodes[number].level = NO_LEVEL;
}

bool area_grid_reserve(struct area_grid *grid, size_t areas) {
    if (areas <= grid->capacity)
        return true;
    const size_t capacity = memory_next_capacity(grid->capacity, areas);
    if (capacity == 0 || capacity > NO_NODE / NODES_OF_AREA - 1)
        return false;
    unsigned bits = 3;
    while ((size_t)1 << bits < capacity * NODES_OF_AREA)
        bits++;
    uint32_t *heads = grid->heads;
    if (bits != grid->bits) {
        heads = memory_resize(grid->memory, NULL, 0, (size_t)1 << bits, sizeof *heads);
        if (heads == NULL)
            return false;
    }
    struct area_node *nodes =
        memory_resize(grid->memory, grid->nodes, grid->capacity * NODES_OF_AREA,
                      capacity * NODES_OF_AREA, sizeof *nodes);
    if (nodes == NULL) {
        if (heads != grid->heads)
            memory_resize(grid->memory, heads, (size_t)1 << bits, 0, sizeof *heads);
        return false;
    }
    grid->nodes = nodes;
    for (size_t i = grid->capacity * NODES_OF_AREA; i < capacity * NODES_OF_AREA; i++)
        nodes[i].level = NO_LEVEL;
    if (heads != grid->heads) {
        if (grid->heads != NULL)
            memory_resize(grid->memory, grid->heads, (size_t)1 << grid->bits, 0, sizeof *heads);
        grid->heads = heads;
        grid->bits = bits;
        memset(heads, 0xFF, ((size_t)1 << bits) * sizeof *heads);
        for (uint32_t i = 0; i < grid->capacity * NODES_OF_AREA; i++) {
            if (nodes[i].level < AREA_LEVELS)
                link_node(grid, i);
        }
    }
    grid->capacity = capacity;
    return true;
}

/* ------------------------------------------------------------------ */
/* Levels                                                              */
/* ------------------------------------------------------------------ */

static void count_in(struct area_grid *grid, unsigned level) {
    if (level == AREA_LEVELS || grid->areas_at[level]++ > 0)
        return;
    grid->used[grid->used_count].level = (uint8_t)level;
    grid->used[grid->used_count++].inverse = ldexp(1, -((int)level + LOWEST_LEVEL));
}

static void count_out(struct area_grid *grid, unsigned level) {
    if (level == AREA_LEVELS || --grid->areas_at[level] > 0)
        return;
    unsigned number = 0;
    while (grid->used[number].level != level)
        number++;
    grid->used[number] = grid->used[--grid->used_count];
}

/* The smallest level at which the box lies in two cells on each axis, that are few enough to be
 * numbered. AREA_LEVELS: there is none. */
static unsigned level_of(const struct box *box, double extent) {
    const double far = fmax(fmax(fabs(box->x1), fabs(box->x2)), fmax(fabs(box->y1), fabs(box->y2)));
    int by_extent, by_distance;
    if (!(extent < 0x1p90 && far < 0x1p120))
        return AREA_LEVELS;
    frexp(extent / FULL_CELL, &by_extent); /* extent < 2^by_extent */
    frexp(far, &by_distance);
    by_distance -= 29;
    int level = by_extent > by_distance ? by_extent : by_distance;
    if (extent == 0)
        level = by_distance;
    level -= LOWEST_LEVEL;
    return level < 0 ? 0 : level < AREA_LEVELS ? (unsigned)level : AREA_LEVELS;
}

/* ------------------------------------------------------------------ */
/* Areas                                                               */
/* ------------------------------------------------------------------ */

static float float_below(double number) {
    const float rounded = (float)number;
    return (double)rounded > number ? nextafterf(rounded, -HUGE_VALF) : rounded;
}

/* The cells of an area. */
struct cells {
    unsigned level;
    int32_t column, row, last_column, last_row;
};

static struct cells cells_of(const struct box *box, double extent) {
    const unsigned level = level_of(box, extent);
    if (level == AREA_LEVELS)
        return (struct cells){.level = level};
    const double inverse = ldexp(1, -((int)level + LOWEST_LEVEL));
    return (struct cells){level, floor_of(box->x1 * inverse), floor_of(box->y1 * inverse),
                          floor_of(box->x2 * inverse), floor_of(box->y2 * inverse)};
}

/* True when the area's nodes are those of the cells. */
static bool stands_in(const struct area_node *nodes, const struct cells *cells) {
    const unsigned columns = cells->last_column != cells->column,
                   rows = cells->last_row != cells->row;
    const struct area_node *last = &nodes[columns + 2 * rows];
    return nodes[0].level == cells->level && nodes[0].column == cells->column &&
           nodes[0].row == cells->row && (nodes[1].level != NO_LEVEL) == columns &&
           (nodes[2].level != NO_LEVEL) == rows && last->column == cells->last_column &&
           last->row == cells->last_row;
}

void area_grid_place(struct area_grid *grid, uint32_t area, const struct box *box, double extent) {
    struct area_node *nodes = &grid->nodes[(size_t)area * NODES_OF_AREA];
    const struct cells cells = cells_of(box, extent);
    const float x1 = float_below(box->x1), y1 = float_below(box->y1), x2 = -float_below(-box->x2),
                y2 = -float_below(-box->y2);
    const bool stays = stands_in(nodes, &cells);
    if (!stays)
        area_grid_remove(grid, area);
    for (unsigned i = 0; i < NODES_OF_AREA; i++) {
        struct area_node *node = &nodes[i];
        if (stays ? node->level == NO_LEVEL
                  : ((i & 1) && cells.column == cells.last_column) ||
                        ((i & 2) && cells.row == cells.last_row))
            continue;
        node->x1 = x1;
        node->y1 = y1;
        node->x2 = x2;
        node->y2 = y2;
        if (stays)
            continue;
        node->column = i & 1 ? cells.last_column : cells.column;
        node->row = i & 2 ? cells.last_row : cells.row;
        node->level = (uint8_t)cells.level;
        link_node(grid, area * NODES_OF_AREA + i);
    }
    if (!stays)
        count_in(grid, cells.level);
}

void area_grid_remove(struct area_grid *grid, uint32_t area) {
    const uint32_t first = area * NODES_OF_AREA;
    if (grid->nodes[first].level == NO_LEVEL)
        return;
    count_out(grid, grid->nodes[first].level);
    for (uint32_t i = first; i < first + NODES_OF_AREA; i++) {
        if (grid->nodes[i].level != NO_LEVEL)
            unlink_node(grid, i);
    }
}

#ifdef AOI_SELF_CHECK
void area_grid_check(const struct area_grid *grid, uint32_t area, const struct box *box) {
    const struct area_node *nodes = &grid->nodes[(size_t)area * NODES_OF_AREA];
    SELF_CHECK(nodes[0].level != NO_LEVEL);
    for (unsigned i = 0; i < NODES_OF_AREA; i++) {
        const struct area_node *node = &nodes[i];
        if (node->level == NO_LEVEL)
            continue;
        /* Bounds that are no numbers hold nobody. */
        SELF_CHECK(!((double)node->x1 > box->x1) && !((double)node->y1 > box->y1));
        SELF_CHECK(!((double)node->x2 < box->x2) && !((double)node->y2 < box->y2));
        uint32_t at = node->level == AREA_LEVELS ? grid->unbounded
                                                 : grid->heads[area_chain_of(grid, cell_of(node))];
        while (at != NO_NODE && at != area * NODES_OF_AREA + i)
            at = grid->nodes[at].next;
        SELF_CHECK(at != NO_NODE);
        if (node->level == AREA_LEVELS)
            continue;
        const double size = ldexp(1, (int)node->level + LOWEST_LEVEL);
        SELF_CHECK(node->column <= floor(box->x2 / size) && node->row <= floor(box->y2 / size));
        SELF_CHECK(nodes[0].column == floor(box->x1 / size) &&
                   nodes[0].row == floor(box->y1 / size));
    }
}
#endif
