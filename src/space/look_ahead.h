/*
 * look_ahead.h - fetches of memory that the next rows of a batch will read,
 * while the rows before them are worked on.
 *
 * In a large space the entities of rows in any order are far from the
 * processor, and so is what leads to them: a row waits for the id map, then
 * for the entity, then for what stands around it. So each row is looked at
 * three times, some rows ahead, once for each of these, as soon as what the
 * look before has asked for is at hand.
 */
#ifndef AOI_LOOK_AHEAD_H
#define AOI_LOOK_AHEAD_H

#include "base/always_inline.h"
#include "base/specialised.h"
#include "sight/sight.h"
#include "space/space.h"

/* How many rows ahead what is fetched. */
enum { MAP_AHEAD = 12, ENTITY_AHEAD = 8, SEARCH_AHEAD = 4 };

struct look_ahead {
    struct aoi_space *space;
    const aoi_row *rows;
    size_t count;
    bool pays;
    uint32_t slots[SEARCH_AHEAD]; /* of the next rows, each at its number modulo SEARCH_AHEAD */
};

/* Lets the processor fetch what a search around the entity will read, or the note of its change. */
ALWAYS_INLINE void fetch_around(const struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities.at[slot];
    const struct spatial_index *index = space->indexes.main;
    if (!space->late_moves.used)
        index->engine->fetch(index, slot, entity->x, entity->y,
                             sight_radius(space->visibility.rule, entity));
    else if (slot < space->old_states.of_slot.capacity)
        __builtin_prefetch(&space->old_states.of_slot.items[slot], 1);
}

/* The third look at a row, when its entity is at hand; returns the slot of that. */
ALWAYS_INLINE uint32_t look_at_entity(const struct aoi_space *space, const aoi_row *row) {
    const uint32_t slot = space_find(space, row->id);
    if (slot != NO_SLOT)
        fetch_around(space, slot);
    return slot;
}

/* To be called for each row in order. Returns the slot of the row's id as it was SEARCH_AHEAD rows
 * before: NO_SLOT when it was not inside then. */
ALWAYS_INLINE uint32_t look_ahead(struct look_ahead *ahead, size_t row) {
    const struct aoi_space *space = ahead->space;
    const aoi_row *rows = ahead->rows;
    if (!ahead->pays)
        return space_find(space, rows[row].id);
    const uint32_t slot = ahead->slots[row % SEARCH_AHEAD];
    if (row + MAP_AHEAD < ahead->count)
        idmap_prefetch(&space->entities.ids, rows[row + MAP_AHEAD].id);
    if (row + ENTITY_AHEAD < ahead->count)
        entities_prefetch(&space->entities, rows[row + ENTITY_AHEAD].id);
    if (row + SEARCH_AHEAD < ahead->count)
        ahead->slots[row % SEARCH_AHEAD] = look_at_entity(space, &rows[row + SEARCH_AHEAD]);
    return slot;
}

ALWAYS_INLINE struct look_ahead look_ahead_of(struct aoi_space *space, const aoi_row *rows,
                                              size_t count) {
    struct look_ahead ahead = {.space = space, .rows = rows, .count = count};
    ahead.pays = WITH_LOOK_AHEAD && space->entities.count > LARGE_SPACE;
    for (size_t row = 0; ahead.pays && row < SEARCH_AHEAD && row < count; row++)
        ahead.slots[row] = look_at_entity(space, &rows[row]);
    return ahead;
}

#endif
