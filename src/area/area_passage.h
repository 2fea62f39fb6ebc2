/*
 * area_passage.h - areas that go along with an entity to another space:
 * passage.h has the format.
 *
 * An area without owner stands in each space that it touches: a marker takes along in which it was
 * at the last tick. An area with an owner goes with it, and its members as of the last tick.
 */
#ifndef AOI_AREA_PASSAGE_H
#define AOI_AREA_PASSAGE_H

#include "base/stream.h"
#include "area/areas.h"

/* Some: there is something that goes along with the entity in slot.
 * O(areas there and then, and areas changed since). */
void area_passage_find(struct stream *stream, struct aoi_space *space, uint32_t slot, bool *some);

/* Writes what area_passage_find has found. For each area of the entity that keeps no members
 * O(markers about it, and entities changed since the last tick). */
void area_passage_write(struct stream *stream, struct aoi_space *space, uint32_t slot);

/* The areas of the entity in slot have gone to another space: none of their members is told. */
void area_passage_end(struct aoi_space *space, uint32_t slot);

/* Reads what area_passage_write has written, and reserves all that area_passage_settle takes.
 * listed: so many ids stand behind those of space->handed.areas. What was read is to be freed
 * whatever is said. */
void area_passage_read(struct stream *stream, struct aoi_space *space, size_t *listed);

/* The owner is in this slot now. */
void area_passage_settle(struct aoi_space *space, uint32_t slot);

void area_passage_free(struct aoi_space *space);

#endif
