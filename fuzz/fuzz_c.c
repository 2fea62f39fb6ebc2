/*
 * fuzz_c.c - a fuzz target: reads bytes as a history of calls to one space through aoi.h, and
 * holds every answer against the model.
 *
 * The first bytes choose the options, the rest the calls. Numbers are drawn so that comparisons
 * come out close: multiples of a sixteenth of the world, borders, places exactly a radius from
 * another entity, each maybe one step of rounding beside; and such as overflow or vanish.
 *
 * With FUZZ_TRACE in the environment every call is printed. Its parts are in c_*.c.
 */
#include <math.h>
#include <string.h>

#include "c_world.h"
#include "expectations.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST_BYTES = 1 << 20, TELL_BEFORE = MODEL_EVENTS / 2 };

/* Large, and a pointer to it would be everywhere. One history at a time. */
struct model model;
static void call_single(struct world *world, unsigned which) {
    int who = (int)draw(world, MODEL_ENTITIES);
    aoi_id id = model_id(who);
    aoi_point place = {0, 0, 0};
    aoi_traits traits;
    bool was_inside = model.entities[who].inside, entered = false;
    memset(&traits, 0, sizeof traits);
    if (which < 3)
        place = draw_point(world);
    if (which == 0 || which == 2 || which == 4)
        traits = draw_traits(world);
    trace("call %u of %lld (%.17g, %.17g, %.17g) given %x radius %.17g mode %u layer %u sees %u",
          which, (long long)id, place.x, place.y, place.z, traits.given, traits.radius, traits.mode,
          traits.layers, traits.sees_layers);
    aoi_status status = AOI_OK;
    switch (which) {
    case 0: status = aoi_enter(world->space, id, place, &traits); break;
    case 1: status = aoi_move(world->space, id, place); break;
    case 2: status = aoi_update(world->space, id, place, &traits, &entered); break;
    case 3: status = aoi_leave(world->space, id); break;
    default: status = aoi_set_traits(world->space, id, &traits); break;
    }
    if (!went_well(world, status))
        return;
    switch (which) {
    case 0: expect_status(status, model_enter(&model, who, place, &traits)); break;
    case 1: expect_status(status, model_move(&model, who, place)); break;
    case 2: expect_status(status, model_update(&model, who, place, &traits)); break;
    case 3: expect_status(status, model_leave(&model, who)); break;
    default: expect_status(status, model_set_traits(&model, who, &traits)); break;
    }
    if (which == 2 && status == AOI_OK && entered == was_inside)
        fail("aoi_update: entered is wrong");
}

static void call_set_bounds(struct world *world) {
    double x = draw_coordinate(world, 0), y = draw_coordinate(world, 1);
    double width = world->extent * (1 + draw(world, 4)), height = width;
    aoi_id outside = 0;
    aoi_complaint complaint = {""};
    if (draw(world, 4) == 0)
        height = draw_coordinate(world, 1);
    trace("set_bounds %.17g %.17g %.17g %.17g", x, y, width, height);
    aoi_status status = aoi_set_bounds(world->space, x, y, width, height, &outside, &complaint);
    if (!went_well(world, status))
        return;
    expect_status(status, model_set_bounds(&model, x, y, width, height));
    if (status == AOI_INVALID && complaint.text[0] == 0)
        fail("no complaint");
    if (status == AOI_OUTSIDE &&
        (model_number(outside) == NOBODY || !model.entities[model_number(outside)].inside))
        fail("set_bounds: a foreign id is outside");
}

static void call_query(struct world *world, unsigned which) {
    bool found[MODEL_ENTITIES];
    aoi_point a = draw_point(world), b = a;
    uint32_t layers = draw_bits(world);
    double length = which == 0 ? 0 : draw_radius(world), direction = 0, angle = 0;
    bool flat = which == 2 || which == 3;
    bool good = isfinite(a.x) && isfinite(a.y) && (flat || isfinite(a.z)) && length >= 0;
    aoi_list list;
    aoi_status status;
    bool comparable = true;
    if (which == 0 || which == 3) {
        b = draw_point(world);
        good = good && isfinite(b.x) && isfinite(b.y) && (flat || isfinite(b.z));
    }
    if (which == 2) {
        static const double angles[] = {
            0, 1, 3.14159265358979323846, 4, 6.2831853071795864769, 7, 1e-9, -1};
        direction = draw(world, 16) * 0.78539816339744830962 - 3;
        angle = angles[draw(world, 8)];
        good = good && angle >= 0;
    }
    trace("query %u (%.17g, %.17g, %.17g) (%.17g, %.17g, %.17g) %.17g layers %u", which, a.x, a.y,
          a.z, b.x, b.y, b.z, length, layers);
    switch (which) {
    case 0: status = aoi_query_rect(world->space, a, b, layers, &list); break;
    case 1: status = aoi_query_circle(world->space, a, length, layers, &list); break;
    case 2:
        status = aoi_query_sector(world->space, a, length, direction, angle, layers, &list);
        break;
    default: status = aoi_query_segment(world->space, a, b, length, layers, &list); break;
    }
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(good ? AOI_OK : AOI_INVALID));
    if (status != AOI_OK)
        return;
    switch (which) {
    case 0: model_query_rect(&model, a, b, layers, found); break;
    case 1: model_query_circle(&model, a, length, layers, found); break;
    case 2: model_query_sector(&model, a, length, direction, angle, layers, found); break;
    default: comparable = model_query_segment(&model, a, b, length, layers, found); break;
    }
    if (comparable)
        expect_list(&list, found, true, "a query");
}

static void call_nearest(struct world *world) {
    aoi_point centre = draw_point(world);
    size_t count = draw(world, 8);
    double max_radius = draw(world, 2) ? INFINITY : draw_radius(world);
    uint32_t layers = draw_bits(world);
    int expected[8];
    aoi_list list;
    trace("nearest %zu of (%.17g, %.17g, %.17g) in %.17g", count, centre.x, centre.y, centre.z,
          max_radius);
    bool good = isfinite(centre.x) && isfinite(centre.y) && isfinite(centre.z) && max_radius >= 0;
    aoi_status status = aoi_query_nearest(world->space, centre, count, max_radius, layers, &list);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(good ? AOI_OK : AOI_INVALID));
    if (status != AOI_OK)
        return;
    size_t found = model_query_nearest(&model, centre, count, max_radius, layers, expected);
    if (list.count != found)
        fail("nearest: %zu found, expected %zu", list.count, found);
    for (size_t i = 0; i < found; i++) {
        if (list.ids[i] != model_id(expected[i]))
            fail("nearest: number %zu is %lld, expected %lld", i, (long long)list.ids[i],
                 (long long)model_id(expected[i]));
    }
}

static void call_clear(struct world *world) {
    trace("clear");
    const aoi_status status = aoi_clear(world->space);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    model_clear(&model);
}

static void call_answers_in_rows(struct world *world) {
    switch (draw(world, 4)) {
    case 0: call_pack_ids(world); break;
    case 1: call_pack_positions(world); break;
    default: call_read_gathered(world); break;
    }
}

static void call_listen(struct world *world) {
    uint32_t ops = draw(world, 8), wants = 1 + draw(world, 15);
    trace("listen to %x, wants %x", ops, wants);
    aoi_listen(world->space, ops, wants);
    model_listen(&model, ops, wants, world->is_unheard);
    world->is_unheard = false;
}

static void call_tick(struct world *world) {
    trace("tick");
    aoi_status status = aoi_tick(world->space);
    if (went_well(world, status))
        expect_status(status, model_tick(&model));
}

static void call_pin(struct world *world) {
    const unsigned style = draw(world, 4); /* 3: unpin */
    const int watcher = (int)draw(world, MODEL_ENTITIES), marker = (int)draw(world, MODEL_ENTITIES);
    trace("%s %lld by %lld", style == 3 ? "unpin" : "pin", (long long)model_id(marker),
          (long long)model_id(watcher));
    const aoi_status status = style == 3
                                  ? aoi_unpin(world->space, model_id(watcher), model_id(marker))
                                  : aoi_pin(world->space, model_id(watcher), model_id(marker));
    if (went_well(world, status))
        expect_status(status, model_pin(&model, watcher, marker, style != 3));
}

static void call_set_sight(struct world *world) {
    const aoi_sight word = (aoi_sight)draw(world, 3);
    const int watcher = (int)draw(world, MODEL_ENTITIES), marker = (int)draw(world, MODEL_ENTITIES);
    trace("sight of %lld by %lld: %d", (long long)model_id(marker), (long long)model_id(watcher),
          (int)word);
    const aoi_status status =
        aoi_set_sight(world->space, model_id(watcher), model_id(marker), word);
    if (went_well(world, status))
        expect_status(status, model_set_sight(&model, watcher, marker, word));
}

/* Visible radii alone, in any space. */
static void call_set_visible_radius(struct world *world) {
    const int who = (int)draw(world, MODEL_ENTITIES);
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    traits.given = AOI_TRAIT_VISIBLE_RADIUS;
    traits.visible_radius = draw(world, 4) == 0 ? 0 : draw_radius(world);
    trace("visible radius of %lld: %.17g", (long long)model_id(who), traits.visible_radius);
    const aoi_status status = aoi_set_traits(world->space, model_id(who), &traits);
    if (went_well(world, status))
        expect_status(status, model_set_traits(&model, who, &traits));
}

static void call_touch(struct world *world) {
    const int who = (int)draw(world, MODEL_ENTITIES);
    trace("touch %lld", (long long)model_id(who));
    const aoi_status status = aoi_touch(world->space, model_id(who));
    if (went_well(world, status))
        expect_status(status, model_touch(&model, who));
}

/* Traits of crowds alone, in any space. */
static void call_set_crowd_traits(struct world *world) {
    const int who = (int)draw(world, MODEL_ENTITIES);
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    draw_crowd_traits(world, &traits);
    trace("traits %x of %lld: limit %u importance %u", traits.given, (long long)model_id(who),
          traits.limit, traits.importance);
    const aoi_status status = aoi_set_traits(world->space, model_id(who), &traits);
    if (went_well(world, status))
        expect_status(status, model_set_traits(&model, who, &traits));
}

/* Everybody inside goes on by a small step, or one in so many. */
static void march(struct world *world, int one_in) {
    for (int who = 0; who < MODEL_ENTITIES; who++) {
        const struct model_entity *entity = &model.entities[who];
        if (!entity->inside || who % one_in != 0)
            continue;
        aoi_point place = entity->position;
        place.x += world->extent * (who % 2 ? 1 : -1) / 64;
        const aoi_status status = aoi_move(world->space, model_id(who), place);
        if (went_well(world, status))
            expect_status(status, model_move(&model, who, place));
    }
}

/* Ticks in which all go on, or some, or nobody: what waits gets its turn. */
static void call_ticks(struct world *world) {
    const unsigned style = draw(world, 256);
    unsigned count = 1 + style % 8;
    trace("%u ticks, %u", count, style / 8 % 4);
    while (count-- > 0 && model.pending.count <= TELL_BEFORE &&
           model.collected.count <= TELL_BEFORE) {
        if (style / 8 % 4 > 0 && model_is_deferred(&model))
            march(world, 1 + 5 * (int)(style / 8 % 4 - 1));
        call_tick(world);
    }
}

static void call_one(struct world *world) {
    /* The numbers that are not taken yet are moves: inputs keep their meaning when calls are added.
     */
    unsigned which = draw(world, 64);
    switch (which) {
    case 0:
    case 1:
    case 2:
    case 3: call_single(world, 0); break;
    case 4:
    case 5:
    case 6:
    case 7: call_single(world, 1); break;
    case 8:
    case 9: call_single(world, 2); break;
    case 10: call_single(world, 3); break;
    case 11:
    case 12: call_single(world, 4); break;
    case 13: call_batch(world, MODEL_ENTER_ALL); break;
    case 14: call_batch(world, MODEL_MOVE_ALL); break;
    case 15: call_batch(world, MODEL_LEAVE_ALL); break;
    case 16: call_set_bounds(world); break;
    case 17:
    case 18:
    case 19:
    case 20: call_query(world, which - 17); break;
    case 21: call_nearest(world); break;
    case 22: check_observers(world, (int)draw(world, MODEL_ENTITIES)); break;
    case 23: check_all(world); break;
    case 24: {
        unsigned count = draw(world, 16);
        while (count-- > 0 && take(world, true))
            continue;
        break;
    }
    case 25: {
        unsigned count = draw(world, 16);
        while (count-- > 0 && take(world, false))
            continue;
        break;
    }
    case 26: take_all(world, true); break;
    case 27: call_listen(world); break;
    case 28: expect_agreement(model_check_collected(&model, world->space)); break;
    case 29: call_drop_collected(world); break;
    case 30: accountant_refuse(&world->accountant, 1 + draw(world, 24), draw(world, 2)); break;
    case 31:
    case 32: call_tick(world); break;
    case 33:
        if (draw(world, 8) == 0)
            call_clear(world);
        break;
    case 34: call_save(world); break;
    /* As numbers of calls the regressions have none of these. */
    case 50: call_set_visible_radius(world); break;
    case 51: call_set_sight(world); break;
    case 52: call_record(world); break;
    case 53: {
        const int watcher = (int)draw(world, MODEL_ENTITIES);
        check_explained(world, watcher, (int)draw(world, MODEL_ENTITIES));
        break;
    }
    case 54: call_batch(world, MODEL_UPDATE_ALL); break;
    case 55: call_packed_batch(world, (enum model_batch)draw(world, 4)); break;
    case 56: call_answers_in_rows(world); break;
    case 57: call_drop_oldest(world); break;
    case 58: call_pin(world); break;
    case 59: call_touch(world); break;
    case 60: call_set_crowd_traits(world); break;
    case 61: call_ticks(world); break;
    case 62: check_told(world, (int)draw(world, MODEL_ENTITIES)); break;

    default: call_single(world, which % 2); break;
    }
    expect_agreement(model_check_pending(&model, aoi_pending(world->space)));
    if (model.pending.count > TELL_BEFORE)
        take_all(world, false);
    if (model.collected.count > TELL_BEFORE) {
        expect_agreement(model_check_collected(&model, world->space));
        accountant_refuse(&world->accountant, 0, false);
        if (world->keeps_record)
            forget_record(world);
        call_drop_collected(world);
    }
}

/* False: the options make no space. */
static bool create(struct world *world) {
    aoi_complaint complaint = {""};
    model.options = aoi_options_default(AOI_GRID); /* for draw_point */
    aoi_options options = draw_options(world);
    bool bent = draw(world, 8) == 7;
    if (bent)
        bend_options(world, &options);
    options.allocator = accountant_allocate;
    options.allocator_userdata = &world->accountant;
    if (draw(world, 16) == 15)
        accountant_refuse(&world->accountant, 1 + draw(world, 4), false);
    aoi_status status = aoi_create(&options, &world->space, &complaint);
    if (status == AOI_INVALID && (!bent || complaint.text[0] == 0))
        fail("good options are refused: %s", complaint.text);
    if (!went_well(world, status) || status != AOI_OK) {
        if (world->accountant.bytes != 0)
            fail("a space that was not made keeps memory");
        return false;
    }
    trace(
        "engine %d given %x extent %g radius %g shape %d dims %d clamp %d cols %lld rows %lld cell "
        "%g listen %x collect %x deferred %d slack %g",
        options.engine, options.given, world->extent, options.radius, options.shape, options.dims,
        options.clamp, (long long)options.cols, (long long)options.rows, options.cell,
        options.listen, options.collect, options.deferred, options.slack);
    trace("limit %u layers %u keep %g enter_budget %lld budget %lld rates %zu", options.limit,
          options.limit_layers, options.keep_factor, (long long)options.enter_budget,
          (long long)options.move_budget, options.rates.count);
    model_create(&model, &options);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct world world;
    memset(&world, 0, sizeof world);
    world.input = (struct input){bytes, size};
    world.accountant.limit = MOST_BYTES;
    memset(model.entities, 0, sizeof model.entities); /* draw_coordinate looks at them */
    if (!create(&world))
        return 0;
    while (world.input.left > 0)
        call_one(&world);
    accountant_refuse(&world.accountant, 0, false);
    if (world.keeps_record)
        replace_by_record(&world);
    call_tick(&world);
    check_all(&world);
    take_all(&world, true);
    free_text(&world.save);
    free_text(&world.record);
    aoi_destroy(world.space);
    if (world.accountant.bytes != 0 || world.accountant.wrong_sizes != 0)
        fail("%zu bytes are left, %d old sizes are wrong", world.accountant.bytes,
             world.accountant.wrong_sizes);
    return 0;
}
