/*
 * many_pairs.c - the pairs of steps, or of arrivals, of a tick in a crowd, where there are many for
 * each entity.
 *
 * They are not listed. They are judged twice: the first time they are counted
 * by subject, so that each segment of the queue gets its room; the second time
 * they are written there. So each pair takes the 8 bytes that it has in the
 * queue, and none is sorted.
 */
#include <string.h>

#include "tick/stages.h"

/* All arrays go by number: the positions of the one partition, then those of the other. No entity
 * is in both. */
struct many {
    uint32_t firsts[PARTITIONS]; /* the first number of each */
    size_t count;
    aoi_id *ids;
    bool *moved;
    uint32_t *counts[OUTCOMES];                /* of how many pairs each is the subject */
    uint32_t *places[NET_LISTENERS][OUTCOMES]; /* the word where the next one is to be written */
    uint32_t nowhere;                          /* behind the last word: that of NOTHING */
    uint32_t is_by_marker[OUTCOMES];           /* all bits: the subject is the marker; or none */
    uint32_t numbers[OUTCOMES]; /* all bits; of NOTHING none, as all of them have one place */
    struct later_pairs later[NET_LISTENERS][QUEUE_KINDS];
};

/* Subject and other of an ordered pair of positions, by its outcome. */
struct role {
    uint32_t subject, other;
};

ALWAYS_INLINE struct role role_of(const struct many *many, unsigned outcome, uint32_t watcher,
                                  uint32_t marker) {
    /* Without a branch, which nobody could foresee. */
    const uint32_t both = (watcher ^ marker) & many->is_by_marker[outcome];
    return (struct role){(watcher ^ both) & many->numbers[outcome], marker ^ both};
}

struct counting_pass {
    const struct many *many;
    uint32_t first; /* number */
};

static bool count_pairs(struct tick *tick, const struct walked *walked, void *data) {
    (void)walked;
    const struct counting_pass *pass = data;
    const struct many *many = pass->many;
    const struct found *found = &tick->scratch->found;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t a = pass->first + found->firsts[i], b = pass->first + found->seconds[i];
        const unsigned outcomes = found->outcomes[i];
        const unsigned there = outcome_if(outcomes & (OUTCOMES - 1), many->moved[b]);
        const unsigned back = outcome_if(outcomes >> BACK_SHIFT, many->moved[a]);
        many->counts[there][role_of(many, there, a, b).subject]++;
        many->counts[back][role_of(many, back, b, a).subject]++;
    }
    return true;
}

/* For one listener. */
struct writing_pass {
    const struct many *many;
    uint32_t first;            /* number */
    uint32_t *const *places;   /* by outcome */
    aoi_id *words;             /* of the queue */
    unsigned wanted[OUTCOMES]; /* the outcome, or NOTHING */
};

/* Written in any case; what nobody wants all goes to one place. */
ALWAYS_INLINE void write_pair(const struct writing_pass *pass, unsigned outcome, uint32_t watcher,
                              uint32_t marker) {
    outcome = pass->wanted[outcome];
    const struct role role = role_of(pass->many, outcome, watcher, marker);
    uint32_t *place = &pass->places[outcome][role.subject];
    pass->words[*place] = pass->many->ids[role.other];
    *place += outcome != NOTHING;
}

static bool write_pairs(struct tick *tick, const struct walked *walked, void *data) {
    (void)walked;
    const struct writing_pass *pass = data;
    const struct found *found = &tick->scratch->found;
    const bool *moved = pass->many->moved;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t a = pass->first + found->firsts[i], b = pass->first + found->seconds[i];
        const unsigned outcomes = found->outcomes[i];
        write_pair(pass, outcome_if(outcomes & (OUTCOMES - 1), moved[b]), a, b);
        write_pair(pass, outcome_if(outcomes >> BACK_SHIFT, moved[a]), b, a);
    }
    return true;
}

/* The numbers in ascending order of their ids. */
static bool sort_subjects(struct tick *tick, const struct many *many, struct pairs *subjects) {
    struct pool *pool = &tick->space->tick_pool;
    struct pairs spare = {NULL, 0, 0};
    if (!pool_reserve(subjects, pool, many->count) ||
        !pool_reserve(&spare, pool, pairs_spare(many->count)))
        return false;
    struct pair *const first = subjects->items, *const last = spare.items;
    for (size_t at = 0; at < many->count; at++)
        subjects->items[subjects->count++] = (struct pair){many->ids[at], (aoi_id)at};
    pairs_sort(subjects, &spare, SUBJECT_WATCHER);
    if (subjects->items != first && many->count > 0) {
        memcpy(first, subjects->items, many->count * sizeof *first);
        subjects->items = first;
    }
    pool_keep(pool, last, 0, sizeof *last);
    return true;
}

/* The kinds of events that a listener wants. */
static uint32_t ops_of(const struct aoi_space *space, int listener) {
    return (listener == 0 ? space->listen : space->collect) & PAIR_OPS;
}

static bool take_places(struct tick *tick, struct many *many, int listener) {
    struct pool *pool = &tick->space->tick_pool;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if (!(ops_of(tick->space, listener) & queue_order[kind]))
            continue;
        uint32_t *places = pool_take(pool, many->count, sizeof *places);
        if (places == NULL)
            return false;
        many->places[listener][LEAVES + kind] = places;
    }
    return true;
}

/* The participants, by number. */
static bool make_many(struct tick *tick, struct many *many) {
    const struct point_rows *partitions = tick->scratch->partitions;
    struct pool *pool = &tick->space->tick_pool;
    *many = (struct many){.count = 0};
    for (int kind = 0; kind < PARTITIONS; kind++)
        many->count += tick->are_many[kind] ? partitions[kind].count : 0;
    many->ids = pool_take(pool, many->count, sizeof *many->ids);
    many->moved = pool_take(pool, many->count, sizeof *many->moved);
    if (many->count > UINT32_MAX || many->ids == NULL || many->moved == NULL)
        return false;
    uint32_t number = 0;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        many->firsts[kind] = number;
        for (size_t at = 0; tick->are_many[kind] && at < partitions[kind].count; at++) {
            const struct participant *participant =
                tick_participant_at(tick, (enum partition_kind)kind, at);
            many->ids[number] = participant->id;
            many->moved[number++] = participant->moved;
        }
    }
    return true;
}

/* Of each subject, and one for all NOTHING. */
static bool take_arrays(struct tick *tick, struct many *many, const struct pairs *subjects) {
    struct pool *pool = &tick->space->tick_pool;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        const size_t count = outcome == NOTHING ? 1 : many->count;
        uint32_t *counts = pool_take(pool, count, sizeof *counts);
        if (counts == NULL)
            return false;
        memset(counts, 0, count * sizeof *counts);
        many->counts[outcome] = counts;
        many->numbers[outcome] = outcome == NOTHING ? 0 : UINT32_MAX;
    }
    if (!take_places(tick, many, 0) || !take_places(tick, many, 1))
        return false;
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const int outcome = LEAVES + kind;
        const bool by_marker = net_change_subject(tick->space->wants, kind) == SUBJECT_MARKER;
        many->is_by_marker[outcome] = by_marker ? UINT32_MAX : 0;
        for (int i = 0; i < NET_LISTENERS; i++)
            many->later[i][kind] =
                (struct later_pairs){*subjects, many->counts[outcome], many->places[i][outcome]};
    }
    return true;
}

/* Writes the pairs for a listener. */
static void write_all(struct tick *tick, struct many *many, int listener) {
    const uint32_t ops = ops_of(tick->space, listener);
    const struct queue *queue = listener == 0 ? &tick->space->pending : &tick->space->collected;
    many->nowhere = (uint32_t)queue->words.count;
    many->places[listener][NOTHING] = &many->nowhere;
    struct writing_pass pass = {
        .many = many, .places = many->places[listener], .words = (aoi_id *)queue->words.items};
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        const unsigned outcome = LEAVES + (unsigned)kind;
        pass.wanted[outcome] = ops & queue_order[kind] ? outcome : NOTHING;
    }
    for (int kind = 0; kind < PARTITIONS && ops != 0; kind++) {
        pass.first = many->firsts[kind];
        if (tick->are_many[kind])
            tick_walk_pairs(tick, (enum partition_kind)kind, write_pairs, &pass);
    }
}

bool tick_queue_many(struct tick *tick) {
    struct aoi_space *space = tick->space;
    struct tick_scratch *scratch = tick->scratch;
    struct many many;
    struct pairs subjects = {NULL, 0, 0};
    if (!make_many(tick, &many) || !sort_subjects(tick, &many, &subjects) ||
        !take_arrays(tick, &many, &subjects))
        return false;
    for (int kind = 0; kind < PARTITIONS; kind++) {
        struct counting_pass pass = {&many, many.firsts[kind]};
        if (tick->are_many[kind])
            tick_walk_pairs(tick, (enum partition_kind)kind, count_pairs, &pass);
    }
    if (!space_queue_net_change(space, &scratch->pairs[LEAVES], &scratch->spare, many.later, NULL))
        return false;
    for (int i = 0; i < NET_LISTENERS; i++)
        write_all(tick, &many, i);
    return true;
}
