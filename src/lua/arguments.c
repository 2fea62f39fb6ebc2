/* arguments.c - reads the arguments of methods, and refuses those that are wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/values.h"

/* True when the value at index is this very string. (One with a zero byte inside is not.) */
static bool is_string(lua_State *L, int index, const char *expected) {
    size_t length;
    if (lua_type(L, index) != LUA_TSTRING)
        return false;
    const char *string = lua_tolstring(L, index, &length);
    return length == strlen(expected) && memcmp(string, expected, length) == 0;
}

/* The space at index, or NULL. Cheaper than luaL_checkudata and as safe: another module's
 * userdata has not both this size and the address of our static in front. */
static struct space_userdata *to_space(lua_State *L, int index) {
    struct space_userdata *self = lua_touserdata(L, index);
    if (self == NULL || lua_rawlen(L, index) != sizeof *self || self->tag != &space_tag)
        return NULL;
    return self;
}

static struct space_userdata *check_space(lua_State *L, const char *method) {
    struct space_userdata *self = to_space(L, 1);
    if (self != NULL)
        self->serial++;
    else
        bad_value(L, method, "self", 1, "a space (call it with a colon: space:method())");
    return self;
}

static struct space_userdata *check_open(lua_State *L, const char *method) {
    struct space_userdata *self = check_space(L, method);
    if (self->space == NULL)
        luaL_error(L, "%s: the space is closed", method);
    return self;
}

/* The integer at index; false, and 0: it is none. */
static bool read_integer(lua_State *L, int index, lua_Integer *value) {
    int is_integer = 0;
    *value = 0;
    if (lua_type(L, index) == LUA_TNUMBER) /* not a string that looks like one */
        *value = lua_tointegerx(L, index, &is_integer);
    return is_integer;
}

static aoi_id check_id(lua_State *L, int index, const char *method, const char *what) {
    lua_Integer id;
    if (!read_integer(L, index, &id))
        bad_value(L, method, what, index, "an integer");
    return id;
}

/* A whole number from 0 to `most`. */
static lua_Integer check_count(lua_State *L, int index, const char *method, const char *what,
                               lua_Integer most, const char *expected) {
    lua_Integer count;
    if (!read_integer(L, index, &count) || count < 0 || count > most)
        bad_value(L, method, what, index, expected);
    return count;
}

static double check_coordinate(lua_State *L, int index, const char *method, const char *what) {
    double value = 0;
    bool is_number = lua_type(L, index) == LUA_TNUMBER;
    if (is_number)
        value = lua_tonumber(L, index);
    if (!is_number || !isfinite(value))
        bad_value(L, method, what, index, "a finite number");
    return value;
}

/* A point from index on, with two or three coordinates of these names. */
static aoi_point check_corner(lua_State *L, int index, const char *method, const char *const *names,
                              int dims) {
    aoi_point point = {0, 0, 0};
    point.x = check_coordinate(L, index, method, names[0]);
    point.y = check_coordinate(L, index + 1, method, names[1]);
    if (dims == 3)
        point.z = check_coordinate(L, index + 2, method, names[2]);
    return point;
}

/* x, y [, z] behind the id of a method that changes something. */
static aoi_point check_position(lua_State *L, const struct attempt *attempt, int dims) {
    const aoi_point point = check_corner(L, 3, attempt->method, point_names, dims);
    if (dims == 2 && lua_type(L, 5) == LUA_TNUMBER) { /* people mean a z, or a radius */
        const char *expected = "none: the space has two dimensions";
        if (attempt->how->takes_traits)
            expected = lua_pushfstring(L, "%s (a radius goes into opts: { radius = %s })", expected,
                                       show(L, 5));
        bad_value(L, attempt->method, "z", 5, expected);
    }
    return point;
}

static void check_no_more(lua_State *L, int index, const char *method, const char *after) {
    const int last = lua_gettop(L);
    for (; index <= last; index++) {
        if (!lua_isnil(L, index))
            luaL_error(L, "%s: the argument after %s is %s, expected none", method, after,
                       show(L, index));
    }
}

static bool read_bits(lua_State *L, int index, uint32_t *bits) {
    lua_Integer value;
    const bool is_integer = read_integer(L, index, &value);
    *bits = value == -1 ? UINT32_MAX : (uint32_t)value;
    return is_integer && value >= -1 && value <= (lua_Integer)UINT32_MAX;
}

/* The ring { bound, period } at the top of the stack; false: it is none. */
static bool read_ring(lua_State *L, int number, double *bound, int64_t *period) {
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 2)
        return false;
    if (lua_rawgeti(L, -1, 1) != LUA_TNUMBER || lua_rawgeti(L, -2, 2) != LUA_TNUMBER)
        return false;
    lua_Integer integer;
    const bool is_integer = read_integer(L, -1, &integer);
    const bool is_huge = lua_tonumber(L, -1) == HUGE_VAL;
    if (!is_huge && (!is_integer || integer < 1 || integer > AOI_LONGEST_PERIOD))
        bad_value(L, "new", lua_pushfstring(L, "option rates: the period of ring %d", number), -2,
                  "a whole number from 1 to 536870912, or math.huge");
    *bound = lua_tonumber(L, -2);
    *period = is_huge ? AOI_NEVER : integer;
    return true;
}

/* Takes { { bound, period }, ... }; see take_value. */
static const char *read_rates(lua_State *L, int index, void *field) {
    static const char expected[] = "a list of { bound, period }, both numbers, as in "
                                   "{ { 20, 1 }, { math.huge, 5 } }";
    const int top = lua_gettop(L);
    aoi_rates rates = {.count = 0};
    const bool is_table = lua_istable(L, index);
    const lua_Unsigned count = is_table ? lua_rawlen(L, index) : 0;
    if (count > AOI_MOST_RATES)
        return "a list of at most 16 rings";
    if (count == 0)
        return expected;
    for (int i = 0; i < (int)count; i++) {
        lua_rawgeti(L, index, i + 1);
        const bool good = read_ring(L, i + 1, &rates.rings[i].bound, &rates.rings[i].period);
        lua_settop(L, top);
        if (!good)
            return expected;
    }
    rates.count = (size_t)count;
    memcpy(field, &rates, sizeof rates);
    return NULL;
}

/* Takes the value at index as the field of an option or a trait; returns what was expected, or NULL
 * when all is well. Strings are no numbers, whatever they look like. */
static const char *take_value(lua_State *L, int index, aoi_type type, void *field) {
    const bool is_number = lua_type(L, index) == LUA_TNUMBER;
    const bool takes_integer =
        type == AOI_INTEGER || type == AOI_DIMS || type == AOI_LIMIT || type == AOI_IMPORTANCE;
    lua_Integer value = 0;
    const bool is_integer = takes_integer && read_integer(L, index, &value);
    bool is_huge;
    double *number = field;
    int64_t *integer = field;
    uint32_t *bits = field;
    bool *truth = field;
    int *dims = field;
    aoi_shape *shape = field;
    switch (type) {
    case AOI_NUMBER: *number = lua_tonumber(L, index); return is_number ? NULL : "a number";
    case AOI_LENGTH:
        *number = is_number ? lua_tonumber(L, index) : -1;
        return *number >= 0 ? NULL : "a number from 0 up (math.huge has no bound)";
    case AOI_INTEGER: *integer = value; return is_integer ? NULL : "a whole number";
    case AOI_BOOLEAN:
        *truth = lua_toboolean(L, index) != 0;
        return lua_isboolean(L, index) ? NULL : "true or false";
    case AOI_DIMS: *dims = value == 3 ? 3 : 2; return value == *dims ? NULL : "2 or 3";
    case AOI_SHAPE:
        *shape = is_string(L, index, "circle") ? AOI_CIRCLE : AOI_SQUARE;
        return *shape == AOI_CIRCLE || is_string(L, index, "square") ? NULL
                                                                     : "\"square\" or \"circle\"";
    case AOI_MODE:
        *bits = (uint32_t)(1 + find_name(L, index, ROWS(mode_names + 1, 3)));
        return *bits != 0 ? NULL : "\"wm\", \"w\" or \"m\"";
    case AOI_BITS: return read_bits(L, index, bits) ? NULL : expected_bits;
    case AOI_LIMIT:
        is_huge = is_number && lua_tonumber(L, index) == HUGE_VAL;
        *bits = is_huge ? AOI_UNLIMITED : (uint32_t)value;
        return is_huge || (is_integer && value >= 0 && value <= AOI_MOST)
                   ? NULL
                   : "a whole number from 0 to 2147483647, or math.huge";
    case AOI_IMPORTANCE:
        *bits = (uint32_t)value;
        return is_integer && value >= 0 && value <= UINT8_MAX ? NULL
                                                              : "a whole number from 0 to 255";
    case AOI_RATES: return read_rates(L, index, field);
    }
    return "another type";
}

/* The names of the traits, and perhaps "anchor". */
static struct names trait_names(bool with_anchor) {
    static const char *const anchor = "anchor";
    struct names names = {.count = 0};
    size_t count;
    const aoi_trait_info *table = aoi_trait_table(&count);
    add_names(&names, ROWS(table, count));
    add_names(&names, ROWS(&anchor, with_anchor));
    return names;
}

/* The table of traits at index, and the anchor where one may be given (else NULL). Read raw;
 * nothing is allocated, so the table can't change meanwhile. */
static aoi_traits check_opts(lua_State *L, int index, const char *method,
                             struct given_anchor *anchor) {
    aoi_traits traits = {.given = 0};
    size_t count;
    const aoi_trait_info *table = aoi_trait_table(&count);
    const bool is_given = !lua_isnoneornil(L, index);
    if (is_given && !lua_istable(L, index)) {
        const struct names names = trait_names(anchor != NULL);
        const char *hint = "";
        if (lua_type(L, index) == LUA_TNUMBER)
            hint = lua_pushfstring(L, " (a radius: { radius = %s })", show(L, index));
        bad_value(L, method, "opts", index,
                  lua_pushfstring(L, "a table with %s%s", show_names(L, &names), hint));
    }
    check_no_more(L, index + 1, method, "opts");
    if (!is_given)
        return traits;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const int row = find_name(L, -2, ROWS(table, count));
        if (row >= 0) {
            const aoi_trait_info *trait = &table[row];
            const char *expected = take_value(L, -1, trait->type, (char *)&traits + trait->offset);
            traits.given |= trait->bit;
            if (expected != NULL)
                bad_option(L, method, trait->name, -1, expected);
        } else if (anchor != NULL && is_string(L, -2, "anchor")) {
            anchor->is_given = true;
            anchor->point = check_anchor(L, lua_gettop(L), anchor->dims, method);
        } else {
            const struct names names = trait_names(anchor != NULL);
            unknown_option(L, lua_gettop(L) - 1, method, "", &names);
        }
    }
    return traits;
}

/* Makes entry count + 1 of the table at index nil, whatever a former use has left there. */
static void end_list(lua_State *L, int index, lua_Integer count) {
    if (lua_rawgeti(L, index, count + 1) != LUA_TNIL) {
        lua_pushnil(L);
        lua_rawseti(L, index, count + 1);
    }
    lua_pop(L, 1);
}
