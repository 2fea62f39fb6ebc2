/*
 * tick_exceptions.c - the pairs of a tick that the watcher's radius and layers alone do not decide:
 * see sight/exceptions.h.
 */
#include <stdlib.h>

#include "sight/exceptions.h"
#include "tick/stages.h"

/* An entity at the last tick and now; tick_absent where it was not, or is not, inside. */
struct then_and_now {
    const struct entity *then, *now;
    bool changed, moved;
};

static struct then_and_now find_both(const struct tick *tick, aoi_id id) {
    const struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    const uint32_t slot = space_find(space, id);
    struct then_and_now both = {.then = &tick_absent, .now = entity_now(tick, slot)};
    uint32_t state = NO_SLOT;
    if (slot == NO_SLOT)
        state = old_states_find_gone(old, id);
    else if (space->entities.at[slot].changed)
        state = old->of_slot.items[slot];
    else
        both.then = both.now;
    both.changed = state != NO_SLOT;
    if (both.changed) {
        both.then = &old->states[state];
        both.moved = slot != NO_SLOT && both.then->mode != 0 && (tick->ops & AOI_MOVE) &&
                     space_has_moved(space, slot, state);
    }
    return both;
}

static bool sees_by(const struct tick *tick, const struct entity *watcher,
                    const struct entity *marker, double radius) {
    return exceptions_in_view(rule_of(tick), watcher, marker, radius);
}

/* ------------------------------------------------------------------ */
/* Visible radii                                                       */
/* ------------------------------------------------------------------ */

/* Pairs that were told to leave, and are seen by the visible radius now; or told to enter, and were
 * seen by it then: they are seen all the time. */
static bool keep_seen(struct tick *tick, enum outcome outcome, enum pair_subject by) {
    const struct beacons *beacons = &tick->space->visibility.beacons;
    struct pairs *pairs = &tick->scratch->pairs[outcome][by];
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair pair = pairs->items[i];
        const double visible = outcome == LEAVES ? beacons_radius(beacons, pair.marker)
                                                 : beacons_radius_then(beacons, pair.marker);
        bool is_seen = false;
        if (visible > 0) {
            const struct then_and_now watcher = find_both(tick, pair.watcher);
            const struct then_and_now marker = find_both(tick, pair.marker);
            is_seen = outcome == LEAVES ? sees_by(tick, watcher.now, marker.now, visible)
                                        : sees_by(tick, watcher.then, marker.then, visible);
            if (is_seen && marker.moved) {
                if (!tick_reserve_pairs(tick, 1))
                    return false;
                tick_note(tick, MOVES, true, by, pair.watcher, pair.marker);
            }
        }
        pairs->items[kept] = pair;
        kept += !is_seen;
    }
    pairs->count = kept;
    return true;
}

/* A beacon, at the last tick or now. */
struct seen_from_afar {
    aoi_id id;
    struct then_and_now both;
    double radius_then, radius_now;
};

/* Finds the participants of a partition around a beacon and judges them, as its watchers only. */
static bool look_from(struct tick *tick, const struct seen_from_afar *beacon,
                      enum partition_kind partition, enum partition_kind as, xy place,
                      double outer) {
    struct found *found = &tick->scratch->found;
    const struct point_rows *points = &tick->scratch->partitions[partition];
    found->count = point_rows_around(points, place[0], place[1], outer, -1, found->seconds);
    if (!tick_reserve_pairs(tick, found->count + 1))
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const struct participant *watcher = tick_participant_at(tick, partition, found->seconds[i]);
        const struct entity *then = participant_before(tick, watcher);
        const struct entity *now = participant_now(tick, watcher);
        if (watcher->id == beacon->id || sees_by(tick, then, beacon->both.then, then->radius) ||
            sees_by(tick, now, beacon->both.now, now->radius))
            continue;
        const unsigned sight =
            (sees_by(tick, then, beacon->both.then, beacon->radius_then) ? SAW : 0) |
            (sees_by(tick, now, beacon->both.now, beacon->radius_now) ? SEES : 0);
        tick_note(tick, tick->outcomes[as][sight], beacon->both.moved, SUBJECT_MARKER, watcher->id,
                  beacon->id);
    }
    return true;
}

/* All that see a beacon now, or saw it. */
static bool look_for_watchers(struct tick *tick, const struct seen_from_afar *beacon,
                              enum partition_kind kind) {
    const struct entity *entity = kind == ARRIVALS ? beacon->both.now : beacon->both.then;
    const double radius = kind == ARRIVALS ? beacon->radius_now : beacon->radius_then;
    const xy place = place_of(tick, entity);
    if (radius == 0 || !(entity->mode & AOI_MARKER))
        return true;
    return look_from(tick, beacon, kind, kind, place, radius) &&
           look_from(tick, beacon, STEPS, kind, place, reach_of_steps(tick, radius, 0));
}

/* Where few have changed, only those take part; what still ones see of others is known already. */
static bool visit_beacon(struct tick *tick, aoi_id id) {
    const struct beacons *beacons = &tick->space->visibility.beacons;
    const struct seen_from_afar beacon = {.id = id,
                                          .both = find_both(tick, id),
                                          .radius_then = beacons_radius_then(beacons, id),
                                          .radius_now = beacons_radius(beacons, id)};
    return (!tick->everybody && !beacon.both.changed) ||
           (look_for_watchers(tick, &beacon, ARRIVALS) &&
            look_for_watchers(tick, &beacon, DEPARTURES));
}

static bool judge_beacons(struct tick *tick) {
    const struct beacons *beacons = &tick->space->visibility.beacons;
    for (int by = 0; by < 2; by++) {
        if (!keep_seen(tick, LEAVES, (enum pair_subject)by) ||
            !keep_seen(tick, ENTERS, (enum pair_subject)by))
            return false;
    }
    for (uint32_t slot = 0; slot < beacons->all.used; slot++) {
        if (beacons->all.at[slot].mode != 0 && !visit_beacon(tick, beacons->all.at[slot].id))
            return false;
    }
    for (size_t i = 0; i < beacons->former.count; i++) {
        const struct entity *former = &beacons->former.items[i];
        if (former->radius > 0 && beacons_find(beacons, former->id) == NULL &&
            !visit_beacon(tick, former->id))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Words about pairs                                                   */
/* ------------------------------------------------------------------ */

/* The pairs about which there is a word, or was, and whose events follow from it. */
struct apart {
    struct pairs not_by_radii; /* these were told by radii and layers */
    struct pairs told[OUTCOMES];
};

static unsigned outcome_of(const struct tick *tick, bool saw, bool sees, bool moved) {
    return outcome_if(tick->outcomes[STEPS][(saw ? SAW : 0) | (sees ? SEES : 0)], moved);
}

static bool add_apart(struct tick *tick, struct apart *apart, aoi_id watcher_id, aoi_id marker_id) {
    const struct visibility *visibility = &tick->space->visibility;
    struct memory *memory = &tick->space->memory.tick;
    const struct then_and_now watcher = find_both(tick, watcher_id);
    const struct then_and_now marker = find_both(tick, marker_id);
    const double then = beacons_radius_then(&visibility->beacons, marker_id);
    const double now = beacons_radius(&visibility->beacons, marker_id);
    const enum sight_rule rule = rule_of(tick);
    const bool by_radii_then = exceptions_by_radii(rule, watcher.then, marker.then, then);
    const bool by_radii_now = exceptions_by_radii(rule, watcher.now, marker.now, now);
    const bool saw = visibility_saw(visibility, watcher.then, marker.then);
    const bool sees = visibility_sees(visibility, watcher.now, marker.now);
    const struct pair pair = {watcher_id, marker_id};
    const unsigned outcome = outcome_of(tick, saw, sees, marker.moved);
    return (outcome_of(tick, by_radii_then, by_radii_now, marker.moved) == NOTHING ||
            array_add(&apart->not_by_radii, memory, pair)) &&
           (outcome == NOTHING || array_add(&apart->told[outcome], memory, pair));
}

/* The words of one that has changed, and those about it; each pair once. */
static bool add_words_of(struct tick *tick, struct apart *apart, aoi_id id) {
    const struct aoi_space *space = tick->space;
    const struct sights *sights = &space->visibility.sights;
    const uint32_t slot = space_find(space, id);
    uint32_t at = slot == NO_SLOT ? NO_SIGHT : sights_of_watcher(sights, slot);
    for (; at != NO_SIGHT; at = sights_next_of_watcher(sights, at)) {
        if (!add_apart(tick, apart, id, sights->items[at].marker))
            return false;
    }
    for (at = sights_of_marker(sights, id); at != NO_SIGHT;
         at = sights_next_of_marker(sights, at)) {
        const struct entity *watcher = &space->entities.at[sight_watcher(sights, at)];
        if (!watcher->changed && !add_apart(tick, apart, watcher->id, id))
            return false;
    }
    return true;
}

static bool add_former_words(struct tick *tick, struct apart *apart) {
    const struct sights *sights = &tick->space->visibility.sights;
    for (size_t i = 0; i < sights->former.count; i++) {
        const struct former_sight *former = &sights->former.items[i];
        const uint32_t slot = space_find(tick->space, former->watcher);
        const bool has_one =
            slot != NO_SLOT && sights_find(sights, slot, former->marker) != AOI_SIGHT_BY_RULE;
        if (!has_one && !add_apart(tick, apart, former->watcher, former->marker))
            return false;
    }
    return true;
}

static int compare_pairs(const void *a, const void *b) {
    const struct pair *first = a, *second = b;
    if (first->watcher != second->watcher)
        return first->watcher < second->watcher ? -1 : 1;
    return (first->marker > second->marker) - (first->marker < second->marker);
}

static void take_out_apart(struct pairs *pairs, const struct apart *apart) {
    const struct pairs *out = &apart->not_by_radii;
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair pair = pairs->items[i];
        pairs->items[kept] = pair;
        kept += bsearch(&pair, out->items, out->count, sizeof pair, compare_pairs) == NULL;
    }
    pairs->count = kept;
}

/* By watcher, and of one watcher by marker. False: no memory. */
static bool sort_apart(struct pairs *pairs, struct memory *memory) {
    struct pairs spare = {NULL, 0, 0};
    const bool reserved = array_reserve(&spare, memory, pairs_spare(pairs->count));
    if (reserved) {
        pairs_sort(pairs, &spare, SUBJECT_MARKER);
        pairs_sort(pairs, &spare, SUBJECT_WATCHER);
    }
    array_free(&spare, memory);
    return reserved;
}

static bool replace_apart(struct tick *tick, struct apart *apart) {
    struct pairs *out = &apart->not_by_radii;
    if (out->count > 0 && !sort_apart(out, &tick->space->memory.tick))
        return false;
    for (int outcome = LEAVES; outcome < OUTCOMES; outcome++) {
        for (int by = 0; by < 2 && out->count > 0; by++)
            take_out_apart(&tick->scratch->pairs[outcome][by], apart);
        const struct pairs *told = &apart->told[outcome];
        for (size_t i = 0; i < told->count; i++) {
            if (!tick_reserve_pairs(tick, 1))
                return false;
            tick_note(tick, (unsigned)outcome, true, SUBJECT_WATCHER, told->items[i].watcher,
                      told->items[i].marker);
        }
    }
    return true;
}

static bool judge_words(struct tick *tick) {
    const struct old_states *old = &tick->space->old_states;
    struct memory *memory = &tick->space->memory.tick;
    struct apart apart = {.not_by_radii = {NULL, 0, 0}};
    bool done = add_former_words(tick, &apart);
    for (size_t state = 0; state < old->count && done; state++)
        done = add_words_of(tick, &apart, old->states[state].id);
    done = done && replace_apart(tick, &apart);
    array_free(&apart.not_by_radii, memory);
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        array_free(&apart.told[outcome], memory);
    return done;
}

bool tick_judge_exceptions(struct tick *tick) {
    const struct visibility *visibility = &tick->space->visibility;
    return (!beacons_any(&visibility->beacons) || judge_beacons(tick)) &&
           (!sights_any(&visibility->sights) || judge_words(tick));
}
