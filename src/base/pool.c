/* pool.c - the memory of a tick, in blocks; the head of each names the one taken before it. */
#include "base/pool.h"

#include <string.h>

#ifndef __has_feature /* of clang */
#define __has_feature(feature) 0
#endif

struct pool_block {
    struct pool_block *before;
    size_t size; /* what the allocator gave, this head among it */
};

/* The head, and what it takes to begin at a cache line. */
enum { BLOCK_REST = sizeof(struct pool_block) + CACHE_LINE };

/* So many parts of what a tick has needed, and one more, are taken for the next one: it often needs
 * a little more, and would have to take all of it anew. */
enum { SPARE_PART = 32 };

static bool add_block(struct pool *pool, size_t bytes) {
    struct pool_block *block = memory_resize(pool->memory, NULL, 0, bytes + BLOCK_REST, 1);
    if (block == NULL)
        return false;
    *block = (struct pool_block){pool->block, bytes + BLOCK_REST};
    pool->block = block;
    pool->before += pool->used;
    pool->used = 0;
    return true;
}

static char *begin_of(struct pool_block *block) {
    char *begin = (char *)(block + 1);
    return begin + (CACHE_LINE - (uintptr_t)begin % CACHE_LINE);
}

static size_t whole_lines(size_t bytes) {
    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

void *pool_take(struct pool *pool, size_t count, size_t item_size) {
    if (count > SIZE_MAX / 4 / item_size)
        return NULL;
    const size_t bytes = whole_lines(count * item_size);
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    const size_t wanted = 0; /* a block for each piece, so that the sanitizer sees where it ends */
#else
    const size_t wanted = pool->block == NULL ? pool->wanted : (pool->before + pool->used) / 2;
#endif
    if ((pool->block == NULL || bytes > pool->block->size - BLOCK_REST - pool->used) &&
        !add_block(pool, wanted > bytes ? wanted : bytes))
        return NULL;
    void *taken = begin_of(pool->block) + pool->used;
    pool->used += bytes;
    return taken;
}

void pool_keep(struct pool *pool, const void *items, size_t count, size_t item_size) {
    high_water_note(&pool->use, pool->before + pool->used);
    pool->used =
        (size_t)((const char *)items - begin_of(pool->block)) + whole_lines(count * item_size);
}

void *pool_grown(struct pool *pool, void *items, size_t *capacity, size_t count, size_t more,
                 size_t item_size) {
    const size_t next = array_next_capacity(*capacity, count, more);
    void *grown = next == 0 ? NULL : pool_take(pool, next, item_size);
    if (grown == NULL)
        return items;
    if (count > 0)
        memcpy(grown, items, count * item_size);
    *capacity = next;
    return grown;
}

static void free_blocks(struct pool *pool) {
    while (pool->block != NULL) {
        struct pool_block *block = pool->block;
        pool->block = block->before;
        memory_resize(pool->memory, block, block->size, 0, 1);
    }
}

void pool_end(struct pool *pool) {
    high_water_note(&pool->use, pool->before + pool->used);
    const size_t most = pool->use.used;
    pool->before = pool->used = 0;
    if (high_water_end(&pool->use, QUIET_TICKS)) {
        free_blocks(pool);
        pool->wanted = 0;
    } else if (pool->block != NULL && pool->block->before != NULL) {
        free_blocks(pool);
        pool->wanted = most + most / SPARE_PART;
    }
}

void pool_free(struct pool *pool) {
    free_blocks(pool);
    *pool = (struct pool){.memory = pool->memory};
}
