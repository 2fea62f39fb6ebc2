/*
 * area_states.h - old states of areas in a deferred space: changed areas as
 * they were at the last tick.
 *
 * One state for each area that was added, changed or removed since, as
 * old_states.h has for entities. One that was removed finds its state again
 * when an area is added under its id. An owner that moves does not change its
 * areas. The members that an area had at the last tick go with its state.
 */
#ifndef AOI_AREA_STATES_H
#define AOI_AREA_STATES_H

#include "area/area_table.h"

struct area_state {
    struct area before; /* at the place of the last tick; shape 0: there was none */
    uint32_t current;   /* its slot now; NO_AREA: it is gone */
    bool is_handed;     /* it was in another space then: before has its members, and no place */
};

struct area_states {
    struct area_state *items;
    size_t count, capacity;
    struct idmap gone; /* id -> number, of those that are gone */
};

/* The number of the state of a gone area, or NO_SLOT. */
static inline uint32_t area_states_find_gone(const struct area_states *states, aoi_id id) {
    return idmap_find(&states->gone, IDS_OF(states->items, before.id), id);
}

/* Room for `more` notes below. */
bool area_states_reserve(struct area_states *states, struct memory *memory, size_t more);

/* The area in slot is about to change. at: where it was at the last tick. */
void area_states_note_change(struct area_states *states, struct area_table *table, uint32_t slot,
                             aoi_point at);

/* The area in slot has been added. */
void area_states_note_add(struct area_states *states, struct area_table *table, uint32_t slot);

/* The area in slot, whose change was noted, is about to be removed. */
void area_states_note_remove(struct area_states *states, struct area_table *table, uint32_t slot,
                             struct memory *memory);

/* The area in slot, which has no state, has been added as one that was in another space at the last
 * tick, with these members; they belong to the state from now on. */
void area_states_note_hand_in(struct area_states *states, struct area_table *table, uint32_t slot,
                              struct id_list members, struct memory *memory);

/* The area in slot is about to go to another space, with what it was at the last tick. */
void area_states_note_hand_out(struct area_states *states, struct area_table *table, uint32_t slot,
                               struct memory *memory);

/* Adds a state as it was saved; room is reserved. False, and nothing done, for one that can't be:
 * there is one already, or the area neither was nor is there. */
bool area_states_restore(struct area_states *states, struct area_table *table,
                         const struct area *before, bool is_handed);

/* All are up to date: after a tick. */
void area_states_clear(struct area_states *states, struct area_table *table, struct memory *memory);

void area_states_free(struct area_states *states, struct memory *memory);

#ifdef AOI_SELF_CHECK
void area_states_check(const struct area_states *states, const struct area_table *table);
#endif

#endif
