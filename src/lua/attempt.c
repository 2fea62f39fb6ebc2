/* attempt.c - the one way from a method to the core, and the messages when it fails. */
#include "lua/values.h"

/*
 * Raises Lua's own memory error, which the API has no call for: it comes
 * from asking for more than any machine has.
 */
static void raise_memory_error(lua_State *L) {
    lua_newuserdata(L, SIZE_MAX / 4);
    luaL_error(L, "not enough memory");
}

/* The attempt at the method that is called. */
static struct attempt begin_attempt(lua_State *L) {
    const struct method *how = lua_touserdata(L, lua_upvalueindex(UPVALUE_METHOD));
    return (struct attempt){.method = how->name, .how = how};
}

/* Raises the message of a failed call of the core. The map is asked for first: to make a message
 * may run a finalizer that closes the space. */
static int fail(lua_State *L, const struct attempt *attempt, aoi_status status) {
    const aoi_map map = aoi_map_of(attempt->self->space);
    const char *method = attempt->method;
    if (attempt->row != 0)
        method = lua_pushfstring(L, "%s: row %I", method, (LUAI_UACINT)attempt->row);
    const LUAI_UACINT id = (LUAI_UACINT)attempt->id;
    const struct method none = {.first = NULL}, *how = attempt->how != NULL ? attempt->how : &none;
    switch (status) {
    case AOI_NOT_FOUND: return luaL_error(L, "%s: id %I is not in the space", method, id);
    case AOI_EXISTS:
        return luaL_error(L, "%s: %s %I is already in the space", method,
                          how->first != NULL ? how->first : "id", id);
    case AOI_OUTSIDE:
        return luaL_error(L, "%s: position (%s, %s) is outside the map %s", method,
                          show_number(L, attempt->position.x), show_number(L, attempt->position.y),
                          show_map(L, &map));
    case AOI_NO_RADIUS:
        return luaL_error(L,
                          "%s: radius is nil, expected a number from 0 up: the space has no "
                          "default radius",
                          method);
    case AOI_RADIUS_UNUSED:
        return luaL_error(L,
                          "%s: radius or visible_radius is given, expected none: the classic "
                          "nine-grid has no radius (option radius of aoi.new makes it exact)",
                          method);
    case AOI_NO_CROWD:
        return luaL_error(
            L,
            "%s: %sthe space is no crowd space (options limit, enter_budget, rates or "
            "move_budget of aoi.new make it one)",
            attempt->method,
            how->takes_traits ? "limit or importance is given, expected none: " : "");
    case AOI_NO_AREA: return luaL_error(L, "%s: area %I is not in the space", method, id);
    case AOI_NO_OWNER:
        return luaL_error(L, "%s: option owner is %I, expected the id of an entity in the space",
                          method, (LUAI_UACINT)attempt->owner);
    case AOI_NO_PLACE:
        return luaL_error(L,
                          "%s: area %I has an owner or is a polygon, expected one that was placed "
                          "by x and y",
                          method, id);
    case AOI_NOMEM:
    case AOI_INVALID:
    case AOI_OK: break;
    }
    return luaL_error(L, "%s: bad argument", method);
}

/* Raises the complaint of the core about wrong arguments. */
static aoi_status complain_in_words(lua_State *L, const struct attempt *attempt, aoi_status status,
                                    const aoi_complaint *complaint) {
    if (status == AOI_INVALID)
        luaL_error(L, "%s: %s", attempt->method, complaint->text);
    return status;
}

/* Checks the arguments and calls the core, once. */
static aoi_status attempt_once(lua_State *L, struct attempt *attempt, attempt_function function) {
    if (!attempt->makes_space)
        attempt->self = check_open(L, attempt->method);
    if (attempt->how != NULL && attempt->how->first != NULL)
        attempt->id = check_id(L, 2, attempt->method, attempt->how->first);
    return function(L, attempt->self, attempt);
}

static int do_nothing(lua_State *L) {
    (void)L;
    return 0;
}

/*
 * Collects garbage, unless there is no memory for the call of a finalizer: it would be lost, and
 * with it all that a dropped space holds. It takes stack, and a record of the call, which Lua keeps
 * for the next call from this frame, also in a collection.
 */
static void collect_garbage(lua_State *L) {
    if (!lua_checkstack(L, 2 * LUA_MINSTACK))
        return;
    lua_pushcfunction(L, do_nothing);
    if (lua_pcall(L, 0, 0, 0) == LUA_OK)
        lua_gc(L, LUA_GCCOLLECT, 0);
    else
        lua_pop(L, 1);
}

/*
 * Calls the core through `function`, which checks the arguments first. When
 * memory is lacking nothing has changed; then garbage is collected, which may
 * run finalizers, so that the arguments are checked again, and the call is
 * repeated once. Returns the space; raises when the call has failed.
 */
static struct space_userdata *call_core(lua_State *L, struct attempt *attempt,
                                        attempt_function function) {
    const int top = lua_gettop(L);
    aoi_status status = attempt_once(L, attempt, function);
    if (status == AOI_NOMEM) {
        lua_settop(L, top); /* only the arguments, without the room that the first try took */
        collect_garbage(L);
        status = attempt_once(L, attempt, function);
        if (status == AOI_NOMEM)
            raise_memory_error(L);
    }
    if (status != AOI_OK)
        fail(L, attempt, status);
    return attempt->self;
}
