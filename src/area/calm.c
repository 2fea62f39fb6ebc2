/* calm.c - the free distance of an entity: how far it is from the borders of all areas around
 * it. */
#include "area/calm.h"

#include <math.h>
#include <string.h>

#include "space/space.h"

/* So much of a distance is certain, whatever was rounded on the way to it. */
#define CERTAIN 0.999

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

/* Beyond these, squares overflow or vanish. */
#define MOST_DISTANCE 0x1p500
#define LEAST_DISTANCE 0x1p-400

/* The least that remains of the difference of two distances that were rounded. */
static double certain_difference(double a, double b) {
    return isinf(a) || isinf(b) ? HUGE_VAL : fabs(a - b) - (a + b) * 0x1p-46;
}

/* How far it is at least, on each axis, to the border of a circle or square of this radius. */
static double distance_to(const struct area *area, double radius, const aoi_point *at) {
    const double dx = fabs(at->x - area->at.x), dy = fabs(at->y - area->at.y);
    if (area->shape == AOI_AREA_SQUARE || isinf(radius))
        return smaller(certain_difference(dx, radius), certain_difference(dy, radius));
    if (!(dx < MOST_DISTANCE && dy < MOST_DISTANCE && radius < MOST_DISTANCE))
        return 0;
    /* A step of a on each axis goes no farther than the root of two times a. */
    return certain_difference(sqrt(dx * dx + dy * dy), radius) * 0.7071 - LEAST_DISTANCE;
}

/* How far it is at least, on each axis, to a border of the area, whose bounds hold the place. */
static double clearance(const struct area *area, const aoi_point *at) {
    switch ((aoi_area_shape)area->shape) {
    case AOI_AREA_CIRCLE:
    case AOI_AREA_SQUARE: {
        const double distance = distance_to(area, area->radius, at);
        return area->keeps_members ? smaller(distance, distance_to(area, area->leave_radius, at))
                                   : distance;
    }
    case AOI_AREA_RECT:
        return smaller(certain_difference(fabs(at->x - area->at.x), area->half_width),
                       certain_difference(fabs(at->y - area->at.y), area->half_height));
    case AOI_AREA_POLYGON: break;
    }
    return 0;
}

/* How far it is at least to borders: that of the nearest area, and of all others. */
struct clearances {
    double nearest, others;
    uint32_t area; /* the nearest one, or NO_AREA */
};

static void note_clearance(struct clearances *found, uint32_t area, double distance) {
    if (distance >= found->others)
        return;
    if (distance >= found->nearest) {
        found->others = distance;
        return;
    }
    *found = (struct clearances){distance, smaller(found->nearest, found->others), area};
}

/* Notes the areas of a chain. */
static void note_chain(const struct areas *areas, uint32_t first, const aoi_point *at,
                       struct clearances *found) {
    const struct area_grid *grid = &areas->table.grids[STILL_AREAS];
    for (uint32_t number = first; number != NO_BLOCK; number = grid->blocks[number].next) {
        const struct area_block *block = &grid->blocks[number];
        const xy middle = {at->x, at->y}, reach = xy_of(found->others);
        const struct area_probe probe = area_probe_of(middle - reach, middle + reach);
        for (unsigned met = block_may_meet(block, &probe); met != 0; met &= met - 1) {
            const unsigned i = lowest_bit(met);
            /* To the bounds, on the axis where that is farthest; not above 0 where they hold it. */
            const double x = greater((double)block->x1[i] - at->x, at->x - (double)block->x2[i]);
            const double y = greater((double)block->y1[i] - at->y, at->y - (double)block->y2[i]);
            const double gap = greater(x, y);
            const uint32_t area = block_area(block, i);
            note_clearance(found, area, gap > 0 ? gap : clearance(&areas->table.at[area], at));
        }
    }
}

/* The least way to the next cell. */
static double way_out(double number, double inverse) {
    const double cells = number * inverse, within = cells - floor(cells);
    return smaller(within, 1 - within) / inverse;
}

static struct clearances clearances_at(const struct areas *areas, const aoi_point *at) {
    const struct area_grid *grid = &areas->table.grids[STILL_AREAS];
    struct clearances found = {HUGE_VAL, HUGE_VAL, NO_AREA};
    for (unsigned number = 0; number < grid->used_count; number++) {
        const double inverse = grid->used[number].inverse;
        struct area_cell cell;
        if (!area_cell_at(grid, number, at->x, at->y, &cell))
            return (struct clearances){0, 0, NO_AREA};
        found.others =
            smaller(found.others, smaller(way_out(at->x, inverse), way_out(at->y, inverse)));
        note_chain(areas, grid->heads[area_chain_of(grid, cell)], at, &found);
    }
    note_chain(areas, grid->unbounded, at, &found);
    return found;
}

void areas_find_calm(struct areas *areas, uint32_t slot, const aoi_point *at) {
    if (slot == NO_SLOT)
        return;
    if (slot >= areas->calm.count) {
        const size_t before = areas->calm.count;
        if (!array_reserve(&areas->calm, areas->table.memory, (size_t)slot + 1 - before))
            return;
        areas->calm.count = areas->calm.capacity;
        memset(areas->calm.items + before, 0,
               (areas->calm.count - before) * sizeof *areas->calm.items);
    }
    const struct clearances found = clearances_at(areas, at);
    const double reach = found.others * CERTAIN;
    const double size = fmax(fabs(at->x), fabs(at->y));
    struct calm *calm = &areas->calm.items[slot];
    calm->age = 0;
    /* Floats are coarse far from 0; there it is calm nowhere. */
    if (!(reach > size * 0x1p-18) || !(size < 0x1p100) || !(reach < 0x1p100))
        return;
    const double half = reach - size * 0x1p-20;
    *calm =
        (struct calm){(float)(at->x - half), (float)(at->y - half),
                      (float)(at->x + half), (float)(at->y + half),
                      areas->table.age,      found.nearest < found.others ? found.area : NO_AREA};
}
