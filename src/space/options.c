/* options.c - options checked, each by its row. */
#include "space/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/complaint.h"
#include "base/field_type.h"

static const double most_cells = AOI_MOST_CELLS;

/* Sets of engines. A grid takes the options of a map all or none, see check_map. */
enum {
    GRID = 1 << AOI_GRID,
    TREE = 1 << AOI_QUADTREE,
    MAPPED = GRID | TREE,
    ALL = MAPPED | 1 << AOI_CROSSLIST,
    NONE = 0
};

/* Options of a grid with a map. */
enum {
    SIZES = AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT,
    ONLY_WITH_MAP = AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_COLS | AOI_GIVEN_ROWS | AOI_GIVEN_CLAMP
};

/*
 * Every option, once: ROW(AOI_GIVEN_ bit, field, type, engines that take it, engines that need it),
 * in the order of the bits. From here live the checks below, the snapshot (which saves them in this
 * order) and the Lua binding.
 */
#define OPTIONS(ROW)                                                                               \
    ROW(X, x, AOI_NUMBER, MAPPED, NONE)                                                            \
    ROW(Y, y, AOI_NUMBER, MAPPED, NONE)                                                            \
    ROW(WIDTH, width, AOI_NUMBER, MAPPED, TREE)                                                    \
    ROW(HEIGHT, height, AOI_NUMBER, MAPPED, TREE)                                                  \
    ROW(COLS, cols, AOI_INTEGER, GRID, NONE)                                                       \
    ROW(ROWS, rows, AOI_INTEGER, GRID, NONE)                                                       \
    ROW(CELL, cell, AOI_NUMBER, GRID, NONE)                                                        \
    ROW(RADIUS, radius, AOI_LENGTH, ALL, NONE)                                                     \
    ROW(SHAPE, shape, AOI_SHAPE, ALL, NONE)                                                        \
    ROW(DIMS, dims, AOI_DIMS, ALL, NONE)                                                           \
    ROW(CLAMP, clamp, AOI_BOOLEAN, MAPPED, NONE)                                                   \
    ROW(CAPACITY, capacity, AOI_INTEGER, TREE, NONE)                                               \
    ROW(MAX_DEPTH, max_depth, AOI_INTEGER, TREE, NONE)                                             \
    ROW(DEFERRED, deferred, AOI_BOOLEAN, ALL, NONE)                                                \
    ROW(SLACK, slack, AOI_NUMBER, ALL, NONE)                                                       \
    ROW(LIMIT, limit, AOI_LIMIT, ALL, NONE)                                                        \
    ROW(LIMIT_LAYERS, limit_layers, AOI_BITS, ALL, NONE)                                           \
    ROW(KEEP_FACTOR, keep_factor, AOI_NUMBER, ALL, NONE)                                           \
    ROW(ENTER_BUDGET, enter_budget, AOI_INTEGER, ALL, NONE)                                        \
    ROW(RATES, rates, AOI_RATES, ALL, NONE)                                                        \
    ROW(MOVE_BUDGET, move_budget, AOI_INTEGER, ALL, NONE)

#define ITS_NUMBER(bit, field, type, takes, needs) OPTION_##bit,
enum { OPTIONS(ITS_NUMBER) OPTION_COUNT };

#define ITS_ROW(bit, field, type, takes, needs)                                                    \
    {#field, AOI_GIVEN_##bit, type, offsetof(aoi_options, field), takes, needs},
static const aoi_option_info options_table[] = {OPTIONS(ITS_ROW)};

/* A new option needs a row, at its place, of the type of its field. */
#define ITS_CHECKS(bit, field, type, takes, needs)                                                 \
    _Static_assert(AOI_GIVEN_##bit == 1 << OPTION_##bit, "the rows are in the order of the bits"); \
    _Static_assert(IS_OF_TYPE(((aoi_options *)0)->field, type), #field " has another type");
OPTIONS(ITS_CHECKS)
_Static_assert(1 << OPTION_COUNT == (AOI_GIVEN_END - 1) << 1, "an AOI_GIVEN_ bit has no row");
_Static_assert(sizeof(aoi_options) - offsetof(aoi_options, move_budget) - sizeof(int64_t) <
                   _Alignof(aoi_options),
               "the last field of aoi_options is not that of the last row");

const aoi_option_info *aoi_option_table(size_t *count) {
    *count = OPTION_COUNT;
    return options_table;
}

/* By number; 0 is no engine. */
static const char *const engine_names[] = {[0] = "unknown",
                                           [AOI_GRID] = "grid",
                                           [AOI_CROSSLIST] = "crosslist",
                                           [AOI_QUADTREE] = "quadtree"};

enum { ENGINES_END = sizeof engine_names / sizeof *engine_names };

aoi_engine aoi_engine_from_name(const char *name) {
    int engine = ENGINES_END - 1;
    while (engine > 0 && strcmp(engine_names[engine], name) != 0)
        engine--;
    return (aoi_engine)engine;
}

const char *aoi_engine_name(aoi_engine engine) {
    return engine_names[(size_t)engine < ENGINES_END ? engine : 0];
}

aoi_options aoi_options_default(aoi_engine engine) {
    aoi_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.engine = engine;
    options.shape = AOI_SQUARE;
    options.dims = 2;
    options.listen = PAIR_OPS | AREA_OPS;
    options.capacity = 64;
    options.max_depth = 20;
    options.limit = AOI_UNLIMITED;
    options.limit_layers = UINT32_MAX;
    options.keep_factor = 1.2;
    options.enter_budget = options.move_budget = AOI_MOST;
    return options;
}

/* Writes the value of the option as text. Options that every engine takes are never shown. */
static void show_option(const aoi_options *options, const aoi_option_info *option, char *text,
                        size_t size) {
    const char *field = (const char *)options + option->offset;
    double value;
    int64_t integer;
    bool truth;
    switch (option->type) {
    case AOI_NUMBER:
        memcpy(&value, field, sizeof value);
        snprintf(text, size, "%.17g", value);
        break;
    case AOI_INTEGER:
        memcpy(&integer, field, sizeof integer);
        snprintf(text, size, "%lld", (long long)integer);
        break;
    case AOI_BOOLEAN:
        memcpy(&truth, field, sizeof truth);
        snprintf(text, size, "%s", truth ? "true" : "false");
        break;
    default: snprintf(text, size, "given"); break;
    }
}

static aoi_status check_which(const aoi_options *options, aoi_complaint *complaint) {
    if (options->engine < AOI_GRID || options->engine > AOI_QUADTREE)
        return complain(complaint, "option engine is %d, expected an engine of this library",
                        (int)options->engine);
    const char *name = aoi_engine_name(options->engine);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const aoi_option_info *option = &options_table[i];
        bool is_given = (options->given & option->bit) != 0;
        if (is_given && !(option->takes >> options->engine & 1)) {
            char value[40];
            show_option(options, option, value, sizeof value);
            return complain(complaint,
                            "option %s is %s, expected none: it is not one of the %s engine",
                            option->name, value, name);
        }
        if (!is_given && option->needs >> options->engine & 1)
            return complain(complaint, "option %s is missing: the %s engine needs it", option->name,
                            name);
    }
    return AOI_OK;
}

/* The number of the first of these options that is given. */
static size_t first_given(const aoi_options *options, uint32_t bits) {
    size_t i = 0;
    while ((options->given & bits & options_table[i].bit) == 0)
        i++;
    return i;
}

/* Whether a grid has a map, or none. */
static aoi_status check_map(const aoi_options *options, aoi_complaint *complaint) {
    const uint32_t given = options->given;
    if (options->engine != AOI_GRID)
        return AOI_OK;
    if ((given & SIZES) && (given & SIZES) != SIZES)
        return complain(complaint, "option %s is missing: width and height go together",
                        given & AOI_GIVEN_WIDTH ? "height" : "width");
    if (!(given & SIZES) && !(given & AOI_GIVEN_RADIUS))
        return complain(complaint, "option radius is missing, or options width and height: a grid "
                                   "needs a radius or a map");
    if (!(given & SIZES) && (given & ONLY_WITH_MAP)) {
        const aoi_option_info *option = &options_table[first_given(options, ONLY_WITH_MAP)];
        char value[40];
        show_option(options, option, value, sizeof value);
        return complain(complaint,
                        "option %s is %s, expected none: a grid without width and height has no "
                        "map",
                        option->name, value);
    }
    if ((given & AOI_GIVEN_CELL) && !(options->cell > 0 && isfinite(options->cell)))
        return complain(complaint, "option cell is %.17g, expected a finite number above 0",
                        options->cell);
    if ((given & SIZES) == SIZES)
        return AOI_OK;
    if (!(given & AOI_GIVEN_CELL) && !(options->radius > 0 && isfinite(options->radius)))
        return complain(complaint,
                        "option cell is missing: a grid without a map needs it when the radius is "
                        "%.17g",
                        options->radius);
    return AOI_OK;
}

static aoi_status check_view(const aoi_options *options, aoi_complaint *complaint) {
    uint32_t given = options->given;
    if ((given & AOI_GIVEN_RADIUS) && !(options->radius >= 0))
        return complain(complaint, "option radius is %.17g, expected a number from 0 up",
                        options->radius);
    if ((given & AOI_GIVEN_SHAPE) && options->shape != AOI_SQUARE && options->shape != AOI_CIRCLE)
        return complain(complaint, "option shape is %d, expected AOI_SQUARE or AOI_CIRCLE",
                        (int)options->shape);
    if ((given & AOI_GIVEN_DIMS) && options->dims != 2 && options->dims != 3)
        return complain(complaint, "option dims is %d, expected 2 or 3", options->dims);
    if ((given & AOI_GIVEN_SLACK) && !(options->slack >= 0 && isfinite(options->slack)))
        return complain(complaint, "option slack is %.17g, expected a finite number from 0 up",
                        options->slack);
    if (options->engine != AOI_GRID || (given & AOI_GIVEN_RADIUS))
        return AOI_OK;
    if ((given & AOI_GIVEN_SLACK) && options->slack > 0)
        return complain(complaint,
                        "option slack is %.17g and needs option radius: a grid without "
                        "a radius is the classic nine-grid",
                        options->slack);
    if (given & AOI_GIVEN_SHAPE)
        return complain(complaint, "option shape needs option radius: a grid without a radius "
                                   "is the classic nine-grid");
    if ((given & AOI_GIVEN_DIMS) && options->dims == 3)
        return complain(complaint, "option dims is 3 and needs option radius: a grid without a "
                                   "radius is the classic nine-grid, which is flat");
    return AOI_OK;
}

static aoi_status check_rates(const aoi_rates *rates, aoi_complaint *complaint) {
    if (rates->count < 1 || rates->count > AOI_MOST_RATES)
        return complain(complaint, "option rates has %zu rings, expected 1 to %d", rates->count,
                        (int)AOI_MOST_RATES);
    for (size_t i = 0; i < rates->count; i++) {
        const double bound = rates->rings[i].bound;
        const int64_t period = rates->rings[i].period;
        if (!(bound >= 0) || (i > 0 && !(bound > rates->rings[i - 1].bound)))
            return complain(complaint, "option rates: the bound of ring %zu is %.17g, expected %s",
                            i + 1, bound, i == 0 ? "a number from 0 up" : "more than that before");
        if (period < 1 || (period > AOI_LONGEST_PERIOD && period != AOI_NEVER))
            return complain(complaint,
                            "option rates: the period of ring %zu is %lld, expected a whole "
                            "number from 1 to %d, or AOI_NEVER",
                            i + 1, (long long)period, AOI_LONGEST_PERIOD);
        if (i > 0 && period < rates->rings[i - 1].period)
            return complain(complaint,
                            "option rates: the period of ring %zu is %lld, expected no less than "
                            "that before",
                            i + 1, (long long)period);
    }
    if (!isinf(rates->rings[rates->count - 1].bound))
        return complain(complaint, "option rates: the last bound is %.17g, expected infinity",
                        rates->rings[rates->count - 1].bound);
    return AOI_OK;
}

enum { CROWD_DETAILS = AOI_GIVEN_LIMIT_LAYERS | AOI_GIVEN_KEEP_FACTOR };

static aoi_status check_crowd(const aoi_options *options, aoi_complaint *complaint) {
    const uint32_t given = options->given;
    const bool deferred = (given & AOI_GIVEN_DEFERRED) && options->deferred;
    if ((given & (CROWD_OPTIONS | CROWD_DETAILS)) && !deferred)
        return complain(complaint, "option %s is given and needs option deferred",
                        options_table[first_given(options, CROWD_OPTIONS | CROWD_DETAILS)].name);
    if ((given & CROWD_DETAILS) && !(given & CROWD_OPTIONS))
        return complain(
            complaint,
            "option %s is given and needs one of limit, enter_budget, rates or move_budget",
            options_table[first_given(options, CROWD_DETAILS)].name);
    if ((given & AOI_GIVEN_LIMIT) && options->limit > AOI_MOST && options->limit != AOI_UNLIMITED)
        return complain(complaint, "option limit is %lu, expected 0 to %d or AOI_UNLIMITED",
                        (unsigned long)options->limit, AOI_MOST);
    if ((given & AOI_GIVEN_KEEP_FACTOR) &&
        !(options->keep_factor >= 1 && options->keep_factor <= 1000))
        return complain(complaint, "option keep_factor is %.17g, expected a number from 1 to 1000",
                        options->keep_factor);
    if ((given & AOI_GIVEN_ENTER_BUDGET) &&
        (options->enter_budget < 1 || options->enter_budget > AOI_MOST))
        return complain(complaint,
                        "option enter_budget is %lld, expected a whole number from 1 to %d",
                        (long long)options->enter_budget, AOI_MOST);
    if ((given & AOI_GIVEN_MOVE_BUDGET) &&
        (options->move_budget < 1 || options->move_budget > AOI_MOST))
        return complain(complaint,
                        "option move_budget is %lld, expected a whole number from 1 to %d",
                        (long long)options->move_budget, AOI_MOST);
    return given & AOI_GIVEN_RATES ? check_rates(&options->rates, complaint) : AOI_OK;
}

static aoi_status apply_map(const aoi_options *options, struct map *map, aoi_complaint *complaint) {
    const double values[] = {options->x, options->y, options->width, options->height};
    for (int i = 0; i < 4; i++) {
        const aoi_option_info *option = &options_table[OPTION_X + i];
        const bool is_size = i >= OPTION_WIDTH - OPTION_X;
        bool good = isfinite(values[i]) && (!is_size || values[i] > 0);
        if ((options->given & option->bit) && !good)
            return complain(complaint, "option %s is %.17g, expected a finite number%s",
                            option->name, values[i], is_size ? " above 0" : "");
    }
    map->bounded = true;
    map->clamp = (options->given & AOI_GIVEN_CLAMP) && options->clamp;
    map->x1 = (options->given & AOI_GIVEN_X) ? options->x : 0;
    map->y1 = (options->given & AOI_GIVEN_Y) ? options->y : 0;
    map->width = options->width;
    map->height = options->height;
    map->x2 = map->x1 + map->width;
    map->y2 = map->y1 + map->height;
    if (!isfinite(map->x2) || !(map->x2 > map->x1))
        return complain(complaint, "option width is %.17g, too %s beside x = %.17g", map->width,
                        isfinite(map->x2) ? "small" : "large", map->x1);
    if (!isfinite(map->y2) || !(map->y2 > map->y1))
        return complain(complaint, "option height is %.17g, too %s beside y = %.17g", map->height,
                        isfinite(map->y2) ? "small" : "large", map->y1);
    return AOI_OK;
}

/* The size of a cell when only the radius is known: a view then spans two or three cells each way.
 */
static double cell_for(double radius) {
    return 2.1 * radius;
}

/* On a map bounded both ways, so that a small radius on a large map does not cost a million cells.
 */
static double cell_on_map(const struct map *map, double radius) {
    enum { MOST_PER_AXIS = 1024 };
    double extent = fmax(map->width, map->height);
    return fmin(fmax(cell_for(radius), extent / (double)MOST_PER_AXIS), extent);
}

static aoi_status apply_cells(const aoi_options *options, struct map *map,
                              aoi_complaint *complaint) {
    uint32_t given = options->given;
    bool has_cell = (given & AOI_GIVEN_CELL) != 0;
    bool has_cols = (given & AOI_GIVEN_COLS) != 0, has_rows = (given & AOI_GIVEN_ROWS) != 0;
    if (has_cell && (has_cols || has_rows))
        return complain(complaint,
                        "option cell is %.17g and option %s is %lld: give cell, or cols "
                        "and rows, not both",
                        options->cell, has_cols ? "cols" : "rows",
                        (long long)(has_cols ? options->cols : options->rows));
    if (has_cols != has_rows)
        return complain(complaint, "option %s is missing: cols and rows go together",
                        has_cols ? "rows" : "cols");
    if (has_cols && options->cols < 1)
        return complain(complaint, "option cols is %lld, expected a whole number from 1 up",
                        (long long)options->cols);
    if (has_cols && options->rows < 1)
        return complain(complaint, "option rows is %lld, expected a whole number from 1 up",
                        (long long)options->rows);
    if (!has_cell && !has_cols && !(given & AOI_GIVEN_RADIUS))
        return complain(complaint, "options cols and rows, or cell, are missing: the classic "
                                   "nine-grid needs them (a grid with a radius does not)");
    double cols, rows;
    if (has_cols) {
        cols = (double)options->cols;
        rows = (double)options->rows;
        map->cell_width = map->width / cols;
        map->cell_height = map->height / rows;
    } else {
        double cell = has_cell ? options->cell : cell_on_map(map, options->radius);
        cols = fmax(ceil(map->width / cell), 1);
        rows = fmax(ceil(map->height / cell), 1);
        map->cell_width = map->cell_height = cell;
    }
    if (!(cols * rows <= most_cells)) {
        if (has_cols)
            return complain(complaint,
                            "options cols and rows are %.17g and %.17g, %.0f cells in all, "
                            "expected at most %.0f",
                            cols, rows, cols * rows, most_cells);
        return complain(complaint,
                        "option cell is %.17g, which makes %.4g cells of this map, expected at "
                        "most %.0f",
                        map->cell_width, cols * rows, most_cells);
    }
    map->cols = (uint32_t)cols;
    map->rows = (uint32_t)rows;
    return AOI_OK;
}

aoi_status options_map(const aoi_options *options, struct map *map, aoi_complaint *complaint) {
    aoi_status status = apply_map(options, map, complaint);
    if (status == AOI_OK && options->engine == AOI_GRID)
        status = apply_cells(options, map, complaint);
    return status;
}

static aoi_status apply_tree(const aoi_options *options, struct aoi_space *space,
                             aoi_complaint *complaint) {
    const aoi_options usual = aoi_options_default(AOI_QUADTREE);
    uint32_t given = options->given;
    int64_t capacity = (given & AOI_GIVEN_CAPACITY) ? options->capacity : usual.capacity;
    int64_t max_depth = (given & AOI_GIVEN_MAX_DEPTH) ? options->max_depth : usual.max_depth;
    if (capacity < 1 || capacity > AOI_LARGEST_LEAF)
        return complain(complaint, "option capacity is %lld, expected a whole number from 1 to %d",
                        (long long)capacity, AOI_LARGEST_LEAF);
    if (max_depth < 0 || max_depth > AOI_DEEPEST_TREE)
        return complain(complaint, "option max_depth is %lld, expected a whole number from 0 to %d",
                        (long long)max_depth, AOI_DEEPEST_TREE);
    space->indexes.setup.leaf_capacity = (uint32_t)capacity;
    space->indexes.setup.max_depth = (uint32_t)max_depth;
    return AOI_OK;
}

aoi_status options_apply(const aoi_options *options, struct aoi_space *space,
                         aoi_complaint *complaint) {
    aoi_status status = check_which(options, complaint);
    if (status == AOI_OK)
        status = check_view(options, complaint);
    if (status == AOI_OK)
        status = check_map(options, complaint);
    if (status == AOI_OK)
        status = check_crowd(options, complaint);
    if (status != AOI_OK)
        return status;
    space->options = *options;
    const bool has_radius = (options->given & AOI_GIVEN_RADIUS) != 0;
    space->own_radii = !has_radius;
    space->default_radius = has_radius ? options->radius : 0;
    space->indexes.usual_radius = space->default_radius;
    space->listen = options->listen;
    space->collect = options->collect;
    space->deferred = (options->given & AOI_GIVEN_DEFERRED) && options->deferred;
    space->slack.limit = (options->given & AOI_GIVEN_SLACK) ? options->slack : 0;
    space->dims = (options->given & AOI_GIVEN_DIMS) ? options->dims : 2;
    bool round = (options->given & AOI_GIVEN_SHAPE) && options->shape == AOI_CIRCLE;
    if (space->dims == 3)
        space->visibility.rule = round ? SIGHT_BALL : SIGHT_CUBE;
    else
        space->visibility.rule = round ? SIGHT_CIRCLE : SIGHT_SQUARE;
    if (!(options->given & AOI_GIVEN_WIDTH)) { /* no map: it holds every finite position */
        const double cell =
            options->given & AOI_GIVEN_CELL ? options->cell : cell_for(options->radius);
        space->map = (struct map){.x1 = -DBL_MAX,
                                  .y1 = -DBL_MAX,
                                  .x2 = DBL_MAX,
                                  .y2 = DBL_MAX,
                                  .cell_width = cell,
                                  .cell_height = cell};
        return AOI_OK;
    }
    if (options->engine == AOI_GRID && !has_radius) {
        space->visibility.rule = SIGHT_CELLS;
        space->own_radii = false;
        space->indexes.usual_radius = 1; /* in cells, see sight_radius */
    }
    status = options_map(options, &space->map, complaint);
    if (status == AOI_OK && options->engine == AOI_QUADTREE)
        status = apply_tree(options, space, complaint);
    return status;
}
