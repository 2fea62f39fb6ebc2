/*
 * saved_area.h - a description of an area, to and from a string of bytes; see
 * base/stream.h.
 *
 *     byte      AOI_AREA_GIVEN_ bits
 *     [shape]   byte (an aoi_area_shape), then of a circle or square: radius [, leave_radius]; of a
 *               rect: width, height (numbers)
 *     [place]   x, y [, z] (numbers)
 *     [owner]   id, dx, dy [, dz] (numbers)
 *     [sees]    count
 *     [rings]   of a polygon: count of rings, count of all corners, then each ring: count of its
 *               corners, x and y of each (numbers)
 */
#ifndef AOI_SAVED_AREA_H
#define AOI_SAVED_AREA_H

#include "base/stream.h"
#include "shape/polygon.h"

/* All but the rings of a polygon, which follow. What is read has its bits checked, no more. */
void stream_area(struct stream *stream, aoi_area *area, int dims);

/* The rings, of an area with a polygon; of another there are none. Read ones stand in the room,
 * which the caller frees whatever is said. room NULL: looks at them only. NOMEM is a status of the
 * stream. */
void stream_rings(struct stream *stream, aoi_area *area, struct memory *memory,
                  struct ring_room *room);

/* The most bytes that an area takes. */
size_t saved_area_most(const aoi_area *area);

#endif
