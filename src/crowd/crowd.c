/* crowd.c - members of a crowd: their life by slot, pins, told sets, and told watchers sorted
 * out. */
#include "crowd/crowd.h"

#include <string.h>

#include "base/self_check.h"
#include "space/options.h"

/* ------------------------------------------------------------------ */
/* Life                                                                */
/* ------------------------------------------------------------------ */

static bool is_given(const aoi_options *options, uint32_t bit) {
    return (options->given & bit) != 0;
}

static void take_rates(struct crowd *crowd, const aoi_options *options) {
    crowd->periods[0] = 1;
    if (!is_given(options, AOI_GIVEN_RATES))
        return;
    crowd->borders = options->rates.count - 1;
    for (size_t ring = 0; ring <= crowd->borders; ring++) {
        const double bound = options->rates.rings[ring].bound;
        crowd->border_squares[ring] = bound * bound;
        const int64_t period = options->rates.rings[ring].period;
        crowd->periods[ring] = period == AOI_NEVER ? PERIOD_NEVER : (uint32_t)period;
    }
}

bool crowd_create(struct aoi_space *space) {
    const aoi_options *options = &space->options;
    struct memory *memory = &space->memory.crowd;
    if (!(options->given & CROWD_OPTIONS))
        return true;
    const aoi_options usual = aoi_options_default(options->engine);
    struct crowd *crowd = memory_resize(memory, NULL, 0, 1, sizeof *crowd);
    if (crowd == NULL)
        return false;
    memset(crowd, 0, sizeof *crowd);
    crowd->memory = memory;
    crowd->entities = &space->entities;
    crowd->usual.limit = is_given(options, AOI_GIVEN_LIMIT) ? options->limit : usual.limit;
    crowd->limit_layers =
        is_given(options, AOI_GIVEN_LIMIT_LAYERS) ? options->limit_layers : usual.limit_layers;
    const double keep =
        is_given(options, AOI_GIVEN_KEEP_FACTOR) ? options->keep_factor : usual.keep_factor;
    crowd->keep_square = keep * keep;
    crowd->enter_budget =
        (uint32_t)(is_given(options, AOI_GIVEN_ENTER_BUDGET) ? options->enter_budget
                                                             : usual.enter_budget);
    crowd->move_budget = (uint32_t)(is_given(options, AOI_GIVEN_MOVE_BUDGET) ? options->move_budget
                                                                             : usual.move_budget);
    take_rates(crowd, options);
    space->crowd = crowd;
    space->keeper = &crowds_capability;
    return true;
}

void crowd_drop_pins(struct crowd *crowd, uint32_t slot) {
    id_list_free(&crowd->members.items[slot].pins, crowd->memory);
}

bool crowd_make_told(struct crowd *crowd, uint32_t slot, uint32_t count) {
    struct told_set *told = &crowd->members.items[slot].told;
    const uint32_t room = told_room(0, count);
    told->pairs = memory_resize(crowd->memory, NULL, 0, room, sizeof *told->pairs);
    told->room = told->pairs == NULL ? 0 : room;
    return told->room == room;
}

void crowd_forget_told(struct crowd *crowd, uint32_t slot) {
    struct told_set *told = &crowd->members.items[slot].told;
    memory_resize(crowd->memory, told->pairs, told->room, 0, sizeof *told->pairs);
    *told = (struct told_set){NULL, 0, 0};
}

void crowd_forget(struct crowd *crowd, uint32_t slot) {
    struct member *member = &crowd->members.items[slot];
    crowd_forget_told(crowd, slot);
    crowd->waiting -= member->is_waiting;
    member->is_waiting = false;
}

void crowd_clear(struct aoi_space *space) {
    struct crowd *crowd = space->crowd;
    if (crowd == NULL)
        return;
    for (size_t slot = 0; slot < crowd->members.capacity; slot++) {
        crowd_drop_pins(crowd, (uint32_t)slot);
        crowd_forget_told(crowd, (uint32_t)slot);
    }
    array_free(&crowd->members, crowd->memory);
    crowd->waiting = 0;
    crowd_drop_told_to(crowd);
}

void crowd_destroy(struct aoi_space *space) {
    if (space->crowd != NULL)
        memory_resize(&space->memory.crowd, space->crowd, 1, 0, sizeof *space->crowd);
}

/* ------------------------------------------------------------------ */
/* Entering and leaving                                                */
/* ------------------------------------------------------------------ */

bool crowd_reserve_slots(struct aoi_space *space) {
    struct crowd *crowd = space->crowd;
    const size_t before = crowd->members.capacity;
    if (!array_extend(&crowd->members, crowd->memory, space->entities.capacity))
        return false;
    for (size_t slot = before; slot < crowd->members.capacity; slot++)
        crowd->members.items[slot] = (struct member){.moved = 0};
    return true;
}

/* The slot that the entity had, if it comes back within a tick: then it has told pairs and traits,
 * which were made the usual ones. */
uint32_t crowd_take_slot(struct aoi_space *space, const struct entity *entity) {
    const uint32_t number = old_states_find_gone(&space->old_states, entity->id);
    if (number != NO_SLOT) {
        const uint32_t former = space->old_states.states[number].former_slot;
        entities_return(&space->entities, former, entity);
        SELF_CHECK(space->crowd->members.items[former].pins.ids == NULL);
        return former;
    }
    const uint32_t slot = entities_add(&space->entities, entity);
    struct member *member = &space->crowd->members.items[slot];
    SELF_CHECK(member->pins.ids == NULL && member->told.pairs == NULL);
    member->traits = space->crowd->usual;
    member->moved = 0; /* not here: see take_handed.c */
    member->is_waiting = false;
    member->knows_all = true; /* that it saw nobody */
    return slot;
}

void crowd_leave_slot(struct aoi_space *space, uint32_t slot, bool may_come_back) {
    space->crowd->members.items[slot].traits = space->crowd->usual;
    crowd_drop_pins(space->crowd, slot);
    if (may_come_back)
        entities_retire(&space->entities, slot);
    else
        entities_remove(&space->entities, slot);
}

struct crowd_traits *crowd_traits_at(const struct aoi_space *space, uint32_t slot) {
    return &space->crowd->members.items[slot].traits;
}

/* ------------------------------------------------------------------ */
/* Pins                                                                */
/* ------------------------------------------------------------------ */

bool crowd_pin(struct crowd *crowd, uint32_t slot, aoi_id marker) {
    struct id_list *pins = &crowd->members.items[slot].pins;
    const size_t place = sorted_place(pins->ids, pins->count, marker);
    if (place < pins->count && pins->ids[place] == marker)
        return true;
    if (!id_list_reserve(pins, crowd->memory, 1))
        return false;
    id_list_insert(pins, place, marker);
    return true;
}

void crowd_unpin(struct crowd *crowd, uint32_t slot, aoi_id marker) {
    struct id_list *pins = &crowd->members.items[slot].pins;
    const size_t place = sorted_place(pins->ids, pins->count, marker);
    if (place == pins->count || pins->ids[place] != marker)
        return;
    id_list_erase(pins, place);
    if (pins->count == 0)
        id_list_free(pins, crowd->memory);
}

/* ------------------------------------------------------------------ */
/* Told pairs                                                          */
/* ------------------------------------------------------------------ */

const struct told *crowd_find_told(const struct crowd *crowd, uint32_t watcher, aoi_id marker) {
    const struct told_set *told = &crowd->members.items[watcher].told;
    const struct entity *at = crowd->entities->at;
    size_t low = 0, high = told->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (at[told->pairs[middle].slot].id < marker)
            low = middle + 1;
        else
            high = middle;
    }
    return low < told->count && at[told->pairs[low].slot].id == marker ? &told->pairs[low] : NULL;
}

void crowd_drop_told_to(struct crowd *crowd) {
    array_free(&crowd->told_watchers, crowd->memory);
    array_free(&crowd->told_watchers_start, crowd->memory);
}

bool crowd_sort_told_to(struct crowd *crowd) {
    const size_t slots = crowd->entities->used;
    if (crowd->told_watchers_start.capacity > 0)
        return true;
    size_t pairs = 0;
    for (size_t slot = 0; slot < slots; slot++)
        pairs += crowd->members.items[slot].told.count;
    if (pairs > UINT32_MAX || !array_extend(&crowd->told_watchers, crowd->memory, pairs) ||
        !array_extend(&crowd->told_watchers_start, crowd->memory, slots + 1)) {
        crowd_drop_told_to(crowd);
        return false;
    }
    uint32_t *start = crowd->told_watchers_start.items, *watchers = crowd->told_watchers.items;
    /* start[slot] ends as the begin of its group: it is lowered by one for each pair. */
    memset(start, 0, (slots + 1) * sizeof *start);
    for (size_t slot = 0; slot < slots; slot++) {
        const struct told_set *told = &crowd->members.items[slot].told;
        for (size_t i = 0; i < told->count; i++)
            start[told->pairs[i].slot]++;
    }
    for (size_t slot = 1; slot <= slots; slot++)
        start[slot] += start[slot - 1];
    for (size_t slot = slots; slot-- > 0;) {
        const struct told_set *told = &crowd->members.items[slot].told;
        for (size_t i = 0; i < told->count; i++)
            watchers[--start[told->pairs[i].slot]] = (uint32_t)slot;
    }
    return true;
}
