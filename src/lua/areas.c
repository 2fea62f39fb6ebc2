/* areas.c - the methods about areas: that make and change them, and that ask about them. */
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

/* The shape that the string at index names, or 0. */
static aoi_area_shape shape_from_name(lua_State *L, int index) {
    static const char *const names[] = {[AOI_AREA_CIRCLE] = "circle",
                                        [AOI_AREA_SQUARE] = "square",
                                        [AOI_AREA_RECT] = "rect",
                                        [AOI_AREA_POLYGON] = "polygon"};
    for (int shape = AOI_AREA_CIRCLE; shape <= AOI_AREA_POLYGON; shape++) {
        if (is_string(L, index, names[shape]))
            return (aoi_area_shape)shape;
    }
    return (aoi_area_shape)0;
}

/* Takes the value at index as a field of the area; returns what was expected, or NULL. */
static const char *take_area_value(lua_State *L, int index, enum area_value takes, void *field) {
    const bool is_number = lua_type(L, index) == LUA_TNUMBER;
    double *number = field;
    aoi_area_shape *shape = field;
    aoi_id *id = field;
    int is_integer = 0;
    switch (takes) {
    case TAKES_SHAPE:
        *shape = shape_from_name(L, index);
        return *shape != 0 ? NULL : expected_shape;
    case TAKES_LENGTH:
        *number = is_number ? lua_tonumber(L, index) : -1;
        return *number >= 0 ? NULL : "a number from 0 up";
    case TAKES_COORDINATE:
        *number = is_number ? lua_tonumber(L, index) : HUGE_VAL;
        return isfinite(*number) ? NULL : "a finite number";
    case TAKES_ID:
        *id = is_number ? lua_tointegerx(L, index, &is_integer) : 0;
        return is_integer ? NULL : "an integer";
    case TAKES_BITS: return take_value(L, index, AOI_BITS, field);
    case TAKES_POINTS: break; /* read before: see push_points */
    }
    return NULL;
}

static int complain_of_area_option(lua_State *L, int index, const char *method, int option,
                                   const char *expected) {
    char what[40];
    snprintf(what, sizeof what, "option %s", area_options[option].name);
    return bad_value(L, method, what, index, expected);
}

/* Takes the option whose name and value are on top of the stack; returns its bit. */
static unsigned take_area_option(lua_State *L, const char *method, aoi_area *area) {
    for (int i = 0; i < AREA_OPTIONS_END; i++) {
        const struct area_option_info *option = &area_options[i];
        if (!is_string(L, -2, option->name))
            continue;
        const char *expected = take_area_value(L, -1, option->takes, (char *)area + option->offset);
        if (expected != NULL)
            complain_of_area_option(L, lua_gettop(L), method, i, expected);
        return 1U << i;
    }
    struct names names = {.count = 0};
    for (int i = 0; i < AREA_OPTIONS_END; i++)
        add_name(&names, area_options[i].name);
    unknown_option(L, lua_gettop(L) - 1, method, "", &names);
    return 0;
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
        complain_of_area_option(L, 4, method, i, expected[area_options[i].takes]);
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
        complain_of_area_option(L, lua_gettop(L), method, i, expected);
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
    lua_pushnil(L);
    while (lua_next(L, 3)) {
        given |= take_area_option(L, method, &area);
        lua_pop(L, 1);
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

typedef aoi_status (*area_function)(aoi_space *space, aoi_id area, const aoi_area *description,
                                    aoi_complaint *complaint);

static aoi_status try_describe(lua_State *L, struct space_userdata *self, struct attempt *attempt,
                               area_function function) {
    attempt->area = check_id(L, 2, attempt->method, "area");
    const aoi_area area = check_area(L, self, attempt, function == aoi_add_area);
    attempt->owner = area.owner;
    aoi_complaint complaint;
    const aoi_status status = function(self->space, attempt->area, &area, &complaint);
    if (status == AOI_INVALID)
        luaL_error(L, "%s: %s", attempt->method, complaint.text);
    return status;
}

static aoi_status try_add_area(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    return try_describe(L, self, attempt, aoi_add_area);
}

static aoi_status try_set_area(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    return try_describe(L, self, attempt, aoi_set_area);
}

/* Checks that the arguments are an area and a table, and reads the option points, onto index 4. */
static void prepare_area(lua_State *L, struct attempt *attempt) {
    check_open(L, attempt->method);
    check_id(L, 2, attempt->method, "area");
    if (lua_gettop(L) < 3)
        lua_settop(L, 3);
    if (!lua_istable(L, 3)) {
        struct names names = {.count = 0};
        for (int i = 0; i < AREA_OPTIONS_END; i++)
            add_name(&names, area_options[i].name);
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

/* space:add_area(area, opts) */
static int space_add_area(lua_State *L) {
    struct attempt attempt = {.method = "add_area", .is_of_area = true};
    prepare_area(L, &attempt);
    return finish_change(L, call_core(L, &attempt, try_add_area), false);
}

/* space:set_area(area, opts) */
static int space_set_area(lua_State *L) {
    struct attempt attempt = {.method = "set_area", .is_of_area = true};
    prepare_area(L, &attempt);
    return finish_change(L, call_core(L, &attempt, try_set_area), false);
}

static aoi_status try_move_area(lua_State *L, struct space_userdata *self,
                                struct attempt *attempt) {
    int next;
    attempt->area = check_id(L, 2, attempt->method, "area");
    attempt->position = check_point(L, self, 3, attempt->method, false, &next);
    if (lua_gettop(L) >= next)
        check_no_more(L, next, attempt->method, "the position");
    return aoi_move_area(self->space, attempt->area, attempt->position);
}

/* space:move_area(area, x, y [, z]) */
static int space_move_area(lua_State *L) {
    struct attempt attempt = {.method = "move_area", .is_of_area = true};
    return finish_change(L, call_core(L, &attempt, try_move_area), false);
}

static aoi_status try_remove_area(lua_State *L, struct space_userdata *self,
                                  struct attempt *attempt) {
    attempt->area = check_id(L, 2, attempt->method, "area");
    check_no_more(L, 3, attempt->method, "area");
    return aoi_remove_area(self->space, attempt->area);
}

/* space:remove_area(area) */
static int space_remove_area(lua_State *L) {
    struct attempt attempt = {.method = "remove_area", .is_of_area = true};
    return finish_change(L, call_core(L, &attempt, try_remove_area), false);
}

/* ------------------------------------------------------------------ */
/* Questions                                                           */
/* ------------------------------------------------------------------ */

static aoi_status ask_members_of(lua_State *L, struct space_userdata *self,
                                 struct attempt *attempt) {
    attempt->area = check_id(L, 2, attempt->method, "area");
    return aoi_members_of(self->space, attempt->area, &attempt->list);
}

/* space:members_of(area [, t]) -> t, n */
static int space_members_of(lua_State *L) {
    struct attempt attempt = {.method = "members_of", .is_of_area = true};
    return push_list(L, 3, 3, &attempt, ask_members_of);
}

static aoi_status ask_areas_of(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_areas_of(self->space, attempt->id, &attempt->list);
}

/* space:areas_of(id [, t]) -> t, n */
static int space_areas_of(lua_State *L) {
    struct attempt attempt = {.method = "areas_of"};
    return push_list(L, 3, 3, &attempt, ask_areas_of);
}

static aoi_status ask_areas(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    (void)L;
    (void)attempt;
    return aoi_areas(self->space, &attempt->list);
}

/* space:areas([t]) -> t, n */
static int space_areas(lua_State *L) {
    struct attempt attempt = {.method = "areas"};
    return push_list(L, 2, 2, &attempt, ask_areas);
}

/* space:in_area(area, id) -> boolean */
static int space_in_area(lua_State *L) {
    const struct space_userdata *self = check_open(L, "in_area");
    const aoi_id area = check_id(L, 2, "in_area", "area"), id = check_id(L, 3, "in_area", "id");
    lua_pushboolean(L, aoi_in_area(self->space, area, id));
    return 1;
}
