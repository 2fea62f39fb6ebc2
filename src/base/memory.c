/* memory.c - arrays grown through the space's allocator, with exact old sizes. */
#include "base/memory.h"

#include <string.h>

void *memory_resize(struct memory *memory, void *array, size_t old_count, size_t new_count,
                    size_t item_size) {
    size_t old_size = array == NULL ? 0 : old_count * item_size;
    if (new_count > SIZE_MAX / 2 / item_size)
        return NULL;
    size_t new_size = new_count * item_size;
    if (old_size == 0 && new_size == 0)
        return NULL;
    void *result = memory->allocate(memory->userdata, array, old_size, new_size);
    if (result == NULL && new_size != 0)
        return NULL;
    memory->bytes += new_size - old_size;
    return result;
}

bool aligned_grow(struct memory *memory, struct aligned_array *array, size_t used_count,
                  size_t new_count, size_t item_size) {
    const size_t alignment = array->alignment == 0 ? CACHE_LINE : array->alignment;
    if (new_count > (SIZE_MAX / 2 - alignment) / item_size)
        return false;
    size_t bytes = new_count * item_size + alignment;
    void *block = memory_resize(memory, NULL, 0, bytes, 1);
    if (block == NULL)
        return false;
    uintptr_t address = ((uintptr_t)block + alignment - 1) & ~(uintptr_t)(alignment - 1);
    void *items = (char *)block + (address - (uintptr_t)block);
    if (used_count > 0)
        memcpy(items, array->items, used_count * item_size);
    aligned_free(memory, array);
    array->items = items;
    array->block = block;
    array->bytes = bytes;
    return true;
}

void aligned_free(struct memory *memory, struct aligned_array *array) {
    if (array->block != NULL)
        memory_resize(memory, array->block, array->bytes, 0, 1);
    array->items = array->block = NULL;
    array->bytes = 0;
}

size_t memory_next_capacity(size_t capacity, size_t needed) {
    size_t next = capacity < 8 ? 8 : capacity;
#ifdef AOI_TINY
    next = capacity < 1 ? 1 : capacity; /* grow at every chance */
    if (needed < SIZE_MAX / 4)
        return needed > next ? needed : next;
#endif
    while (next < needed) {
        if (next > SIZE_MAX / 4)
            return 0;
        next += next / 2;
    }
    return next;
}

void *memory_grow(struct memory *memory, void *array, size_t *capacity, size_t needed,
                  size_t item_size) {
    size_t next = memory_next_capacity(*capacity, needed);
    if (next == 0)
        return NULL;
    void *grown = memory_resize(memory, array, *capacity, next, item_size);
    if (grown != NULL)
        *capacity = next;
    return grown;
}
