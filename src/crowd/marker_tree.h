/*
 * marker_tree.h - a k-d tree of all markers of a space at a tick: finds those
 * near a watcher that could rank high enough to be told.
 *
 * A k-d tree (J. L. Bentley, "Multidimensional binary search trees used for
 * associative searching", CACM 18, 1975), halved at the median of the longer
 * side, so that crowds of any density make leaves of a few points. Each node
 * knows the box around its points, their layers, the greatest importance, and
 * the least id of that importance: many may stand at one point, where only ids
 * tell them apart.
 */
#ifndef AOI_MARKER_TREE_H
#define AOI_MARKER_TREE_H

#include "base/pool.h"
#include "crowd/stand.h"

/* A point of the tree. */
struct tree_point {
    xy at;
    double z;
    uint32_t slot;
};

/* Both bounds belong to it. */
struct tree_box {
    xy low, high;
    double low_z, high_z;
};

struct tree_node {
    struct tree_box places;
    struct tree_box views; /* the same of what views are judged by: in a classic nine-grid, cells */
    uint32_t first, count; /* points */
    uint32_t right;        /* its right half; the left one follows it. 0: a leaf */
    aoi_id least_id;       /* of those that are ranked and of that importance: */
    int16_t importance;    /* the greatest of those that are ranked; -1: there is none */
    uint32_t shown;        /* all layer bits of those that are ranked, */
    uint32_t shown_free;   /* and of those that are free */
};

struct marker_tree {
    struct tree_point *points; /* ordered so that each node has a run of them */
    struct tree_node *nodes;   /* the root first; they count once they are described */
    size_t point_count, node_count;
};

/* Puts the points, which stand there already, into an order in which those near each other are
 * mostly near each other, those at one point mostly by id, and splits that into nodes. at: the
 * entities, by slot. O(n log n) expected. */
void marker_tree_plant(struct marker_tree *tree, size_t count, const struct entity *at);

/* Lets the nodes know what can be seen in them. stands: those of the points, in their order. */
void marker_tree_describe(struct marker_tree *tree, enum sight_rule rule,
                          const struct stand *stands);

/* Room for as many points, which the caller then writes. */
bool marker_tree_reserve(struct marker_tree *tree, struct pool *pool, size_t points);

#endif
