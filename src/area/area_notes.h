/* area_notes.h - notes of a tick under way about areas that have changed since the last one. */
#ifndef AOI_AREA_NOTES_H
#define AOI_AREA_NOTES_H

#include "area/area.h"
#include "index/area_grid.h"

/* An area that is not what it was at the last tick, or not where it was. */
struct area_note {
    const struct area *before; /* shape 0: there was none */
    aoi_point from;            /* where it was */
    uint32_t current;          /* its slot now; NO_AREA: there is none */
    bool collects;             /* it keeps its members from this tick on: all are to be found */
    bool is_handed;            /* it was in another space: before has members and no place */
    struct ring ring;          /* has_ring: only there can its step change who is inside */
    bool has_ring;
};

/* A tick of areas under way. */
struct area_tick {
    struct aoi_space *space;
    struct ARRAY_OF(struct area_note) notes;
    struct area_grid before; /* where the noted areas were, by number */
    bool is_found;
};

#endif
