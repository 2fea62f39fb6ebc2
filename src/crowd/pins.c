/* pins.c - aoi_pin, aoi_unpin: calls that take effect with a crowd's next tick; aoi_is_pinned. */
#include "crowd/crowd.h"
#include "space/recording.h"

/* Finds the entity of a change that is no change of the entity itself: the next tick looks at it.
 * There is room to note that. */
static aoi_status find_in_crowd(struct aoi_space *space, aoi_id id, uint32_t *slot) {
    if (space->crowd == NULL)
        return AOI_NO_CROWD;
    *slot = space_find(space, id);
    if (*slot == NO_SLOT)
        return AOI_NOT_FOUND;
    return old_states_reserve_change(&space->old_states, *slot) ? AOI_OK : AOI_NOMEM;
}

static aoi_status note_in_crowd(struct aoi_space *space, uint32_t slot) {
    old_states_note_change(&space->old_states, slot);
    return call_done(space, AOI_OK);
}

aoi_status aoi_pin(aoi_space *space, aoi_id watcher, aoi_id marker) {
    uint32_t slot;
    const aoi_status status = find_in_crowd(space, watcher, &slot);
    if (status != AOI_OK)
        return status;
    if (!RECORD_CALL(space, .kind = CALL_PIN, .id = watcher, .other = marker))
        return AOI_NOMEM;
    if (!crowd_pin(space->crowd, slot, marker))
        return call_done(space, AOI_NOMEM);
    return note_in_crowd(space, slot);
}

aoi_status aoi_unpin(aoi_space *space, aoi_id watcher, aoi_id marker) {
    uint32_t slot;
    const aoi_status status = find_in_crowd(space, watcher, &slot);
    if (status != AOI_OK)
        return status;
    if (!RECORD_CALL(space, .kind = CALL_UNPIN, .id = watcher, .other = marker))
        return AOI_NOMEM;
    crowd_unpin(space->crowd, slot, marker);
    return note_in_crowd(space, slot);
}

bool aoi_is_pinned(const aoi_space *space, aoi_id watcher, aoi_id marker) {
    const uint32_t slot = space->crowd == NULL ? NO_SLOT : space_find(space, watcher);
    return slot != NO_SLOT && id_list_has(&space->crowd->members.items[slot].pins, marker);
}
