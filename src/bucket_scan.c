/*
 * bucket_scan.c - the search of a chain of blocks, in plain C and with AVX2.
 *
 * Both store every hit without a branch on it: whether a point lies in a
 * thin ring can't be predicted. Both give the same slots in the same order.
 */
#include "buckets.h"

#include <stdlib.h>

static void scan_block(const struct bucket_block *block, const struct ring_search *s,
                       struct hits *hits, struct hits *inside) {
    for (int lane = 0; lane < BUCKET_LANES; lane++) {
        float x = block->x[lane], y = block->y[lane];
        int outer =
            (s->outer_x1 <= x) & (x <= s->outer_x2) & (s->outer_y1 <= y) & (y <= s->outer_y2);
        int inner = (s->inner_x1 < x) & (x < s->inner_x2) & (s->inner_y1 < y) & (y < s->inner_y2);
        hits->slots[hits->count] = block->slot[lane];
        hits->count += (size_t)(outer & ~inner);
        if (inside != NULL) {
            inside->slots[inside->count] = block->slot[lane];
            inside->count += (size_t)inner;
        }
    }
}

void bucket_scan_scalar(const struct bucket_block *blocks, const struct bucket_link *links,
                        const struct bucket *row, size_t count, const struct ring_search *search,
                        struct hits *hits, struct hits *inside) {
    for (size_t i = 0; i < count; i++) {
        for (uint32_t at = row[i].first; at != 0; at = links[at].next)
            scan_block(&blocks[at], search, hits, inside);
    }
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define HAVE_AVX2 1
#include <immintrin.h>

/* Moves the lanes whose bit is set in mask to the front. The order of lanes is packed as eight
 * bytes: pdep spreads the mask to whole bytes, pext takes the numbers of the chosen lanes. */
__attribute__((target("avx2,bmi2"))) static inline __m256i front_lanes(__m256i lanes,
                                                                       unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, UINT64_C(0x0101010101010101)) * 0xFF;
    uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    __m256i permutation = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    return _mm256_permutevar8x32_epi32(lanes, permutation);
}

/* Appends the chosen lanes; returns how many. */
__attribute__((target("avx2,bmi2,popcnt"))) static inline size_t
store_lanes(uint32_t *slots, __m256i lanes, unsigned mask) {
    _mm256_storeu_si256((__m256i *)(void *)slots, front_lanes(lanes, mask));
    return (size_t)_mm_popcnt_u32(mask);
}

__attribute__((target("avx2,bmi2,popcnt"))) static void
bucket_scan_avx2(const struct bucket_block *blocks, const struct bucket_link *links,
                 const struct bucket *row, size_t buckets, const struct ring_search *search,
                 struct hits *hits, struct hits *inside) {
    __m256 outer_x1 = _mm256_set1_ps(search->outer_x1), outer_x2 = _mm256_set1_ps(search->outer_x2);
    __m256 outer_y1 = _mm256_set1_ps(search->outer_y1), outer_y2 = _mm256_set1_ps(search->outer_y2);
    __m256 inner_x1 = _mm256_set1_ps(search->inner_x1), inner_x2 = _mm256_set1_ps(search->inner_x2);
    __m256 inner_y1 = _mm256_set1_ps(search->inner_y1), inner_y2 = _mm256_set1_ps(search->inner_y2);
    uint32_t *found = hits->slots + hits->count;
    for (size_t i = 0; i < buckets; i++) {
        for (uint32_t at = row[i].first; at != 0; at = links[at].next) {
            const struct bucket_block *block = &blocks[at];
            for (int lane = 0; lane < BUCKET_LANES; lane += 8) {
                __m256 x = _mm256_loadu_ps(block->x + lane), y = _mm256_loadu_ps(block->y + lane);
                __m256 outer = _mm256_and_ps(_mm256_and_ps(_mm256_cmp_ps(outer_x1, x, _CMP_LE_OQ),
                                                           _mm256_cmp_ps(x, outer_x2, _CMP_LE_OQ)),
                                             _mm256_and_ps(_mm256_cmp_ps(outer_y1, y, _CMP_LE_OQ),
                                                           _mm256_cmp_ps(y, outer_y2, _CMP_LE_OQ)));
                __m256 inner = _mm256_and_ps(_mm256_and_ps(_mm256_cmp_ps(inner_x1, x, _CMP_LT_OQ),
                                                           _mm256_cmp_ps(x, inner_x2, _CMP_LT_OQ)),
                                             _mm256_and_ps(_mm256_cmp_ps(inner_y1, y, _CMP_LT_OQ),
                                                           _mm256_cmp_ps(y, inner_y2, _CMP_LT_OQ)));
                __m256i slots =
                    _mm256_loadu_si256((const __m256i *)(const void *)(block->slot + lane));
                unsigned ring = (unsigned)_mm256_movemask_ps(_mm256_andnot_ps(inner, outer));
                found += store_lanes(found, slots, ring);
                if (inside != NULL)
                    inside->count += store_lanes(inside->slots + inside->count, slots,
                                                 (unsigned)_mm256_movemask_ps(inner));
            }
        }
    }
    hits->count = (size_t)(found - hits->slots);
}
#endif

bucket_scanner bucket_scanner_for_processor(void) {
#ifdef AOI_SELF_CHECK
    if (getenv("AOI_SCALAR") != NULL)
        return bucket_scan_scalar;
#endif
#ifdef HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return bucket_scan_avx2;
#endif
    return bucket_scan_scalar;
}
