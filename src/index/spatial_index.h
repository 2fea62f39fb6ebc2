/*
 * spatial_index.h - the interface behind which the engines stand.
 *
 * An engine is a spatial index: it keeps the slots of entities by position
 * and finds those in a ring. What visibility means is not its business (see
 * visibility.h); so every engine gives the same answers.
 *
 * Whatever can fail comes before anything changes: `reserve` makes sure that
 * the next insert or relocate needs no memory. Positions are read from the
 * entities; relocate is called while the entity still has its old one.
 */
#ifndef AOI_SPATIAL_INDEX_H
#define AOI_SPATIAL_INDEX_H

#include "index/ring.h"

struct aoi_space;
struct spatial_index;

struct spatial_index_engine {
    const char *name;
    /* relocate may be called long after the entity got its new position, and after many others
     * did: the index itself knows where it keeps what. See late_moves.h. */
    bool can_be_late;
    void (*destroy)(struct spatial_index *index);
    void (*clear)(struct spatial_index *index);
    /* False: no memory, unchanged. */
    bool (*reserve)(struct spatial_index *index);
    void (*insert)(struct spatial_index *index, uint32_t slot);
    void (*remove)(struct spatial_index *index, uint32_t slot);
    void (*relocate)(struct spatial_index *index, uint32_t slot, double x, double y);
    /* Appends the slots of all entities in the ring to hits, and, unless inside is NULL, those in
     * the inner box of a hollow ring to inside. near_slot: the entity that the search is about, or
     * NO_SLOT; an index may remember where its searches began. False: no memory. */
    bool (*search)(struct spatial_index *index, const struct ring *ring, uint32_t near_slot,
                   struct hits *hits, struct hits *inside);
    /* About where the entities are; for a first guess only. */
    struct box (*extent)(const struct spatial_index *index);
    /* Around many inserts and relocates, all of which may have to be taken back: after
     * begin_batch, taking back what was done (in reverse order) never needs memory. May be NULL. */
    void (*begin_batch)(struct spatial_index *index);
    void (*end_batch)(struct spatial_index *index);
    void (*describe)(const struct spatial_index *index, aoi_stats *stats);
#ifdef AOI_SELF_CHECK
    void (*check)(const struct spatial_index *index); /* aborts when an invariant is broken */
#endif
};

/* Each engine's own struct begins with this one. */
struct spatial_index {
    const struct spatial_index_engine *engine;
    struct aoi_space *space;
    bool is_main; /* the main index holds every entity, others the watchers of a radius class */
    size_t count; /* entities in it */
};

/* The constructors: NULL on lack of memory. reach is the largest radius that the index will
 * usually be searched with: it sets the size of a grid's cells. */
struct spatial_index *grid_create(struct aoi_space *space, bool is_main, double reach);
struct spatial_index *crosslist_create(struct aoi_space *space, bool is_main, double reach);
struct spatial_index *quadtree_create(struct aoi_space *space, bool is_main, double reach);

#endif
