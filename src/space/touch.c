/* touch.c - aoi_touch: an entity counts as moved at the next tick. */
#include "space/change.h"
#include "space/recording.h"

aoi_status aoi_touch(aoi_space *space, aoi_id id) {
    if (!space->deferred)
        return AOI_INVALID;
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!old_states_reserve_change(&space->old_states, slot) ||
        !RECORD_CALL(space, .kind = CALL_TOUCH, .id = id))
        return AOI_NOMEM;
    old_states_touch(&space->old_states, slot);
    return call_done(space, AOI_OK);
}
