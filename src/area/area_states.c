/* area_states.c - old states of areas, noted when they change, restored when a change is taken
 * back. */
#include "area/area_states.h"

#include "base/self_check.h"

static struct id_column ids_of(const struct area_states *states) {
    return IDS_OF(states->items, before.id);
}

bool area_states_reserve(struct area_states *states, struct memory *memory, size_t more) {
    return idmap_reserve(&states->gone, memory, ids_of(states), more) &&
           array_reserve(states, memory, more);
}

void area_states_note_change(struct area_states *states, struct area_table *table, uint32_t slot,
                             aoi_point at) {
    struct area *area = &table->at[slot];
    if (area->old != NO_AREA)
        return;
    SELF_CHECK(states->count < states->capacity);
    area->old = (uint32_t)states->count++;
    struct area_state *state = &states->items[area->old];
    *state = (struct area_state){.before = *area, .current = slot};
    state->before.at = at;
    outline_share(area->outline);
    area->members = (struct id_list){NULL, 0, 0};
}

void area_states_note_add(struct area_states *states, struct area_table *table, uint32_t slot) {
    struct area *area = &table->at[slot];
    area->old = area_states_find_gone(states, area->id);
    if (area->old != NO_SLOT) {
        idmap_remove(&states->gone, ids_of(states), area->old);
        states->items[area->old].current = slot;
        return;
    }
    SELF_CHECK(states->count < states->capacity);
    area->old = (uint32_t)states->count++;
    states->items[area->old] =
        (struct area_state){.before = {.shape = 0, .id = area->id}, .current = slot};
}

bool area_states_restore(struct area_states *states, struct area_table *table,
                         const struct area *before, bool is_handed) {
    const uint32_t current = area_table_find(table, before->id);
    const bool is_double = current == NO_AREA ? area_states_find_gone(states, before->id) != NO_SLOT
                                              : table->at[current].old != NO_AREA;
    if (is_double || (current == NO_AREA && before->shape == 0))
        return false;
    const uint32_t number = (uint32_t)states->count++;
    states->items[number] = (struct area_state){*before, current, is_handed};
    if (current == NO_AREA)
        idmap_add(&states->gone, ids_of(states), number);
    else
        table->at[current].old = number;
    return true;
}

/* Takes out a state that nothing refers to any more; the last one takes its number. */
static void take_out(struct area_states *states, struct area_table *table, uint32_t number,
                     struct memory *memory) {
    area_release(&states->items[number].before, memory);
    const uint32_t last = (uint32_t)--states->count;
    if (number == last)
        return;
    const struct area_state *moved = &states->items[last];
    if (moved->current == NO_AREA)
        idmap_remove(&states->gone, ids_of(states), last);
    states->items[number] = *moved;
    if (moved->current == NO_AREA)
        idmap_add(&states->gone, ids_of(states), number);
    else
        table->at[moved->current].old = number;
}

void area_states_note_remove(struct area_states *states, struct area_table *table, uint32_t slot,
                             struct memory *memory) {
    const uint32_t number = table->at[slot].old;
    struct area_state *state = &states->items[number];
    table->at[slot].old = NO_AREA;
    if (state->before.shape == 0) {
        take_out(states, table, number, memory);
        return;
    }
    state->current = NO_AREA;
    idmap_add(&states->gone, ids_of(states), number);
}

void area_states_note_hand_in(struct area_states *states, struct area_table *table, uint32_t slot,
                              struct id_list members, struct memory *memory) {
    area_states_note_add(states, table, slot);
    struct area_state *state = &states->items[table->at[slot].old];
    area_release(&state->before, memory);
    *state = (struct area_state){table->at[slot], slot, true};
    state->before.members = members;
    state->before.keeps_members = true;
}

void area_states_note_hand_out(struct area_states *states, struct area_table *table, uint32_t slot,
                               struct memory *memory) {
    const uint32_t number = table->at[slot].old;
    table->at[slot].old = NO_AREA;
    if (number != NO_AREA)
        take_out(states, table, number, memory);
}

void area_states_clear(struct area_states *states, struct area_table *table,
                       struct memory *memory) {
    for (size_t number = 0; number < states->count; number++) {
        struct area_state *state = &states->items[number];
        if (state->current != NO_AREA)
            table->at[state->current].old = NO_AREA;
        area_release(&state->before, memory);
    }
    states->count = 0;
    area_states_free(states, memory);
}

void area_states_free(struct area_states *states, struct memory *memory) {
    for (size_t number = 0; number < states->count; number++)
        area_release(&states->items[number].before, memory);
    array_free(states, memory);
    idmap_free(&states->gone, memory);
}

#ifdef AOI_SELF_CHECK
void area_states_check(const struct area_states *states, const struct area_table *table) {
    size_t gone = 0;
    for (uint32_t number = 0; number < states->count; number++) {
        const struct area_state *state = &states->items[number];
        if (state->current == NO_AREA) {
            gone++;
            SELF_CHECK(state->before.shape != 0);
            SELF_CHECK(area_states_find_gone(states, state->before.id) == number);
        } else {
            SELF_CHECK(!state->is_handed || state->before.keeps_members);
            SELF_CHECK(table->at[state->current].old == number);
            SELF_CHECK(table->at[state->current].id == state->before.id);
            SELF_CHECK(table->at[state->current].members.count == 0);
        }
    }
    SELF_CHECK(gone == states->gone.count);
}
#endif
