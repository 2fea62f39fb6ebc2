/* course.c - the course of moves, by what a space is. */
#include "space/course.h"

void course_choose(struct aoi_space *space) {
    /* clang-format off */
    static const enum move_course courses[][2] = {
        /*                at once      deferred */
        [SIGHT_CELLS]  = {IN_CELL,     IN_CELL},
        [SIGHT_SQUARE] = {BY_SEARCH,   BY_NOTE},
        [SIGHT_CIRCLE] = {BY_SEARCH,   BY_NOTE},
        [SIGHT_CUBE]   = {BY_CHANGE,   BY_CHANGE},
        [SIGHT_BALL]   = {BY_CHANGE,   BY_CHANGE},
    };
    /* clang-format on */
    space->usual_course =
        space->step != NULL ? BY_STEP : courses[space->visibility.rule][space->deferred];
}
