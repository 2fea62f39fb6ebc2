/*
 * axis_scan.c - the search of some blocks of an axis, in plain C and with AVX.
 *
 * Both start at the first group of lanes that matters and stop after the last
 * one. Inside a group nothing branches: which nodes near the border of a view
 * lie in it can't be predicted. Both give the same slots in the same order.
 */
#include "axis.h"

#include <stdlib.h>

bool axis_scan_scalar(const struct block *blocks, const struct separator *row, size_t count,
                      const struct strip *strip, struct hits *hits) {
    size_t i = 0;
    do {
        const struct block *block = &blocks[row[i].block];
        int lane = block_group(block, strip->first);
        do {
            for (int end = lane + GROUP_NODES; lane < end; lane++) {
                double along = block->coordinate[lane], across = block->other[lane];
                int in_band = (strip->first <= along) & (along <= strip->last);
                int open = (strip->other1 < across) & (across < strip->other2);
                int closed = (strip->other1 <= across) & (across <= strip->other2);
                hits->slots[hits->count] = block->slot[lane];
                hits->count += (size_t)(in_band & (strip->open ? open : closed));
            }
        } while (lane < BLOCK_NODES && block->coordinate[lane] <= strip->last);
    } while (++i < count && row[i].coordinate <= strip->last);
    return i == count;
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define HAVE_AVX 1
#include <immintrin.h>

#define AVX_CODE __attribute__((target("avx,bmi,popcnt")))
#define AVX_PART __attribute__((target("avx,bmi,popcnt"), always_inline)) static inline

struct strip_lanes {
    __m256d first, last, other1, other2;
};

/* The lanes of a group that lie in the strip, as bits. open and whole are constants at each call:
 * the compiler makes code for each. whole: all of the block lies between first and last. */
AVX_PART uint64_t group_mask(const struct block *block, int group, const struct strip_lanes *strip,
                             bool open, bool whole) {
    uint64_t mask = 0;
#pragma GCC unroll 4
    for (int lane = 0; lane < GROUP_NODES; lane += 4) {
        __m256d across = _mm256_loadu_pd(block->other + group + lane);
        __m256d hit = open ? _mm256_and_pd(_mm256_cmp_pd(strip->other1, across, _CMP_LT_OQ),
                                           _mm256_cmp_pd(across, strip->other2, _CMP_LT_OQ))
                           : _mm256_and_pd(_mm256_cmp_pd(strip->other1, across, _CMP_LE_OQ),
                                           _mm256_cmp_pd(across, strip->other2, _CMP_LE_OQ));
        if (!whole) {
            __m256d along = _mm256_loadu_pd(block->coordinate + group + lane);
            hit = _mm256_and_pd(hit, _mm256_and_pd(_mm256_cmp_pd(strip->first, along, _CMP_LE_OQ),
                                                   _mm256_cmp_pd(along, strip->last, _CMP_LE_OQ)));
        }
        mask |= (uint64_t)_mm256_movemask_pd(hit) << lane;
    }
    return mask << group;
}

/* Appends the slots of the chosen lanes: the first few without a branch. */
AVX_PART uint32_t *append_lanes(uint32_t *found, const struct block *block, uint64_t mask) {
    enum { FEW = 4 };
    const uint64_t last_lane = UINT64_C(1) << (BLOCK_NODES - 1); /* where fewer are left */
    uint32_t *end = found + _mm_popcnt_u64(mask);
#pragma GCC unroll 4
    for (int i = 0; i < FEW; i++, mask &= mask - 1)
        found[i] = block->slot[__builtin_ctzll(mask | last_lane)];
    for (found += FEW; mask != 0; mask &= mask - 1)
        *found++ = block->slot[__builtin_ctzll(mask)];
    return end;
}

AVX_PART bool scan_avx(const struct block *blocks, const struct separator *row, size_t count,
                       const struct strip *strip, bool open, struct hits *hits) {
    const struct strip_lanes lanes = {_mm256_set1_pd(strip->first), _mm256_set1_pd(strip->last),
                                      _mm256_set1_pd(strip->other1), _mm256_set1_pd(strip->other2)};
    uint32_t *found = hits->slots + hits->count;
    size_t i = 0;
    bool more;
    do {
        const struct block *block = &blocks[row[i].block];
        uint64_t mask = 0;
        more = i + 1 < count && row[i + 1].coordinate <= strip->last;
        if (more && strip->first <= row[i].coordinate) {
            for (int group = 0; group < (int)block->count; group += GROUP_NODES)
                mask |= group_mask(block, group, &lanes, open, true);
        } else {
            int group = block_group(block, strip->first);
            do {
                mask |= group_mask(block, group, &lanes, open, false);
                group += GROUP_NODES;
            } while (group < BLOCK_NODES && block->coordinate[group] <= strip->last);
        }
        found = append_lanes(found, block, mask);
        i++;
    } while (more);
    hits->count = (size_t)(found - hits->slots);
    return i == count;
}

AVX_CODE static bool axis_scan_avx(const struct block *blocks, const struct separator *row,
                                   size_t count, const struct strip *strip, struct hits *hits) {
    if (strip->open)
        return scan_avx(blocks, row, count, strip, true, hits);
    return scan_avx(blocks, row, count, strip, false, hits);
}
#endif

axis_scanner axis_scanner_for_processor(void) {
#ifdef AOI_SELF_CHECK
    if (getenv("AOI_SCALAR") != NULL)
        return axis_scan_scalar;
#endif
#ifdef HAVE_AVX
    if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("popcnt"))
        return axis_scan_avx;
#endif
    return axis_scan_scalar;
}
