/*
 * ring.h - where to look for entities: a box, less a box inside it.
 *
 * A step changes who sees whom only near the border of a view, so most
 * searches are for a hollow box. Searches may return more than lies in the
 * ring (the exact comparisons come later), never less, and nothing twice. On
 * demand they also tell who is inside: whoever they tell there certainly is.
 */
#ifndef AOI_RING_H
#define AOI_RING_H

#include "memory.h"

/* A closed box on x and y; infinite bounds are allowed. */
struct box {
    double x1, y1, x2, y2;
};

struct ring {
    struct box outer; /* whoever is searched for lies in here, borders included */
    struct box inner; /* and not strictly inside this one */
    bool hollow;      /* false: there is no inner box */
};

/* The slots of the entities that a search found. */
struct hits {
    uint32_t *slots;
    size_t count, capacity;
};

/* Room for `more` further slots. False: no memory, unchanged. */
static inline bool hits_reserve(struct hits *hits, struct memory *memory, size_t more) {
    if (more <= hits->capacity - hits->count)
        return true;
    size_t capacity = memory_next_capacity(hits->capacity, hits->count + more);
    if (capacity == 0)
        return false;
    uint32_t *slots =
        memory_resize(memory, hits->slots, hits->capacity, capacity, sizeof(uint32_t));
    if (slots == NULL)
        return false;
    hits->slots = slots;
    hits->capacity = capacity;
    return true;
}

#endif
