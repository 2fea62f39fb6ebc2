/*
 * saved_crowd.h - the crowd of a space, its traits, pins and told sets, to and from a string of
 * bytes; see base/stream.h.
 *
 *     a member for each entity, then for each old state of one who is gone, in the order in which
 *     these stand in the string
 *     member: byte (bits 0: limit, 1: importance are not the default and follow; 2: waiting),
 *             [limit, importance: counts], ticks since it moved (count), count of
 *             pins, each an id, count of the told set, each: id, ticks since it was told (count),
 *             its period (count; 0: never)
 */
#ifndef AOI_SAVED_CROWD_H
#define AOI_SAVED_CROWD_H

#include "base/stream.h"
#include "space/space.h"

/* A period, in ticks, as it stands in a told pair. */
void pass_period(struct stream *stream, uint32_t *period);

void save_crowd(struct stream *stream, const struct aoi_space *space);

/* After the number of the last tick, the entities and their old states. */
void load_crowd(struct stream *stream, struct aoi_space *space);

#endif
