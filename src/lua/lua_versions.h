/* lua_versions.h - differences of Lua 5.3: a userdata refers to one value only, and nobody hears
 * warnings. */
#ifndef AOI_LUA_VERSIONS_H
#define AOI_LUA_VERSIONS_H

#include "lua/binding.h"

#if LUA_VERSION_NUM >= 504

static inline void *new_userdata(lua_State *L, size_t size) {
    return lua_newuserdatauv(L, size, REFERENCES);
}

static inline void get_reference(lua_State *L, int index, int which) {
    lua_getiuservalue(L, index, which);
}

/* Pops the value. */
static inline void set_reference(lua_State *L, int index, int which) {
    lua_setiuservalue(L, index, which);
}

static inline void warn(lua_State *L, const char *message) {
    lua_warning(L, message, 0);
}

#else

static inline void *new_userdata(lua_State *L, size_t size) {
    void *block = lua_newuserdata(L, size);
    lua_createtable(L, REFERENCES, 0);
    lua_setuservalue(L, -2);
    return block;
}

static inline void get_reference(lua_State *L, int index, int which) {
    lua_getuservalue(L, index);
    lua_rawgeti(L, -1, which);
    lua_remove(L, -2);
}

static inline void set_reference(lua_State *L, int index, int which) {
    lua_getuservalue(L, index);
    lua_insert(L, -2);
    lua_rawseti(L, -2, which);
    lua_pop(L, 1);
}

static inline void warn(lua_State *L, const char *message) {
    (void)L;
    lua_writestringerror("Lua warning: %s\n", message);
}

#endif

#endif
