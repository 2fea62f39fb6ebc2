/*
 * high_water.h - high-water marks: when room that was kept for a next time is
 * given back.
 *
 * Who keeps room notes how much of it is used, and says when a period is over,
 * which is what brings work: a tick, or a delivery. When several periods in a
 * row have each used clearly less than was used before, the room is given back
 * whole, and who needs some next takes as much as that needs.
 *
 * So what is used again and again stays, and a burst that comes back within so
 * many periods finds its room. One that comes back later has to take it anew;
 * from the second time on room is kept twice as long each time: nothing goes to
 * and fro for long.
 */
#ifndef AOI_HIGH_WATER_H
#define AOI_HIGH_WATER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: nothing was used yet. In any unit that the room goes by. */
struct high_water {
    size_t used;    /* most at once in this period */
    size_t most;    /* the same of all periods since room was last given back */
    unsigned quiet; /* periods in a row that used clearly less than `most` */
    /* Most of what was given back, as long as that may have been too early; else 0. */
    size_t too_early;
    unsigned since;    /* periods since then */
    unsigned mistakes; /* how often it was too early, of late */
};

/* How many quiet periods it takes at first: ticks, or deliveries and questions, which are smaller.
 */
enum { QUIET_TICKS = 6, QUIET_CALLS = 64 };

/* So much is in use now. */
static inline void high_water_note(struct high_water *mark, size_t used) {
    if (used > mark->used)
        mark->used = used;
}

/* True when this period has used far more than any before, as far as is known. */
bool high_water_is_new(const struct high_water *mark);

/* The period is over. True: the room is to be given back. O(1). quiet_periods: see above. */
bool high_water_end(struct high_water *mark, unsigned quiet_periods);

#endif
