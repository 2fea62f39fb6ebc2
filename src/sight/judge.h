/*
 * judge.h - the exact comparisons of a change, for each entity that the engine
 * found near it: who sees whom before, and who after.
 */
#ifndef AOI_JUDGE_H
#define AOI_JUDGE_H

#include "base/always_inline.h"
#include "index/grid.h"
#include "space/space.h"

/* Directions of the pairs that a search is about. */
enum { AS_WATCHER = 1, AS_MARKER = 2 };

/* True when its radius is not the usual one: as a watcher it stands in the index of a class. */
static inline bool is_unusual(const struct entity *entity) {
    return entity->radius_class != USUAL_RADIUS;
}

/* What decides of an entity who sees it and whom it sees: a copy is held in registers where many
 * pairs with one entity are judged. */
struct stance {
    xy at;
    double z, radius;
    uint32_t cell_x, cell_y;
    uint32_t shown;      /* the layer bits that can be seen: none unless it is a marker */
    uint32_t looked_for; /* those that it can see: none unless it is a watcher */
};

ALWAYS_INLINE struct stance stance_of(enum sight_rule rule, const struct entity *entity) {
    struct stance stance = {.shown = entity_shown(entity), .looked_for = entity_looked_for(entity)};
    if (rule == SIGHT_CELLS) {
        stance.cell_x = entity->cell.x;
        stance.cell_y = entity->cell.y;
    } else {
        stance.at = (xy){entity->x, entity->y};
        stance.z = entity->z;
        stance.radius = entity->radius;
    }
    return stance;
}

/* What the pairs of the changed entity are judged by. */
struct judgement {
    struct stance before, after;
    uint32_t slot; /* of the changed entity; NO_SLOT when it enters */
    unsigned directions;
    bool moves; /* those who see it before and after are to hear of its move */
    bool alike; /* the change is one of place and radius only */
};

/* For an entity that only moves; its directions and whether it tells moves are still to be set. */
ALWAYS_INLINE struct judgement judgement_of_step(enum sight_rule rule, const struct entity *entity,
                                                 uint32_t slot, xy to) {
    struct judgement judgement = {.slot = slot, .alike = true};
    judgement.before = judgement.after = stance_of(rule, entity);
    judgement.after.at = to;
    return judgement;
}

static inline void begin_search(struct aoi_space *space) {
    space->hits.count = space->inside.count = 0;
}

static inline void clear_changes(struct aoi_space *space) {
    for (int i = 0; i < CHANGE_LISTS; i++)
        space->changes[i].count = 0;
}

/* Room in every list for as many ids as there are hits, and one more: note() writes before it
 * knows. False: no memory. */
static inline bool reserve_lists(struct aoi_space *space) {
    bool reserved = true;
    for (int i = 0; i < CHANGE_LISTS && reserved; i++)
        reserved = id_list_reserve(&space->changes[i], &space->memory, space->hits.count + 1);
    return reserved;
}

/* 1 when marker lies in watcher's area. */
ALWAYS_INLINE unsigned in_area(enum sight_rule rule, const struct stance *watcher,
                               const struct stance *marker) {
    if (rule == SIGHT_CELLS)
        return grid_cells_touch(watcher->cell_x, watcher->cell_y, marker->cell_x, marker->cell_y);
    return in_view(rule, watcher->radius, watcher->at, watcher->z, marker->at, marker->z);
}

ALWAYS_INLINE unsigned sees(enum sight_rule rule, const struct stance *watcher,
                            const struct stance *marker) {
    return (unsigned)((watcher->looked_for & marker->shown) != 0) & in_area(rule, watcher, marker);
}

/* The same for two pairs, IN_FIRST and IN_SECOND. */
ALWAYS_INLINE unsigned in_two_areas(enum sight_rule rule, const struct stance *watcher1,
                                    const struct stance *marker1, const struct stance *watcher2,
                                    const struct stance *marker2) {
    if (rule == SIGHT_SQUARE || rule == SIGHT_CIRCLE)
        return in_two_views(rule, watcher1->radius, watcher1->at, marker1->at, watcher2->radius,
                            watcher2->at, marker2->at);
    return in_area(rule, watcher1, marker1) * IN_FIRST |
           in_area(rule, watcher2, marker2) * IN_SECOND;
}

enum { PREFETCHED = 8 };

/* Entities are read in no order that a processor could foresee: first the first few, then each
 * in time. */
static inline void prefetch_first(const struct entity *entities, const uint32_t *slots,
                                  size_t count) {
    for (size_t i = 0; i < count && i < PREFETCHED; i++)
        __builtin_prefetch(&entities[slots[i]]);
}

static inline void prefetch(const struct entity *entities, const uint32_t *slots, size_t at,
                            size_t count) {
    if (at + PREFETCHED < count)
        __builtin_prefetch(&entities[slots[at + PREFETCHED]]);
}

/* Writes the id in any case and goes past it only when it belongs: no branch. */
static inline aoi_id *note(aoi_id *end, aoi_id id, unsigned belongs) {
    *end = id;
    return end + belongs;
}

/* What the entity and another see of each other: IN_FIRST before the change, IN_SECOND after. */
ALWAYS_INLINE unsigned sees_two(enum sight_rule rule, bool alike, const struct stance *watcher1,
                                const struct stance *marker1, const struct stance *watcher2,
                                const struct stance *marker2) {
    unsigned areas = in_two_areas(rule, watcher1, marker1, watcher2, marker2);
    unsigned first = (watcher1->looked_for & marker1->shown) != 0;
    unsigned second = alike ? first : (watcher2->looked_for & marker2->shown) != 0;
    return areas & (first * IN_FIRST | second * IN_SECOND);
}

/*
 * Goes through the hits and notes those whose pairs change, or, with moves,
 * that see the entity before and after, in the lists that they belong to;
 * there is room. No branches: the outcome can't be predicted. The usual values
 * of rule, directions, moves and alike are constants at the call, and the
 * compiler makes a loop for each combination (left to itself, gcc makes one
 * slow loop for all).
 */
ALWAYS_INLINE void judge_by(enum sight_rule rule, unsigned directions, bool moves, bool alike,
                            struct aoi_space *space, const struct judgement *judgement,
                            bool unusual) {
    const struct stance before = judgement->before, after = judgement->after;
    const struct entity *entities = space->entities;
    const uint32_t self = judgement->slot, *slots = space->hits.slots;
    const size_t count = space->hits.count;
    struct id_list *lists = space->changes;
    aoi_id *left_markers = id_list_end(&lists[LEFT_MARKERS]);
    aoi_id *left_watchers = id_list_end(&lists[LEFT_WATCHERS]);
    aoi_id *entered_markers = id_list_end(&lists[ENTERED_MARKERS]);
    aoi_id *entered_watchers = id_list_end(&lists[ENTERED_WATCHERS]);
    aoi_id *moved_watchers = id_list_end(&lists[MOVED_WATCHERS]);
    prefetch_first(entities, slots, count);
    for (size_t i = 0; i < count; i++) {
        prefetch(entities, slots, i, count);
        const uint32_t slot = slots[i];
        const struct entity *entity = &entities[slot];
        const struct stance other = stance_of(rule, entity);
        const aoi_id id = entity->id;
        const unsigned counts = slot != self;
        if (directions & AS_WATCHER) {
            unsigned seen = sees_two(rule, alike, &before, &other, &after, &other) & (0U - counts);
            unsigned saw = seen & IN_FIRST, will_see = seen / IN_SECOND;
            left_markers = note(left_markers, id, saw & ~will_see);
            entered_markers = note(entered_markers, id, will_see & ~saw);
        }
        if (directions & AS_MARKER) {
            unsigned seen = sees_two(rule, alike, &other, &before, &other, &after) &
                            (0U - (counts & (unsigned)(is_unusual(entity) == unusual)));
            unsigned was_seen = seen & IN_FIRST, will_be_seen = seen / IN_SECOND;
            left_watchers = note(left_watchers, id, was_seen & ~will_be_seen);
            entered_watchers = note(entered_watchers, id, will_be_seen & ~was_seen);
            if (moves)
                moved_watchers = note(moved_watchers, id, was_seen & will_be_seen);
        }
    }
    lists[LEFT_MARKERS].count = (size_t)(left_markers - lists[LEFT_MARKERS].ids);
    lists[LEFT_WATCHERS].count = (size_t)(left_watchers - lists[LEFT_WATCHERS].ids);
    lists[ENTERED_MARKERS].count = (size_t)(entered_markers - lists[ENTERED_MARKERS].ids);
    lists[ENTERED_WATCHERS].count = (size_t)(entered_watchers - lists[ENTERED_WATCHERS].ids);
    lists[MOVED_WATCHERS].count = (size_t)(moved_watchers - lists[MOVED_WATCHERS].ids);
}

/* The entities that are near enough to see the entity before and after its move, whatever the
 * exact numbers: only modes and layers are left to decide. */
static inline bool note_inside(struct aoi_space *space, const struct judgement *judgement,
                               bool unusual) {
    const struct hits *inside = &space->inside;
    struct id_list *moved = &space->changes[MOVED_WATCHERS];
    if (!id_list_reserve(moved, &space->memory, inside->count + 1))
        return false;
    const struct entity *entities = space->entities;
    const uint32_t bits = judgement->after.shown;
    aoi_id *ids = moved->ids;
    size_t count = moved->count;
    for (size_t i = 0; i < inside->count; i++) {
        prefetch(entities, inside->slots, i, inside->count);
        const uint32_t slot = inside->slots[i];
        const struct entity *other = &entities[slot];
        ids[count] = other->id;
        count += (size_t)((entity_looked_for(other) & bits) != 0) &
                 (size_t)(is_unusual(other) == unusual) & (size_t)(slot != judgement->slot);
    }
    moved->count = count;
    return true;
}

#endif
