/* messages.c - messages of errors: values by name, and what was expected instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/values.h"

/* Pushes a number as people write it (400, not 400.0; nan, where printf may say -nan). */
static const char *show_number(lua_State *L, double number) {
    char text[40];
    if (isnan(number))
        return lua_pushliteral(L, "nan");
    snprintf(text, sizeof text, "%.14g", number);
    return lua_pushstring(L, text);
}

/* Pushes a value as an error message should show it, and returns it. */
static const char *show(lua_State *L, int index) {
    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: return lua_pushliteral(L, "nil");
    case LUA_TBOOLEAN: return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TNUMBER:
        if (lua_isinteger(L, index))
            return lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
        return show_number(L, lua_tonumber(L, index));
    case LUA_TSTRING: return lua_pushfstring(L, "the string \"%s\"", lua_tostring(L, index));
    default: return lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
}

/* Pushes the map's corners. */
static const char *show_map(lua_State *L, const aoi_map *map) {
    const char *x1 = show_number(L, map->x), *y1 = show_number(L, map->y);
    const char *x2 = show_number(L, map->x + map->width);
    const char *y2 = show_number(L, map->y + map->height);
    return lua_pushfstring(L, "(%s, %s) to (%s, %s)", x1, y1, x2, y2);
}

static int bad_value(lua_State *L, const char *method, const char *what, int index,
                     const char *expected) {
    return luaL_error(L, "%s: %s is %s, expected %s", method, what, show(L, index), expected);
}

static int bad_option(lua_State *L, const char *method, const char *name, int index,
                      const char *expected) {
    char what[40];
    snprintf(what, sizeof what, "option %s", name);
    return bad_value(L, method, what, index, expected);
}

/* ---- names ---- */

static const char *name_in(struct rows rows, size_t row) {
    return *(const char *const *)((const char *)rows.first + row * rows.size);
}

static int find_name(lua_State *L, int index, struct rows rows) {
    size_t length;
    if (lua_type(L, index) != LUA_TSTRING)
        return -1;
    const char *name = lua_tolstring(L, index, &length);
    for (size_t row = 0; row < rows.count; row++) {
        if (strcmp(name, name_in(rows, row)) == 0 && strlen(name) == length)
            return (int)row;
    }
    return -1;
}

static void add_names(struct names *names, struct rows rows) {
    const int most = (int)(sizeof names->list / sizeof *names->list);
    for (size_t row = 0; row < rows.count && names->count < most; row++)
        names->list[names->count++] = name_in(rows, row);
}

/* How many letters have to be changed, added, taken out or swapped with their neighbour to make one
 * name of the other; more than MOST_SLIPS when one of them is longer than any name. */
enum { MOST_SLIPS = 2, LONGEST_NAME = 15 };

static int min_int(int a, int b) {
    return a < b ? a : b;
}

static int slips_between(const char *a, const char *b) {
    int slips[LONGEST_NAME + 1][LONGEST_NAME + 1];
    if (strlen(a) > LONGEST_NAME || strlen(b) > LONGEST_NAME)
        return MOST_SLIPS + 1;
    const int length_a = (int)strlen(a), length_b = (int)strlen(b);
    for (int i = 0; i <= length_a; i++) {
        for (int k = 0; k <= length_b; k++) {
            if (i == 0 || k == 0) {
                slips[i][k] = i + k;
                continue;
            }
            int least = slips[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            least = min_int(least, min_int(slips[i - 1][k], slips[i][k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                least = min_int(least, slips[i - 2][k - 2] + 1);
            slips[i][k] = least;
        }
    }
    return slips[length_a][length_b];
}

/* The known name that this one was perhaps meant as, or NULL. Half of a name is no slip. */
static const char *nearest_name(const char *name, const struct names *known) {
    const char *nearest = NULL;
    int least = MOST_SLIPS + 1;
    for (int i = 0; i < known->count; i++) {
        int slips = slips_between(name, known->list[i]);
        if (slips < least && 2 * slips < (int)strlen(known->list[i])) {
            least = slips;
            nearest = known->list[i];
        }
    }
    return nearest;
}

/* Pushes "a, b or c". */
static const char *show_names(lua_State *L, const struct names *names) {
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int i = 0; i < names->count; i++) {
        if (i > 0)
            luaL_addstring(&text, i == names->count - 1 ? " or " : ", ");
        luaL_addstring(&text, names->list[i]);
    }
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

/* Complains of the key at this index and the value above it. whose: before the known names. */
static int unknown_option(lua_State *L, int key, const char *method, const char *whose,
                          const struct names *known) {
    bool is_name = lua_type(L, key) == LUA_TSTRING;
    /* Not luaL_tolstring: that would run a metamethod of the key's. */
    const char *name = is_name ? lua_tostring(L, key) : show(L, key);
    const char *nearest = is_name ? nearest_name(name, known) : NULL;
    const char *hint = nearest == NULL ? "" : lua_pushfstring(L, " (did you mean %s?)", nearest);
    return luaL_error(L, "%s: option %s = %s is unknown%s, expected %s%s", method, name,
                      show(L, key + 1), hint, whose, show_names(L, known));
}

static int check_name(lua_State *L, const char *method, struct rows rows) {
    const int row = find_name(L, -2, rows);
    if (row < 0) {
        struct names names = {.count = 0};
        add_names(&names, rows);
        unknown_option(L, lua_gettop(L) - 1, method, "", &names);
    }
    return row;
}
