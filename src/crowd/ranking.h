/* ranking.h - rankings: lists of markers that compete for the places that a limit leaves. */
#ifndef AOI_RANKING_H
#define AOI_RANKING_H

#include "base/always_inline.h"
#include "base/array.h"
#include "base/xy.h"

/* One of those that compete for the places that the limit leaves. */
struct ranked {
    double square; /* of the distance; a newcomer's times keep * keep */
    aoi_id id;
    uint32_t slot;
    uint32_t told;   /* place in the told set until now, or NEWCOMER */
    uint32_t period; /* of the ring of a newcomer */
    uint8_t importance;
};

#define NEWCOMER UINT32_MAX

struct ranking ARRAY_OF(struct ranked);

/* a where `which` is 1, b where it is 0; not by a branch, which nobody could foresee. */
ALWAYS_INLINE uint64_t choose_number(unsigned which, uint64_t a, uint64_t b) {
    return b ^ ((a ^ b) & (UINT64_C(0) - which));
}

/* True when a ranks before b. */
static inline bool ranks_before(const struct ranked *a, const struct ranked *b) {
    if (a->importance != b->importance)
        return a->importance > b->importance;
    if (a->square != b->square)
        return a->square < b->square;
    if ((a->told == NEWCOMER) != (b->told == NEWCOMER))
        return b->told == NEWCOMER;
    return a->id < b->id;
}

/* So many at most are looked at one after the other for the last, which costs less than a heap:
 * measured. */
#ifdef AOI_TINY
enum { SHORT = 8 };
#else
enum { SHORT = 96 };
#endif

/* Knowledge of a full ranking by which its last is found again. */
struct full_ranking {
    bool is_heap;          /* a long one; false at first, see ranking_replace_last */
    unsigned importance;   /* a short one: the least, and the squares of those that have it, */
    xy squares[SHORT / 2]; /* side by side as they are compared; of the others NOBODY */
};

/* Puts the last in rank in front. O(n). */
void ranking_put_last_in_front(struct ranking *ranking, struct full_ranking *full);

/* The last in rank, which is in front, gives way to item, which is before it, and the last of them
 * comes to the front. O(log n), where they are many. */
void ranking_replace_last(struct ranking *ranking, const struct ranked *item,
                          struct full_ranking *full);

/* Into the order of ranks; of ids, ascending. O(n log n). */
void ranking_sort(struct ranking *ranking);
void ranking_sort_by_id(struct ranking *ranking);

#endif
