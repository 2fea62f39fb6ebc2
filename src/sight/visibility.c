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

#include "base/self_check.h"
#include "sight/exceptions.h"
#include "sight/judge.h"
#include "sight/search.h"
#include "sight/step_ring.h"

/* Neither watches nor can be seen: stands for an entity that is not in the space. */
static const struct entity nobody = {.mode = 0};

bool visibility_sees(const struct visibility *visibility, const struct entity *watcher,
                     const struct entity *marker) {
    if (visibility->exceptions == 0)
        return exceptions_by_radii(visibility->rule, watcher, marker, 0);
    const struct sights *sights = &visibility->sights;
    const aoi_sight word =
        sights->count == 0
            ? AOI_SIGHT_BY_RULE
            : sights_find(sights, entities_find(visibility->entities, watcher->id), marker->id);
    return exceptions_see(visibility->rule, watcher, marker,
                          beacons_radius(&visibility->beacons, marker->id), word);
}

bool visibility_saw(const struct visibility *visibility, const struct entity *watcher,
                    const struct entity *marker) {
    const uint32_t slot = entities_find(visibility->entities, watcher->id);
    return exceptions_see(visibility->rule, watcher, marker,
                          beacons_radius_then(&visibility->beacons, marker->id),
                          sights_find_then(&visibility->sights, watcher->id, slot, marker->id));
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
static bool judge_change(const struct entity_change *change, unsigned directions, bool unusual) {
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
static bool search_main(const struct entity_change *change, unsigned directions,
                        struct reach reach) {
    begin_search(change->visibility);
    return search_index(change, change->visibility->indexes->main, directions, reach) &&
           judge_change(change, directions, false);
}

/* Finds and judges the pairs with the watchers of all radius classes. */
static bool search_classes(const struct entity_change *change) {
    struct visibility *visibility = change->visibility;
    begin_search(visibility);
    size_t left = visibility->indexes->unusual_watchers;
    for (const struct radius_class *at = visibility->indexes->classes; left > 0; at++) {
        if (at->index == NULL || at->index->count == 0)
            continue;
        left -= at->index->count;
        const struct reach reach = {at->largest, at->largest, at->smallest, at->smallest};
        if (!search_index(change, at->index, AS_MARKER, reach))
            return false;
    }
    return judge_change(change, AS_MARKER, true);
}

/* In a classic nine-grid: the cells that touch the old or the new one, and not both. */
static bool search_cells(const struct entity_change *change, unsigned directions) {
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

static bool search_all(const struct entity_change *change, unsigned directions) {
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

/* Fills the lists of the change. */
ALWAYS_INLINE bool find_changes(const struct entity_change *change, bool sights) {
    clear_changes(change->visibility);
    unsigned directions = directions_of(change->before->mode | change->after->mode, change->ops);
    if (directions == 0)
        return true;
    const bool exceptions = change->visibility->exceptions > 0 || change->visible_after > 0;
    const unsigned by_own = visible_radius_decides(change) ? directions & AS_WATCHER : directions;
    if (!search_all(change, by_own) ||
        (exceptions && !exceptions_apply(change, directions, sights)))
        return false;
    drop_unwanted(change->visibility, change->ops);
    return true;
}

bool visibility_changes(struct visibility *visibility, uint32_t slot, const struct entity *after,
                        double visible, bool moved, uint32_t ops) {
    const struct entity *before = slot == NO_SLOT ? &nobody : &visibility->entities->at[slot];
    const struct entity_change change = {
        .visibility = visibility,
        .slot = slot,
        .before = before,
        .after = after == NULL ? &nobody : after,
        .visible_before = slot == NO_SLOT ? 0 : beacons_radius(&visibility->beacons, before->id),
        .visible_after = visible,
        .moved = moved,
        .ops = ops,
    };
    return find_changes(&change, true);
}

/* The entity at another place. */
static struct entity moved_to(const struct entity *entity, xy place) {
    struct entity moved = *entity;
    moved.x = place[0];
    moved.y = place[1];
    return moved;
}

/* Judges a step for the watchers of unusual radii. */
static bool step_in_classes(struct judgement *judgement, const struct entity_change *change) {
    struct visibility *visibility = change->visibility;
    judgement->directions = AS_MARKER;
    if (search_classes_for_step(visibility, visibility->indexes, judgement->before.at,
                                judgement->after.at, judgement->moves))
        return judge(visibility, judgement, true);
    return search_classes(change);
}

/* True when any of these markers is a beacon. */
NEVER_INLINE static bool has_beacon(const struct visibility *visibility,
                                    const struct id_list *markers) {
    const struct entities *entities = visibility->entities;
    for (size_t i = 0; i < markers->count; i++) {
        if (entities->at[entities_find(entities, markers->ids[i])].beacon)
            return true;
    }
    return false;
}

/* True when there is a word about the entity in slot and one of these, as its markers or watchers.
 */
static bool has_word(const struct visibility *visibility, uint32_t slot, int list) {
    const struct sights *sights = &visibility->sights;
    const struct id_list *others = &visibility->changes[list];
    const aoi_id id = visibility->entities->at[slot].id;
    const bool looks = list == LEFT_MARKERS || list == ENTERED_MARKERS;
    for (size_t i = 0; i < others->count; i++) {
        const aoi_id other = others->ids[i];
        if ((looks ? sights_find(sights, slot, other)
                   : sights_find(sights, entities_find(visibility->entities, other), id)) !=
            AOI_SIGHT_BY_RULE)
            return true;
    }
    return false;
}

/* True when words may change what is told of a step. They say the same before and after: so without
 * moves they do only where radii say something of one of their pairs. */
NEVER_INLINE static bool words_matter(const struct visibility *visibility, uint32_t slot,
                                      bool moves) {
    const struct sights *sights = &visibility->sights;
    const aoi_id id = visibility->entities->at[slot].id;
    enum { FEW = 16 };
    size_t others = 0;
    for (int list = 0; list < MOVED_WATCHERS; list++)
        others += visibility->changes[list].count;
    if (!moves && others == 0)
        return false;
    const bool has_own = sights_of_watcher(sights, slot) != NO_SIGHT;
    const bool is_spoken_of = sights_of_marker(sights, id) != NO_SIGHT;
    if (moves || others > FEW)
        return has_own || is_spoken_of;
    return (has_own && (has_word(visibility, slot, LEFT_MARKERS) ||
                        has_word(visibility, slot, ENTERED_MARKERS))) ||
           (is_spoken_of && (has_word(visibility, slot, LEFT_WATCHERS) ||
                             has_word(visibility, slot, ENTERED_WATCHERS)));
}

#ifdef AOI_SELF_CHECK
/* A step that is far from all borders changes no pair by a visible radius. */
static void check_beacons_are_far(const struct visibility *visibility, uint32_t slot, xy to) {
    const struct beacons *beacons = &visibility->beacons;
    const struct entity *before = &visibility->entities->at[slot];
    const struct entity after = moved_to(before, to);
    for (uint32_t at = 0; at < beacons->all.used; at++) {
        const struct entity *beacon = &beacons->all.at[at];
        if (beacon->mode == 0 || beacon->marked_slot == slot)
            continue;
        const struct entity *marker = &visibility->entities->at[beacon->marked_slot];
        SELF_CHECK(exceptions_in_view(visibility->rule, before, marker, beacon->radius) ==
                   exceptions_in_view(visibility->rule, &after, marker, beacon->radius));
    }
}
#else
static inline void check_beacons_are_far(const struct visibility *visibility, uint32_t slot,
                                         xy to) {
    (void)visibility;
    (void)slot;
    (void)to;
}
#endif

bool visibility_is_quiet_step(const struct visibility *visibility, uint32_t slot, xy to,
                              bool moves) {
    const struct id_list *lists = visibility->changes;
    if (visibility->sights.count > 0 && words_matter(visibility, slot, moves))
        return false;
    if (visibility->beacons.all.count == 0)
        return true;
    if ((lists[LEFT_MARKERS].count > 0 && has_beacon(visibility, &lists[LEFT_MARKERS])) ||
        (lists[ENTERED_MARKERS].count > 0 && has_beacon(visibility, &lists[ENTERED_MARKERS])))
        return false;
    const struct entity *entity = &visibility->entities->at[slot];
    if (!beacons_are_far(&visibility->beacons, (xy){entity->x, entity->y}, to))
        return false;
    check_beacons_are_far(visibility, slot, to);
    return true;
}

/* All of a step that the main index does not know. */
static bool end_step(struct judgement *judgement, struct visibility *visibility,
                     unsigned directions, uint32_t ops) {
    const struct entity *before = &visibility->entities->at[judgement->slot];
    const struct entity after = moved_to(before, judgement->after.at);
    const struct entity_change change = {.visibility = visibility,
                                         .slot = judgement->slot,
                                         .before = before,
                                         .after = &after,
                                         .moved = true,
                                         .ops = ops};
    if (visibility->indexes->unusual_watchers != 0) {
        if ((directions & AS_MARKER) && !step_in_classes(judgement, &change))
            return false;
        if (visibility_is_quiet_step(visibility, judgement->slot, judgement->after.at,
                                     judgement->moves))
            return true;
    }
    return exceptions_apply(&change, directions, true);
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
        return visibility_changes(visibility, slot, &after, 0, true, ops);
    }
    const unsigned directions = directions_of(entity->mode, ops);
    struct judgement judgement = judgement_of_step(rule, entity, slot, to);
    judgement.directions = directions;
    judgement.moves = (ops & AOI_MOVE) && (directions & AS_MARKER);
    struct spatial_index *index = visibility->indexes->main;
    clear_changes(visibility);
    begin_step(visibility, from);
    if (directions == 0)
        return true;
    if (!index->engine->search(index, &ring, slot, &visibility->hits,
                               judgement.moves ? &visibility->inside : NULL) ||
        !judge(visibility, &judgement, false))
        return false;
    if (!visibility_is_over(visibility, slot, to, judgement.moves) &&
        !end_step(&judgement, visibility, directions, ops))
        return false;
    drop_unwanted(visibility, ops);
    return true;
}

bool visibility_end_step(struct visibility *visibility, uint32_t slot, xy to, uint32_t ops) {
    const struct entity *entity = &visibility->entities->at[slot];
    struct judgement judgement = judgement_of_step(visibility->rule, entity, slot, to);
    judgement.moves = (ops & AOI_MOVE) != 0;
    return end_step(&judgement, visibility, directions_of(entity->mode, ops), ops);
}

bool visibility_changes_to_still(struct visibility *visibility, uint32_t slot,
                                 const struct entity *before, const struct entity *after,
                                 bool moved, uint32_t ops, bool sights) {
    struct entity_change change = {.visibility = visibility,
                                   .slot = slot,
                                   .before = before,
                                   .after = after,
                                   .moved = moved,
                                   .ops = ops,
                                   .still_only = true};
    if (beacons_any(&visibility->beacons)) {
        change.visible_before = beacons_radius_then(&visibility->beacons, before->id);
        change.visible_after =
            is_present(after) ? beacons_radius(&visibility->beacons, after->id) : 0;
    }
    return find_changes(&change, sights);
}

bool visibility_changes_by_word(struct visibility *visibility, uint32_t slot, uint32_t marker,
                                aoi_sight word, uint32_t ops) {
    clear_changes(visibility);
    if (marker == NO_SLOT)
        return true;
    const struct entity *from = &visibility->entities->at[slot];
    const struct entity *to = &visibility->entities->at[marker];
    const double visible = beacons_radius(&visibility->beacons, to->id);
    const bool sees = visibility_sees(visibility, from, to);
    const bool will_see = exceptions_see(visibility->rule, from, to, visible, word);
    const int list = sees ? LEFT_MARKERS : ENTERED_MARKERS;
    return sees == will_see || (ops & (sees ? AOI_LEAVE : AOI_ENTER)) == 0 ||
           id_list_add(&visibility->changes[list], visibility->memory, to->id);
}

/* That the entity in slot is there, and was not. */
static struct entity_change appearance(struct visibility *visibility, uint32_t slot) {
    const struct entity *entity = &visibility->entities->at[slot];
    return (struct entity_change){
        .visibility = visibility,
        .slot = slot,
        .before = &nobody,
        .after = entity,
        .visible_after = beacons_radius(&visibility->beacons, entity->id),
        .ops = AOI_ENTER,
    };
}

const struct id_list *visibility_view(struct visibility *visibility, uint32_t slot, int list) {
    const unsigned direction = list == ENTERED_MARKERS ? AS_WATCHER : AS_MARKER;
    const struct entity_change change = appearance(visibility, slot);
    clear_changes(visibility);
    if (!search_all(&change, direction) ||
        (visibility->exceptions > 0 && !exceptions_apply(&change, direction, true)))
        return NULL;
    return &visibility->changes[list];
}

const struct id_list *visibility_view_apart(struct visibility *visibility, uint32_t slot) {
    const struct entity_change change = appearance(visibility, slot);
    clear_changes(visibility);
    return exceptions_apply(&change, AS_WATCHER, true) ? &visibility->changes[ENTERED_MARKERS]
                                                       : NULL;
}
