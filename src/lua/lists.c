/*
 * lists.c - answers that are lists: of ids, positions, gathered events. They
 * fill a table, or, for "packed", make a string of packed rows.
 *
 * Making either can run a finalizer that uses the space. What was asked for is
 * then asked for again.
 */
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/values.h"

static bool is_result(lua_State *L, int index) {
    return lua_istable(L, index) || is_string(L, index, "packed");
}

/* True when the argument t asks for a string, false when it is a table or nil. */
static bool check_result(lua_State *L, int index, const char *method) {
    if (!lua_isnoneornil(L, index) && !is_result(L, index))
        bad_value(L, method, "t", index, "a table to fill, \"packed\" or nil");
    return lua_type(L, index) == LUA_TSTRING;
}

/* Where the bytes of a string stand before Lua has them: on the C stack when they are few, else in
 * a userdata. */
enum { FEW_BYTES = 1024 };

/* ------------------------------------------------------------------ */
/* Ids                                                                 */
/* ------------------------------------------------------------------ */

/* Makes a string of the list; returns string and count. A finalizer that makes the list longer
 * again and again is left behind, since room is taken for twice as many then. */
static int push_packed_list(lua_State *L, struct attempt *attempt, attempt_function function) {
    const aoi_list *list = &attempt->list;
    const int top = lua_gettop(L);
    char few[FEW_BYTES];
    void *bytes = few;
    size_t room = sizeof few;
    for (;;) {
        const struct space_userdata *self = call_core(L, attempt, function);
        const uint64_t serial = self->serial;
        const size_t size = list->count * sizeof(aoi_id);
        if (size > room) {
            room = bytes == few ? size : 2 * size;
            lua_settop(L, top);
            bytes = lua_newuserdata(L, room);
        }
        if (self->serial == serial)
            break;
    }
    const size_t count = list->count;
    aoi_pack_ids(list->ids, count, bytes);
    lua_pushlstring(L, bytes, count * sizeof(aoi_id));
    lua_pushinteger(L, (lua_Integer)count);
    return 2;
}

/*
 * Fills the table at index, or a new one, with a list of ids; returns table
 * and count. last is the index of the last argument. That the list is asked for again comes to an
 * end, because a table that has grown does not grow again.
 */
static int push_list(lua_State *L, int index, int last, struct attempt *attempt,
                     attempt_function function) {
    const aoi_list *list = &attempt->list;
    check_open(L, attempt->method);
    const bool packed = check_result(L, index, attempt->method);
    lua_settop(L, last);
    if (packed)
        return push_packed_list(L, attempt, function);
    struct space_userdata *self = call_core(L, attempt, function);
    if (lua_isnil(L, index)) {
        int size = list->count < INT32_MAX ? (int)list->count : 0;
        uint64_t serial = self->serial;
        lua_createtable(L, size, 0);
        lua_replace(L, index);
        if (self->serial != serial)
            self = call_core(L, attempt, function);
    }
    uint64_t serial = self->serial;
    for (size_t i = 0; i < list->count; i++) {
        lua_pushinteger(L, list->ids[i]);
        lua_rawseti(L, index, (lua_Integer)i + 1);
        if (self->serial != serial) {
            self = call_core(L, attempt, function);
            serial = self->serial;
            i = (size_t)-1; /* from the start */
        }
    }
    lua_Integer count = (lua_Integer)list->count;
    end_list(L, index, count);
    lua_pushvalue(L, index);
    lua_pushinteger(L, count);
    return 2;
}

/* ------------------------------------------------------------------ */
/* Positions                                                           */
/* ------------------------------------------------------------------ */

/* How many ids are asked for: n at 3, or all of a string. */
static lua_Integer check_id_count(lua_State *L, const char *method) {
    const bool is_packed = lua_type(L, 2) == LUA_TSTRING;
    const lua_Unsigned length = lua_rawlen(L, 2), all = length / sizeof(aoi_id);
    if (!is_packed && !lua_istable(L, 2))
        bad_value(L, method, "ids", 2, "a table or a string of ids");
    if (is_packed && length % sizeof(aoi_id) != 0)
        luaL_error(L, "%s: ids has %I bytes, expected a multiple of %d (rows of <i8>)", method,
                   (LUAI_UACINT)length, (int)sizeof(aoi_id));
    if (lua_isnil(L, 3) && (is_packed || length <= INT32_MAX))
        return (lua_Integer)(is_packed ? all : length);
    const lua_Integer count = check_count(L, 3, method, "n", INT32_MAX,
                                          "the number of ids, a whole number from 0 to 2147483647");
    if (is_packed && (lua_Unsigned)count > all)
        bad_value(L, method, "n", 3,
                  lua_pushfstring(L, "at most %I, those that ids has", (LUAI_UACINT)all));
    return count;
}

/* Entry `place` of the ids at index 2. Nothing here runs Lua code. */
static aoi_id check_listed_id(lua_State *L, lua_Integer place, const char *method) {
    aoi_id packed;
    lua_Integer id;
    if (lua_type(L, 2) == LUA_TSTRING) {
        aoi_unpack_ids(lua_tostring(L, 2) + (size_t)(place - 1) * sizeof packed, 1, &packed);
        return packed;
    }
    lua_rawgeti(L, 2, place);
    if (!read_integer(L, -1, &id)) {
        char name[40];
        snprintf(name, sizeof name, "ids[%lld]", (long long)place);
        bad_value(L, method, name, -1, "an integer");
    }
    lua_pop(L, 1);
    return id;
}

static aoi_status pack_positions(lua_State *L, struct space_userdata *self,
                                 struct attempt *attempt) {
    aoi_row *rows;
    aoi_status status = aoi_rows(self->space, attempt->rows, &rows);
    if (status != AOI_OK)
        return status;
    for (size_t i = 0; i < attempt->rows; i++)
        rows[i].id = check_listed_id(L, (lua_Integer)i + 1, attempt->method);
    aoi_pack_positions(self->space, rows, attempt->rows, attempt->bytes);
    return AOI_OK;
}

/* Makes a string of the positions of count ids; returns string and count. */
static int push_packed_positions(lua_State *L, lua_Integer count, int dims) {
    char few[FEW_BYTES];
    const size_t size = (size_t)count * (size_t)dims * sizeof(double);
    struct attempt attempt = {.method = "positions", .rows = (size_t)count};
    attempt.bytes = few;
    if (size > sizeof few)
        attempt.bytes = lua_newuserdata(L, size);
    call_core(L, &attempt, pack_positions);
    lua_pushlstring(L, attempt.bytes, size);
    lua_pushinteger(L, count);
    return 2;
}

/* space:positions(ids [, n] [, t]) -> t, n; false for an unknown id's coordinates, NaN in a string
 */
static int space_positions(lua_State *L) {
    const char *method = "positions";
    const struct space_userdata *self = check_open(L, method);
    lua_settop(L, 4);
    if (lua_isnil(L, 4) && is_result(L, 3))
        lua_insert(L, 3); /* t stands in the place of n */
    const lua_Integer count = check_id_count(L, method);
    const bool packed = check_result(L, 4, method);
    if (lua_istable(L, 2) && lua_rawequal(L, 2, 4))
        return luaL_error(L, "%s: t is the table of ids, expected another one", method);
    if (count > 0) /* a list that is too short is told before room for all of n is asked for */
        check_listed_id(L, count, method);
    int dims = aoi_dims(self->space);
    if (packed)
        return push_packed_positions(L, count, dims);
    if (lua_isnil(L, 4)) {
        lua_createtable(L, (int)(count < INT32_MAX / 3 ? count * dims : 0), 0);
        lua_replace(L, 4);
    }
    for (lua_Integer row = 0; row < count; row++) {
        aoi_id id = check_listed_id(L, row + 1, method);
        if (self->space == NULL) /* closed by a finalizer just now */
            return luaL_error(L, "%s: the space is closed", method);
        aoi_point position;
        bool known = aoi_position(self->space, id, &position) == AOI_OK;
        for (int axis = 0; axis < dims; axis++) {
            if (known)
                lua_pushnumber(L, axis == 0 ? position.x : axis == 1 ? position.y : position.z);
            else
                lua_pushboolean(L, 0);
            lua_rawseti(L, 4, row * dims + axis + 1);
        }
    }
    end_list(L, 4, count * dims);
    lua_pushinteger(L, count);
    return 2;
}

/* ------------------------------------------------------------------ */
/* Gathered events                                                     */
/* ------------------------------------------------------------------ */

/* Takes the oldest `count` events out of what is gathered. */
static void take_out(lua_State *L, struct space_userdata *self, size_t count) {
    const aoi_status status = count == aoi_collected(self->space)
                                  ? aoi_drop_collected(self->space)
                                  : aoi_drop_oldest_collected(self->space, count);
    if (status != AOI_OK)
        raise_memory_error(L);
    self->drains++;
}

/*
 * Makes a string of the events, and only then takes them out; returns string
 * and count. Events that come meanwhile wait for the next time. If some are
 * taken out meanwhile, it begins anew.
 */
static int push_packed_events(lua_State *L, const char *method) {
    char few[FEW_BYTES];
    const int top = lua_gettop(L);
    for (;;) {
        const size_t most = aoi_collected(check_open(L, method)->space);
        const size_t size = most * AOI_PACKED_EVENT;
        void *bytes = few;
        if (size > sizeof few)
            bytes = lua_newuserdata(L, size);
        struct space_userdata *self = check_open(L, method);
        const uint64_t drains = self->drains;
        aoi_cursor cursor = {0, 0};
        const size_t count = aoi_collected_packed(self->space, &cursor, most, bytes);
        lua_pushlstring(L, bytes, count * AOI_PACKED_EVENT);
        self = check_open(L, method);
        if (self->drains == drains) {
            take_out(L, self, count);
            lua_pushinteger(L, (lua_Integer)count);
            return 2;
        }
        lua_settop(L, top);
    }
}

/* Writes events into the table at index 2, from this slot on; behind it stand the upvalues. */
static void write_events(lua_State *L, const aoi_event *events, size_t count, lua_Integer slot) {
    for (size_t i = 0; i < count; i++, slot += 3) {
        lua_pushinteger(L, events[i].watcher);
        lua_rawseti(L, 2, slot);
        lua_pushinteger(L, events[i].marker);
        lua_rawseti(L, 2, slot + 1);
        lua_pushvalue(L, name_at[events[i].op]);
        lua_rawseti(L, 2, slot + 2);
    }
}

/* Fills the table at 2, or a new one, with all events, and only then drops them. */
static int push_events(lua_State *L, const char *method) {
    aoi_event events[64];
    const size_t most = sizeof events / sizeof *events;
    if (lua_isnil(L, 2)) {
        const size_t count = aoi_collected(check_open(L, method)->space);
        lua_createtable(L, count < INT32_MAX / 3 ? (int)(3 * count) : 0, 0);
        lua_replace(L, 2);
    }
    for (int upvalue = 1; upvalue <= UPVALUES; upvalue++)
        lua_pushvalue(L, lua_upvalueindex(upvalue));
    struct space_userdata *self = check_open(L, method);
    uint64_t serial = self->serial;
    aoi_cursor cursor = {0, 0};
    lua_Integer slots = 0;
    size_t more;
    while ((more = aoi_collected_events(self->space, &cursor, most, events)) > 0) {
        write_events(L, events, more, slots + 1);
        slots += 3 * (lua_Integer)more;
        if (self->serial != serial) { /* a finalizer used the space: read again */
            self = check_open(L, method);
            serial = self->serial;
            cursor = (aoi_cursor){0, 0};
            slots = 0;
        }
    }
    take_out(L, self, (size_t)slots / 3);
    end_list(L, 2, slots);
    lua_settop(L, 2);
    lua_pushinteger(L, slots / 3);
    return 2;
}

/* space:drain([t]) -> t, n: watcher, marker, op, ... */
static int space_drain(lua_State *L) {
    const char *method = "drain";
    const struct space_userdata *self = check_open(L, method);
    const bool packed = check_result(L, 2, method);
    if (aoi_collects(self->space) == 0)
        return luaL_error(L, "%s: the space was made without option collect", method);
    lua_settop(L, 2);
    return packed ? push_packed_events(L, method) : push_events(L, method);
}
