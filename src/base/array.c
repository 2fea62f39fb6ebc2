/*
 * array.c - arrays grown and given back, with exact old sizes.
 *
 * An aligned array begins behind the start of its block, by the whole alignment at most, and the
 * start stands in the word before it: so much is always there, as allocators give whole words.
 * Resizing copies, because a resized block need not keep its alignment.
 */
#include "base/array.h"

#include <string.h>

size_t array_next_capacity(size_t capacity, size_t count, size_t more) {
    if (more > SIZE_MAX / 4 || count > SIZE_MAX / 4)
        return 0;
    const size_t needed = count + more;
#ifdef AOI_TINY
    return needed > capacity ? needed : capacity; /* grow at every chance */
#else
    /* A need that is known at once is met with little to spare. */
    const size_t half_more = capacity < 8 ? 8 : capacity + capacity / 2;
    return needed <= capacity ? capacity : needed <= half_more ? half_more : needed + needed / 16;
#endif
}

static void **start_of(void *items) {
    return (void **)items - 1;
}

static void *resize_aligned(struct memory *memory, void *items, size_t capacity, size_t count,
                            size_t total, size_t item_size, size_t alignment) {
    char *block = NULL, *resized = NULL;
    if (total > 0 && total <= (SIZE_MAX / 2 - alignment) / item_size)
        block = memory_resize(memory, NULL, 0, total * item_size + alignment, 1);
    if (total > 0 && block == NULL)
        return NULL;
    if (total > 0) {
        resized = block + (alignment - (uintptr_t)block % alignment);
        *start_of(resized) = block;
    }
    if (count > 0)
        memcpy(resized, items, count * item_size);
    if (items != NULL)
        memory_resize(memory, *start_of(items), capacity * item_size + alignment, 0, 1);
    return resized;
}

void *array_resized(struct memory *memory, void *items, size_t *capacity, size_t count,
                    size_t total, size_t item_size, size_t alignment) {
    void *resized = alignment == 0 ? memory_resize(memory, items, *capacity, total, item_size)
                                   : resize_aligned(memory, items, *capacity, count, total,
                                                    item_size, alignment);
    if (resized == NULL && total > 0)
        return items;
    *capacity = total;
    return total == 0 ? NULL : resized;
}

void *array_grown(struct memory *memory, void *items, size_t *capacity, size_t count, size_t more,
                  size_t item_size, size_t alignment) {
    const size_t next = array_next_capacity(*capacity, count, more);
    return next == 0 ? items
                     : array_resized(memory, items, capacity, count, next, item_size, alignment);
}
