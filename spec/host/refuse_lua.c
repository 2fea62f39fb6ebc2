/*
 * refuse_lua.c - runs a Lua script in a state whose allocator refuses when the script asks for it,
 * and fails when a byte is left after lua_close.
 *
 *     refuse_lua script.lua
 *
 * The script gets two functions:
 *     refuse(n, on)   the n-th allocation from now on fails; on: so do all after it; 0: none does
 *     refused()       how many have been refused since then
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

static int refuse(lua_State *L) {
    accountant_refuse(accountant_of(L), (unsigned long)luaL_checkinteger(L, 1),
                      lua_toboolean(L, 2) != 0);
    return 0;
}

static int refused(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)accountant_of(L)->refused);
    return 1;
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
    lua_register(L, "refuse", refuse);
    lua_register(L, "refused", refused);
    int failed = luaL_dofile(L, argv[1]) != LUA_OK;
    accountant_refuse(&accountant, 0, false);
    if (failed)
        fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    if (accountant.bytes != 0 || accountant.wrong_sizes != 0)
        fprintf(stderr, "after lua_close: %zu bytes in %zu blocks, %d wrong old sizes\n",
                accountant.bytes, accountant.blocks, accountant.wrong_sizes);
    return failed || accountant.bytes != 0 || accountant.wrong_sizes != 0;
}
