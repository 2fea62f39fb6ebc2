/*
 * pool.h - memory for what lives as long as a tick: taken piece by piece, given back all at once.
 *
 * The pool keeps its room for the next tick, and gives it back by the rule of high_water.h. A tick
 * that needs more takes further blocks; the next one then takes a single block for all of it.
 */
#ifndef AOI_POOL_H
#define AOI_POOL_H

#include "base/array.h"
#include "base/high_water.h"

/* All zero but for its memory: empty. */
struct pool {
    struct memory *memory;
    struct pool_block *block; /* the last one, which names the one before */
    size_t used;              /* bytes of it */
    size_t before;            /* bytes used in those before */
    size_t wanted;            /* bytes that are taken together, if they are to be had */
    struct high_water use;    /* in bytes */
};

/* Room for so many items, which begins at a cache line. */
void *pool_take(struct pool *pool, size_t count, size_t item_size);

/* Of the items taken last, only the first `count` stay. */
void pool_keep(struct pool *pool, const void *items, size_t count, size_t item_size);

/* As array_reserve and array_add, for arrays that live as long as the rest. */
#define pool_reserve(array, pool, more)                                                            \
    (array_has_room(array, more) ||                                                                \
     ((array)->items = pool_grown(pool, (array)->items, &(array)->capacity, (array)->count, more,  \
                                  sizeof *(array)->items),                                         \
      array_has_room(array, more)))
#define pool_add(array, pool, ...)                                                                 \
    (pool_reserve(array, pool, 1) && ((array)->items[(array)->count++] = (__VA_ARGS__), true))

/* As array_grown. */
void *pool_grown(struct pool *pool, void *items, size_t *capacity, size_t count, size_t more,
                 size_t item_size);

/* The tick is over: all that was taken goes back. */
void pool_end(struct pool *pool);

/* Gives back all room, too. */
void pool_free(struct pool *pool);

#endif
