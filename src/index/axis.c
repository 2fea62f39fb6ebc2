/* axis.c - nodes added, moved and removed in blocks, and found by separators; the search of blocks
 * is in axis_scan.c. */
#include "index/axis.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

struct node_key {
    double coordinate;
    uint32_t slot;
};

static bool key_less(struct node_key a, struct node_key b) {
    return a.coordinate < b.coordinate || (a.coordinate == b.coordinate && a.slot < b.slot);
}

static struct node_key node_at(const struct block *block, size_t lane) {
    return (struct node_key){block->coordinate[lane], block->slot[lane]};
}

/* ------------------------------------------------------------------ */
/* Blocks                                                              */
/* ------------------------------------------------------------------ */

/* Empties the lanes from `first` on. */
static void block_cut(struct block *block, uint32_t first) {
    block->count = first;
    for (uint32_t lane = first; lane < BLOCK_LANES; lane++)
        block->coordinate[lane] = block->other[lane] = NAN;
}

static void block_init(struct block *block) {
    memset(block, 0, sizeof *block);
    block_cut(block, 0);
}

static void block_copy(struct block *to, uint32_t at, const struct block *from, uint32_t first,
                       uint32_t count) {
    memmove(to->coordinate + at, from->coordinate + first, count * sizeof(double));
    memmove(to->other + at, from->other + first, count * sizeof *to->other);
    memmove(to->slot + at, from->slot + first, count * sizeof(uint32_t));
}

static void block_set(struct block *block, uint32_t lane, struct node_key key, float other) {
    block->coordinate[lane] = key.coordinate;
    block->other[lane] = other;
    block->slot[lane] = key.slot;
}

/* Two lanes side by side, and the outcome of comparing them: -1 or 0 each. */
typedef double xy __attribute__((vector_size(16)));
typedef int64_t pair_mask __attribute__((vector_size(16)));

/* The lane of a node, or the one where it belongs: how many nodes come before it. */
static uint32_t block_rank(const struct block *block, struct node_key key) {
    const xy limit = {key.coordinate, key.coordinate};
    const int first = block_group(block, key.coordinate);
    pair_mask below = {0, 0};
    for (int lane = 0; lane < GROUP_LANES; lane += 2) {
        xy two;
        memcpy(&two, block->coordinate + first + lane, sizeof two);
        below -= two < limit;
    }
    uint32_t rank = (uint32_t)(first + below[0] + below[1]);
    while (rank < block->count && block->coordinate[rank] == key.coordinate &&
           block->slot[rank] < key.slot)
        rank++;
    return rank;
}

/* A node gets another key: those between its old and its new place each move up by one. */
static void block_change(struct block *block, struct node_key from, struct node_key to,
                         float other) {
    uint32_t lane = block_rank(block, from);
    for (; lane + 1 < block->count && key_less(node_at(block, lane + 1), to); lane++)
        block_set(block, lane, node_at(block, lane + 1), block->other[lane + 1]);
    for (; lane > 0 && key_less(to, node_at(block, lane - 1)); lane--)
        block_set(block, lane, node_at(block, lane - 1), block->other[lane - 1]);
    block_set(block, lane, to, other);
}

/* ------------------------------------------------------------------ */
/* Room                                                                */
/* ------------------------------------------------------------------ */

static void reset(struct axis *axis) {
    axis->used = 1;
    axis->free_block = NO_BLOCK;
    axis->free_count = 0;
    block_init(&axis->blocks[0]);
    axis->separators[0] = (struct separator){-INFINITY, 0, 0};
    axis->separator_count = 1;
    axis->nodes = 0;
}

void axis_free(struct axis *axis) {
    array_resized(axis->memory, axis->blocks, &axis->capacity, 0, 0, sizeof *axis->blocks,
                  CACHE_LINE);
    memory_resize(axis->memory, axis->separators, axis->separator_capacity, 0,
                  sizeof *axis->separators);
}

bool axis_reserve(struct axis *axis) {
    const bool grows = axis->free_count == 0 && axis->used == axis->capacity;
    if (grows && axis->used + 1 < NO_BLOCK)
        axis->blocks = array_grown(axis->memory, axis->blocks, &axis->capacity, axis->used, 1,
                                   sizeof *axis->blocks, CACHE_LINE);
    if (grows && axis->used == axis->capacity)
        return false;
    if (axis->separator_count == axis->separator_capacity)
        axis->separators = array_grown(axis->memory, axis->separators, &axis->separator_capacity,
                                       axis->separator_count, 1, sizeof *axis->separators, 0);
    return axis->separator_count < axis->separator_capacity;
}

/* ------------------------------------------------------------------ */
/* The list                                                            */
/* ------------------------------------------------------------------ */

/* 1 when a search for this coordinate goes on from this separator, else 0. */
static size_t is_passed(const struct separator *separator, double coordinate) {
    return separator->coordinate <= coordinate;
}

/* The position among the separators of the block where key belongs. O(log n). */
static size_t axis_find(const struct axis *axis, struct node_key key) {
    const struct separator *separators = axis->separators;
    size_t first = 0, count = axis->separator_count;
    /* No branch on the outcome, which can't be predicted. Three at a time: the processor compares
     * them side by side, but must wait before it knows the next three. */
    while (count > 3) {
        const size_t part = count / 4;
        const struct separator *part1 = separators + first + part;
        const struct separator *part2 = part1 + part, *part3 = part2 + part;
        first += part * (is_passed(part1, key.coordinate) + is_passed(part2, key.coordinate) +
                         is_passed(part3, key.coordinate));
        count -= 3 * part;
    }
    for (; count > 1; count--)
        first += is_passed(&separators[first + 1], key.coordinate);
    if (separators[first].coordinate < key.coordinate)
        return first;
    /* Separators with this very coordinate, which are rare: the slot decides among them. */
    first = 0;
    for (count = axis->separator_count; count > 1;) {
        size_t half = count / 2;
        const struct separator *middle = &separators[first + half];
        if (!key_less(key, (struct node_key){middle->coordinate, middle->slot}))
            first += half;
        count -= half;
    }
    return first;
}

/* axis_find, where the key is likely to be near the hint; any hint will do. */
static size_t axis_find_near(const struct axis *axis, struct node_key key, size_t hint) {
    enum { NEAR = 8 };
    const struct separator *separators = axis->separators;
    size_t last = axis->separator_count - 1, position = hint;
    if (hint > last)
        return axis_find(axis, key);
    for (int i = 0; i < NEAR && separators[position].coordinate > key.coordinate; i++)
        position--;
    for (int i = 0;
         i < NEAR && position < last && separators[position + 1].coordinate <= key.coordinate; i++)
        position++;
    bool found = separators[position].coordinate < key.coordinate &&
                 (position == last || separators[position + 1].coordinate > key.coordinate);
    return found ? position : axis_find(axis, key);
}

static void remember_block(struct axis *axis, uint32_t number) {
    if (!axis->is_main)
        return;
    const struct block *block = &axis->blocks[number];
    for (uint32_t lane = 0; lane < block->count; lane++)
        axis->entities->at[block->slot[lane]].handle[axis->which] = number;
}

/* Splits the block at a position in two halves; the new block comes after it. */
static void axis_split(struct axis *axis, size_t position) {
    uint32_t fresh = axis->free_block;
    if (fresh != NO_BLOCK) {
        axis->free_block = axis->blocks[fresh].next_free;
        axis->free_count--;
    } else {
        SELF_CHECK(axis->used < axis->capacity);
        fresh = (uint32_t)axis->used++;
    }
    struct block *low = &axis->blocks[axis->separators[position].block];
    struct block *high = &axis->blocks[fresh];
    uint32_t kept = low->count / 2, moved = low->count - kept;
    block_init(high);
    block_copy(high, 0, low, kept, moved);
    high->count = moved;
    block_cut(low, kept);
    SELF_CHECK(axis->separator_count < axis->separator_capacity);
    struct separator *place = axis->separators + position + 1;
    memmove(place + 1, place, (axis->separator_count - position - 1) * sizeof *place);
    *place = (struct separator){high->coordinate[0], high->slot[0], fresh};
    axis->separator_count++;
    remember_block(axis, fresh);
}

/* Moves all nodes of a block to the end of one before it, and frees it. */
static void axis_join(struct axis *axis, uint32_t number, uint32_t emptied) {
    struct block *block = &axis->blocks[number];
    struct block *source = &axis->blocks[emptied];
    block_copy(block, block->count, source, 0, source->count);
    block->count += source->count;
    remember_block(axis, number);
    block_cut(source, 0);
    source->next_free = axis->free_block;
    axis->free_block = emptied;
    axis->free_count++;
}

/* True when two blocks in a row are to be one. */
static bool should_join(const struct axis *axis, uint32_t number, uint32_t next) {
    uint32_t count = axis->blocks[number].count, next_count = axis->blocks[next].count;
    return count == 0 || next_count == 0 || count + next_count <= BLOCK_NODES / 2;
}

/* Joins the block at a position with the one after it, if there is one and they should be one. */
static void axis_join_next(struct axis *axis, size_t position) {
    if (position + 1 == axis->separator_count)
        return;
    struct separator *place = &axis->separators[position + 1];
    uint32_t number = axis->separators[position].block, next = place->block;
    if (!should_join(axis, number, next))
        return;
    axis->separator_count--;
    memmove(place, place + 1, (axis->separator_count - position - 1) * sizeof *place);
    axis_join(axis, number, next);
}

static void insert_at(struct axis *axis, size_t position, struct node_key key, float other) {
    if (axis->blocks[axis->separators[position].block].count == BLOCK_NODES) {
        axis_split(axis, position);
        const struct separator *high = &axis->separators[position + 1];
        if (!key_less(key, (struct node_key){high->coordinate, high->slot}))
            position++;
    }
    uint32_t number = axis->separators[position].block;
    struct block *block = &axis->blocks[number];
    const uint32_t lane = block_rank(block, key);
    block_copy(block, lane + 1, block, lane, block->count - lane);
    block_set(block, lane, key, other);
    block->count++;
    block->position = (uint32_t)position;
    axis->nodes++;
    if (axis->is_main)
        axis->entities->at[key.slot].handle[axis->which] = number;
}

static void remove_from(struct axis *axis, uint32_t number, struct node_key key) {
    struct block *block = &axis->blocks[number];
    const uint32_t lane = block_rank(block, key);
    block->count--;
    block_copy(block, lane, block, lane + 1, block->count - lane);
    block->coordinate[block->count] = block->other[block->count] = NAN;
    axis->nodes--;
    if (block->count > BLOCK_NODES / 4)
        return;
    if (axis->batching) {
        axis->untidy = true;
        return;
    }
    size_t position = axis_find(axis, key);
    axis_join_next(axis, position);
    if (position > 0)
        axis_join_next(axis, position - 1);
}

/* The key under which the entity in slot stands now. */
static struct node_key key_of(const struct axis *axis, uint32_t slot) {
    const struct entity *entity = &axis->entities->at[slot];
    return (struct node_key){axis->which == AXIS_X ? entity->x : entity->y, slot};
}

static uint32_t block_of(const struct axis *axis, struct node_key key) {
    if (axis->is_main)
        return axis->entities->at[key.slot].handle[axis->which];
    return axis->separators[axis_find(axis, key)].block;
}

void axis_insert(struct axis *axis, uint32_t slot, double coordinate, double other) {
    struct node_key key = {coordinate, slot};
    insert_at(axis, axis_find(axis, key), key, (float)other);
}

void axis_remove(struct axis *axis, uint32_t slot) {
    struct node_key key = key_of(axis, slot);
    remove_from(axis, block_of(axis, key), key);
}

void axis_relocate(struct axis *axis, uint32_t slot, double coordinate, double other) {
    struct node_key from = key_of(axis, slot), to = {coordinate, slot};
    uint32_t number = block_of(axis, from);
    struct block *block = &axis->blocks[number];
    bool between =
        (block->coordinate[0] < coordinate) & (coordinate < block->coordinate[block->count - 1]);
    size_t position = between ? 0 : axis_find_near(axis, to, block->position);
    if (between || axis->separators[position].block == number) {
        block_change(block, from, to, (float)other);
        return;
    }
    /* In first: going out may join blocks, after which the position would be another one. */
    insert_at(axis, position, to, (float)other);
    remove_from(axis, number, from);
}

void axis_clear(struct axis *axis) {
    axis->blocks = array_resized(axis->memory, axis->blocks, &axis->capacity, 0, 1,
                                 sizeof *axis->blocks, CACHE_LINE);
    axis->separators = array_resized(axis->memory, axis->separators, &axis->separator_capacity, 0,
                                     1, sizeof *axis->separators, 0);
    reset(axis);
}

bool axis_init(struct axis *axis) {
    axis->scan = axis_scanner_for_processor();
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

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

size_t axis_start(const struct axis *axis, double first, size_t hint) {
    return axis_find_near(axis, (struct node_key){first, 0}, hint);
}

bool axis_search(const struct axis *axis, const struct strip *strip, size_t start,
                 struct hits *hits) {
    enum { AT_ONCE = 16 };
    const struct separator *row = axis->separators + start;
    size_t rest = axis->separator_count - start;
    while (rest > 0) {
        size_t count = rest < AT_ONCE ? rest : AT_ONCE;
        if (!hits_reserve(hits, (size_t)AT_ONCE * BLOCK_LANES))
            return false;
        if (!axis->scan(axis->blocks, row, count, strip, hits))
            break;
        row += count;
        rest -= count;
    }
    return true;
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
        if (should_join(axis, number, next))
            axis_join(axis, number, next);
        else
            axis->separators[++kept] = axis->separators[i];
    }
    axis->separator_count = kept + 1;
}

#ifdef AOI_SELF_CHECK
void axis_check(const struct axis *axis) {
    const struct entities *entities = axis->entities;
    size_t nodes = 0;
    struct node_key last = {-INFINITY, 0};
    SELF_CHECK(axis->separators[0].coordinate == -INFINITY);
    for (size_t position = 0; position < axis->separator_count; position++) {
        const struct separator *separator = &axis->separators[position];
        const struct node_key low = {separator->coordinate, separator->slot};
        const struct block *block = &axis->blocks[separator->block];
        SELF_CHECK(position == 0 || key_less(last, low));
        SELF_CHECK(block->count <= BLOCK_NODES);
        SELF_CHECK(block->count > 0 || axis->separator_count == 1 || axis->batching);
        last = low;
        for (uint32_t lane = 0; lane < block->count; lane++) {
            struct node_key key = node_at(block, lane);
            const struct entity *entity = &entities->at[key.slot];
            SELF_CHECK(lane == 0 ? !key_less(key, low) : key_less(last, key));
            SELF_CHECK(entity->mode != 0 && block_of(axis, key) == separator->block);
            SELF_CHECK(key.coordinate == (axis->which == AXIS_X ? entity->x : entity->y));
            SELF_CHECK(block->other[lane] ==
                       (float)(axis->which == AXIS_X ? entity->y : entity->x));
            last = key;
            nodes++;
        }
        for (uint32_t lane = block->count; lane < BLOCK_LANES; lane++)
            SELF_CHECK(isnan(block->coordinate[lane]) && isnan(block->other[lane]));
    }
    SELF_CHECK(nodes == axis->nodes);
    SELF_CHECK(axis->separator_count + axis->free_count == axis->used);
}

#endif
