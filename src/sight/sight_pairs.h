/*
 * sight_pairs.h - the comparisons of sight.h for several pairs side by side, in two dimensions: as
 * many as a register holds. Each gives what sees() gives for the same pairs.
 */
#ifndef AOI_SIGHT_PAIRS_H
#define AOI_SIGHT_PAIRS_H

#include "base/vectors.h"
#include "sight/sight.h"

/* Where the answers for two pairs stand: where processors leave them. */
enum { IN_FIRST = 1 << 0, IN_SECOND = 1 << 2 };

/* in_view for two pairs at once. */
ALWAYS_INLINE unsigned in_two_views(enum sight_rule rule, const struct stance *watcher1,
                                    const struct stance *marker1, const struct stance *watcher2,
                                    const struct stance *marker2) {
#ifdef __SSE2__
    if (rule == SIGHT_CELLS || rule == SIGHT_SQUARE || rule == SIGHT_CIRCLE) {
        const double radius1 = watcher1->radius, radius2 = watcher2->radius;
        const xy reach1 = xy_of(radius1), reach2 = xy_of(radius2);
        __m128d first = _mm_and_pd(_mm_cmple_pd(watcher1->at - reach1, marker1->at),
                                   _mm_cmple_pd(marker1->at, watcher1->at + reach1));
        __m128d second = _mm_and_pd(_mm_cmple_pd(watcher2->at - reach2, marker2->at),
                                    _mm_cmple_pd(marker2->at, watcher2->at + reach2));
        if (rule == SIGHT_CIRCLE) {
            const xy apart1 = marker1->at - watcher1->at, apart2 = marker2->at - watcher2->at;
            const xy squares1 = apart1 * apart1, squares2 = apart2 * apart2;
            const xy squares =
                _mm_unpacklo_pd(squares1, squares2) + _mm_unpackhi_pd(squares1, squares2);
            const xy largest = {radius1 * radius1, radius2 * radius2};
            const __m128d round = _mm_cmple_pd(squares, largest);
            first = _mm_and_pd(first, _mm_unpacklo_pd(round, round));
            second = _mm_and_pd(second, _mm_unpackhi_pd(round, round));
        }
        __m128 axes = _mm_shuffle_ps(_mm_castpd_ps(first), _mm_castpd_ps(second), 0x88);
        unsigned inside = (unsigned)_mm_movemask_ps(axes); /* x and y of the first, the second */
        return inside & inside >> 1 & (IN_FIRST | IN_SECOND);
    }
#endif
    return in_view(rule, watcher1, marker1) * IN_FIRST |
           in_view(rule, watcher2, marker2) * IN_SECOND;
}

/* sees for two pairs at once; alike: both have the same layer bits. */
ALWAYS_INLINE unsigned sees_two(enum sight_rule rule, bool alike, const struct stance *watcher1,
                                const struct stance *marker1, const struct stance *watcher2,
                                const struct stance *marker2) {
    unsigned views = in_two_views(rule, watcher1, marker1, watcher2, marker2);
    unsigned first = (watcher1->looked_for & marker1->shown) != 0;
    unsigned second = alike ? first : (watcher2->looked_for & marker2->shown) != 0;
    return views & (first * IN_FIRST | second * IN_SECOND);
}

#ifdef HAVE_VECTORS
/* Where low <= position <= high. */
FOR_AVX2 static inline __m256d between_avx2(__m256d low, __m256d position, __m256d high) {
    return _mm256_and_pd(_mm256_cmp_pd(low, position, _CMP_LE_OQ),
                         _mm256_cmp_pd(position, high, _CMP_LE_OQ));
}

/* in_view for two entities of one radius, then and now, in both directions: `own` and `other` are x
 * and y then, x and y now. Bits: own sees other then, other own then, own other now, other own now.
 */
FOR_AVX2 ALWAYS_INLINE unsigned in_four_views(bool round, __m256d radius, __m256d square,
                                              __m256d own, __m256d other) {
    const __m256d there =
        between_avx2(_mm256_sub_pd(own, radius), other, _mm256_add_pd(own, radius));
    const __m256d back =
        between_avx2(_mm256_sub_pd(other, radius), own, _mm256_add_pd(other, radius));
    /* Both axes; there and back then, there and back now. */
    __m256d inside =
        _mm256_and_pd(_mm256_unpacklo_pd(there, back), _mm256_unpackhi_pd(there, back));
    if (round) {
        const __m256d apart = _mm256_sub_pd(other, own), squares = _mm256_mul_pd(apart, apart);
        const __m256d sums = _mm256_add_pd(squares, _mm256_permute_pd(squares, 5));
        inside = _mm256_and_pd(inside, _mm256_cmp_pd(sums, square, _CMP_LE_OQ));
    }
    return (unsigned)_mm256_movemask_pd(inside);
}
#endif

#endif
