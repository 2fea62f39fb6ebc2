/*
 * area_luggage.h - areas that go along with an entity to another space:
 * luggage.h has the format.
 *
 * An area without owner stands in each space that it touches: a marker takes along in which it was
 * at the last tick. An area with an owner goes with it, and its members as of the last tick.
 */
#ifndef AOI_AREA_LUGGAGE_H
#define AOI_AREA_LUGGAGE_H

#include "base/stream.h"
#include "area/areas.h"

/* Some: there is something that goes along with the entity in slot.
 * O(areas there and then, and areas changed since). */
void area_luggage_find(struct stream *stream, struct aoi_space *space, uint32_t slot, bool *some);

/* Writes what area_luggage_find has found. For each area of the entity that keeps no members
 * O(markers about it, and entities changed since the last tick). */
void area_luggage_write(struct stream *stream, struct aoi_space *space, uint32_t slot);

/* The areas of the entity in slot are handed out with it: none of their members is told. */
void area_luggage_drop(struct aoi_space *space, uint32_t slot);

/* Reads what area_luggage_write has written, and reserves all that area_luggage_take takes.
 * listed: so many ids stand behind those of space->handed.areas. What was read is to be freed
 * whatever is said. */
void area_luggage_read(struct stream *stream, struct aoi_space *space, size_t *listed);

/* The owner is in this slot now. */
void area_luggage_take(struct aoi_space *space, uint32_t slot);

void area_luggage_free(struct aoi_space *space);

#endif
