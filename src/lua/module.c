/*
 * module.c - module aoi.core: its methods, and all rooms of the binding.
 *
 * This is the one file of src/lua that is compiled. The others are parts of it:
 * a call from Lua runs through several of them, and so it costs the same
 * whether or not the compiler optimises at link time. binding.h says what is
 * where.
 */
#include <lua.h>

#if !defined(LUA_VERSION_NUM) || LUA_VERSION_NUM < 503
#error "lua-aoi needs Lua 5.3, 5.4 or 5.5; these are the headers of Lua 5.1, LuaJIT or Lua 5.2"
#else

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "lua/messages.c"
#include "lua/arguments.c"
#include "lua/attempt.c"
#include "lua/deliverer.c"
#include "lua/delivery.c"
#include "lua/handlers.c"
#include "lua/hand_over.c"
#include "lua/changes.c"
#include "lua/batches.c"
#include "lua/lists.c"
#include "lua/corners.c"
#include "lua/areas.c"
#include "lua/questions.c"
#include "lua/records.c"
#include "lua/spaces.c"
/* NOLINTEND(bugprone-suspicious-include) */

#if defined(_WIN32)
#define AOI_EXPORT __declspec(dllexport)
#else
#define AOI_EXPORT __attribute__((visibility("default")))
#endif

static const luaL_Reg methods[] = {
    {"add_area", space_add_area},
    {"anchor", space_anchor},
    {"areas", space_areas},
    {"areas_of", space_areas_of},
    {"clear", space_clear},
    {"close", space_close},
    {"drain", space_drain},
    {"enter", space_enter},
    {"enter_all", space_enter_all},
    {"explain", space_explain},
    {"flush", space_flush},
    {"hand_in", space_hand_in},
    {"hand_out", space_hand_out},
    {"has", space_has},
    {"ids", space_ids},
    {"in_area", space_in_area},
    {"leave", space_leave},
    {"leave_all", space_leave_all},
    {"markers_of", space_markers_of},
    {"members_of", space_members_of},
    {"move", space_move},
    {"move_all", space_move_all},
    {"move_area", space_move_area},
    {"on", space_on},
    {"pending", space_pending},
    {"pin", space_pin},
    {"position", space_position},
    {"positions", space_positions},
    {"query_circle", space_query_circle},
    {"query_nearest", space_query_nearest},
    {"query_polygon", space_query_polygon},
    {"query_rect", space_query_rect},
    {"query_sector", space_query_sector},
    {"query_segment", space_query_segment},
    {"radius", space_radius},
    {"record", space_record},
    {"recorded", space_recorded},
    {"remove_area", space_remove_area},
    {"save", space_save},
    {"sees", space_sees},
    {"set_area", space_set_area},
    {"set_bounds", space_set_bounds},
    {"set_importance", space_set_importance},
    {"set_layers", space_set_layers},
    {"set_limit", space_set_limit},
    {"set_mode", space_set_mode},
    {"set_radius", space_set_radius},
    {"set_sees_layers", space_set_sees_layers},
    {"stats", space_stats},
    {"tick", space_tick},
    {"told_markers_of", space_told_markers_of},
    {"told_watchers_of", space_told_watchers_of},
    {"touch", space_touch},
    {"traits", space_traits},
    {"unpin", space_unpin},
    {"update", space_update},
    {"update_all", space_update_all},
    {"watchers_of", space_watchers_of},
    {NULL, NULL},
};

static const luaL_Reg metamethods[] = {
    {"__close", space_close},
    {"__gc", space_collect},
    {"__len", space_length},
    {"__tostring", space_tostring},
    {NULL, NULL},
};

/* The upvalues of every method, in the order of UPVALUE_ENTER, ... */
static void push_op_names(lua_State *L) {
    lua_pushliteral(L, "enter");
    lua_pushliteral(L, "leave");
    lua_pushliteral(L, "move");
    lua_pushliteral(L, "area_enter");
    lua_pushliteral(L, "area_leave");
}

AOI_EXPORT int luaopen_aoi_core(lua_State *L);

AOI_EXPORT int luaopen_aoi_core(lua_State *L) {
    luaL_checkversion(L);
    lua_createtable(L, 0, 6); /* the module */

    lua_createtable(L, 0, 8); /* metatable of spaces */
    lua_pushliteral(L, "aoi.space");
    lua_setfield(L, -2, "__name");
    luaL_setfuncs(L, metamethods, 0);
    lua_createtable(L, 0, sizeof methods / sizeof *methods);
    push_op_names(L);
    luaL_setfuncs(L, methods, UPVALUES);
    lua_setfield(L, -2, "__index");

    lua_createtable(L, 0, 1); /* metatable of THREADS */
    lua_pushliteral(L, "kv");
    lua_setfield(L, -2, "__mode");

    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, core_load, 2);
    lua_setfield(L, -4, "load");
    lua_pushcclosure(L, core_new, 2);
    lua_setfield(L, -2, "new");
    push_op_names(L);
    lua_pushcclosure(L, core_replay, UPVALUES);
    lua_setfield(L, -2, "replay");
    lua_pushcfunction(L, core_record_span);
    lua_setfield(L, -2, "record_span");
    lua_pushliteral(L, AOI_VERSION);
    lua_setfield(L, -2, "_VERSION");
#ifdef AOI_SELF_CHECK
    lua_pushliteral(L, "test"); /* slow: for tests, not for measuring */
#elif defined(AOI_PLAIN)
    lua_pushliteral(L, "plain"); /* see base/specialised.h */
#else
    lua_pushliteral(L, "release");
#endif
    lua_setfield(L, -2, "_BUILD");
    return 1;
}

#endif
