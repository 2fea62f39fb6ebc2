/* area_description.c - descriptions of areas as callers give them: checked, merged with the area as
 * it was. */
#include "area/area_description.h"

#include <math.h>

#include "base/complaint.h"

enum { MOST_GIVEN = (AOI_AREA_GIVEN_SEES_LAYERS << 1) - 1 };

static aoi_status check_length(const char *name, double length, aoi_complaint *complaint) {
    return length >= 0
               ? AOI_OK
               : complain(complaint, "%s is %.17g, expected a number from 0 up", name, length);
}

/* Takes as many of the numbers as the space has dimensions. */
static aoi_status take_point(const struct aoi_space *space, const char *const names[3],
                             const double numbers[3], aoi_point *point, aoi_complaint *complaint) {
    *point = (aoi_point){numbers[0], numbers[1], space->dims == 3 ? numbers[2] : 0};
    for (int axis = 0; axis < 3 && axis < space->dims; axis++) {
        if (!isfinite(numbers[axis]))
            return complain(complaint, "%s is %.17g, expected a finite number", names[axis],
                            numbers[axis]);
    }
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* Shapes                                                              */
/* ------------------------------------------------------------------ */

static aoi_status take_radii(const aoi_area *given, struct area *area, aoi_complaint *complaint) {
    const aoi_status status = check_length("radius", given->radius, complaint);
    area->radius = area->leave_radius = given->radius;
    if (status != AOI_OK || !(given->given & AOI_AREA_GIVEN_LEAVE_RADIUS))
        return status;
    if (!(given->leave_radius >= given->radius))
        return complain(complaint,
                        "leave_radius is %.17g, expected a number from the radius (%.17g) up",
                        given->leave_radius, given->radius);
    area->leave_radius = given->leave_radius;
    area->keeps_members = area->leave_radius > area->radius;
    return AOI_OK;
}

static aoi_status take_sides(const aoi_area *given, struct area *area, aoi_complaint *complaint) {
    aoi_status status = check_length("width", given->width, complaint);
    if (status == AOI_OK)
        status = check_length("height", given->height, complaint);
    area->width = given->width;
    area->height = given->height;
    area->half_width = given->width / 2;
    area->half_height = given->height / 2;
    return status;
}

static aoi_status take_shape(struct aoi_space *space, const aoi_area *given, struct area *area,
                             aoi_complaint *complaint) {
    const bool is_round = given->shape == AOI_AREA_CIRCLE || given->shape == AOI_AREA_SQUARE;
    area->shape = (uint8_t)given->shape;
    area->radius = area->leave_radius = area->width = area->height = 0;
    area->half_width = area->half_height = 0;
    area->keeps_members = false;
    outline_release(area->outline); /* that of the shape before */
    area->outline = NULL;
    if ((given->given & AOI_AREA_GIVEN_LEAVE_RADIUS) && !is_round)
        return complain(complaint, "leave_radius is given, expected none: the shape has no radius");
    switch (given->shape) {
    case AOI_AREA_CIRCLE:
    case AOI_AREA_SQUARE: return take_radii(given, area, complaint);
    case AOI_AREA_RECT: return take_sides(given, area, complaint);
    case AOI_AREA_POLYGON: break;
    default:
        return complain(complaint, "shape is %d, expected an aoi_area_shape", (int)given->shape);
    }
    return outline_make(&area->outline, &space->memory.areas, given->rings, given->ring_count,
                        complaint);
}

/* ------------------------------------------------------------------ */
/* Placements                                                          */
/* ------------------------------------------------------------------ */

static aoi_status take_owner(const struct aoi_space *space, const aoi_area *given,
                             struct area *area, aoi_complaint *complaint) {
    static const char *const names[] = {"dx", "dy", "dz"};
    const double numbers[] = {given->dx, given->dy, given->dz};
    const aoi_status status = take_point(space, names, numbers, &area->offset, complaint);
    if (status != AOI_OK)
        return status;
    const uint32_t slot = space_find(space, given->owner);
    if (slot == NO_SLOT)
        return AOI_NO_OWNER;
    area->is_owned = true;
    area->owner = given->owner;
    area->owner_slot = slot;
    area->at = area_place_at(area, space_place(space, slot));
    return AOI_OK;
}

static aoi_status take_placement(const struct aoi_space *space, const aoi_area *given,
                                 const struct area *other, struct area *area,
                                 aoi_complaint *complaint) {
    const bool has_place = given->given & AOI_AREA_GIVEN_PLACE,
               has_owner = given->given & AOI_AREA_GIVEN_OWNER;
    if (has_place && has_owner)
        return complain(complaint, "a place and an owner are given, expected one of them");
    if (area->shape == AOI_AREA_POLYGON) {
        if (has_place)
            return complain(complaint,
                            "x is %.17g, expected none: a polygon is where its points are",
                            given->x);
        if (has_owner)
            return complain(complaint,
                            "owner is %lld, expected none: a polygon is where its points are",
                            (long long)given->owner);
        area->is_owned = false;
        area->at = (aoi_point){0, 0, 0};
        return AOI_OK;
    }
    if (has_place) {
        static const char *const names[] = {"x", "y", "z"};
        const double numbers[] = {given->x, given->y, given->z};
        area->is_owned = false;
        return take_point(space, names, numbers, &area->at, complaint);
    }
    if (has_owner)
        return take_owner(space, given, area, complaint);
    if (other == NULL || other->shape == AOI_AREA_POLYGON)
        return complain(complaint, "neither a place nor an owner is given, expected one of them");
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* The whole                                                           */
/* ------------------------------------------------------------------ */

aoi_status area_describe(struct aoi_space *space, const aoi_area *given, const struct area *other,
                         struct area *area, aoi_complaint *complaint) {
    *area = other != NULL ? *other : (struct area){.sees_layers = UINT32_MAX};
    area->members = (struct id_list){NULL, 0, 0};
    area->old = NO_AREA;
    outline_share(area->outline);
    if (given->given & ~(uint32_t)MOST_GIVEN)
        return complain(complaint, "given is %u, expected AOI_AREA_GIVEN_ bits", given->given);
    aoi_status status = AOI_OK;
    if (given->given & AOI_AREA_GIVEN_SHAPE)
        status = take_shape(space, given, area, complaint);
    else if (given->given & AOI_AREA_GIVEN_LEAVE_RADIUS)
        status = complain(complaint, "leave_radius is given without a shape");
    else if (other == NULL)
        status = complain(complaint, "no shape is given");
    if (given->given & AOI_AREA_GIVEN_SEES_LAYERS)
        area->sees_layers = given->sees_layers;
    if (status == AOI_OK)
        status = take_placement(space, given, other, area, complaint);
    if (status != AOI_OK)
        outline_release(area->outline);
    return status;
}

aoi_area area_description_of(const struct area *area) {
    const bool is_polygon = area->shape == AOI_AREA_POLYGON;
    aoi_area all = {.struct_size = sizeof all,
                    .given = AOI_AREA_GIVEN_SHAPE | AOI_AREA_GIVEN_SEES_LAYERS,
                    .shape = (aoi_area_shape)area->shape,
                    .radius = area->radius,
                    .leave_radius = area->leave_radius,
                    .width = area->width,
                    .height = area->height,
                    .x = area->at.x,
                    .y = area->at.y,
                    .z = area->at.z,
                    .sees_layers = area->sees_layers};
    if (area->leave_radius > area->radius)
        all.given |= AOI_AREA_GIVEN_LEAVE_RADIUS;
    if (is_polygon) {
        all.rings = area->outline->room.rings.items;
        all.ring_count = area->outline->room.rings.count;
    } else {
        all.given |= area->is_owned ? AOI_AREA_GIVEN_OWNER : AOI_AREA_GIVEN_PLACE;
    }
    if (area->is_owned) {
        all.owner = area->owner;
        all.dx = area->offset.x;
        all.dy = area->offset.y;
        all.dz = area->offset.z;
    }
    return all;
}
