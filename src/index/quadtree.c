/*
 * quadtree.c - the quadtree engine: a map cut into quarters where entities
 * are many.
 *
 * Leaves keep their entities in chains of blocks (buckets.h), so a search of
 * a leaf is that of a grid's cell. A leaf with more than `capacity` entities
 * is quartered, one level per insertion; four leaves with no more than half
 * of `capacity` between them become one again, so that an entity that steps
 * back and forth over a border does not make the tree flap. Entities on one
 * point can't be separated: max_depth ends that, and the chain grows.
 *
 * The outermost regions reach to infinity, which closes the map's borders
 * and gives clamped positions a leaf. A leaf knows its region and its parent:
 * a step inside the leaf looks at nothing else, and a search begins at the
 * smallest region that holds it.
 */
#include <math.h>
#include <string.h>

#include "index/buckets.h"
#include "base/self_check.h"

struct node {
    struct box region;    /* x1 <= x < x2, the same for y; outermost bounds infinite */
    double x, y;          /* where it is (or would be) quartered */
    double width, height; /* of the part of the map, also where region is infinite */
    uint32_t first_child; /* four in a row: low, right, up, up right; 0: a leaf */
    uint32_t parent;
    uint32_t depth;       /* the root has 0 */
    struct bucket bucket; /* of a leaf */
};

struct quadtree {
    struct spatial_index base;
    struct node *nodes; /* nodes[0] is the root; then fours */
    size_t capacity, used;
    uint32_t free_four; /* first of a list of free fours, through parent; 0 ends it */
    uint32_t leaf_capacity, max_depth;
    bool batching, untidy; /* in a batch the tree keeps its shape; untidy: a leaf should change */
    struct buckets buckets;
};

static struct quadtree *quadtree_of(struct spatial_index *index) {
    return (struct quadtree *)index;
}

static bool is_leaf(const struct node *node) {
    return node->first_child == 0;
}

static bool region_holds(const struct box *region, double x, double y) {
    return region->x1 <= x && x < region->x2 && region->y1 <= y && y < region->y2;
}

/* The leaf below `number` where a position belongs. */
static uint32_t leaf_at(const struct quadtree *tree, uint32_t number, double x, double y) {
    const struct node *node = &tree->nodes[number];
    while (!is_leaf(node)) {
        number = node->first_child + (x >= node->x ? 1 : 0) + (y >= node->y ? 2 : 0);
        node = &tree->nodes[number];
    }
    return number;
}

/* ------------------------------------------------------------------ */
/* Shape of the tree                                                   */
/* ------------------------------------------------------------------ */

/* Room for four more nodes. */
static bool nodes_reserve(struct quadtree *tree, struct memory *memory) {
    if (tree->free_four != 0)
        return true;
    if (tree->used + 4 > tree->capacity && tree->used + 4 < UINT32_MAX)
        tree->nodes = array_grown(memory, tree->nodes, &tree->capacity, tree->used, 4,
                                  sizeof *tree->nodes, 0);
    return tree->used + 4 <= tree->capacity;
}

static void set_root(struct quadtree *tree) {
    const struct map *map = tree->base.map;
    tree->nodes[0] = (struct node){.region = {-INFINITY, -INFINITY, INFINITY, INFINITY},
                                   .x = map->x1 + map->width / 2,
                                   .y = map->y1 + map->height / 2,
                                   .width = map->width,
                                   .height = map->height};
    tree->used = 1;
    tree->free_four = 0;
}

/* Gives a leaf four empty children; room is reserved. */
static void add_children(struct quadtree *tree, uint32_t number) {
    uint32_t first = tree->free_four;
    if (first != 0) {
        tree->free_four = tree->nodes[first].parent;
    } else {
        SELF_CHECK(tree->used + 4 <= tree->capacity);
        first = (uint32_t)tree->used;
        tree->used += 4;
    }
    struct node *parent = &tree->nodes[number];
    parent->first_child = first;
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        bool right = (quarter & 1) != 0, up = (quarter & 2) != 0;
        struct node *child = &tree->nodes[first + quarter];
        *child = (struct node){.region = parent->region,
                               .x = parent->x + (right ? parent->width : -parent->width) / 4,
                               .y = parent->y + (up ? parent->height : -parent->height) / 4,
                               .width = parent->width / 2,
                               .height = parent->height / 2,
                               .parent = number,
                               .depth = parent->depth + 1};
        if (right)
            child->region.x1 = parent->x;
        else
            child->region.x2 = parent->x;
        if (up)
            child->region.y1 = parent->y;
        else
            child->region.y2 = parent->y;
    }
}

static void add_to_leaf(struct quadtree *tree, uint32_t number, uint32_t slot, double x, double y) {
    struct bucket *bucket = &tree->nodes[number].bucket;
    buckets_add(&tree->buckets, &tree->base, bucket, number, slot, x, y);
}

static void remove_from_leaf(struct quadtree *tree, uint32_t number, uint32_t slot) {
    buckets_remove(&tree->buckets, &tree->base, &tree->nodes[number].bucket, slot);
}

/* The slot of some entity of a leaf that is not empty. */
static uint32_t last_slot(const struct quadtree *tree, const struct bucket *bucket) {
    return tree->buckets.blocks.items[bucket->first].slot[bucket_last_lane(bucket)];
}

/* The exact positions are in the entities. */
static void move_to_leaf(struct quadtree *tree, uint32_t from, uint32_t to, uint32_t slot) {
    const struct entity *entity = &tree->base.entities->at[slot];
    remove_from_leaf(tree, from, slot);
    add_to_leaf(tree, to, slot, entity->x, entity->y);
}

static void split(struct quadtree *tree, uint32_t number) {
    add_children(tree, number);
    struct node *node = &tree->nodes[number];
    uint32_t first = node->first_child;
    while (node->bucket.count > 0) {
        uint32_t slot = last_slot(tree, &node->bucket);
        const struct entity *entity = &tree->base.entities->at[slot];
        uint32_t to = first + (entity->x >= node->x ? 1 : 0) + (entity->y >= node->y ? 2 : 0);
        move_to_leaf(tree, number, to, slot);
    }
}

/* Makes four small leaves one again, and so on upwards; in a batch, later. One block must be free:
 * a block taken for the parent is repaid before the next is needed. */
static void merge_upwards(struct quadtree *tree, uint32_t number) {
    tree->untidy = tree->untidy || tree->batching;
    if (tree->batching)
        return;
    while (tree->nodes[number].depth > 0) {
        uint32_t parent = tree->nodes[number].parent;
        uint32_t first = tree->nodes[parent].first_child;
        size_t count = 0;
        for (uint32_t child = first; child < first + 4; child++) {
            if (!is_leaf(&tree->nodes[child]))
                return;
            count += tree->nodes[child].bucket.count;
        }
        if (count > tree->leaf_capacity / 2)
            return;
        for (uint32_t child = first; child < first + 4; child++) {
            while (tree->nodes[child].bucket.count > 0)
                move_to_leaf(tree, child, parent, last_slot(tree, &tree->nodes[child].bucket));
        }
        tree->nodes[parent].first_child = 0;
        tree->nodes[first].parent = tree->free_four;
        tree->free_four = first;
        number = parent;
    }
}

/* Blocks that an insertion can need: one for each quarter of a split, its own, and one that
 * stays free for merging. What a split takes out of the old chain pays for the rest. */
enum { BLOCKS_FOR_INSERT = 7 };

/* ------------------------------------------------------------------ */
/* The engine                                                          */
/* ------------------------------------------------------------------ */

static void quadtree_destroy(struct spatial_index *index) {
    struct quadtree *tree = quadtree_of(index);
    struct memory *memory = index->memory;
    buckets_free(&tree->buckets, memory);
    memory_resize(memory, tree->nodes, tree->capacity, 0, sizeof *tree->nodes);
    memory_resize(memory, tree, 1, 0, sizeof *tree);
}

static void quadtree_clear(struct spatial_index *index) {
    struct quadtree *tree = quadtree_of(index);
    /* A smaller tree if it is to be had. */
    tree->nodes =
        array_resized(index->memory, tree->nodes, &tree->capacity, 0, 1, sizeof *tree->nodes, 0);
    set_root(tree);
    buckets_free(&tree->buckets, index->memory);
    index->count = 0;
}

static bool quadtree_reserve(struct spatial_index *index) {
    struct quadtree *tree = quadtree_of(index);
    struct memory *memory = index->memory;
    return nodes_reserve(tree, memory) &&
           buckets_reserve(&tree->buckets, memory, BLOCKS_FOR_INSERT);
}

static void insert_below(struct quadtree *tree, uint32_t number, uint32_t slot, double x,
                         double y) {
    uint32_t leaf = leaf_at(tree, number, x, y);
    /* Split first: the entity itself may still have its old position. */
    if (tree->nodes[leaf].bucket.count + 1 > tree->leaf_capacity &&
        tree->nodes[leaf].depth < tree->max_depth) {
        if (tree->batching) {
            tree->untidy = true;
        } else {
            split(tree, leaf);
            leaf = leaf_at(tree, leaf, x, y);
        }
    }
    add_to_leaf(tree, leaf, slot, x, y);
}

static void quadtree_insert(struct spatial_index *index, uint32_t slot) {
    const struct entity *entity = &index->entities->at[slot];
    insert_below(quadtree_of(index), 0, slot, entity->x, entity->y);
    index->count++;
}

static void quadtree_remove(struct spatial_index *index, uint32_t slot) {
    struct quadtree *tree = quadtree_of(index);
    const uint32_t leaf = buckets_owner(&tree->buckets, *bucket_handle_of(index, slot));
    remove_from_leaf(tree, leaf, slot);
    merge_upwards(tree, leaf);
    index->count--;
}

static void quadtree_relocate(struct spatial_index *index, uint32_t slot, double x, double y) {
    struct quadtree *tree = quadtree_of(index);
    bucket_handle handle = *bucket_handle_of(index, slot);
    uint32_t leaf = buckets_owner(&tree->buckets, handle);
    if (region_holds(&tree->nodes[leaf].region, x, y)) {
        buckets_set(&tree->buckets, handle, x, y);
        return;
    }
    uint32_t above = leaf;
    while (!region_holds(&tree->nodes[above].region, x, y))
        above = tree->nodes[above].parent;
    /* Merge last, so that the tree does not merge what it would split again. */
    remove_from_leaf(tree, leaf, slot);
    insert_below(tree, above, slot, x, y);
    merge_upwards(tree, leaf);
}

/* Leaves that a search has come to; one scan looks at all of them. */
enum { LEAVES_AT_ONCE = 64 };

struct leaves {
    struct bucket buckets[LEAVES_AT_ONCE];
    size_t count;
};

static bool search_leaves(const struct quadtree *tree, struct leaves *leaves,
                          const struct ring_search *search, struct hits *hits,
                          struct hits *inside) {
    const struct bucket_window window = {leaves->buckets, leaves->count, 1, 0};
    leaves->count = 0;
    return buckets_search(&tree->buckets, &window, search, hits, inside);
}

static bool quadtree_search(struct spatial_index *index, const struct ring *ring,
                            uint32_t near_slot, struct hits *hits, struct hits *inside) {
    struct quadtree *tree = quadtree_of(index);
    const struct ring_search search = ring_search_of(&tree->buckets, ring);
    const struct box outer = box_of(ring->middle, ring->outer);
    const struct box inner = box_of(ring->middle, ring->inner);
    const bool skips = ring_is_hollow(ring) && inside == NULL;
    uint32_t start = 0;
    if (near_slot != NO_SLOT && index->is_main) {
        start = buckets_owner(&tree->buckets, *bucket_handle_of(index, near_slot));
        while (start != 0 && !(tree->nodes[start].region.x1 <= outer.x1 &&
                               outer.x2 < tree->nodes[start].region.x2 &&
                               tree->nodes[start].region.y1 <= outer.y1 &&
                               outer.y2 < tree->nodes[start].region.y2))
            start = tree->nodes[start].parent;
    }
    uint32_t stack[4 * AOI_DEEPEST_TREE + 1]; /* each level leaves at most three waiting */
    size_t waiting = 0;
    struct leaves leaves;
    leaves.count = 0;
    stack[waiting++] = start;
    while (waiting > 0) {
        const struct node *node = &tree->nodes[stack[--waiting]];
        const struct box *region = &node->region; /* all of it strictly inside: nothing to find */
        if (skips && inner.x1 < region->x1 && region->x2 <= inner.x2 && inner.y1 < region->y1 &&
            region->y2 <= inner.y2)
            continue;
        if (is_leaf(node)) {
            leaves.buckets[leaves.count++] = node->bucket;
            if (leaves.count == LEAVES_AT_ONCE &&
                !search_leaves(tree, &leaves, &search, hits, inside))
                return false;
            continue;
        }
        bool left = outer.x1 < node->x, right = outer.x2 >= node->x;
        bool low = outer.y1 < node->y, up = outer.y2 >= node->y;
        if (right && up)
            stack[waiting++] = node->first_child + 3;
        if (left && up)
            stack[waiting++] = node->first_child + 2;
        if (right && low)
            stack[waiting++] = node->first_child + 1;
        if (left && low)
            stack[waiting++] = node->first_child;
    }
    return search_leaves(tree, &leaves, &search, hits, inside);
}

/* Its own leaf. */
static void quadtree_fetch(const struct spatial_index *index, uint32_t slot, double x, double y,
                           double reach) {
    const struct quadtree *tree = (const struct quadtree *)index;
    (void)x, (void)y, (void)reach;
    if (slot == NO_SLOT)
        return;
    const bucket_handle handle = *bucket_handle_of(index, slot);
    const struct node *leaf = &tree->nodes[buckets_owner(&tree->buckets, handle)];
    __builtin_prefetch(leaf);
    buckets_prefetch(&tree->buckets, &leaf->bucket);
}

static void quadtree_begin_batch(struct spatial_index *index) {
    quadtree_of(index)->batching = true;
}

/* Splits and merges what the batch has left. Lack of memory only leaves some leaves long. */
static void quadtree_end_batch(struct spatial_index *index) {
    struct quadtree *tree = quadtree_of(index);
    tree->batching = false;
    if (!tree->untidy)
        return;
    tree->untidy = false;
    for (uint32_t number = 0; number < tree->used; number++) {
        const struct node *node = &tree->nodes[number];
        bool in_use =
            number == 0 || tree->nodes[node->parent].first_child == ((number - 1) & ~3U) + 1;
        if (!in_use || !is_leaf(node))
            continue;
        bool merges = node->bucket.count <= tree->leaf_capacity / 2;
        if (node->bucket.count > tree->leaf_capacity && node->depth < tree->max_depth) {
            /* after this, node may have moved */
            if (quadtree_reserve(index))
                split(tree, number);
        } else if (merges) {
            merge_upwards(tree, number);
        }
    }
}

/* A walk through all leaves, which begins as {.waiting = 1}. */
struct leaf_walk {
    size_t waiting;
    uint32_t stack[4 * AOI_DEEPEST_TREE + 1];
};

/* NULL: there is none left. */
static const struct node *next_leaf(const struct quadtree *tree, struct leaf_walk *walk) {
    while (walk->waiting > 0) {
        const struct node *node = &tree->nodes[walk->stack[--walk->waiting]];
        if (is_leaf(node))
            return node;
        for (uint32_t quarter = 0; quarter < 4; quarter++)
            walk->stack[walk->waiting++] = node->first_child + quarter;
    }
    return NULL;
}

static void quadtree_describe(const struct spatial_index *index, aoi_stats *stats) {
    struct leaf_walk walk = {.waiting = 1};
    const struct node *leaf;
    while ((leaf = next_leaf((const struct quadtree *)index, &walk)) != NULL) {
        stats->cells++;
        if (leaf->bucket.count > stats->longest_chain)
            stats->longest_chain = leaf->bucket.count;
        if (index->is_main && leaf->depth > stats->depth)
            stats->depth = leaf->depth;
    }
}

static void quadtree_list_cells(const struct spatial_index *index, struct cell_list *list) {
    struct leaf_walk walk = {.waiting = 1};
    const struct node *leaf;
    while ((leaf = next_leaf((const struct quadtree *)index, &walk)) != NULL)
        cell_list_add(list, (aoi_cell){leaf->x - leaf->width / 2, leaf->y - leaf->height / 2,
                                       leaf->width, leaf->height, leaf->bucket.count});
}

#ifdef AOI_SELF_CHECK
static bool leaf_holds(const struct spatial_index *index, uint32_t owner, double x, double y) {
    return owner == leaf_at((const struct quadtree *)index, 0, x, y);
}

static void quadtree_check(const struct spatial_index *index) {
    const struct quadtree *tree = (const struct quadtree *)index;
    size_t count = 0, nodes = 1, free_nodes = 0;
    uint32_t stack[4 * AOI_DEEPEST_TREE + 1];
    size_t waiting = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        uint32_t number = stack[--waiting];
        const struct node *node = &tree->nodes[number];
        SELF_CHECK(node->depth <= tree->max_depth);
        if (is_leaf(node)) {
            count += buckets_check(&tree->buckets, &node->bucket, number);
            continue;
        }
        SELF_CHECK(node->bucket.count == 0 && node->bucket.first == 0);
        size_t below = 0;
        bool leaves = true;
        for (uint32_t child = node->first_child; child < node->first_child + 4; child++) {
            SELF_CHECK(tree->nodes[child].parent == number);
            SELF_CHECK(tree->nodes[child].depth == node->depth + 1);
            leaves = leaves && is_leaf(&tree->nodes[child]);
            below += tree->nodes[child].bucket.count;
            stack[waiting++] = child;
        }
        nodes += 4;
        if (leaves && !tree->batching)
            SELF_CHECK(below > tree->leaf_capacity / 2);
    }
    for (uint32_t four = tree->free_four; four != 0; four = tree->nodes[four].parent)
        free_nodes += 4;
    SELF_CHECK(nodes + free_nodes == tree->used);
    SELF_CHECK(count == index->count);
    buckets_check_entities(&tree->buckets, index, leaf_holds);
}
#endif

static struct spatial_index *quadtree_create(const struct index_setup *setup, unsigned radius_class,
                                             double reach) {
    (void)reach;
    struct memory *memory = setup->memory;
    struct quadtree *tree = memory_resize(memory, NULL, 0, 1, sizeof *tree);
    if (tree == NULL)
        return NULL;
    memset(tree, 0, sizeof *tree);
    tree->base = spatial_index_of(&quadtree_engine, setup, radius_class);
    tree->leaf_capacity = setup->leaf_capacity;
    tree->max_depth = setup->max_depth;
    buckets_init(&tree->buckets, !tree->base.is_main);
    if (!nodes_reserve(tree, memory)) {
        quadtree_destroy(&tree->base);
        return NULL;
    }
    set_root(tree);
    return &tree->base;
}

const struct spatial_index_engine quadtree_engine = {
    .name = "quadtree",
    .keeps_radii = true,
    .can_be_late = true,
    .create = quadtree_create,
    .destroy = quadtree_destroy,
    .clear = quadtree_clear,
    .reserve = quadtree_reserve,
    .insert = quadtree_insert,
    .remove = quadtree_remove,
    .relocate = quadtree_relocate,
    .search = quadtree_search,
    .fetch = quadtree_fetch,
    .begin_batch = quadtree_begin_batch,
    .end_batch = quadtree_end_batch,
    .describe = quadtree_describe,
    .list_cells = quadtree_list_cells,
#ifdef AOI_SELF_CHECK
    .check = quadtree_check,
#endif
};
