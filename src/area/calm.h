/*
 * calm.h - where an entity can step without coming into an area that stands still, or going out of
 * one: most steps are such, and need to look at none of them.
 *
 * A box around its last place, that no border crosses, but for those of one area: that one is
 * looked at in every step, so that a box need not end at the nearest border. It says nothing of the
 * entity itself, so it holds for whoever is in that slot, until an area that stands still is
 * changed. With two dimensions only.
 */
#ifndef AOI_CALM_H
#define AOI_CALM_H

#include "area/areas.h"

struct calm {
    float x1, y1, x2, y2;
    uint64_t age;  /* of the areas, when it was found; 0: there is none */
    uint32_t area; /* the one whose borders may cross it, or NO_AREA */
};

static inline bool calm_holds(const struct calm *calm, const aoi_point *at) {
    return ((double)calm->x1 <= at->x) & (at->x <= (double)calm->x2) & ((double)calm->y1 <= at->y) &
           (at->y <= (double)calm->y2);
}

/* True when both places lie where it is calm around the entity in slot, and on one side of the
 * borders that may be there: so it stays in the areas that it is in. */
static inline bool areas_are_calm(const struct areas *areas, uint32_t slot, const aoi_point *from,
                                  const aoi_point *to) {
    if (slot >= areas->calm.count)
        return false;
    const struct calm *calm = &areas->calm.items[slot];
    return calm->age == areas->table.age && calm_holds(calm, from) && calm_holds(calm, to) &&
           (calm->area == NO_AREA ||
            !area_is_crossed(&areas->table.at[calm->area], from, to, false));
}

/* Finds where it is calm around the place, for the entity in slot. Without memory for that it is
 * calm nowhere. */
void areas_find_calm(struct areas *areas, uint32_t slot, const aoi_point *at);

#endif
