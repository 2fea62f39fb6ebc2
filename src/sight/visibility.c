/*
 * visibility.c - see visibility.h.
 *
 * Nothing is kept per pair: who sees whom follows from the two entities. A
 * change therefore compares before with after for every other entity whose
 * pairs can differ. The engine finds those (a ring around the border of the
 * view, or the whole view), and the exact comparisons decide.
 */
#include "sight/visibility.h"

#include <math.h>

#include "index/grid.h"
#include "sight/judge.h"

struct change {
    struct aoi_space *space;
    uint32_t slot;                       /* of the changed entity; NO_SLOT when it enters */
    const struct entity *before, *after; /* a copy of `nobody` where it is not in the space */
    bool moved;
    uint32_t ops;
    bool still_only; /* only against entities without an old state: see tick.c */
};

/* Neither watches nor can be seen: stands for an entity that is not in the space. */
static const struct entity nobody = {.mode = 0};

static bool is_present(const struct entity *entity) {
    return entity->mode != 0;
}

ALWAYS_INLINE bool sees_by(enum sight_rule rule, const struct entity *watcher,
                           const struct entity *marker) {
    const struct stance from = stance_of(rule, watcher), to = stance_of(rule, marker);
    return sees(rule, &from, &to) != 0;
}

bool visibility_sees(const struct aoi_space *space, const struct entity *watcher,
                     const struct entity *marker) {
    switch (space->rule) {
    case SIGHT_CELLS: return sees_by(SIGHT_CELLS, watcher, marker);
    case SIGHT_SQUARE: return sees_by(SIGHT_SQUARE, watcher, marker);
    case SIGHT_CIRCLE: return sees_by(SIGHT_CIRCLE, watcher, marker);
    case SIGHT_CUBE: return sees_by(SIGHT_CUBE, watcher, marker);
    case SIGHT_BALL: break;
    }
    return sees_by(SIGHT_BALL, watcher, marker);
}

/* ------------------------------------------------------------------ */
/* Judging what the engine found                                       */
/* ------------------------------------------------------------------ */

ALWAYS_INLINE void judge_rule(enum sight_rule rule, struct aoi_space *space,
                              const struct judgement *judgement, bool unusual) {
    const unsigned both = AS_WATCHER | AS_MARKER, directions = judgement->directions;
    const bool moves = judgement->moves, alike = judgement->alike;
    if (alike && directions == both && moves)
        judge_by(rule, both, true, true, space, judgement, unusual);
    else if (alike && directions == both)
        judge_by(rule, both, false, true, space, judgement, unusual);
    else if (directions == both)
        judge_by(rule, both, moves, alike, space, judgement, unusual);
    else
        judge_by(rule, directions, moves, alike, space, judgement, unusual);
}

static void judge_cells(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    judge_rule(SIGHT_CELLS, space, judgement, unusual);
}

static void judge_square(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    judge_rule(SIGHT_SQUARE, space, judgement, unusual);
}

static void judge_circle(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    judge_rule(SIGHT_CIRCLE, space, judgement, unusual);
}

static void judge_cube(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    judge_rule(SIGHT_CUBE, space, judgement, unusual);
}

static void judge_ball(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    judge_rule(SIGHT_BALL, space, judgement, unusual);
}

/* Judges the pairs with what was found. False: no memory. */
static bool judge(struct aoi_space *space, const struct judgement *judgement, bool unusual) {
    if (space->hits.count > 0) {
        if (!reserve_lists(space))
            return false;
        switch (space->rule) {
        case SIGHT_CELLS: judge_cells(space, judgement, unusual); break;
        case SIGHT_SQUARE: judge_square(space, judgement, unusual); break;
        case SIGHT_CIRCLE: judge_circle(space, judgement, unusual); break;
        case SIGHT_CUBE: judge_cube(space, judgement, unusual); break;
        case SIGHT_BALL: judge_ball(space, judgement, unusual); break;
        }
    }
    return space->inside.count == 0 || note_inside(space, judgement, unusual);
}

/* Nobody listens for these kinds. */
static void drop_unwanted(struct aoi_space *space, uint32_t ops) {
    struct id_list *lists = space->changes;
    if (!(ops & AOI_LEAVE))
        lists[LEFT_MARKERS].count = lists[LEFT_WATCHERS].count = 0;
    if (!(ops & AOI_ENTER))
        lists[ENTERED_MARKERS].count = lists[ENTERED_WATCHERS].count = 0;
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

static struct box box_union(struct box a, struct box b) {
    return (struct box){lesser(a.x1, b.x1), lesser(a.y1, b.y1), greater(a.x2, b.x2),
                        greater(a.y2, b.y2)};
}

static struct box box_intersection(struct box a, struct box b) {
    return (struct box){greater(a.x1, b.x1), greater(a.y1, b.y1), lesser(a.x2, b.x2),
                        lesser(a.y2, b.y2)};
}

/* True when two intervals are so far apart that no ring around them, with its allowance, has a
 * point in common with the other's. */
static bool intervals_apart(double low1, double high1, double low2, double high2) {
    double largest = greater(greater(fabs(low1), fabs(high1)), greater(fabs(low2), fabs(high2)));
    double allowance = 8 * ring_allowance(largest);
    bool are_small = largest < RING_LARGEST / 4; /* else a ring has no bounds on this axis */
    return are_small && (high1 + allowance < low2 || high2 + allowance < low1);
}

static bool boxes_apart(struct box a, struct box b) {
    return intervals_apart(a.x1, a.x2, b.x1, b.x2) || intervals_apart(a.y1, a.y2, b.y1, b.y2);
}

/* The view radii that matter to a search, before and after the change. */
struct reach {
    double largest_before, largest_after, smallest_before, smallest_after;
};

/* True when those who see the entity before and after are to hear of its move. */
static bool tells_moves(const struct change *change, unsigned directions) {
    return change->moved && (change->ops & AOI_MOVE) != 0 && (directions & AS_MARKER) != 0;
}

/* True when a pair whose positions are well inside both views can't change by this change. */
static bool inside_stays(const struct change *change, unsigned directions,
                         const struct reach *reach) {
    const struct entity *before = change->before, *after = change->after;
    if (!entities_alike(before, after))
        return false;
    switch (change->space->rule) {
    case SIGHT_SQUARE:
    case SIGHT_CIRCLE:
        return has_inside(change->space->rule, reach->smallest_before) &&
               has_inside(change->space->rule, reach->smallest_after);
    case SIGHT_CUBE: /* who is inside on x and y may not be so on z: that can't tell of moves */
        return before->z == after->z && reach->smallest_before == reach->smallest_after &&
               !tells_moves(change, directions);
    case SIGHT_CELLS:
    case SIGHT_BALL: break;
    }
    return false;
}

static bool search_box(const struct change *change, struct spatial_index *index, struct box box) {
    const struct ring ring = ring_of_box(&box);
    return index->engine->search(index, &ring, NO_SLOT, &change->space->hits, NULL);
}

/* The ring of a change in general; false when the old and the new view are apart. */
static bool ring_of(const struct change *change, const struct reach *reach, struct ring *ring) {
    enum sight_rule rule = change->space->rule;
    const struct entity *before = change->before, *after = change->after;
    struct box old_box = box_around(before, reach->largest_before);
    struct box new_box = box_around(after, reach->largest_after);
    if (boxes_apart(old_box, new_box))
        return false;
    const struct box outer = box_union(old_box, new_box);
    const struct box inner = box_intersection(box_within(rule, before, reach->smallest_before),
                                              box_within(rule, after, reach->smallest_after));
    *ring = ring_of_boxes(&outer, &inner);
    return true;
}

static xy place_of(const struct entity *entity) {
    return (xy){entity->x, entity->y};
}

static bool is_same_reach(const struct reach *reach) {
    return reach->largest_before == reach->largest_after &&
           reach->smallest_before == reach->smallest_after;
}

/* Finds the entities of one index whose pairs with the changed one can differ. */
static bool find_in(const struct change *change, struct spatial_index *index, unsigned directions,
                    struct reach reach) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    struct ring ring;
    if (!is_present(before))
        return search_box(change, index, box_around(after, reach.largest_after));
    if (!is_present(after))
        return search_box(change, index, box_around(before, reach.largest_before));
    if ((is_same_reach(&reach) &&
         ring_of_step(space->rule, place_of(before), place_of(after), reach.smallest_before,
                      reach.largest_before, &ring)) ||
        ring_of(change, &reach, &ring)) {
        if (!inside_stays(change, directions, &reach)) {
            ring.inner = xy_of(0);
            ring.inner_part = 0;
        }
        bool wants_inside =
            tells_moves(change, directions) && (ring_is_hollow(&ring) || ring.inner_part > 0);
        return index->engine->search(index, &ring, change->slot, &space->hits,
                                     wants_inside ? &space->inside : NULL);
    }
    return search_box(change, index, box_around(before, reach.largest_before)) &&
           search_box(change, index, box_around(after, reach.largest_after));
}

static void drop_changed(const struct entity *entities, struct hits *hits) {
    size_t kept = 0;
    for (size_t i = 0; i < hits->count; i++) {
        uint32_t slot = hits->slots[i];
        hits->slots[kept] = slot;
        kept += !entities[slot].changed;
    }
    hits->count = kept;
}

/* Judges what was found for this change in some directions. False: no memory. */
static bool judge_change(const struct change *change, unsigned directions, bool unusual) {
    struct aoi_space *space = change->space;
    if (change->still_only) {
        drop_changed(space->entities, &space->hits);
        drop_changed(space->entities, &space->inside);
    }
    const struct judgement judgement = {.before = stance_of(space->rule, change->before),
                                        .after = stance_of(space->rule, change->after),
                                        .slot = change->slot,
                                        .directions = directions,
                                        .moves = tells_moves(change, directions),
                                        .alike = entities_alike(change->before, change->after)};
    return judge(space, &judgement, unusual);
}

/* Finds and judges the pairs with those that the main index answers for. */
static bool search_main(const struct change *change, unsigned directions, struct reach reach) {
    begin_search(change->space);
    return find_in(change, change->space->main_index, directions, reach) &&
           judge_change(change, directions, false);
}

/* The same for the watchers of all radius classes. */
static bool search_classes(const struct change *change) {
    struct aoi_space *space = change->space;
    begin_search(space);
    size_t left = space->unusual_watchers;
    for (const struct radius_class *at = space->classes; left > 0; at++) {
        if (at->index == NULL || at->index->count == 0)
            continue;
        left -= at->index->count;
        const struct reach reach = {at->largest, at->largest, at->smallest, at->smallest};
        if (!find_in(change, at->index, AS_MARKER, reach))
            return false;
    }
    return judge_change(change, AS_MARKER, true);
}

static bool search_cells(const struct change *change, unsigned directions) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    bool stays = is_present(before) && entities_alike(before, after);
    struct hits *inside = !stays                            ? &space->hits
                          : tells_moves(change, directions) ? &space->inside
                                                            : NULL;
    begin_search(space);
    return grid_search_cells(space->main_index, is_present(before) ? before : NULL,
                             is_present(after) ? after : NULL, &space->hits, inside) &&
           judge_change(change, directions, false);
}

static bool search_all(const struct change *change, unsigned directions) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    if (space->rule == SIGHT_CELLS)
        return search_cells(change, directions);
    double usual = space->usual_radius;
    const struct reach of_usual = {usual, usual, usual, usual};
    const struct reach own = {before->radius, after->radius, before->radius, after->radius};
    bool own_is_usual = (!is_present(before) || before->radius == usual) &&
                        (!is_present(after) || after->radius == usual);
    if (directions == (AS_WATCHER | AS_MARKER) && own_is_usual) {
        if (!search_main(change, directions, of_usual))
            return false;
    } else {
        if ((directions & AS_WATCHER) && !search_main(change, AS_WATCHER, own))
            return false;
        if ((directions & AS_MARKER) && !search_main(change, AS_MARKER, of_usual))
            return false;
    }
    return !(directions & AS_MARKER) || space->unusual_watchers == 0 || search_classes(change);
}

/* As what an entity of these modes is of interest, when these kinds of events are wanted. */
static unsigned directions_of(uint32_t modes, uint32_t ops) {
    unsigned directions = 0;
    if ((modes & AOI_WATCHER) && (ops & (AOI_ENTER | AOI_LEAVE)))
        directions |= AS_WATCHER;
    if ((modes & AOI_MARKER) && ops != 0)
        directions |= AS_MARKER;
    return directions;
}

static bool find_changes(const struct change *change) {
    clear_changes(change->space);
    unsigned directions = directions_of(change->before->mode | change->after->mode, change->ops);
    if (directions == 0)
        return true;
    if (!search_all(change, directions))
        return false;
    drop_unwanted(change->space, change->ops);
    return true;
}

bool visibility_changes(struct aoi_space *space, uint32_t slot, const struct entity *after,
                        bool moved, uint32_t ops) {
    const struct change change = {space,
                                  slot,
                                  slot == NO_SLOT ? &nobody : &space->entities[slot],
                                  after == NULL ? &nobody : after,
                                  moved,
                                  ops,
                                  false};
    return find_changes(&change);
}

/* The entity at another place. */
static struct entity moved_to(const struct entity *entity, xy place) {
    struct entity moved = *entity;
    moved.x = place[0];
    moved.y = place[1];
    return moved;
}

/* True when a watcher with this radius sees all that is on the map, wherever it stands; views are
 * squares or circles. */
static bool sees_whole_map(const struct aoi_space *space, double radius) {
    const struct map *map = &space->map;
    double far_x = greater(fabs(map->x1), fabs(map->x2));
    double far_y = greater(fabs(map->y1), fabs(map->y2));
    double reach = greater(map->width, map->height);
    if (space->rule == SIGHT_CIRCLE) /* at least the diagonal */
        reach += lesser(map->width, map->height) / 2;
    double rounding = (greater(far_x, far_y) + reach) * 0x1p-40;
    return space->bounded && !map->clamp && radius > reach + rounding;
}

/* Searches all radius classes for the watchers whose view a step may enter, leave or cross. False:
 * no memory, or not such a step for all classes. */
static bool search_classes_for_step(struct aoi_space *space, xy from, xy to, bool wants_inside) {
    struct ring ring;
    begin_search(space);
    size_t left = space->unusual_watchers;
    for (const struct radius_class *at = space->classes; left > 0; at++) {
        struct spatial_index *index = at->index;
        if (index == NULL || index->count == 0)
            continue;
        left -= index->count;
        if (!wants_inside && sees_whole_map(space, at->smallest))
            continue;
        if (!has_inside(space->rule, at->smallest) ||
            !ring_of_step(space->rule, from, to, at->smallest, at->largest, &ring) ||
            !index->engine->search(index, &ring, NO_SLOT, &space->hits,
                                   wants_inside ? &space->inside : NULL))
            return false;
    }
    return true;
}

/* What a step means for the watchers of unusual radii. False: no memory. */
static bool step_in_classes(struct aoi_space *space, struct judgement *judgement, uint32_t ops) {
    const xy from = judgement->before.at, to = judgement->after.at;
    judgement->directions = AS_MARKER;
    if (search_classes_for_step(space, from, to, judgement->moves))
        return judge(space, judgement, true);
    const struct entity *before = &space->entities[judgement->slot];
    const struct entity after = moved_to(before, to);
    const struct change change = {space, judgement->slot, before, &after, true, ops, false};
    return search_classes(&change);
}

bool visibility_changes_by_move(struct aoi_space *space, uint32_t slot, double x, double y,
                                uint32_t ops) {
    const struct entity *entity = &space->entities[slot];
    const enum sight_rule rule = space->rule;
    const double radius = entity->radius;
    const xy from = place_of(entity), to = {x, y};
    struct ring ring;
    if (!has_inside(rule, radius) || !ring_of_step(rule, from, to, radius, radius, &ring)) {
        const struct entity after = moved_to(entity, to);
        return visibility_changes(space, slot, &after, true, ops);
    }
    const unsigned directions = directions_of(entity->mode, ops);
    struct judgement judgement = judgement_of_step(rule, entity, slot, to);
    judgement.directions = directions;
    judgement.moves = (ops & AOI_MOVE) && (directions & AS_MARKER);
    struct spatial_index *index = space->main_index;
    clear_changes(space);
    begin_search(space);
    if (directions == 0)
        return true;
    if (!index->engine->search(index, &ring, slot, &space->hits,
                               judgement.moves ? &space->inside : NULL) ||
        !judge(space, &judgement, false))
        return false;
    if (space->unusual_watchers != 0 && (directions & AS_MARKER) &&
        !step_in_classes(space, &judgement, ops))
        return false;
    drop_unwanted(space, ops);
    return true;
}

bool visibility_step_in_classes(struct aoi_space *space, uint32_t slot, xy to, uint32_t ops) {
    struct judgement judgement = judgement_of_step(space->rule, &space->entities[slot], slot, to);
    judgement.moves = (ops & AOI_MOVE) != 0;
    return step_in_classes(space, &judgement, ops);
}

bool visibility_changes_to_still(struct aoi_space *space, uint32_t slot,
                                 const struct entity *before, const struct entity *after,
                                 bool moved, uint32_t ops) {
    const struct change change = {space, slot, before, after, moved, ops, true};
    return find_changes(&change);
}

static bool observers(struct aoi_space *space, uint32_t slot, unsigned directions) {
    clear_changes(space);
    const struct change change = {space, slot,      &nobody, &space->entities[slot],
                                  false, AOI_ENTER, false};
    return search_all(&change, directions);
}

bool visibility_markers(struct aoi_space *space, uint32_t slot) {
    return observers(space, slot, AS_WATCHER);
}

bool visibility_watchers(struct aoi_space *space, uint32_t slot) {
    return observers(space, slot, AS_MARKER);
}
