/*
 * module.c - module aoi.core: its methods, and all rooms of the binding.
 *
 * This is the one file of src/lua that is compiled. The others are parts of it:
 * a call from Lua runs through several of them, and so it costs the same
 * whether or not the compiler optimises at link time. binding.h says what is
 * where.
 */
#define _POSIX_C_SOURCE 200809L /* fileno and fsync, for disk.c */

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
#include "lua/disk.c"
#include "lua/moves.c"
#include "lua/spaces.c"
#include "lua/view_blocks.c"
/* NOLINTEND(bugprone-suspicious-include) */

#if defined(_WIN32)
#define AOI_EXPORT __declspec(dllexport)
#else
#define AOI_EXPORT __attribute__((visibility("default")))
#endif

/* Methods of their own way, and of the ways that many share. */
#define OWN(its_name)                                                                              \
    { .name = #its_name, .way = space_##its_name }
#define CHANGE(its_name, ...)                                                                      \
    { .name = #its_name, .way = change, __VA_ARGS__ }
#define SET(its_name, bit)                                                                         \
    CHANGE(its_name, .call = try_set_trait, .first = "id", .core.trait = (bit))
#define TWO(its_name, its_first, its_second, question)                                             \
    {                                                                                              \
        .name = #its_name, .way = ask_two, .first = (its_first), .second = (its_second),           \
        .core.are = (question)                                                                     \
    }
#define LIST(its_name, question)                                                                   \
    { .name = #its_name, .way = ask_list, .core.list = (question) }
#define LIST_OF(its_name, its_first, question)                                                     \
    { .name = #its_name, .way = ask_list, .first = (its_first), .core.list_of = (question) }
#define QUERY(shape, at, by_axis, before)                                                          \
    {                                                                                              \
        .name = "query_" #shape, .way = query, .call = try_##shape, .table = (at),                 \
        .table_by_axis = (by_axis), .prepare = (before)                                            \
    }

static const struct method methods[] = {
    OWN(anchor),
    OWN(close),
    OWN(drain),
    OWN(flush),
    OWN(has),
    OWN(on),
    OWN(pending),
    OWN(position),
    OWN(positions),
    OWN(radius),
    OWN(record),
    OWN(recorded),
    OWN(save),
    OWN(sights),
    OWN(stats),
    OWN(traits),
    {.name = "enter",
     .way = space_enter,
     .call = try_put,
     .first = "id",
     .takes_traits = true,
     .core.change = CHANGE_ENTER},
    {.name = "explain", .way = space_explain, .first = "watcher"},
    {.name = "hand_out", .way = space_hand_out, .first = "id"},
    {.name = "move", .way = space_move, .call = try_move, .first = "id", .core.move = aoi_move},
    CHANGE(add_area, .call = try_describe, .prepare = prepare_area, .first = "area",
           .core.change = CHANGE_ENTER),
    CHANGE(clear, .call = try_clear),
    CHANGE(enter_all, .call = try_batch, .prepare = take_format, .takes_traits = true,
           .core.change = CHANGE_ENTER),
    CHANGE(hand_in, .call = try_hand_in),
    CHANGE(leave, .call = try_ids, .first = "id", .core.one = aoi_leave),
    CHANGE(leave_all, .call = try_batch, .prepare = take_format, .core.change = CHANGE_LEAVE),
    CHANGE(move_all, .call = try_batch, .prepare = take_format, .core.change = CHANGE_MOVE),
    CHANGE(move_area, .call = try_move, .first = "area", .core.move = aoi_move_area),
    CHANGE(pin, .call = try_ids, .first = "watcher", .second = "marker", .core.two = aoi_pin),
    CHANGE(remove_area, .call = try_ids, .first = "area", .core.one = aoi_remove_area),
    CHANGE(set_area, .call = try_describe, .prepare = prepare_area, .first = "area",
           .core.change = CHANGE_MOVE),
    CHANGE(set_bounds, .call = try_set_bounds),
    CHANGE(set_sight, .call = try_set_sight),
    CHANGE(tick, .call = try_tick),
    CHANGE(touch, .call = try_touch, .first = "id", .core.one = aoi_touch),
    CHANGE(unpin, .call = try_ids, .first = "watcher", .second = "marker", .core.two = aoi_unpin),
    CHANGE(update, .call = try_put, .first = "id", .takes_traits = true,
           .core.change = CHANGE_UPDATE),
    CHANGE(update_all, .call = try_batch, .prepare = take_format, .takes_traits = true,
           .core.change = CHANGE_UPDATE),
    CHANGE(update_area, .call = try_describe, .prepare = prepare_area, .first = "area",
           .core.change = CHANGE_UPDATE),
    SET(set_importance, AOI_TRAIT_IMPORTANCE),
    SET(set_layers, AOI_TRAIT_LAYERS),
    SET(set_limit, AOI_TRAIT_LIMIT),
    SET(set_mode, AOI_TRAIT_MODE),
    SET(set_radius, AOI_TRAIT_RADIUS),
    SET(set_sees_layers, AOI_TRAIT_SEES_LAYERS),
    SET(set_visible_radius, AOI_TRAIT_VISIBLE_RADIUS),
    TWO(in_area, "area", "id", aoi_in_area),
    TWO(sees, "a", "b", aoi_sees),
    LIST(areas, aoi_areas),
    LIST(ids, aoi_ids),
    LIST_OF(areas_of, "id", aoi_areas_of),
    LIST_OF(markers_of, "id", aoi_markers_of),
    LIST_OF(members_of, "area", aoi_members_of),
    LIST_OF(told_markers_of, "id", aoi_told_markers_of),
    LIST_OF(told_watchers_of, "id", aoi_told_watchers_of),
    LIST_OF(watchers_of, "id", aoi_watchers_of),
    QUERY(circle, 3, 1, NULL),
    QUERY(nearest, 4, 1, prepare_nearest),
    QUERY(polygon, 3, 0, prepare_polygon),
    QUERY(rect, 2, 2, NULL),
    QUERY(sector, 7, 0, NULL),
    QUERY(segment, 7, 0, NULL),
};

enum { METHODS = sizeof methods / sizeof *methods };

static const luaL_Reg metamethods[] = {
    {"__close", space_close},
    {"__gc", space_collect},
    {"__len", space_length},
    {"__tostring", space_tostring},
    {NULL, NULL},
};

/* The upvalues of every method. */
static void push_op_names(lua_State *L) {
    for (int upvalue = UPVALUE_ENTER; upvalue <= UPVALUES; upvalue++)
        lua_pushstring(L, op_names[upvalue - UPVALUE_ENTER]);
}

AOI_EXPORT int luaopen_aoi_core(lua_State *L);

AOI_EXPORT int luaopen_aoi_core(lua_State *L) {
    luaL_checkversion(L);
    lua_createtable(L, 0, 8); /* the module */

    lua_createtable(L, 0, 8); /* metatable of spaces */
    lua_pushliteral(L, "aoi.space");
    lua_setfield(L, -2, "__name");
    luaL_setfuncs(L, metamethods, 0);
    lua_createtable(L, 0, METHODS);
    for (int i = 0; i < METHODS; i++) {
        push_op_names(L);
        lua_pushlightuserdata(L, (void *)&methods[i]);
        lua_pushcclosure(L, methods[i].way, UPVALUE_METHOD);
        lua_setfield(L, -2, methods[i].name);
    }
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
    lua_pushcfunction(L, core_sync);
    lua_setfield(L, -2, "sync");
    lua_pushcfunction(L, core_view_joiner);
    lua_setfield(L, -2, "view_joiner");
    lua_pushcfunction(L, core_single);
    lua_setfield(L, -2, "single");
    lua_createtable(L, 0, 8); /* metatable of moves */
    lua_pushliteral(L, "aoi.moves");
    lua_setfield(L, -2, "__name");
    luaL_setfuncs(L, moves_methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pushcclosure(L, core_moves, 1);
    lua_setfield(L, -2, "moves");
    lua_pushcfunction(L, core_rows_outside);
    lua_setfield(L, -2, "rows_outside");
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
