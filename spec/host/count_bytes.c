/*
 * count_bytes.c - runs a Lua script in a state whose allocator counts, and fails when a byte is
 * left: after a function of the script and a full collection more than before it, or any after
 * lua_close.
 *
 *     count_bytes script.lua [function ...]
 *
 * The script may ask with counted_bytes() how many are in use. A space takes its memory from the
 * state's allocator, past Lua's own count: only from out here can be seen that it gives all back.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#include "accountant.h"

/* counted_bytes() -> bytes in use */
static int counted_bytes(lua_State *L) {
    const struct accountant *count = lua_touserdata(L, lua_upvalueindex(1));
    lua_pushinteger(L, (lua_Integer)count->bytes);
    return 1;
}

/* Runs the script's function of this name. */
static void run(lua_State *L, const char *name) {
    lua_getglobal(L, name);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
        fprintf(stderr, "%s: %s\n", name, lua_tostring(L, -1));
        exit(1);
    }
    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCCOLLECT, 0); /* what finalizers have let go */
}

int main(int argc, char **argv) {
    struct accountant count = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: count_bytes script.lua [function ...]\n");
        return 2;
    }
    lua_State *L = lua_newstate(accountant_allocate, &count);
    if (L == NULL)
        return 1;
    luaL_openlibs(L);
    lua_pushlightuserdata(L, &count);
    lua_pushcclosure(L, counted_bytes, 1);
    lua_setglobal(L, "counted_bytes");
    if (luaL_dofile(L, argv[1]) != LUA_OK) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        return 1;
    }
    int failed = 0;
    for (int i = 2; i < argc; i++) {
        run(L, argv[i]); /* once for what Lua itself keeps: strings, stacks */
        size_t before = count.bytes;
        run(L, argv[i]);
        long long left = (long long)count.bytes - (long long)before;
        printf("%s: %lld bytes left\n", argv[i], left);
        failed |= left > 0;
    }
    lua_close(L);
    printf("after lua_close: %zu bytes in %zu blocks, %d wrong old sizes\n", count.bytes,
           count.blocks, count.wrong_sizes);
    return failed || count.bytes != 0 || count.wrong_sizes != 0;
}
