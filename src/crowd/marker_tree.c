/* marker_tree.c - see marker_tree.h. */
#include "crowd/marker_tree.h"

#include <math.h>

#ifdef AOI_TINY
enum { LARGEST_LEAF = 2 };
#else
enum { LARGEST_LEAF = 8 };
#endif

struct planting {
    struct marker_tree *tree;
    enum sight_rule rule;
    const struct stand *stands;
    uint64_t random;
};

static void swap_points(struct tree_point *points, size_t a, size_t b) {
    const struct tree_point kept = points[a];
    points[a] = points[b];
    points[b] = kept;
}

static double coordinate(const struct tree_point *point, int axis) {
    return axis == 0 ? point->x : axis == 1 ? point->y : point->z;
}

/* The same numbers in each tick, so that the same history gives the same order; no usual order of
 * points makes them bad pivots. Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t next_random(struct planting *planting) {
    planting->random ^= planting->random << 13;
    planting->random ^= planting->random >> 7;
    planting->random ^= planting->random << 17;
    return planting->random;
}

/* Puts the points so that none of the first `middle` has a greater coordinate than any other. Hoare's
 * quickselect: O(count) expected. */
static void select_median(struct planting *planting, struct tree_point *points, size_t count,
                          size_t middle, int axis) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t at = low + (size_t)(next_random(planting) % (high - low + 1));
        const double pivot = coordinate(&points[at], axis);
        size_t i = low, k = high;
        for (;;) {
            while (coordinate(&points[i], axis) < pivot)
                i++;
            while (coordinate(&points[k], axis) > pivot)
                k--;
            if (i >= k)
                break;
            swap_points(points, i++, k--);
        }
        /* All up to k are at most the pivot, all from i on at least. */
        if (i == k) {
            if (middle == i)
                return;
            i++;
            k--;
        }
        if (middle >= i)
            low = i;
        else
            high = k;
    }
}

static void widen(struct tree_box *box, double x, double y, double z) {
    const double at[3] = {x, y, z};
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = at[axis] < box->low[axis] ? at[axis] : box->low[axis];
        box->high[axis] = at[axis] > box->high[axis] ? at[axis] : box->high[axis];
    }
}

/* What a node knows of its points. */
static struct tree_node describe(const struct planting *planting, size_t first, size_t count) {
    const struct tree_box empty = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};
    struct tree_node node = {.places = empty,
                             .views = empty,
                             .first = (uint32_t)first,
                             .count = (uint32_t)count,
                             .importance = -1};
    for (size_t i = first; i < first + count; i++) {
        const struct tree_point *point = &planting->tree->points[i];
        const struct stand *stand = &planting->stands[point->slot];
        widen(&node.places, point->x, point->y, point->z);
        if (planting->rule == SIGHT_CELLS)
            widen(&node.views, stand->cell.column, stand->cell.row, point->z);
        node.shown |= stand->shown;
        if (point->is_free)
            node.has_free = true;
        else if (point->importance > node.importance)
            node.importance = point->importance;
    }
    if (planting->rule != SIGHT_CELLS)
        node.views = node.places;
    return node;
}

static int longest_side(const struct tree_box *box) {
    int longest = 0;
    for (int axis = 1; axis < 3; axis++) {
        if (box->high[axis] - box->low[axis] > box->high[longest] - box->low[longest])
            longest = axis;
    }
    return longest;
}

/* Each half has at most half of the points, rounded up, so it is as deep as the number of points has
 * bits. */
static void plant(struct planting *planting, size_t first, size_t count) { /* NOLINT(misc-no-recursion) */
    struct marker_tree *tree = planting->tree;
    const size_t number = tree->node_count++;
    tree->nodes[number] = describe(planting, first, count);
    if (count <= LARGEST_LEAF)
        return;
    const size_t half = count / 2;
    select_median(planting, tree->points + first, count, half,
                  longest_side(&tree->nodes[number].places));
    plant(planting, first, half);
    tree->nodes[number].right = (uint32_t)tree->node_count;
    plant(planting, first + half, count - half);
}

static bool reserve(struct marker_tree *tree, size_t points) {
    /* Leaves have more than half of the points that a leaf may have, unless there is one alone. */
    const size_t nodes = 4 * points / LARGEST_LEAF + 1;
    if (points > tree->point_capacity) {
        struct tree_point *grown =
            memory_grow(tree->memory, tree->points, &tree->point_capacity, points, sizeof *grown);
        if (grown == NULL)
            return false;
        tree->points = grown;
    }
    if (nodes > tree->node_capacity) {
        struct tree_node *grown =
            memory_grow(tree->memory, tree->nodes, &tree->node_capacity, nodes, sizeof *grown);
        if (grown == NULL)
            return false;
        tree->nodes = grown;
    }
    return true;
}

bool marker_tree_plant(struct marker_tree *tree, enum sight_rule rule, const struct stand *stands,
                       size_t count) {
    size_t markers = 0;
    tree->point_count = tree->node_count = 0;
    for (size_t slot = 0; slot < count; slot++)
        markers += stands[slot].shown != 0;
    if (!reserve(tree, markers))
        return false;
    for (size_t slot = 0; slot < count; slot++) {
        const struct stand *stand = &stands[slot];
        if (stand->shown != 0)
            tree->points[tree->point_count++] =
                (struct tree_point){stand->x,          stand->y,         stand->z, (uint32_t)slot,
                                    stand->importance, stand->is_free};
    }
    struct planting planting = {tree, rule, stands, UINT64_C(88172645463325252)};
    if (markers > 0)
        plant(&planting, 0, markers);
    return true;
}

void marker_tree_free(struct marker_tree *tree) {
    memory_resize(tree->memory, tree->points, tree->point_capacity, 0, sizeof *tree->points);
    memory_resize(tree->memory, tree->nodes, tree->node_capacity, 0, sizeof *tree->nodes);
    *tree = (struct marker_tree){.memory = tree->memory};
}
