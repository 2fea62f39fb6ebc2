/*
 * axis.h - the entities in order along one axis: a sorted list, unrolled.
 *
 * Nodes stand in blocks of up to BLOCK_NODES, in ascending order of
 * (coordinate, slot), so that equal coordinates have one fixed order. The
 * blocks have an order too, a sorted array of separators, which is index and
 * links in one: finding a coordinate is a binary search, O(log n), never a
 * walk from an end, and the next block is the next separator's. A split moves
 * the separators behind it, 16 bytes for each BLOCK_NODES / 2 nodes at most,
 * once in BLOCK_NODES / 2 insertions.
 *
 * A block holds columns, of both coordinates, so that a search tests several
 * nodes at a time and never looks at an entity. The order needs exact
 * coordinates. A search compares floats, which are enough to find candidates:
 * rounding keeps their order, so who lies in a box also does so in floats.
 * Unused lanes hold NaN, which no comparison accepts; a search needs neither
 * counts nor tails.
 *
 * Invariants: separators ascend; a node stands in the last block whose
 * separator is not above it; the first separator is below everything; every
 * block but a lone one has nodes (in a batch, blocks may be empty).
 */
#ifndef AOI_AXIS_H
#define AOI_AXIS_H

#include "entity/entities.h"
#include "index/axis_scan.h"

enum { AXIS_X, AXIS_Y, AXES };

struct axis {
    struct memory *memory;
    struct entities *entities;
    int which;    /* AXIS_X or AXIS_Y */
    bool is_main; /* entities know their block, in handle[which] */
    struct block *blocks;
    size_t capacity, used; /* blocks */
    uint32_t free_block;
    size_t free_count;
    struct separator *separators; /* one per block in use, ascending */
    size_t separator_count, separator_capacity;
    size_t nodes;
    axis_scanner scan;
    bool batching; /* no blocks merge, so that a node taken back finds the room that it left */
    bool untidy;   /* some blocks should merge after the batch */
};

/* An axis that is all zero but for its first four fields. */
bool axis_init(struct axis *axis);
void axis_free(struct axis *axis);

/* Takes out all nodes and gives back all blocks but one; where the allocator can't even do that,
 * they stay. */
void axis_clear(struct axis *axis);

/* Room for one more block: then the next insert or relocate can't fail. */
bool axis_reserve(struct axis *axis);

/* coordinate is on this axis, other on the other one. O(log n). */
void axis_insert(struct axis *axis, uint32_t slot, double coordinate, double other);

/* The entity still has its old position. */
void axis_remove(struct axis *axis, uint32_t slot);

/* Moves a node: a few places inside its block, else out and in again. The entity still has its
 * old position. */
void axis_relocate(struct axis *axis, uint32_t slot, double coordinate, double other);

/* Where among the separators a search from this coordinate begins. hint: where one from a
 * coordinate nearby began; any number will do. */
size_t axis_start(const struct axis *axis, double first, size_t hint);

/* True when a band up to this coordinate reaches the block at a position. */
static inline bool axis_reaches(const struct axis *axis, size_t position, double last) {
    return position < axis->separator_count && axis->separators[position].coordinate <= last;
}

/* Lets the processor fetch the block at a position. */
ALWAYS_INLINE void axis_prefetch(const struct axis *axis, size_t position) {
    block_prefetch(&axis->blocks[axis->separators[position].block]);
}

/* Fetches the block that a node of the main index stands in. */
ALWAYS_INLINE void axis_prefetch_node(const struct axis *axis, uint32_t slot) {
    const struct block *block = &axis->blocks[axis->entities->at[slot].handle[axis->which]];
    __builtin_prefetch(&block->count);
    block_prefetch(block);
}

/* Appends the slots of a strip to hits. start: axis_start of its first coordinate. */
bool axis_search(const struct axis *axis, const struct strip *strip, size_t start,
                 struct hits *hits);

/* The first and last coordinate; both 0 when there are no nodes. */
void axis_extent(const struct axis *axis, double *first, double *last);

/* Ends a batch (see batching): merges what should, in one pass over the list. */
void axis_tidy(struct axis *axis);

#ifdef AOI_SELF_CHECK
void axis_check(const struct axis *axis);
#endif

#endif
