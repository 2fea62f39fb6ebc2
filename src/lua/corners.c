/* corners.c - reads the corners of a polygon from a table: for query_polygon and the areas. */
#include <stdio.h>

#include "lua/values.h"

/* How many corners the ring at the top of the stack has. number: from 1; 0: it is the only one. */
static size_t count_corners(lua_State *L, const char *method, lua_Integer number) {
    const size_t length = (size_t)lua_rawlen(L, -1);
    const char *what =
        number == 0 ? "points" : lua_pushfstring(L, "points[%I]", (LUAI_UACINT)number);
    if (length % 2 != 0)
        luaL_error(L, "%s: %s has %I numbers, expected x and y of each corner", method, what,
                   (LUAI_UACINT)length);
    if (number != 0)
        lua_pop(L, 1);
    return length / 2;
}

/* Takes the corners of the ring at the top of the stack. Nothing here runs Lua code. */
static void take_ring(lua_State *L, const char *method, lua_Integer number,
                      struct corners *corners) {
    aoi_ring *ring = &corners->ring[corners->rings++];
    double *coordinates = corners->coordinates + 2 * corners->filled;
    *ring = (aoi_ring){coordinates, (size_t)lua_rawlen(L, -1) / 2};
    corners->filled += ring->count;
    for (size_t i = 0; i < 2 * ring->count; i++) {
        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TNUMBER) {
            char what[60];
            if (number == 0)
                snprintf(what, sizeof what, "points[%zu]", i + 1);
            else
                snprintf(what, sizeof what, "points[%lld][%zu]", (long long)number, i + 1);
            bad_value(L, method, what, lua_gettop(L), "a number");
        }
        coordinates[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

/* Pushes the corners of the table at index: one ring { x1, y1, ... }, or a list of rings. Making
 * room for them may run a finalizer. */
static struct corners *push_corners(lua_State *L, int index, const char *method) {
    if (!lua_istable(L, index))
        bad_value(L, method, "points", index, "a list of numbers, or of such lists");
    const lua_Integer length = (lua_Integer)lua_rawlen(L, index);
    const int top = lua_gettop(L);
    const bool has_rings = length > 0 && lua_rawgeti(L, index, 1) == LUA_TTABLE;
    lua_settop(L, top);
    size_t all = 0, rings = has_rings ? (size_t)length : 1;
    for (lua_Integer ring = 1; ring <= (lua_Integer)rings; ring++) {
        if (!has_rings)
            lua_pushvalue(L, index);
        else if (lua_rawgeti(L, index, ring) != LUA_TTABLE)
            bad_value(L, method, lua_pushfstring(L, "points[%I]", (LUAI_UACINT)ring), top + 1,
                      "a list of numbers");
        all += count_corners(L, method, has_rings ? ring : 0);
        lua_pop(L, 1);
    }
    const size_t head = sizeof(struct corners) + rings * sizeof(aoi_ring);
    struct corners *corners = lua_newuserdata(L, head + 2 * all * sizeof(double));
    void *behind = (char *)corners + head;
    *corners = (struct corners){.coordinates = behind};
    for (lua_Integer ring = 1; ring <= (lua_Integer)rings; ring++) {
        if (has_rings)
            lua_rawgeti(L, index, ring);
        else
            lua_pushvalue(L, index);
        /* A finalizer may have changed the table while room was made. */
        if (!lua_istable(L, -1) || lua_rawlen(L, -1) / 2 > all - corners->filled)
            luaL_error(L, "%s: points has changed meanwhile", method);
        take_ring(L, method, has_rings ? ring : 0, corners);
        lua_pop(L, 1);
    }
    return corners;
}
