/* search.c - boxes and rings around what an entity was and is. */
#include "sight/search.h"

#include <math.h>

#include "sight/step_ring.h"
#include "sight/view_box.h"

/* Only positions that certainly see, or are seen from, the entity within the radius. */
static struct box box_within(enum sight_rule rule, const struct entity *entity, double radius) {
    double slip_x = rounding_of(entity->x, radius), slip_y = rounding_of(entity->y, radius);
    radius = radius_inside(rule, radius);
    return (struct box){entity->x - radius + slip_x, entity->y - radius + slip_y,
                        entity->x + radius - slip_x, entity->y + radius - slip_y};
}

/* Not fmin and fmax: those are calls, for the sake of NaN, which never gets here. */
static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

/* True when two intervals are so far apart that no ring around them, with its allowance, has a
 * point in common with the other's. */
static bool intervals_apart(double low1, double high1, double low2, double high2) {
    double largest = greater(greater(fabs(low1), fabs(high1)), greater(fabs(low2), fabs(high2)));
    double allowance = 8 * ring_allowance(largest);
    bool are_small = largest < RING_LARGEST / 4; /* else a ring has no bounds on this axis */
    return are_small && (high1 + allowance < low2 || high2 + allowance < low1);
}

/* True when a pair whose positions are well inside both views can't change by this change. */
static bool inside_stays(const struct entity_change *change, unsigned directions,
                         const struct reach *reach) {
    const struct entity *before = change->before, *after = change->after;
    if (!entities_alike(before, after))
        return false;
    switch (change->visibility->rule) {
    case SIGHT_SQUARE:
    case SIGHT_CIRCLE:
        return has_inside(change->visibility->rule, reach->smallest_before) &&
               has_inside(change->visibility->rule, reach->smallest_after);
    case SIGHT_CUBE: /* who is inside on x and y may not be so on z: that can't tell of moves */
        return before->z == after->z && reach->smallest_before == reach->smallest_after &&
               !tells_moves(change, directions);
    case SIGHT_CELLS:
    case SIGHT_BALL: break;
    }
    return false;
}

static bool search_box(const struct entity_change *change, struct spatial_index *index,
                       struct box box) {
    const struct ring ring = ring_of_box(&box);
    return index->engine->search(index, &ring, NO_SLOT, &change->visibility->hits, NULL);
}

/* The ring of a change in general; false when the old and the new view are apart. */
static bool ring_of(const struct entity_change *change, const struct reach *reach,
                    struct ring *ring) {
    enum sight_rule rule = change->visibility->rule;
    const struct entity *before = change->before, *after = change->after;
    const struct box old = view_box(before, reach->largest_before);
    const struct box new = view_box(after, reach->largest_after);
    if (intervals_apart(old.x1, old.x2, new.x1, new.x2) ||
        intervals_apart(old.y1, old.y2, new.y1, new.y2))
        return false;
    const struct box outer = {lesser(old.x1, new.x1), lesser(old.y1, new.y1),
                              greater(old.x2, new.x2), greater(old.y2, new.y2)};
    const struct box in1 = box_within(rule, before, reach->smallest_before);
    const struct box in2 = box_within(rule, after, reach->smallest_after);
    const struct box inner = {greater(in1.x1, in2.x1), greater(in1.y1, in2.y1),
                              lesser(in1.x2, in2.x2), lesser(in1.y2, in2.y2)};
    *ring = ring_of_boxes(&outer, &inner);
    return true;
}

bool search_index(const struct entity_change *change, struct spatial_index *index,
                  unsigned directions, struct reach reach) {
    struct visibility *visibility = change->visibility;
    const enum sight_rule rule = visibility->rule;
    const struct entity *before = change->before, *after = change->after;
    struct ring ring;
    if (!is_present(before))
        return search_box(change, index, view_box(after, reach.largest_after));
    if (!is_present(after))
        return search_box(change, index, view_box(before, reach.largest_before));
    if ((reach.largest_before == reach.largest_after &&
         reach.smallest_before == reach.smallest_after &&
         ring_of_step(rule, sight_place(rule, before), sight_place(rule, after),
                      reach.smallest_before, reach.largest_before, &ring)) ||
        ring_of(change, &reach, &ring)) {
        if (!inside_stays(change, directions, &reach)) {
            ring.inner = xy_of(0);
            ring.inner_part = 0;
        }
        bool wants_inside =
            tells_moves(change, directions) && (ring_is_hollow(&ring) || ring.inner_part > 0);
        return index->engine->search(index, &ring, change->slot, &visibility->hits,
                                     wants_inside ? &visibility->inside : NULL);
    }
    return search_box(change, index, view_box(before, reach.largest_before)) &&
           search_box(change, index, view_box(after, reach.largest_after));
}

bool sees_whole_map(const struct visibility *visibility, double radius) {
    const struct map *map = visibility->map;
    double far_x = greater(fabs(map->x1), fabs(map->x2));
    double far_y = greater(fabs(map->y1), fabs(map->y2));
    double reach = greater(map->width, map->height);
    if (visibility->rule == SIGHT_CIRCLE) /* at least the diagonal */
        reach += lesser(map->width, map->height) / 2;
    double rounding = (greater(far_x, far_y) + reach) * 0x1p-40;
    return radius == INFINITY || (map->bounded && !map->clamp && radius > reach + rounding);
}

bool search_classes_for_step(struct visibility *visibility, const struct indexes *indexes, xy from,
                             xy to, bool wants_inside) {
    struct ring ring;
    begin_search(visibility);
    size_t left = indexes->unusual_watchers;
    for (const struct radius_class *at = indexes->classes; left > 0; at++) {
        struct spatial_index *index = at->index;
        if (index == NULL || index->count == 0)
            continue;
        left -= index->count;
        if (!wants_inside && sees_whole_map(visibility, at->smallest))
            continue;
        if (!has_inside(visibility->rule, at->smallest) ||
            !ring_of_step(visibility->rule, from, to, at->smallest, at->largest, &ring) ||
            !index->engine->search(index, &ring, NO_SLOT, &visibility->hits,
                                   wants_inside ? &visibility->inside : NULL))
            return false;
    }
    return true;
}
