/*
 * area_former.h - former memberships: in a deferred space, the areas that had a
 * marker at the last tick.
 *
 * Nothing is kept for that but the lists of areas that keep their members, and
 * the lists that came along with markers that were handed in: these say of all
 * areas without owner in which of them the marker was.
 */
#ifndef AOI_AREA_FORMER_H
#define AOI_AREA_FORMER_H

#include "area/areas.h"

/* A marker as it was. */
struct former_marker {
    struct area_marker marker; /* shown 0: it was none, or not here */
    bool is_listed;            /* it has been handed in since: */
    struct id_list areas;      /* of all that had no owner it was in these */
};

/* The marker of the old state of this number, the entity in slot, and the area, where it was. */
struct area_marker area_marker_of_state(const struct aoi_space *space, uint32_t number);
struct area_marker area_marker_before(const struct aoi_space *space, uint32_t slot);
aoi_point area_place_before(const struct aoi_space *space, const struct area *area);

/* The marker of this id, and its slot now (NO_SLOT: it is gone); shown 0: it was none, or not here.
 */
struct area_marker area_marker_then(const struct aoi_space *space, aoi_id id, uint32_t *slot);

/* The marker with the list that came along with it, if one has. */
struct former_marker area_former_marker(const struct aoi_space *space,
                                        const struct area_marker *marker);

/* The area as it was at the last tick; shape 0: there was none. Its place then is another
 * question. */
static inline const struct area *area_before(const struct aoi_space *space,
                                             const struct area *area) {
    return area->old == NO_AREA ? area : &space->areas->states.items[area->old].before;
}

/* True when the list of the marker says whether it was in the area that was so. */
static inline bool area_goes_by_list(const struct area *before,
                                     const struct former_marker *former) {
    return former->is_listed && !before->is_owned;
}

/* True when the area that was so, and there, had the marker. */
static inline bool area_had(const struct area *before, const aoi_point *from,
                            const struct former_marker *former, bool with_z) {
    return area_goes_by_list(before, former) ? id_list_has(&former->areas, before->id)
                                             : area_has_at(before, from, &former->marker, with_z);
}

#endif
