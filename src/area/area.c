/* area.c - the extent of an area, and the lists of members that some areas keep. */
#include "area/area.h"

#include <math.h>

#include "base/self_check.h"

void members_add(struct id_list *members, aoi_id id) {
    const size_t at = sorted_place(members->ids, members->count, id);
    SELF_CHECK(members->count < members->capacity);
    SELF_CHECK(at == members->count || members->ids[at] != id);
    id_list_insert(members, at, id);
}

void members_remove(struct id_list *members, aoi_id id) {
    const size_t at = sorted_place(members->ids, members->count, id);
    SELF_CHECK(at < members->count && members->ids[at] == id);
    id_list_erase(members, at);
}

void area_release(struct area *area, struct memory *memory) {
    outline_release(area->outline);
    id_list_free(&area->members, memory);
}

static struct box box_around(aoi_point at, double half_x, double half_y) {
    return (struct box){at.x - half_x, at.y - half_y, at.x + half_x, at.y + half_y};
}

struct box area_box_at(const struct area *area, aoi_point at) {
    if (area->shape == AOI_AREA_POLYGON) {
        const struct chain *all = &area->outline->polygon.chains.items[0];
        return (struct box){all->x1, all->y1, all->x2, all->y2};
    }
    if (area->shape == AOI_AREA_RECT)
        return box_around(at, area->half_width, area->half_height);
    return box_around(at, area->leave_radius, area->leave_radius);
}

double area_extent(const struct area *area) {
    if (area->shape == AOI_AREA_POLYGON) {
        const struct box box = area_box(area);
        return fmax(box.x2 - box.x1, box.y2 - box.y1);
    }
    if (area->shape == AOI_AREA_RECT)
        return fmax(area->width, area->height);
    return 2 * area->leave_radius;
}
