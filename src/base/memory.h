/*
 * memory.h - all memory of a space: one allocator, exact sizes, bytes counted
 * by what they are for.
 *
 * Everywhere in the core: a function that takes memory returns false, or NULL,
 * when memory is lacking. Then nothing has changed, but for lists that were
 * being filled for the call or the tick under way, which is given up.
 */
#ifndef AOI_MEMORY_H
#define AOI_MEMORY_H

#include "aoi.h"

/* The allocator, with the bytes of one purpose: each has its own, and what was taken through one is
 * given back through the same. */
struct memory {
    aoi_allocator allocate;
    void *userdata;
    size_t bytes; /* held now */
};

/*
 * Resizes an array from old_count to new_count items; new_count 0 frees it.
 * NULL when the allocator refuses or the size does not fit size_t: the old
 * array is then still valid.
 */
void *memory_resize(struct memory *memory, void *array, size_t old_count, size_t new_count,
                    size_t item_size);

enum { CACHE_LINE = 64, MEMORY_PAGE = 4096 };

#endif
