/* gather.c - the participants of a tick: steps, arrivals and departures; see tick.c. */
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

/* Adds a copy of a participant. */
static bool add_to(struct tick *tick, enum partition_kind kind, xy place,
                   const struct participant *participant) {
    struct partition *partition = &tick->scratch->partitions[kind];
    if (!tick_reserve_members(tick, kind, 1))
        return false;
    partition->spots.items[partition->count] = (struct spot){place[0], place[1]};
    partition->unsorted.items[partition->count++] = *participant;
    return true;
}

/* One more takes part. The steps have room for it: mostly it is one of them, so its participant is
 * written there. */
static inline bool take_part(struct tick *tick, uint32_t slot, uint32_t state) {
    const struct entity *before = entity_before(tick, slot, state), *now = entity_now(tick, slot);
    struct partition *steps = &tick->scratch->partitions[STEPS];
    struct participant *participant = &steps->unsorted.items[steps->count];
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
        steps->spots.items[steps->count++] = (struct spot){place[0], place[1]};
        return true;
    }
    return (now->mode == 0 || add_to(tick, ARRIVALS, to, participant)) &&
           (before->mode == 0 || add_to(tick, DEPARTURES, from, participant));
}

static bool gather_all(struct tick *tick) {
    struct aoi_space *space = tick->space;
    const struct old_states *old = &space->old_states;
    const size_t still =
        tick->everybody ? space->entities.count - (old->count - old->gone.count) : 0;
    for (int kind = 0; kind < PARTITIONS; kind++)
        tick->scratch->partitions[kind].count = 0;
    if (!tick_reserve_members(tick, STEPS, old->count + still + 1))
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

bool tick_visit_all(struct tick *tick,
                    bool (*visit)(struct tick *, const struct participant *, bool steps)) {
    for (int kind = 0; kind < PARTITIONS; kind++) {
        const struct partition *partition = &tick->scratch->partitions[kind];
        for (size_t at = 0; at < partition->count; at++) {
            const struct participant *participant = &partition->unsorted.items[at];
            bool also_arrives = kind == DEPARTURES && participant->slot != NO_SLOT;
            if (!also_arrives && !visit(tick, participant, kind == STEPS))
                return false;
        }
    }
    return true;
}

enum { PREFETCHED = 16 };

/* Room for the pairs that a search may write at once among as many points. */
static bool reserve_found(struct found *found, struct pool *pool, size_t points) {
    const size_t most = ENOUGH_PAIRS + points + 16;
    *found = (struct found){.firsts = pool_take(pool, most, sizeof *found->firsts),
                            .seconds = pool_take(pool, most, sizeof *found->seconds),
                            .outcomes = pool_take(pool, most, sizeof *found->outcomes)};
    return found->firsts != NULL && found->seconds != NULL && found->outcomes != NULL;
}

/* Brings the partitions into the order of their rows. */
static bool sort_partitions(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    struct pool *pool = &tick->space->tick_pool;
    size_t largest = 0;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        struct partition *partition = &scratch->partitions[kind];
        double reach =
            kind == STEPS ? reach_of_steps(tick, tick->radius, tick->longest_half) : tick->radius;
        partition->participants =
            pool_take(pool, partition->count, sizeof *partition->participants);
        if (partition->participants == NULL ||
            !point_rows_build(&partition->points, pool, partition->spots.items, partition->count,
                              reach))
            return false;
        const struct spot_key *keys = partition->points.keys;
        const struct participant *unsorted = partition->unsorted.items;
        for (size_t at = 0; at < partition->count; at++) {
            if (at + PREFETCHED < partition->count)
                __builtin_prefetch(&unsorted[keys[at + PREFETCHED].index]);
            partition->participants[at] = unsorted[keys[at].index];
        }
        largest = partition->count > largest ? partition->count : largest;
    }
    return reserve_found(&scratch->found, pool, largest);
}

bool tick_gather(struct tick *tick) {
    return gather_all(tick) && sort_partitions(tick);
}
