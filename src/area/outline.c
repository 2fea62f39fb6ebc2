/* outline.c - outlines of polygons: made, shared and freed by a count. */
#include "area/outline.h"

#include <string.h>

static bool copy_rings(struct outline *outline, struct memory *memory, const aoi_ring *rings,
                       size_t ring_count) {
    size_t corners = 0;
    for (size_t i = 0; i < ring_count; i++)
        corners += rings[i].count;
    if (!ring_room_reserve(&outline->room, memory, ring_count, corners))
        return false;
    double *to = outline->room.corners.items;
    for (size_t i = 0; i < ring_count; i++) {
        outline->room.rings.items[i] = (aoi_ring){to, rings[i].count};
        memcpy(to, rings[i].corners, 2 * rings[i].count * sizeof *to);
        to += 2 * rings[i].count;
    }
    outline->room.rings.count = ring_count;
    return true;
}

aoi_status outline_make(struct outline **made, struct memory *memory, const aoi_ring *rings,
                        size_t ring_count, aoi_complaint *complaint) {
    struct outline *outline = memory_resize(memory, NULL, 0, 1, sizeof *outline);
    if (outline == NULL)
        return AOI_NOMEM;
    *outline = (struct outline){.polygon = {.memory = memory}, .users = 1};
    aoi_status status = polygon_make(&outline->polygon, rings, ring_count, complaint);
    if (status == AOI_OK && !copy_rings(outline, memory, rings, ring_count))
        status = AOI_NOMEM;
    if (status != AOI_OK)
        outline_release(outline);
    else
        *made = outline;
    return status;
}

void outline_share(struct outline *outline) {
    if (outline != NULL)
        outline->users++;
}

void outline_release(struct outline *outline) {
    if (outline == NULL || --outline->users > 0)
        return;
    struct memory *memory = outline->polygon.memory;
    polygon_free(&outline->polygon);
    ring_room_free(&outline->room, memory);
    memory_resize(memory, outline, 1, 0, sizeof *outline);
}
