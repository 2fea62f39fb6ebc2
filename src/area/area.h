/*
 * area.h - an area, and the comparisons of the contract: who is in it. Nothing else decides that.
 *
 * A place is true, not an anchor. What is inside at some moment follows from area and marker
 * alone; only an area that keeps its members has to know who was inside before.
 */
#ifndef AOI_AREA_H
#define AOI_AREA_H

#include "area/outline.h"
#include "base/always_inline.h"
#include "base/id_list.h"
#include "entity/idmap.h"
#include "index/ring.h"

#define NO_AREA UINT32_MAX

struct area {
    /* The first cache line is what most comparisons look at. */
    aoi_point at;                /* where it is now; a polygon is where it is */
    double radius, leave_radius; /* circle, square */
    aoi_id id;
    aoi_id owner; /* counts where it is owned */
    uint32_t sees_layers;
    uint8_t shape;          /* an aoi_area_shape; 0 marks a free slot */
    bool is_owned;          /* by an entity that is inside */
    bool keeps_members;     /* leave_radius > radius */
    bool is_noted;          /* deferred: it stands in the list of a tick under way, at `note` */
    struct id_list members; /* ascending; in a deferred space as of the last tick */
    double half_width, half_height; /* rect */
    struct outline *outline;        /* polygon; shared with old states of the area */
    uint32_t owner_slot;
    uint32_t next_owned, previous_owned; /* of the same owner; next_owned also of free slots */
    uint32_t old; /* deferred: the number of its old state, see area_states.h; or NO_AREA */
    uint32_t note;
    uint32_t coming;      /* room is reserved for so many further members */
    aoi_point offset;     /* from the owner */
    double width, height; /* rect, as it was given */
};

/* An entity as areas look at it. */
struct area_marker {
    aoi_id id;
    uint32_t shown; /* the layer bits that can be seen: none unless it is a marker */
    aoi_point at;
};

/* Bounds on every axis, borders included. */
static inline bool in_box_around(const aoi_point *middle, double half_x, double half_y,
                                 const aoi_point *at) {
    return (middle->x - half_x <= at->x) & (at->x <= middle->x + half_x) &
           (middle->y - half_y <= at->y) & (at->y <= middle->y + half_y);
}

/* True when the place lies in the shape of this radius around the middle. */
static inline bool area_holds(const struct area *area, const aoi_point *middle, double radius,
                              const aoi_point *at, bool with_z) {
    switch ((aoi_area_shape)area->shape) {
    case AOI_AREA_RECT: return in_box_around(middle, area->half_width, area->half_height, at);
    case AOI_AREA_POLYGON: return polygon_holds(&area->outline->polygon, at->x, at->y);
    case AOI_AREA_SQUARE:
    case AOI_AREA_CIRCLE: break;
    }
    if (!in_box_around(middle, radius, radius, at) ||
        (with_z && !(middle->z - radius <= at->z && at->z <= middle->z + radius)))
        return false;
    if (area->shape == AOI_AREA_SQUARE)
        return true;
    const double dx = at->x - middle->x, dy = at->y - middle->y;
    double square = dx * dx + dy * dy;
    if (with_z) {
        const double dz = at->z - middle->z;
        square += dz * dz;
    }
    return square <= radius * radius;
}

/* True when a step can change whether a marker is a member that the area sees, and does not own:
 * inside neither radius before and after it, or inside both, or the one alone, it stays what it
 * was. */
static inline bool area_is_crossed(const struct area *area, const aoi_point *from,
                                   const aoi_point *to, bool with_z) {
    const double radius = area->radius, leave_radius = area->leave_radius;
    return area_holds(area, &area->at, radius, from, with_z) !=
               area_holds(area, &area->at, radius, to, with_z) ||
           (area->keeps_members && area_holds(area, &area->at, leave_radius, from, with_z) !=
                                       area_holds(area, &area->at, leave_radius, to, with_z));
}

/* True when the area is to have the marker as a member, which was one or not. middle: where the
 * area is. */
static inline bool area_takes_at(const struct area *area, const aoi_point *middle,
                                 const struct area_marker *marker, bool was, bool with_z) {
    return (area->sees_layers & marker->shown) != 0 &&
           !(area->is_owned && area->owner == marker->id) &&
           area_holds(area, middle, was ? area->leave_radius : area->radius, &marker->at, with_z);
}

static inline bool area_takes(const struct area *area, const struct area_marker *marker, bool was,
                              bool with_z) {
    return area_takes_at(area, &area->at, marker, was, with_z);
}

/* Adds an id that is not in the list, for which there is room; takes one out that is. O(n), but no
 * more than to move the later ones. */
void members_add(struct id_list *members, aoi_id id);
void members_remove(struct id_list *members, aoi_id id);

/* True when the marker is a member of the area in the middle, whose kept members are up to date. */
static inline bool area_has_at(const struct area *area, const aoi_point *middle,
                               const struct area_marker *marker, bool with_z) {
    return area->keeps_members ? id_list_has(&area->members, marker->id)
                               : area_takes_at(area, middle, marker, false, with_z);
}

static inline bool area_has(const struct area *area, const struct area_marker *marker,
                            bool with_z) {
    return area_has_at(area, &area->at, marker, with_z);
}

/* Frees what the area points to. */
void area_release(struct area *area, struct memory *memory);

/* The bounds of the shape around this place, of a circle or square with its leave_radius; infinite
 * where it has none. */
struct box area_box_at(const struct area *area, aoi_point at);

static inline struct box area_box(const struct area *area) {
    return area_box_at(area, area->at);
}

/* The longer side of those bounds. */
double area_extent(const struct area *area);

#endif
