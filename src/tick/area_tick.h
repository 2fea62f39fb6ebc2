/* area_tick.h - what a tick of a deferred space means for areas. */
#ifndef AOI_AREA_TICK_H
#define AOI_AREA_TICK_H

#include "space/areas.h"

/* An area that is not what it was at the last tick, or not where it was. */
struct area_note {
    const struct area *before; /* NULL: there was none */
    aoi_point from;            /* where it was */
    uint32_t current;          /* its slot now; NO_AREA: there is none */
    bool collects;             /* it keeps its members from this tick on: all are to be found */
    bool is_handed;            /* it was in another space: before has members and no place */
    struct ring ring;          /* has_ring: only there can its step change who is inside */
    bool has_ring;
};

struct area_tick {
    struct aoi_space *space;
    struct area_note *notes;
    size_t count, capacity;
    struct area_grid before; /* where the noted areas were, by number */
    bool is_found;
    /* What was found of markers that were handed in is told, but their members are others: who has
     * become one here, and who has not stayed one. Told apart by where it stands in the lists. */
    struct pairs joined, parted;
    size_t leaves, enters; /* of all others */
};

/* Finds what the tick means, before anything else of it is done, and reserves what it takes. False:
 * no memory, nothing changed. */
bool area_tick_find(struct area_tick *tick, struct aoi_space *space);

/* Queues the events behind the others, and brings kept members up to date; or, not done, forgets
 * what was found. To be called after an area_tick_find that went well. */
void area_tick_finish(struct area_tick *tick, bool done);

#endif
