/*
 * fuzz_c.c - a fuzz target: reads bytes as a history of calls to one space through aoi.h, and
 * holds every answer against the model.
 *
 * The first bytes choose the options, the rest the calls. Numbers are drawn so that comparisons
 * come out close: multiples of a sixteenth of the world, borders, places exactly a radius from
 * another entity, each maybe one step of rounding beside; and such as overflow or vanish.
 *
 * With FUZZ_TRACE in the environment every call is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "expectations.h"
#include "input.h"
#include "model.h"
#include "texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* ------------------------------------------------------------------ */
/* The world of one input                                              */
/* ------------------------------------------------------------------ */

enum { MOST_ROWS = 10, MOST_BYTES = 1 << 20, TELL_BEFORE = MODEL_EVENTS / 2 };

struct world {
    struct input input;
    struct accountant accountant;
    double low[3], extent; /* where most coordinates lie */
    aoi_space *space;
    bool keeps_record;        /* of all calls since the save, in `record` and in the space */
    struct text save, record; /* empty when it does not */
};

/* Large, and a pointer to it would be everywhere. One history at a time. */
static struct model model;
/* ------------------------------------------------------------------ */
/* Drawing values                                                      */
/* ------------------------------------------------------------------ */

static unsigned draw(struct world *world, unsigned count) {
    return choose(&world->input, count);
}

/* The value, or one of its neighbours. */
static double nudge(struct world *world, double value) {
    switch (draw(world, 4)) {
    case 0: return nextafter(value, INFINITY);
    case 1: return nextafter(value, -INFINITY);
    default: return value;
    }
}

static double along(aoi_point point, int axis) {
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

static double draw_coordinate(struct world *world, int axis) {
    static const double odd[] = {
        0,    -0.0,       1e308, -1e308,   5e-324, 1e-160, 9007199254740993.,
        1e20, -1e20 - 1., NAN,   INFINITY, 1e154,  -1.5,   0x1p-1040};
    double low = world->low[axis], extent = world->extent;
    switch (draw(world, 8)) {
    case 0:
    case 1: return low + extent * draw(world, 17) / 16;
    case 2: return low + extent * next_byte(&world->input) / 255;
    case 3: return low + extent / 2 + extent * draw(world, 8) / 1024;
    case 4:
    case 5: {
        const struct model_entity *other = &model.entities[draw(world, MODEL_ENTITIES)];
        unsigned side = draw(world, 3);
        double reach = side == 0 ? 0 : side == 1 ? other->radius : -other->radius;
        return nudge(world, along(other->position, axis) + reach);
    }
    case 6: return nudge(world, draw(world, 2) ? low : low + extent);
    default: return odd[draw(world, sizeof odd / sizeof *odd)];
    }
}

static aoi_point draw_point(struct world *world) {
    double x = draw_coordinate(world, 0), y = draw_coordinate(world, 1);
    bool has_z = (model.options.given & AOI_GIVEN_DIMS) && model.options.dims == 3;
    return (aoi_point){x, y, has_z ? draw_coordinate(world, 2) : 0};
}

static double draw_radius(struct world *world) {
    static const double odd[] = {0,     1,  5e-324, 1e-160,   1.5e-160, 1e154,
                                 1e308, -1, NAN,    INFINITY, 3,        9007199254740992.};
    switch (draw(world, 4)) {
    case 0: return world->extent * draw(world, 17) / 16;
    case 1: return world->extent / 10;
    case 2: return nudge(world, world->extent * draw(world, 9) / 32);
    default: return odd[draw(world, sizeof odd / sizeof *odd)];
    }
}

static uint32_t draw_bits(struct world *world) {
    return draw(world, 3) == 0 ? UINT32_MAX : draw(world, 8);
}

static uint32_t draw_limit(struct world *world) {
    static const uint32_t limits[] = {0, 1, 2, 3, 5, 10, AOI_MOST, AOI_UNLIMITED};
    return limits[draw(world, 8)];
}

/* Those of crowds; few of them are bad. */
static void draw_crowd_traits(struct world *world, aoi_traits *traits) {
    const unsigned style = draw(world, 256);
    traits->given |= style % 4 * AOI_TRAIT_LIMIT;
    if (traits->given & AOI_TRAIT_LIMIT)
        traits->limit = style >= 250 ? (uint32_t)AOI_MOST + 1 : draw_limit(world);
    if (traits->given & AOI_TRAIT_IMPORTANCE)
        traits->importance = style >= 245 ? style + 10 : style / 4 % 3;
}

static aoi_traits draw_traits(struct world *world) {
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    traits.given = draw(world, 16);
    if (traits.given & AOI_TRAIT_RADIUS)
        traits.radius = draw_radius(world);
    if (traits.given & AOI_TRAIT_MODE)
        traits.mode = draw(world, 5) == 4 ? 0 : 1 + draw(world, 3);
    if (traits.given & AOI_TRAIT_LAYER)
        traits.layer = draw_bits(world);
    if (traits.given & AOI_TRAIT_SEES)
        traits.sees = draw_bits(world);
    if (model_is_crowd(&model))
        draw_crowd_traits(world, &traits);
    return traits;
}

static void draw_rates(struct world *world, aoi_rates *rates) {
    static const int64_t periods[] = {1, 2, 3, AOI_MOST};
    const unsigned style = draw(world, 256);
    rates->count = 1 + style % 4;
    for (size_t ring = 0; ring < rates->count; ring++) {
        rates->rings[ring].bound =
            ring + 1 == rates->count ? INFINITY : world->extent * (double)ring / 32;
        rates->rings[ring].period = periods[(style >> (2 + ring)) % (ring + 1)];
    }
    for (size_t ring = 1; ring < rates->count; ring++) {
        if (rates->rings[ring].period < rates->rings[ring - 1].period)
            rates->rings[ring].period = rates->rings[ring - 1].period;
    }
}

/* Makes the space a crowd space. */
static void draw_crowd_options(struct world *world, aoi_options *options) {
    static const double keeps[] = {1, 1.2, 2, 1000};
    static const int64_t budgets[] = {1, 2, 3, AOI_MOST};
    const unsigned given = draw(world, 64);
    options->given |= given * AOI_GIVEN_LIMIT;
    options->limit = draw_limit(world);
    options->limit_layers = draw_bits(world);
    options->keep = keeps[draw(world, 4)];
    options->enter_budget = budgets[draw(world, 4)];
    options->budget = budgets[draw(world, 4)];
    draw_rates(world, &options->rates);
    if (!(given & ~(unsigned)(AOI_GIVEN_LIMIT_LAYERS | AOI_GIVEN_KEEP) / AOI_GIVEN_LIMIT))
        options->given |= AOI_GIVEN_RATES;
}

/* Options that are good, most of them. */
static aoi_options draw_options(struct world *world) {
    static const double extents[] = {100, 100, 1, 1e-160, 1e-300, 1e154, 1e307, 0x1p-50, 4096};
    static const double lows[] = {0, -50, 1e9, 1, -9007199254740992.};
    struct input *input = &world->input;
    aoi_options options = aoi_options_default((aoi_engine)(1 + draw(world, 3)));
    unsigned bits = next_byte(input), more = next_byte(input);
    unsigned extent = draw(world, sizeof extents / sizeof *extents);
    world->extent = extents[extent];
    for (int axis = 0; axis < 3; axis++) {
        double low = lows[draw(world, sizeof lows / sizeof *lows)];
        world->low[axis] = world->extent > 50 && world->extent < 1e4 ? low : 0;
        if (world->extent == 0x1p-50)
            world->low[axis] = draw(world, 2); /* next to 1, neighbours are 2^-52 apart */
    }
    bool has_map = options.engine != AOI_CROSSLIST;
    if (has_map) {
        options.given |= AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
        options.x = world->low[0];
        options.y = world->low[1];
        options.width = options.height = world->extent;
    }
    if (has_map && (bits & 1)) {
        options.given |= AOI_GIVEN_CLAMP;
        options.clamp = true;
    }
    bool is_nine_grid = options.engine == AOI_GRID && (bits & 2);
    if (is_nine_grid || (options.engine == AOI_GRID && (bits & 4))) {
        options.given |= bits & 8 ? AOI_GIVEN_CELL : AOI_GIVEN_COLS | AOI_GIVEN_ROWS;
        options.cell = world->extent / (1 + draw(world, 12));
        options.cols = 1 + draw(world, 9);
        options.rows = 1 + draw(world, 9);
    }
    if (!is_nine_grid) {
        if (options.engine == AOI_GRID || (bits & 16)) {
            options.given |= AOI_GIVEN_RADIUS;
            options.radius = draw(world, 4) == 0 ? fabs(draw_radius(world)) : world->extent / 10;
            if (isnan(options.radius))
                options.radius = 0;
        }
        options.given |= AOI_GIVEN_SHAPE | AOI_GIVEN_DIMS;
        options.shape = bits & 32 ? AOI_CIRCLE : AOI_SQUARE;
        options.dims = bits & 64 ? 3 : 2;
        if (draw(world, 4) == 3) {
            options.given |= AOI_GIVEN_SLACK;
            options.slack = world->extent * draw(world, 9) / 32;
        }
    }
    if (bits & 128) {
        options.given |= AOI_GIVEN_DEFERRED;
        options.deferred = true;
    }
    if (options.engine == AOI_QUADTREE) {
        options.given |= AOI_GIVEN_CAPACITY | AOI_GIVEN_MAX_DEPTH | AOI_GIVEN_DEPTH;
        options.capacity = 1 + draw(world, 4);
        options.max_depth = draw(world, 33);
        options.depth = draw(world, 3) % (options.max_depth + 1);
    }
    options.collect = more & 7;
    if (more & 8)
        options.listen = more >> 4 & 7;
    if ((bits & 128) && (more & 128))
        draw_crowd_options(world, &options);
    return options;
}

/* The same of crowds. */
static void bend_crowd_options(struct world *world, aoi_options *options) {
    aoi_rates *rates = &options->rates;
    switch (draw(world, 12)) {
    case 0: options->limit = (uint32_t)AOI_MOST + 1; break;
    case 1: options->keep = draw_coordinate(world, 0); break;
    case 2: options->enter_budget = draw(world, 2) ? 0 : (int64_t)AOI_MOST + 1; break;
    case 3: options->budget = draw(world, 2) ? -1 : INT64_MAX; break;
    case 4: rates->count = draw(world, 2) ? 0 : AOI_MOST_RATES + 1; break;
    case 5: rates->rings[draw(world, 4)].bound = draw_coordinate(world, 0); break;
    case 6: rates->rings[draw(world, 4)].period = draw(world, 2) ? 0 : (int64_t)AOI_MOST + 1; break;
    case 7: options->deferred = false; break;
    case 8:
        options->given &= ~(uint32_t)(AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES |
                                      AOI_GIVEN_BUDGET);
        break;
    default: options->given ^= (uint32_t)AOI_GIVEN_LIMIT << draw(world, 6); break;
    }
}

/* Bends some field of the options so that they may be bad. */
static void bend_options(struct world *world, aoi_options *options) {
    double *const numbers[] = {&options->x,    &options->y,      &options->width, &options->height,
                               &options->cell, &options->radius, &options->slack};
    int64_t *const integers[] = {&options->cols, &options->rows, &options->capacity,
                                 &options->max_depth, &options->depth};
    static const int64_t odd[] = {0, -1, INT64_MAX, INT64_MIN, 65536, 65537, 33, 1};
    options->given ^= 1U << draw(world, 16);
    *numbers[draw(world, 7)] = draw_coordinate(world, 0);
    *integers[draw(world, 5)] = odd[draw(world, 8)];
    if (draw(world, 4) == 0)
        options->dims = (int)draw(world, 5);
    if (draw(world, 8) == 0)
        options->engine = (aoi_engine)draw(world, 5);
    if (draw(world, 8) == 0)
        options->shape = (aoi_shape)draw(world, 4);
    if (options->given >= AOI_GIVEN_LIMIT)
        bend_crowd_options(world, options);
}

/* ------------------------------------------------------------------ */
/* Checks                                                              */
/* ------------------------------------------------------------------ */

static void expect_agreement(const char *wrong) {
    if (wrong != NULL)
        fail("%s", wrong);
}

/* After a call: true when it has done its work, false when the allocator has refused. */
static bool went_well(struct world *world, aoi_status status) {
    bool refused = world->accountant.refused > 0;
    accountant_refuse(&world->accountant, 0, false);
    if (status == AOI_NOMEM && !refused)
        fail("AOI_NOMEM without need");
    return status != AOI_NOMEM;
}

static void expect_status(aoi_status status, unsigned allowed) {
    if (!(allowed & MAY_RETURN(status)))
        fail("status %d, expected one of the set %x", status, allowed);
}

/* The list is a set of these numbers, in ascending order of ids when it is `sorted`. */
static void expect_list(const aoi_list *list, const bool *expected, bool sorted, const char *what) {
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

static bool same_number(double a, double b) {
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

static void check_observers(struct world *world, int number) {
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
static void check_told(struct world *world, int number) {
    const bool inside = model.entities[number].inside;
    for (int way = 0; way < 2; way++) {
        bool expected[MODEL_ENTITIES];
        aoi_list list;
        aoi_status status = way == 0 ? aoi_told_markers(world->space, model_id(number), &list)
                                     : aoi_told_watchers(world->space, model_id(number), &list);
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

static void check_explained(struct world *world, int watcher, int marker) {
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

static void check_all(struct world *world) {
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
    bool has_map = model.options.engine != AOI_CROSSLIST;
    if (map.bounded != has_map || aoi_engine_of(world->space) != model.options.engine ||
        (has_map && (!same_number(map.width, model.options.width) ||
                     !same_number(map.height, model.options.height))))
        fail("aoi_map_of is wrong");
    for (int number = 0; number < MODEL_ENTITIES; number++) {
        check_told(world, number);
        check_explained(world, number, (number * 7 + 3) % MODEL_ENTITIES);
    }
}

/* ------------------------------------------------------------------ */
/* Calls                                                               */
/* ------------------------------------------------------------------ */

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
          traits.layer, traits.sees);
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

/* Draws rows that are mostly good, or few batches would come to an end. */
static void draw_rows(struct world *world, enum model_batch batch, aoi_row *rows, size_t count) {
    bool wants_inside = batch != MODEL_ENTER_ALL;
    for (size_t i = 0; i < count; i++) {
        int who = (int)draw(world, MODEL_ENTITIES);
        for (int step = 0;
             step < MODEL_ENTITIES && model.entities[who].inside != wants_inside && who % 5 != 0;
             step++)
            who = (who + 1) % MODEL_ENTITIES;
        rows[i] = (aoi_row){model_id(who), draw_point(world)};
    }
}

/* The batch of these rows, in the core and in the model. False: the allocator has refused. */
static bool run_batch(struct world *world, enum model_batch batch, const aoi_row *rows,
                      const aoi_row *own, size_t count, const aoi_traits *traits, bool skips) {
    size_t counted = 0, bad_row = SIZE_MAX, core_counted = 0, core_bad_row = SIZE_MAX;
    aoi_space *space = world->space;
    const aoi_traits *given = traits->given == 0 ? NULL : traits;
    aoi_status status = AOI_OK;
    trace("batch %d of %zu rows, skips %d given %x radius %.17g mode %u layer %u sees %u", batch,
          count, skips, traits->given, traits->radius, traits->mode, traits->layer, traits->sees);
    for (size_t i = 0; i < count; i++)
        trace("  row %lld (%.17g, %.17g, %.17g)", (long long)own[i].id, own[i].position.x,
              own[i].position.y, own[i].position.z);
    switch (batch) {
    case MODEL_ENTER_ALL: status = aoi_enter_all(space, rows, count, given, &core_bad_row); break;
    case MODEL_MOVE_ALL:
        status = aoi_move_all(space, rows, count, skips ? &core_counted : NULL, &core_bad_row);
        break;
    case MODEL_LEAVE_ALL: status = aoi_leave_all(space, rows, count, &core_bad_row); break;
    case MODEL_UPDATE_ALL:
        status = aoi_update_all(space, rows, count, given, &core_counted, &core_bad_row);
        break;
    }
    if (!went_well(world, status))
        return false;
    expect_status(status,
                  model_batch(&model, batch, own, count, traits, skips, &counted, &bad_row));
    if (status != AOI_OK && core_bad_row != bad_row)
        fail("bad_row is %zu, expected %zu", core_bad_row, bad_row);
    if (status == AOI_OK && core_counted != counted)
        fail("%zu rows are counted, expected %zu", core_counted, counted);
    return true;
}

static void call_batch(struct world *world, enum model_batch batch) {
    aoi_row own[MOST_ROWS], *rows = own;
    size_t count = draw(world, MOST_ROWS + 1);
    bool skips = batch == MODEL_MOVE_ALL && draw(world, 2);
    aoi_traits traits = draw_traits(world);
    if (batch != MODEL_ENTER_ALL && batch != MODEL_UPDATE_ALL)
        memset(&traits, 0, sizeof traits);
    if (draw(world, 2)) {
        aoi_status status = aoi_rows(world->space, count, &rows);
        if (!went_well(world, status))
            return;
        expect_status(status, MAY_RETURN(AOI_OK));
    }
    draw_rows(world, batch, own, count);
    if (rows != own && count > 0)
        memcpy(rows, own, count * sizeof *rows);
    run_batch(world, batch, rows, own, count, &traits, skips);
}

/* ------------------------------------------------------------------ */
/* Packed rows                                                         */
/* ------------------------------------------------------------------ */

/* The lowest byte first, whatever the machine. */
static void put_bytes(uint8_t *to, uint64_t word, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(word >> (8 * i));
}

static uint64_t get_bytes(const uint8_t *from, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)from[i] << (8 * i);
    return word;
}

/* Packs a coordinate in so many bytes; it becomes what will be read from them. */
static void pack_coordinate(double *coordinate, uint8_t *to, size_t size) {
    uint64_t word = 0;
    if (size == sizeof(float)) {
        float number = (float)*coordinate;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        word = bits;
        *coordinate = (double)number;
    } else {
        memcpy(&word, coordinate, sizeof word);
    }
    put_bytes(to, word, size);
}

static int model_dims(void) {
    return (model.options.given & AOI_GIVEN_DIMS) ? model.options.dims : 2;
}

/* An array of its own size, so that a sanitizer sees its end; not aligned, mostly. */
struct exact_bytes {
    uint8_t *block, *bytes;
    size_t size;
};

static struct exact_bytes exact_bytes_of(struct world *world, size_t size) {
    const unsigned shift = draw(world, 8);
    struct exact_bytes exact = {malloc(shift + size + 1), NULL, size};
    if (exact.block == NULL)
        fail("no memory for %zu bytes", size);
    exact.block = realloc(exact.block, shift + size > 0 ? shift + size : 1);
    exact.bytes = exact.block + shift;
    return exact;
}

/* Packs the rows, which become what will be read from them. */
static struct exact_bytes pack_rows(struct world *world, aoi_row_format format, aoi_row *rows,
                                    size_t count) {
    const size_t number = format == AOI_ROWS_OF_FLOATS ? 4 : 8;
    const int dims = format == AOI_ROWS_OF_IDS ? 0 : model_dims();
    const size_t row_size = 8 + number * (size_t)dims;
    const size_t over = draw(world, 8) == 7 ? draw(world, (unsigned)row_size) : 0;
    if (aoi_packed_row_size(world->space, format) != row_size)
        fail("aoi_packed_row_size is wrong");
    struct exact_bytes packed = exact_bytes_of(world, count * row_size + over);
    uint8_t *to = packed.bytes;
    for (size_t i = 0; i < count; i++, to += row_size) {
        double *axes[] = {&rows[i].position.x, &rows[i].position.y, &rows[i].position.z};
        put_bytes(to, (uint64_t)rows[i].id, 8);
        for (int axis = 0; axis < 3; axis++) {
            if (axis < dims)
                pack_coordinate(axes[axis], to + 8 + number * (size_t)axis, number);
            else
                *axes[axis] = 0;
        }
    }
    memset(to, 0xEE, over);
    return packed;
}

static bool is_finite_row(const aoi_row *row) {
    return isfinite(row->position.x) && isfinite(row->position.y) && isfinite(row->position.z);
}

/* Of -0.0 and NaN, too; which NaN does not matter. */
static bool same_coordinate(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void expect_rows(const aoi_row *rows, const aoi_row *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const aoi_point *place = &rows[i].position, *other = &expected[i].position;
        if (rows[i].id != expected[i].id || !same_coordinate(place->x, other->x) ||
            !same_coordinate(place->y, other->y) || !same_coordinate(place->z, other->z))
            fail("row %zu is not as it was packed", i);
    }
}

/* Reads the rows from bytes; returns how many can go on to a batch. */
static size_t unpack_rows(struct world *world, aoi_row_format format, aoi_row *own, size_t count,
                          aoi_row **rows) {
    struct exact_bytes packed = pack_rows(world, format, own, count);
    const size_t row_size = aoi_packed_row_size(world->space, format);
    const bool whole = packed.size % row_size == 0;
    size_t good = 0, core_good = SIZE_MAX;
    while (good < count && (!whole || is_finite_row(&own[good])))
        good++;
    trace("unpack %zu bytes of format %d, %zu rows", packed.size, format, count);
    aoi_status status =
        aoi_unpack_rows(world->space, format, packed.bytes, packed.size, rows, &core_good);
    free(packed.block);
    if (!went_well(world, status))
        return 0;
    expect_status(status, MAY_RETURN(whole && good == count ? AOI_OK : AOI_INVALID));
    if (core_good != good)
        fail("%zu good rows, expected %zu", core_good, good);
    if (!whole)
        return 0;
    expect_rows(*rows, own, good < count ? good + 1 : good);
    return good;
}

/* A batch of rows that come as bytes, and perhaps another one of the same rows: they stay valid. */
static void call_packed_batch(struct world *world, enum model_batch batch) {
    static const aoi_row_format formats[] = {AOI_ROWS_OF_DOUBLES, AOI_ROWS_OF_FLOATS};
    aoi_row own[MOST_ROWS], *rows = NULL;
    size_t count = draw(world, MOST_ROWS + 1);
    bool skips = batch == MODEL_MOVE_ALL && draw(world, 2);
    aoi_traits traits = draw_traits(world);
    if (batch != MODEL_ENTER_ALL && batch != MODEL_UPDATE_ALL)
        memset(&traits, 0, sizeof traits);
    aoi_row_format format = batch == MODEL_LEAVE_ALL ? AOI_ROWS_OF_IDS : formats[draw(world, 2)];
    draw_rows(world, batch, own, count);
    count = unpack_rows(world, format, own, count, &rows);
    if (count == 0 || !run_batch(world, batch, rows, own, count, &traits, skips))
        return;
    if (format != AOI_ROWS_OF_IDS && draw(world, 4) == 3)
        run_batch(world, MODEL_UPDATE_ALL, rows, own, count, &traits, false);
    if (draw(world, 4) == 3) {
        memset(&traits, 0, sizeof traits);
        run_batch(world, MODEL_LEAVE_ALL, rows, own, count, &traits, false);
    }
}

/* The ids of all, to bytes and back. */
static void call_pack_ids(struct world *world) {
    aoi_list list;
    if (!went_well(world, aoi_ids(world->space, &list)))
        return;
    struct exact_bytes packed = exact_bytes_of(world, list.count * 8);
    aoi_id ids[MODEL_ENTITIES];
    aoi_pack_ids(list.ids, list.count, packed.bytes);
    aoi_unpack_ids(packed.bytes, list.count, ids);
    for (size_t i = 0; i < list.count; i++) {
        if (get_bytes(packed.bytes + 8 * i, 8) != (uint64_t)list.ids[i] || ids[i] != list.ids[i])
            fail("id %lld is packed wrong", (long long)list.ids[i]);
    }
    free(packed.block);
}

static void call_pack_positions(struct world *world) {
    aoi_row rows[MOST_ROWS];
    const size_t count = draw(world, MOST_ROWS + 1), dims = (size_t)model_dims();
    for (size_t i = 0; i < count; i++)
        rows[i] = (aoi_row){model_id((int)draw(world, MODEL_ENTITIES)), {0, 0, 0}};
    struct exact_bytes packed = exact_bytes_of(world, count * dims * 8);
    aoi_pack_positions(world->space, rows, count, packed.bytes);
    for (size_t i = 0; i < count; i++) {
        const struct model_entity *entity = &model.entities[model_number(rows[i].id)];
        for (size_t axis = 0; axis < dims; axis++) {
            const uint64_t word = get_bytes(packed.bytes + (i * dims + axis) * 8, 8);
            double number;
            memcpy(&number, &word, sizeof number);
            if (entity->inside ? !same_number(number, along(entity->position, (int)axis))
                               : word != UINT64_C(0x7FF8000000000000))
                fail("the position of %lld is packed wrong", (long long)rows[i].id);
        }
    }
    free(packed.block);
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

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

static void expect_same_list(const aoi_list *a, const aoi_list *b) {
    if (a->count != b->count ||
        (a->count > 0 && memcmp(a->ids, b->ids, a->count * sizeof *a->ids) != 0))
        fail("two looks at one telling differ");
}

/* Where changed listeners leave it open what must be told again: takes all that waits. */
static void find_track(struct world *world) {
    aoi_telling telling;
    if (!model.lost_track)
        return;
    while (aoi_peek(world->space, model.wants, &telling))
        aoi_told(world->space, model.wants);
    model.lost_track = false;
    model.pending.count = 0;
    model.mixed = 0;
}

/* Takes the oldest telling, if one waits. */
static bool take_telling(struct world *world) {
    aoi_telling telling, again;
    if (!aoi_peek(world->space, model.wants, &telling)) {
        expect_agreement(model_nothing_waits(&model));
        return false;
    }
    if (world->accountant.refused > 0) { /* then its groups may be smaller than they should */
        accountant_refuse(&world->accountant, 0, false);
        model.lost_track = true;
        find_track(world);
        return true;
    }
    if (!aoi_peek(world->space, model.wants, &again) || again.number != telling.number ||
        again.kind != telling.kind)
        fail("two looks at one telling differ");
    expect_same_list(&telling.others, &again.others);
    expect_same_list(&telling.left, &again.left);
    expect_same_list(&telling.entered, &again.entered);
    expect_same_list(&telling.moved, &again.moved);
    trace("told kind %u subject %lld op %d others %zu left %zu entered %zu moved %zu event %lld "
          "%lld %d",
          telling.kind, (long long)telling.subject, telling.op, telling.others.count,
          telling.left.count, telling.entered.count, telling.moved.count,
          (long long)telling.event.watcher, (long long)telling.event.marker, telling.event.op);
    expect_agreement(model_take_telling(&model, &telling));
    aoi_told(world->space, model.wants);
    find_track(world);
    expect_agreement(model_check_pending(&model, aoi_pending(world->space)));
    if (aoi_peek(world->space, model.wants, &again) && again.number == telling.number)
        fail("another telling has the same number");
    return true;
}

static bool take_event(struct world *world) {
    aoi_event event;
    if (!aoi_next_event(world->space, &event)) {
        expect_agreement(model_nothing_waits(&model));
        return false;
    }
    trace("event %lld %lld %d", (long long)event.watcher, (long long)event.marker, event.op);
    expect_agreement(model_take_event(&model, &event));
    find_track(world);
    expect_agreement(model_check_pending(&model, aoi_pending(world->space)));
    return true;
}

/* As the listeners want it. */
static bool take(struct world *world, bool single) {
    return model.wants == AOI_TELL_EVENT && single ? take_event(world) : take_telling(world);
}

static void take_all(struct world *world, bool single) {
    while (take(world, single))
        continue;
}

static bool same_event(const aoi_event *a, const aoi_event *b) {
    return a->watcher == b->watcher && a->marker == b->marker && a->op == b->op;
}

static void expect_packed_event(const uint8_t *row, const aoi_event *expected) {
    if (get_bytes(row, 8) != (uint64_t)expected->watcher ||
        get_bytes(row + 8, 8) != (uint64_t)expected->marker || row[16] != expected->op)
        fail("a gathered event is packed wrong");
}

/* Reads up to `count` events at the cursor, in one of the three ways; returns how many. */
static size_t read_gathered(struct world *world, aoi_cursor *cursor, size_t count,
                            const aoi_event *expected) {
    enum { MOST_AT_ONCE = 40 };
    const unsigned way = draw(world, 3);
    const size_t asked = 1 + draw(world, MOST_AT_ONCE);
    const size_t least = asked < count ? asked : count;
    aoi_event event, events[MOST_AT_ONCE];
    size_t read = 0;
    if (way == 0) {
        read = aoi_collected_event(world->space, cursor, &event) ? 1 : 0;
        if (read != (count > 0 ? 1 : 0) || (read == 1 && !same_event(&event, expected)))
            fail("aoi_collected_event differs");
    } else if (way == 1) {
        read = aoi_collected_events(world->space, cursor, asked, events);
        if (read != least)
            fail("aoi_collected_events gives %zu events, expected %zu", read, least);
        for (size_t i = 0; i < read; i++) {
            if (!same_event(&events[i], &expected[i]))
                fail("aoi_collected_events differs");
        }
    } else {
        struct exact_bytes packed = exact_bytes_of(world, least * AOI_PACKED_EVENT);
        read = aoi_collected_packed(world->space, cursor, asked, packed.bytes);
        if (read != least)
            fail("aoi_collected_packed gives %zu events, expected %zu", read, least);
        for (size_t i = 0; i < read; i++)
            expect_packed_event(packed.bytes + i * AOI_PACKED_EVENT, &expected[i]);
        free(packed.block);
    }
    return read;
}

/* All ways to read what is gathered, in turns, give the same. */
static void call_read_gathered(struct world *world) {
    static aoi_event events[MODEL_EVENTS];
    const size_t count = aoi_collected(world->space);
    aoi_cursor cursor = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (!aoi_collected_event(world->space, &cursor, &events[i]))
            fail("gathered events are missing");
    }
    cursor = (aoi_cursor){0, 0};
    size_t at = 0;
    trace("read %zu gathered events", count);
    while (at < count)
        at += read_gathered(world, &cursor, count - at, events + at);
    read_gathered(world, &cursor, 0, events);
}

/* Which events of a change are the oldest is left open: where the drop is made again, no change can
 * be dropped in part. */
static size_t whole_changes(size_t count) {
    const struct model_event *items = model.collected.items;
    if (count >= model.collected.count)
        return count;
    while (count > 0 && items[count - 1].change == items[count].change)
        count--;
    return count;
}

static void call_drop_oldest(struct world *world) {
    enum { MOST = 24 };
    size_t count = draw(world, MOST);
    if (world->keeps_record)
        count = whole_changes(count);
    aoi_event events[MOST];
    aoi_cursor cursor = {0, 0};
    trace("drop the oldest %zu gathered events", count);
    const size_t dropped = aoi_collected_events(world->space, &cursor, count, events);
    const aoi_status status = aoi_drop_oldest_collected(world->space, count);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    for (size_t i = 0; i < dropped; i++)
        expect_agreement(model_drop_collected(&model, &events[i]));
}

static void call_drop_collected(struct world *world) {
    const aoi_status status = aoi_drop_collected(world->space);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    model.collected.count = 0;
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
    model_listen(&model, ops, wants);
}

static void call_tick(struct world *world) {
    trace("tick");
    aoi_status status = aoi_tick(world->space);
    if (went_well(world, status))
        expect_status(status, model_tick(&model));
}

/* ------------------------------------------------------------------ */
/* Crowds                                                              */
/* ------------------------------------------------------------------ */

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

/* ------------------------------------------------------------------ */
/* Saving and loading                                                  */
/* ------------------------------------------------------------------ */

static struct text save(struct world *world, const aoi_space *space, uint32_t note) {
    const struct accountant before = world->accountant;
    struct text saved = save_text(space, note);
    if (aoi_save(space, note, saved.bytes, saved.size - 1) != saved.size ||
        aoi_save(space, note, saved.bytes, saved.size) != saved.size)
        fail("aoi_save returns different sizes");
    if (world->accountant.requests != before.requests || world->accountant.bytes != before.bytes)
        fail("aoi_save takes memory");
    return saved;
}

/* One byte changed, or the last ones cut off: the string must be refused. */
static void check_damaged(struct world *world, const struct text *saved) {
    size_t at = (draw(world, 256) << 8 | draw(world, 256)) % saved->size, size = saved->size;
    uint8_t change = (uint8_t)next_byte(&world->input);
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    if (change == 0)
        size = at;
    saved->bytes[at] ^= change;
    aoi_status status = aoi_load(saved->bytes, size, accountant_allocate, &world->accountant,
                                 &space, NULL, &complaint);
    saved->bytes[at] ^= change;
    if (status != AOI_INVALID || space != NULL || complaint.text[0] == 0)
        fail("a damaged string is loaded: status %d", status);
}

static void expect_same_stats(const aoi_space *a, const aoi_space *b) {
    aoi_stats of_a, of_b;
    aoi_get_stats(a, &of_a);
    aoi_get_stats(b, &of_b);
    if (of_a.entities != of_b.entities || of_a.pending != of_b.pending ||
        of_a.collected != of_b.collected || of_a.changed != of_b.changed ||
        of_a.delivered != of_b.delivered)
        fail("a loaded space has other stats");
}

/* The space as loaded from a string, or NULL when the allocator has refused. */
static aoi_space *load(struct world *world, const struct text *saved, uint32_t note) {
    const size_t bytes = world->accountant.bytes;
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    uint32_t loaded_note = ~note;
    aoi_status status = aoi_load(saved->bytes, saved->size, accountant_allocate, &world->accountant,
                                 &space, &loaded_note, &complaint);
    if (!went_well(world, status)) {
        if (world->accountant.bytes != bytes)
            fail("a space that was not loaded keeps memory");
        return NULL;
    }
    if (status != AOI_OK)
        fail("a saved space is refused: %s", complaint.text);
    if (loaded_note != note)
        fail("the note has changed");
    return space;
}

static void keep_recorded(struct world *world) {
    const unsigned long requests = world->accountant.requests;
    world->record = join_texts(world->record, take_record(world->space));
    if (world->accountant.requests != requests)
        fail("to take a record takes memory");
}

/* A space made from this one takes its place; what is kept of the record goes on with it. */
static void replace_space(struct world *world, aoi_space *space) {
    if (world->keeps_record)
        keep_recorded(world);
    aoi_destroy(world->space);
    world->space = space;
    aoi_record(space, world->keeps_record);
}

/* From here on a loaded space takes the place of the old one, and the model must not notice. */
static void call_save(struct world *world) {
    uint32_t note = draw(world, 2) ? draw(world, 256) : UINT32_MAX;
    unsigned count = draw(world, 8);
    bool listens = draw(world, 4) != 3;
    struct text saved = save(world, world->space, note);
    trace("save %zu bytes; %u tellings before it listens: %d", saved.size, count, listens);
    if (draw(world, 4) == 0)
        check_damaged(world, &saved);
    aoi_space *space = load(world, &saved, note);
    if (space != NULL) {
        struct text again = save(world, space, note);
        if (again.size != saved.size || memcmp(again.bytes, saved.bytes, saved.size) != 0)
            fail("a loaded space is saved as another string");
        free_text(&again);
        expect_same_stats(space, world->space);
        replace_space(world, space);
        while (count-- > 0 && take(world, count % 2))
            continue;
        if (listens) {
            aoi_listen(space, model.listen, model.wants);
            model_listen(&model, model.listen, model.wants);
        } else {
            model.listen = 0; /* what waits goes on waiting */
        }
    }
    free_text(&saved);
}

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

static void forget_record(struct world *world) {
    world->keeps_record = false;
    aoi_record(world->space, false);
    keep_recorded(world);
    free_text(&world->save);
    free_text(&world->record);
}

static void begin_record(struct world *world) {
    trace("begin a record");
    world->save = save(world, world->space, 0);
    world->record = new_text(0);
    world->keeps_record = true;
    aoi_record(world->space, true);
}

/* Makes the calls of the record that is kept on a space loaded from the save, in two parts. */
static void replay(struct world *world, aoi_space *space, aoi_moment to) {
    const struct text *record = &world->record;
    const aoi_moment now = aoi_moment_of(space);
    const aoi_moment parts[] = {{now.calls + draw(world, 64), now.ticks + draw(world, 64)},
                                {UINT64_MAX, UINT64_MAX}};
    aoi_complaint complaint = {""};
    for (int part = 0; part < 2; part++) {
        aoi_status status = AOI_NOMEM;
        for (int attempt = 0; attempt < 2 && status == AOI_NOMEM; attempt++) {
            status = aoi_replay(space, record->bytes, record->size, NULL, &parts[part], &complaint);
            went_well(world, status);
        }
        if (status != AOI_OK)
            fail("status %d of a record: %s", status, complaint.text);
    }
    const aoi_moment end = aoi_moment_of(space);
    if (end.calls != to.calls || end.ticks != to.ticks)
        fail("a replay ends elsewhere");
}

static void check_span(const struct world *world, const aoi_space *loaded, aoi_moment to) {
    aoi_span span;
    aoi_complaint complaint = {""};
    const aoi_moment from = aoi_moment_of(loaded);
    if (aoi_record_span(world->record.bytes, world->record.size, &span, &complaint) != AOI_OK)
        fail("a record is refused: %s", complaint.text);
    if (span.whole != world->record.size || (span.whole == 0) != (from.calls == to.calls) ||
        (span.whole > 0 && (span.from.calls != from.calls || span.from.ticks != from.ticks ||
                            span.to.calls != to.calls || span.to.ticks != to.ticks)))
        fail("a record is of other calls than were made");
}

/* From here on a space from the save and the record takes the place of the one that recorded, and
 * the model must not notice; but nothing waits any more. */
static void replace_by_record(struct world *world) {
    const uint32_t listen = model.listen;
    const aoi_moment now = aoi_moment_of(world->space);
    keep_recorded(world);
    trace("replay %zu bytes", world->record.size);
    aoi_space *space = load(world, &world->save, 0);
    if (space == NULL)
        return;
    check_span(world, space, now);
    const size_t limit = world->accountant.limit;
    world->accountant.limit = 0;
    replay(world, space, now);
    world->accountant.limit = limit;
    aoi_listen(space, 0, model.wants);
    model_listen(&model, 0, model.wants);
    aoi_listen(space, listen, model.wants);
    model_listen(&model, listen, model.wants);
    replace_space(world, space);
    if (draw(world, 2))
        forget_record(world);
}

static void call_record(struct world *world) {
    if (!world->keeps_record)
        begin_record(world);
    else if (draw(world, 4) == 0)
        keep_recorded(world);
    else
        replace_by_record(world);
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
          options.limit_layers, options.keep, (long long)options.enter_budget,
          (long long)options.budget, options.rates.count);
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
