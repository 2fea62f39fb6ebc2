/*
 * area_passage.h - what of areas goes along with an entity to another space: see passage.h for the
 * format.
 *
 * An area without owner stands in each space that it touches: a marker takes along in which it was
 * at the last tick. An area with an owner goes with it, and its members as of the last tick.
 */
#ifndef AOI_AREA_PASSAGE_H
#define AOI_AREA_PASSAGE_H

#include "base/stream.h"
#include "space/areas.h"

/* ---- out ---- */

/* The areas that had no owner at the last tick and in which the entity in slot was, ascending: a
 * view of scratch, which area_passage_write leaves alone. False: no memory. O(areas there and then,
 * and areas changed since). */
bool area_passage_find(struct aoi_space *space, uint32_t slot, struct id_list *areas);

/* True when there is something to be written. */
bool area_passage_is_needed(const struct aoi_space *space, uint32_t slot,
                            const struct id_list *areas);

/* False: no memory. For each area of the entity that keeps no members O(markers about it, and
 * entities changed since the last tick). */
bool area_passage_write(struct stream *stream, struct aoi_space *space, uint32_t slot,
                        const struct id_list *areas);

/* The areas of the entity in slot have gone to another space: none of their members is told. */
void area_passage_end(struct aoi_space *space, uint32_t slot);

/* ---- in ---- */

/* An area that comes along: its owner is no one yet, and it stands at its offset. */
struct arriving_area {
    struct area area; /* with its members at the last tick */
    bool was;         /* it was there at the last tick */
};

struct arriving_areas {
    struct arriving_area *items;
    size_t count, capacity;
    size_t memberships; /* they stand behind those of space->handed */
};

/* Reads what area_passage_write has written, and reserves all that area_passage_settle takes. What
 * was read is freed whatever is said. */
void area_passage_read(struct stream *stream, struct aoi_space *space,
                       struct arriving_areas *arriving);

/* Their owner is in this slot now. */
void area_passage_settle(struct aoi_space *space, uint32_t slot, struct arriving_areas *arriving);

void area_passage_free(struct aoi_space *space, struct arriving_areas *arriving);

#endif
