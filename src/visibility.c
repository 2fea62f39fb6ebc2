/*
 * visibility.c - see visibility.h.
 *
 * Nothing is kept per pair: who sees whom follows from the two entities. A
 * change therefore compares before with after for every other entity whose
 * pairs can differ. The engine finds those (a ring around the border of the
 * view, or the whole view), and the exact comparisons decide.
 */
#include "visibility.h"

#include <math.h>

#include "grid.h"

/* Directions of the pairs that a search is about. */
enum { AS_WATCHER = 1, AS_MARKER = 2 };

struct change {
    struct aoi_space *space;
    uint32_t slot;                       /* of the changed entity; NO_SLOT when it enters */
    const struct entity *before, *after; /* a copy of `nobody` where it is not in the space */
    bool moved;
    uint32_t ops;
};

/* Neither watches nor can be seen: stands for an entity that is not in the space. */
static const struct entity nobody = {.mode = 0};

static bool is_present(const struct entity *entity) {
    return entity->mode != 0;
}

/* The comparisons of the contract; marker lies in watcher's area. Plain & keeps it free of
 * branches: the outcome can't be predicted. */
static inline bool in_area(enum sight_rule rule, const struct entity *watcher,
                           const struct entity *marker) {
    if (rule == SIGHT_CELLS)
        return grid_cells_touch(watcher->cell.x, watcher->cell.y, marker->cell.x, marker->cell.y);
    double radius = watcher->radius;
    bool inside = (watcher->x - radius <= marker->x) & (marker->x <= watcher->x + radius) &
                  (watcher->y - radius <= marker->y) & (marker->y <= watcher->y + radius);
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL)
        inside &= (watcher->z - radius <= marker->z) & (marker->z <= watcher->z + radius);
    if (rule == SIGHT_CIRCLE || rule == SIGHT_BALL) {
        double dx = marker->x - watcher->x, dy = marker->y - watcher->y;
        double square = dx * dx + dy * dy;
        if (rule == SIGHT_BALL) {
            double dz = marker->z - watcher->z;
            square += dz * dz;
        }
        inside &= square <= radius * radius;
    }
    return inside;
}

static inline bool sees(enum sight_rule rule, const struct entity *watcher,
                        const struct entity *marker) {
    return ((watcher->mode & AOI_WATCHER) != 0) & ((marker->mode & AOI_MARKER) != 0) &
           ((marker->layer & watcher->sees) != 0) & in_area(rule, watcher, marker);
}

bool visibility_sees(const struct aoi_space *space, const struct entity *watcher,
                     const struct entity *marker) {
    switch (space->rule) {
    case SIGHT_CELLS: return sees(SIGHT_CELLS, watcher, marker);
    case SIGHT_SQUARE: return sees(SIGHT_SQUARE, watcher, marker);
    case SIGHT_CIRCLE: return sees(SIGHT_CIRCLE, watcher, marker);
    case SIGHT_CUBE: return sees(SIGHT_CUBE, watcher, marker);
    case SIGHT_BALL: break;
    }
    return sees(SIGHT_BALL, watcher, marker);
}

/* ------------------------------------------------------------------ */
/* Judging what the engine found                                       */
/* ------------------------------------------------------------------ */

/* Writes the id in any case and counts it only when it belongs: no branch. */
static inline void note(struct id_list *list, aoi_id id, bool belongs) {
    list->ids[list->count] = id;
    list->count += belongs;
}

/* rule is a constant at each call, so that the compiler makes a loop for each. */
static inline void judge_by(enum sight_rule rule, const struct change *change, unsigned directions,
                            unsigned radius_class) {
    struct aoi_space *space = change->space;
    const struct entity before = *change->before, after = *change->after;
    const bool leaves = (change->ops & AOI_LEAVE) != 0, enters = (change->ops & AOI_ENTER) != 0;
    const bool moves = change->moved && (change->ops & AOI_MOVE) != 0;
    struct id_list *lists = space->changes;
    for (size_t i = 0; i < space->hits.count; i++) {
        uint32_t slot = space->hits.slots[i];
        if (slot == change->slot)
            continue;
        const struct entity *other = &space->entities[slot];
        if (directions & AS_WATCHER) {
            bool saw = sees(rule, &before, other), will_see = sees(rule, &after, other);
            note(&lists[LEFT_MARKERS], other->id, leaves & saw & !will_see);
            note(&lists[ENTERED_MARKERS], other->id, enters & !saw & will_see);
        }
        if (directions & AS_MARKER) {
            bool counts = other->radius_class == radius_class;
            bool saw = counts & sees(rule, other, &before);
            bool will_see = counts & sees(rule, other, &after);
            note(&lists[LEFT_WATCHERS], other->id, leaves & saw & !will_see);
            note(&lists[ENTERED_WATCHERS], other->id, enters & !saw & will_see);
            note(&lists[MOVED_WATCHERS], other->id, moves & saw & will_see);
        }
    }
}

static bool judge(const struct change *change, unsigned directions, unsigned radius_class) {
    struct aoi_space *space = change->space;
    for (int i = 0; i < CHANGE_LISTS; i++) {
        /* One more than can belong: note() writes before it knows. */
        if (!id_list_reserve(&space->changes[i], &space->memory, space->hits.count + 1))
            return false;
    }
    switch (space->rule) {
    case SIGHT_CELLS: judge_by(SIGHT_CELLS, change, directions, radius_class); break;
    case SIGHT_SQUARE: judge_by(SIGHT_SQUARE, change, directions, radius_class); break;
    case SIGHT_CIRCLE: judge_by(SIGHT_CIRCLE, change, directions, radius_class); break;
    case SIGHT_CUBE: judge_by(SIGHT_CUBE, change, directions, radius_class); break;
    case SIGHT_BALL: judge_by(SIGHT_BALL, change, directions, radius_class); break;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Where pairs can differ                                              */
/* ------------------------------------------------------------------ */

/* How far a coordinate computed from x and radius may be off by rounding, with room to spare. */
static double rounding_of(double x, double radius) {
    return isfinite(radius) ? (fabs(x) + radius) * 0x1p-50 : 0;
}

/* All positions that can see, or be seen from, the entity within the radius. */
static struct box box_around(const struct entity *entity, double radius) {
    double slip_x = rounding_of(entity->x, radius), slip_y = rounding_of(entity->y, radius);
    return (struct box){entity->x - radius - slip_x, entity->y - radius - slip_y,
                        entity->x + radius + slip_x, entity->y + radius + slip_y};
}

/* Only positions that certainly see, or are seen from, the entity within the radius. */
static struct box box_within(enum sight_rule rule, const struct entity *entity, double radius) {
    double slip_x = rounding_of(entity->x, radius), slip_y = rounding_of(entity->y, radius);
    if (rule == SIGHT_CIRCLE)
        radius *= 0.7071; /* the square inside the circle */
    return (struct box){entity->x - radius + slip_x, entity->y - radius + slip_y,
                        entity->x + radius - slip_x, entity->y + radius - slip_y};
}

static struct box box_union(struct box a, struct box b) {
    return (struct box){fmin(a.x1, b.x1), fmin(a.y1, b.y1), fmax(a.x2, b.x2), fmax(a.y2, b.y2)};
}

static struct box box_intersection(struct box a, struct box b) {
    return (struct box){fmax(a.x1, b.x1), fmax(a.y1, b.y1), fmin(a.x2, b.x2), fmin(a.y2, b.y2)};
}

/* Compared as floats: engines may search with bounds rounded so, and must not find one entity
 * in both boxes. */
static bool boxes_apart(struct box a, struct box b) {
    return (float)a.x2 < (float)b.x1 || (float)b.x2 < (float)a.x1 || (float)a.y2 < (float)b.y1 ||
           (float)b.y2 < (float)a.y1;
}

/* The view radii that matter to a search, before and after the change. */
struct reach {
    double largest_before, largest_after, smallest_before, smallest_after;
};

/* The squares of smaller radii are too coarse to tell what is well inside a circle. */
static const double smallest_round_view = 1e-140;

/* True when a pair whose positions are well inside both views can't change by this change. */
static bool inside_stays(const struct change *change, unsigned directions,
                         const struct reach *reach) {
    const struct entity *before = change->before, *after = change->after;
    if (!is_present(before) || !is_present(after))
        return false;
    if (before->mode != after->mode || before->layer != after->layer || before->sees != after->sees)
        return false;
    if ((directions & AS_MARKER) && change->moved && (change->ops & AOI_MOVE))
        return false; /* all who see the entity hear of its move */
    switch (change->space->rule) {
    case SIGHT_SQUARE: return true;
    case SIGHT_CIRCLE:
        return reach->smallest_before > smallest_round_view &&
               reach->smallest_after > smallest_round_view;
    case SIGHT_CUBE:
        return before->z == after->z && reach->smallest_before == reach->smallest_after;
    case SIGHT_CELLS:
    case SIGHT_BALL: break;
    }
    return false;
}

static bool search_box(const struct change *change, struct spatial_index *index, struct box box) {
    struct ring ring = {.outer = box, .hollow = false};
    return index->engine->search(index, &ring, NO_SLOT, &change->space->hits);
}

/* Finds and judges the entities of one index whose pairs with the changed one can differ. */
static bool search_index(const struct change *change, struct spatial_index *index,
                         unsigned directions, unsigned radius_class, struct reach reach) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    space->hits.count = 0;
    bool found;
    if (!is_present(before)) {
        found = search_box(change, index, box_around(after, reach.largest_after));
    } else if (!is_present(after)) {
        found = search_box(change, index, box_around(before, reach.largest_before));
    } else {
        struct box old_box = box_around(before, reach.largest_before);
        struct box new_box = box_around(after, reach.largest_after);
        if (boxes_apart(old_box, new_box)) {
            found = search_box(change, index, old_box) && search_box(change, index, new_box);
        } else {
            struct ring ring = {.outer = box_union(old_box, new_box)};
            ring.hollow = inside_stays(change, directions, &reach);
            if (ring.hollow)
                ring.inner =
                    box_intersection(box_within(space->rule, before, reach.smallest_before),
                                     box_within(space->rule, after, reach.smallest_after));
            found = index->engine->search(index, &ring, change->slot, &space->hits);
        }
    }
    return found && judge(change, directions, radius_class);
}

static bool search_all(const struct change *change, unsigned directions) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    if (space->rule == SIGHT_CELLS) {
        bool wants_inside = is_present(before) && is_present(after) &&
                            !(before->mode == after->mode && before->layer == after->layer &&
                              before->sees == after->sees);
        if ((directions & AS_MARKER) && change->moved && (change->ops & AOI_MOVE))
            wants_inside = true;
        space->hits.count = 0;
        return grid_search_cells(space->main_index, is_present(before) ? before : NULL,
                                 is_present(after) ? after : NULL, wants_inside, &space->hits) &&
               judge(change, directions, USUAL_RADIUS);
    }
    double usual = space->usual_radius;
    const struct reach of_usual = {usual, usual, usual, usual};
    const struct reach own = {before->radius, after->radius, before->radius, after->radius};
    bool own_is_usual = (!is_present(before) || before->radius == usual) &&
                        (!is_present(after) || after->radius == usual);
    if (directions == (AS_WATCHER | AS_MARKER) && own_is_usual) {
        if (!search_index(change, space->main_index, directions, USUAL_RADIUS, of_usual))
            return false;
    } else {
        if ((directions & AS_WATCHER) &&
            !search_index(change, space->main_index, AS_WATCHER, USUAL_RADIUS, own))
            return false;
        if ((directions & AS_MARKER) &&
            !search_index(change, space->main_index, AS_MARKER, USUAL_RADIUS, of_usual))
            return false;
    }
    if (directions & AS_MARKER) {
        for (unsigned number = 1; number < RADIUS_CLASSES; number++) {
            const struct radius_class *class = &space->classes[number];
            if (class->index == NULL || class->index->count == 0)
                continue;
            const struct reach reach = {class->largest, class->largest, class->smallest,
                                        class->smallest};
            if (!search_index(change, class->index, AS_MARKER, number, reach))
                return false;
        }
    }
    return true;
}

static void clear_changes(struct aoi_space *space) {
    for (int i = 0; i < CHANGE_LISTS; i++)
        space->changes[i].count = 0;
}

bool visibility_changes(struct aoi_space *space, uint32_t slot, const struct entity *after,
                        bool moved, uint32_t ops) {
    clear_changes(space);
    const struct change change = {space,
                                  slot,
                                  slot == NO_SLOT ? &nobody : &space->entities[slot],
                                  after == NULL ? &nobody : after,
                                  moved,
                                  ops};
    uint32_t modes = change.before->mode | change.after->mode;
    unsigned directions = 0;
    if ((modes & AOI_WATCHER) && (ops & (AOI_ENTER | AOI_LEAVE)))
        directions |= AS_WATCHER;
    if (modes & AOI_MARKER)
        directions |= AS_MARKER;
    return ops == 0 || directions == 0 || search_all(&change, directions);
}

static bool observers(struct aoi_space *space, uint32_t slot, unsigned directions) {
    clear_changes(space);
    const struct change change = {space, slot, &nobody, &space->entities[slot], false, AOI_ENTER};
    return search_all(&change, directions);
}

bool visibility_markers(struct aoi_space *space, uint32_t slot) {
    return observers(space, slot, AS_WATCHER);
}

bool visibility_watchers(struct aoi_space *space, uint32_t slot) {
    return observers(space, slot, AS_MARKER);
}
