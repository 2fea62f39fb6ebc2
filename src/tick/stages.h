/*
 * stages.h - one tick under way, shared by its stages:
 *
 *     gather.c       who takes part, sorted by where they are
 *     tick_pairs.c   which pairs can differ, and what becomes of them
 *     tell_handed.c  told pairs of those that were handed in
 *     tick_exceptions.c  visible radii, and words about pairs
 *     kept_pairs.c   pairs of steps that nobody wants in groups
 *     many_pairs.c   pairs of a partition where they are many for each entity
 *     tick.c         the stages, and the events
 *     scratch.c      the memory of all this
 */
#ifndef AOI_STAGES_H
#define AOI_STAGES_H

#include "events/pairs.h"
#include "space/space.h"
#include "tick/pair_judge.h"
#include "tick/point_rows.h"
#include "tick/tick.h"

enum partition_kind { STEPS, ARRIVALS, DEPARTURES, PARTITIONS };

#define NO_STATE INT32_MAX

/* All that take part, in one array in the pool: the steps from its front on, the others from its
 * end. Of the others some are arrivals, some departures, and some are both. */
struct gathered {
    struct participant *all;
    size_t room, steps, others, arrivals, departures;
};

/* Participants at the positions from..to - 1, in the order of a partition's points. */
struct at_hand {
    struct participant *items; /* in the pool */
    size_t room, from, to;
};

/* How many pairs stand together in a block. */
#ifdef AOI_TINY
enum { KEPT = 4 };
#else
enum { KEPT = 512 };
#endif

/* Pairs of positions that were judged, with what becomes of both directions. */
struct kept_block {
    struct kept_block *next;
    size_t count;
    uint32_t firsts[KEPT], seconds[KEPT];
    uint8_t outcomes[KEPT];
};

/* The pairs of steps, in the pool, in the order in which they were found. */
struct kept {
    struct kept_block *first, *last;
    aoi_id *ids;                /* by position; NULL: no pairs are kept */
    size_t counts[OUTCOMES][2]; /* ordered pairs, by what becomes of them, and [by] */
};

struct tick_scratch {
    struct gathered gathered;
    struct point_rows partitions[PARTITIONS]; /* of where they stand; a key has who stands there */
    struct at_hand at_hand;
    struct found found; /* its arrays are in the pool, as the one before */
    struct kept kept;
    struct pairs pairs[OUTCOMES][2]; /* [by]: the pair was found as its enum pair_subject */
    struct pairs spare;
    /* Of the longest of all these lists, as sorting exchanges one with another. */
    struct high_water use;
};

/* How many pairs are found before they are judged, and how many points are passed at most. */
#ifdef AOI_TINY
enum { ENOUGH_PAIRS = 4 };
#else
enum { ENOUGH_PAIRS = 512 };
#endif

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
    uint8_t outcomes[PARTITIONS][4]; /* by SAW and SEES, as pairs of the partition are judged */
    bool keeps;                      /* the pairs of steps are kept: see kept_pairs.c */
    /* From how many pairs for each entity on those of a partition are not listed; 0: all are. */
    size_t many_from;
    bool are_many[PARTITIONS]; /* they are as many, of steps or of arrivals: see many_pairs.c */
};

/* ---- scratch.c ---- */

/* The space's scratch, made if there is none yet. */
bool tick_create_scratch(struct aoi_space *space);

/* Makes every list of pairs take `more` further ones; those that nothing becomes of are written
 * over one another. */
static inline bool tick_reserve_pairs(struct tick *tick, size_t more) {
    for (int list = 0; list < 2 * OUTCOMES; list++) {
        struct pairs *pairs = &tick->scratch->pairs[list / 2][list % 2];
        high_water_note(&tick->scratch->use, pairs->count + more);
        if (!array_reserve(pairs, &tick->space->memory.tick, list / 2 == NOTHING ? 1 : more))
            return false;
    }
    return true;
}

/* What becomes of an ordered pair as it was judged: without a move of its marker no MOVES. */
ALWAYS_INLINE unsigned outcome_if(unsigned outcome, bool moved) {
    return outcome == MOVES && !moved ? NOTHING : outcome;
}

/* Writes the pair in any case and counts it only when something becomes of it: no branch. moved:
 * its marker. There is room. */
static inline void tick_note(struct tick *tick, unsigned outcome, bool moved, enum pair_subject by,
                             aoi_id watcher, aoi_id marker) {
    unsigned list = outcome_if(outcome, moved);
    struct pairs *pairs = &tick->scratch->pairs[list][by];
    pairs->items[pairs->count] = (struct pair){watcher, marker};
    pairs->count += list != NOTHING;
}

/* ---- gather.c ---- */

/* Puts everybody who takes part into the partitions, and these into the order of their rows. */
bool tick_gather(struct tick *tick);

/* Calls visit for each that takes part, once; steps: it stands among them. False: a visit has
 * failed. */
bool tick_visit_all(struct tick *tick,
                    bool (*visit)(struct tick *tick, const struct participant *participant,
                                  bool steps));

/* The participant at this position in the order of the partition's points. */
static inline const struct participant *
tick_participant_at(const struct tick *tick, enum partition_kind kind, size_t position) {
    const struct tick_scratch *scratch = tick->scratch;
    return &scratch->gathered.all[scratch->partitions[kind].keys[position].index];
}

/* Makes those at the positions first..end - 1 stand at hand, beside others; nobody asks for those
 * before `first` any more. Returns where the one at position 0 would stand. */
const struct participant *tick_bring(const struct tick *tick, enum partition_kind kind,
                                     size_t first, size_t end);

/* ---- tick_pairs.c ---- */

/* Judges all pairs that can differ; what becomes of them stands in the scratch's lists of pairs. */
bool tick_judge_pairs(struct tick *tick);

/* How far a walk has come: all pairs of so many participants have been taken, those at hand by
 * their position. */
struct walked {
    const struct participant *participants;
    size_t passed;
};

/* Judges all pairs of one partition, and calls `take` with some after others: what was judged is in
 * the scratch's found, as positions. False: a take has answered so. */
bool tick_walk_pairs(struct tick *tick, enum partition_kind kind,
                     bool (*take)(struct tick *tick, const struct walked *walked, void *data),
                     void *data);

/* ---- kept_pairs.c ---- */

/* Room for the ids of steps, which tick_bring writes. */
bool tick_begin_keeping(struct tick *tick);

/* Keeps the pairs of steps that were judged. */
bool tick_keep_pairs(struct tick *tick, const struct participant *participants);

/* Lists the pairs that are kept, and keeps them no longer; no others are listed. */
bool tick_list_kept(struct tick *tick);

/* Queues the events of the tick, of kept pairs and of listed ones. */
bool tick_queue_kept(struct tick *tick);

/* ---- many_pairs.c ---- */

/* Queues the events of the tick, of listed pairs and of many. */
bool tick_queue_many(struct tick *tick);

/* ---- tell_handed.c ---- */

/* Deferred spaces that are no crowd spaces: of watchers that were handed in since the last tick,
 * and saw nobody then, all that they see now has been found as ENTERS. Those that they were told of
 * stay, with a MOVE where the place is another one; who is not among them gets a LEAVE. False: no
 * memory; the lists are of no use then. */
bool tick_tell_handed(struct aoi_space *space);

/* ---- tick_exceptions.c ---- */

/* Makes these lists right for markers with a visible radius and for words about pairs. */
bool tick_judge_exceptions(struct tick *tick);

/* ---- Questions of the stages ---- */

/* Stands for an entity that is not in the space. */
static const struct entity tick_absent = {.mode = 0};

static inline const struct entity *entity_before(const struct tick *tick, uint32_t slot,
                                                 uint32_t state) {
    return state == NO_STATE ? &tick->space->entities.at[slot]
                             : &tick->space->old_states.states[state];
}

static inline const struct entity *entity_now(const struct tick *tick, uint32_t slot) {
    return slot == NO_SLOT ? &tick_absent : &tick->space->entities.at[slot];
}

static inline enum sight_rule rule_of(const struct tick *tick) {
    return tick->space->visibility.rule;
}

static inline xy place_of(const struct tick *tick, const struct entity *entity) {
    return sight_place(rule_of(tick), entity);
}

static inline double radius_of(const struct tick *tick, const struct entity *entity) {
    return sight_radius(rule_of(tick), entity);
}

static inline bool is_unusual(const struct tick *tick, const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) && radius_of(tick, entity) != tick->radius;
}

static inline const struct entity *participant_before(const struct tick *tick,
                                                      const struct participant *participant) {
    return entity_before(tick, participant->slot, participant->state);
}

static inline const struct entity *participant_now(const struct tick *tick,
                                                   const struct participant *participant) {
    return entity_now(tick, participant->slot);
}

/* Which axis has the longer way can't be predicted: no branch. */
static inline double half_step(xy from, xy to) {
    const xy way = xy_size(to - from);
    return xy_greater(way, (xy){way[1], way[0]})[0] / 2;
}

/* Halves first: the sum might overflow. */
static inline xy halfway(xy from, xy to) {
    return from / 2 + to / 2;
}

/* How far apart the halfway points of two steps may be that see each other before or after. */
static inline double reach_of_steps(const struct tick *tick, double radius, double half) {
    return (radius + half + tick->longest_half) * (1 + 0x1p-40);
}

#endif
