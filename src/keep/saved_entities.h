/*
 * saved_entities.h - the entities of a space, and the old states of changed
 * ones, to and from a string of bytes; see base/stream.h.
 *
 *     state:  byte (bits 0 and 1: mode; 2: radius, 3: layer, 4: sees are not the default and
 *             follow; 5: touched since, of old states only), anchor x, y [, z], [with slack: place
 *             x, y [, z]], [old states of a classic nine-grid: column and row of the cell, counts],
 *             [radius], [layer], [sees: counts].
 *             Mode 0: an old state of one who was not there; nothing follows.
 */
#ifndef AOI_SAVED_ENTITIES_H
#define AOI_SAVED_ENTITIES_H

#include "base/stream.h"
#include "space/space.h"

/* count, then each: id, state. */
void save_entities(struct stream *stream, const struct aoi_space *space);
void load_entities(struct stream *stream, struct aoi_space *space);

/* The old states of a deferred space, to and from a save; read after the entities. */
void save_old_states(struct stream *stream, const struct aoi_space *space);
void load_old_states(struct stream *stream, struct aoi_space *space);

#endif
