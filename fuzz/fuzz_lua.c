/*
 * fuzz_lua.c - a fuzz target: a Lua state of its own for every input, in which calls.lua makes of
 * the bytes a history of calls to spaces, good and bad.
 *
 * Nothing is expected but that it ends well: no crash, no report of a sanitizer, no byte left after
 * lua_close, and error messages that begin as they should (calls.lua sees to that). The state's
 * allocator has a limit and can be told to refuse.
 *
 * Runs in the project's folder, from which it reads lua/aoi/init.lua and fuzz/calls.lua.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int luaopen_aoi_core(lua_State *L);

struct run {
    struct accountant accountant;
    struct input input;
    bool finalizer_failed;
};

/* A file's text, read once. */
struct text {
    const char *path;
    size_t length;
    char bytes[1 << 16];
};

static void read_text(struct text *text) {
    if (text->length > 0)
        return;
    FILE *file = fopen(text->path, "rb");
    if (file == NULL) {
        perror(text->path);
        exit(1);
    }
    text->length = fread(text->bytes, 1, sizeof text->bytes, file);
    fclose(file);
}

static struct run *run_of(lua_State *L) {
    void *userdata;
    lua_getallocf(L, &userdata);
    return userdata;
}

/* Lua has no memory to call a finalizer with, and says so in a warning: then it never runs, and
 * what it would have freed is lost, whoever's it is. */
static void hear_warning(void *userdata, const char *message, int goes_on) {
    struct run *run = userdata;
    if (goes_on && strcmp(message, "error in ") == 0)
        run->finalizer_failed = true;
}

/* byte() -> the next byte of the input, 0 after its end */
static int lua_byte(lua_State *L) {
    lua_pushinteger(L, next_byte(&run_of(L)->input));
    return 1;
}

/* left() -> how many bytes are left */
static int lua_left(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)run_of(L)->input.left);
    return 1;
}

/* refuse(n, on): the n-th allocation from now on fails; on: all after it, too; 0: none */
static int lua_refuse(lua_State *L) {
    accountant_refuse(&run_of(L)->accountant, (unsigned long)luaL_checkinteger(L, 1),
                      lua_toboolean(L, 2) != 0);
    return 0;
}

/* fail(message): the program under test is broken */
static int lua_fail(lua_State *L) {
    fprintf(stderr, "%s\n", luaL_tolstring(L, 1, NULL));
    abort();
}

/* Everything that may raise, for a protected call. */
static int run_calls(lua_State *L) {
    static struct text module = {"lua/aoi/init.lua", 0, ""}, calls = {"fuzz/calls.lua", 0, ""};
    static const luaL_Reg functions[] = {
        {"byte", lua_byte}, {"left", lua_left}, {"refuse", lua_refuse},
        {"fail", lua_fail}, {NULL, NULL},
    };
    read_text(&module);
    read_text(&calls);
    luaL_openlibs(L);
    luaL_requiref(L, "aoi.core", luaopen_aoi_core, 0);
    if (luaL_loadbuffer(L, module.bytes, module.length, "=aoi") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    if (luaL_loadbuffer(L, calls.bytes, calls.length, "=calls") != LUA_OK)
        return lua_error(L);
    lua_insert(L, -2);
    luaL_newlib(L, functions);
    lua_call(L, 2, 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST_BYTES = 1 << 24 };
    struct run run;
    memset(&run, 0, sizeof run);
    run.input = (struct input){bytes, size};
    run.accountant.limit = MOST_BYTES;
    run.accountant.keeps_smaller = true;
    lua_State *L = lua_newstate(accountant_allocate, &run);
    if (L == NULL)
        abort();
    lua_setwarnf(L, hear_warning, &run);
    lua_pushcfunction(L, run_calls);
    int status = lua_pcall(L, 0, 0, 0);
    if (status != LUA_OK && status != LUA_ERRMEM) {
        fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
        abort();
    }
    accountant_refuse(&run.accountant, 0, false);
    /* No further spaces: who gets a finalizer from here on is never finalized. */
    run.input.left = 0;
    lua_close(L);
    if ((run.accountant.bytes != 0 && !run.finalizer_failed) || run.accountant.wrong_sizes != 0) {
        fprintf(stderr, "%zu bytes are left, %d old sizes are wrong\n", run.accountant.bytes,
                run.accountant.wrong_sizes);
        abort();
    }
    return 0;
}
