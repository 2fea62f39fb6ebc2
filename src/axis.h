/*
 * axis.h - the entities in order along one axis: a sorted doubly linked list,
 * unrolled.
 *
 * Nodes stand in blocks of up to BLOCK_NODES, in ascending order of
 * (coordinate, slot), so that equal coordinates have one fixed order. Beside
 * the links the blocks have an index, a sorted array of separators: finding a
 * coordinate is a binary search, O(log n), never a walk from an end. A split
 * moves the separators behind it, 24 bytes for each BLOCK_NODES / 2 nodes at
 * most, once in BLOCK_NODES / 2 insertions.
 *
 * Invariants: separators ascend; a node stands in the last block whose
 * separator is not above it; the first separator is below everything; every
 * block but a lone one has nodes (in a batch, blocks may be empty).
 */
#ifndef AOI_AXIS_H
#define AOI_AXIS_H

#include "ring.h"

struct aoi_space;

#ifdef AOI_TINY
enum { BLOCK_NODES = 4 };
#else
enum { BLOCK_NODES = 64 };
#endif

enum { AXIS_X, AXIS_Y, AXES };
#define NO_BLOCK UINT32_MAX

struct node_key {
    double coordinate;
    uint32_t slot;
};

struct block {
    struct node_key separator; /* NaN in a free block, so that no coordinate fits */
    uint32_t count;
    uint32_t previous, next;        /* NO_BLOCK at the ends; free blocks are listed through next */
    double coordinate[BLOCK_NODES]; /* on this axis */
    double other[BLOCK_NODES];      /* on the other axis */
    uint32_t slot[BLOCK_NODES];
};

struct separator {
    struct node_key key;
    uint32_t block;
};

struct axis {
    struct aoi_space *space;
    int which;    /* AXIS_X or AXIS_Y */
    bool is_main; /* entities know their block, in place[which] */
    struct block *blocks;
    size_t capacity, used; /* blocks */
    uint32_t free_block;
    size_t free_count;
    struct separator *separators; /* one per block in use, ascending */
    size_t separator_count, separator_capacity;
    size_t nodes;
    bool batching; /* no blocks merge, so that a node taken back finds the room that it left */
    bool untidy;   /* some blocks should merge after the batch */
};

/* An axis that is all zero but for its first three fields; false: no memory. */
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

/* All nodes with first <= coordinate <= last and, on the other axis, within other1 .. other2;
 * with `open`, strictly within. */
struct strip {
    double first, last, other1, other2;
    bool open;
};

/* Appends the slots of a strip to hits. sentinel (may be NULL): the block where such a search
 * began last time, a hint. False: no memory. */
bool axis_search(struct axis *axis, const struct strip *strip, uint32_t *sentinel,
                 struct hits *hits);

/* The blocks between two coordinates: how dear a search of that band is. O(log n). */
size_t axis_band_blocks(const struct axis *axis, double first, double last);

/* The first and last coordinate; both 0 when there are no nodes. */
void axis_extent(const struct axis *axis, double *first, double *last);

/* Ends a batch (see batching): merges what should, in one pass over the list. */
void axis_tidy(struct axis *axis);

/* Most nodes in one block. O(blocks). */
size_t axis_longest_block(const struct axis *axis);

#ifdef AOI_SELF_CHECK
void axis_check(const struct axis *axis);
#endif

#endif
