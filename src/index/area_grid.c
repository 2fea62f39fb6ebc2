/* area_grid.c - the chains of the hash grid: areas that come, go and move among cells of all
 * sizes. */
#include "index/area_grid.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

/* So that rounding can't make a box reach a third cell. */
#define FULL_CELL 0.999

void area_grid_init(struct area_grid *grid, struct memory *memory) {
    *grid = (struct area_grid){.memory = memory, .unbounded = NO_BLOCK, .free_block = NO_BLOCK};
}

static void free_chains(struct memory *memory, struct area_block *blocks, size_t block_count,
                        uint32_t *heads, size_t chains) {
    array_resized(memory, blocks, &block_count, 0, 0, sizeof *blocks, sizeof *blocks);
    memory_resize(memory, heads, chains, 0, sizeof *heads);
}

void area_grid_free(struct area_grid *grid) {
    struct memory *memory = grid->memory;
    memory_resize(memory, grid->places, grid->capacity, 0, sizeof *grid->places);
    free_chains(memory, grid->blocks, grid->block_count, grid->heads, (size_t)1 << grid->bits);
    area_grid_init(grid, memory);
}

/* ------------------------------------------------------------------ */
/* Chains                                                              */
/* ------------------------------------------------------------------ */

/* The chains of an area, each once; returns how many. */
static unsigned chains_of(struct area_grid *grid, const struct area_place *place,
                          uint32_t *chains[CELLS_OF_AREA]) {
    unsigned count = 0;
    if (place->level == AREA_LEVELS) {
        chains[count++] = &grid->unbounded;
        return count;
    }
    struct area_cell cell = {0, 0, place->level};
    for (cell.row = place->row; cell.row <= place->last_row; cell.row++) {
        for (cell.column = place->column; cell.column <= place->last_column; cell.column++) {
            uint32_t *chain = &grid->heads[area_chain_of(grid, cell)];
            unsigned other = 0;
            while (other < count && chains[other] != chain)
                other++;
            if (other == count)
                chains[count++] = chain;
        }
    }
    return count;
}

/* No comparison accepts what is no number: a search of infinite bounds would meet infinite ones. */
static void clear_entry(struct area_block *block, unsigned i) {
    block->x1[i] = block->y1[i] = block->x2[i] = block->y2[i] = NAN;
    block->area[i] = NOT_THERE;
}

/* Areas in the block. */
static unsigned filled(const struct area_block *block) {
    unsigned count = 0;
    while (count < BLOCK_AREAS && block->area[count] != NOT_THERE)
        count++;
    return count;
}

/* An entry has a number: that of the block, and the place in it. */
static uint32_t entry_number(uint32_t block, unsigned i) {
    return block * BLOCK_AREAS + i;
}

static void write_entry(struct area_grid *grid, uint32_t entry, uint32_t area) {
    struct area_block *block = &grid->blocks[entry / BLOCK_AREAS];
    const struct area_place *place = &grid->places[area];
    const unsigned i = entry % BLOCK_AREAS;
    block->x1[i] = place->x1;
    block->y1[i] = place->y1;
    block->x2[i] = place->x2;
    block->y2[i] = place->y2;
    block->area[i] = area | (uint32_t)place->form << FORM_SHIFT;
}

/* Returns the entry. */
static uint32_t join_chain(struct area_grid *grid, uint32_t *chain, uint32_t area) {
    if (*chain == NO_BLOCK || filled(&grid->blocks[*chain]) == BLOCK_AREAS) {
        const uint32_t taken = grid->free_block;
        SELF_CHECK(taken != NO_BLOCK);
        struct area_block *block = &grid->blocks[taken];
        grid->free_block = block->next;
        for (unsigned i = 0; i < BLOCK_AREAS; i++)
            clear_entry(block, i);
        block->next = *chain;
        *chain = taken;
    }
    const uint32_t entry = entry_number(*chain, filled(&grid->blocks[*chain]));
    write_entry(grid, entry, area);
    return entry;
}

/* The last area of the first block takes the entry. */
static void leave_chain(struct area_grid *grid, uint32_t *chain, uint32_t entry) {
    const uint32_t number = *chain;
    struct area_block *first = &grid->blocks[number];
    const unsigned last = filled(first) - 1;
    const uint32_t mover = block_area(first, last);
    uint32_t *entries = grid->places[mover].entries;
    while (*entries != entry_number(number, last))
        entries++;
    *entries = entry;
    write_entry(grid, entry, mover);
    clear_entry(first, last);
    if (last > 0)
        return;
    *chain = first->next;
    first->next = grid->free_block;
    grid->free_block = number;
}

static void join_chains(struct area_grid *grid, uint32_t area) {
    uint32_t *chains[CELLS_OF_AREA];
    struct area_place *place = &grid->places[area];
    const unsigned count = chains_of(grid, place, chains);
    for (unsigned i = 0; i < count; i++)
        place->entries[i] = join_chain(grid, chains[i], area);
    place->chains = (uint8_t)count;
}

/* ------------------------------------------------------------------ */
/* Room                                                                */
/* ------------------------------------------------------------------ */

/* All chains anew, in other blocks. */
static void fill_chains(struct area_grid *grid) {
    memset(grid->heads, 0xFF, ((size_t)1 << grid->bits) * sizeof *grid->heads);
    grid->unbounded = NO_BLOCK;
    for (uint32_t i = 0; i < grid->block_count; i++)
        grid->blocks[i].next = i + 1 == grid->block_count ? NO_BLOCK : i + 1;
    grid->free_block = 0;
    for (uint32_t area = 0; area < grid->capacity; area++) {
        if (grid->places[area].level != NO_LEVEL)
            join_chains(grid, area);
    }
}

bool area_grid_reserve(struct area_grid *grid, size_t areas) {
    if (areas <= grid->capacity)
        return true;
    const size_t capacity = array_next_capacity(grid->capacity, areas, 0);
    if (capacity == 0 || capacity > MOST_AREAS)
        return false;
    unsigned bits = 3;
    while ((size_t)2 << bits < capacity)
        bits++;
    /* All blocks but the first of a chain are full. */
    const size_t chains = (size_t)1 << bits;
    const size_t wanted = capacity * CELLS_OF_AREA / BLOCK_AREAS + chains + 2;
    uint32_t *heads = memory_resize(grid->memory, NULL, 0, chains, sizeof *heads);
    struct area_block *blocks = NULL;
    size_t block_count = 0;
    if (heads != NULL)
        blocks = array_resized(grid->memory, NULL, &block_count, 0, wanted, sizeof *blocks,
                               sizeof *blocks);
    struct area_place *places = NULL;
    if (blocks != NULL)
        places =
            memory_resize(grid->memory, grid->places, grid->capacity, capacity, sizeof *places);
    if (places == NULL) {
        free_chains(grid->memory, blocks, block_count, heads, chains);
        return false;
    }
    free_chains(grid->memory, grid->blocks, grid->block_count, grid->heads,
                (size_t)1 << grid->bits);
    for (size_t area = grid->capacity; area < capacity; area++)
        places[area].level = NO_LEVEL;
    grid->blocks = blocks;
    grid->block_count = block_count;
    grid->places = places;
    grid->capacity = capacity;
    grid->heads = heads;
    grid->bits = bits;
    fill_chains(grid);
    return true;
}

/* ------------------------------------------------------------------ */
/* Levels                                                              */
/* ------------------------------------------------------------------ */

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

/* Without entries. */
static struct area_place place_of(const struct box *box, double extent, unsigned form) {
    const unsigned level = level_of(box, extent);
    struct area_place place = {.x1 = float_below(box->x1),
                               .y1 = float_below(box->y1),
                               .x2 = float_above(box->x2),
                               .y2 = float_above(box->y2),
                               .level = (uint8_t)level,
                               .form = (uint8_t)form};
    if (level == AREA_LEVELS)
        return place;
    const double inverse = area_level_inverse(level);
    place.column = floor_of(box->x1 * inverse);
    place.row = floor_of(box->y1 * inverse);
    place.last_column = floor_of(box->x2 * inverse);
    place.last_row = floor_of(box->y2 * inverse);
    return place;
}

void area_grid_place(struct area_grid *grid, uint32_t area, const struct box *box, double extent,
                     unsigned form) {
    struct area_place *before = &grid->places[area];
    struct area_place place = place_of(box, extent, form);
    if (place.level == before->level && place.column == before->column &&
        place.row == before->row && place.last_column == before->last_column &&
        place.last_row == before->last_row) {
        memcpy(place.entries, before->entries, sizeof place.entries);
        place.chains = before->chains;
        *before = place;
        for (unsigned i = 0; i < place.chains; i++)
            write_entry(grid, place.entries[i], area);
        return;
    }
    area_grid_remove(grid, area);
    *before = place;
    join_chains(grid, area);
    if (place.level == AREA_LEVELS || grid->areas_at[place.level]++ > 0)
        return;
    grid->used[grid->used_count].level = place.level;
    grid->used[grid->used_count++].inverse = area_level_inverse(place.level);
}

bool area_grid_holds(const struct area_grid *grid, uint32_t area, const struct box *box) {
    const struct area_place *place = &grid->places[area];
    if (place->level == NO_LEVEL ||
        !((double)place->x1 <= box->x1 && (double)place->y1 <= box->y1 &&
          box->x2 <= (double)place->x2 && box->y2 <= (double)place->y2))
        return false;
    if (place->level == AREA_LEVELS)
        return true;
    /* The bounds were rounded outward: cells are those of the box before. */
    const double inverse = area_level_inverse(place->level);
    return place->column <= floor_of(box->x1 * inverse) &&
           place->row <= floor_of(box->y1 * inverse) &&
           floor_of(box->x2 * inverse) <= place->last_column &&
           floor_of(box->y2 * inverse) <= place->last_row;
}

void area_grid_remove(struct area_grid *grid, uint32_t area) {
    struct area_place *place = &grid->places[area];
    if (place->level == NO_LEVEL)
        return;
    uint32_t *chains[CELLS_OF_AREA];
    const unsigned count = chains_of(grid, place, chains);
    for (unsigned i = 0; i < count; i++)
        leave_chain(grid, chains[i], place->entries[i]);
    const unsigned level = place->level;
    place->level = NO_LEVEL;
    if (level == AREA_LEVELS || --grid->areas_at[level] > 0)
        return;
    unsigned number = 0;
    while (grid->used[number].level != level)
        number++;
    grid->used[number] = grid->used[--grid->used_count];
}

#ifdef AOI_SELF_CHECK
void area_grid_check(const struct area_grid *grid, uint32_t area, const struct box *box) {
    const struct area_place *place = &grid->places[area];
    SELF_CHECK(place->level != NO_LEVEL);
    /* Bounds that are no numbers hold nobody. */
    SELF_CHECK(!((double)place->x1 > box->x1) && !((double)place->y1 > box->y1));
    SELF_CHECK(!((double)place->x2 < box->x2) && !((double)place->y2 < box->y2));
    struct area_grid seen = *grid;
    uint32_t *chains[CELLS_OF_AREA];
    const unsigned count = chains_of(&seen, place, chains);
    SELF_CHECK(count == place->chains);
    for (unsigned i = 0; i < count; i++) {
        unsigned found = 0;
        for (uint32_t at = *chains[i]; at != NO_BLOCK; at = grid->blocks[at].next) {
            const struct area_block *block = &grid->blocks[at];
            SELF_CHECK(at == *chains[i] || filled(block) == BLOCK_AREAS);
            for (unsigned j = 0; j < filled(block); j++) {
                if (block_area(block, j) != area)
                    continue;
                found++;
                SELF_CHECK(place->entries[i] == entry_number(at, j));
                SELF_CHECK(block_form(block, j) == place->form);
                SELF_CHECK(!(block->x1[j] < place->x1 || block->x2[j] > place->x2));
            }
        }
        SELF_CHECK(found == 1);
    }
    if (place->level == AREA_LEVELS)
        return;
    const double size = ldexp(1, (int)place->level + LOWEST_LEVEL);
    SELF_CHECK(place->last_column >= floor(box->x2 / size) &&
               place->last_row >= floor(box->y2 / size));
    SELF_CHECK(place->column <= floor(box->x1 / size) && place->row <= floor(box->y1 / size));
    SELF_CHECK(place->last_column - place->column <= 1 && place->last_row - place->row <= 1);
}
#endif
