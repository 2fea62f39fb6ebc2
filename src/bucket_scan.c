/*
 * bucket_scan.c - the search of chains of blocks, in plain C, with AVX2 and
 * with AVX-512.
 *
 * All store every hit without a branch on it: whether a point lies in a thin
 * ring can't be predicted. All give the same slots in the same order.
 */
#include "buckets.h"

#include <math.h>

#include "vectors.h"

static void scan_block(const struct bucket_block *block, const struct ring_search *s,
                       struct hits *hits, struct hits *inside) {
    for (int lane = 0; lane < BUCKET_LANES; lane++) {
        float x = block->x[lane], y = block->y[lane];
        float from_x = fabsf(x - s->x), from_y = fabsf(y - s->y);
        int outer = (from_x <= s->outer_x) & (from_y <= s->outer_y);
        int inner = (from_x < s->inner_x) & (from_y < s->inner_y);
        hits->slots[hits->count] = block->slot[lane];
        hits->count += (size_t)(outer & ~inner);
        if (inside != NULL) {
            inside->slots[inside->count] = block->slot[lane];
            inside->count += (size_t)inner;
        }
    }
}

void bucket_scan_scalar(const struct bucket_block *blocks, const struct bucket_link *links,
                        const struct bucket_window *window, const struct ring_search *search,
                        struct hits *hits, struct hits *inside) {
    const struct bucket *row = window->corner;
    for (size_t i = 0; i < window->rows; i++, row += window->stride) {
        for (size_t column = 0; column < window->columns; column++) {
            for (uint32_t at = row[column].first; at != 0; at = links[at].next)
                scan_block(&blocks[at], search, hits, inside);
        }
    }
}

#ifdef HAVE_VECTORS
FOR_AVX2 static void bucket_scan_avx2(const struct bucket_block *blocks,
                                      const struct bucket_link *links,
                                      const struct bucket_window *window,
                                      const struct ring_search *search, struct hits *hits,
                                      struct hits *inside) {
    const __m256 sign = _mm256_set1_ps(-0.0F); /* distances have none */
    const __m256 middle_x = _mm256_set1_ps(search->x), middle_y = _mm256_set1_ps(search->y);
    const __m256 outer_x = _mm256_set1_ps(search->outer_x),
                 outer_y = _mm256_set1_ps(search->outer_y);
    const __m256 inner_x = _mm256_set1_ps(search->inner_x),
                 inner_y = _mm256_set1_ps(search->inner_y);
    uint32_t *found = hits->slots + hits->count;
    const struct bucket *row = window->corner, *end = row + window->columns;
    for (size_t i = 0; i < window->rows; i++, row += window->stride, end += window->stride) {
        for (const struct bucket *bucket = row; bucket < end; bucket++) {
            for (uint32_t at = bucket->first; at != 0; at = links[at].next) {
                const struct bucket_block *block = &blocks[at];
                for (int lane = 0; lane < BUCKET_LANES; lane += 8) {
                    __m256 x = _mm256_load_ps(block->x + lane), y = _mm256_load_ps(block->y + lane);
                    __m256 from_x = _mm256_andnot_ps(sign, _mm256_sub_ps(x, middle_x));
                    __m256 from_y = _mm256_andnot_ps(sign, _mm256_sub_ps(y, middle_y));
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

/* A block at a time, and the processor moves the lanes: a whole move takes a tenth less time than
 * with AVX2. */
FOR_AVX512 static void bucket_scan_avx512(const struct bucket_block *blocks,
                                          const struct bucket_link *links,
                                          const struct bucket_window *window,
                                          const struct ring_search *search, struct hits *hits,
                                          struct hits *inside) {
    const __m512 middle_x = _mm512_set1_ps(search->x), middle_y = _mm512_set1_ps(search->y);
    const __m512 outer_x = _mm512_set1_ps(search->outer_x),
                 outer_y = _mm512_set1_ps(search->outer_y);
    const __m512 inner_x = _mm512_set1_ps(search->inner_x),
                 inner_y = _mm512_set1_ps(search->inner_y);
    uint32_t *found = hits->slots + hits->count;
    const struct bucket *row = window->corner, *end = row + window->columns;
    for (size_t i = 0; i < window->rows; i++, row += window->stride, end += window->stride) {
        for (const struct bucket *bucket = row; bucket < end; bucket++) {
            for (uint32_t at = bucket->first; at != 0; at = links[at].next) {
                const struct bucket_block *block = &blocks[at];
                __m512 from_x = _mm512_abs_ps(_mm512_sub_ps(_mm512_load_ps(block->x), middle_x));
                __m512 from_y = _mm512_abs_ps(_mm512_sub_ps(_mm512_load_ps(block->y), middle_y));
                __mmask16 outer = _mm512_cmp_ps_mask(from_x, outer_x, _CMP_LE_OQ);
                outer = _mm512_mask_cmp_ps_mask(outer, from_y, outer_y, _CMP_LE_OQ);
                /* In mask registers to the end: the way to others and back takes time. */
                __mmask16 ring =
                    _mm512_kor(_mm512_mask_cmp_ps_mask(outer, from_x, inner_x, _CMP_GE_OQ),
                               _mm512_mask_cmp_ps_mask(outer, from_y, inner_y, _CMP_GE_OQ));
                __m512i slots = _mm512_load_si512(block->slot);
                found += store_sixteen(found, slots, ring);
                if (inside != NULL)
                    inside->count += store_sixteen(inside->slots + inside->count, slots,
                                                   _mm512_kandn(ring, outer));
            }
        }
    }
    hits->count = (size_t)(found - hits->slots);
}
#endif

bucket_scanner bucket_scanner_for_processor(void) {
#ifdef HAVE_VECTORS
    if (has_avx512())
        return bucket_scan_avx512;
    if (has_avx2())
        return bucket_scan_avx2;
#endif
    return bucket_scan_scalar;
}
