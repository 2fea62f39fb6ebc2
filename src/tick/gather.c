/* gather.c - the participants of a tick: steps, arrivals and departures; see tick.c. */
#include <string.h>

#include "tick/stages.h"

/* True when somebody is to be told of it and the entity is at another true place than at the last
 * tick. */
static bool has_moved(const struct tick *tick, uint32_t slot, uint32_t state,
                      const struct entity *before, const struct entity *now) {
    if (!(tick->ops & AOI_MOVE) || before->mode == 0 || now->mode == 0 || state == NO_STATE)
        return false;
    return space_has_moved(tick->space, slot, state);
}

static bool is_what_it_was(const struct tick *tick, const struct entity *before,
                           const struct entity *now) {
    return before->mode != 0 && entities_alike(before, now) &&
           radius_of(tick, before) == radius_of(tick, now);
}

/* Not for long ways: the longest step widens everybody's search. half: see half_step. */
static bool is_step(const struct tick *tick, const struct entity *before, const struct entity *now,
                    double half) {
    double longest = rule_of(tick) == SIGHT_CELLS ? 1 : tick->radius / 4;
    return half * 2 <= longest && is_what_it_was(tick, before, now);
}

static inline struct spot spot_at(xy place) {
    return (struct spot){place[0], place[1]};
}

/* Of a step also notes where it stands, while it is at hand. */
static inline void take_part(struct tick *tick, struct gathered *gathered, struct spot *spots,
                             uint32_t slot, uint32_t state) {
    const struct entity *before = entity_before(tick, slot, state), *now = entity_now(tick, slot);
    const xy from = place_of(tick, before), to = place_of(tick, now);
    const double half = half_step(from, to);
    const bool usual = !is_unusual(tick, before) && !is_unusual(tick, now);
    const bool steps = is_step(tick, before, now, half);
    const size_t at = steps ? gathered->steps : gathered->room - 1 - gathered->others;
    struct participant *participant = &gathered->all[at];
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
    if (steps) {
        tick->longest_half = half > tick->longest_half ? half : tick->longest_half;
        tick->flat = tick->flat && before->z == now->z;
        spots[at] = spot_at(halfway(from, to));
    }
    gathered->steps += steps;
    gathered->others += !steps;
    gathered->arrivals += !steps && now->mode != 0;
    gathered->departures += !steps && before->mode != 0;
}

/* Also brings the steps into the order of their rows. */
static bool gather_all(struct tick *tick) {
    struct aoi_space *space = tick->space;
    struct pool *pool = &space->tick_pool;
    struct point_rows *points = &tick->scratch->partitions[STEPS];
    const struct old_states *old = &space->old_states;
    struct gathered *gathered = &tick->scratch->gathered;
    const size_t still =
        tick->everybody ? space->entities.count - (old->count - old->gone.count) : 0;
    *gathered = (struct gathered){.room = old->count + still};
    gathered->all = pool_take(pool, gathered->room, sizeof *gathered->all);
    if (gathered->room >= NO_STATE || gathered->all == NULL ||
        !point_rows_reserve(points, pool, gathered->room))
        return false;
    struct spot *spots = pool_take(pool, gathered->room, sizeof *spots);
    if (spots == NULL)
        return false;
    for (size_t state = 0; state < old->count; state++)
        take_part(tick, gathered, spots, old->states[state].current_slot, (uint32_t)state);
    for (uint32_t slot = 0; still > 0 && slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0 && !space->entities.at[slot].changed)
            take_part(tick, gathered, spots, slot, NO_STATE);
    }
    points->count = gathered->steps;
    point_rows_build(points, spots, reach_of_steps(tick, tick->radius, tick->longest_half));
    pool_keep(pool, spots, 0, sizeof *spots);
    return true;
}

/* The number, in the array of all, of a participant of this kind: of the steps the one at `at`, of
 * the others the one found as number `at`, if it is one. */
static bool is_of_kind(const struct tick *tick, enum partition_kind kind, size_t at,
                       uint32_t *number) {
    const struct gathered *gathered = &tick->scratch->gathered;
    *number = (uint32_t)(kind == STEPS ? at : gathered->room - 1 - at);
    const struct participant *one = &gathered->all[*number];
    return kind == STEPS ||
           (kind == ARRIVALS ? one->slot != NO_SLOT : participant_before(tick, one)->mode != 0);
}

bool tick_visit_all(struct tick *tick,
                    bool (*visit)(struct tick *, const struct participant *, bool steps)) {
    const struct gathered *gathered = &tick->scratch->gathered;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        const size_t most = kind == STEPS ? gathered->steps : gathered->others;
        for (size_t at = 0; at < most; at++) {
            uint32_t number;
            const bool is_one = is_of_kind(tick, (enum partition_kind)kind, at, &number);
            const struct participant *participant = &gathered->all[number];
            bool also_arrives = kind == DEPARTURES && participant->slot != NO_SLOT;
            if (is_one && !also_arrives && !visit(tick, participant, kind == STEPS))
                return false;
        }
    }
    return true;
}

/* Brings a partition of so many that are no steps into the order of its rows; a key then has the
 * number of who stands there. Where they stand is only needed for that. */
static bool sort_partition(struct tick *tick, enum partition_kind kind, size_t count) {
    const struct gathered *gathered = &tick->scratch->gathered;
    struct point_rows *points = &tick->scratch->partitions[kind];
    struct pool *pool = &tick->space->tick_pool;
    if (!point_rows_reserve(points, pool, count))
        return false;
    uint32_t *numbers = pool_take(pool, count, sizeof *numbers);
    struct spot *spots = pool_take(pool, count, sizeof *spots);
    if (spots == NULL || numbers == NULL)
        return false;
    for (size_t at = 0, found = 0; at < gathered->others; at++) {
        uint32_t number;
        if (is_of_kind(tick, kind, at, &number)) {
            const struct participant *one = &gathered->all[number];
            spots[found] = spot_at(kind == ARRIVALS ? one->now : one->before);
            numbers[found++] = number;
        }
    }
    point_rows_build(points, spots, tick->radius);
    pool_keep(pool, spots, 0, sizeof *spots);
    for (size_t at = 0; at < count; at++)
        points->keys[at].index = numbers[points->keys[at].index];
    return true;
}

/* How many times as many participants stand at hand as are passed at once: those that are passed by
 * leave their room only when there is none left. */
enum { WINDOW = 4 };

/* Room for the pairs that a search may find at once, and for those of whom they are. */
static bool reserve_found(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    struct pool *pool = &tick->space->tick_pool;
    size_t near = 0, points = 0;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        const struct point_rows *rows = &scratch->partitions[kind];
        near = rows->most_near > near ? rows->most_near : near;
        points = rows->count > points ? rows->count : points;
    }
    const size_t most = ENOUGH_PAIRS + near + 16, wide = (size_t)WINDOW * ENOUGH_PAIRS + near;
    struct at_hand at_hand = {.room = wide < points ? wide : points};
    at_hand.items = pool_take(pool, at_hand.room, sizeof *at_hand.items);
    scratch->at_hand = at_hand;
    struct found found = {.firsts = pool_take(pool, most, sizeof *found.firsts),
                          .seconds = pool_take(pool, most + points, sizeof *found.seconds),
                          .outcomes = pool_take(pool, most, sizeof *found.outcomes)};
    scratch->found = found;
    return at_hand.items != NULL && found.firsts != NULL && found.seconds != NULL &&
           found.outcomes != NULL;
}

bool tick_gather(struct tick *tick) {
    const struct gathered *gathered = &tick->scratch->gathered;
    return gather_all(tick) && sort_partition(tick, ARRIVALS, gathered->arrivals) &&
           sort_partition(tick, DEPARTURES, gathered->departures) && reserve_found(tick);
}

enum { PREFETCHED = 16 };

const struct participant *tick_bring(const struct tick *tick, enum partition_kind kind,
                                     size_t first, size_t end) {
    const struct point_rows *points = &tick->scratch->partitions[kind];
    const struct spot_key *keys = points->keys;
    const struct participant *all = tick->scratch->gathered.all;
    struct at_hand *at_hand = &tick->scratch->at_hand;
    aoi_id *ids = kind == STEPS ? tick->scratch->kept.ids : NULL;
    if (end - at_hand->from > at_hand->room) {
        memmove(at_hand->items, at_hand->items + (first - at_hand->from),
                (at_hand->to - first) * sizeof *at_hand->items);
        at_hand->from = first;
    }
    for (size_t at = at_hand->to; at < end; at++) {
        if (at + PREFETCHED < points->count)
            __builtin_prefetch(&all[keys[at + PREFETCHED].index]);
        at_hand->items[at - at_hand->from] = all[keys[at].index];
        if (ids != NULL)
            ids[at] = at_hand->items[at - at_hand->from].id;
    }
    at_hand->to = end;
    return at_hand->items - at_hand->from;
}
