/*
 * refuse_lua.c - runs a Lua script in a state whose allocator refuses when the script asks for it,
 * and fails when a byte is left after lua_close.
 *
 *     refuse_lua script.lua
 *
 * The script gets a function
 *     refusing(n, on, f, ...)   f(...) with its n-th allocation refused; on: all after it, too
 * which returns how many were refused, and then what pcall(f, ...) would. Nothing is refused before
 * f begins or after it has ended: the script itself never lacks memory.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

#include "accountant.h"

static struct accountant *accountant_of(lua_State *L) {
    void *userdata;
    lua_getallocf(L, &userdata);
    return userdata;
}

static int refusing(lua_State *L) {
    struct accountant *accountant = accountant_of(L);
    lua_Integer n = luaL_checkinteger(L, 1);
    bool on = lua_toboolean(L, 2) != 0;
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    accountant_refuse(accountant, (unsigned long)n, on);
    bool ok = lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 0) == LUA_OK;
    lua_Integer refused = (lua_Integer)accountant->refused;
    accountant_refuse(accountant, 0, false);
    lua_pushinteger(L, refused);
    lua_replace(L, 1);
    lua_pushboolean(L, ok);
    lua_replace(L, 2);
    return lua_gettop(L);
}

int main(int argc, char **argv) {
    struct accountant accountant = {.keeps_smaller = true, .limit = (size_t)1 << 30};
    if (argc != 2) {
        fprintf(stderr, "usage: refuse_lua script.lua\n");
        return 2;
    }
    lua_State *L = lua_newstate(accountant_allocate, &accountant);
    if (L == NULL)
        return 1;
    luaL_openlibs(L);
    lua_register(L, "refusing", refusing);
    int failed = luaL_dofile(L, argv[1]) != LUA_OK;
    if (failed)
        fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    if (accountant.bytes != 0 || accountant.wrong_sizes != 0)
        fprintf(stderr, "after lua_close: %zu bytes in %zu blocks, %d wrong old sizes\n",
                accountant.bytes, accountant.blocks, accountant.wrong_sizes);
    return failed || accountant.bytes != 0 || accountant.wrong_sizes != 0;
}
