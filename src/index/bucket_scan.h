/*
 * bucket_scan.h - the search of a window of chains of blocks: in plain C and
 * with AVX2, for the functions that are made for each.
 *
 * by_radius: the points have view radii of their own, and each makes the ring
 * its own. Both store every hit without a branch on it: whether a point lies in
 * a thin ring can't be predicted. Both give the same slots in the same order.
 */
#ifndef AOI_BUCKET_SCAN_H
#define AOI_BUCKET_SCAN_H

#include <math.h>

#include "base/always_inline.h"
#include "index/buckets.h"
#include "base/vectors.h"

ALWAYS_INLINE void scan_block(const struct bucket_block *block, const struct bucket_radii *radii,
                              const struct ring_search *s, struct hits *hits, struct hits *inside) {
    for (int lane = 0; lane < BUCKET_LANES; lane++) {
        float x = block->x[lane], y = block->y[lane];
        float from_x = fabsf(x - s->x);
        float from_y = fabsf(y - s->y);
        float outer_x = s->outer_x, outer_y = s->outer_y;
        float inner_x = s->inner_x, inner_y = s->inner_y;
        if (radii != NULL) {
            float radius = radii->radius[lane], part = radius * s->inner_part;
            outer_x = radius + s->wall_x;
            outer_y = radius + s->wall_y;
            inner_x = part - s->wall_x;
            inner_y = part - s->wall_y;
        }
        int outer = (from_x <= outer_x) & (from_y <= outer_y);
        int inner = (from_x < inner_x) & (from_y < inner_y);
        hits->slots[hits->count] = block->slot[lane];
        hits->count += (size_t)(outer & ~inner);
        if (inside != NULL) {
            inside->slots[inside->count] = block->slot[lane];
            inside->count += (size_t)inner;
        }
    }
}

ALWAYS_INLINE void scan_plainly(const struct buckets *buckets, bool by_radius,
                                const struct bucket_window *window,
                                const struct ring_search *search, struct hits *hits,
                                struct hits *inside) {
    const struct bucket_block *blocks = buckets->blocks.items;
    const struct bucket_radii *radii = buckets->radii.items;
    const struct bucket *row = window->corner;
    for (size_t i = 0; i < window->rows; i++, row += window->stride) {
        for (size_t column = 0; column < window->columns; column++) {
            for (uint32_t at = row[column].first; at != 0; at = buckets->links.items[at].next)
                scan_block(&blocks[at], by_radius ? &radii[at] : NULL, search, hits, inside);
        }
    }
}

#ifdef HAVE_VECTORS
FOR_AVX2 ALWAYS_INLINE void scan_eights(const struct buckets *buckets, bool by_radius,
                                        const struct bucket_window *window,
                                        const struct ring_search *search, struct hits *hits,
                                        struct hits *inside) {
    const __m256 sign = _mm256_set1_ps(-0.0F); /* distances have none */
    const __m256 middle_x = _mm256_set1_ps(search->x), middle_y = _mm256_set1_ps(search->y);
    const __m256 part = _mm256_set1_ps(search->inner_part);
    const __m256 wall_x = _mm256_set1_ps(search->wall_x), wall_y = _mm256_set1_ps(search->wall_y);
    __m256 outer_x = _mm256_set1_ps(search->outer_x), outer_y = _mm256_set1_ps(search->outer_y);
    __m256 inner_x = _mm256_set1_ps(search->inner_x), inner_y = _mm256_set1_ps(search->inner_y);
    const struct bucket_block *blocks = buckets->blocks.items;
    const struct bucket_radii *radii = buckets->radii.items;
    const struct bucket_link *links = buckets->links.items;
    uint32_t *found = hits->slots + hits->count;
    const struct bucket *row = window->corner, *end = row + window->columns;
    for (size_t i = 0; i < window->rows; i++, row += window->stride, end += window->stride) {
        for (const struct bucket *bucket = row; bucket < end; bucket++) {
            for (uint32_t at = bucket->first; at != 0; at = links[at].next) {
                const struct bucket_block *block = &blocks[at];
#pragma GCC unroll 2
                for (int lane = 0; lane < BUCKET_LANES; lane += 8) {
                    __m256 x = _mm256_load_ps(block->x + lane), y = _mm256_load_ps(block->y + lane);
                    __m256 from_x = _mm256_andnot_ps(sign, _mm256_sub_ps(x, middle_x));
                    __m256 from_y = _mm256_andnot_ps(sign, _mm256_sub_ps(y, middle_y));
                    if (by_radius) {
                        const __m256 radius = _mm256_load_ps(radii[at].radius + lane);
                        const __m256 inner = _mm256_mul_ps(radius, part);
                        outer_x = _mm256_add_ps(radius, wall_x);
                        outer_y = _mm256_add_ps(radius, wall_y);
                        inner_x = _mm256_sub_ps(inner, wall_x);
                        inner_y = _mm256_sub_ps(inner, wall_y);
                    }
                    __m256 outer = _mm256_and_ps(_mm256_cmp_ps(from_x, outer_x, _CMP_LE_OQ),
                                                 _mm256_cmp_ps(from_y, outer_y, _CMP_LE_OQ));
                    __m256 inner = _mm256_and_ps(_mm256_cmp_ps(from_x, inner_x, _CMP_LT_OQ),
                                                 _mm256_cmp_ps(from_y, inner_y, _CMP_LT_OQ));
                    __m256i slots =
                        _mm256_load_si256((const __m256i *)(const void *)(block->slot + lane));
                    unsigned ring = (unsigned)_mm256_movemask_ps(_mm256_andnot_ps(inner, outer));
                    found += store_lanes(found, slots, ring);
                    if (inside != NULL)
                        inside->count += store_lanes(inside->slots + inside->count, slots,
                                                     (unsigned)_mm256_movemask_ps(inner));
                }
            }
        }
    }
    hits->count = (size_t)(found - hits->slots);
}
#endif

#endif
