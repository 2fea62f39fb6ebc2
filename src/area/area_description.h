/* area_description.h - an area from what a caller says of it, and back. */
#ifndef AOI_AREA_DESCRIPTION_H
#define AOI_AREA_DESCRIPTION_H

#include "area/areas.h"

/*
 * Makes an area of what is given, and for the rest of another one (NULL: of the defaults); without
 * members or an old state. The caller owns a share of its outline. INVALID with a complaint (may be
 * NULL), NO_OWNER, NOMEM.
 */
aoi_status area_describe(struct aoi_space *space, const aoi_area *given, const struct area *other,
                         struct area *area, aoi_complaint *complaint);

/* All that there is to say of an area. */
aoi_area area_description_of(const struct area *area);

#endif
