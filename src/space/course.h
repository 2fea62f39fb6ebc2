/* course.h - the way in which moves are made in a space: see enum move_course. */
#ifndef AOI_COURSE_H
#define AOI_COURSE_H

#include "space/space.h"

/* To be called when the space is made, after step_choose: chooses the usual course. */
void course_choose(struct aoi_space *space);

#endif
