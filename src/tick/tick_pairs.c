/* tick_pairs.c - the pairs of a tick that can differ, and the outcome of each; see tick.c. */
#include <math.h>
#include <string.h>

#include "tick/stages.h"

/* ------------------------------------------------------------------ */
/* Judging pairs                                                       */
/* ------------------------------------------------------------------ */

/* The sight of a marker by a watcher, before and now, by its own radius and bits, or by those that
 * a usual watcher's record has. */
static unsigned sight_of(const struct tick *tick, const struct participant *watcher,
                         const struct participant *marker, bool usual) {
    const struct entity *before = participant_before(tick, watcher);
    const struct entity *now = participant_now(tick, watcher);
    struct stance watchers[] = {
        stance_before(watcher, radius_of(tick, before), before->z),
        stance_now(watcher, radius_of(tick, now), now->z),
    };
    const struct stance markers[] = {
        stance_before(marker, 0, participant_before(tick, marker)->z),
        stance_now(marker, 0, participant_now(tick, marker)->z),
    };
    if (!usual) {
        watchers[0].looked_for = entity_looked_for(before);
        watchers[1].looked_for = entity_looked_for(now);
    }
    return sight_then_and_now(rule_of(tick), watchers, markers);
}

/* As pair_judge_flat, in three dimensions. */
static void judge_high(const struct tick *tick, const struct participant *firsts,
                       const struct participant *seconds, const uint8_t by_sight[4],
                       struct found *found) {
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t first_at = found->firsts[i], second_at = found->seconds[i];
        const struct participant *first = &firsts[first_at], *second = &seconds[second_at];
        unsigned outcome = by_sight[sight_of(tick, first, second, true)];
        unsigned back = by_sight[sight_of(tick, second, first, true)];
        kept = found_keep(*found, kept, first_at, second_at, outcome | back << BACK_SHIFT);
    }
    found->count = kept;
}

/* Judges the pairs found, of which the first ones are of this kind. */
static void judge(struct tick *tick, enum partition_kind kind, const struct participant *firsts,
                  const struct participant *seconds) {
    struct found *found = &tick->scratch->found;
    if (tick->space->dims == 3)
        judge_high(tick, firsts, seconds, tick->outcomes[kind], found);
    else
        pair_judge_flat(rule_of(tick), tick->radius, firsts, seconds, tick->outcomes[kind], found);
}

/* Lists what becomes of the pairs that were judged. */
static bool list_judged(struct tick *tick, const struct participant *firsts,
                        const struct participant *seconds) {
    const struct found *found = &tick->scratch->found;
    if (found->count == 0)
        return true;
    if (!tick_reserve_pairs(tick, found->count + 1))
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const struct participant *a = &firsts[found->firsts[i]], *b = &seconds[found->seconds[i]];
        unsigned outcomes = found->outcomes[i], back = outcomes >> BACK_SHIFT;
        tick_note(tick, outcomes & (OUTCOMES - 1), b->moved, SUBJECT_WATCHER, a->id, b->id);
        tick_note(tick, back, a->moved, SUBJECT_MARKER, b->id, a->id);
    }
    return true;
}

/* Halfway points nearer than this on both axes belong to pairs that see each other before and
 * after, of which nobody is told; negative: there are none such. */
static double inside_of_steps(const struct tick *tick, double radius, double half) {
    enum sight_rule rule = rule_of(tick);
    if ((tick->ops & AOI_MOVE) || rule == SIGHT_BALL || (rule == SIGHT_CUBE && !tick->flat) ||
        !has_inside(rule, radius))
        return -1;
    return radius_inside(rule, radius) - half - tick->longest_half;
}

bool tick_walk_pairs(struct tick *tick, enum partition_kind kind,
                     bool (*take)(struct tick *tick, const struct walked *walked, void *data),
                     void *data) {
    struct tick_scratch *scratch = tick->scratch;
    const struct point_rows *points = &scratch->partitions[kind];
    struct found *found = &scratch->found;
    struct row_walk walk = {0};
    double outer = tick->radius, inner = -1;
    if (kind == STEPS) {
        outer = reach_of_steps(tick, tick->radius, tick->longest_half);
        inner = inside_of_steps(tick, tick->radius, tick->longest_half);
        if (isinf(inner))
            return true; /* all see each other all the time */
    }
    scratch->at_hand.from = scratch->at_hand.to = 0;
    while (walk.position < points->count) {
        const size_t first = walk.position;
        found->count = points->find_pairs(points, &walk, outer, inner, ENOUGH_PAIRS, found->firsts,
                                          found->seconds);
        const struct participant *participants =
            tick_bring(tick, kind, first, point_rows_near_end(points, &walk));
        judge(tick, kind, participants, participants);
        const struct walked walked = {participants, walk.position};
        if (!take(tick, &walked, data))
            return false;
    }
    return true;
}

/* Fewer pairs than so many in all are never many. */
#ifdef AOI_TINY
enum { MANY = 16 };
#else
enum { MANY = 1 << 12 };
#endif

/* Of both directions, kept or listed. */
static size_t count_listed(const struct tick *tick) {
    const struct tick_scratch *scratch = tick->scratch;
    size_t listed = 0;
    for (int list = 2 * LEAVES; list < 2 * OUTCOMES; list++)
        listed +=
            scratch->pairs[list / 2][list % 2].count + scratch->kept.counts[list / 2][list % 2];
    return listed;
}

/* The pairs of a partition, listed until they are too many. */
struct listing {
    enum partition_kind kind;
    size_t before; /* pairs that were listed already */
};

static bool list_pairs_of(struct tick *tick, const struct walked *walked, void *data) {
    const struct listing *listing = data;
    const enum partition_kind kind = listing->kind;
    if (tick->many_from > 0 && kind != DEPARTURES) {
        const size_t listed = count_listed(tick) - listing->before;
        tick->are_many[kind] = listed > MANY && listed / tick->many_from > walked->passed;
    }
    if (tick->are_many[kind])
        return false;
    return tick->keeps && kind == STEPS
               ? tick_keep_pairs(tick, walked->participants)
               : list_judged(tick, walked->participants, walked->participants);
}

/* The pairs of one partition; if they are too many, none of them is listed. */
static bool judge_partition(struct tick *tick, enum partition_kind kind) {
    struct pairs(*pairs)[2] = tick->scratch->pairs;
    struct listing listing = {kind, count_listed(tick)};
    size_t before[OUTCOMES][2];
    for (int list = 0; list < 2 * OUTCOMES; list++)
        before[list / 2][list % 2] = pairs[list / 2][list % 2].count;
    if (tick_walk_pairs(tick, kind, list_pairs_of, &listing))
        return true;
    for (int list = 0; list < 2 * OUTCOMES; list++)
        pairs[list / 2][list % 2].count = before[list / 2][list % 2];
    if (kind == STEPS)
        tick->scratch->kept = (struct kept){.first = NULL};
    return tick->are_many[kind] && (kind != ARRIVALS || tick_list_kept(tick));
}

/* Judges and lists the pairs of one with the steps at these positions. */
static bool judge_with(struct tick *tick, enum partition_kind kind, const struct participant *one,
                       const uint32_t *positions, size_t count) {
    struct tick_scratch *scratch = tick->scratch;
    struct participant *seconds = scratch->at_hand.items;
    scratch->found.count = count;
    for (size_t i = 0; i < count; i++) {
        seconds[i] = *tick_participant_at(tick, STEPS, positions[i]);
        scratch->found.firsts[i] = 0;
        scratch->found.seconds[i] = (uint32_t)i;
    }
    judge(tick, kind, one, seconds);
    return list_judged(tick, one, seconds);
}

/* Arrivals, or departures, with the steps. */
static bool judge_among_steps(struct tick *tick, enum partition_kind kind) {
    struct tick_scratch *scratch = tick->scratch;
    for (size_t at = 0; at < scratch->partitions[kind].count; at++) {
        const struct participant *one = tick_participant_at(tick, kind, at);
        const xy place = kind == ARRIVALS ? one->now : one->before;
        uint32_t *positions = scratch->found.seconds + ENOUGH_PAIRS;
        const size_t count =
            point_rows_around(&scratch->partitions[STEPS], place[0], place[1],
                              reach_of_steps(tick, tick->radius, 0), -1, positions);
        for (size_t from = 0; from < count; from += ENOUGH_PAIRS) {
            const size_t few = count - from < ENOUGH_PAIRS ? count - from : ENOUGH_PAIRS;
            if (!judge_with(tick, kind, one, positions + from, few))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Watchers of an unusual radius                                       */
/* ------------------------------------------------------------------ */

/* Finds the points of a partition around a watcher and judges them, as its markers only. */
static bool look_at(struct tick *tick, const struct participant *watcher,
                    enum partition_kind partition, enum partition_kind as, xy place, double outer,
                    double inner) {
    struct tick_scratch *scratch = tick->scratch;
    struct found *found = &scratch->found;
    found->count = point_rows_around(&scratch->partitions[partition], place[0], place[1], outer,
                                     inner, found->seconds);
    if (!tick_reserve_pairs(tick, found->count + 1))
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const struct participant *marker = tick_participant_at(tick, partition, found->seconds[i]);
        if (marker->id != watcher->id)
            tick_note(tick, tick->outcomes[as][sight_of(tick, watcher, marker, false)],
                      marker->moved, SUBJECT_WATCHER, watcher->id, marker->id);
    }
    return true;
}

/* All that a watcher sees now (arrivals), or saw (departures). */
static bool look_around(struct tick *tick, const struct participant *watcher,
                        enum partition_kind kind, bool steps) {
    const struct entity *entity =
        kind == ARRIVALS ? participant_now(tick, watcher) : participant_before(tick, watcher);
    const xy place = kind == ARRIVALS ? watcher->now : watcher->before;
    double radius = entity->radius;
    if (!(entity->mode & AOI_WATCHER))
        return true;
    return look_at(tick, watcher, kind, kind, place, radius, -1) &&
           (steps ||
            look_at(tick, watcher, STEPS, kind, place, reach_of_steps(tick, radius, 0), -1));
}

static bool visit_unusual(struct tick *tick, const struct participant *watcher, bool steps) {
    if (!is_unusual(tick, participant_before(tick, watcher)) &&
        !is_unusual(tick, participant_now(tick, watcher)))
        return true;
    if (!look_around(tick, watcher, ARRIVALS, steps) ||
        !look_around(tick, watcher, DEPARTURES, steps))
        return false;
    if (!steps)
        return true;
    double radius = participant_now(tick, watcher)->radius;
    double half = half_step(watcher->before, watcher->now);
    double inside = inside_of_steps(tick, radius, half);
    return inside == INFINITY || /* all the time it sees all; -INFINITY: a step was that long */
           look_at(tick, watcher, STEPS, STEPS, halfway(watcher->before, watcher->now),
                   reach_of_steps(tick, radius, half), inside);
}

/* ------------------------------------------------------------------ */
/* Entities that stand still                                           */
/* ------------------------------------------------------------------ */

static bool append_found(struct tick *tick, aoi_id id) {
    const struct id_list *found = tick->space->visibility.changes;
    static const struct {
        enum outcome outcome;
        enum pair_subject by;
    } lists[CHANGE_LISTS] = {
        [LEFT_MARKERS] = {LEAVES, SUBJECT_WATCHER},
        [LEFT_WATCHERS] = {LEAVES, SUBJECT_MARKER},
        [ENTERED_MARKERS] = {ENTERS, SUBJECT_WATCHER},
        [ENTERED_WATCHERS] = {ENTERS, SUBJECT_MARKER},
        [MOVED_WATCHERS] = {MOVES, SUBJECT_MARKER},
    };
    for (int list = 0; list < CHANGE_LISTS; list++) {
        struct pairs *pairs = &tick->scratch->pairs[lists[list].outcome][lists[list].by];
        if (!array_reserve(pairs, &tick->space->memory.tick, found[list].count))
            return false;
        for (size_t i = 0; i < found[list].count; i++) {
            aoi_id other = found[list].ids[i];
            pairs->items[pairs->count++] = lists[list].by == SUBJECT_WATCHER
                                               ? (struct pair){id, other}
                                               : (struct pair){other, id};
        }
    }
    return true;
}

/* Judges a participant against the entities that have no old state. */
static bool visit_still(struct tick *tick, const struct participant *participant, bool steps) {
    (void)steps;
    return visibility_changes_to_still(
               &tick->space->visibility, participant->slot, participant_before(tick, participant),
               participant_now(tick, participant), participant->moved, tick->ops, false) &&
           append_found(tick, participant->id);
}

bool tick_judge_pairs(struct tick *tick) {
    struct aoi_space *space = tick->space;
    const uint8_t moves = (tick->ops & AOI_MOVE) ? MOVES : NOTHING;
    const uint8_t outcomes[PARTITIONS][4] = {
        [STEPS] = {NOTHING, LEAVES, ENTERS, moves},
        [ARRIVALS] = {NOTHING, NOTHING, ENTERS, moves},
        [DEPARTURES] = {NOTHING, LEAVES, NOTHING, NOTHING},
    };
    memcpy(tick->outcomes, outcomes, sizeof outcomes);
    return (tick->everybody ||
            (late_moves_apply(&space->late_moves) && tick_visit_all(tick, visit_still))) &&
           judge_partition(tick, STEPS) && judge_partition(tick, ARRIVALS) &&
           judge_among_steps(tick, ARRIVALS) && judge_partition(tick, DEPARTURES) &&
           judge_among_steps(tick, DEPARTURES) &&
           (!tick->some_unusual || tick_visit_all(tick, visit_unusual)) &&
           (space->visibility.exceptions == 0 || tick_judge_exceptions(tick));
}
