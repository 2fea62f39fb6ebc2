/*
 * query.c - shapes of queries: the markers in each.
 *
 * Every query asks the main index for the entities in the box around the
 * shape, keeps those that pass the shape's own test, and sorts them.
 */
#include <math.h>
#include <string.h>

#include "shape/polygon.h"
#include "query/box_search.h"
#include "space/scratch.h"

/* ------------------------------------------------------------------ */
/* Shapes                                                              */
/* ------------------------------------------------------------------ */

enum shape_kind { RECT, CIRCLE, SECTOR, SEGMENT, POLYGON };

struct shape {
    enum shape_kind kind;
    aoi_point low, high; /* bounds, borders included; of z only where the shape has one */
    bool bounds_z;
    aoi_point centre;      /* of a circle or sector; start of a segment */
    double square_limit;   /* largest squared distance */
    double ax, ay, bx, by; /* sector: its edges; segment: ax, ay lead from start to end */
    double angle;          /* sector */
    const struct polygon *polygon;
};

static double square_distance(const struct shape *shape, const aoi_point *at) {
    double dx = at->x - shape->centre.x, dy = at->y - shape->centre.y;
    double square = dx * dx + dy * dy;
    if (shape->bounds_z) {
        double dz = at->z - shape->centre.z;
        square += dz * dz;
    }
    return square;
}

static bool in_sector(const struct shape *shape, const aoi_point *at) {
    static const double pi = 3.14159265358979323846;
    double dx = at->x - shape->centre.x, dy = at->y - shape->centre.y;
    if (shape->angle >= 2 * pi)
        return true;
    bool left = shape->ax * dy - shape->ay * dx >= 0, right = dx * shape->by - dy * shape->bx >= 0;
    if (shape->angle > pi)
        return left || right;
    bool is_ray = shape->ax == shape->bx && shape->ay == shape->by;
    return left && right && (!is_ray || shape->ax * dx + shape->ay * dy >= 0);
}

static bool in_segment(const struct shape *shape, const aoi_point *at) {
    double dx = at->x - shape->centre.x, dy = at->y - shape->centre.y;
    double square = shape->ax * shape->ax + shape->ay * shape->ay;
    double t = square > 0 ? (dx * shape->ax + dy * shape->ay) / square : 0;
    if (!(t < 1))
        t = 1;
    if (!(t > 0))
        t = 0;
    double px = dx - t * shape->ax, py = dy - t * shape->ay;
    return px * px + py * py <= shape->square_limit;
}

static bool in_shape(const struct shape *shape, const aoi_point *at) {
    const bool in_bounds = shape->low.x <= at->x && at->x <= shape->high.x &&
                           shape->low.y <= at->y && at->y <= shape->high.y &&
                           (!shape->bounds_z || (shape->low.z <= at->z && at->z <= shape->high.z));
    if (!in_bounds)
        return false;
    switch (shape->kind) {
    case RECT: break;
    case CIRCLE: return square_distance(shape, at) <= shape->square_limit;
    case SECTOR: return square_distance(shape, at) <= shape->square_limit && in_sector(shape, at);
    case SEGMENT: return in_segment(shape, at);
    case POLYGON: return polygon_holds(shape->polygon, at->x, at->y);
    }
    return true;
}

/* A disc, or a ball when with_z. */
static struct shape disc(aoi_point centre, double radius, bool with_z) {
    return (struct shape){
        .kind = CIRCLE,
        .low = {centre.x - radius, centre.y - radius, centre.z - radius},
        .high = {centre.x + radius, centre.y + radius, centre.z + radius},
        .bounds_z = with_z,
        .centre = centre,
        .square_limit = radius * radius,
    };
}

/* ------------------------------------------------------------------ */
/* Shape queries                                                       */
/* ------------------------------------------------------------------ */

static bool find_in_box(struct aoi_space *space, const struct shape *shape) {
    const struct box box = {shape->low.x, shape->low.y, shape->high.x, shape->high.y};
    return box_search(space, &box);
}

static bool can_be_found(const struct entity *entity, uint32_t layers) {
    return (entity->mode & AOI_MARKER) != 0 && (entity->layers & layers) != 0;
}

static aoi_status find_in_shape(struct aoi_space *space, const struct shape *shape, uint32_t layers,
                                aoi_list *list) {
    scratch_end_call(space);
    if (!find_in_box(space, shape))
        return AOI_NOMEM;
    struct id_list *found = list_begin(space, LIST_ANSWER, space->visibility.hits.count);
    if (found == NULL)
        return AOI_NOMEM;
    for (size_t i = 0; i < space->visibility.hits.count; i++) {
        const uint32_t slot = space->visibility.hits.slots[i];
        const struct entity *entity = &space->entities.at[slot];
        const aoi_point at = space_place(space, slot);
        if (can_be_found(entity, layers) && in_shape(shape, &at))
            found->ids[found->count++] = entity->id;
    }
    *list = (aoi_list){found->ids, found->count};
    return list_sort(space, found) ? AOI_OK : AOI_NOMEM;
}

static bool is_finite_point(const struct aoi_space *space, aoi_point point) {
    return isfinite(point.x) && isfinite(point.y) && (space->dims == 2 || isfinite(point.z));
}

aoi_status aoi_query_rect(aoi_space *space, aoi_point a, aoi_point b, uint32_t layers,
                          aoi_list *list) {
    if (!is_finite_point(space, a) || !is_finite_point(space, b))
        return AOI_INVALID;
    const struct shape shape = {
        .kind = RECT,
        .low = {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)},
        .high = {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)},
        .bounds_z = space->dims == 3,
    };
    return find_in_shape(space, &shape, layers, list);
}

aoi_status aoi_query_circle(aoi_space *space, aoi_point centre, double radius, uint32_t layers,
                            aoi_list *list) {
    if (!is_finite_point(space, centre) || !(radius >= 0))
        return AOI_INVALID;
    const struct shape shape = disc(centre, radius, space->dims == 3);
    return find_in_shape(space, &shape, layers, list);
}

aoi_status aoi_query_sector(aoi_space *space, aoi_point apex, double radius, double direction,
                            double angle, uint32_t layers, aoi_list *list) {
    apex.z = 0;
    if (!is_finite_point(space, apex) || !(radius >= 0) || !isfinite(direction) ||
        !(angle >= 0 && isfinite(angle)))
        return AOI_INVALID;
    struct shape shape = disc(apex, radius, false);
    shape.kind = SECTOR;
    shape.angle = angle;
    shape.ax = cos(direction - angle / 2);
    shape.ay = sin(direction - angle / 2);
    shape.bx = cos(direction + angle / 2);
    shape.by = sin(direction + angle / 2);
    return find_in_shape(space, &shape, layers, list);
}

aoi_status aoi_query_segment(aoi_space *space, aoi_point a, aoi_point b, double width,
                             uint32_t layers, aoi_list *list) {
    a.z = b.z = 0;
    if (!is_finite_point(space, a) || !is_finite_point(space, b) || !(width >= 0))
        return AOI_INVALID;
    double half = width / 2;
    /* The box only finds candidates: it is widened by more than rounding can take from it, and
     * to everything where squares overflow. */
    double extent = fmax(fmax(fabs(a.x), fabs(b.x)), fmax(fabs(a.y), fabs(b.y)));
    double reach = isfinite(half * half) ? half + (extent + half) * 0x1p-40 + 1e-150 : INFINITY;
    const struct shape shape = {
        .kind = SEGMENT,
        .low = {fmin(a.x, b.x) - reach, fmin(a.y, b.y) - reach, 0},
        .high = {fmax(a.x, b.x) + reach, fmax(a.y, b.y) + reach, 0},
        .centre = a,
        .square_limit = half * half,
        .ax = b.x - a.x,
        .ay = b.y - a.y,
    };
    return find_in_shape(space, &shape, layers, list);
}

aoi_status aoi_query_polygon(aoi_space *space, const aoi_ring *rings, size_t count, uint32_t layers,
                             aoi_list *list, aoi_complaint *complaint) {
    struct polygon polygon = {.memory = &space->memory.scratch};
    aoi_status status = polygon_make(&polygon, rings, count, complaint);
    if (status == AOI_OK) {
        const struct chain *all = &polygon.chains.items[0];
        const struct shape shape = {.kind = POLYGON,
                                    .low = {all->x1, all->y1, 0},
                                    .high = {all->x2, all->y2, 0},
                                    .polygon = &polygon};
        status = find_in_shape(space, &shape, layers, list);
    }
    polygon_free(&polygon);
    return status;
}

/* ------------------------------------------------------------------ */
/* The nearest                                                         */
/* ------------------------------------------------------------------ */

static bool is_farther(struct candidate a, struct candidate b) {
    return a.square > b.square || (a.square == b.square && a.id > b.id);
}

/* Restores the heap (the farthest on top) below `at`. */
static void sift_down(struct candidate *heap, size_t count, size_t at) {
    struct candidate moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_farther(heap[child + 1], heap[child]))
            child++;
        if (!is_farther(heap[child], moving))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void sift_up(struct candidate *heap, size_t at) {
    struct candidate moving = heap[at];
    for (; at > 0 && is_farther(moving, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = moving;
}

/* Keeps the `limit` nearest candidates of the hits that lie in the disc; returns how many. */
static size_t keep_nearest(const struct aoi_space *space, const struct shape *shape,
                           uint32_t layers, struct candidate *heap, size_t limit) {
    size_t count = 0;
    for (size_t i = 0; i < space->visibility.hits.count; i++) {
        const uint32_t slot = space->visibility.hits.slots[i];
        const struct entity *entity = &space->entities.at[slot];
        const aoi_point at = space_place(space, slot);
        if (!can_be_found(entity, layers) || !in_shape(shape, &at))
            continue;
        struct candidate candidate = {square_distance(shape, &at), entity->id};
        if (count < limit) {
            heap[count] = candidate;
            sift_up(heap, count++);
        } else if (is_farther(heap[0], candidate)) {
            heap[0] = candidate;
            sift_down(heap, count, 0);
        }
    }
    return count;
}

/* Half the side of a square that would hold about `count` entities, were they spread evenly
 * over the extent; never 0. */
static double first_reach(const struct aoi_space *space, aoi_point centre, size_t count) {
    const struct spatial_index *index = space->indexes.main;
    const struct map *map = index->map;
    const struct box extent = index->engine->extent != NULL
                                  ? index->engine->extent(index)
                                  : (struct box){map->x1, map->y1, map->x2, map->y2};
    double share = sqrt(((double)count + 1) / ((double)space->entities.count + 1));
    double side = fmax(extent.x2 - extent.x1, extent.y2 - extent.y1) * share;
    double outside = fmax(fmax(extent.x1 - centre.x, centre.x - extent.x2),
                          fmax(extent.y1 - centre.y, centre.y - extent.y2));
    double reach = fmax(side, 0) + fmax(outside, 0);
    return reach > 0 && isfinite(reach) ? reach : 1;
}

aoi_status aoi_query_nearest(aoi_space *space, aoi_point centre, size_t count, double max_radius,
                             uint32_t layers, aoi_list *list) {
    if (!is_finite_point(space, centre) || !(max_radius >= 0))
        return AOI_INVALID;
    scratch_end_call(space);
    size_t limit = count < space->entities.count ? count : space->entities.count;
    struct id_list *nearest = list_begin(space, LIST_ANSWER, limit);
    if (nearest == NULL || !array_reserve(&space->candidates, &space->memory.scratch, limit))
        return AOI_NOMEM;
    *list = (aoi_list){nearest->ids, 0};
    if (limit == 0)
        return AOI_OK;
    bool with_z = space->dims == 3;
    struct candidate *heap = space->candidates.items;
    double reach = fmin(first_reach(space, centre, limit), max_radius);
    size_t found;
    for (;;) {
        const struct shape shape = disc(centre, reach, with_z);
        if (!find_in_box(space, &shape))
            return AOI_NOMEM;
        found = keep_nearest(space, &shape, layers, heap, limit);
        /* An entity outside the disc is farther than all that are well inside. */
        bool settled = found == limit && heap[0].square < reach * reach * 0.999;
        if (settled || reach >= max_radius)
            break;
        reach = fmin(space->visibility.hits.count == space->entities.count ? INFINITY : reach * 2,
                     max_radius);
    }
    for (size_t rest = found; rest > 0; rest--) {
        nearest->ids[rest - 1] = heap[0].id;
        heap[0] = heap[rest - 1];
        sift_down(heap, rest - 1, 0);
    }
    *list = (aoi_list){nearest->ids, found};
    return AOI_OK;
}
