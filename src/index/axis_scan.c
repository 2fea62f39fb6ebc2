/*
 * axis_scan.c - the search of some blocks of an axis, in plain C and with AVX2.
 * Both give the same slots in the same order.
 *
 * A narrow strip is searched from the first group of lanes that matters to
 * the last one. Inside a group nothing branches: which nodes near the border
 * of a view lie in it can't be predicted.
 */
#include "base/always_inline.h"
#include "index/axis_scan.h"
#include "base/vectors.h"

static bool axis_scan_scalar(const struct block *blocks, const struct separator *row, size_t count,
                             const struct strip *strip, struct hits *hits) {
    size_t i = 0;
    do {
        const struct block *block = &blocks[row[i].block];
        int lane = block_group(block, strip->first);
        do {
            for (int end = lane + GROUP_LANES; lane < end; lane++) {
                float along = (float)block->coordinate[lane];
                float across = block->other[lane];
                int in_band = (strip->low <= along) & (along <= strip->high);
                int beside = (strip->other1 <= across) & (across <= strip->other2);
                hits->slots[hits->count] = block->slot[lane];
                hits->count += (size_t)(in_band & beside);
            }
        } while (lane < BLOCK_LANES && block->coordinate[lane] <= strip->last);
    } while (++i < count && row[i].coordinate <= strip->last);
    return i == count;
}

#ifdef HAVE_VECTORS
struct strip_eights {
    __m256 low, high, other1, other2;
};

/* Appends the slots of a group's lanes that lie in the strip. whole: all lie in low .. high. */
FOR_AVX2 ALWAYS_INLINE uint32_t *append_eights(uint32_t *found, const struct block *block,
                                               int group, const struct strip_eights *strip,
                                               bool whole) {
#pragma GCC unroll 2
    for (int lane = group; lane < group + GROUP_LANES; lane += 8) {
        const __m256 across = _mm256_load_ps(block->other + lane);
        __m256 hit = _mm256_and_ps(_mm256_cmp_ps(strip->other1, across, _CMP_LE_OQ),
                                   _mm256_cmp_ps(across, strip->other2, _CMP_LE_OQ));
        if (!whole) {
            const __m128 low = _mm256_cvtpd_ps(_mm256_load_pd(block->coordinate + lane));
            const __m128 high = _mm256_cvtpd_ps(_mm256_load_pd(block->coordinate + lane + 4));
            const __m256 along = _mm256_set_m128(high, low);
            hit = _mm256_and_ps(hit, _mm256_and_ps(_mm256_cmp_ps(strip->low, along, _CMP_LE_OQ),
                                                   _mm256_cmp_ps(along, strip->high, _CMP_LE_OQ)));
        }
        __m256i slots = _mm256_load_si256((const __m256i *)(const void *)(block->slot + lane));
        found += store_lanes(found, slots, (unsigned)_mm256_movemask_ps(hit));
    }
    return found;
}

FOR_AVX2 static bool axis_scan_avx2(const struct block *blocks, const struct separator *row,
                                    size_t count, const struct strip *strip, struct hits *hits) {
    const struct strip_eights eights = {_mm256_set1_ps(strip->low), _mm256_set1_ps(strip->high),
                                        _mm256_set1_ps(strip->other1),
                                        _mm256_set1_ps(strip->other2)};
    uint32_t *found = hits->slots + hits->count;
    size_t i = 0;
    bool more;
    do {
        const struct block *block = &blocks[row[i].block];
        more = i + 1 < count && row[i + 1].coordinate <= strip->last;
        if (more && (double)strip->low <= row[i].coordinate &&
            row[i + 1].coordinate <= (double)strip->high) { /* all nodes between them do, too */
            for (int group = 0; group < (int)block->count; group += GROUP_LANES)
                found = append_eights(found, block, group, &eights, true);
        } else {
            int group = block_group(block, strip->first);
            do {
                found = append_eights(found, block, group, &eights, false);
                group += GROUP_LANES;
            } while (group < BLOCK_LANES && block->coordinate[group] <= strip->last);
        }
        i++;
    } while (more);
    hits->count = (size_t)(found - hits->slots);
    return i == count;
}
#endif

axis_scanner axis_scanner_for_processor(void) {
#ifdef HAVE_VECTORS
    if (has_avx2())
        return axis_scan_avx2;
#endif
    return axis_scan_scalar;
}
