/*
 * kept_pairs.c - the pairs of steps of a tick whose events nobody wants in groups.
 *
 * Nothing is sorted here, so all that is kept of two entities until their events
 * are queued is where they stand in the order of the rows, and what becomes of
 * both directions: nine bytes. Once all are judged the queue gets its room, and
 * each pair is written there.
 */
#include "tick/stages.h"

bool tick_begin_keeping(struct tick *tick) {
    struct kept *kept = &tick->scratch->kept;
    kept->ids = pool_take(&tick->space->tick_pool, tick->scratch->partitions[STEPS].count,
                          sizeof *kept->ids);
    return kept->ids != NULL;
}

static bool add_block(struct tick *tick) {
    struct kept *kept = &tick->scratch->kept;
    struct kept_block *block = pool_take(&tick->space->tick_pool, 1, sizeof *block);
    if (block == NULL)
        return false;
    block->next = NULL;
    block->count = 0;
    if (kept->last == NULL)
        kept->first = block;
    else
        kept->last->next = block;
    kept->last = block;
    return true;
}

/* One for each outcome in a number of 64 bits: it stays in a register, as counts in memory would
 * have to wait for one another. */
enum { COUNT_BITS = 16 };

_Static_assert(OUTCOMES *COUNT_BITS == 64 && KEPT < 1 << COUNT_BITS, "a block can be counted");

static void add_counts(struct kept *kept, enum pair_subject by, uint64_t counts) {
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        kept->counts[outcome][by] +=
            counts >> outcome * COUNT_BITS & ((UINT64_C(1) << COUNT_BITS) - 1);
}

/* Keeps the found pairs from..to - 1, for which there is room. */
static void keep_some(struct kept *kept, const struct found *found, size_t from, size_t to,
                      const struct participant *participants) {
    struct kept_block *block = kept->last;
    size_t count = block->count;
    uint64_t counts_there = 0, counts_back = 0;
    for (size_t i = from; i < to; i++) {
        const uint32_t first = found->firsts[i], second = found->seconds[i];
        const unsigned outcomes = found->outcomes[i];
        const unsigned there = outcome_if(outcomes & (OUTCOMES - 1), participants[second].moved);
        const unsigned back = outcome_if(outcomes >> BACK_SHIFT, participants[first].moved);
        /* Written in any case: no branch. */
        block->firsts[count] = first;
        block->seconds[count] = second;
        block->outcomes[count] = (uint8_t)(there | back << BACK_SHIFT);
        count += (there | back) != NOTHING;
        counts_there += UINT64_C(1) << there * COUNT_BITS;
        counts_back += UINT64_C(1) << back * COUNT_BITS;
    }
    add_counts(kept, SUBJECT_WATCHER, counts_there);
    add_counts(kept, SUBJECT_MARKER, counts_back);
    block->count = count;
}

bool tick_keep_pairs(struct tick *tick, const struct participant *participants) {
    struct kept *kept = &tick->scratch->kept;
    const struct found *found = &tick->scratch->found;
    for (size_t from = 0; from < found->count;) {
        if ((kept->last == NULL || kept->last->count == KEPT) && !add_block(tick))
            return false;
        const size_t room = KEPT - kept->last->count, rest = found->count - from;
        const size_t to = from + (room < rest ? room : rest);
        keep_some(kept, found, from, to, participants);
        from = to;
    }
    return true;
}

bool tick_list_kept(struct tick *tick) {
    struct kept *kept = &tick->scratch->kept;
    for (const struct kept_block *block = kept->first; block != NULL; block = block->next) {
        if (!tick_reserve_pairs(tick, KEPT + 1))
            return false;
        for (size_t i = 0; i < block->count; i++) {
            const aoi_id a = kept->ids[block->firsts[i]], b = kept->ids[block->seconds[i]];
            const unsigned outcomes = block->outcomes[i];
            tick_note(tick, outcomes & (OUTCOMES - 1), true, SUBJECT_WATCHER, a, b);
            tick_note(tick, outcomes >> BACK_SHIFT, true, SUBJECT_MARKER, b, a);
        }
    }
    *kept = (struct kept){.first = NULL};
    return true;
}

/* Writes the pairs for a listener, each where the next one of its kind is to stand. */
static void write_kept(const struct kept *kept, struct pair *places[QUEUE_KINDS][2]) {
    struct pair nowhere = {0, 0}, *next[OUTCOMES][2];
    size_t steps[OUTCOMES][2] = {{0}}; /* 0: nobody wants them */
    for (int list = 0; list < 2 * OUTCOMES; list++) {
        struct pair *place = list < 2 * LEAVES ? NULL : places[list / 2 - LEAVES][list % 2];
        next[list / 2][list % 2] = place == NULL ? &nowhere : place;
        steps[list / 2][list % 2] = place != NULL;
    }
    const aoi_id *ids = kept->ids;
    for (const struct kept_block *block = kept->first; block != NULL; block = block->next) {
        for (size_t i = 0; i < block->count; i++) {
            const aoi_id a = ids[block->firsts[i]], b = ids[block->seconds[i]];
            const unsigned there = block->outcomes[i] & (OUTCOMES - 1);
            const unsigned back = block->outcomes[i] >> BACK_SHIFT;
            *next[there][SUBJECT_WATCHER] = (struct pair){a, b};
            next[there][SUBJECT_WATCHER] += steps[there][SUBJECT_WATCHER];
            *next[back][SUBJECT_MARKER] = (struct pair){b, a};
            next[back][SUBJECT_MARKER] += steps[back][SUBJECT_MARKER];
        }
    }
}

bool tick_queue_kept(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    const struct kept *kept = &scratch->kept;
    struct pairs_in_front in_front = {.counts = {{0}}};
    for (int list = 0; list < 2 * QUEUE_KINDS; list++)
        in_front.counts[list / 2][list % 2] = kept->counts[LEAVES + list / 2][list % 2];
    if (!space_queue_net_change(tick->space, &scratch->pairs[LEAVES], &scratch->spare, NULL,
                                &in_front))
        return false;
    for (int i = 0; i < NET_LISTENERS; i++)
        write_kept(kept, in_front.places[i]);
    return true;
}
