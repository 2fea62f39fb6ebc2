/* aoi_tick.c - aoi_tick: the tick of a deferred space, a crowd space or not. */
#include "crowd/crowd_tick.h"
#include "space/recording.h"
#include "space/scratch.h"
#include "tick/area_tick.h"
#include "tick/tick.h"

aoi_status aoi_tick(aoi_space *space) {
    if (!space->deferred)
        return AOI_INVALID;
    if (space->log.on && !log_simple(&space->log, &space->moment, CALL_TICK))
        return AOI_NOMEM;
    queue_trim(&space->pending, &space->memory.events, QUIET_TICKS);
    queue_trim(&space->collected, &space->memory.events, QUIET_TICKS);
    struct area_tick areas;
    if (!area_tick_find(&areas, space))
        return call_done(space, AOI_NOMEM);
    const bool done = space->crowd != NULL ? crowd_tick(space) : tick_net_change(space);
    area_tick_finish(&areas, done);
    if (!done)
        return call_done(space, AOI_NOMEM);
    tick_end_scratch(space);
    scratch_trim(space, QUIET_TICKS);
    old_states_clear(&space->old_states);
    space_check(space);
    space->moment.ticks++;
    return call_done(space, AOI_OK);
}
