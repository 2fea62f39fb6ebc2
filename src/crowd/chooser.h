/*
 * chooser.h - the watcher whose turn it is, as the files see it that choose for it:
 *
 *     choose.c       who stays, and what the limits say
 *     newcomers.c    who could come
 *     write_told.c   the new told set, and its events
 */
#ifndef AOI_CHOOSER_H
#define AOI_CHOOSER_H

#include "crowd/work.h"

/* In place of a rule, where there are exceptions: see sight/exceptions.h. */
#define SIGHT_WITH_EXCEPTIONS ((enum sight_rule)(SIGHT_BALL + 1))

/* The watcher whose turn it is. */
struct chooser {
    struct crowd_work *work;
    const struct crowd *crowd;
    struct member *member;
    uint32_t slot;
    const struct stand *watcher;
    struct stance stance;
    enum sight_rule rule; /* or SIGHT_WITH_EXCEPTIONS; then: */
    bool has_words;       /* about pairs with the watcher */
    size_t limit;         /* places for those that are ranked */
    bool is_limited;      /* else everybody gets one, and those that were told keep it */
    size_t due;           /* pairs that are, if all of them stay; */
    uint64_t due_ages;    /* the bits that their ages have */
    bool knows_all;       /* nobody was passed over */
    bool is_withheld;     /* some newcomers have to wait */
    bool takes_all;       /* see write_all_by */
    struct tree_box view; /* in it lies all that the watcher sees */
};

/* ---- newcomers.c; each is false where memory is lacking ---- */

/* Looks at pinned markers that were not told, and are seen now. */
bool chooser_look_at_pins(struct chooser *chooser);

/* Looks at markers that came into the view, where the tick has found that for all. */
bool chooser_look_at_arrivals(struct chooser *chooser);

/* Looks at all that could be newcomers, by the shortest way. */
bool chooser_look_for_newcomers(struct chooser *chooser);

/* ---- write_told.c ---- */

/* Writes the new told set and its events. */
bool chooser_write(struct chooser *chooser);

/* ---- Questions of several files ---- */

/* Whether the watcher sees the marker, where there are exceptions. */
static inline bool chooser_sees(const struct chooser *chooser, const struct stand *marker) {
    const struct aoi_space *space = chooser->work->space;
    const struct entity *from = &space->entities.at[chooser->slot];
    const struct entity *to = &space->entities.at[marker->slot];
    const struct stance stance = stand_stance(space->visibility.rule, marker);
    /* A marker in the view by its own radius needs no further look. */
    return (!chooser->has_words && sees(space->visibility.rule, &chooser->stance, &stance) != 0) ||
           visibility_sees(&space->visibility, from, to);
}

ALWAYS_INLINE bool sees_stand_by(enum sight_rule rule, const struct chooser *chooser,
                                 const struct stand *marker) {
    if (rule == SIGHT_WITH_EXCEPTIONS)
        return chooser_sees(chooser, marker);
    const struct stance stance = stand_stance(rule, marker);
    return sees(rule, &chooser->stance, &stance) != 0;
}

static inline bool is_full(const struct chooser *chooser) {
    return chooser->work->ranking.count >= chooser->limit;
}

/* The fate of the pair if its marker stays. */
ALWAYS_INLINE struct fate fate_of(const struct chooser *chooser, const struct told *pair,
                                  const struct stand *marker, double square) {
    /* So many at most: a period is no more ticks than AOI_LONGEST_PERIOD, or PERIOD_NEVER. */
    enum { MOST = AOI_LONGEST_PERIOD + OLDEST };
    const int64_t all = chooser->work->tick - pair->since;
    const uint32_t ago = (uint32_t)(all < MOST ? all : MOST);
    const uint32_t ring = crowd_period(chooser->crowd, square);
    const uint32_t period = ring < pair->period ? ring : pair->period;
    const uint32_t age = ago - period;
    const bool waits = marker->moved > pair->since;
    return (struct fate){.marker = marker->id,
                         .ring = ring,
                         .period = period,
                         .age = age < OLDEST ? age : OLDEST,
                         .stays = true,
                         .waits = waits,
                         .is_due = waits & (ago >= period)};
}

#endif
