/*
 * late_moves.h - late moves, in deferred spaces: moves that the indexes do not
 * know yet.
 *
 * A tick at which everybody has moved asks no index. So a move only changes
 * the entity, and its slot is noted here, once; the indexes learn of it before
 * the next search. Only for engines that allow it: see spatial_index.h.
 */
#ifndef AOI_LATE_MOVES_H
#define AOI_LATE_MOVES_H

#include "index/indexes.h"

/* The slots whose entity.late is set; it stays set when the entity leaves. */
struct late_moves {
    struct indexes *indexes;
    bool used; /* the space is deferred, and its engine can be late */
    struct ARRAY_OF(uint32_t) slots;
};

/* Room for all slots of the space. */
static inline bool late_moves_reserve(struct late_moves *late) {
    const struct index_setup *setup = &late->indexes->setup;
    return !late->used || array_extend(&late->slots, setup->memory, setup->entities->capacity);
}

/* The entity in slot has another position, or is about to; room is reserved. */
void late_moves_note(struct late_moves *late, uint32_t slot);

/* Passes the moves on to the indexes; what they know already does no harm. False: no memory; they
 * know of some moves, and can learn of the others later. */
bool late_moves_apply(struct late_moves *late);

#endif
