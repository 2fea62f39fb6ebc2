/* pair_judge.h - the comparisons of many pairs at once: whether each saw the other at the last
 * tick, and sees it now. */
#ifndef AOI_PAIR_JUDGE_H
#define AOI_PAIR_JUDGE_H

#include <stddef.h>

#include "base/memory.h"
#include "sight/sight.h"

/* An entity that takes part in a tick: a cache line with all that most comparisons need. */
struct participant {
    _Alignas(CACHE_LINE) xy before; /* x and y; in a classic nine-grid: of the cell */
    xy now;                         /* read as one with the other */
    /* Layer bits: looked for (0 also when the radius is unusual), and shown (0 when not there or no
     * marker). */
    uint32_t looked_before, shown_before, looked_now, shown_now;
    aoi_id id;
    uint32_t slot;       /* NO_SLOT: gone */
    uint32_t state : 31; /* number of its old state; NO_STATE: it is what it was */
    uint32_t moved : 1;
};

_Static_assert(sizeof(struct participant) == CACHE_LINE, "a participant is one cache line");

/* The sight of a watcher of a marker, before and now. */
enum { SAW = 1, SEES = 2 };

/* The fields that decide, at the last tick and now. */
static inline struct stance stance_before(const struct participant *one, double radius, double z) {
    return (struct stance){one->before, z, radius, one->shown_before, one->looked_before};
}

static inline struct stance stance_now(const struct participant *one, double radius, double z) {
    return (struct stance){one->now, z, radius, one->shown_now, one->looked_now};
}

/* SAW and SEES; of both, the stances at the last tick and now. */
ALWAYS_INLINE unsigned sight_then_and_now(enum sight_rule rule, const struct stance watcher[2],
                                          const struct stance marker[2]) {
    return sees(rule, &watcher[0], &marker[0]) * SAW | sees(rule, &watcher[1], &marker[1]) * SEES;
}

/* The outcome of an ordered pair: nothing, or a kind of event, in the order of queue_order. Of both
 * directions of a pair: the second one shifted. */
enum outcome { NOTHING, LEAVES, ENTERS, MOVES, OUTCOMES, BACK_SHIFT = 2 };

/* Pairs of positions in two arrays of participants, of which the judge keeps some. */
struct found {
    uint32_t *firsts, *seconds;
    uint8_t *outcomes; /* filled by the judge */
    size_t count;
};

/* Keeps a pair of which something becomes, in one direction or the other, as number `kept`; returns
 * how many are kept now. Written in any case, and counted only if so: no branch. found: a copy, so
 * that the compiler knows that its arrays stay where they are. */
static inline size_t found_keep(struct found found, size_t kept, uint32_t first, uint32_t second,
                                unsigned outcomes) {
    found.firsts[kept] = first;
    found.seconds[kept] = second;
    found.outcomes[kept] = (uint8_t)outcomes;
    return kept + (outcomes != NOTHING);
}

/*
 * Judges the pairs in both directions, for watchers of one radius in two
 * dimensions, and keeps those of which something becomes, in their order.
 * by_sight: the outcome for each combination of SAW and SEES.
 */
void pair_judge_flat(enum sight_rule rule, double radius,
                     const struct participant *first_participants,
                     const struct participant *second_participants, const uint8_t by_sight[4],
                     struct found *found);

#endif
