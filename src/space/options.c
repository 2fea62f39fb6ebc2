/* options.c - see options.h. */
#include "space/options.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double most_cells = AOI_MOST_CELLS;

enum {
    MAP_OPTIONS = AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_CLAMP,
    CELL_OPTIONS = AOI_GIVEN_COLS | AOI_GIVEN_ROWS | AOI_GIVEN_CELL,
    TREE_OPTIONS = AOI_GIVEN_CAPACITY | AOI_GIVEN_MAX_DEPTH | AOI_GIVEN_DEPTH,
    VIEW_OPTIONS =
        AOI_GIVEN_RADIUS | AOI_GIVEN_SHAPE | AOI_GIVEN_DIMS | AOI_GIVEN_DEFERRED | AOI_GIVEN_SLACK
};

/* Options that not all engines take. */
static const struct {
    uint32_t bit;
    const char *name;
    enum { NUMBER, INTEGER, BOOLEAN } type;
    size_t offset;
} option_names[] = {
    {AOI_GIVEN_X, "x", NUMBER, offsetof(aoi_options, x)},
    {AOI_GIVEN_Y, "y", NUMBER, offsetof(aoi_options, y)},
    {AOI_GIVEN_WIDTH, "width", NUMBER, offsetof(aoi_options, width)},
    {AOI_GIVEN_HEIGHT, "height", NUMBER, offsetof(aoi_options, height)},
    {AOI_GIVEN_COLS, "cols", INTEGER, offsetof(aoi_options, cols)},
    {AOI_GIVEN_ROWS, "rows", INTEGER, offsetof(aoi_options, rows)},
    {AOI_GIVEN_CELL, "cell", NUMBER, offsetof(aoi_options, cell)},
    {AOI_GIVEN_CLAMP, "clamp", BOOLEAN, offsetof(aoi_options, clamp)},
    {AOI_GIVEN_CAPACITY, "capacity", INTEGER, offsetof(aoi_options, capacity)},
    {AOI_GIVEN_MAX_DEPTH, "max_depth", INTEGER, offsetof(aoi_options, max_depth)},
    {AOI_GIVEN_DEPTH, "depth", INTEGER, offsetof(aoi_options, depth)},
};

static const struct {
    aoi_engine engine;
    const char *name;
    uint32_t takes, needs;
} engines[] = {
    {AOI_GRID, "grid", MAP_OPTIONS | CELL_OPTIONS | VIEW_OPTIONS,
     AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT},
    {AOI_CROSSLIST, "crosslist", VIEW_OPTIONS, 0},
    {AOI_QUADTREE, "quadtree", MAP_OPTIONS | TREE_OPTIONS | VIEW_OPTIONS,
     AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT},
};

enum { ENGINES = sizeof engines / sizeof *engines };

aoi_engine aoi_engine_from_name(const char *name) {
    for (int i = 0; i < ENGINES; i++) {
        if (strcmp(engines[i].name, name) == 0)
            return engines[i].engine;
    }
    return (aoi_engine)0;
}

static int engine_index(aoi_engine engine) {
    for (int i = 0; i < ENGINES; i++) {
        if (engines[i].engine == engine)
            return i;
    }
    return -1;
}

const char *aoi_engine_name(aoi_engine engine) {
    int index = engine_index(engine);
    return index < 0 ? "unknown" : engines[index].name;
}

aoi_options aoi_options_default(aoi_engine engine) {
    aoi_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.engine = engine;
    options.shape = AOI_SQUARE;
    options.dims = 2;
    options.listen = AOI_ENTER | AOI_LEAVE | AOI_MOVE;
    options.capacity = 64;
    options.max_depth = 20;
    return options;
}

static aoi_status complain(aoi_complaint *complaint, const char *format, ...) {
    if (complaint != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
        va_end(arguments);
    }
    return AOI_INVALID;
}

/* Writes the value of the option of this number as text. */
static void show_option(const aoi_options *options, size_t number, char *text, size_t size) {
    const char *field = (const char *)options + option_names[number].offset;
    double value;
    int64_t integer;
    bool truth;
    switch (option_names[number].type) {
    case NUMBER:
        memcpy(&value, field, sizeof value);
        snprintf(text, size, "%.17g", value);
        break;
    case INTEGER:
        memcpy(&integer, field, sizeof integer);
        snprintf(text, size, "%lld", (long long)integer);
        break;
    case BOOLEAN:
        memcpy(&truth, field, sizeof truth);
        snprintf(text, size, "%s", truth ? "true" : "false");
        break;
    }
}

static aoi_status check_which(const aoi_options *options, aoi_complaint *complaint) {
    int index = engine_index(options->engine);
    if (index < 0)
        return complain(complaint, "option engine is %d, expected an engine of this library",
                        (int)options->engine);
    uint32_t foreign = options->given & ~engines[index].takes;
    uint32_t missing = engines[index].needs & ~options->given;
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        if (foreign & option_names[i].bit) {
            char value[40];
            show_option(options, i, value, sizeof value);
            return complain(complaint,
                            "option %s is %s, expected none: it is not one of the %s "
                            "engine",
                            option_names[i].name, value, engines[index].name);
        }
        if (missing & option_names[i].bit)
            return complain(complaint, "option %s is missing: the %s engine needs it",
                            option_names[i].name, engines[index].name);
    }
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

static aoi_status apply_map(const aoi_options *options, struct map *map, aoi_complaint *complaint) {
    const double values[] = {options->x, options->y, options->width, options->height};
    static const struct {
        uint32_t bit;
        const char *name;
        bool positive;
    } fields[] = {{AOI_GIVEN_X, "x", false},
                  {AOI_GIVEN_Y, "y", false},
                  {AOI_GIVEN_WIDTH, "width", true},
                  {AOI_GIVEN_HEIGHT, "height", true}};
    for (int i = 0; i < 4; i++) {
        bool good = isfinite(values[i]) && (!fields[i].positive || values[i] > 0);
        if ((options->given & fields[i].bit) && !good)
            return complain(complaint, "option %s is %.17g, expected a finite number%s",
                            fields[i].name, values[i], fields[i].positive ? " above 0" : "");
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

/* The size of a cell when only the radius is known: a view then spans two or three cells each
 * way. Bounded both ways, so that a small radius on a large map does not cost a million cells. */
static double cell_for_radius(const struct map *map, double radius) {
    enum { MOST_PER_AXIS = 1024 };
    double extent = fmax(map->width, map->height);
    return fmin(fmax(2.1 * radius, extent / MOST_PER_AXIS), extent);
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
    if (has_cell && !(options->cell > 0 && isfinite(options->cell)))
        return complain(complaint, "option cell is %.17g, expected a finite number above 0",
                        options->cell);
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
        double cell = has_cell ? options->cell : cell_for_radius(map, options->radius);
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
    int64_t depth = (given & AOI_GIVEN_DEPTH) ? options->depth : usual.depth;
    int64_t deepest = max_depth < AOI_DEEPEST_FIXED_TREE ? max_depth : AOI_DEEPEST_FIXED_TREE;
    if (capacity < 1 || capacity > AOI_LARGEST_LEAF)
        return complain(complaint, "option capacity is %lld, expected a whole number from 1 to %d",
                        (long long)capacity, AOI_LARGEST_LEAF);
    if (max_depth < 0 || max_depth > AOI_DEEPEST_TREE)
        return complain(complaint, "option max_depth is %lld, expected a whole number from 0 to %d",
                        (long long)max_depth, AOI_DEEPEST_TREE);
    if (depth < 0 || depth > deepest)
        return complain(complaint, "option depth is %lld, expected a whole number from 0 to %lld",
                        (long long)depth, (long long)deepest);
    space->indexes.setup.leaf_capacity = (uint32_t)capacity;
    space->indexes.setup.max_depth = (uint32_t)max_depth;
    space->indexes.setup.fixed_depth = (uint32_t)depth;
    return AOI_OK;
}

aoi_status options_apply(const aoi_options *options, struct aoi_space *space,
                         aoi_complaint *complaint) {
    aoi_status status = check_which(options, complaint);
    if (status == AOI_OK)
        status = check_view(options, complaint);
    if (status != AOI_OK)
        return status;
    space->options = *options;
    space->has_default_radius = (options->given & AOI_GIVEN_RADIUS) != 0;
    space->default_radius = space->has_default_radius ? options->radius : 0;
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
    if (options->engine == AOI_CROSSLIST) { /* its map holds every finite position */
        space->map = (struct map){.x1 = -DBL_MAX, .y1 = -DBL_MAX, .x2 = DBL_MAX, .y2 = DBL_MAX};
        return AOI_OK;
    }
    if (options->engine == AOI_GRID && !space->has_default_radius)
        space->visibility.rule = SIGHT_CELLS;
    status = options_map(options, &space->map, complaint);
    if (status == AOI_OK && options->engine == AOI_QUADTREE)
        status = apply_tree(options, space, complaint);
    return status;
}
