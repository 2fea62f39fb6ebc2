/*
 * tick.c - aoi_tick: the net change of a deferred space since the last one.
 *
 * A pair can differ only if one of the two has an old state. Who is compared
 * with whom:
 *
 *   steps      those who are what they were and went a short way, or stayed:
 *              they stand halfway between before and now, and every pair whose
 *              halfway points are near enough is judged once
 *   arrivals,  the others: who entered, left, went far or became another.
 *   departures They stand where they are now, and where they were; a pair that
 *              sees each other now is judged at the first, one that does no
 *              longer at the second
 *
 * Where few have changed, these partitions hold the changed ones alone, and each
 * of them looks for those that stand still in the space's own indexes. Else
 * they hold everybody. Watchers of an unusual radius take part as markers,
 * and look around themselves one by one.
 */
#include <math.h>
#include <string.h>

#include "tick/pair_judge.h"
#include "events/pairs.h"
#include "tick/point_rows.h"
#include "events/telling.h"
#include "sight/visibility.h"
#include "space/space.h"

enum partition_kind { STEPS, ARRIVALS, DEPARTURES, PARTITIONS };

#define NO_STATE INT32_MAX

struct partition {
    struct spot *spots;               /* where each stands */
    struct participant *unsorted;     /* in the order of spots */
    struct participant *participants; /* in the order of points */
    size_t count, capacity;
    struct aligned_array unsorted_array, participant_array;
    struct point_rows points;
};

struct tick_scratch {
    struct partition partitions[PARTITIONS];
    struct found found;
    size_t found_capacity;
    struct pairs pairs[OUTCOMES][2]; /* [by]: the pair was found as its enum pair_subject */
    struct pairs spare;
};

/* How many pairs are found before they are judged. */
enum { ENOUGH_PAIRS = 1024 };

/* One tick under way. */
struct tick {
    struct aoi_space *space;
    struct tick_scratch *scratch;
    uint32_t ops;
    bool everybody;                  /* all entities take part, not only the changed ones */
    double radius;                   /* of the usual watcher */
    double longest_half;             /* of a step */
    bool flat;                       /* no step changes its z */
    bool some_unusual;               /* watchers of another radius take part */
    size_t room;                     /* every list of pairs has room for as many */
    uint8_t outcomes[PARTITIONS][4]; /* by SAW and SEES, as pairs of the partition are judged */
};

/* ------------------------------------------------------------------ */
/* Scratch memory                                                      */
/* ------------------------------------------------------------------ */

static void free_partition(struct partition *partition, struct memory *memory) {
    memory_resize(memory, partition->spots, partition->capacity, 0, sizeof *partition->spots);
    aligned_free(memory, &partition->unsorted_array);
    aligned_free(memory, &partition->participant_array);
    point_rows_free(&partition->points, memory);
}

static void free_scratch(struct tick_scratch *scratch, struct memory *memory) {
    for (int kind = 0; kind < PARTITIONS; kind++)
        free_partition(&scratch->partitions[kind], memory);
    memory_resize(memory, scratch->found.firsts, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->found.seconds, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->found.outcomes, scratch->found_capacity, 0, 1);
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        pairs_free(&scratch->pairs[outcome][0], memory);
        pairs_free(&scratch->pairs[outcome][1], memory);
    }
    pairs_free(&scratch->spare, memory);
    memory_resize(memory, scratch, 1, 0, sizeof *scratch);
}

static bool create_scratch(struct aoi_space *space) {
    if (space->tick_scratch != NULL)
        return true;
    struct tick_scratch *scratch = memory_resize(&space->memory, NULL, 0, 1, sizeof *scratch);
    if (scratch == NULL)
        return false;
    memset(scratch, 0, sizeof *scratch);
    for (int partition = 0; partition < PARTITIONS; partition++)
        point_rows_init(&scratch->partitions[partition].points);
    space->tick_scratch = scratch;
    space->free_tick_scratch = free_scratch;
    return true;
}

/* Room for the pairs that a search may write at once among as many points. False: no memory. */
static bool reserve_found(struct tick_scratch *scratch, struct memory *memory, size_t points) {
    size_t needed = ENOUGH_PAIRS + points + 16;
    if (needed <= scratch->found_capacity)
        return true;
    size_t capacity = memory_next_capacity(scratch->found_capacity, needed);
    if (capacity == 0)
        return false;
    struct found *found = &scratch->found, grown;
    grown.firsts = memory_resize(memory, NULL, 0, capacity, sizeof(uint32_t));
    grown.seconds = memory_resize(memory, NULL, 0, capacity, sizeof(uint32_t));
    grown.outcomes = memory_resize(memory, NULL, 0, capacity, 1);
    grown.count = 0;
    bool done = grown.firsts != NULL && grown.seconds != NULL && grown.outcomes != NULL;
    struct found old = done ? *found : grown;
    size_t old_capacity = done ? scratch->found_capacity : capacity;
    memory_resize(memory, old.firsts, old_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, old.seconds, old_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, old.outcomes, old_capacity, 0, 1);
    if (!done)
        return false;
    *found = grown;
    scratch->found_capacity = capacity;
    return true;
}

/* Room for `more` further ones. The arrays grow one by one; what has grown for nothing is used
 * later. False: no memory. */
static bool reserve_members(struct partition *partition, struct memory *memory, size_t more) {
    if (more <= partition->capacity - partition->count)
        return true;
    size_t capacity = memory_next_capacity(partition->capacity, partition->count + more);
    if (capacity == 0 || capacity >= NO_STATE)
        return false;
    if (!aligned_grow(memory, &partition->unsorted_array, partition->count, capacity,
                      sizeof(struct participant)))
        return false;
    partition->unsorted = partition->unsorted_array.items;
    if (!aligned_grow(memory, &partition->participant_array, 0, capacity,
                      sizeof(struct participant)))
        return false;
    partition->participants = partition->participant_array.items;
    struct spot *spots =
        memory_resize(memory, partition->spots, partition->capacity, capacity, sizeof *spots);
    if (spots == NULL)
        return false;
    partition->spots = spots;
    partition->capacity = capacity;
    return true;
}

/* Makes every list of pairs take `more` further ones. False: no memory. */
static inline bool reserve_pairs(struct tick *tick, size_t more) {
    if (more <= tick->room) {
        tick->room -= more;
        return true;
    }
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        for (int by = 0; by < 2; by++) {
            if (!pairs_reserve(&tick->scratch->pairs[outcome][by], &tick->space->memory,
                               more + ENOUGH_PAIRS))
                return false;
        }
    }
    tick->room = ENOUGH_PAIRS;
    return true;
}

/* What a space holds grows with its entities: a list that more pairs have made longer than that is
 * not kept. The others are, as fresh memory costs more than to fill it. */
static size_t most_kept(const struct aoi_space *space) {
    enum { KEPT_PER_ENTITY = 256, KEPT_ANYWAY = 4 * ENOUGH_PAIRS };
    return (size_t)space->entities.count * KEPT_PER_ENTITY + KEPT_ANYWAY;
}

static void trim_if_long(struct aoi_space *space, struct pairs *pairs) {
    if (pairs->capacity > most_kept(space))
        pairs_free(pairs, &space->memory);
}

static void trim_pairs(struct aoi_space *space) {
    struct tick_scratch *scratch = space->tick_scratch;
    if (scratch == NULL)
        return;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        trim_if_long(space, &scratch->pairs[outcome][0]);
        trim_if_long(space, &scratch->pairs[outcome][1]);
    }
    trim_if_long(space, &scratch->spare);
}

/* ------------------------------------------------------------------ */
/* Who takes part                                                      */
/* ------------------------------------------------------------------ */

static const struct entity absent = {.mode = 0};

static const struct entity *entity_before(const struct tick *tick, uint32_t slot, uint32_t state) {
    return state == NO_STATE ? &tick->space->entities.at[slot]
                             : &tick->space->old_states.states[state];
}

static const struct entity *entity_now(const struct tick *tick, uint32_t slot) {
    return slot == NO_SLOT ? &absent : &tick->space->entities.at[slot];
}

static enum sight_rule rule_of(const struct tick *tick) {
    return tick->space->visibility.rule;
}

static xy place_of(const struct tick *tick, const struct entity *entity) {
    return sight_place(rule_of(tick), entity);
}

static double radius_of(const struct tick *tick, const struct entity *entity) {
    return sight_radius(rule_of(tick), entity);
}

static bool is_unusual(const struct tick *tick, const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) && radius_of(tick, entity) != tick->radius;
}

/* True when somebody is to be told of it and the entity is at another true place than at the last
 * tick. */
static bool has_moved(const struct tick *tick, uint32_t slot, uint32_t state,
                      const struct entity *before, const struct entity *now) {
    const struct aoi_space *space = tick->space;
    if (!(tick->ops & AOI_MOVE) || before->mode == 0 || now->mode == 0 || state == NO_STATE)
        return false;
    aoi_point from = {before->x, before->y, before->z}, to = space_place(space, slot);
    if (space->slack.limit > 0)
        from = space->old_states.places[state];
    return from.x != to.x || from.y != to.y || from.z != to.z;
}

static bool is_what_it_was(const struct tick *tick, const struct entity *before,
                           const struct entity *now) {
    return before->mode != 0 && entities_alike(before, now) &&
           radius_of(tick, before) == radius_of(tick, now);
}

/* Which axis has the longer way can't be predicted: no branch. */
static double half_step(xy from, xy to) {
    const xy way = xy_size(to - from);
    return xy_greater(way, (xy){way[1], way[0]})[0] / 2;
}

/* Halves first: the sum might overflow. */
static xy halfway(xy from, xy to) {
    return from / 2 + to / 2;
}

/* Not for long ways: the longest step widens everybody's search. half: see half_step. */
static bool is_step(const struct tick *tick, const struct entity *before, const struct entity *now,
                    double half) {
    double longest = rule_of(tick) == SIGHT_CELLS ? 1 : tick->radius / 4;
    return half * 2 <= longest && is_what_it_was(tick, before, now);
}

/* Adds a copy of a participant. False: no memory. */
static bool add_to(struct tick *tick, enum partition_kind kind, xy place,
                   const struct participant *participant) {
    struct partition *partition = &tick->scratch->partitions[kind];
    if (!reserve_members(partition, &tick->space->memory, 1))
        return false;
    partition->spots[partition->count] = (struct spot){place[0], place[1]};
    partition->unsorted[partition->count++] = *participant;
    return true;
}

/* One more takes part. The steps have room for it: mostly it is one of them, so its participant is
 * written there. False: no memory. */
static inline bool take_part(struct tick *tick, uint32_t slot, uint32_t state) {
    const struct entity *before = entity_before(tick, slot, state), *now = entity_now(tick, slot);
    struct partition *steps = &tick->scratch->partitions[STEPS];
    struct participant *participant = &steps->unsorted[steps->count];
    const bool usual = !is_unusual(tick, before) && !is_unusual(tick, now);
    const xy from = place_of(tick, before), to = place_of(tick, now);
    const double half = half_step(from, to);
    tick->some_unusual = tick->some_unusual || !usual;
    participant->before = from;
    participant->now = to;
    participant->shown_before = entity_shown(before);
    participant->shown_now = entity_shown(now);
    participant->looked_before = usual ? entity_looked_for(before) : 0;
    participant->looked_now = usual ? entity_looked_for(now) : 0;
    participant->id = before->mode != 0 ? before->id : now->id;
    participant->slot = slot;
    participant->state = state & NO_STATE;
    participant->moved = has_moved(tick, slot, state, before, now);
    if (is_step(tick, before, now, half)) {
        const xy place = halfway(from, to);
        tick->longest_half = half > tick->longest_half ? half : tick->longest_half;
        tick->flat = tick->flat && before->z == now->z;
        steps->spots[steps->count++] = (struct spot){place[0], place[1]};
        return true;
    }
    return (now->mode == 0 || add_to(tick, ARRIVALS, to, participant)) &&
           (before->mode == 0 || add_to(tick, DEPARTURES, from, participant));
}

static bool gather(struct tick *tick) {
    struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    const size_t still =
        tick->everybody ? space->entities.count - (old->count - old->gone.count) : 0;
    for (int kind = 0; kind < PARTITIONS; kind++)
        tick->scratch->partitions[kind].count = 0;
    if (!reserve_members(&tick->scratch->partitions[STEPS], &space->memory, old->count + still + 1))
        return false;
    for (size_t state = 0; state < old->count; state++) {
        if (!take_part(tick, old->states[state].current_slot, (uint32_t)state))
            return false;
    }
    for (uint32_t slot = 0; still > 0 && slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0 && !space->entities.at[slot].changed &&
            !take_part(tick, slot, NO_STATE))
            return false;
    }
    return true;
}

/* Calls visit for each that takes part, once; steps: it stands among them. False: a visit has
 * failed. */
static bool visit_all(struct tick *tick,
                      bool (*visit)(struct tick *, const struct participant *, bool steps)) {
    for (int kind = 0; kind < PARTITIONS; kind++) {
        const struct partition *partition = &tick->scratch->partitions[kind];
        for (size_t at = 0; at < partition->count; at++) {
            const struct participant *participant = &partition->unsorted[at];
            bool also_arrives = kind == DEPARTURES && participant->slot != NO_SLOT;
            if (!also_arrives && !visit(tick, participant, kind == STEPS))
                return false;
        }
    }
    return true;
}

/* How far apart the halfway points of two steps may be that see each other before or after. */
static double reach_of_steps(const struct tick *tick, double radius, double half) {
    return (radius + half + tick->longest_half) * (1 + 0x1p-40);
}

enum { PREFETCHED = 16 };

/* Brings the partitions into the order of their rows. False: no memory. */
static bool sort_partitions(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    struct memory *memory = &tick->space->memory;
    size_t largest = 0;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        struct partition *partition = &scratch->partitions[kind];
        double reach =
            kind == STEPS ? reach_of_steps(tick, tick->radius, tick->longest_half) : tick->radius;
        if (!point_rows_build(&partition->points, memory, partition->spots, partition->count,
                              reach))
            return false;
        const struct spot_key *keys = partition->points.keys;
        for (size_t at = 0; at < partition->count; at++) {
            if (at + PREFETCHED < partition->count)
                __builtin_prefetch(&partition->unsorted[keys[at + PREFETCHED].index]);
            partition->participants[at] = partition->unsorted[keys[at].index];
        }
        largest = partition->count > largest ? partition->count : largest;
    }
    return reserve_found(scratch, memory, largest);
}

/* ------------------------------------------------------------------ */
/* Judging pairs                                                       */
/* ------------------------------------------------------------------ */

static void set_outcomes(struct tick *tick) {
    const uint8_t moves = (tick->ops & AOI_MOVE) ? MOVES : NOTHING;
    const uint8_t outcomes[PARTITIONS][4] = {
        [STEPS] = {NOTHING, LEAVES, ENTERS, moves},
        [ARRIVALS] = {NOTHING, NOTHING, ENTERS, moves},
        [DEPARTURES] = {NOTHING, LEAVES, NOTHING, NOTHING},
    };
    memcpy(tick->outcomes, outcomes, sizeof outcomes);
}

static const struct entity *participant_before(const struct tick *tick,
                                               const struct participant *participant) {
    return entity_before(tick, participant->slot, participant->state);
}

static const struct entity *participant_now(const struct tick *tick,
                                            const struct participant *participant) {
    return entity_now(tick, participant->slot);
}

/* What a watcher saw and sees of a marker, by its own radius and bits, or by those that a usual
 * watcher's record has. */
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

/* Writes the pair in any case and counts it only when something becomes of it: no branch. */
static inline void note(struct tick *tick, unsigned outcome, bool moved, enum pair_subject by,
                        aoi_id watcher, aoi_id marker) {
    unsigned list = outcome == MOVES && !moved ? NOTHING : outcome;
    struct pairs *pairs = &tick->scratch->pairs[list][by];
    pairs->items[pairs->count] = (struct pair){watcher, marker};
    pairs->count += list != NOTHING;
}

/* Judges the pairs found between two partitions, by the outcomes of the first. False: no memory. */
static bool judge(struct tick *tick, enum partition_kind first, enum partition_kind second) {
    struct found *found = &tick->scratch->found;
    const struct participant *firsts = tick->scratch->partitions[first].participants;
    const struct participant *seconds = tick->scratch->partitions[second].participants;
    if (tick->space->dims == 3)
        judge_high(tick, firsts, seconds, tick->outcomes[first], found);
    else
        pair_judge_flat(rule_of(tick), tick->radius, firsts, seconds, tick->outcomes[first], found);
    if (found->count == 0)
        return true;
    if (!reserve_pairs(tick, found->count + 1))
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const struct participant *a = &firsts[found->firsts[i]], *b = &seconds[found->seconds[i]];
        unsigned outcomes = found->outcomes[i], back = outcomes >> BACK_SHIFT;
        note(tick, outcomes & (OUTCOMES - 1), b->moved, SUBJECT_WATCHER, a->id, b->id);
        note(tick, back, a->moved, SUBJECT_MARKER, b->id, a->id);
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

/* The pairs of one partition. */
static bool judge_partition(struct tick *tick, enum partition_kind kind) {
    struct tick_scratch *scratch = tick->scratch;
    const struct point_rows *points = &scratch->partitions[kind].points;
    struct found *found = &scratch->found;
    struct row_walk walk = {0};
    double outer = tick->radius, inner = -1;
    if (kind == STEPS) {
        outer = reach_of_steps(tick, tick->radius, tick->longest_half);
        inner = inside_of_steps(tick, tick->radius, tick->longest_half);
        if (isinf(inner))
            return true; /* all see each other all the time */
    }
    while (walk.position < points->count) {
        found->count = point_rows_pairs(points, &walk, outer, inner, ENOUGH_PAIRS, found->firsts,
                                        found->seconds);
        if (!judge(tick, kind, kind))
            return false;
    }
    return true;
}

/* Arrivals, or departures, with the steps. */
static bool judge_among_steps(struct tick *tick, enum partition_kind kind) {
    struct tick_scratch *scratch = tick->scratch;
    const struct partition *partition = &scratch->partitions[kind];
    struct found *found = &scratch->found;
    for (size_t at = 0; at < partition->count; at++) {
        const xy place =
            kind == ARRIVALS ? partition->participants[at].now : partition->participants[at].before;
        found->count = point_rows_around(&scratch->partitions[STEPS].points, place[0], place[1],
                                         reach_of_steps(tick, tick->radius, 0), -1, found->seconds);
        for (size_t i = 0; i < found->count; i++)
            found->firsts[i] = (uint32_t)at;
        if (!judge(tick, kind, STEPS))
            return false;
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
    found->count = point_rows_around(&scratch->partitions[partition].points, place[0], place[1],
                                     outer, inner, found->seconds);
    if (!reserve_pairs(tick, found->count + 1))
        return false;
    for (size_t i = 0; i < found->count; i++) {
        const struct participant *marker =
            &scratch->partitions[partition].participants[found->seconds[i]];
        if (marker->id != watcher->id)
            note(tick, tick->outcomes[as][sight_of(tick, watcher, marker, false)], marker->moved,
                 SUBJECT_WATCHER, watcher->id, marker->id);
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
/* Those who stand still                                               */
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
        if (!pairs_reserve(pairs, &tick->space->memory, found[list].count))
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

/* One that has changed against those that have no old state. */
static bool visit_still(struct tick *tick, const struct participant *participant, bool steps) {
    (void)steps;
    return visibility_changes_to_still(
               &tick->space->visibility, participant->slot, participant_before(tick, participant),
               participant_now(tick, participant), participant->moved, tick->ops) &&
           append_found(tick, participant->id);
}

/* ------------------------------------------------------------------ */
/* The events                                                          */
/* ------------------------------------------------------------------ */

static bool wants_groups(const struct aoi_space *space) {
    return (space->wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)) != 0;
}

/* Groups the pairs as the first to be told wants them (telling.c would, but has to copy them): all
 * go to the list of that subject. False: no memory. */
static bool group_pairs(struct tick *tick) {
    uint32_t wants = tick->space->wants;
    struct tick_scratch *scratch = tick->scratch;
    struct memory *memory = &tick->space->memory;
    if (!wants_groups(tick->space))
        return true;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        struct pairs *lists = scratch->pairs[LEAVES + kind];
        enum pair_subject by =
            telling_subject(wants, (wants & AOI_TELL_VIEW) != 0, queue_order[kind]);
        struct pairs *to = &lists[by], *from = &lists[1 - by];
        if (!pairs_reserve(to, memory, from->count))
            return false;
        if (from->count > 0)
            memcpy(to->items + to->count, from->items, from->count * sizeof *to->items);
        to->count += from->count;
        from->count = 0;
        if (!pairs_reserve(&scratch->spare, memory, to->count))
            return false;
        pairs_sort(to, &scratch->spare, by);
    }
    return true;
}

static bool reserve_events(struct tick *tick, struct queue *queue, uint32_t ops) {
    size_t events = 0;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[LEAVES + kind];
        if (queue_order[kind] & ops)
            events += lists[SUBJECT_WATCHER].count + lists[SUBJECT_MARKER].count;
    }
    /* A segment each at most. */
    return events == 0 || queue_reserve(queue, &tick->space->memory, events, events);
}

static void write_pairs(const struct tick *tick, const struct pairs *pairs, struct queue *queue,
                        aoi_op op, enum pair_subject by) {
    enum { LONG_RUN = 8 };
    if (wants_groups(tick->space) || pairs->count / LONG_RUN > tick->space->entities.count)
        pairs_write(pairs, queue, op, by);
    else
        pairs_write_apart(pairs, queue, op, by);
}

static void write_events(struct tick *tick, struct queue *queue, uint32_t ops) {
    queue_begin_change(queue);
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[LEAVES + kind];
        for (int by = 0; by < 2 && (queue_order[kind] & ops); by++)
            write_pairs(tick, &lists[by], queue, queue_order[kind], (enum pair_subject)by);
    }
}

static bool queue_events(struct tick *tick) {
    struct aoi_space *space = tick->space;
    if (!group_pairs(tick) || !reserve_events(tick, &space->pending, space->listen) ||
        !reserve_events(tick, &space->collected, space->collect))
        return false;
    write_events(tick, &space->pending, space->listen);
    write_events(tick, &space->collected, space->collect);
    return true;
}

/* From what share of changed entities on (one in so many) everybody takes part. Below it, to look
 * for those that stand still costs less than to have them there: measured, the two cost the same
 * with two fifths (sparse) to two thirds (crowded) of all changed. */
enum { EVERYBODY_FROM = 2 };

/* The radius that the rows are made for: the usual one; or, where many watchers have another, the
 * median. */
static double radius_of_most(const struct aoi_space *space) {
    enum { MANY = 8 };
    if (space->visibility.rule == SIGHT_CELLS)
        return 1;
    if (space->indexes.unusual_watchers <= space->entities.count / MANY)
        return space->indexes.usual_radius;
    return indexes_median_radius(&space->indexes);
}

/* Queues the events; the old states stay. False: no memory, unchanged. */
static bool queue_net_change(struct aoi_space *space) {
    size_t changed = space->old_states.count;
    struct tick tick = {
        .space = space,
        .ops = space->listen | space->collect,
        .everybody = changed >= space->entities.count / EVERYBODY_FROM,
        .radius = radius_of_most(space),
        .flat = true,
    };
    if (changed == 0 || tick.ops == 0)
        return true;
    if (!create_scratch(space))
        return false;
    tick.scratch = space->tick_scratch;
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        tick.scratch->pairs[outcome][0].count = tick.scratch->pairs[outcome][1].count = 0;
    set_outcomes(&tick);
    return gather(&tick) && sort_partitions(&tick) &&
           (tick.everybody || (late_moves_apply(space) && visit_all(&tick, visit_still))) &&
           judge_partition(&tick, STEPS) && judge_partition(&tick, ARRIVALS) &&
           judge_among_steps(&tick, ARRIVALS) && judge_partition(&tick, DEPARTURES) &&
           judge_among_steps(&tick, DEPARTURES) &&
           (!tick.some_unusual || visit_all(&tick, visit_unusual)) && queue_events(&tick);
}

aoi_status aoi_tick(aoi_space *space) {
    if (!space->deferred)
        return AOI_INVALID;
    queue_trim(&space->pending, &space->memory); /* ticks without an event count, too */
    queue_trim(&space->collected, &space->memory);
    bool done = queue_net_change(space);
    trim_pairs(space);
    if (!done)
        return AOI_NOMEM;
    old_states_clear(space);
    space_check(space);
    return AOI_OK;
}
