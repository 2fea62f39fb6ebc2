/* marker_tree.c - the tree planted anew for each tick: points split at medians, leaves described
 * for searches. */
#include "crowd/marker_tree.h"

#include <math.h>

#ifdef AOI_TINY
enum { LARGEST_LEAF = 2 };
#else
enum { LARGEST_LEAF = 20 };
#endif

struct planting {
    struct marker_tree *tree;
    const struct entity *entities;
    uint64_t random;
};

enum axis { AXIS_X, AXIS_Y, AXIS_Z, AXIS_ID };

/* Of an id rounded: what the order is for does not need all of it. */
ALWAYS_INLINE double coordinate(const struct planting *planting, const struct tree_point *point,
                                enum axis axis) {
    switch (axis) {
    case AXIS_ID: return (double)planting->entities[point->slot].id;
    case AXIS_Z: return point->z;
    case AXIS_X:
    case AXIS_Y: break;
    }
    return point->at[axis];
}

/* Random numbers, which begin anew in each tick, so that one history gives one order; no usual
 * order of points makes them bad pivots. Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t next_random(struct planting *planting) {
    planting->random ^= planting->random << 13;
    planting->random ^= planting->random >> 7;
    planting->random ^= planting->random << 17;
    return planting->random;
}

/* Puts the points so that none of the first `middle` has a greater coordinate than any other.
 * Hoare's quickselect: O(count) expected. */
ALWAYS_INLINE void select_median(struct planting *planting, struct tree_point *points, size_t count,
                                 size_t middle, enum axis axis) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t at = low + (size_t)(next_random(planting) % (high - low + 1));
        const double pivot = coordinate(planting, &points[at], axis);
        size_t i = low, k = high;
        for (;;) {
            while (coordinate(planting, &points[i], axis) < pivot)
                i++;
            while (coordinate(planting, &points[k], axis) > pivot)
                k--;
            if (i >= k)
                break;
            const struct tree_point kept = points[i];
            points[i++] = points[k];
            points[k--] = kept;
        }
        /* All before i are at most the pivot, all behind k at least. */
        if (i == k && middle == i)
            return;
        if (middle >= i + (i == k))
            low = i + (i == k);
        else
            high = k - (i == k);
    }
}

static void select_on_longest_side(struct planting *planting, const struct tree_box *box,
                                   struct tree_point *points, size_t count, size_t middle) {
    const xy sides = box->high - box->low;
    const double height = box->high_z - box->low_z;
    if (sides[0] == 0 && sides[1] == 0 && height == 0)
        select_median(planting, points, count, middle, AXIS_ID);
    else if (height > sides[0] && height > sides[1])
        select_median(planting, points, count, middle, AXIS_Z);
    else if (sides[0] >= sides[1])
        select_median(planting, points, count, middle, AXIS_X);
    else
        select_median(planting, points, count, middle, AXIS_Y);
}

static const struct tree_box no_box = {
    {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, INFINITY, -INFINITY};

static void widen(struct tree_box *box, const struct tree_box *by) {
    box->low = xy_lesser(box->low, by->low);
    box->high = xy_greater(box->high, by->high);
    box->low_z = by->low_z < box->low_z ? by->low_z : box->low_z;
    box->high_z = by->high_z > box->high_z ? by->high_z : box->high_z;
}

/* Each half has at most half of the points, rounded up, so it goes as deep as the number of points
 * has bits. */
static void plant(struct planting *planting, size_t first, size_t count) {
    struct marker_tree *tree = planting->tree;
    struct tree_node *node = &tree->nodes[tree->node_count++];
    struct tree_point *points = tree->points + first;
    *node =
        (struct tree_node){.places = no_box, .first = (uint32_t)first, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        widen(&node->places,
              &(struct tree_box){points[i].at, points[i].at, points[i].z, points[i].z});
    if (count <= LARGEST_LEAF)
        return;
    const size_t half = count / 2;
    select_on_longest_side(planting, &node->places, points, count, half);
    plant(planting, first, half);
    node->right = (uint32_t)tree->node_count;
    plant(planting, first + half, count - half);
}

bool marker_tree_reserve(struct marker_tree *tree, struct pool *pool, size_t points) {
    /* Leaves have half of the points that a leaf may have, or more, unless there is one alone. */
    const size_t nodes = 4 * points / LARGEST_LEAF + 1;
    tree->points = pool_take(pool, points, sizeof *tree->points);
    tree->nodes = pool_take(pool, nodes, sizeof *tree->nodes);
    return tree->points != NULL && tree->nodes != NULL;
}

void marker_tree_plant(struct marker_tree *tree, size_t count, const struct entity *at) {
    struct planting planting = {tree, at, UINT64_C(88172645463325252)};
    tree->point_count = count;
    tree->node_count = 0;
    if (count > 0)
        plant(&planting, 0, count);
}

static void describe_leaf(struct tree_node *leaf, enum sight_rule rule,
                          const struct stand *stands) {
    leaf->importance = -1;
    leaf->least_id = INT64_MAX;
    leaf->views = rule == SIGHT_CELLS ? no_box : leaf->places;
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        const struct stand *stand = &stands[i];
        *(stand->is_free ? &leaf->shown_free : &leaf->shown) |= stand->shown;
        if (!stand->is_free &&
            (stand->importance > leaf->importance ||
             (stand->importance == leaf->importance && stand->id < leaf->least_id))) {
            leaf->importance = stand->importance;
            leaf->least_id = stand->id;
        }
        if (rule == SIGHT_CELLS) {
            const xy cell = {stand->cell.column, stand->cell.row};
            widen(&leaf->views, &(struct tree_box){cell, cell, stand->z, stand->z});
        }
    }
}

void marker_tree_describe(struct marker_tree *tree, enum sight_rule rule,
                          const struct stand *stands) {
    /* Nodes come before those below them. */
    for (size_t number = tree->node_count; number-- > 0;) {
        struct tree_node *node = &tree->nodes[number];
        if (node->right == 0) {
            describe_leaf(node, rule, stands);
            continue;
        }
        const struct tree_node *left = node + 1, *right = &tree->nodes[node->right];
        const bool is_left_first =
            left->importance > right->importance ||
            (left->importance == right->importance && left->least_id < right->least_id);
        node->views = left->views;
        widen(&node->views, &right->views);
        node->shown = left->shown | right->shown;
        node->shown_free = left->shown_free | right->shown_free;
        node->importance = is_left_first ? left->importance : right->importance;
        node->least_id = is_left_first ? left->least_id : right->least_id;
    }
}
