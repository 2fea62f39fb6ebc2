/* aoi_tick.c - aoi_tick, aoi_tick_to: the tick of a deferred space, a crowd space or not. */
#include "space/capability.h"
#include "space/change.h"
#include "space/recording.h"
#include "space/scratch.h"
#include "tick/tick.h"

static aoi_status tick(struct aoi_space *space, uint64_t number) {
    queue_trim(&space->pending, &space->memory.events, QUIET_TICKS);
    queue_trim(&space->collected, &space->memory.events, QUIET_TICKS);
    bool done = true;
    for (const struct capability *const *each = capabilities; done && *each != NULL; each++)
        done = (*each)->find_tick == NULL || (*each)->find_tick(space);
    if (done)
        done = space->keeper != NULL ? space->keeper->tick(space, number) : tick_net_change(space);
    ASK_ALL(finish_tick, space, done);
    if (!done)
        return AOI_NOMEM;
    scratch_trim(space, QUIET_TICKS);
    old_states_clear(&space->old_states);
    beacons_forget_former(&space->visibility.beacons, 0);
    sights_forget_former(&space->visibility.sights);
    visibility_count_exceptions(&space->visibility);
    handed_free(&space->handed);
    space_check(space);
    space->moment.ticks = number;
    return AOI_OK;
}

static aoi_status call_tick(struct aoi_space *space, enum call_kind kind, uint64_t number) {
    if (!space->deferred || number <= space->moment.ticks || number > AOI_LAST_TICK)
        return AOI_INVALID;
    if (!RECORD_CALL(space, .kind = kind, .count = number))
        return AOI_NOMEM;
    return call_done(space, tick(space, number));
}

aoi_status aoi_tick(aoi_space *space) {
    return call_tick(space, CALL_TICK, space->moment.ticks + 1);
}

aoi_status aoi_tick_to(aoi_space *space, uint64_t number) {
    return call_tick(space, CALL_TICK_TO, number);
}
