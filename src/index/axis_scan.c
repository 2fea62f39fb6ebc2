/*
 * axis_scan.c - the search of some blocks of an axis, in plain C, with AVX2 and
 * with AVX-512. All give the same slots in the same order.
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
                axis_number along = (axis_number)block->coordinate[lane];
                axis_number across = block->other[lane];
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
/* True when all nodes between two separators lie between low and high. */
static inline bool lies_within(const struct separator *separator, const struct strip *strip) {
    return (double)strip->low <= separator[0].coordinate &&
           separator[1].coordinate <= (double)strip->high;
}

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
        if (more && lies_within(&row[i], strip)) {
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

struct strip_sixteens {
    __m512 low, high, other1, other2;
};

FOR_AVX512 ALWAYS_INLINE uint32_t *append_sixteen(uint32_t *found, const struct block *block,
                                                  int group, const struct strip_sixteens *strip,
                                                  bool whole) {
    const __m512 across = _mm512_load_ps(block->other + group);
    __mmask16 hit = _mm512_cmp_ps_mask(strip->other1, across, _CMP_LE_OQ);
    hit = _mm512_mask_cmp_ps_mask(hit, across, strip->other2, _CMP_LE_OQ);
    if (!whole) {
        const __m256 low = _mm512_cvtpd_ps(_mm512_load_pd(block->coordinate + group));
        const __m256 high = _mm512_cvtpd_ps(_mm512_load_pd(block->coordinate + group + 8));
        const __m512 along = _mm512_castpd_ps(_mm512_insertf64x4(
            _mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
        hit = _mm512_mask_cmp_ps_mask(hit, strip->low, along, _CMP_LE_OQ);
        hit = _mm512_mask_cmp_ps_mask(hit, along, strip->high, _CMP_LE_OQ);
    }
    return found + store_sixteen(found, _mm512_load_si512(block->slot + group), hit);
}

/* All groups of a block: fewer than there are would take a branch that can't be predicted. */
FOR_AVX512 ALWAYS_INLINE uint32_t *append_block(uint32_t *found, const struct block *block,
                                                const struct strip_sixteens *strip, bool whole) {
#pragma GCC unroll 4
    for (int group = 0; group < BLOCK_LANES; group += GROUP_LANES)
        found = append_sixteen(found, block, group, strip, whole);
    return found;
}

FOR_AVX512 static bool axis_scan_avx512(const struct block *blocks, const struct separator *row,
                                        size_t count, const struct strip *strip,
                                        struct hits *hits) {
    const struct strip_sixteens sixteens = {_mm512_set1_ps(strip->low), _mm512_set1_ps(strip->high),
                                            _mm512_set1_ps(strip->other1),
                                            _mm512_set1_ps(strip->other2)};
    uint32_t *found = hits->slots + hits->count;
    size_t i = 0;
    bool more;
    do {
        const struct block *block = &blocks[row[i].block];
        more = i + 1 < count && row[i + 1].coordinate <= strip->last;
        if (more && lies_within(&row[i], strip)) {
            found = append_block(found, block, &sixteens, true);
        } else if (more || i > 0) {
            found = append_block(found, block, &sixteens, false);
        } else {
            int group = block_group(block, strip->first);
            do {
                found = append_sixteen(found, block, group, &sixteens, false);
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
    if (has_avx512())
        return axis_scan_avx512;
    if (has_avx2())
        return axis_scan_avx2;
#endif
    return axis_scan_scalar;
}
