/* course.c - the course of moves, by what a space is and has. */
#include "space/course.h"

enum move_course course_without_beacons(const struct aoi_space *space) {
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
    return space->step != NULL ? BY_STEP : courses[space->visibility.rule][space->deferred];
}

void course_choose(struct aoi_space *space) {
    visibility_count_exceptions(&space->visibility);
    space->usual_course =
        space->visibility.beacons.all.count > 0 ? BY_ASKING : course_without_beacons(space);
}
