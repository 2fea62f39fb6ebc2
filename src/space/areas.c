/* areas.c - the calls that make, change and end areas, and what may be asked of them. */
#include "space/space.h"

aoi_status aoi_add_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint) {
    (void)space, (void)area, (void)description, (void)complaint;
    return AOI_INVALID;
}

aoi_status aoi_set_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint) {
    (void)space, (void)area, (void)description, (void)complaint;
    return AOI_NO_AREA;
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
    return space_find(space, id) == NO_SLOT ? AOI_NOT_FOUND : AOI_OK;
}

aoi_status aoi_areas(aoi_space *space, aoi_list *list) {
    (void)space;
    *list = (aoi_list){NULL, 0};
    return AOI_OK;
}
