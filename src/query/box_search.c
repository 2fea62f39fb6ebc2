/* box_search.c - a search of the main index, widened by the slack. */
#include "query/box_search.h"

static bool search(struct aoi_space *space, const struct ring *ring) {
    struct spatial_index *index = space->indexes.main;
    begin_search(&space->visibility);
    return late_moves_apply(&space->late_moves) &&
           index->engine->search(index, ring, NO_SLOT, &space->visibility.hits, NULL);
}

bool box_search(struct aoi_space *space, const struct box *box) {
    const struct box wide = {
        box->x1 - slack_widening(space, box->x1), box->y1 - slack_widening(space, box->y1),
        box->x2 + slack_widening(space, box->x2), box->y2 + slack_widening(space, box->y2)};
    const struct ring ring = ring_of_box(&wide);
    return search(space, &ring);
}

bool ring_search(struct aoi_space *space, struct ring ring) {
    if (space->slack.limit > 0) {
        const xy far = xy_size(ring.middle) + ring.outer;
        const xy widening = {slack_widening(space, far[0]), slack_widening(space, far[1])};
        ring.outer += widening;
        ring.inner -= widening;
    }
    return search(space, &ring);
}
