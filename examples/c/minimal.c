/*
 * minimal.c - the core from C, without Lua: three entities, and who sees whom.
 *
 *     make test-c        builds it, runs it and compares what it prints
 */
#include <inttypes.h>
#include <stdio.h>

#include "aoi.h"

static const char *op_name(aoi_op op) {
    switch (op) {
    case AOI_ENTER: return "enter";
    case AOI_LEAVE: return "leave";
    case AOI_MOVE: return "move";
    case AOI_AREA_ENTER: return "area_enter";
    case AOI_AREA_LEAVE: return "area_leave";
    }
    return "?";
}

/* Events wait in the space until somebody takes them: here, after every call. */
static void tell(aoi_space *space, const char *call) {
    aoi_event event;
    printf("%s\n", call);
    while (aoi_next_event(space, &event))
        printf("    %" PRId64 " is told: %" PRId64 " %s\n", event.watcher, event.marker,
               op_name(event.op));
}

int main(void) {
    aoi_options options = aoi_options_default(AOI_CROSSLIST);
    options.given |= AOI_GIVEN_RADIUS | AOI_GIVEN_SHAPE;
    options.radius = 5;
    options.shape = AOI_CIRCLE;

    aoi_space *space;
    aoi_complaint complaint;
    if (aoi_create(&options, &space, &complaint) != AOI_OK) {
        fprintf(stderr, "%s\n", complaint.text);
        return 1;
    }

    /* A guard who sees further than others, and a chest that sees nobody. */
    aoi_traits guard = {.given = AOI_TRAIT_RADIUS, .radius = 10};
    aoi_traits chest = {.given = AOI_TRAIT_MODE, .mode = AOI_MARKER};

    if (aoi_enter(space, 1, (aoi_point){0, 0, 0}, &guard) != AOI_OK)
        goto failed;
    tell(space, "1, a guard, enters");
    if (aoi_enter(space, 2, (aoi_point){6, 8, 0}, &chest) != AOI_OK)
        goto failed;
    tell(space, "2, a chest, enters at a distance of 10");
    if (aoi_enter(space, 3, (aoi_point){20, 20, 0}, NULL) != AOI_OK)
        goto failed;
    tell(space, "3 enters far away");
    if (aoi_move(space, 3, (aoi_point){3, 4, 0}) != AOI_OK)
        goto failed;
    tell(space, "3 moves between the two");
    if (aoi_leave(space, 1) != AOI_OK)
        goto failed;
    tell(space, "1 leaves");

    aoi_list list;
    if (aoi_markers_of(space, 3, &list) != AOI_OK)
        goto failed;
    printf("3 still sees %zu, which is %" PRId64 "\n", list.count, list.ids[0]);
    printf("entering 2 again is%s an error\n",
           aoi_enter(space, 2, (aoi_point){0, 0, 0}, NULL) == AOI_EXISTS ? "" : " not");
    aoi_destroy(space);
    return 0;

failed:
    fprintf(stderr, "a call failed\n");
    aoi_destroy(space);
    return 1;
}
