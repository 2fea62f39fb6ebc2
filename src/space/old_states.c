/* old_states.c - see old_states.h. */
#include "space/old_states.h"

#include "base/self_check.h"
#include "space/space.h"

static bool reserve_states(struct aoi_space *space, size_t more) {
    struct old_states *old = &space->old_states;
    if (more <= old->capacity - old->count)
        return true;
    size_t capacity = memory_next_capacity(old->capacity, old->count + more);
    if (capacity == 0 || capacity >= NO_SLOT)
        return false;
    if (space->slack.limit > 0 && old->place_capacity < capacity) {
        aoi_point *places = memory_resize(&space->memory, old->places, old->place_capacity,
                                          capacity, sizeof *places);
        if (places == NULL)
            return false;
        old->places = places;
        old->place_capacity = capacity;
    }
    if (!aligned_grow(&space->memory, &old->array, old->count, capacity, sizeof(struct entity)))
        return false;
    old->states = old->array.items;
    old->capacity = capacity;
    return true;
}

static bool reserve_slots(struct aoi_space *space) {
    struct old_states *old = &space->old_states;
    if (old->slot_capacity >= space->entities.capacity)
        return true;
    uint32_t *of_slot = memory_resize(&space->memory, old->of_slot, old->slot_capacity,
                                      space->entities.capacity, sizeof *of_slot);
    if (of_slot == NULL)
        return false;
    old->of_slot = of_slot;
    old->slot_capacity = space->entities.capacity;
    return true;
}

bool old_states_reserve(struct aoi_space *space, size_t more) {
    struct old_states *old = &space->old_states;
    return reserve_slots(space) && reserve_states(space, more) &&
           idmap_reserve(&old->gone, &space->memory, old->states, more);
}

bool old_states_reserve_change(struct aoi_space *space, uint32_t slot) {
    return space->entities.at[slot].changed || (reserve_slots(space) && reserve_states(space, 1));
}

void old_states_restore(struct aoi_space *space, const struct entity *state, aoi_point place,
                        uint32_t slot) {
    struct old_states *old = &space->old_states;
    uint32_t number = (uint32_t)old->count++;
    old->states[number] = *state;
    old->states[number].current_slot = slot;
    if (space->slack.limit > 0)
        old->places[number] = place;
    if (slot == NO_SLOT) {
        idmap_add(&old->gone, old->states, number);
    } else {
        old->of_slot[slot] = number;
        space->entities.at[slot].changed = 1;
    }
}

bool old_states_reserve_leave(struct aoi_space *space, uint32_t slot) {
    const struct old_states *old = &space->old_states;
    bool came_since = space->entities.at[slot].changed && old->states[old->of_slot[slot]].mode == 0;
    return came_since || old_states_reserve(space, 1);
}

/* Adds a copy of the state, which belongs to the entity in slot. */
static void add(struct aoi_space *space, const struct entity *state, uint32_t slot) {
    old_states_restore(space, state, space_place(space, slot), slot);
}

/* Takes out a state that nothing refers to any more; the last one takes its number. */
static void take_out(struct old_states *old, uint32_t number) {
    uint32_t last = (uint32_t)--old->count;
    if (number == last)
        return;
    uint32_t slot = old->states[last].current_slot;
    if (slot == NO_SLOT)
        idmap_remove(&old->gone, old->states, last);
    old->states[number] = old->states[last];
    if (old->places != NULL)
        old->places[number] = old->places[last];
    if (slot == NO_SLOT)
        idmap_add(&old->gone, old->states, number);
    else
        old->of_slot[slot] = number;
}

void old_states_note_change(struct aoi_space *space, uint32_t slot) {
    if (!space->entities.at[slot].changed)
        add(space, &space->entities.at[slot], slot);
}

void old_states_take_back(struct aoi_space *space, size_t count) {
    struct old_states *old = &space->old_states;
    while (old->count > count)
        space->entities.at[old->states[--old->count].current_slot].changed = 0;
}

void old_states_note_enter(struct aoi_space *space, uint32_t slot) {
    struct old_states *old = &space->old_states;
    struct entity *entity = &space->entities.at[slot];
    uint32_t number = idmap_find(&old->gone, old->states, entity->id);
    if (number == NO_SLOT) {
        const struct entity absent = {.id = entity->id, .mode = 0};
        add(space, &absent, slot);
        return;
    }
    idmap_remove(&old->gone, old->states, number);
    old->states[number].current_slot = slot;
    old->of_slot[slot] = number;
    entity->changed = 1;
}

void old_states_note_leave(struct aoi_space *space, uint32_t slot) {
    struct old_states *old = &space->old_states;
    old_states_note_change(space, slot);
    uint32_t number = old->of_slot[slot];
    if (old->states[number].mode == 0) {
        take_out(old, number);
    } else {
        old->states[number].current_slot = NO_SLOT;
        idmap_add(&old->gone, old->states, number);
    }
}

void old_states_clear(struct aoi_space *space) {
    struct old_states *old = &space->old_states;
    for (size_t number = 0; number < old->count; number++) {
        uint32_t slot = old->states[number].current_slot;
        if (slot == NO_SLOT)
            idmap_remove(&old->gone, old->states, (uint32_t)number);
        else
            space->entities.at[slot].changed = 0;
    }
    old->count = 0;
}

void old_states_free(struct aoi_space *space) {
    struct old_states *old = &space->old_states;
    aligned_free(&space->memory, &old->array);
    memory_resize(&space->memory, old->places, old->place_capacity, 0, sizeof *old->places);
    memory_resize(&space->memory, old->of_slot, old->slot_capacity, 0, sizeof *old->of_slot);
    idmap_free(&old->gone, &space->memory);
    *old = (struct old_states){.count = 0};
}

#ifdef AOI_SELF_CHECK
void old_states_check(const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    size_t changed = 0;
    for (uint32_t slot = 0; slot < space->entities.used; slot++)
        changed += space->entities.at[slot].mode != 0 && space->entities.at[slot].changed;
    SELF_CHECK(changed + old->gone.count == old->count);
    for (uint32_t number = 0; number < old->count; number++) {
        const struct entity *state = &old->states[number];
        if (state->current_slot == NO_SLOT) {
            SELF_CHECK(state->mode != 0);
            SELF_CHECK(idmap_find(&old->gone, old->states, state->id) == number);
        } else {
            SELF_CHECK(old->of_slot[state->current_slot] == number);
            SELF_CHECK(space->entities.at[state->current_slot].changed);
            SELF_CHECK(space->entities.at[state->current_slot].id == state->id);
        }
    }
}
#endif
