/* old_states.c - old states noted, found by slot and by id, and taken back. */
#include "space/old_states.h"

#include "base/self_check.h"

static bool reserve_numbers(struct old_states *old, size_t more) {
    old->array.count = old->count;
    if (more >= NO_SLOT - old->count || !array_reserve(&old->array, old->memory, more))
        return false;
    old->states = old->array.items;
    return old->slack->limit == 0 || array_extend(&old->places, old->memory, old->array.capacity);
}

static bool reserve_slots(struct old_states *old) {
    return array_extend(&old->of_slot, old->memory, old->entities->capacity);
}

bool old_states_reserve(struct old_states *old, size_t more) {
    return reserve_slots(old) && reserve_numbers(old, more) &&
           idmap_reserve(&old->gone, old->memory, IDS_OF(old->states, id), more);
}

bool old_states_reserve_change(struct old_states *old, uint32_t slot) {
    return old->entities->at[slot].changed || (reserve_slots(old) && reserve_numbers(old, 1));
}

void old_states_restore(struct old_states *old, const struct entity *state, aoi_point place,
                        uint32_t slot) {
    SELF_CHECK(old->count < old->array.capacity);
    uint32_t number = (uint32_t)old->count++;
    old->states[number] = *state;
    old->states[number].current_slot = slot;
    if (old->slack->limit > 0)
        old->places.items[number] = place;
    if (slot == NO_SLOT) {
        idmap_add(&old->gone, IDS_OF(old->states, id), number);
    } else {
        old->of_slot.items[slot] = number;
        old->entities->at[slot].changed = 1;
    }
}

bool old_states_reserve_leave(struct old_states *old, uint32_t slot) {
    bool came_since =
        old->entities->at[slot].changed && old->states[old->of_slot.items[slot]].mode == 0;
    return came_since || old_states_reserve(old, 1);
}

/* Adds a copy of the state, which belongs to the entity in slot. */
static void add_state(struct old_states *old, const struct entity *state, uint32_t slot) {
    old_states_restore(old, state, slack_place(old->slack, old->entities->at, slot), slot);
}

/* Takes out a state that nothing refers to any more; the last one takes its number. */
static void take_state_out(struct old_states *old, uint32_t number) {
    high_water_note(&old->use, old->count);
    uint32_t last = (uint32_t)--old->count;
    if (number == last)
        return;
    uint32_t slot = old->states[last].current_slot;
    if (slot == NO_SLOT)
        idmap_remove(&old->gone, IDS_OF(old->states, id), last);
    old->states[number] = old->states[last];
    if (old->places.items != NULL)
        old->places.items[number] = old->places.items[last];
    if (slot == NO_SLOT)
        idmap_add(&old->gone, IDS_OF(old->states, id), number);
    else
        old->of_slot.items[slot] = number;
}

void old_states_note_change(struct old_states *old, uint32_t slot) {
    if (!old->entities->at[slot].changed)
        add_state(old, &old->entities->at[slot], slot);
}

void old_states_touch(struct old_states *old, uint32_t slot) {
    old_states_note_change(old, slot);
    old->states[old->of_slot.items[slot]].was_touched = 1;
}

void old_states_take_back(struct old_states *old, size_t count) {
    high_water_note(&old->use, old->count);
    while (old->count > count)
        old->entities->at[old->states[--old->count].current_slot].changed = 0;
}

void old_states_end_watching(struct old_states *old, uint32_t slot) {
    const uint32_t number = old->of_slot.items[slot];
    struct entity *state = &old->states[number];
    state->mode &= AOI_MARKER;
    if (state->mode == 0) {
        *state = (struct entity){.id = state->id, .was_touched = state->was_touched};
        state->current_slot = slot;
    }
}

void old_states_note_enter(struct old_states *old, uint32_t slot) {
    struct entity *entity = &old->entities->at[slot];
    uint32_t number = old_states_find_gone(old, entity->id);
    if (number == NO_SLOT) {
        const struct entity absent = {.id = entity->id, .mode = 0};
        add_state(old, &absent, slot);
        return;
    }
    idmap_remove(&old->gone, IDS_OF(old->states, id), number);
    old->states[number].current_slot = slot;
    old->of_slot.items[slot] = number;
    entity->changed = 1;
}

bool old_states_note_leave(struct old_states *old, uint32_t slot) {
    old_states_note_change(old, slot);
    uint32_t number = old->of_slot.items[slot];
    if (old->states[number].mode == 0) {
        take_state_out(old, number);
        return false;
    }
    old->states[number].current_slot = NO_SLOT;
    old->states[number].former_slot = slot;
    idmap_add(&old->gone, IDS_OF(old->states, id), number);
    return true;
}

/* All but what goes by slots: those who change are as many as ever, but not the same. */
static void free_states(struct old_states *old) {
    array_free(&old->array, old->memory);
    array_free(&old->places, old->memory);
    idmap_free(&old->gone, old->memory);
}

void old_states_clear(struct old_states *old) {
    for (size_t number = 0; number < old->count; number++) {
        uint32_t slot = old->states[number].current_slot;
        if (slot == NO_SLOT)
            idmap_remove(&old->gone, IDS_OF(old->states, id), (uint32_t)number);
        else
            old->entities->at[slot].changed = 0;
    }
    high_water_note(&old->use, old->count);
    old->count = 0;
    if (high_water_end(&old->use, QUIET_TICKS))
        free_states(old);
}

void old_states_free(struct old_states *old) {
    free_states(old);
    array_free(&old->of_slot, old->memory);
    *old =
        (struct old_states){.memory = old->memory, .entities = old->entities, .slack = old->slack};
}

#ifdef AOI_SELF_CHECK
void old_states_check(const struct old_states *old) {
    size_t changed = 0;
    for (uint32_t slot = 0; slot < old->entities->used; slot++)
        changed += old->entities->at[slot].mode != 0 && old->entities->at[slot].changed;
    SELF_CHECK(changed + old->gone.count == old->count);
    for (uint32_t number = 0; number < old->count; number++) {
        const struct entity *state = &old->states[number];
        if (state->current_slot == NO_SLOT) {
            SELF_CHECK(state->mode != 0);
            SELF_CHECK(idmap_find(&old->gone, IDS_OF(old->states, id), state->id) == number);
        } else {
            SELF_CHECK(old->of_slot.items[state->current_slot] == number);
            SELF_CHECK(old->entities->at[state->current_slot].changed);
            SELF_CHECK(old->entities->at[state->current_slot].id == state->id);
        }
    }
}
#endif
