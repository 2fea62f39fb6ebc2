/*
 * judge.h - the exact comparisons of a change, for each entity that the engine
 * found near it: who sees whom before, and who after.
 */
#ifndef AOI_JUDGE_H
#define AOI_JUDGE_H

#include "sight/sight_pairs.h"
#include "sight/search.h"

/* True when its radius is not the usual one: as a watcher it stands in the index of a class. */
static inline bool is_unusual(const struct entity *entity) {
    return entity->radius_class != USUAL_RADIUS;
}

/* The terms by which the pairs of the changed entity are judged. */
struct judgement {
    struct stance before, after;
    uint32_t slot; /* of the changed entity; NO_SLOT when it enters */
    unsigned directions;
    bool moves; /* those who see it before and after are to be told of its move */
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

static inline void clear_changes(struct visibility *visibility) {
    for (int i = 0; i < CHANGE_LISTS; i++)
        visibility->changes[i].count = 0;
}

/* Room in every list for as many ids as there are hits, and one more: note() writes before it
 * knows. */
static inline bool reserve_lists(struct visibility *visibility) {
    const size_t room = visibility->hits.count + 1;
    bool reserved = true;
    for (int i = 0; i < CHANGE_LISTS && reserved; i++)
        reserved = id_list_reserve(&visibility->changes[i], visibility->memory, room);
    return reserved;
}

enum { PREFETCHED = 8 };

ALWAYS_INLINE void prefetch(const struct entity *entities, const uint32_t *slots, size_t at,
                            size_t count) {
    if (at + PREFETCHED < count)
        __builtin_prefetch(&entities[slots[at + PREFETCHED]]);
}

/* Writes the id in any case and goes past it only when it belongs: no branch. */
static inline aoi_id *note(aoi_id *end, aoi_id id, unsigned belongs) {
    *end = id;
    return end + belongs;
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
                            struct visibility *visibility, const struct judgement *judgement,
                            bool unusual) {
    const struct stance before = judgement->before, after = judgement->after;
    const struct entity *entities = visibility->entities->at;
    const uint32_t self = judgement->slot, *slots = visibility->hits.slots;
    const size_t count = visibility->hits.count;
    struct id_list *lists = visibility->changes;
    aoi_id *left_markers = id_list_end(&lists[LEFT_MARKERS]);
    aoi_id *left_watchers = id_list_end(&lists[LEFT_WATCHERS]);
    aoi_id *entered_markers = id_list_end(&lists[ENTERED_MARKERS]);
    aoi_id *entered_watchers = id_list_end(&lists[ENTERED_WATCHERS]);
    aoi_id *moved_watchers = id_list_end(&lists[MOVED_WATCHERS]);
    /* Entities are read in no order that a processor could foresee: first the first few, then each
     * in time. */
    for (size_t i = 0; i < count && i < PREFETCHED; i++)
        __builtin_prefetch(&entities[slots[i]]);
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
static inline bool note_inside(struct visibility *visibility, const struct judgement *judgement,
                               bool unusual) {
    const struct hits *inside = &visibility->inside;
    struct id_list *moved = &visibility->changes[MOVED_WATCHERS];
    if (!id_list_reserve(moved, visibility->memory, inside->count + 1))
        return false;
    const struct entity *entities = visibility->entities->at;
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
