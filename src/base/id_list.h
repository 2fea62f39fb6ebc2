/* id_list.h - a list of ids that grows, and where one stands in a list that ascends. */
#ifndef AOI_ID_LIST_H
#define AOI_ID_LIST_H

#include <string.h>

#include "base/array.h"

struct id_list {
    aoi_id *ids; /* NULL while it has no room */
    size_t count, capacity;
};

/* Room for `more` further ids. */
static inline bool id_list_reserve(struct id_list *list, struct memory *memory, size_t more) {
    if (!array_has_room(list, more))
        list->ids = array_grown(memory, list->ids, &list->capacity, list->count, more,
                                sizeof *list->ids, 0);
    return array_has_room(list, more);
}

/* Adds an id at the end. */
static inline bool id_list_add(struct id_list *list, struct memory *memory, aoi_id id) {
    if (!id_list_reserve(list, memory, 1))
        return false;
    list->ids[list->count++] = id;
    return true;
}

/* Where the next id goes, of a list that has had room reserved. */
static inline aoi_id *id_list_end(const struct id_list *list) {
    return list->ids + list->count;
}

/* Where the id stands among these, which ascend, or would stand. O(log count). */
static inline size_t sorted_place(const aoi_id *ids, size_t count, aoi_id id) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the id is in a list that ascends. O(log count). */
static inline bool id_list_has(const struct id_list *list, aoi_id id) {
    const size_t at = sorted_place(list->ids, list->count, id);
    return at < list->count && list->ids[at] == id;
}

/* Puts an id in at a place, or takes out the one there. There must be room. */
static inline void id_list_insert(struct id_list *list, size_t at, aoi_id id) {
    memmove(list->ids + at + 1, list->ids + at, (list->count - at) * sizeof id);
    list->ids[at] = id;
    list->count++;
}

static inline void id_list_erase(struct id_list *list, size_t at) {
    list->count--;
    memmove(list->ids + at, list->ids + at + 1, (list->count - at) * sizeof *list->ids);
}

static inline void id_list_free(struct id_list *list, struct memory *memory) {
    memory_resize(memory, list->ids, list->capacity, 0, sizeof(aoi_id));
    *list = (struct id_list){NULL, 0, 0};
}

#endif
