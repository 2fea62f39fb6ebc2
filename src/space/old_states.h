/*
 * old_states.h - old states: the changed entities of a deferred space as they
 * were at the last tick.
 *
 * One state per entity that was entered, changed or removed since, whatever
 * the number of calls: a tick compares it with what the entity is now. An id
 * that left and comes back finds its state again; one that came and leaves
 * again has none.
 */
#ifndef AOI_OLD_STATES_H
#define AOI_OLD_STATES_H

#include "base/high_water.h"
#include "entity/entities.h"
#include "space/slack.h"

struct old_states {
    struct memory *memory; /* the space's, as the next two */
    struct entities *entities;
    const struct slack *slack;

    struct ARRAY_OF(struct entity) array;
    struct entity *states; /* = array.items; mode 0: the id was not in the space */
    size_t count;
    struct ARRAY_OF(aoi_point) places; /* with slack: the true places of the states; else none */
    /* The number of the state, by slot; counts where entity.changed is set. */
    struct ARRAY_OF(uint32_t) of_slot;
    struct idmap gone;     /* id -> number, of those that have no slot any more */
    struct high_water use; /* of states */
};

/* The slot of the entity now, in its old state; NO_SLOT when it is gone. */
#define current_slot handle[0]
/* The slot that one who is gone had: its own until the next tick where slots are retired. */
#define former_slot handle[1]
/* The old state of an entity that was touched since the last tick. */
#define was_touched changed

/* Room for `more` notes below. */
bool old_states_reserve(struct old_states *old, size_t more);

/* Room for the entity in slot to change, and not to leave. */
bool old_states_reserve_change(struct old_states *old, uint32_t slot);

/* Room for the entity in slot to leave: one that came since the last tick can always go. */
bool old_states_reserve_leave(struct old_states *old, uint32_t slot);

/* The entity in slot is about to change. */
void old_states_note_change(struct old_states *old, uint32_t slot);

/* The entity in slot counts as moved at the next tick; there is room for its change. It holds for
 * the id: also when that leaves and comes back before. */
void old_states_touch(struct old_states *old, uint32_t slot);

/* True when the entity in slot was touched since the last tick. */
static inline bool old_states_touched(const struct old_states *old, uint32_t slot) {
    return old->entities->at[slot].changed && old->states[old->of_slot.items[slot]].was_touched;
}

/* Forgets the changes noted since there were `count` states: they have been taken back. */
void old_states_take_back(struct old_states *old, size_t count);

/* The entity in slot, which has an old state, was no watcher at the last tick: what it was told is
 * another's business. A mere watcher was not inside. */
void old_states_end_watching(struct old_states *old, uint32_t slot);

/* The place of the state of this number: where the entity truly was. */
static inline aoi_point old_states_place(const struct old_states *old, uint32_t number) {
    const struct entity *state = &old->states[number];
    return old->slack->limit > 0 ? old->places.items[number]
                                 : (aoi_point){state->x, state->y, state->z};
}

/* The number of the state of one who is gone, or NO_SLOT. */
static inline uint32_t old_states_find_gone(const struct old_states *old, aoi_id id) {
    return idmap_find(&old->gone, IDS_OF(old->states, id), id);
}

/* The entity in slot has entered. */
void old_states_note_enter(struct old_states *old, uint32_t slot);

/* The entity in slot is about to leave. After a note_enter this takes it back, and needs no
 * further room. False: it was not inside at the last tick, and is forgotten. */
bool old_states_note_leave(struct old_states *old, uint32_t slot);

/* Adds a state as it was saved, of the entity in slot (NO_SLOT: it is gone) which has none yet;
 * room is reserved. place: where it truly was; counts with slack. */
void old_states_restore(struct old_states *old, const struct entity *state, aoi_point place,
                        uint32_t slot);

/* All are up to date: after a tick. Gives back what few ticks need; see high_water.h. */
void old_states_clear(struct old_states *old);

/* Forgets everything, also the memory; entities are not looked at. */
void old_states_free(struct old_states *old);

#ifdef AOI_SELF_CHECK
void old_states_check(const struct old_states *old);
#endif

#endif
