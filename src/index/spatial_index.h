/*
 * spatial_index.h - the interface behind which the engines stand.
 *
 * An engine is a spatial index: it keeps the slots of entities by position
 * and finds those in a ring. It knows no space, and what visibility means is
 * not its business (see visibility.h); so every engine gives the same answers.
 *
 * Whatever can fail comes before anything changes: `reserve` makes sure that
 * the next insert or relocate needs no memory. Positions are read from the
 * entities; relocate is called while the entity still has its old one.
 */
#ifndef AOI_SPATIAL_INDEX_H
#define AOI_SPATIAL_INDEX_H

#include "entity/entities.h"
#include "entity/map.h"
#include "index/ring.h"

struct spatial_index;

/*
 * The classic nine-grid: cells decide who sees whom, and each entity knows its
 * own. Only the grid with a map has this.
 */
struct cell_rule {
    /* The cell of a position. */
    struct cell (*cell_at)(const struct spatial_index *index, double x, double y);
    /* relocate for who stays in the same cell; false, and nothing done, for others. */
    bool (*relocate_in_cell)(struct spatial_index *index, uint32_t slot, double x, double y);
    /* Appends to hits the slots of all entities in the cells that touch one of the two cells (NULL:
     * none) but not both, and, unless inside is NULL, those that touch both to inside, which may be
     * hits itself. */
    bool (*search)(struct spatial_index *index, const struct cell *before, const struct cell *after,
                   struct hits *hits, struct hits *inside);
};

/* Limits of a quadtree's options. */
enum { AOI_DEEPEST_TREE = 32, AOI_LARGEST_LEAF = 65536 };

/* The base of an index. The first three stay where they are as long as the index lives. */
struct index_setup {
    struct memory *memory;
    struct entities *entities;
    const struct map *map;
    bool cells_decide;                 /* classic nine-grid */
    uint32_t leaf_capacity, max_depth; /* quadtree */
};

/* Cells, leaves or blocks, as far as there is room; see aoi_cells. */
struct cell_list {
    aoi_cell *cells;
    size_t room, count; /* count goes on where there is no room */
};

static inline void cell_list_add(struct cell_list *list, aoi_cell cell) {
    if (cell.entities == 0)
        return;
    if (list->count < list->room)
        list->cells[list->count] = cell;
    list->count++;
}

struct spatial_index_engine {
    const char *name;
    /* radius_class: USUAL_RADIUS for the main index, which holds every entity; others hold the
     * watchers of their class. reach is the largest radius that it will usually be searched with:
     * it sets the size of a grid's cells. */
    struct spatial_index *(*create)(const struct index_setup *setup, unsigned radius_class,
                                    double reach);
    /* It knows the radius of each watcher of a class: classes may be wide. */
    bool keeps_radii;
    const struct cell_rule *cells; /* NULL but for the grid with a map */
    /* relocate may be called long after the entity got its new position, and after many others
     * did: the index itself knows where it keeps what. See late_moves.h. */
    bool can_be_late;
    void (*destroy)(struct spatial_index *index);
    void (*clear)(struct spatial_index *index);
    bool (*reserve)(struct spatial_index *index); /* for one more entity */
    void (*insert)(struct spatial_index *index, uint32_t slot);
    void (*remove)(struct spatial_index *index, uint32_t slot);
    void (*relocate)(struct spatial_index *index, uint32_t slot, double x, double y);
    /* Appends the slots of all entities in the ring to hits, and, unless inside is NULL, those in
     * the inner box of a hollow ring to inside. near_slot: the entity that the search is about, or
     * NO_SLOT; an index may remember where its searches began. */
    bool (*search)(struct spatial_index *index, const struct ring *ring, uint32_t near_slot,
                   struct hits *hits, struct hits *inside);
    /* Lets the processor fetch what a search as far as reach around (x, y), which is on the map,
     * will read first. slot: of the entity that is there now, so that engines may begin where they
     * keep it; NO_SLOT where it is not known yet. */
    void (*fetch)(const struct spatial_index *index, uint32_t slot, double x, double y,
                  double reach);
    /* About where the entities are; for a first guess only. NULL: anywhere on the map. */
    struct box (*extent)(const struct spatial_index *index);
    /* Around many inserts and relocates, all of which may have to be taken back: after
     * begin_batch, taking back what was done (in reverse order) never needs memory. May be NULL. */
    void (*begin_batch)(struct spatial_index *index);
    void (*end_batch)(struct spatial_index *index);
    void (*describe)(const struct spatial_index *index, aoi_stats *stats);
    void (*list_cells)(const struct spatial_index *index, struct cell_list *list);
#ifdef AOI_SELF_CHECK
    void (*check)(const struct spatial_index *index); /* aborts when an invariant is broken */
#endif
};

/* Each engine's own struct begins with this one. */
struct spatial_index {
    const struct spatial_index_engine *engine;
    struct memory *memory;
    struct entities *entities;
    const struct map *map;
    unsigned radius_class;
    bool is_main; /* = (radius_class == USUAL_RADIUS) */
    size_t count; /* entities in it */
};

/* The part that all engines have alike. */
static inline struct spatial_index spatial_index_of(const struct spatial_index_engine *engine,
                                                    const struct index_setup *setup,
                                                    unsigned radius_class) {
    return (struct spatial_index){.engine = engine,
                                  .memory = setup->memory,
                                  .entities = setup->entities,
                                  .map = setup->map,
                                  .radius_class = radius_class,
                                  .is_main = radius_class == USUAL_RADIUS};
}

/* fold_engine: the grid without a map. */
extern const struct spatial_index_engine grid_engine, fold_engine, crosslist_engine,
    quadtree_engine;

#endif
