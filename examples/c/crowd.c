/*
 * crowd.c - a crowd from C: a watcher with a limit of one, and a marker that it pins.
 *
 *     make test-c        builds it, runs it and compares what it prints
 */
#include <inttypes.h>
#include <stdio.h>

#include "aoi.h"

static void tell(aoi_space *space, const char *when) {
    aoi_event event;
    printf("%s\n", when);
    while (aoi_next_event(space, &event))
        printf("    %" PRId64 " is told: %" PRId64 " %s\n", event.watcher, event.marker,
               event.op == AOI_ENTER ? "enter" : "leave");
    printf("    1 pins 3: %s, 3 pins 1: %s, 1 pins 9: %s, 8 pins 3: %s\n",
           aoi_is_pinned(space, 1, 3) ? "yes" : "no", aoi_is_pinned(space, 3, 1) ? "yes" : "no",
           aoi_is_pinned(space, 1, 9) ? "yes" : "no", aoi_is_pinned(space, 8, 3) ? "yes" : "no");
}

/* 1 looks, 2 stands near, 3 farther away; 1 is told of one of them, and of what it pins. */
static aoi_status play(aoi_space *space) {
    const aoi_traits watcher = {.given = AOI_TRAIT_MODE, .mode = AOI_WATCHER};
    const aoi_traits marker = {.given = AOI_TRAIT_MODE, .mode = AOI_MARKER};
    aoi_status status = aoi_enter(space, 1, (aoi_point){0, 0, 0}, &watcher);
    if (status == AOI_OK)
        status = aoi_enter(space, 2, (aoi_point){3, 0, 0}, &marker);
    if (status == AOI_OK)
        status = aoi_enter(space, 3, (aoi_point){8, 0, 0}, &marker);
    if (status == AOI_OK)
        status = aoi_tick(space);
    tell(space, "the nearest comes");
    if (status == AOI_OK)
        status = aoi_pin(space, 1, 3);
    if (status == AOI_OK)
        status = aoi_pin(space, 1, 9); /* one that may come later */
    if (status == AOI_OK)
        status = aoi_tick(space);
    tell(space, "3 is pinned, and 9, which is absent");
    if (status == AOI_OK)
        status = aoi_unpin(space, 1, 3);
    if (status == AOI_OK)
        status = aoi_tick(space);
    tell(space, "3 is pinned no longer");
    return status;
}

int main(void) {
    aoi_options options = aoi_options_default(AOI_GRID);
    options.given |= AOI_GIVEN_RADIUS | AOI_GIVEN_DEFERRED | AOI_GIVEN_LIMIT;
    options.radius = 20;
    options.deferred = true;
    options.limit = 1;

    aoi_space *space;
    aoi_complaint complaint;
    if (aoi_create(&options, &space, &complaint) != AOI_OK) {
        fprintf(stderr, "%s\n", complaint.text);
        return 1;
    }
    const aoi_status status = play(space);
    aoi_destroy(space);
    if (status != AOI_OK)
        fprintf(stderr, "a call failed\n");
    return status == AOI_OK ? 0 : 1;
}
