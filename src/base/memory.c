/* memory.c - blocks resized through the space's allocator, with exact old sizes, and counted. */
#include "base/memory.h"

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
