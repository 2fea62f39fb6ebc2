/*
 * without_area.c - stands for src/area/ in a build that leaves it out: there are no areas, and no
 * call about them is taken. Nothing else of the core must miss them.
 */
#include <stdio.h>

#include "space/capability.h"

/* A save says that there are none: no areas, and no old states of any. */
static void save_no_areas(struct stream *stream, const aoi_space *space) {
    (void)space;
    stream_write_count(stream, 0);
    stream_write_count(stream, 0);
}

static void load_no_areas(struct stream *stream, aoi_space *space) {
    uint64_t areas = 0, states = 0;
    (void)space;
    stream_count(stream, &areas);
    stream_count(stream, &states);
    if (areas + states > 0)
        stream_refuse(stream, "it has areas, which are left out of this build");
}

const struct capability areas_capability = {.save = save_no_areas, .load = load_no_areas};

aoi_status aoi_add_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint) {
    (void)space, (void)area, (void)description;
    if (complaint != NULL)
        snprintf(complaint->text, sizeof complaint->text, "areas are left out of this build");
    return AOI_INVALID;
}

aoi_status aoi_set_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint) {
    (void)space, (void)area, (void)description, (void)complaint;
    return AOI_NO_AREA;
}

aoi_status aoi_update_area(aoi_space *space, aoi_id area, const aoi_area *description, bool *added,
                           aoi_complaint *complaint) {
    (void)added;
    return aoi_add_area(space, area, description, complaint);
}

aoi_status aoi_move_area(aoi_space *space, aoi_id area, aoi_point place) {
    (void)space, (void)area, (void)place;
    return AOI_NO_AREA;
}

aoi_status aoi_remove_area(aoi_space *space, aoi_id area) {
    (void)space, (void)area;
    return AOI_NO_AREA;
}

size_t aoi_area_count(const aoi_space *space) {
    (void)space;
    return 0;
}

bool aoi_has_area(const aoi_space *space, aoi_id area) {
    (void)space, (void)area;
    return false;
}

aoi_status aoi_area_of(const aoi_space *space, aoi_id area, aoi_area *description) {
    (void)space, (void)area, (void)description;
    return AOI_NO_AREA;
}

bool aoi_in_area(const aoi_space *space, aoi_id area, aoi_id id) {
    (void)space, (void)area, (void)id;
    return false;
}

aoi_status aoi_members_of(aoi_space *space, aoi_id area, aoi_list *list) {
    (void)space, (void)area, (void)list;
    return AOI_NO_AREA;
}

aoi_status aoi_areas_of(aoi_space *space, aoi_id id, aoi_list *list) {
    *list = (aoi_list){NULL, 0};
    return aoi_has(space, id) ? AOI_OK : AOI_NOT_FOUND;
}

aoi_status aoi_areas(aoi_space *space, aoi_list *list) {
    (void)space;
    *list = (aoi_list){NULL, 0};
    return AOI_OK;
}
