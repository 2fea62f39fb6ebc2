/* axis.c - see axis.h. */
#include "axis.h"

#include <math.h>
#include <string.h>

#include "self_check.h"
#include "space.h"

static bool key_less(struct node_key a, struct node_key b) {
    return a.coordinate < b.coordinate || (a.coordinate == b.coordinate && a.slot < b.slot);
}

static void reset(struct axis *axis) {
    struct block *first = &axis->blocks[0];
    axis->used = 1;
    axis->free_block = NO_BLOCK;
    axis->free_count = 0;
    first->count = 0;
    first->previous = first->next = NO_BLOCK;
    first->separator = (struct node_key){-INFINITY, 0};
    axis->separators[0] = (struct separator){first->separator, 0};
    axis->separator_count = 1;
    axis->nodes = 0;
}

void axis_free(struct axis *axis) {
    struct memory *memory = &axis->space->memory;
    memory_resize(memory, axis->blocks, axis->capacity, 0, sizeof *axis->blocks);
    memory_resize(memory, axis->separators, axis->separator_capacity, 0, sizeof *axis->separators);
}

bool axis_reserve(struct axis *axis) {
    struct memory *memory = &axis->space->memory;
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

static void remember_block(struct axis *axis, uint32_t number) {
    if (!axis->is_main)
        return;
    const struct block *block = &axis->blocks[number];
    for (uint32_t i = 0; i < block->count; i++)
        axis->space->entities[block->slot[i]].place[axis->which] = number;
}

/* Appends the nodes of a block's successor to it when the block is empty or both are small. */
static void merge_with_next(struct axis *axis, uint32_t number) {
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
    remember_block(axis, number);
}

void axis_insert(struct axis *axis, uint32_t slot, double coordinate, double other) {
    struct node_key key = {coordinate, slot};
    size_t position = axis_find(axis, key);
    uint32_t number = axis->separators[position].block;
    if (axis->blocks[number].count == BLOCK_NODES) {
        uint32_t fresh = axis_split(axis, position);
        remember_block(axis, fresh);
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
    axis->nodes++;
    if (axis->is_main)
        axis->space->entities[slot].place[axis->which] = number;
}

static uint32_t block_of(const struct axis *axis, uint32_t slot) {
    const struct entity *entity = &axis->space->entities[slot];
    if (axis->is_main)
        return entity->place[axis->which];
    struct node_key key = {axis->which == AXIS_X ? entity->x : entity->y, slot};
    return axis->separators[axis_find(axis, key)].block;
}

void axis_remove(struct axis *axis, uint32_t slot) {
    uint32_t number = block_of(axis, slot);
    struct block *block = &axis->blocks[number];
    uint32_t at = block_position(block, slot);
    block->count--;
    axis->nodes--;
    block_copy(block, at, block, at + 1, block->count - at);
    if (axis->batching) {
        axis->untidy = axis->untidy || block->count <= BLOCK_NODES / 4;
    } else if (block->count == 0 && block->previous != NO_BLOCK) {
        axis_drop(axis, number);
    } else if (block->count <= BLOCK_NODES / 4) {
        uint32_t previous = block->previous;
        merge_with_next(axis, number);
        if (previous != NO_BLOCK)
            merge_with_next(axis, previous);
    }
}

void axis_relocate(struct axis *axis, uint32_t slot, double coordinate, double other) {
    struct block *block = &axis->blocks[block_of(axis, slot)];
    struct node_key key = {coordinate, slot};
    if (!block_takes(axis, block, key)) {
        axis_remove(axis, slot);
        axis_insert(axis, slot, coordinate, other);
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

void axis_clear(struct axis *axis) {
    struct memory *memory = &axis->space->memory;
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
    reset(axis);
}

bool axis_init(struct axis *axis) {
    axis->free_block = NO_BLOCK;
    if (!axis_reserve(axis))
        return false;
    reset(axis);
    return true;
}

void axis_extent(const struct axis *axis, double *first, double *last) {
    *first = *last = 0;
    if (axis->nodes == 0)
        return;
    const struct block *low = &axis->blocks[axis->separators[0].block];
    const struct block *high = &axis->blocks[axis->separators[axis->separator_count - 1].block];
    *first = low->coordinate[0];
    *last = high->coordinate[high->count - 1];
}

size_t axis_longest_block(const struct axis *axis) {
    size_t longest = 0;
    for (size_t i = 0; i < axis->separator_count; i++) {
        const struct block *block = &axis->blocks[axis->separators[i].block];
        if (block->count > longest)
            longest = block->count;
    }
    return longest;
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

bool axis_search(struct axis *axis, const struct strip *strip, uint32_t *sentinel,
                 struct hits *hits) {
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
        if (!hits_reserve(hits, &axis->space->memory, BLOCK_NODES))
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

size_t axis_band_blocks(const struct axis *axis, double first, double last) {
    return axis_find(axis, (struct node_key){last, NO_SLOT}) -
           axis_find(axis, (struct node_key){first, 0});
}

/* ------------------------------------------------------------------ */
/* Batches                                                             */
/* ------------------------------------------------------------------ */

void axis_tidy(struct axis *axis) {
    axis->batching = false;
    if (!axis->untidy)
        return;
    axis->untidy = false;
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
        remember_block(axis, number);
        axis_unlink(axis, next);
    }
    axis->separator_count = kept + 1;
}

#ifdef AOI_SELF_CHECK
void axis_check(const struct axis *axis) {
    const struct aoi_space *space = axis->space;
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
        SELF_CHECK(block->count > 0 || axis->separator_count == 1 || axis->batching);
        for (uint32_t i = 0; i < block->count; i++) {
            struct node_key key = {block->coordinate[i], block->slot[i]};
            const struct entity *entity = &space->entities[key.slot];
            SELF_CHECK(nodes == 0 || key_less(last, key));
            SELF_CHECK(!key_less(key, block->separator));
            SELF_CHECK(entity->mode != 0 && block_of(axis, key.slot) == number);
            SELF_CHECK(key.coordinate == (axis->which == AXIS_X ? entity->x : entity->y));
            SELF_CHECK(block->other[i] == (axis->which == AXIS_X ? entity->y : entity->x));
            last = key;
            nodes++;
        }
    }
    SELF_CHECK(position == axis->separator_count);
    SELF_CHECK(nodes == axis->nodes);
    SELF_CHECK(axis->separator_count + axis->free_count == axis->used);
}

#endif
