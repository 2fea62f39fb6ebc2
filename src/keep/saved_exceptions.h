/*
 * saved_exceptions.h - the visible radii and sights of a space, now and at the last tick, to and
 * from a string of bytes; see base/stream.h. Read after entities and old states.
 *
 *     count, ...   visible radii, each: the id of an entity that is inside; a number
 *     count, ...   sights, each: the ids of the watcher and the marker; an aoi_sight, a byte. Those
 * of a watcher descend by marker [count, ...] deferred: visible radii that others had at the last
 * tick, in the order of the changes, each as above, also 0 [count, ...] the same for sights
 */
#ifndef AOI_SAVED_EXCEPTIONS_H
#define AOI_SAVED_EXCEPTIONS_H

#include "base/stream.h"
#include "space/space.h"

void save_exceptions(struct stream *stream, const struct aoi_space *space);
void load_exceptions(struct stream *stream, struct aoi_space *space);

#endif
