/* options.c - see options.h. */
#include "options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cells cost memory whether anybody is in them or not. */
static const double most_cells = 1 << 24;

enum {
    MAP_OPTIONS = AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_CLAMP,
    CELL_OPTIONS = AOI_GIVEN_COLS | AOI_GIVEN_ROWS | AOI_GIVEN_CELL,
    VIEW_OPTIONS = AOI_GIVEN_RADIUS | AOI_GIVEN_SHAPE | AOI_GIVEN_DIMS
};

static const struct {
    uint32_t bit;
    const char *name;
} option_names[] = {
    {AOI_GIVEN_X, "x"},           {AOI_GIVEN_Y, "y"},         {AOI_GIVEN_WIDTH, "width"},
    {AOI_GIVEN_HEIGHT, "height"}, {AOI_GIVEN_COLS, "cols"},   {AOI_GIVEN_ROWS, "rows"},
    {AOI_GIVEN_CELL, "cell"},     {AOI_GIVEN_CLAMP, "clamp"},
};

static const struct {
    aoi_engine engine;
    const char *name;
    uint32_t takes, needs;
} engines[] = {
    {AOI_GRID, "grid", MAP_OPTIONS | CELL_OPTIONS | VIEW_OPTIONS,
     AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT},
    {AOI_CROSSLIST, "crosslist", VIEW_OPTIONS, 0},
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

static aoi_status check_which(const aoi_options *options, aoi_complaint *complaint) {
    int index = engine_index(options->engine);
    if (index < 0)
        return complain(complaint, "option engine is %d, expected an engine of this library",
                        (int)options->engine);
    uint32_t foreign = options->given & ~engines[index].takes;
    uint32_t missing = engines[index].needs & ~options->given;
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        if (foreign & option_names[i].bit)
            return complain(complaint, "option %s is not one of the %s engine",
                            option_names[i].name, engines[index].name);
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
    if (options->engine != AOI_GRID || (given & AOI_GIVEN_RADIUS))
        return AOI_OK;
    if (given & AOI_GIVEN_SHAPE)
        return complain(complaint, "option shape needs option radius: a grid without a radius "
                                   "is the classic nine-grid");
    if ((given & AOI_GIVEN_DIMS) && options->dims == 3)
        return complain(complaint, "option dims is 3 and needs option radius: a grid without a "
                                   "radius is the classic nine-grid, which is flat");
    return AOI_OK;
}

static aoi_status apply_map(const aoi_options *options, struct aoi_space *space,
                            aoi_complaint *complaint) {
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
    space->bounded = true;
    space->clamp = (options->given & AOI_GIVEN_CLAMP) && options->clamp;
    space->x1 = (options->given & AOI_GIVEN_X) ? options->x : 0;
    space->y1 = (options->given & AOI_GIVEN_Y) ? options->y : 0;
    space->width = options->width;
    space->height = options->height;
    space->x2 = space->x1 + space->width;
    space->y2 = space->y1 + space->height;
    if (!isfinite(space->x2) || !(space->x2 > space->x1))
        return complain(complaint, "option width is %.17g, too %s beside x = %.17g", space->width,
                        isfinite(space->x2) ? "small" : "large", space->x1);
    if (!isfinite(space->y2) || !(space->y2 > space->y1))
        return complain(complaint, "option height is %.17g, too %s beside y = %.17g",
                        space->height, isfinite(space->y2) ? "small" : "large", space->y1);
    return AOI_OK;
}

/* The size of a cell when only the radius is known: a view then spans two or three cells each
 * way. Bounded both ways, so that a small radius on a large map does not cost a million cells. */
static double cell_for_radius(const struct aoi_space *space, double radius) {
    enum { MOST_PER_AXIS = 1024 };
    double extent = fmax(space->width, space->height);
    return fmin(fmax(2.1 * radius, extent / MOST_PER_AXIS), extent);
}

static aoi_status apply_cells(const aoi_options *options, struct aoi_space *space,
                              aoi_complaint *complaint) {
    uint32_t given = options->given;
    bool has_cell = (given & AOI_GIVEN_CELL) != 0;
    bool has_cols = (given & AOI_GIVEN_COLS) != 0, has_rows = (given & AOI_GIVEN_ROWS) != 0;
    if (has_cell && (has_cols || has_rows))
        return complain(complaint, "option cell is %.17g and option %s is %lld: give cell, or cols "
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
        space->cell_width = space->width / cols;
        space->cell_height = space->height / rows;
    } else {
        double cell = has_cell ? options->cell : cell_for_radius(space, options->radius);
        cols = fmax(ceil(space->width / cell), 1);
        rows = fmax(ceil(space->height / cell), 1);
        space->cell_width = space->cell_height = cell;
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
                        space->cell_width, cols * rows, most_cells);
    }
    space->cols = (uint32_t)cols;
    space->rows = (uint32_t)rows;
    return AOI_OK;
}

aoi_status options_apply(const aoi_options *options, struct aoi_space *space,
                         aoi_complaint *complaint) {
    aoi_status status = check_which(options, complaint);
    if (status == AOI_OK)
        status = check_view(options, complaint);
    if (status != AOI_OK)
        return status;
    space->engine = options->engine;
    space->has_default_radius = (options->given & AOI_GIVEN_RADIUS) != 0;
    space->default_radius = space->has_default_radius ? options->radius : 0;
    space->usual_radius = space->default_radius;
    space->listen = options->listen;
    space->collect = options->collect;
    space->dims = (options->given & AOI_GIVEN_DIMS) ? options->dims : 2;
    bool round = (options->given & AOI_GIVEN_SHAPE) && options->shape == AOI_CIRCLE;
    if (space->dims == 3)
        space->rule = round ? SIGHT_BALL : SIGHT_CUBE;
    else
        space->rule = round ? SIGHT_CIRCLE : SIGHT_SQUARE;
    if (options->engine != AOI_GRID)
        return AOI_OK;
    if (!space->has_default_radius)
        space->rule = SIGHT_CELLS;
    status = apply_map(options, space, complaint);
    return status == AOI_OK ? apply_cells(options, space, complaint) : status;
}
