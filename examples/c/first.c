/* first.c - the program of docs/c.md: two entities that see each other. */
#include <stdio.h>

#include "aoi.h"

int main(void) {
    aoi_options options = aoi_options_default(AOI_CROSSLIST);
    options.given |= AOI_GIVEN_RADIUS;
    options.radius = 50;

    aoi_space *space;
    aoi_complaint complaint;
    if (aoi_create(&options, &space, &complaint) != AOI_OK) {
        fprintf(stderr, "%s\n", complaint.text); /* which option is wrong, and why */
        return 1;
    }
    aoi_enter(space, 1, (aoi_point){10, 20, 0}, NULL);
    aoi_enter(space, 2, (aoi_point){30, 20, 0}, NULL);

    aoi_event event;
    while (aoi_next_event(space, &event))
        printf("%d sees %d\n", (int)event.watcher, (int)event.marker);
    aoi_destroy(space);
    return 0;
}
