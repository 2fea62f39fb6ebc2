/* saved_areas.h - the areas of a space to and from a string of bytes; see base/stream.h and
 * record/saved_area.h.
 *
 *     count     areas, then each: id, area [, if it keeps members: byte (1: it has no old state)
 *               [, members]]
 *     count     old states of a deferred space, then each: id, byte (1: the area was there at the
 *               last tick [, area with its place then, byte (1: it was owned; and 2: in another
 *               space, the members are all that counts) [, owner: id] [, members]])
 *     members:  count, then the ids, ascending
 */
#ifndef AOI_SAVED_AREAS_H
#define AOI_SAVED_AREAS_H

#include "base/stream.h"
#include "area/areas.h"

void save_areas(struct stream *stream, const struct aoi_space *space);

/* After the entities and their old states. */
void load_areas(struct stream *stream, struct aoi_space *space);

/* A list of members, ascending: count, then the ids; and ids alone, for which there is room. */
void save_members(struct stream *stream, const struct id_list *members);
void load_members(struct stream *stream, struct aoi_space *space, struct id_list *members);
void load_ids(struct stream *stream, struct id_list *list, uint64_t count);

#endif
