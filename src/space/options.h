/* options.h - options of aoi_create. */
#ifndef AOI_OPTIONS_H
#define AOI_OPTIONS_H

#include "space/space.h"

/* Checks the options and sets up the parts of the space that follow from them alone: rule, map,
 * cells, radius, listeners. AOI_INVALID with a complaint (may be NULL). */
aoi_status options_apply(const aoi_options *options, struct aoi_space *space,
                         aoi_complaint *complaint);

/* Any of these makes a crowd space. */
enum {
    CROWD_OPTIONS =
        AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES | AOI_GIVEN_MOVE_BUDGET
};

/* The part of options_apply that is about the map and its cells. */
aoi_status options_map(const aoi_options *options, struct map *map, aoi_complaint *complaint);

#endif
