/*
 * areas_model.h - the promises of a space with areas, in the plainest way:
 * arrays of all areas, of all entities and of all pairs, gone through from end
 * to end. fuzz_areas.c holds the core against it. It is written from aoi.h, not
 * from the code.
 */
#ifndef FUZZ_AREAS_MODEL_H
#define FUZZ_AREAS_MODEL_H

#include <string.h>

#include "aoi.h"
#include "expectations.h"

enum { ENTITIES = 12, AREAS = 10, MOST_ROWS = 6 /* of a batch, each a change */ };

struct thing {
    bool inside;
    aoi_point at;
    uint32_t mode, layers;
};

struct shape {
    bool exists;
    aoi_area area;
    int polygon; /* its number */
    int owner;   /* number of an entity, or -1 */
};

struct change {
    bool left[AREAS][ENTITIES], entered[AREAS][ENTITIES];
};

struct areas_model {
    bool deferred, with_z;
    struct thing things[ENTITIES];
    struct shape shapes[AREAS];
    bool members[AREAS][ENTITIES]; /* now; deferred: at the last tick */
    struct change expected[MOST_ROWS];
    int changes;
};

static aoi_id id_of(int number) {
    return number % 3 == 0 ? number : number % 3 == 1 ? -number : ((aoi_id)number << 40) + number;
}

static int number_of(aoi_id id, int count) {
    for (int number = 0; number < count; number++) {
        if (id_of(number) == id)
            return number;
    }
    fail("an id that nobody has");
}

static const double triangle[] = {0, 0, 8, 0, 4, 8}, other_triangle[] = {8, 0, 12, 8, 4, 8},
                    corner[] = {0, 0, 10, 0, 10, 4, 4, 4, 4, 10, 0, 10},
                    frame[] = {1, 1, 15, 1, 15, 15, 1, 15}, hole[] = {4, 4, 4, 9, 11, 9, 11, 4};
static const aoi_ring rings[] = {
    {triangle, 3}, {other_triangle, 3}, {corner, 6}, {frame, 4}, {hole, 4}};
static const struct { int first, count; } polygons[] = {{0, 1}, {1, 1}, {2, 1}, {3, 2}};

/* Products of these are exact: corners have few bits. */
static bool in_polygon(int number, aoi_point p) {
    bool odd = false;
    for (int r = 0; r < polygons[number].count; r++) {
        const aoi_ring *ring = &rings[polygons[number].first + r];
        for (size_t i = 0; i < ring->count; i++) {
            const double *a = ring->corners + 2 * i;
            const double *b = ring->corners + 2 * ((i + 1) % ring->count);
            if (a[1] > b[1]) {
                const double *c = a;
                a = b;
                b = c;
            }
            if (a[1] <= p.y && p.y < b[1] &&
                (long double)(b[0] - a[0]) * ((long double)p.y - a[1]) -
                        (long double)(b[1] - a[1]) * ((long double)p.x - a[0]) >
                    0)
                odd = !odd;
        }
    }
    return odd;
}

static bool between(double low, double number, double high) {
    return low <= number && number <= high;
}

static bool in_shape(const struct areas_model *model, const struct shape *shape, bool was,
                     aoi_point p) {
    const aoi_area *area = &shape->area;
    aoi_point at = {area->x, area->y, area->z};
    if (shape->owner >= 0) {
        const aoi_point owner = model->things[shape->owner].at;
        at = (aoi_point){owner.x + area->dx, owner.y + area->dy, owner.z + area->dz};
    }
    if (area->shape == AOI_AREA_POLYGON)
        return in_polygon(shape->polygon, p);
    if (area->shape == AOI_AREA_RECT)
        return between(at.x - area->width / 2, p.x, at.x + area->width / 2) &&
               between(at.y - area->height / 2, p.y, at.y + area->height / 2);
    const bool has_leave = (area->given & AOI_AREA_GIVEN_LEAVE_RADIUS) != 0;
    const double r = was && has_leave ? area->leave_radius : area->radius;
    if (!between(at.x - r, p.x, at.x + r) || !between(at.y - r, p.y, at.y + r) ||
        (model->with_z && !between(at.z - r, p.z, at.z + r)))
        return false;
    if (area->shape == AOI_AREA_SQUARE)
        return true;
    const double dx = p.x - at.x, dy = p.y - at.y, dz = p.z - at.z;
    double square = dx * dx + dy * dy;
    if (model->with_z)
        square += dz * dz;
    return square <= r * r;
}

static bool takes(const struct areas_model *model, int a, int m, bool was) {
    const struct shape *shape = &model->shapes[a];
    const struct thing *thing = &model->things[m];
    return shape->exists && thing->inside && (thing->mode & AOI_MARKER) &&
           (thing->layers & shape->area.sees_layers) && shape->owner != m &&
           in_shape(model, shape, was, thing->at);
}

/* A change is over. */
static void settle(struct areas_model *model) {
    struct change *change = &model->expected[model->changes++];
    for (int a = 0; a < AREAS; a++) {
        for (int m = 0; m < ENTITIES; m++) {
            const bool was = model->members[a][m], is = takes(model, a, m, was);
            change->left[a][m] = was && !is;
            change->entered[a][m] = is && !was;
            model->members[a][m] = is;
        }
    }
}

static void settle_now(struct areas_model *model) {
    if (!model->deferred)
        settle(model);
}

static void leave(struct areas_model *model, int m) {
    model->things[m].inside = false;
    for (int a = 0; a < AREAS; a++) {
        if (model->shapes[a].owner == m)
            model->shapes[a].exists = false;
    }
}

static void take_traits(struct thing *thing, const aoi_traits *traits) {
    if (traits->given & AOI_TRAIT_MODE)
        thing->mode = traits->mode;
    if (traits->given & AOI_TRAIT_LAYERS)
        thing->layers = traits->layers;
}

/* Changes the model's area as set_area does. */
static void change_shape(struct shape *shape, const aoi_area *given, int polygon, int owner) {
    struct shape before = *shape;
    if (given->given & AOI_AREA_GIVEN_SHAPE) {
        shape->area = *given;
        shape->polygon = polygon;
    }
    shape->area.sees_layers =
        given->given & AOI_AREA_GIVEN_SEES_LAYERS ? given->sees_layers : before.area.sees_layers;
    if (shape->area.shape == AOI_AREA_POLYGON) {
        shape->owner = -1;
        return;
    }
    const bool is_placed = given->given & (AOI_AREA_GIVEN_PLACE | AOI_AREA_GIVEN_OWNER);
    const aoi_area *from = is_placed ? given : &before.area;
    shape->owner = is_placed ? owner : before.owner;
    shape->area.x = from->x;
    shape->area.y = from->y;
    shape->area.z = from->z;
    shape->area.dx = from->dx;
    shape->area.dy = from->dy;
    shape->area.dz = from->dz;
}

#endif
