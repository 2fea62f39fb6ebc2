/* c_check.c - the answers of a space held against the model. */
#include <string.h>

#include "c_world.h"
#include "expectations.h"

void expect_agreement(const char *wrong) {
    if (wrong != NULL)
        fail("%s", wrong);
}

/* After a call: true when it has done its work, false when the allocator has refused. */
bool went_well(struct world *world, aoi_status status) {
    bool refused = world->accountant.refused > 0;
    accountant_refuse(&world->accountant, 0, false);
    if (status == AOI_NOMEM && !refused)
        fail("AOI_NOMEM without need");
    return status != AOI_NOMEM;
}

void expect_status(aoi_status status, unsigned allowed) {
    if (!(allowed & MAY_RETURN(status)))
        fail("status %d, expected one of the set %x", status, allowed);
}

/* The list is a set of these numbers, in ascending order of ids when it is `sorted`. */
void expect_list(const aoi_list *list, const bool *expected, bool sorted, const char *what) {
    bool listed[MODEL_ENTITIES] = {false};
    for (size_t i = 0; i < list->count; i++) {
        int number = model_number(list->ids[i]);
        if (number == NOBODY || listed[number] || !expected[number])
            fail("%s: id %lld should not be there", what, (long long)list->ids[i]);
        if (sorted && i > 0 && list->ids[i - 1] >= list->ids[i])
            fail("%s: not in order", what);
        listed[number] = true;
    }
    if (memcmp(listed, expected, sizeof listed) != 0)
        fail("%s: somebody is missing", what);
}

bool same_number(double a, double b) {
    return a == b;
}

static void check_entity(struct world *world, int number) {
    const struct model_entity *entity = &model.entities[number];
    aoi_id id = model_id(number);
    aoi_point place = {0, 0, 0};
    double radius = -1;
    aoi_status status = aoi_position(world->space, id, &place);
    aoi_status radius_status = aoi_radius(world->space, id, &radius);
    if (aoi_has(world->space, id) != entity->inside)
        fail("aoi_has is wrong");
    if (!entity->inside) {
        if (status != AOI_NOT_FOUND || radius_status != AOI_NOT_FOUND)
            fail("somebody who is not there has a place");
        return;
    }
    if (status != AOI_OK || !same_number(place.x, entity->position.x) ||
        !same_number(place.y, entity->position.y) || !same_number(place.z, entity->position.z))
        fail("aoi_position is wrong");
    if (radius_status != AOI_OK ||
        !same_number(radius, model_is_nine_grid(&model) ? 0 : entity->radius))
        fail("aoi_radius is wrong");
}

void check_observers(struct world *world, int number) {
    bool markers[MODEL_ENTITIES], watchers[MODEL_ENTITIES];
    aoi_list list;
    for (int other = 0; other < MODEL_ENTITIES; other++) {
        markers[other] = model_sees(&model, number, other);
        watchers[other] = model_sees(&model, other, number);
        if (aoi_sees(world->space, model_id(number), model_id(other)) != markers[other])
            fail("aoi_sees is wrong");
    }
    bool inside = model.entities[number].inside;
    aoi_status status = aoi_markers_of(world->space, model_id(number), &list);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(inside ? AOI_OK : AOI_NOT_FOUND));
    if (inside)
        expect_list(&list, markers, false, "markers_of");
    status = aoi_watchers_of(world->space, model_id(number), &list);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(inside ? AOI_OK : AOI_NOT_FOUND));
    if (inside)
        expect_list(&list, watchers, false, "watchers_of");
}

/* Of whom it was told, and who was told of it. */
void check_told(struct world *world, int number) {
    const bool inside = model.entities[number].inside;
    for (int way = 0; way < 2; way++) {
        bool expected[MODEL_ENTITIES];
        aoi_list list;
        aoi_status status = way == 0 ? aoi_told_markers_of(world->space, model_id(number), &list)
                                     : aoi_told_watchers_of(world->space, model_id(number), &list);
        if (!went_well(world, status))
            return;
        expect_status(status, MAY_RETURN(inside ? AOI_OK : AOI_NOT_FOUND));
        for (int other = 0; other < MODEL_ENTITIES; other++)
            expected[other] =
                way == 0 ? model_was_told(&model, number, other)
                         : model.entities[other].inside && model_was_told(&model, other, number);
        if (inside)
            expect_list(&list, expected, false, way == 0 ? "told_markers" : "told_watchers");
    }
}

void check_explained(struct world *world, int watcher, int marker) {
    size_t rank = SIZE_MAX, expected_rank;
    aoi_reason reason = (aoi_reason)0;
    const aoi_status status =
        aoi_explain(world->space, model_id(watcher), model_id(marker), &reason, &rank);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    const aoi_reason expected = model_explain(&model, watcher, marker, &expected_rank);
    if (reason != expected || rank != expected_rank)
        fail("explain: reason %d rank %zu, expected %d and %zu", reason, rank, expected,
             expected_rank);
}

void check_all(struct world *world) {
    bool inside[MODEL_ENTITIES];
    size_t count = 0;
    aoi_list list;
    for (int number = 0; number < MODEL_ENTITIES; number++) {
        inside[number] = model.entities[number].inside;
        count += inside[number];
        check_entity(world, number);
        check_observers(world, number);
    }
    if (aoi_count(world->space) != count)
        fail("aoi_count is wrong");
    if (went_well(world, aoi_ids(world->space, &list)))
        expect_list(&list, inside, false, "ids");
    aoi_stats stats;
    aoi_get_stats(world->space, &stats);
    if (stats.entities != count || stats.bytes != world->accountant.bytes ||
        stats.pending != aoi_pending(world->space) ||
        stats.collected != aoi_collected(world->space))
        fail("aoi_get_stats is wrong");
    expect_agreement(model_check_collected(&model, world->space));
    aoi_map map = aoi_map_of(world->space);
    bool has_map = model.options.given & AOI_GIVEN_WIDTH;
    if (map.bounded != has_map || aoi_engine_of(world->space) != model.options.engine ||
        (has_map && (!same_number(map.width, model.options.width) ||
                     !same_number(map.height, model.options.height))))
        fail("aoi_map_of is wrong");
    for (int number = 0; number < MODEL_ENTITIES; number++) {
        check_told(world, number);
        check_explained(world, number, (number * 7 + 3) % MODEL_ENTITIES);
    }
}
