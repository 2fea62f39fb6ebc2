/* options.h - options of aoi_create. */
#ifndef AOI_OPTIONS_H
#define AOI_OPTIONS_H

#include "space/space.h"

/* Checks the options and sets up the parts of the space that follow from them alone: rule, map,
 * cells, radius, listeners. AOI_INVALID with a complaint (may be NULL). */
aoi_status options_apply(const aoi_options *options, struct aoi_space *space,
                         aoi_complaint *complaint);

/* True when they make a crowd space. */
bool options_make_a_crowd(const aoi_options *options);

/* The part of options_apply that is about the map and its cells. */
aoi_status options_map(const aoi_options *options, struct map *map, aoi_complaint *complaint);

#endif
