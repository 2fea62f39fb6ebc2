/*
 * tick.c - see tick.h.
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
 * Where few have changed, these three hold the changed ones alone, and each
 * of them looks for those that stand still in the space's own indexes. Else
 * they hold everybody. Watchers of an unusual radius take part as markers,
 * and look around themselves one by one.
 */
#include "tick.h"

#include <math.h>
#include <string.h>

#include "pairs.h"
#include "point_rows.h"
#include "sight.h"
#include "telling.h"
#include "visibility.h"

enum crowd { STEPS, ARRIVALS, DEPARTURES, CROWDS };

/* One that takes part: a cache line with all that most comparisons need. */
struct card {
    pair before, now; /* x and y; in a classic nine-grid: of the cell */
    aoi_id id;
    uint32_t shown_before, shown_now;   /* layer bits; 0 when not there or no marker */
    uint32_t looked_before, looked_now; /* 0 also when the radius is unusual */
    uint32_t slot;                      /* NO_SLOT: gone */
    uint32_t state : 31;                /* number of its old state; NO_STATE: it is what it was */
    uint32_t moved : 1;
};

#define NO_STATE INT32_MAX

/* What becomes of an ordered pair, and the list that it goes to. */
enum outcome { NOTHING, LEAVES, ENTERS, MOVES, OUTCOMES };

struct tick_scratch {
    struct spot
        *spots[CROWDS]; /* number: the card, but for steps, whose cards follow their order */
    size_t spot_counts[CROWDS];
    size_t spot_capacity; /* of each */
    struct card *cards;   /* steps in the order of their rows, then the others */
    struct card *unsorted;
    struct aligned_array card_array, unsorted_array;
    size_t card_capacity;
    struct point_rows crowds[CROWDS];
    uint32_t *firsts, *seconds; /* pairs of positions that a search found */
    uint8_t *outcomes;
    size_t found_capacity;
    struct pairs pairs[OUTCOMES]
                      [2]; /* by enum pair_subject: the first was found as watcher, or marker */
    struct pairs spare;
};

/* How many pairs are found before they are judged. */
enum { ENOUGH_PAIRS = 1024 };

/* One tick under way. */
struct tick {
    struct aoi_space *space;
    struct tick_scratch *scratch;
    uint32_t ops;
    bool everybody;      /* all entities take part, not only the changed ones */
    double radius;       /* of the usual watcher */
    double longest_half; /* of a step */
    bool flat;           /* no step changes its z */
    size_t steps, cards;
    size_t room;                 /* every list of pairs has room for as many */
    uint8_t outcomes[CROWDS][4]; /* by SAW and SEES */
};

/* ------------------------------------------------------------------ */
/* Scratch memory                                                      */
/* ------------------------------------------------------------------ */

static void free_scratch(struct tick_scratch *scratch, struct memory *memory) {
    for (int crowd = 0; crowd < CROWDS; crowd++) {
        memory_resize(memory, scratch->spots[crowd], scratch->spot_capacity, 0,
                      sizeof(struct spot));
        point_rows_free(&scratch->crowds[crowd], memory);
    }
    aligned_free(memory, &scratch->card_array);
    aligned_free(memory, &scratch->unsorted_array);
    memory_resize(memory, scratch->firsts, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->seconds, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->outcomes, scratch->found_capacity, 0, 1);
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        pairs_free(&scratch->pairs[outcome][0], memory);
        pairs_free(&scratch->pairs[outcome][1], memory);
    }
    pairs_free(&scratch->spare, memory);
}

void tick_free(struct aoi_space *space) {
    if (space->tick_scratch == NULL)
        return;
    free_scratch(space->tick_scratch, &space->memory);
    memory_resize(&space->memory, space->tick_scratch, 1, 0, sizeof *space->tick_scratch);
    space->tick_scratch = NULL;
}

/* Room for as many to take part. False: no memory. */
static bool reserve_cards(struct aoi_space *space, size_t count) {
    struct memory *memory = &space->memory;
    if (space->tick_scratch == NULL) {
        space->tick_scratch = memory_resize(memory, NULL, 0, 1, sizeof *space->tick_scratch);
        if (space->tick_scratch == NULL)
            return false;
        memset(space->tick_scratch, 0, sizeof *space->tick_scratch);
        for (int crowd = 0; crowd < CROWDS; crowd++)
            point_rows_init(&space->tick_scratch->crowds[crowd]);
    }
    struct tick_scratch *scratch = space->tick_scratch;
    if (count <= scratch->card_capacity)
        return true;
    size_t capacity = memory_next_capacity(scratch->card_capacity, count);
    if (capacity == 0 || capacity >= NO_STATE)
        return false;
    free_scratch(scratch, memory); /* all of it is filled anew each time */
    memset(scratch, 0, sizeof *scratch);
    for (int crowd = 0; crowd < CROWDS; crowd++)
        point_rows_init(&scratch->crowds[crowd]);
    scratch->spot_capacity = capacity;
    scratch->found_capacity = ENOUGH_PAIRS + capacity + 16;
    bool done = true;
    for (int crowd = 0; crowd < CROWDS; crowd++) {
        scratch->spots[crowd] = memory_resize(memory, NULL, 0, capacity, sizeof(struct spot));
        done = done && scratch->spots[crowd] != NULL;
    }
    size_t found = scratch->found_capacity;
    scratch->firsts = memory_resize(memory, NULL, 0, found, sizeof(uint32_t));
    scratch->seconds = memory_resize(memory, NULL, 0, found, sizeof(uint32_t));
    scratch->outcomes = memory_resize(memory, NULL, 0, found, 1);
    done = done && scratch->firsts != NULL && scratch->seconds != NULL &&
           scratch->outcomes != NULL &&
           aligned_grow(memory, &scratch->card_array, 0, capacity, sizeof(struct card)) &&
           aligned_grow(memory, &scratch->unsorted_array, 0, capacity, sizeof(struct card));
    if (!done) {
        tick_free(space);
        return false;
    }
    scratch->cards = scratch->card_array.items;
    scratch->unsorted = scratch->unsorted_array.items;
    scratch->card_capacity = capacity;
    return true;
}

/* Makes every list of pairs take `more` further ones. False: no memory. */
static inline bool reserve_pairs(struct tick *tick, size_t more) {
    enum { AT_ONCE = 1024 };
    if (more <= tick->room) {
        tick->room -= more;
        return true;
    }
    size_t room = more + AT_ONCE;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        for (int by = 0; by < 2; by++) {
            if (!pairs_reserve(&tick->scratch->pairs[outcome][by], &tick->space->memory, room))
                return false;
        }
    }
    tick->room = AT_ONCE;
    return true;
}

/* ------------------------------------------------------------------ */
/* Who takes part                                                      */
/* ------------------------------------------------------------------ */

static const struct entity absent = {.mode = 0};

static const struct entity *entity_before(const struct tick *tick, const struct card *card) {
    return card->state == NO_STATE ? &tick->space->entities[card->slot]
                                   : &tick->space->old_states.states[card->state];
}

static const struct entity *entity_now(const struct tick *tick, const struct card *card) {
    return card->slot == NO_SLOT ? &absent : &tick->space->entities[card->slot];
}

/* Where an entity is, as in_view wants it. */
static pair place_of(const struct tick *tick, const struct entity *entity) {
    if (tick->space->rule == SIGHT_CELLS)
        return (pair){entity->cell.x, entity->cell.y};
    return (pair){entity->x, entity->y};
}

static double radius_of(const struct tick *tick, const struct entity *entity) {
    return tick->space->rule == SIGHT_CELLS ? 1 : entity->radius;
}

static uint32_t shown(const struct entity *entity) {
    return (entity->mode & AOI_MARKER) ? entity->layer : 0;
}

static uint32_t looked_for(const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) ? entity->sees : 0;
}

static bool is_unusual(const struct tick *tick, const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) && radius_of(tick, entity) != tick->radius;
}

/* True when the entity is at another true place than at the last tick. */
static bool has_moved(const struct tick *tick, const struct card *card, const struct entity *before,
                      const struct entity *now) {
    const struct aoi_space *space = tick->space;
    if (before->mode == 0 || now->mode == 0 || card->state == NO_STATE)
        return false;
    aoi_point from = {before->x, before->y, before->z}, to = space_place(space, card->slot);
    if (space->slack > 0)
        from = space->old_states.places[card->state];
    return from.x != to.x || from.y != to.y || from.z != to.z;
}

static bool is_what_it_was(const struct tick *tick, const struct entity *before,
                           const struct entity *now) {
    return before->mode != 0 && now->mode != 0 && before->mode == now->mode &&
           before->layer == now->layer && before->sees == now->sees &&
           radius_of(tick, before) == radius_of(tick, now);
}

static double half_step(const struct card *card) {
    double x = fabs(card->now[0] - card->before[0]), y = fabs(card->now[1] - card->before[1]);
    return (x > y ? x : y) / 2;
}

/* Halves first: the sum might overflow. */
static pair halfway(const struct card *card) {
    return card->before / 2 + card->now / 2;
}

/* Not for long ways: the longest step widens everybody's search. */
static bool is_step(const struct tick *tick, const struct card *card, const struct entity *before,
                    const struct entity *now) {
    double longest = tick->space->rule == SIGHT_CELLS ? 1 : tick->radius / 4;
    return is_what_it_was(tick, before, now) && half_step(card) * 2 <= longest;
}

static void add_spot(struct tick_scratch *scratch, enum crowd crowd, pair place, size_t number) {
    scratch->spots[crowd][scratch->spot_counts[crowd]++] =
        (struct spot){place[0], place[1], (uint32_t)number};
}

/* One more takes part; its card goes to unsorted. */
static void take_part(struct tick *tick, uint32_t slot, uint32_t state) {
    struct tick_scratch *scratch = tick->scratch;
    size_t number = tick->cards++;
    struct card *card = &scratch->unsorted[number];
    card->slot = slot;
    card->state = state & NO_STATE;
    const struct entity *before = entity_before(tick, card), *now = entity_now(tick, card);
    const pair from = place_of(tick, before), to = place_of(tick, now);
    bool usual = !is_unusual(tick, before) && !is_unusual(tick, now);
    card->before = from;
    card->now = to;
    card->id = before->mode != 0 ? before->id : now->id;
    card->shown_before = shown(before);
    card->shown_now = shown(now);
    card->looked_before = usual ? looked_for(before) : 0;
    card->looked_now = usual ? looked_for(now) : 0;
    card->moved = has_moved(tick, card, before, now);
    double half = half_step(card);
    if (is_step(tick, card, before, now)) {
        tick->longest_half = half > tick->longest_half ? half : tick->longest_half;
        tick->flat = tick->flat && before->z == now->z;
        add_spot(scratch, STEPS, halfway(card), number);
        return;
    }
    if (now->mode != 0)
        add_spot(scratch, ARRIVALS, to, number);
    if (before->mode != 0)
        add_spot(scratch, DEPARTURES, from, number);
}

static void gather(struct tick *tick) {
    struct aoi_space *space = tick->space;
    memset(tick->scratch->spot_counts, 0, sizeof tick->scratch->spot_counts);
    for (size_t state = 0; state < space->old_states.count; state++)
        take_part(tick, space->old_states.states[state].current_slot, (uint32_t)state);
    for (uint32_t slot = 0; tick->everybody && slot < space->used_slots; slot++) {
        if (space->entities[slot].mode != 0 && !space->entities[slot].changed)
            take_part(tick, slot, NO_STATE);
    }
    tick->steps = tick->scratch->spot_counts[STEPS];
}

/* How far apart the halfway points of two steps may be that see each other before or after. */
static double reach_of_steps(const struct tick *tick, double radius, double half) {
    return (radius + half + tick->longest_half) * (1 + 0x1p-40);
}

/* Sorts the crowds and brings the cards into their order. False: no memory. */
static bool sort_crowds(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    for (int crowd = 0; crowd < CROWDS; crowd++) {
        double reach =
            crowd == STEPS ? reach_of_steps(tick, tick->radius, tick->longest_half) : tick->radius;
        if (!point_rows_build(&scratch->crowds[crowd], &tick->space->memory, scratch->spots[crowd],
                              scratch->spot_counts[crowd], reach))
            return false;
    }
    const struct spot_key *keys = scratch->crowds[STEPS].keys;
    for (size_t at = 0; at < tick->steps; at++)
        scratch->cards[at] = scratch->unsorted[scratch->spots[STEPS][keys[at].index].number];
    return true;
}

/* The card of the point at this position of a crowd. */
static inline const struct card *card_at(const struct tick *tick, enum crowd crowd, uint32_t at) {
    const struct tick_scratch *scratch = tick->scratch;
    if (crowd == STEPS)
        return &scratch->cards[at];
    return &scratch->unsorted[scratch->spots[crowd][scratch->crowds[crowd].keys[at].index].number];
}

/* ------------------------------------------------------------------ */
/* Judging pairs                                                       */
/* ------------------------------------------------------------------ */

/* What a watcher saw of a marker, and sees now. */
enum { SAW = 1, SEES = 2 };

static void set_outcomes(struct tick *tick) {
    const uint8_t moves = (tick->ops & AOI_MOVE) ? MOVES : NOTHING;
    const uint8_t outcomes[CROWDS][4] = {
        [STEPS] = {NOTHING, LEAVES, ENTERS, moves},
        [ARRIVALS] = {NOTHING, NOTHING, ENTERS, moves},
        [DEPARTURES] = {NOTHING, LEAVES, NOTHING, NOTHING},
    };
    memcpy(tick->outcomes, outcomes, sizeof outcomes);
}

static inline double z_before(enum sight_rule rule, const struct tick *tick,
                              const struct card *card) {
    return rule == SIGHT_CUBE || rule == SIGHT_BALL ? entity_before(tick, card)->z : 0;
}

static inline double z_now(enum sight_rule rule, const struct tick *tick, const struct card *card) {
    return rule == SIGHT_CUBE || rule == SIGHT_BALL ? entity_now(tick, card)->z : 0;
}

/* What becomes of one direction of a pair: SAW and SEES. */
static inline unsigned direction(enum sight_rule rule, const struct tick *tick,
                                 const struct card *watcher, const struct card *marker) {
    const double radius = tick->radius;
    unsigned saw = (unsigned)((watcher->looked_before & marker->shown_before) != 0) &
                   in_view(rule, radius, watcher->before, z_before(rule, tick, watcher),
                           marker->before, z_before(rule, tick, marker));
    unsigned sees = (unsigned)((watcher->looked_now & marker->shown_now) != 0) &
                    in_view(rule, radius, watcher->now, z_now(rule, tick, watcher), marker->now,
                            z_now(rule, tick, marker));
    return saw * SAW | sees * SEES;
}

/* Both outcomes of a pair in one byte. */
enum { SECOND_OUTCOME = 2, OUTCOME_BITS = 3 };

/*
 * Judges pairs that a search found, in both directions: watchers of the usual
 * radius. Keeps those of which something becomes, without a branch on it;
 * returns how many.
 */
static inline size_t judge_by(enum sight_rule rule, struct tick *tick, enum crowd own,
                              enum crowd other, enum crowd as, size_t count) {
    struct tick_scratch *scratch = tick->scratch;
    uint32_t *firsts = scratch->firsts, *seconds = scratch->seconds;
    uint8_t *kept_outcomes = scratch->outcomes;
    uint8_t outcomes[4];
    memcpy(outcomes, tick->outcomes[as], sizeof outcomes);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t first_at = firsts[i], second_at = seconds[i];
        const struct card *first = card_at(tick, own, first_at);
        const struct card *second = card_at(tick, other, second_at);
        unsigned outcome = outcomes[direction(rule, tick, first, second)];
        unsigned back = outcomes[direction(rule, tick, second, first)];
        firsts[kept] = first_at;
        seconds[kept] = second_at;
        kept_outcomes[kept] = (uint8_t)(outcome | back << SECOND_OUTCOME);
        kept += (outcome | back) != NOTHING;
    }
    return kept;
}

/* Writes the pair in any case and counts it only when something becomes of it: no branch. */
static inline void note(struct tick *tick, unsigned outcome, bool moved, enum pair_subject by,
                        aoi_id watcher, aoi_id marker) {
    unsigned list = outcome == MOVES && !moved ? NOTHING : outcome;
    struct pairs *pairs = &tick->scratch->pairs[list][by];
    pairs->items[pairs->count] = (struct sight){watcher, marker};
    pairs->count += list != NOTHING;
}

/* Judges the first `count` pairs found; they are positions in two crowds. `as`: see outcomes.
 * False: no memory. */
static bool judge(struct tick *tick, enum crowd own, enum crowd other, enum crowd as,
                  size_t count) {
    size_t kept = 0;
    if (count == 0)
        return true;
    if (!reserve_pairs(tick, count + 1))
        return false;
    switch (tick->space->rule) {
    case SIGHT_CELLS:
    case SIGHT_SQUARE: kept = judge_by(SIGHT_SQUARE, tick, own, other, as, count); break;
    case SIGHT_CIRCLE: kept = judge_by(SIGHT_CIRCLE, tick, own, other, as, count); break;
    case SIGHT_CUBE: kept = judge_by(SIGHT_CUBE, tick, own, other, as, count); break;
    case SIGHT_BALL: kept = judge_by(SIGHT_BALL, tick, own, other, as, count); break;
    }
    const struct tick_scratch *scratch = tick->scratch;
    for (size_t i = 0; i < kept; i++) {
        const struct card *first = card_at(tick, own, scratch->firsts[i]);
        const struct card *second = card_at(tick, other, scratch->seconds[i]);
        unsigned outcome = scratch->outcomes[i] & OUTCOME_BITS;
        unsigned back = scratch->outcomes[i] >> SECOND_OUTCOME;
        note(tick, outcome, second->moved, SUBJECT_WATCHER, first->id, second->id);
        note(tick, back, first->moved, SUBJECT_MARKER, second->id, first->id);
    }
    return true;
}

/* Halfway points nearer than this on both axes belong to pairs that see each other before and
 * after, of which nobody is told; negative: there are none such. */
static double inside_of_steps(const struct tick *tick, double radius, double half) {
    enum sight_rule rule = tick->space->rule;
    static const double square_in_circle = 0.7071, smallest_round_view = 1e-140;
    bool round = rule == SIGHT_CIRCLE;
    if ((tick->ops & AOI_MOVE) || rule == SIGHT_BALL || (rule == SIGHT_CUBE && !tick->flat) ||
        (round && !(radius > smallest_round_view)))
        return -1;
    return (round ? radius * square_in_circle : radius) - half - tick->longest_half;
}

/* The pairs of one crowd. */
static bool judge_crowd(struct tick *tick, enum crowd crowd) {
    const struct tick_scratch *scratch = tick->scratch;
    const struct point_rows *points = &scratch->crowds[crowd];
    struct row_walk walk = {0};
    double outer = tick->radius, inner = -1;
    if (crowd == STEPS) {
        outer = reach_of_steps(tick, tick->radius, tick->longest_half);
        inner = inside_of_steps(tick, tick->radius, tick->longest_half);
        if (isinf(inner))
            return true; /* all see each other all the time */
    }
    while (walk.position < points->count) {
        size_t count = point_rows_pairs(points, &walk, outer, inner, ENOUGH_PAIRS, scratch->firsts,
                                        scratch->seconds);
        if (!judge(tick, crowd, crowd, crowd, count))
            return false;
    }
    return true;
}

/* Arrivals, or departures, with the steps. */
static bool judge_among_steps(struct tick *tick, enum crowd crowd) {
    const struct tick_scratch *scratch = tick->scratch;
    for (size_t at = 0; at < scratch->crowds[crowd].count; at++) {
        const struct card *card = card_at(tick, crowd, (uint32_t)at);
        const pair place = crowd == ARRIVALS ? card->now : card->before;
        size_t count =
            point_rows_around(&scratch->crowds[STEPS], place[0], place[1],
                              reach_of_steps(tick, tick->radius, 0), -1, scratch->seconds);
        for (size_t i = 0; i < count; i++)
            scratch->firsts[i] = (uint32_t)at;
        if (!judge(tick, crowd, STEPS, crowd, count))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Watchers of an unusual radius                                       */
/* ------------------------------------------------------------------ */

/* Judges the watcher against the first `count` hits of a crowd, as their watcher only. */
static bool judge_view(struct tick *tick, const struct card *watcher, enum crowd crowd,
                       enum crowd as, size_t count) {
    const struct entity *before = entity_before(tick, watcher), *now = entity_now(tick, watcher);
    enum sight_rule rule = tick->space->rule;
    const pair from = place_of(tick, before), to = place_of(tick, now);
    if (!reserve_pairs(tick, count + 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct card *marker = card_at(tick, crowd, tick->scratch->seconds[i]);
        if (marker->id == watcher->id)
            continue;
        unsigned saw = (unsigned)((looked_for(before) & marker->shown_before) != 0) &
                       in_view(rule, before->radius, from, before->z, marker->before,
                               z_before(SIGHT_BALL, tick, marker));
        unsigned sees =
            (unsigned)((looked_for(now) & marker->shown_now) != 0) &
            in_view(rule, now->radius, to, now->z, marker->now, z_now(SIGHT_BALL, tick, marker));
        note(tick, tick->outcomes[as][saw * SAW | sees * SEES], marker->moved, SUBJECT_WATCHER,
             watcher->id, marker->id);
    }
    return true;
}

/* All that a watcher sees now (arrivals), or saw (departures), among the steps and their like. */
static bool look_around(struct tick *tick, const struct card *watcher, enum crowd as,
                        bool among_steps) {
    struct tick_scratch *scratch = tick->scratch;
    bool looks_now = as == ARRIVALS;
    const struct entity *entity =
        looks_now ? entity_now(tick, watcher) : entity_before(tick, watcher);
    if (!(entity->mode & AOI_WATCHER))
        return true;
    size_t count = point_rows_around(&scratch->crowds[as], entity->x, entity->y, entity->radius, -1,
                                     scratch->seconds);
    if (!judge_view(tick, watcher, as, as, count))
        return false;
    if (!among_steps)
        return true;
    count = point_rows_around(&scratch->crowds[STEPS], entity->x, entity->y,
                              reach_of_steps(tick, entity->radius, 0), -1, scratch->seconds);
    return judge_view(tick, watcher, STEPS, as, count);
}

static bool judge_unusual(struct tick *tick, const struct card *watcher, bool steps) {
    struct tick_scratch *scratch = tick->scratch;
    if (!look_around(tick, watcher, ARRIVALS, !steps) ||
        !look_around(tick, watcher, DEPARTURES, !steps))
        return false;
    if (!steps)
        return true;
    double radius = entity_now(tick, watcher)->radius, half = half_step(watcher);
    double inside = inside_of_steps(tick, radius, half);
    if (isinf(inside))
        return true;
    const pair place = halfway(watcher);
    size_t count = point_rows_around(&scratch->crowds[STEPS], place[0], place[1],
                                     reach_of_steps(tick, radius, half), inside, scratch->seconds);
    return judge_view(tick, watcher, STEPS, STEPS, count);
}

static bool judge_all_unusual(struct tick *tick) {
    struct tick_scratch *scratch = tick->scratch;
    for (size_t number = 0; number < tick->cards; number++) {
        const struct card *card = &scratch->unsorted[number];
        const struct entity *before = entity_before(tick, card), *now = entity_now(tick, card);
        if (!is_unusual(tick, before) && !is_unusual(tick, now))
            continue;
        if (!judge_unusual(tick, card, is_step(tick, card, before, now)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Those who stand still                                               */
/* ------------------------------------------------------------------ */

static bool append_found(struct tick *tick, const struct card *card) {
    const struct id_list *found = tick->space->changes;
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
                                               ? (struct sight){card->id, other}
                                               : (struct sight){other, card->id};
        }
    }
    return true;
}

/* The changed ones against those that have no old state. */
static bool judge_still(struct tick *tick) {
    for (size_t number = 0; number < tick->cards; number++) {
        const struct card *card = &tick->scratch->unsorted[number];
        if (!visibility_changes_to_still(tick->space, card->slot, entity_before(tick, card),
                                         entity_now(tick, card), card->moved, tick->ops) ||
            !append_found(tick, card))
            return false;
    }
    tick->room = 0;
    return true;
}

/* ------------------------------------------------------------------ */
/* The events                                                          */
/* ------------------------------------------------------------------ */

static const struct {
    enum outcome outcome;
    aoi_op op;
} order_of_events[] = {{LEAVES, AOI_LEAVE}, {ENTERS, AOI_ENTER}, {MOVES, AOI_MOVE}};

enum { KINDS = sizeof order_of_events / sizeof *order_of_events };

/* Groups the pairs as the first to be told wants them (telling.c would, but has to copy them): all
 * go to the list of that subject. False: no memory. */
static bool group_pairs(struct tick *tick) {
    uint32_t wants = tick->space->wants;
    struct tick_scratch *scratch = tick->scratch;
    struct memory *memory = &tick->space->memory;
    if (!(wants & (AOI_TELL_VIEW | AOI_TELL_WATCHERS | AOI_TELL_MARKERS)))
        return true;
    for (int kind = 0; kind < KINDS; kind++) {
        struct pairs *lists = scratch->pairs[order_of_events[kind].outcome];
        enum pair_subject by =
            telling_subject(wants, (wants & AOI_TELL_VIEW) != 0, order_of_events[kind].op);
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
    size_t segments = 0, events = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[order_of_events[kind].outcome];
        for (int by = 0; by < 2 && (order_of_events[kind].op & ops); by++) {
            segments += pairs_segments(&lists[by], (enum pair_subject)by);
            events += lists[by].count;
        }
    }
    return events == 0 || queue_reserve(queue, &tick->space->memory, segments, events);
}

static void write_events(struct tick *tick, struct queue *queue, uint32_t ops) {
    queue_begin_change(queue);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct pairs *lists = tick->scratch->pairs[order_of_events[kind].outcome];
        for (int by = 0; by < 2 && (order_of_events[kind].op & ops); by++)
            pairs_write(&lists[by], queue, order_of_events[kind].op, (enum pair_subject)by);
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

/* The share of changed entities from which on everybody takes part: looking for those that stand
 * still costs about three times as much as having them there. */
enum { EVERYBODY_FROM = 3 };

/* Queues the events; the old states stay. False: no memory, unchanged. */
static bool queue_net_change(struct aoi_space *space) {
    size_t changed = space->old_states.count;
    struct tick tick = {
        .space = space,
        .ops = space->listen | space->collect,
        .everybody = changed >= space->count / EVERYBODY_FROM,
        .radius = space->rule == SIGHT_CELLS ? 1 : space->usual_radius,
        .flat = true,
    };
    if (changed == 0 || tick.ops == 0)
        return true;
    if (!reserve_cards(space, tick.everybody ? changed + space->count : changed))
        return false;
    tick.scratch = space->tick_scratch;
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        tick.scratch->pairs[outcome][0].count = tick.scratch->pairs[outcome][1].count = 0;
    gather(&tick);
    set_outcomes(&tick);
    return sort_crowds(&tick) && (tick.everybody || judge_still(&tick)) &&
           judge_crowd(&tick, STEPS) && judge_crowd(&tick, ARRIVALS) &&
           judge_among_steps(&tick, ARRIVALS) && judge_crowd(&tick, DEPARTURES) &&
           judge_among_steps(&tick, DEPARTURES) && judge_all_unusual(&tick) && queue_events(&tick);
}

aoi_status aoi_tick(aoi_space *space) {
    if (!space->deferred)
        return AOI_INVALID;
    if (!queue_net_change(space))
        return AOI_NOMEM;
    old_states_clear(space);
    space_check(space);
    return AOI_OK;
}
