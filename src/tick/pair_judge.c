/*
 * pair_judge.c - the comparisons of many pairs, in plain C and with AVX2; no
 * branch depends on the outcome, which can't be predicted.
 */
#include "tick/pair_judge.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sight/sight_pairs.h"

ALWAYS_INLINE unsigned flat_sight_of(enum sight_rule rule, double radius,
                                     const struct participant *watcher,
                                     const struct participant *marker) {
    const struct stance watchers[] = {stance_before(watcher, radius, 0),
                                      stance_now(watcher, radius, 0)};
    const struct stance markers[] = {stance_before(marker, 0, 0), stance_now(marker, 0, 0)};
    return sight_then_and_now(rule, watchers, markers);
}

static inline void judge_plainly(enum sight_rule rule, double radius,
                                 const struct participant *firsts,
                                 const struct participant *seconds, const uint8_t by_sight[4],
                                 struct found *found) {
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t first_at = found->firsts[i], second_at = found->seconds[i];
        const struct participant *first = &firsts[first_at], *second = &seconds[second_at];
        unsigned outcome = by_sight[flat_sight_of(rule, radius, first, second)];
        unsigned back = by_sight[flat_sight_of(rule, radius, second, first)];
        kept = found_keep(*found, kept, first_at, second_at, outcome | back << BACK_SHIFT);
    }
    found->count = kept;
}

#ifdef HAVE_VECTORS
/* The sights of a pair, before and now, as judge_avx2 finds them. */
enum { THERE_SAW = 1, BACK_SAW = 2, THERE_SEES = 4, BACK_SEES = 8, SIGHTS = 16 };

FOR_AVX2 static inline __attribute__((always_inline)) void
judge_avx2(bool round, double radius, const struct participant *firsts,
           const struct participant *seconds, const uint8_t by_sight[4], struct found *judged) {
    const __m256d reach = _mm256_set1_pd(radius), square = _mm256_set1_pd(radius * radius);
    const struct found found = *judged;
    uint8_t outcomes[SIGHTS]; /* of both directions */
    for (unsigned sight = 0; sight < SIGHTS; sight++) {
        unsigned there = (sight & THERE_SAW ? SAW : 0) | (sight & THERE_SEES ? SEES : 0);
        unsigned back = (sight & BACK_SAW ? SAW : 0) | (sight & BACK_SEES ? SEES : 0);
        outcomes[sight] = (uint8_t)(by_sight[there] | by_sight[back] << BACK_SHIFT);
    }
    size_t kept = 0;
    for (size_t i = 0; i < found.count; i++) {
        const uint32_t first_at = found.firsts[i], second_at = found.seconds[i];
        const struct participant *first = &firsts[first_at], *second = &seconds[second_at];
        /* x and y before, x and y now. */
        const __m256d own = _mm256_load_pd((const double *)(const void *)first);
        const __m256d other = _mm256_load_pd((const double *)(const void *)second);
        const unsigned views = in_four_views(round, reach, square, own, other);
        /* In the same order: looked for beside shown. */
        const __m128i own_bits =
            _mm_load_si128((const __m128i *)(const void *)&first->looked_before);
        const __m128i other_bits =
            _mm_load_si128((const __m128i *)(const void *)&second->looked_before);
        const __m128i common = _mm_and_si128(own_bits, _mm_shuffle_epi32(other_bits, 0xB1));
        const unsigned none = (unsigned)_mm_movemask_ps(
            _mm_castsi128_ps(_mm_cmpeq_epi32(common, _mm_setzero_si128())));
        const unsigned sight = views & ~none;
        kept = found_keep(found, kept, first_at, second_at, outcomes[sight]);
    }
    judged->count = kept;
}

FOR_AVX2 static void judge_by_avx2(bool round, double radius, const struct participant *firsts,
                                   const struct participant *seconds, const uint8_t by_sight[4],
                                   struct found *found) {
    if (round)
        judge_avx2(true, radius, firsts, seconds, by_sight, found);
    else
        judge_avx2(false, radius, firsts, seconds, by_sight, found);
}
#endif

void pair_judge_flat(enum sight_rule rule, double radius,
                     const struct participant *first_participants,
                     const struct participant *second_participants, const uint8_t by_sight[4],
                     struct found *found) {
    bool round = rule == SIGHT_CIRCLE;
#ifdef HAVE_VECTORS
    if (has_avx2()) {
        judge_by_avx2(round, radius, first_participants, second_participants, by_sight, found);
        return;
    }
#endif
    if (round)
        judge_plainly(SIGHT_CIRCLE, radius, first_participants, second_participants, by_sight,
                      found);
    else
        judge_plainly(SIGHT_SQUARE, radius, first_participants, second_participants, by_sight,
                      found);
}
