/* axis_scan.h - the blocks of an axis, and the search of some of them for a strip. */
#ifndef AOI_AXIS_SCAN_H
#define AOI_AXIS_SCAN_H

#include "base/always_inline.h"
#include "index/ring.h"

/* The lanes of a block that are looked at together, all of its lanes, and how many may be used. */
#ifdef AOI_TINY
enum { GROUP_LANES = 16, BLOCK_LANES = 16, BLOCK_NODES = 4 };
#else
enum { GROUP_LANES = 16, BLOCK_LANES = 64, BLOCK_NODES = 64 };
#endif

#define NO_BLOCK UINT32_MAX

struct block {
    _Alignas(64) double coordinate[BLOCK_LANES]; /* on this axis; on a cache line */
    float other[BLOCK_LANES];                    /* on the other axis, rounded */
    uint32_t slot[BLOCK_LANES];
    uint32_t count;
    uint32_t position;  /* of its separator; a hint, as splits before it move it */
    uint32_t next_free; /* of a free block; NO_BLOCK ends the list */
};

/* The first lane of the first group that may have nodes not below the coordinate. No branch: where
 * that is can't be predicted. */
static inline int block_group(const struct block *block, double coordinate) {
    int groups = 0;
#pragma GCC unroll 4
    for (int lane = GROUP_LANES - 1; lane < BLOCK_LANES - GROUP_LANES; lane += GROUP_LANES)
        groups += block->coordinate[lane] < coordinate;
    return groups * GROUP_LANES;
}

/* Lets the processor fetch what is read first of a block: where its groups end. */
ALWAYS_INLINE void block_prefetch(const struct block *block) {
#pragma GCC unroll 4
    for (int lane = GROUP_LANES - 1; lane < BLOCK_LANES; lane += GROUP_LANES)
        __builtin_prefetch(&block->coordinate[lane]);
}

struct separator {
    double coordinate;
    uint32_t slot;
    uint32_t block; /* has the nodes from this separator up to the next one */
};

/* All nodes that lie within low .. high and, on the other axis, within other1 .. other2, with both
 * coordinates rounded to float. All of them, but perhaps not they alone, lie within first .. last.
 */
struct strip {
    double first, last;
    float low, high, other1, other2;
};

/* Appends to hits the slots of the nodes in the strip, from up to `count` blocks in a row. hits has
 * room for count * BLOCK_NODES more. False: the strip ends before the last of these blocks. */
typedef bool (*axis_scanner)(const struct block *blocks, const struct separator *row, size_t count,
                             const struct strip *strip, struct hits *hits);

/* The fastest scanner that this processor has. */
axis_scanner axis_scanner_for_processor(void);

#endif
