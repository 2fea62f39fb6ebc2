/*
 * area_pairs.h - one marker among the areas of a tick: which of them it has left, and which it has
 * entered.
 */
#ifndef AOI_AREA_PAIRS_H
#define AOI_AREA_PAIRS_H

#include "area/area_former.h"

static inline struct area_table *tick_areas(const struct area_tick *tick) {
    return &tick->space->areas->table;
}

/* True when the members that the area keeps from now on are being found. */
static inline bool area_collects(const struct area_tick *tick, const struct area *area) {
    return area->is_noted && tick->notes.items[area->note].collects;
}

/* True when the area in slot (NO_AREA: none) is to have the marker, which was a member or not. */
static inline bool area_pairs_take(const struct area_tick *tick, uint32_t slot,
                                   const struct area_marker *marker, bool was) {
    return slot != NO_AREA &&
           area_takes(&tick_areas(tick)->at[slot], marker, was, tick->space->dims == 3);
}

/* Notes that the area in slot has the marker now, which was a member or not. */
bool area_pairs_note_member(struct area_tick *tick, uint32_t slot, aoi_id marker, bool was);

/* Notes all that has become of a marker, which is `now`. */
bool area_pairs_of_marker(struct area_tick *tick, const struct former_marker *former,
                          const struct area_marker *now);

#endif
