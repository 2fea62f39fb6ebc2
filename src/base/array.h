/*
 * array.h - arrays that grow.
 *
 *     struct pairs ARRAY_OF(struct pair);   a type of its own
 *     struct ARRAY_OF(uint32_t) watchers;   a field, or a variable
 *
 * All zero is an empty array without room. Items are written to items[count++] when there is room.
 * The memory is named each time room is made, always the same one; a call makes all of the room or
 * returns false, and nothing has changed. Macros, as C has no other way to write these few
 * functions for items of every type; `array` is evaluated several times.
 *
 * Items of whole cache lines stand on cache lines.
 */
#ifndef AOI_ARRAY_H
#define AOI_ARRAY_H

#include "base/memory.h"

/* clang-format off */
#define ARRAY_OF(type) { type *items; size_t count, capacity; } /* NOLINT: a type has no brackets */
/* clang-format on */

/* True when there is room for `more` further items. */
#define array_has_room(array, more) ((more) <= (array)->capacity - (array)->count)

/* Makes room for `more` further items. The room grows by half, so that adding items one by one
 * costs O(1) each. */
#define array_reserve(array, memory, more)                                                         \
    array_reserve_on(array, memory, more, ARRAY_ALIGNMENT(array))

/* Adds an item. */
#define array_add(array, memory, ...)                                                              \
    (array_reserve(array, memory, 1) && ((array)->items[(array)->count++] = (__VA_ARGS__), true))

/* Makes room for `total` items in all, unless there is more; all items that there was room for
 * stay. For arrays by slot. */
#define array_extend(array, memory, total)                                                         \
    ((total) <= (array)->capacity ||                                                               \
     ((array)->items =                                                                             \
          array_resized(memory, (array)->items, &(array)->capacity, (array)->capacity, total,      \
                        sizeof *(array)->items, ARRAY_ALIGNMENT(array)),                           \
      (total) <= (array)->capacity))

/* Gives back the room but for the items; keeps it all where the allocator can't even do that. */
#define array_fit(array, memory)                                                                   \
    ((array)->items =                                                                              \
         array_resized(memory, (array)->items, &(array)->capacity, (array)->count, (array)->count, \
                       sizeof *(array)->items, ARRAY_ALIGNMENT(array)))

/* Gives back all of the room: the array is empty. */
#define array_free(array, memory) array_free_on(array, memory, ARRAY_ALIGNMENT(array))

/* Swaps two arrays of one type. */
#define array_swap(a, b)                                                                           \
    do {                                                                                           \
        const __typeof__(*(a)) swapped = *(a);                                                     \
        *(a) = *(b);                                                                               \
        *(b) = swapped;                                                                            \
    } while (0)

/* With an alignment of its own: a multiple of CACHE_LINE; 0: that of the allocator. */
#define array_reserve_on(array, memory, more, alignment)                                           \
    (array_has_room(array, more) ||                                                                \
     ((array)->items = array_grown(memory, (array)->items, &(array)->capacity, (array)->count,     \
                                   more, sizeof *(array)->items, alignment),                       \
      array_has_room(array, more)))
#define array_free_on(array, memory, alignment)                                                    \
    ((array)->items = array_resized(memory, (array)->items, &(array)->capacity, 0, 0,              \
                                    sizeof *(array)->items, alignment),                            \
     (array)->count = 0)

#define ARRAY_ALIGNMENT(array) (sizeof *(array)->items % CACHE_LINE == 0 ? CACHE_LINE : 0)

/* The next capacity of an array of `count` items and `more`; 0 when that is too many. */
size_t array_next_capacity(size_t capacity, size_t count, size_t more);

/* The items with room for `more` besides count, moved or not, and their new capacity; where memory
 * is lacking, as they were. */
void *array_grown(struct memory *memory, void *items, size_t *capacity, size_t count, size_t more,
                  size_t item_size, size_t alignment);

/* The items with room for `total`, of which the first count stay. 0: NULL. */
void *array_resized(struct memory *memory, void *items, size_t *capacity, size_t count,
                    size_t total, size_t item_size, size_t alignment);

#endif
