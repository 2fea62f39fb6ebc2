/* areas.c - the methods that make and change areas. */
#include <math.h>
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/values.h"

/* ------------------------------------------------------------------ */
/* The table of options of an area                                     */
/* ------------------------------------------------------------------ */

/* Each option, what it takes, and the field of aoi_area that it fills. */
#define AREA_OPTIONS(option)                                                                       \
    option(shape, TAKES_SHAPE, shape) option(radius, TAKES_LENGTH, radius)                         \
        option(leave_radius, TAKES_LENGTH, leave_radius) option(width, TAKES_LENGTH, width)        \
            option(height, TAKES_LENGTH, height) option(points, TAKES_POINTS, rings)               \
                option(x, TAKES_COORDINATE, x) option(y, TAKES_COORDINATE, y)                      \
                    option(z, TAKES_COORDINATE, z) option(owner, TAKES_ID, owner)                  \
                        option(dx, TAKES_COORDINATE, dx) option(dy, TAKES_COORDINATE, dy)          \
                            option(dz, TAKES_COORDINATE, dz)                                       \
                                option(sees_layers, TAKES_BITS, sees_layers)

enum area_option {
#define NUMBER(name, takes, field) NUMBER_##name,
    AREA_OPTIONS(NUMBER)
#undef NUMBER
        AREA_OPTIONS_END
};

/* The bits of those that are given. */
enum {
#define BIT(name, takes, field) GIVEN_##name = 1 << NUMBER_##name,
    AREA_OPTIONS(BIT)
#undef BIT
        OF_ROUND = GIVEN_shape | GIVEN_radius | GIVEN_leave_radius,
    OF_RECT = GIVEN_shape | GIVEN_width | GIVEN_height,
    OF_POLYGON = GIVEN_shape | GIVEN_points,
    OF_SHAPES = OF_ROUND | OF_RECT | OF_POLYGON,
    OF_PLACE = GIVEN_x | GIVEN_y | GIVEN_z,
    OF_OWNER = GIVEN_owner | GIVEN_dx | GIVEN_dy | GIVEN_dz
};

enum area_value { TAKES_SHAPE, TAKES_LENGTH, TAKES_POINTS, TAKES_COORDINATE, TAKES_ID, TAKES_BITS };

static const struct area_option_info {
    const char *name;
    enum area_value takes;
    size_t offset; /* of the field */
} area_options[AREA_OPTIONS_END] = {
#define INFO(name, takes, field) {#name, takes, offsetof(aoi_area, field)},
    AREA_OPTIONS(INFO)
#undef INFO
};

static const char expected_shape[] = "\"circle\", \"square\", \"rect\" or \"polygon\"";

static const char *const shape_names[] = {[AOI_AREA_CIRCLE] = "circle",
                                          [AOI_AREA_SQUARE] = "square",
                                          [AOI_AREA_RECT] = "rect",
                                          [AOI_AREA_POLYGON] = "polygon"};

/* Takes the value at index as a field of the area; returns what was expected, or NULL. */
static const char *take_area_value(lua_State *L, int index, enum area_value takes, void *field) {
    const bool is_number = lua_type(L, index) == LUA_TNUMBER;
    double *number = field;
    aoi_area_shape *shape = field;
    aoi_id *id = field;
    lua_Integer integer;
    switch (takes) {
    case TAKES_SHAPE:
        *shape = (aoi_area_shape)(1 + find_name(L, index, ROWS(shape_names + 1, AOI_AREA_POLYGON)));
        return *shape != 0 ? NULL : expected_shape;
    case TAKES_LENGTH:
        *number = is_number ? lua_tonumber(L, index) : -1;
        return *number >= 0 ? NULL : "a number from 0 up";
    case TAKES_COORDINATE:
        *number = is_number ? lua_tonumber(L, index) : HUGE_VAL;
        return isfinite(*number) ? NULL : "a finite number";
    case TAKES_ID:
        if (!read_integer(L, index, &integer))
            return "an integer";
        *id = integer;
        return NULL;
    case TAKES_BITS: return take_value(L, index, AOI_BITS, field);
    case TAKES_POINTS: break; /* read before: see push_points */
    }
    return NULL;
}

/* Complains unless all options of `needed` are given. The first missing one is nil. */
static void check_needed(lua_State *L, const char *method, unsigned given, unsigned needed) {
    for (int i = 0; i < AREA_OPTIONS_END; i++) {
        if (!(needed & ~given & 1U << i))
            continue;
        static const char *const expected[] = {[TAKES_SHAPE] = expected_shape,
                                               [TAKES_LENGTH] = "a number from 0 up",
                                               [TAKES_POINTS] = "a list of numbers",
                                               [TAKES_COORDINATE] = "a finite number",
                                               [TAKES_ID] = "an integer",
                                               [TAKES_BITS] = "an integer"};
        lua_settop(L, 3);
        lua_pushnil(L);
        bad_option(L, method, area_options[i].name, 4, expected[area_options[i].takes]);
    }
}

/* Complains of the first option of `given` that is in `unwanted`. */
static void check_unwanted(lua_State *L, const char *method, unsigned given, unsigned unwanted,
                           const char *expected) {
    for (int i = 0; i < AREA_OPTIONS_END; i++) {
        if (!(given & unwanted & 1U << i))
            continue;
        lua_pushstring(L, area_options[i].name);
        lua_rawget(L, 3);
        bad_option(L, method, area_options[i].name, -1, expected);
    }
}

/* That the options about the shape fit each other. */
static void check_shape(lua_State *L, const char *method, unsigned given, aoi_area *area) {
    if (!(given & GIVEN_shape))
        area->shape = AOI_AREA_CIRCLE;
    area->given |= AOI_AREA_GIVEN_SHAPE;
    if (area->shape == AOI_AREA_POLYGON) {
        check_unwanted(L, method, given, OF_SHAPES & ~OF_POLYGON, "none for a polygon");
        check_unwanted(L, method, given, OF_PLACE | OF_OWNER,
                       "none for a polygon: its points say where it is");
        check_needed(L, method, given, GIVEN_points);
    } else if (area->shape == AOI_AREA_RECT) {
        check_unwanted(L, method, given, OF_SHAPES & ~OF_RECT, "none for a rect");
        check_needed(L, method, given, GIVEN_width | GIVEN_height);
    } else {
        check_unwanted(L, method, given, OF_SHAPES & ~OF_ROUND,
                       given & GIVEN_shape ? "none for a circle or a square"
                                           : "none for a circle, the shape if none is named");
        check_needed(L, method, given, GIVEN_radius);
        if (given & GIVEN_leave_radius) {
            area->given |= AOI_AREA_GIVEN_LEAVE_RADIUS;
            if (area->leave_radius < area->radius)
                check_unwanted(L, method, given, GIVEN_leave_radius,
                               lua_pushfstring(L, "a number from the radius, %s, up",
                                               show_number(L, area->radius)));
        }
    }
}

/* That the options about the place fit each other. */
static void check_placement(lua_State *L, const char *method, unsigned given, int dims,
                            aoi_area *area) {
    if (dims == 2)
        check_unwanted(L, method, given, GIVEN_z | GIVEN_dz, "none: the space has two dimensions");
    if (given & GIVEN_owner) {
        check_unwanted(L, method, given, OF_PLACE,
                       "none beside an owner (dx and dy go from there)");
        area->given |= AOI_AREA_GIVEN_OWNER;
    } else {
        check_unwanted(L, method, given, OF_OWNER, "none without an owner");
        check_needed(L, method, given, GIVEN_x | GIVEN_y | (dims == 3 ? GIVEN_z : 0U));
        area->given |= AOI_AREA_GIVEN_PLACE;
    }
}

/* The table of options at index 3. Read raw; nothing is allocated but for errors, so the table
 * can't change meanwhile. is_new: shape and placement must be there. */
static aoi_area check_area(lua_State *L, const struct space_userdata *self,
                           const struct attempt *attempt, bool is_new) {
    const char *method = attempt->method;
    aoi_area area = {.struct_size = sizeof area};
    const int dims = aoi_dims(self->space);
    unsigned given = 0;
    for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1)) {
        const int row = check_name(L, method, ROWS(area_options, AREA_OPTIONS_END));
        const struct area_option_info *option = &area_options[row];
        const char *expected =
            take_area_value(L, -1, option->takes, (char *)&area + option->offset);
        if (expected != NULL)
            bad_option(L, method, option->name, -1, expected);
        given |= 1U << row;
    }
    if ((given & GIVEN_points) != 0 && attempt->corners == NULL)
        luaL_error(L, "%s: points has changed meanwhile", method);
    if (is_new || (given & OF_SHAPES))
        check_shape(L, method, given, &area);
    const bool is_polygon = (area.given & AOI_AREA_GIVEN_SHAPE) && area.shape == AOI_AREA_POLYGON;
    if ((is_new && !is_polygon) || (given & (OF_PLACE | OF_OWNER)))
        check_placement(L, method, given, dims, &area);
    if (is_polygon && attempt->corners != NULL) {
        area.rings = attempt->corners->ring;
        area.ring_count = attempt->corners->rings;
    }
    if (given & GIVEN_sees_layers)
        area.given |= AOI_AREA_GIVEN_SEES_LAYERS;
    return area;
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

/* space:add_area(area, opts), space:set_area(area, opts), space:update_area(area, opts). The result
 * of the last: true if it added. */
static aoi_status try_describe(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const enum change_kind kind = attempt->how->core.change;
    bool is_new =
        kind == CHANGE_ENTER || (kind == CHANGE_UPDATE && !aoi_has_area(self->space, attempt->id));
    const aoi_area area = check_area(L, self, attempt, is_new);
    attempt->owner = area.owner;
    aoi_complaint complaint;
    aoi_status status;
    if (kind == CHANGE_ENTER)
        status = aoi_add_area(self->space, attempt->id, &area, &complaint);
    else if (kind == CHANGE_MOVE)
        status = aoi_set_area(self->space, attempt->id, &area, &complaint);
    else
        status = aoi_update_area(self->space, attempt->id, &area, &is_new, &complaint);
    attempt->has_result = kind == CHANGE_UPDATE;
    complain_in_words(L, attempt, status, &complaint);
    if (kind == CHANGE_UPDATE)
        lua_pushboolean(L, is_new);
    return status;
}

/* Checks that the arguments are an area and a table, and reads the option points, onto index 4. */
static void prepare_area(lua_State *L, struct attempt *attempt) {
    check_open(L, attempt->method);
    check_id(L, 2, attempt->method, "area");
    if (lua_gettop(L) < 3)
        lua_settop(L, 3);
    if (!lua_istable(L, 3)) {
        struct names names = {.count = 0};
        add_names(&names, ROWS(area_options, AREA_OPTIONS_END));
        bad_value(L, attempt->method, "opts", 3,
                  lua_pushfstring(L, "a table with %s", show_names(L, &names)));
    }
    check_no_more(L, 4, attempt->method, "opts");
    lua_settop(L, 3);
    lua_pushnil(L);
    while (lua_next(L, 3)) { /* not by a key that is pushed: a finalizer could run */
        if (is_string(L, 4, "points")) {
            attempt->corners = push_corners(L, 5, attempt->method);
            lua_replace(L, 4);
            break;
        }
        lua_pop(L, 1);
    }
    lua_settop(L, 4);
}
