/*
 * area_pairs.h - one marker among the areas of a tick: which of them it has left, and which it has
 * entered.
 */
#ifndef AOI_AREA_PAIRS_H
#define AOI_AREA_PAIRS_H

#include "space/area_former.h"

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
    struct area_note *notes;
    size_t count, capacity;
    struct area_grid before; /* where the noted areas were, by number */
    bool is_found;
};

static inline struct area_table *tick_areas(const struct area_tick *tick) {
    return &tick->space->areas->table;
}

/* True when the members that the area keeps from now on are being found. */
static inline bool area_collects(const struct area_tick *tick, const struct area *area) {
    return area->is_noted && tick->notes[area->note].collects;
}

/* True when the area in slot (NO_AREA: none) is to have the marker, which was a member or not. */
static inline bool area_pairs_take(const struct area_tick *tick, uint32_t slot,
                                   const struct area_marker *marker, bool was) {
    return slot != NO_AREA &&
           area_takes(&tick_areas(tick)->at[slot], marker, was, tick->space->dims == 3);
}

/* Notes that the area in slot has the marker now, which was a member or not. False: no memory. */
bool area_pairs_note_member(struct area_tick *tick, uint32_t slot, aoi_id marker, bool was);

/* Notes all that has become of a marker, which is `now`. False: no memory. */
bool area_pairs_of_marker(struct area_tick *tick, const struct former_marker *former,
                          const struct area_marker *now);

#endif
