/* high_water.c - the rule by which kept room goes back: quiet periods, and more of them after a
 * mistake. */
#include "base/high_water.h"

#ifdef AOI_TINY
enum { TRIFLE = 0 };
#else
enum { TRIFLE = 16 }; /* not worth giving back */
#endif

/* Each mistake but the first makes it twice as many quiet periods. */
enum { MOST_MISTAKES = 7 };

/* True when `used` takes about the room that was taken for `most`. */
static bool reaches(size_t used, size_t most) {
    return used > most - most / 4;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

bool high_water_is_new(const struct high_water *mark) {
    return !reaches(larger(mark->most, mark->too_early), mark->used);
}

/* Finds out whether what was given back was so too early. */
static void learn(struct high_water *mark, unsigned quiet_periods) {
    if (mark->too_early == 0)
        return;
    mark->since++;
    if (reaches(mark->used, mark->too_early)) {
        mark->too_early = 0;
        mark->mistakes += mark->mistakes < MOST_MISTAKES;
    } else if (mark->since >= quiet_periods << MOST_MISTAKES) {
        mark->too_early = mark->mistakes = 0;
    }
}

bool high_water_end(struct high_water *mark, unsigned quiet_periods) {
    learn(mark, quiet_periods);
    const bool is_quiet = mark->most > TRIFLE && !reaches(mark->used, mark->most);
    mark->quiet = is_quiet ? mark->quiet + 1 : 0;
    mark->most = larger(mark->used, mark->most);
    mark->used = 0;
    if (mark->quiet < quiet_periods << (mark->mistakes == 0 ? 0 : mark->mistakes - 1))
        return false;
    mark->too_early = larger(mark->most, mark->too_early);
    mark->most = mark->quiet = mark->since = 0;
    return true;
}
