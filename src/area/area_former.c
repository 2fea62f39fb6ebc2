/* area_former.c - where markers and areas were, and the lists that came along with markers. */
#include "area/area_former.h"

struct area_marker area_marker_of_state(const struct aoi_space *space, uint32_t number) {
    const struct entity *state = &space->old_states.states[number];
    return (struct area_marker){state->id, entity_shown(state),
                                old_states_place(&space->old_states, number)};
}

struct area_marker area_marker_before(const struct aoi_space *space, uint32_t slot) {
    return space->entities.at[slot].changed
               ? area_marker_of_state(space, space->old_states.of_slot.items[slot])
               : area_marker_at(space, slot);
}

struct area_marker area_marker_then(const struct aoi_space *space, aoi_id id, uint32_t *slot) {
    *slot = space_find(space, id);
    if (*slot != NO_SLOT)
        return area_marker_before(space, *slot);
    const uint32_t state = space->deferred ? old_states_find_gone(&space->old_states, id) : NO_SLOT;
    if (state == NO_SLOT)
        return (struct area_marker){.id = id, .shown = 0};
    return area_marker_of_state(space, state);
}

aoi_point area_place_before(const struct aoi_space *space, const struct area *area) {
    return area->is_owned ? area_place_at(area, area_marker_before(space, area->owner_slot).at)
                          : area->at;
}

struct former_marker area_former_marker(const struct aoi_space *space,
                                        const struct area_marker *marker) {
    const uint32_t handed = handed_find(&space->handed, marker->id);
    struct former_marker former = {.marker = *marker, .is_listed = handed != NO_SLOT};
    if (former.is_listed)
        former.areas = handed_areas_of(&space->handed, handed);
    return former;
}
