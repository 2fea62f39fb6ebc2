/* check.c - the invariants of a space, which test builds check after every change. */
#include "space/capability.h"

#ifdef AOI_SELF_CHECK
void space_check(const struct aoi_space *space) {
    entities_check(&space->entities);
    if (space->deferred)
        old_states_check(&space->old_states);
    ASK_ALL(check, space);
    beacons_check(&space->visibility.beacons, &space->entities);
    sights_check(&space->visibility.sights);
    handed_check(&space->handed);
    indexes_check(&space->indexes, space->late_moves.slots.count > 0);
}
#endif
