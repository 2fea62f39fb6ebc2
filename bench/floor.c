/*
 * floor.c - the cost of Lua itself: the module bench.floor.
 *
 * The floors that the benchmark compares with. No entity, no space: only the
 * crossings of the border between Lua and C that every move has to pay.
 */
#include <lauxlib.h>
#include <lua.h>

#define TYPE_NAME "bench.floor"

/* userdata:move(id, x, y): checks its arguments as a method does, and does nothing. */
static int empty_method(lua_State *L) {
    luaL_checkudata(L, 1, TYPE_NAME);
    luaL_checkinteger(L, 2);
    luaL_checknumber(L, 3);
    luaL_checknumber(L, 4);
    return 0;
}

/* call_handler(handler, n): calls handler(watcher, marker, op) n times. */
static int call_handler(lua_State *L) {
    lua_Integer n = luaL_checkinteger(L, 2);
    lua_settop(L, 1);
    lua_pushliteral(L, "enter");
    for (lua_Integer i = 1; i <= n; i++) {
        lua_pushvalue(L, 1);
        lua_pushinteger(L, i);
        lua_pushinteger(L, i + 1);
        lua_pushvalue(L, 2);
        lua_callk(L, 3, 0, 0, NULL);
    }
    return 0;
}

/* fill(table, n): writes n integers into the table. */
static int fill(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_checkinteger(L, 2);
    lua_settop(L, 1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

/* new() -> a userdata with the empty method */
static int new_userdata(lua_State *L) {
    lua_newuserdata(L, sizeof(double));
    luaL_setmetatable(L, TYPE_NAME);
    return 1;
}

__attribute__((visibility("default"))) int luaopen_bench_floor(lua_State *L) {
    static const luaL_Reg methods[] = {{"move", empty_method}, {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"new", new_userdata}, {"call_handler", call_handler}, {"fill", fill}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE_NAME);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
