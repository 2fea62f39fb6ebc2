/*
 * marker_tree.h - all markers of a space at a tick, in a k-d tree: who is near a watcher, and could
 * rank high enough to be told?
 *
 * A k-d tree (J. L. Bentley, "Multidimensional binary search trees used for
 * associative searching", CACM 18, 1975), halved at the median of the longer
 * side, so that crowds of any density make leaves of a few points. Each node
 * knows the box around its points, their layers, and the greatest importance.
 */
#ifndef AOI_MARKER_TREE_H
#define AOI_MARKER_TREE_H

#include "crowd/stand.h"

struct tree_point {
    double x, y, z;
    uint32_t slot;
    uint8_t importance;
    bool is_free;
};

/* Both bounds belong to it. */
struct tree_box {
    double low[3], high[3];
};

struct tree_node {
    struct tree_box places;
    struct tree_box views; /* the same of what views are judged by: in a classic nine-grid, cells */
    uint32_t first, count; /* points */
    uint32_t right;        /* its right half; the left one follows it. 0: a leaf */
    uint32_t shown;        /* all layer bits */
    int16_t importance;    /* the greatest of those that are ranked; -1: there is none */
    bool has_free;
};

struct marker_tree {
    struct memory *memory;
    struct tree_point *points; /* ordered so that each node has a run of them */
    struct tree_node *nodes;   /* the root first */
    size_t point_capacity, node_capacity;
    size_t point_count, node_count;
};

/* Plants the tree of the markers among the stands. False: no memory. O(n log n) expected. */
bool marker_tree_plant(struct marker_tree *tree, enum sight_rule rule, const struct stand *stands,
                       size_t count);

void marker_tree_free(struct marker_tree *tree);

#endif
