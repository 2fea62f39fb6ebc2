/* course.h - the way in which moves are made in a space: see enum move_course. */
#ifndef AOI_COURSE_H
#define AOI_COURSE_H

#include "space/space.h"

/* How moves of entities without a visible radius are made. */
enum move_course course_without_beacons(const struct aoi_space *space);

/* To be called when the space is made, and when it may have come to have exceptions (see
 * sight/exceptions.h), or none any more: chooses the usual course. */
void course_choose(struct aoi_space *space);

#endif
