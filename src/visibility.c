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
#include <string.h>

#include "grid.h"

/* Directions of the pairs that a search is about. */
enum { AS_WATCHER = 1, AS_MARKER = 2 };

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

static inline pair position_of(const struct entity *entity) {
    pair position;
    memcpy(&position, &entity->x, sizeof position); /* y follows x */
    return position;
}

/* 1 when marker lies in watcher's area. */
static inline unsigned in_area(enum sight_rule rule, const struct entity *watcher,
                               const struct entity *marker) {
    if (rule == SIGHT_CELLS)
        return grid_cells_touch(watcher->cell.x, watcher->cell.y, marker->cell.x, marker->cell.y);
    return in_view(rule, watcher->radius, position_of(watcher), watcher->z, position_of(marker),
                   marker->z);
}

/* The layer bits that can be seen of an entity, and those that it can see: none unless it is a
 * marker, or a watcher. */
static inline uint32_t shown(const struct entity *entity) {
    return entity->layer & (0U - ((entity->mode & AOI_MARKER) / AOI_MARKER));
}

static inline uint32_t looked_for(const struct entity *entity) {
    return entity->sees & (0U - ((entity->mode & AOI_WATCHER) / AOI_WATCHER));
}

static inline unsigned sees(enum sight_rule rule, const struct entity *watcher,
                            const struct entity *marker) {
    return (unsigned)((looked_for(watcher) & shown(marker)) != 0) & in_area(rule, watcher, marker);
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

/* What a pair of entities is before and after the change, in both directions. */
enum {
    SAW = 1 << 0, /* the changed entity saw the other */
    WILL_SEE = 1 << 1,
    WAS_SEEN = 1 << 2, /* by the other */
    WILL_BE_SEEN = 1 << 3
};

enum { PREFETCHED = 8 };

/* Entities are read in no order that a processor could foresee. */
static inline void prefetch(const struct entity *entities, const uint32_t *slots, size_t at,
                            size_t count) {
    if (at + PREFETCHED < count)
        __builtin_prefetch(&entities[slots[at + PREFETCHED]]);
}

/*
 * Goes through the hits and keeps those whose pairs change, or, with moves,
 * that see the entity before and after; writes what they are to verdicts. No
 * branches: the outcome can't be predicted. rule, directions and moves are
 * constants at each call, and the compiler makes a loop for each combination.
 */
static inline void judge_by(enum sight_rule rule, unsigned directions, bool moves,
                            const struct change *change, unsigned radius_class) {
    struct aoi_space *space = change->space;
    const struct entity before = *change->before, after = *change->after;
    const struct entity *entities = space->entities;
    const uint32_t self = change->slot;
    uint32_t *slots = space->hits.slots;
    uint8_t *verdicts = space->verdicts;
    size_t kept = 0;
    for (size_t i = 0; i < space->hits.count; i++) {
        prefetch(entities, slots, i, space->hits.count);
        const uint32_t slot = slots[i];
        const struct entity *other = &entities[slot];
        unsigned saw = 0, will_see = 0, was_seen = 0, will_be_seen = 0;
        if (directions & AS_WATCHER) {
            saw = sees(rule, &before, other);
            will_see = sees(rule, &after, other);
        }
        if (directions & AS_MARKER) {
            unsigned counts = other->radius_class == radius_class;
            was_seen = counts & sees(rule, other, &before);
            will_be_seen = counts & sees(rule, other, &after);
        }
        unsigned matters = (saw ^ will_see) | (was_seen ^ will_be_seen);
        if (moves)
            matters |= was_seen & will_be_seen;
        slots[kept] = slot;
        verdicts[kept] = (uint8_t)(saw * SAW | will_see * WILL_SEE | was_seen * WAS_SEEN |
                                   will_be_seen * WILL_BE_SEEN);
        kept += matters & (unsigned)(slot != self);
    }
    space->hits.count = kept;
}

static inline void judge_rule(enum sight_rule rule, unsigned directions,
                              const struct change *change, bool moves, unsigned radius_class) {
    const unsigned both = AS_WATCHER | AS_MARKER;
    if (directions == both && moves)
        judge_by(rule, both, true, change, radius_class);
    else if (directions == both)
        judge_by(rule, both, false, change, radius_class);
    else if (directions == AS_WATCHER)
        judge_by(rule, AS_WATCHER, false, change, radius_class);
    else if (moves)
        judge_by(rule, AS_MARKER, true, change, radius_class);
    else
        judge_by(rule, AS_MARKER, false, change, radius_class);
}

/* Writes the id in any case and counts it only when it belongs: no branch. */
static inline void note(struct id_list *list, aoi_id id, bool belongs) {
    list->ids[list->count] = id;
    list->count += belongs;
}

/* Sorts the judged hits into the lists. */
static void sort_verdicts(struct aoi_space *space) {
    for (size_t i = 0; i < space->hits.count; i++) {
        unsigned verdict = space->verdicts[i], own = verdict & (SAW | WILL_SEE);
        unsigned others = verdict & (WAS_SEEN | WILL_BE_SEEN);
        aoi_id id = space->entities[space->hits.slots[i]].id;
        note(&space->changes[LEFT_MARKERS], id, own == SAW);
        note(&space->changes[ENTERED_MARKERS], id, own == WILL_SEE);
        note(&space->changes[LEFT_WATCHERS], id, others == WAS_SEEN);
        note(&space->changes[ENTERED_WATCHERS], id, others == WILL_BE_SEEN);
        note(&space->changes[MOVED_WATCHERS], id, others == (WAS_SEEN | WILL_BE_SEEN));
    }
}

/* The entities that are near enough to see the entity before and after its move, whatever the
 * exact numbers: only modes and layers are left to decide. */
static bool note_inside(const struct change *change, unsigned radius_class) {
    struct aoi_space *space = change->space;
    const struct hits *inside = &space->inside;
    struct id_list *moved = &space->changes[MOVED_WATCHERS];
    if (!id_list_reserve(moved, &space->memory, inside->count + 1))
        return false;
    const struct entity *entities = space->entities;
    const uint32_t bits = shown(change->after);
    aoi_id *ids = moved->ids;
    size_t count = moved->count;
    for (size_t i = 0; i < inside->count; i++) {
        prefetch(entities, inside->slots, i, inside->count);
        const uint32_t slot = inside->slots[i];
        const struct entity *other = &entities[slot];
        ids[count] = other->id;
        count += (size_t)((looked_for(other) & bits) != 0) &
                 (size_t)(other->radius_class == radius_class) & (size_t)(slot != change->slot);
    }
    moved->count = count;
    return true;
}

/* Nobody listens for these kinds; or, when the entity did not move, there are none. */
static void drop_unwanted(const struct change *change) {
    struct id_list *lists = change->space->changes;
    if (!(change->ops & AOI_LEAVE))
        lists[LEFT_MARKERS].count = lists[LEFT_WATCHERS].count = 0;
    if (!(change->ops & AOI_ENTER))
        lists[ENTERED_MARKERS].count = lists[ENTERED_WATCHERS].count = 0;
    if (!change->moved || !(change->ops & AOI_MOVE))
        lists[MOVED_WATCHERS].count = 0;
}

static bool reserve_verdicts(struct aoi_space *space, size_t count) {
    if (count <= space->verdict_capacity)
        return true;
    size_t capacity = memory_next_capacity(space->verdict_capacity, count);
    uint8_t *verdicts = capacity == 0 ? NULL
                                      : memory_resize(&space->memory, space->verdicts,
                                                      space->verdict_capacity, capacity, 1);
    if (verdicts == NULL)
        return false;
    space->verdicts = verdicts;
    space->verdict_capacity = capacity;
    return true;
}

/* True when those who see the entity before and after are to hear of its move. */
static bool tells_moves(const struct change *change, unsigned directions) {
    return change->moved && (change->ops & AOI_MOVE) != 0 && (directions & AS_MARKER) != 0;
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

static bool judge(const struct change *change, unsigned directions, unsigned radius_class) {
    struct aoi_space *space = change->space;
    if (change->still_only) {
        drop_changed(space->entities, &space->hits);
        drop_changed(space->entities, &space->inside);
    }
    bool moves = tells_moves(change, directions);
    if (space->hits.count == 0)
        return space->inside.count == 0 || note_inside(change, radius_class);
    if (!reserve_verdicts(space, space->hits.count))
        return false;
    switch (space->rule) {
    case SIGHT_CELLS: judge_rule(SIGHT_CELLS, directions, change, moves, radius_class); break;
    case SIGHT_SQUARE: judge_rule(SIGHT_SQUARE, directions, change, moves, radius_class); break;
    case SIGHT_CIRCLE: judge_rule(SIGHT_CIRCLE, directions, change, moves, radius_class); break;
    case SIGHT_CUBE: judge_rule(SIGHT_CUBE, directions, change, moves, radius_class); break;
    case SIGHT_BALL: judge_rule(SIGHT_BALL, directions, change, moves, radius_class); break;
    }
    for (int i = 0; i < CHANGE_LISTS; i++) {
        /* One more than can belong: note() writes before it knows. */
        if (!id_list_reserve(&space->changes[i], &space->memory, space->hits.count + 1))
            return false;
    }
    sort_verdicts(space);
    drop_unwanted(change);
    return space->inside.count == 0 || note_inside(change, radius_class);
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

/* Half the side of a square inside a circle, for radius 1; a little less than sqrt(1/2). */
static const double square_in_circle = 0.7071;

/* Only positions that certainly see, or are seen from, the entity within the radius. */
static struct box box_within(enum sight_rule rule, const struct entity *entity, double radius) {
    double slip_x = rounding_of(entity->x, radius), slip_y = rounding_of(entity->y, radius);
    if (rule == SIGHT_CIRCLE)
        radius *= square_in_circle;
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
    switch (change->space->rule) {
    case SIGHT_SQUARE: return true;
    case SIGHT_CIRCLE:
        return reach->smallest_before > smallest_round_view &&
               reach->smallest_after > smallest_round_view;
    case SIGHT_CUBE: /* who is inside on x and y may not be so on z: that can't tell of moves */
        return before->z == after->z && reach->smallest_before == reach->smallest_after &&
               !tells_moves(change, directions);
    case SIGHT_CELLS:
    case SIGHT_BALL: break;
    }
    return false;
}

static bool search_box(const struct change *change, struct spatial_index *index, struct box box) {
    struct ring ring = {.outer = box, .hollow = false};
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
    ring->outer = box_union(old_box, new_box);
    ring->inner = box_intersection(box_within(rule, before, reach->smallest_before),
                                   box_within(rule, after, reach->smallest_after));
    return true;
}

/* The same ring for the usual change, a step shorter than one view radius for all: with half the
 * arithmetic. False when it is another. */
static bool ring_of_step(const struct change *change, const struct reach *reach,
                         struct ring *ring) {
    const struct entity *before = change->before, *after = change->after;
    double radius = reach->largest_before;
    double x1 = lesser(before->x, after->x), x2 = greater(before->x, after->x);
    double y1 = lesser(before->y, after->y), y2 = greater(before->y, after->y);
    bool same = reach->largest_after == radius && reach->smallest_before == radius &&
                reach->smallest_after == radius;
    if (!same || !(x2 - x1 < radius) || !(y2 - y1 < radius) || !isfinite(radius))
        return false;
    double slip_x = rounding_of(greater(fabs(x1), fabs(x2)), radius);
    double slip_y = rounding_of(greater(fabs(y1), fabs(y2)), radius);
    double within = change->space->rule == SIGHT_CIRCLE ? radius * square_in_circle : radius;
    ring->outer = (struct box){x1 - radius - slip_x, y1 - radius - slip_y, x2 + radius + slip_x,
                               y2 + radius + slip_y};
    ring->inner = (struct box){x2 - within + slip_x, y2 - within + slip_y, x1 + within - slip_x,
                               y1 + within - slip_y};
    return true;
}

/* Finds and judges the entities of one index whose pairs with the changed one can differ. */
static bool search_index(const struct change *change, struct spatial_index *index,
                         unsigned directions, unsigned radius_class, struct reach reach) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    struct ring ring;
    bool found;
    space->hits.count = space->inside.count = 0;
    if (!is_present(before)) {
        found = search_box(change, index, box_around(after, reach.largest_after));
    } else if (!is_present(after)) {
        found = search_box(change, index, box_around(before, reach.largest_before));
    } else if (ring_of_step(change, &reach, &ring) || ring_of(change, &reach, &ring)) {
        ring.hollow = inside_stays(change, directions, &reach);
        bool wants_inside = ring.hollow && tells_moves(change, directions);
        found = index->engine->search(index, &ring, change->slot, &space->hits,
                                      wants_inside ? &space->inside : NULL);
    } else {
        found = search_box(change, index, box_around(before, reach.largest_before)) &&
                search_box(change, index, box_around(after, reach.largest_after));
    }
    return found && judge(change, directions, radius_class);
}

static bool search_all(const struct change *change, unsigned directions) {
    struct aoi_space *space = change->space;
    const struct entity *before = change->before, *after = change->after;
    if (space->rule == SIGHT_CELLS) {
        bool stays = is_present(before) && is_present(after) && before->mode == after->mode &&
                     before->layer == after->layer && before->sees == after->sees;
        space->hits.count = space->inside.count = 0;
        struct hits *inside = !stays                            ? &space->hits
                              : tells_moves(change, directions) ? &space->inside
                                                                : NULL;
        return grid_search_cells(space->main_index, is_present(before) ? before : NULL,
                                 is_present(after) ? after : NULL, &space->hits, inside) &&
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
    if ((directions & AS_MARKER) && space->special_watchers > 0) {
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

static bool find_changes(const struct change *change) {
    clear_changes(change->space);
    uint32_t modes = change->before->mode | change->after->mode;
    unsigned directions = 0;
    if ((modes & AOI_WATCHER) && (change->ops & (AOI_ENTER | AOI_LEAVE)))
        directions |= AS_WATCHER;
    if (modes & AOI_MARKER)
        directions |= AS_MARKER;
    return change->ops == 0 || directions == 0 || search_all(change, directions);
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
