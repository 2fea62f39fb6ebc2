/* tell_handed.h - events of a tick for entities that were handed in since the last one. */
#ifndef AOI_TELL_HANDED_H
#define AOI_TELL_HANDED_H

#include "tick/stages.h"

/* Deferred spaces that are no crowd spaces: of these watchers, who saw nobody at the last tick, all
 * that they see now has been found as ENTERS. Those that they were told of stay, with a MOVE where
 * the place is another one; who is not among them gets a LEAVE. False: no memory; the lists are of
 * no use then. */
bool tick_tell_handed(struct aoi_space *space);

#endif
