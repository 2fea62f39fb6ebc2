/* area_capability.c - the capability of areas: all functions that a space asks for, in one list. */
#include "area/area_changes.h"
#include "area/area_found.h"
#include "area/area_luggage.h"
#include "area/saved_areas.h"
#include "area/area_tick.h"

static void describe(const struct aoi_space *space, aoi_stats *stats) {
    stats->areas = aoi_area_count(space);
}

const struct capability areas_capability = {
    .before = areas_find,
    .after = areas_finish,
    .follow = areas_follow,
    .forget = areas_end_owned,
    .begin_batch = areas_begin_batch,
    .end_batch = areas_end_batch,
    .find_tick = area_tick_find,
    .finish_tick = area_tick_finish,
    .clear = areas_destroy,
    .trim = areas_trim_scratch,
    .describe = describe,
#ifdef AOI_SELF_CHECK
    .check = areas_check,
#endif
    .save = save_areas,
    .load = load_areas,
    .find_luggage = area_luggage_find,
    .write_luggage = area_luggage_write,
    .drop_luggage = area_luggage_drop,
    .read_luggage = area_luggage_read,
    .take_luggage = area_luggage_take,
    .free_luggage = area_luggage_free,
};
