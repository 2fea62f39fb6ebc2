/* grid.h - what the classic nine-grid needs of the grid beyond the engine interface. */
#ifndef AOI_GRID_H
#define AOI_GRID_H

#include "spatial_index.h"

struct entity;

/* Sets entity->cell from its position. */
void grid_locate(const struct aoi_space *space, struct entity *entity);

/* Classic nine-grid: the entity in slot goes where `after` is, in the same cell. */
void grid_step_in_cell(struct aoi_space *space, uint32_t slot, const struct entity *after);

/* Two cells see each other when they are the same or touch. */
static inline bool grid_cells_touch(uint32_t ax, uint32_t ay, uint32_t bx, uint32_t by) {
    return ax - bx + 1 <= 2 && ay - by + 1 <= 2; /* unsigned: below -1 wraps to huge */
}

/*
 * Appends to hits the slots of all entities in the cells that touch before's
 * cell or after's (NULL: none) but not both, and, unless inside is NULL, those
 * that touch both to inside, which may be hits itself. False: no memory.
 */
bool grid_search_cells(struct spatial_index *index, const struct entity *before,
                       const struct entity *after, struct hits *hits, struct hits *inside);

#endif
