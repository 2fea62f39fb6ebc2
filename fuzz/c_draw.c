/* c_draw.c - draws of the world of fuzz_c.c from its input: coordinates, traits, options. */
#include <math.h>
#include <string.h>

#include "c_world.h"
#include "expectations.h"

unsigned draw(struct world *world, unsigned count) {
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

double along(aoi_point point, int axis) {
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

double draw_coordinate(struct world *world, int axis) {
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

aoi_point draw_point(struct world *world) {
    double x = draw_coordinate(world, 0), y = draw_coordinate(world, 1);
    bool has_z = (model.options.given & AOI_GIVEN_DIMS) && model.options.dims == 3;
    return (aoi_point){x, y, has_z ? draw_coordinate(world, 2) : 0};
}

double draw_radius(struct world *world) {
    static const double odd[] = {0,     1,  5e-324, 1e-160,   1.5e-160, 1e154,
                                 1e308, -1, NAN,    INFINITY, 3,        9007199254740992.};
    switch (draw(world, 4)) {
    case 0: return world->extent * draw(world, 17) / 16;
    case 1: return world->extent / 10;
    case 2: return nudge(world, world->extent * draw(world, 9) / 32);
    default: return odd[draw(world, sizeof odd / sizeof *odd)];
    }
}

uint32_t draw_bits(struct world *world) {
    return draw(world, 3) == 0 ? UINT32_MAX : draw(world, 8);
}

static uint32_t draw_limit(struct world *world) {
    static const uint32_t limits[] = {0, 1, 2, 3, 5, 10, AOI_MOST, AOI_UNLIMITED};
    return limits[draw(world, 8)];
}

/* Traits of crowds; few of them are bad. */
void draw_crowd_traits(struct world *world, aoi_traits *traits) {
    const unsigned style = draw(world, 256);
    traits->given |= style % 4 * AOI_TRAIT_LIMIT;
    if (traits->given & AOI_TRAIT_LIMIT)
        traits->limit = style >= 250 ? (uint32_t)AOI_MOST + 1 : draw_limit(world);
    if (traits->given & AOI_TRAIT_IMPORTANCE)
        traits->importance = style >= 245 ? style + 10 : style / 4 % 3;
}

aoi_traits draw_traits(struct world *world) {
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    traits.given = draw(world, 16);
    if (traits.given & AOI_TRAIT_RADIUS)
        traits.radius = draw_radius(world);
    if (traits.given & AOI_TRAIT_MODE)
        traits.mode = draw(world, 5) == 4 ? 0 : 1 + draw(world, 3);
    if (traits.given & AOI_TRAIT_LAYERS)
        traits.layers = draw_bits(world);
    if (traits.given & AOI_TRAIT_SEES_LAYERS)
        traits.sees_layers = draw_bits(world);
    if (model_is_crowd(&model))
        draw_crowd_traits(world, &traits);
    return traits;
}

static void draw_rates(struct world *world, aoi_rates *rates) {
    static const int64_t periods[] = {1, 2, 3, AOI_NEVER};
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
    options->keep_factor = keeps[draw(world, 4)];
    options->enter_budget = budgets[draw(world, 4)];
    options->move_budget = budgets[draw(world, 4)];
    draw_rates(world, &options->rates);
    if (!(given & ~(unsigned)(AOI_GIVEN_LIMIT_LAYERS | AOI_GIVEN_KEEP_FACTOR) / AOI_GIVEN_LIMIT))
        options->given |= AOI_GIVEN_RATES;
}

/* Options that are good, most of them. */
aoi_options draw_options(struct world *world) {
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
    const bool is_folded = options.engine == AOI_GRID && (bits & 14) == 0;
    const bool has_map = options.engine != AOI_CROSSLIST && !is_folded;
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
            if (is_folded && !(options.radius > 0 && isfinite(options.radius)))
                options.given |= AOI_GIVEN_CELL;
            options.cell = is_folded ? world->extent / 4 : options.cell;
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
        options.given |= AOI_GIVEN_CAPACITY | AOI_GIVEN_MAX_DEPTH;
        options.capacity = 1 + draw(world, 4);
        options.max_depth = draw(world, 33);
    }
    options.collect = more & 7;
    if (more & 8)
        options.listen = more >> 4 & 7;
    if ((bits & 128) && (more & 128))
        draw_crowd_options(world, &options);
    return options;
}

/* Makes options of crowds bad. */
static void bend_crowd_options(struct world *world, aoi_options *options) {
    aoi_rates *rates = &options->rates;
    switch (draw(world, 12)) {
    case 0: options->limit = (uint32_t)AOI_MOST + 1; break;
    case 1: options->keep_factor = draw_coordinate(world, 0); break;
    case 2: options->enter_budget = draw(world, 2) ? 0 : (int64_t)AOI_MOST + 1; break;
    case 3: options->move_budget = draw(world, 2) ? -1 : INT64_MAX; break;
    case 4: rates->count = draw(world, 2) ? 0 : AOI_MOST_RATES + 1; break;
    case 5: rates->rings[draw(world, 4)].bound = draw_coordinate(world, 0); break;
    case 6:
        rates->rings[draw(world, 4)].period = draw(world, 2) ? 0 : AOI_LONGEST_PERIOD + 1;
        break;
    case 7: options->deferred = false; break;
    case 8:
        options->given &= ~(uint32_t)(AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES |
                                      AOI_GIVEN_MOVE_BUDGET);
        break;
    default: options->given ^= (uint32_t)AOI_GIVEN_LIMIT << draw(world, 6); break;
    }
}

/* Bends some field of the options so that they may be bad. */
void bend_options(struct world *world, aoi_options *options) {
    double *const numbers[] = {&options->x,    &options->y,      &options->width, &options->height,
                               &options->cell, &options->radius, &options->slack};
    int64_t *const integers[] = {&options->cols, &options->rows, &options->capacity,
                                 &options->max_depth};
    static const int64_t odd[] = {0, -1, INT64_MAX, INT64_MIN, 65536, 65537, 33, 1};
    options->given ^= 1U << draw(world, 16);
    *numbers[draw(world, 7)] = draw_coordinate(world, 0);
    *integers[draw(world, 4)] = odd[draw(world, 8)];
    if (draw(world, 4) == 0)
        options->dims = (int)draw(world, 5);
    if (draw(world, 8) == 0)
        options->engine = (aoi_engine)draw(world, 5);
    if (draw(world, 8) == 0)
        options->shape = (aoi_shape)draw(world, 4);
    if (options->given >= AOI_GIVEN_LIMIT)
        bend_crowd_options(world, options);
}
