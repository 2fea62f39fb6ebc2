/*
 * visibility.c - pairs that a change can touch, searched in all indexes, and
 * judged.
 *
 * Nothing is kept per pair: who sees whom follows from the two entities. A
 * change therefore compares before with after for every other entity whose
 * pairs can differ. The engine finds those (a ring around the border of the
 * view, or the whole view), and the exact comparisons decide.
 */
#include "sight/visibility.h"

#include <math.h>

#include "sight/judge.h"
#include "sight/step_ring.h"

struct change {
    struct visibility *visibility;
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

bool visibility_sees(const struct visibility *visibility, const struct entity *watcher,
                     const struct entity *marker) {
    switch (visibility->rule) {
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

ALWAYS_INLINE void judge_rule(enum sight_rule rule, struct visibility *visibility,
                              const struct judgement *judgement, bool unusual) {
    const unsigned both = AS_WATCHER | AS_MARKER, directions = judgement->directions;
    const bool moves = judgement->moves, alike = judgement->alike;
    if (alike && directions == both && moves)
        judge_by(rule, both, true, true, visibility, judgement, unusual);
    else if (alike && directions == both)
        judge_by(rule, both, false, true, visibility, judgement, unusual);
    else if (directions == both)
        judge_by(rule, both, moves, alike, visibility, judgement, unusual);
    else
        judge_by(rule, directions, moves, alike, visibility, judgement, unusual);
}

/* Judges the pairs with what was found. */
static bool judge(struct visibility *visibility, const struct judgement *judgement, bool unusual) {
    if (visibility->hits.count > 0) {
        if (!reserve_lists(visibility))
            return false;
        switch (visibility->rule) {
        case SIGHT_CELLS: judge_rule(SIGHT_CELLS, visibility, judgement, unusual); break;
        case SIGHT_SQUARE: judge_rule(SIGHT_SQUARE, visibility, judgement, unusual); break;
        case SIGHT_CIRCLE: judge_rule(SIGHT_CIRCLE, visibility, judgement, unusual); break;
        case SIGHT_CUBE: judge_rule(SIGHT_CUBE, visibility, judgement, unusual); break;
        case SIGHT_BALL: judge_rule(SIGHT_BALL, visibility, judgement, unusual); break;
        }
    }
    return visibility->inside.count == 0 || note_inside(visibility, judgement, unusual);
}

/* Nobody listens for these kinds. */
static void drop_unwanted(struct visibility *visibility, uint32_t ops) {
    struct id_list *lists = visibility->changes;
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

/* True when two intervals are so far apart that no ring around them, with its allowance, has a
 * point in common with the other's. */
static bool intervals_apart(double low1, double high1, double low2, double high2) {
    double largest = greater(greater(fabs(low1), fabs(high1)), greater(fabs(low2), fabs(high2)));
    double allowance = 8 * ring_allowance(largest);
    bool are_small = largest < RING_LARGEST / 4; /* else a ring has no bounds on this axis */
    return are_small && (high1 + allowance < low2 || high2 + allowance < low1);
}

/* The view radii that matter to a search, before and after the change. */
struct reach {
    double largest_before, largest_after, smallest_before, smallest_after;
};

/* True when those who see the entity before and after are to be told of its move. */
static bool tells_moves(const struct change *change, unsigned directions) {
    return change->moved && (change->ops & AOI_MOVE) != 0 && (directions & AS_MARKER) != 0;
}

/* True when a pair whose positions are well inside both views can't change by this change. */
static bool inside_stays(const struct change *change, unsigned directions,
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

static bool search_box(const struct change *change, struct spatial_index *index, struct box box) {
    const struct ring ring = ring_of_box(&box);
    return index->engine->search(index, &ring, NO_SLOT, &change->visibility->hits, NULL);
}

/* The ring of a change in general; false when the old and the new view are apart. */
static bool ring_of(const struct change *change, const struct reach *reach, struct ring *ring) {
    enum sight_rule rule = change->visibility->rule;
    const struct entity *before = change->before, *after = change->after;
    const struct box old = box_around(before, reach->largest_before);
    const struct box new = box_around(after, reach->largest_after);
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

/* Finds the entities of one index whose pairs with the changed one can differ. */
static bool find_in(const struct change *change, struct spatial_index *index, unsigned directions,
                    struct reach reach) {
    struct visibility *visibility = change->visibility;
    const enum sight_rule rule = visibility->rule;
    const struct entity *before = change->before, *after = change->after;
    struct ring ring;
    if (!is_present(before))
        return search_box(change, index, box_around(after, reach.largest_after));
    if (!is_present(after))
        return search_box(change, index, box_around(before, reach.largest_before));
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

/* Judges what was found for this change in some directions. */
static bool judge_change(const struct change *change, unsigned directions, bool unusual) {
    struct visibility *visibility = change->visibility;
    if (change->still_only) {
        drop_changed(visibility->entities->at, &visibility->hits);
        drop_changed(visibility->entities->at, &visibility->inside);
    }
    const struct judgement judgement = {.before = stance_of(visibility->rule, change->before),
                                        .after = stance_of(visibility->rule, change->after),
                                        .slot = change->slot,
                                        .directions = directions,
                                        .moves = tells_moves(change, directions),
                                        .alike = entities_alike(change->before, change->after)};
    return judge(visibility, &judgement, unusual);
}

/* Finds and judges the pairs with those that the main index answers for. */
static bool search_main(const struct change *change, unsigned directions, struct reach reach) {
    begin_search(change->visibility);
    return find_in(change, change->visibility->indexes->main, directions, reach) &&
           judge_change(change, directions, false);
}

/* Finds and judges the pairs with the watchers of all radius classes. */
static bool search_classes(const struct change *change) {
    struct visibility *visibility = change->visibility;
    begin_search(visibility);
    size_t left = visibility->indexes->unusual_watchers;
    for (const struct radius_class *at = visibility->indexes->classes; left > 0; at++) {
        if (at->index == NULL || at->index->count == 0)
            continue;
        left -= at->index->count;
        const struct reach reach = {at->largest, at->largest, at->smallest, at->smallest};
        if (!find_in(change, at->index, AS_MARKER, reach))
            return false;
    }
    return judge_change(change, AS_MARKER, true);
}

/* In a classic nine-grid: the cells that touch the old or the new one, and not both. */
static bool search_cells(const struct change *change, unsigned directions) {
    struct visibility *visibility = change->visibility;
    struct spatial_index *index = visibility->indexes->main;
    const struct entity *before = change->before, *after = change->after;
    bool stays = is_present(before) && entities_alike(before, after);
    struct hits *inside = !stays                            ? &visibility->hits
                          : tells_moves(change, directions) ? &visibility->inside
                                                            : NULL;
    begin_search(visibility);
    return index->engine->cells->search(index, is_present(before) ? &before->cell : NULL,
                                        is_present(after) ? &after->cell : NULL, &visibility->hits,
                                        inside) &&
           judge_change(change, directions, false);
}

static bool search_all(const struct change *change, unsigned directions) {
    struct visibility *visibility = change->visibility;
    const struct entity *before = change->before, *after = change->after;
    if (visibility->rule == SIGHT_CELLS)
        return search_cells(change, directions);
    double usual = visibility->indexes->usual_radius;
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
    return !(directions & AS_MARKER) || visibility->indexes->unusual_watchers == 0 ||
           search_classes(change);
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
    clear_changes(change->visibility);
    unsigned directions = directions_of(change->before->mode | change->after->mode, change->ops);
    if (directions == 0)
        return true;
    if (!search_all(change, directions))
        return false;
    drop_unwanted(change->visibility, change->ops);
    return true;
}

bool visibility_changes(struct visibility *visibility, uint32_t slot, const struct entity *after,
                        bool moved, uint32_t ops) {
    const struct change change = {visibility,
                                  slot,
                                  slot == NO_SLOT ? &nobody : &visibility->entities->at[slot],
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
static bool sees_whole_map(const struct visibility *visibility, double radius) {
    const struct map *map = visibility->map;
    double far_x = greater(fabs(map->x1), fabs(map->x2));
    double far_y = greater(fabs(map->y1), fabs(map->y2));
    double reach = greater(map->width, map->height);
    if (visibility->rule == SIGHT_CIRCLE) /* at least the diagonal */
        reach += lesser(map->width, map->height) / 2;
    double rounding = (greater(far_x, far_y) + reach) * 0x1p-40;
    return map->bounded && !map->clamp && radius > reach + rounding;
}

/* Searches all radius classes for the watchers whose view a step may enter, leave or cross. False:
 * no memory, or not such a step for all classes. */
static bool search_classes_for_step(struct visibility *visibility, xy from, xy to,
                                    bool wants_inside) {
    struct ring ring;
    begin_search(visibility);
    size_t left = visibility->indexes->unusual_watchers;
    for (const struct radius_class *at = visibility->indexes->classes; left > 0; at++) {
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

/* Judges a step for the watchers of unusual radii. */
static bool step_in_classes(struct visibility *visibility, struct judgement *judgement,
                            uint32_t ops) {
    const xy from = judgement->before.at, to = judgement->after.at;
    judgement->directions = AS_MARKER;
    if (search_classes_for_step(visibility, from, to, judgement->moves))
        return judge(visibility, judgement, true);
    const struct entity *before = &visibility->entities->at[judgement->slot];
    const struct entity after = moved_to(before, to);
    const struct change change = {visibility, judgement->slot, before, &after, true, ops, false};
    return search_classes(&change);
}

bool visibility_changes_by_move(struct visibility *visibility, uint32_t slot, double x, double y,
                                uint32_t ops) {
    const struct entity *entity = &visibility->entities->at[slot];
    const enum sight_rule rule = visibility->rule;
    const double radius = entity->radius;
    const xy from = sight_place(rule, entity), to = {x, y};
    struct ring ring;
    if (!has_inside(rule, radius) || !ring_of_step(rule, from, to, radius, radius, &ring)) {
        const struct entity after = moved_to(entity, to);
        return visibility_changes(visibility, slot, &after, true, ops);
    }
    const unsigned directions = directions_of(entity->mode, ops);
    struct judgement judgement = judgement_of_step(rule, entity, slot, to);
    judgement.directions = directions;
    judgement.moves = (ops & AOI_MOVE) && (directions & AS_MARKER);
    struct spatial_index *index = visibility->indexes->main;
    clear_changes(visibility);
    begin_search(visibility);
    if (directions == 0)
        return true;
    if (!index->engine->search(index, &ring, slot, &visibility->hits,
                               judgement.moves ? &visibility->inside : NULL) ||
        !judge(visibility, &judgement, false))
        return false;
    if (visibility->indexes->unusual_watchers != 0 && (directions & AS_MARKER) &&
        !step_in_classes(visibility, &judgement, ops))
        return false;
    drop_unwanted(visibility, ops);
    return true;
}

bool visibility_step_in_classes(struct visibility *visibility, uint32_t slot, xy to, uint32_t ops) {
    struct judgement judgement =
        judgement_of_step(visibility->rule, &visibility->entities->at[slot], slot, to);
    judgement.moves = (ops & AOI_MOVE) != 0;
    return step_in_classes(visibility, &judgement, ops);
}

bool visibility_changes_to_still(struct visibility *visibility, uint32_t slot,
                                 const struct entity *before, const struct entity *after,
                                 bool moved, uint32_t ops) {
    const struct change change = {visibility, slot, before, after, moved, ops, true};
    return find_changes(&change);
}

const struct id_list *visibility_view(struct visibility *visibility, uint32_t slot, int list) {
    const struct change change = {visibility, slot,      &nobody, &visibility->entities->at[slot],
                                  false,      AOI_ENTER, false};
    clear_changes(visibility);
    return search_all(&change, list == ENTERED_MARKERS ? AS_WATCHER : AS_MARKER)
               ? &visibility->changes[list]
               : NULL;
}
