/*
 * polygon.h - a polygon: one ring of corners or more, and which points are
 * inside.
 *
 * By the even-odd rule over all edges, half-open: an edge from its lower end a
 * to its upper end b counts for a point p when a.y <= p.y < b.y and p is
 * strictly left of it, and p is inside when an odd number of edges count. So
 * of polygons that tile a part of the plane each point there is in exactly one.
 *
 * The edges stand in a tree, in their order around the rings. Its nodes are
 * chains of edges, each joined to the next, that lie near each other: a point
 * to the left of a whole chain is crossed by an odd number of its edges exactly
 * when the chain begins below the point and ends above, or the other way round.
 * Nobody needs to look inside.
 */
#ifndef AOI_POLYGON_H
#define AOI_POLYGON_H

#include "base/array.h"
#include "shape/orientation.h"

/* A chain of edges of one ring, or several rings one after the other. */
struct chain {
    double x1, y1, x2, y2; /* of its corners */
    uint32_t first;        /* its first edge */
    uint32_t count;        /* of edges */
    uint32_t right; /* the second half of the chain; the first one is the next node. 0: a leaf */
    bool is_joined; /* each edge begins where the one before ends */
};

struct edge {
    struct corner from, to;
};

struct polygon {
    struct memory *memory;
    struct ARRAY_OF(struct edge) edges; /* ring after ring */
    struct ARRAY_OF(uint32_t) starts;   /* of rings: the first edge; and the number of all edges */
    struct ARRAY_OF(struct chain) chains; /* a tree; the first one is the whole */
};

/* Rings, and the corners of them all. */
struct ring_room {
    struct ARRAY_OF(aoi_ring) rings;
    struct ARRAY_OF(double) corners;
};

/* Room for so many; false: no memory. Afterwards ring_room_free, whatever it said. */
bool ring_room_reserve(struct ring_room *room, struct memory *memory, size_t rings, size_t corners);
void ring_room_free(struct ring_room *room, struct memory *memory);

/*
 * Makes a polygon that is all zero but for its memory. AOI_INVALID with a complaint (may be NULL):
 * fewer than three corners, coordinates that are not finite or beyond MOST_COORDINATE, or edges
 * that share more than the corner of neighbours, judged exactly. NOMEM. Afterwards polygon_free,
 * whatever it said. O(n log n) for outlines that are no scrawl.
 */
aoi_status polygon_make(struct polygon *polygon, const aoi_ring *rings, size_t ring_count,
                        aoi_complaint *complaint);

void polygon_free(struct polygon *polygon);

/* O(log n) for outlines that are no scrawl. */
bool polygon_holds(const struct polygon *polygon, double x, double y);

#endif
