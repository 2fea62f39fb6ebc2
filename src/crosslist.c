/*
 * crosslist.c - the cross-list engine: all entities in order along the x axis
 * and along the y axis; no map.
 *
 * Each axis is a sorted doubly linked list, unrolled: its nodes stand in
 * blocks of up to BLOCK_NODES, in ascending order of (coordinate, slot), so
 * that equal coordinates have one fixed order. Beside the links the blocks
 * have an index, a sorted array of separators: a search for a coordinate is
 * a binary search, O(log n), never a walk from an end of the list.
 *
 * A watcher's sentinels are the places of x - radius and x + radius (and the
 * same for y) in that order. They are not nodes: all watchers that one list
 * answers for have nearly the same radius (radius_class.h), so the sentinels
 * that an entity passes in a step belong to the entities that its own
 * sentinels pass. A step thus looks at four strips, each as thin as the step,
 * and touches only what it passes. Each entity remembers the blocks of its
 * four sentinels; the next step begins there.
 *
 * Invariants: separators ascend; a node stands in the last block whose
 * separator is not above it; the first separator is below everything; every
 * block but a lone one has nodes (in a batch, blocks may be empty).
 */
#include <math.h>
#include <string.h>

#include "self_check.h"
#include "space.h"

#ifdef AOI_TINY
enum { BLOCK_NODES = 4 };
#else
enum { BLOCK_NODES = 64 };
#endif

enum { AXIS_X, AXIS_Y, AXES };
enum { SENTINELS = 4 };
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
    struct block *blocks;
    size_t capacity, used; /* blocks */
    uint32_t free_block;
    size_t free_count;
    struct separator *separators; /* one per block in use, ascending */
    size_t separator_count, separator_capacity;
};

struct crosslist {
    struct spatial_index base;
    struct axis axes[AXES];
    bool batching, untidy; /* in a batch no blocks merge; untidy: some should */
    uint32_t *sentinels;   /* main index: SENTINELS blocks per slot, hints only */
    size_t sentinel_capacity;
};

static struct crosslist *crosslist_of(struct spatial_index *index) {
    return (struct crosslist *)index;
}

static bool key_less(struct node_key a, struct node_key b) {
    return a.coordinate < b.coordinate || (a.coordinate == b.coordinate && a.slot < b.slot);
}

/* ------------------------------------------------------------------ */
/* One axis                                                            */
/* ------------------------------------------------------------------ */

static void axis_clear(struct axis *axis) {
    struct block *first = &axis->blocks[0];
    axis->used = 1;
    axis->free_block = NO_BLOCK;
    axis->free_count = 0;
    first->count = 0;
    first->previous = first->next = NO_BLOCK;
    first->separator = (struct node_key){-INFINITY, 0};
    axis->separators[0] = (struct separator){first->separator, 0};
    axis->separator_count = 1;
}

static void axis_free(struct axis *axis, struct memory *memory) {
    memory_resize(memory, axis->blocks, axis->capacity, 0, sizeof *axis->blocks);
    memory_resize(memory, axis->separators, axis->separator_capacity, 0, sizeof *axis->separators);
}

/* Room for one more block. */
static bool axis_reserve(struct axis *axis, struct memory *memory) {
    if (axis->free_count == 0 && axis->used == axis->capacity) {
        size_t capacity = memory_next_capacity(axis->capacity, axis->used + 1);
        if (capacity == 0 || capacity >= NO_BLOCK)
            return false;
        struct block *blocks =
            memory_resize(memory, axis->blocks, axis->capacity, capacity, sizeof *blocks);
        if (blocks == NULL)
            return false;
        axis->blocks = blocks;
        axis->capacity = capacity;
    }
    if (axis->separator_count == axis->separator_capacity) {
        size_t capacity = memory_next_capacity(axis->separator_capacity, axis->separator_count + 1);
        struct separator *separators =
            capacity == 0 ? NULL
                          : memory_resize(memory, axis->separators, axis->separator_capacity,
                                          capacity, sizeof *separators);
        if (separators == NULL)
            return false;
        axis->separators = separators;
        axis->separator_capacity = capacity;
    }
    return true;
}

/* The position among the separators of the block where key belongs. O(log n). */
static size_t axis_find(const struct axis *axis, struct node_key key) {
    size_t first = 0, count = axis->separator_count;
    while (count > 1) {
        size_t half = count / 2;
        if (!key_less(key, axis->separators[first + half].key))
            first += half;
        count -= half;
    }
    return first;
}

static uint32_t axis_find_block(const struct axis *axis, double coordinate) {
    return axis->separators[axis_find(axis, (struct node_key){coordinate, 0})].block;
}

/* True when key belongs into this block. */
static bool block_takes(const struct axis *axis, const struct block *block, struct node_key key) {
    if (isnan(block->separator.coordinate) || key_less(key, block->separator))
        return false;
    return block->next == NO_BLOCK || key_less(key, axis->blocks[block->next].separator);
}

static uint32_t block_position(const struct block *block, uint32_t slot) {
    uint32_t position = 0;
    while (block->slot[position] != slot)
        position++;
    return position;
}

/* How many nodes of a block that has some come before the coordinate. */
static uint32_t nodes_below(const struct block *block, double coordinate) {
    const double *first = block->coordinate;
    for (uint32_t count = block->count; count > 1;) {
        uint32_t half = count / 2;
        first = first[half - 1] < coordinate ? first + half : first;
        count -= half;
    }
    return (uint32_t)(first - block->coordinate) + (*first < coordinate);
}

static void block_copy(struct block *to, uint32_t at, const struct block *from, uint32_t first,
                       uint32_t count) {
    memmove(to->coordinate + at, from->coordinate + first, count * sizeof(double));
    memmove(to->other + at, from->other + first, count * sizeof(double));
    memmove(to->slot + at, from->slot + first, count * sizeof(uint32_t));
}

/* Splits the block at a separator position in two halves; the new block comes after it. */
static uint32_t axis_split(struct axis *axis, size_t position) {
    uint32_t number = axis->separators[position].block;
    uint32_t fresh = axis->free_block;
    if (fresh != NO_BLOCK) {
        axis->free_block = axis->blocks[fresh].next;
        axis->free_count--;
    } else {
        fresh = (uint32_t)axis->used++;
    }
    struct block *low = &axis->blocks[number], *high = &axis->blocks[fresh];
    uint32_t kept = low->count / 2;
    high->count = low->count - kept;
    low->count = kept;
    block_copy(high, 0, low, kept, high->count);
    high->separator = (struct node_key){high->coordinate[0], high->slot[0]};
    high->previous = number;
    high->next = low->next;
    low->next = fresh;
    if (high->next != NO_BLOCK)
        axis->blocks[high->next].previous = fresh;
    struct separator *place = axis->separators + position + 1;
    memmove(place + 1, place, (axis->separator_count - position - 1) * sizeof *place);
    *place = (struct separator){high->separator, fresh};
    axis->separator_count++;
    return fresh;
}

/* Frees a block that is not the first, and links its neighbours. */
static void axis_unlink(struct axis *axis, uint32_t number) {
    struct block *block = &axis->blocks[number];
    axis->blocks[block->previous].next = block->next;
    if (block->next != NO_BLOCK)
        axis->blocks[block->next].previous = block->previous;
    block->count = 0;
    block->separator.coordinate = NAN;
    block->next = axis->free_block;
    axis->free_block = number;
    axis->free_count++;
}

/* Takes a block that is not the first out of the list; the one before it then covers its range. */
static void axis_drop(struct axis *axis, uint32_t number) {
    size_t position = axis_find(axis, axis->blocks[number].separator);
    struct separator *place = axis->separators + position;
    memmove(place, place + 1, (axis->separator_count - position - 1) * sizeof *place);
    axis->separator_count--;
    axis_unlink(axis, number);
}

static void remember_block(struct crosslist *list, int which, uint32_t number) {
    if (!list->base.is_main)
        return;
    const struct block *block = &list->axes[which].blocks[number];
    for (uint32_t i = 0; i < block->count; i++)
        list->base.space->entities[block->slot[i]].place[which] = number;
}

/* Appends the nodes of a block's successor to it when the block is empty or both are small. */
static void merge_with_next(struct crosslist *list, int which, uint32_t number) {
    struct axis *axis = &list->axes[which];
    struct block *block = &axis->blocks[number];
    if (block->next == NO_BLOCK)
        return;
    uint32_t next = block->next;
    struct block *source = &axis->blocks[next];
    if (block->count != 0 && block->count + source->count > BLOCK_NODES / 2)
        return;
    block_copy(block, block->count, source, 0, source->count);
    block->count += source->count;
    axis_drop(axis, next);
    remember_block(list, which, number);
}

static void axis_insert(struct crosslist *list, int which, uint32_t slot, double coordinate,
                        double other) {
    struct axis *axis = &list->axes[which];
    struct node_key key = {coordinate, slot};
    size_t position = axis_find(axis, key);
    uint32_t number = axis->separators[position].block;
    if (axis->blocks[number].count == BLOCK_NODES) {
        uint32_t fresh = axis_split(axis, position);
        remember_block(list, which, fresh);
        if (!key_less(key, axis->blocks[fresh].separator))
            number = fresh;
    }
    struct block *block = &axis->blocks[number];
    uint32_t at = block->count;
    while (at > 0 &&
           key_less(key, (struct node_key){block->coordinate[at - 1], block->slot[at - 1]}))
        at--;
    block_copy(block, at + 1, block, at, block->count - at);
    block->coordinate[at] = coordinate;
    block->other[at] = other;
    block->slot[at] = slot;
    block->count++;
    if (list->base.is_main)
        list->base.space->entities[slot].place[which] = number;
}

static uint32_t block_of(const struct crosslist *list, int which, uint32_t slot) {
    const struct entity *entity = &list->base.space->entities[slot];
    if (list->base.is_main)
        return entity->place[which];
    const struct axis *axis = &list->axes[which];
    struct node_key key = {which == AXIS_X ? entity->x : entity->y, slot};
    return axis->separators[axis_find(axis, key)].block;
}

static void axis_remove(struct crosslist *list, int which, uint32_t slot) {
    struct axis *axis = &list->axes[which];
    uint32_t number = block_of(list, which, slot);
    struct block *block = &axis->blocks[number];
    uint32_t at = block_position(block, slot);
    block->count--;
    block_copy(block, at, block, at + 1, block->count - at);
    if (list->batching) {
        list->untidy = list->untidy || block->count <= BLOCK_NODES / 4;
    } else if (block->count == 0 && block->previous != NO_BLOCK) {
        axis_drop(axis, number);
    } else if (block->count <= BLOCK_NODES / 4) {
        uint32_t previous = block->previous;
        merge_with_next(list, which, number);
        if (previous != NO_BLOCK)
            merge_with_next(list, which, previous);
    }
}

/* Moves a node along its axis: a few places inside its block, else out and in again. */
static void axis_relocate(struct crosslist *list, int which, uint32_t slot, double coordinate,
                          double other) {
    struct axis *axis = &list->axes[which];
    struct block *block = &axis->blocks[block_of(list, which, slot)];
    struct node_key key = {coordinate, slot};
    if (!block_takes(axis, block, key)) {
        axis_remove(list, which, slot);
        axis_insert(list, which, slot, coordinate, other);
        return;
    }
    uint32_t from = block_position(block, slot), to = from;
    while (to + 1 < block->count &&
           key_less((struct node_key){block->coordinate[to + 1], block->slot[to + 1]}, key))
        to++;
    while (to > 0 &&
           key_less(key, (struct node_key){block->coordinate[to - 1], block->slot[to - 1]}))
        to--;
    if (to > from)
        block_copy(block, from, block, from + 1, to - from);
    else
        block_copy(block, to + 1, block, to, from - to);
    block->coordinate[to] = coordinate;
    block->other[to] = other;
    block->slot[to] = slot;
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* All nodes with first <= coordinate <= last and, on the other axis, within other1 .. other2;
 * with `open`, strictly within. sentinel (may be NULL): where the last search began. */
struct strip {
    double first, last, other1, other2;
    bool open;
};

static bool search_strip(struct crosslist *list, int which, const struct strip *strip,
                         uint32_t *sentinel, struct hits *hits) {
    struct axis *axis = &list->axes[which];
    struct node_key start = {strip->first, 0};
    uint32_t number = sentinel == NULL ? NO_BLOCK : *sentinel;
    if (number >= axis->used || !block_takes(axis, &axis->blocks[number], start)) {
        uint32_t next = number < axis->used ? axis->blocks[number].next : NO_BLOCK;
        if (next != NO_BLOCK && block_takes(axis, &axis->blocks[next], start))
            number = next;
        else
            number = axis_find_block(axis, strip->first);
    }
    if (sentinel != NULL)
        *sentinel = number;
    for (; number != NO_BLOCK; number = axis->blocks[number].next) {
        const struct block *block = &axis->blocks[number];
        if (block->count == 0)
            continue;
        if (block->coordinate[0] > strip->last)
            break;
        if (!hits_reserve(hits, &list->base.space->memory, BLOCK_NODES))
            return false;
        uint32_t i = block->coordinate[0] < strip->first ? nodes_below(block, strip->first) : 0;
        const uint32_t end = block->count;
        uint32_t *slots = hits->slots;
        size_t count = hits->count;
        if (strip->open) {
            for (; i < end && block->coordinate[i] <= strip->last; i++) {
                slots[count] = block->slot[i];
                count +=
                    (size_t)((strip->other1 < block->other[i]) & (block->other[i] < strip->other2));
            }
        } else {
            for (; i < end && block->coordinate[i] <= strip->last; i++) {
                slots[count] = block->slot[i];
                count += (size_t)((strip->other1 <= block->other[i]) &
                                  (block->other[i] <= strip->other2));
            }
        }
        hits->count = count;
    }
    return true;
}

/* The blocks between two coordinates: how dear a search of that band is. */
static size_t band_blocks(const struct axis *axis, double first, double last) {
    return axis_find(axis, (struct node_key){last, NO_SLOT}) -
           axis_find(axis, (struct node_key){first, 0});
}

/* Moves the hits from `first` on that lie in the inner box to inside. */
static bool set_inside_apart(const struct crosslist *list, const struct box *inner, size_t first,
                             struct hits *hits, struct hits *inside) {
    struct aoi_space *space = list->base.space;
    if (!hits_reserve(inside, &space->memory, hits->count - first + 1))
        return false;
    size_t kept = first;
    for (size_t i = first; i < hits->count; i++) {
        uint32_t slot = hits->slots[i];
        double x = space->entities[slot].x, y = space->entities[slot].y;
        size_t is_inside =
            (size_t)((inner->x1 < x) & (x < inner->x2) & (inner->y1 < y) & (y < inner->y2));
        hits->slots[kept] = inside->slots[inside->count] = slot;
        inside->count += is_inside;
        kept += 1 - is_inside;
    }
    hits->count = kept;
    return true;
}

static bool crosslist_search(struct spatial_index *index, const struct ring *ring,
                             uint32_t near_slot, struct hits *hits, struct hits *inside) {
    struct crosslist *list = crosslist_of(index);
    const struct box *outer = &ring->outer, *inner = &ring->inner;
    /* An empty inner box (a step longer than the view) hides nothing. */
    bool hollow = ring->hollow && inner->x1 < inner->x2 && inner->y1 < inner->y2;
    if (hollow && inside == NULL) {
        uint32_t *sentinels = NULL;
        if (index->is_main && near_slot != NO_SLOT)
            sentinels = list->sentinels + (size_t)near_slot * SENTINELS;
        uint32_t unused[SENTINELS] = {NO_BLOCK, NO_BLOCK, NO_BLOCK, NO_BLOCK};
        if (sentinels == NULL)
            sentinels = unused;
        /* The left and right strips span the whole height, the others what is left. */
        return search_strip(list, AXIS_X,
                            &(struct strip){outer->x1, inner->x1, outer->y1, outer->y2, false},
                            &sentinels[0], hits) &&
               search_strip(list, AXIS_X,
                            &(struct strip){inner->x2, outer->x2, outer->y1, outer->y2, false},
                            &sentinels[1], hits) &&
               search_strip(list, AXIS_Y,
                            &(struct strip){outer->y1, inner->y1, inner->x1, inner->x2, true},
                            &sentinels[2], hits) &&
               search_strip(list, AXIS_Y,
                            &(struct strip){inner->y2, outer->y2, inner->x1, inner->x2, true},
                            &sentinels[3], hits);
    }
    size_t on_x = band_blocks(&list->axes[AXIS_X], outer->x1, outer->x2);
    size_t on_y = band_blocks(&list->axes[AXIS_Y], outer->y1, outer->y2);
    size_t first = hits->count;
    bool found =
        on_x <= on_y
            ? search_strip(list, AXIS_X,
                           &(struct strip){outer->x1, outer->x2, outer->y1, outer->y2, false}, NULL,
                           hits)
            : search_strip(list, AXIS_Y,
                           &(struct strip){outer->y1, outer->y2, outer->x1, outer->x2, false}, NULL,
                           hits);
    return found &&
           (!hollow || inside == NULL || set_inside_apart(list, inner, first, hits, inside));
}

/* ------------------------------------------------------------------ */
/* The engine                                                          */
/* ------------------------------------------------------------------ */

static void crosslist_destroy(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    struct memory *memory = &index->space->memory;
    axis_free(&list->axes[AXIS_X], memory);
    axis_free(&list->axes[AXIS_Y], memory);
    memory_resize(memory, list->sentinels, list->sentinel_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, list, 1, 0, sizeof *list);
}

/* Gives back all blocks but one; where the allocator can't even do that, they stay. */
static void axis_shrink(struct axis *axis, struct memory *memory) {
    struct block *blocks = memory_resize(memory, axis->blocks, axis->capacity, 1, sizeof *blocks);
    if (blocks != NULL) {
        axis->blocks = blocks;
        axis->capacity = 1;
    }
    struct separator *separators =
        memory_resize(memory, axis->separators, axis->separator_capacity, 1, sizeof *separators);
    if (separators != NULL) {
        axis->separators = separators;
        axis->separator_capacity = 1;
    }
}

static void crosslist_clear(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    struct memory *memory = &index->space->memory;
    axis_shrink(&list->axes[AXIS_X], memory);
    axis_shrink(&list->axes[AXIS_Y], memory);
    memory_resize(memory, list->sentinels, list->sentinel_capacity, 0, sizeof(uint32_t));
    list->sentinels = NULL;
    list->sentinel_capacity = 0;
    axis_clear(&list->axes[AXIS_X]);
    axis_clear(&list->axes[AXIS_Y]);
    index->count = 0;
}

static bool crosslist_reserve(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    struct memory *memory = &index->space->memory;
    size_t needed = (size_t)index->space->capacity * SENTINELS;
    if (index->is_main && list->sentinel_capacity < needed) {
        uint32_t *sentinels = memory_resize(memory, list->sentinels, list->sentinel_capacity,
                                            needed, sizeof(uint32_t));
        if (sentinels == NULL)
            return false;
        memset(sentinels + list->sentinel_capacity, 0xFF,
               (needed - list->sentinel_capacity) * sizeof(uint32_t));
        list->sentinels = sentinels;
        list->sentinel_capacity = needed;
    }
    return axis_reserve(&list->axes[AXIS_X], memory) && axis_reserve(&list->axes[AXIS_Y], memory);
}

static void crosslist_insert(struct spatial_index *index, uint32_t slot) {
    struct crosslist *list = crosslist_of(index);
    const struct entity *entity = &index->space->entities[slot];
    axis_insert(list, AXIS_X, slot, entity->x, entity->y);
    axis_insert(list, AXIS_Y, slot, entity->y, entity->x);
    index->count++;
}

static void crosslist_remove(struct spatial_index *index, uint32_t slot) {
    struct crosslist *list = crosslist_of(index);
    axis_remove(list, AXIS_X, slot);
    axis_remove(list, AXIS_Y, slot);
    index->count--;
}

static void crosslist_relocate(struct spatial_index *index, uint32_t slot, double x, double y) {
    struct crosslist *list = crosslist_of(index);
    axis_relocate(list, AXIS_X, slot, x, y);
    axis_relocate(list, AXIS_Y, slot, y, x);
}

static struct box crosslist_extent(const struct spatial_index *index) {
    const struct crosslist *list = (const struct crosslist *)index;
    double bounds[AXES][2] = {{0, 0}, {0, 0}};
    for (int which = 0; which < AXES && index->count > 0; which++) {
        const struct axis *axis = &list->axes[which];
        const struct block *first = &axis->blocks[axis->separators[0].block];
        const struct block *last = &axis->blocks[axis->separators[axis->separator_count - 1].block];
        bounds[which][0] = first->coordinate[0];
        bounds[which][1] = last->coordinate[last->count - 1];
    }
    return (struct box){bounds[AXIS_X][0], bounds[AXIS_Y][0], bounds[AXIS_X][1], bounds[AXIS_Y][1]};
}

/* While blocks do not merge, a node that is taken back finds the room that it left. */
static void crosslist_begin_batch(struct spatial_index *index) {
    crosslist_of(index)->batching = true;
}

/* Merges what merges with its successor, in one pass over the list. */
static void tidy_axis(struct crosslist *list, int which) {
    struct axis *axis = &list->axes[which];
    size_t kept = 0;
    for (size_t i = 1; i < axis->separator_count; i++) {
        uint32_t number = axis->separators[kept].block, next = axis->separators[i].block;
        struct block *block = &axis->blocks[number], *source = &axis->blocks[next];
        bool merges = block->count == 0 || source->count == 0 ||
                      block->count + source->count <= BLOCK_NODES / 2;
        if (!merges) {
            axis->separators[++kept] = axis->separators[i];
            continue;
        }
        block_copy(block, block->count, source, 0, source->count);
        block->count += source->count;
        remember_block(list, which, number);
        axis_unlink(axis, next);
    }
    axis->separator_count = kept + 1;
}

static void crosslist_end_batch(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    list->batching = false;
    if (list->untidy) {
        tidy_axis(list, AXIS_X);
        tidy_axis(list, AXIS_Y);
    }
    list->untidy = false;
}

static void crosslist_describe(const struct spatial_index *index, aoi_stats *stats) {
    const struct crosslist *list = (const struct crosslist *)index;
    for (int which = 0; which < AXES; which++) {
        const struct axis *axis = &list->axes[which];
        stats->cells += axis->separator_count;
        for (size_t i = 0; i < axis->separator_count; i++) {
            const struct block *block = &axis->blocks[axis->separators[i].block];
            if (block->count > stats->longest_chain)
                stats->longest_chain = block->count;
        }
    }
}

#ifdef AOI_SELF_CHECK
static void check_axis(const struct crosslist *list, int which) {
    const struct axis *axis = &list->axes[which];
    const struct aoi_space *space = list->base.space;
    size_t nodes = 0;
    uint32_t previous = NO_BLOCK;
    struct node_key last = {-INFINITY, 0};
    size_t position = 0;
    SELF_CHECK(axis->separators[0].key.coordinate == -INFINITY);
    for (uint32_t number = axis->separators[0].block; number != NO_BLOCK;
         previous = number, number = axis->blocks[number].next, position++) {
        const struct block *block = &axis->blocks[number];
        SELF_CHECK(position < axis->separator_count);
        SELF_CHECK(axis->separators[position].block == number && block->previous == previous);
        SELF_CHECK(axis->separators[position].key.coordinate == block->separator.coordinate);
        SELF_CHECK(axis->separators[position].key.slot == block->separator.slot);
        SELF_CHECK(block->count > 0 || axis->separator_count == 1 || list->batching);
        for (uint32_t i = 0; i < block->count; i++) {
            struct node_key key = {block->coordinate[i], block->slot[i]};
            const struct entity *entity = &space->entities[key.slot];
            SELF_CHECK(nodes == 0 || key_less(last, key));
            SELF_CHECK(!key_less(key, block->separator));
            SELF_CHECK(entity->mode != 0 && block_of(list, which, key.slot) == number);
            SELF_CHECK(key.coordinate == (which == AXIS_X ? entity->x : entity->y));
            SELF_CHECK(block->other[i] == (which == AXIS_X ? entity->y : entity->x));
            last = key;
            nodes++;
        }
    }
    SELF_CHECK(position == axis->separator_count);
    SELF_CHECK(nodes == list->base.count);
    SELF_CHECK(axis->separator_count + axis->free_count == axis->used);
}

static void crosslist_check(const struct spatial_index *index) {
    check_axis((const struct crosslist *)index, AXIS_X);
    check_axis((const struct crosslist *)index, AXIS_Y);
}
#endif

static const struct spatial_index_engine crosslist_engine = {
    .name = "crosslist",
    .destroy = crosslist_destroy,
    .clear = crosslist_clear,
    .reserve = crosslist_reserve,
    .insert = crosslist_insert,
    .remove = crosslist_remove,
    .relocate = crosslist_relocate,
    .search = crosslist_search,
    .extent = crosslist_extent,
    .begin_batch = crosslist_begin_batch,
    .end_batch = crosslist_end_batch,
    .describe = crosslist_describe,
#ifdef AOI_SELF_CHECK
    .check = crosslist_check,
#endif
};

struct spatial_index *crosslist_create(struct aoi_space *space, bool is_main, double reach) {
    (void)reach;
    struct memory *memory = &space->memory;
    struct crosslist *list = memory_resize(memory, NULL, 0, 1, sizeof *list);
    if (list == NULL)
        return NULL;
    memset(list, 0, sizeof *list);
    list->base = (struct spatial_index){&crosslist_engine, space, is_main, 0};
    for (int which = 0; which < AXES; which++)
        list->axes[which].free_block = NO_BLOCK;
    if (!axis_reserve(&list->axes[AXIS_X], memory) || !axis_reserve(&list->axes[AXIS_Y], memory)) {
        crosslist_destroy(&list->base);
        return NULL;
    }
    crosslist_clear(&list->base);
    return &list->base;
}
