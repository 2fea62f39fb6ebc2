/* spaces.c - the life of a space: aoi.new and its options, aoi.load, save, close, tostring. */
#include <stdio.h>
#include <string.h>

#include "lua/delivery.h"
#include "lua/lua_versions.h"
#include "lua/values.h"

static void close_space(lua_State *L, struct space_userdata *self) {
    aoi_space *space = self->space;
    self->space = NULL;
    self->serial++;
    aoi_destroy(space);
    drop_handlers(L, self);
}

/* space:close(), also <close> */
static int space_close(lua_State *L) {
    struct space_userdata *self = check_space(L, "close");
    if (self->space != NULL)
        close_space(L, self);
    return 0;
}

/* __gc: also of whatever else a script has given this metatable; an error here would come out of
 * the middle of somebody else's code. */
static int space_collect(lua_State *L) {
    struct space_userdata *self = to_space(L, 1);
    if (self != NULL && self->space != NULL)
        close_space(L, self);
    return 0;
}

/* Bits of the note that aoi_save keeps for us. */
enum { NOTE_CLASSIC = 1 };

/* space:save() -> string */
static int space_save(lua_State *L) {
    for (;;) {
        const struct space_userdata *self = check_open(L, "save");
        const uint32_t note = self->classic ? NOTE_CLASSIC : 0;
        const uint64_t serial = self->serial;
        size_t size = aoi_save(self->space, note, NULL, 0);
        lua_settop(L, 1);
        void *bytes = lua_newuserdata(L, size); /* may run a finalizer that uses the space */
        if (self->serial == serial) {
            aoi_save(self->space, note, bytes, size);
            lua_pushlstring(L, bytes, size);
            return 1;
        }
    }
}

/* tostring(space) */
static int space_tostring(lua_State *L) {
    const struct space_userdata *self = check_space(L, "tostring");
    if (self->space == NULL) {
        lua_pushliteral(L, "aoi.space (closed)");
        return 1;
    }
    aoi_map map = aoi_map_of(self->space);
    const char *engine = aoi_engine_name(aoi_engine_of(self->space));
    lua_Integer count = (lua_Integer)aoi_count(self->space);
    const char *plural = count == 1 ? "entity" : "entities";
    if (map.bounded)
        lua_pushfstring(L, "aoi.space (%s, %I %s, map %s)", engine, (LUAI_UACINT)count, plural,
                        show_map(L, &map));
    else
        lua_pushfstring(L, "aoi.space (%s, %I %s, no map)", engine, (LUAI_UACINT)count, plural);
    return 1;
}

/* ------------------------------------------------------------------ */
/* Options                                                             */
/* ------------------------------------------------------------------ */

/* collect = true or { "enter", "leave", "move" }, on top of the stack. */
static uint32_t check_option_collect(lua_State *L, const char *method) {
    static const char expected[] = "true, or a list of \"enter\", \"leave\", \"move\", "
                                   "\"area_enter\" and \"area_leave\"";
    uint32_t ops = 0;
    if (lua_isboolean(L, -1))
        return lua_toboolean(L, -1) ? ALL_OPS : 0;
    if (!lua_istable(L, -1))
        bad_option(L, method, "collect", -1, expected);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const int op = find_name(L, -1, ROWS(op_names, UPVALUES));
        if (op >= 0)
            ops |= 1U << op;
        else
            bad_value(L, method, "an entry of option collect", -1, expected);
    }
    return ops;
}

/* record = true, on top of the stack. */
static bool check_option_record(lua_State *L, const char *method) {
    if (!lua_isboolean(L, -1))
        bad_option(L, method, "record", -1, "true or false");
    return lua_toboolean(L, -1);
}

/* The engine that the value at index names, or 0. */
static aoi_engine engine_from_name(lua_State *L, int index) {
    aoi_engine engine = (aoi_engine)0;
    if (lua_type(L, index) == LUA_TSTRING)
        engine = aoi_engine_from_name(lua_tostring(L, index));
    return engine != 0 && is_string(L, index, aoi_engine_name(engine)) ? engine : (aoi_engine)0;
}

static const char expected_engine[] = "\"grid\", \"crosslist\" or \"quadtree\"";

/* Complains of the key and value on top of the stack, from the table of options at index 1. */
static int unknown_option_of_new(lua_State *L) {
    static const char *const others[] = {"engine", "collect", "record"};
    struct names names = {.count = 0};
    size_t count;
    const int key = lua_gettop(L) - 1;
    const aoi_option_info *table = aoi_option_table(&count);
    lua_pushliteral(L, "engine");
    lua_rawget(L, 1);
    aoi_engine engine = engine_from_name(L, -1);
    lua_pop(L, 1);
    add_names(&names, ROWS(others, 1));
    for (size_t i = 0; i < count; i++) {
        if (engine == 0 || table[i].takes >> engine & 1)
            add_names(&names, ROWS(&table[i], 1));
    }
    add_names(&names, ROWS(others + 1, 2));
    add_names(&names, handler_rows());
    const char *whose = "";
    if (engine != 0)
        whose = lua_pushfstring(L, "an option of the %s engine: ", aoi_engine_name(engine));
    return unknown_option(L, key, "new", whose, &names);
}

/* Complains of the key and value on top of the stack. */
static int unknown_option_of_load(lua_State *L) {
    static const char *const others[] = {"collect", "record"};
    struct names names = {.count = 0};
    add_names(&names, handler_rows());
    add_names(&names, ROWS(others, 2));
    return unknown_option(L, lua_gettop(L) - 1, "load", "", &names);
}

/* Takes the option whose name and value are on top of the stack. */
static void take_option(lua_State *L, aoi_options *options) {
    size_t count;
    const aoi_option_info *table = aoi_option_table(&count);
    const int row = find_name(L, -2, ROWS(table, count));
    if (row >= 0) {
        /* Whether a number is in its range is for the core to say. */
        aoi_type type = table[row].type == AOI_LENGTH ? AOI_NUMBER : table[row].type;
        const char *expected = take_value(L, -1, type, (char *)options + table[row].offset);
        options->given |= table[row].bit;
        if (expected != NULL)
            bad_option(L, "new", table[row].name, -1, expected);
    } else if (is_string(L, -2, "engine")) {
        options->engine = engine_from_name(L, -1);
        if (options->engine == 0)
            bad_option(L, "new", "engine", -1, expected_engine);
    } else if (is_string(L, -2, "collect")) {
        options->collect = check_option_collect(L, "new");
    } else {
        unknown_option_of_new(L);
    }
}

/* ------------------------------------------------------------------ */
/* Making and loading                                                  */
/* ------------------------------------------------------------------ */

/* Pushes the userdata of a space to be. The upvalues of the caller are the metatables of spaces and
 * of THREADS. */
static struct space_userdata *push_space(lua_State *L) {
    struct space_userdata *self = new_userdata(L, sizeof *self);
    int index = lua_gettop(L);
    memset(self, 0, sizeof *self);
    self->tag = &space_tag;
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    self->main_thread = lua_tothread(L, -1);
    lua_pop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_setmetatable(L, index);
    lua_newtable(L);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_setmetatable(L, -2);
    set_reference(L, index, THREADS);
    return self;
}

static aoi_status try_new(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    aoi_complaint complaint;
    aoi_status status = aoi_create(attempt->options, &self->space, &complaint);
    return complain_in_words(L, attempt, status, &complaint);
}

/*
 * core.new(options [, callback]) -> space
 * callback: the classic one, called with (space, watcher, marker, op).
 */
static int core_new(lua_State *L) {
    struct attempt attempt = {.method = "new", .makes_space = true};
    if (!lua_istable(L, 1))
        bad_value(L, attempt.method, "options", 1, "a table of options");
    lua_settop(L, 2);
    if (!lua_isnil(L, 2) && !lua_isfunction(L, 2))
        bad_value(L, attempt.method, "callback", 2, "a function");
    struct space_userdata *self = push_space(L);

    aoi_options options = aoi_options_default(AOI_GRID);
    options.allocator = lua_getallocf(L, &options.allocator_userdata);
    bool records = false;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (find_name(L, -2, handler_rows()) >= 0) {
            set_handler(L, 3, check_handler(L, attempt.method));
        } else if (is_string(L, -2, "record")) {
            records = check_option_record(L, attempt.method);
            lua_pop(L, 1);
        } else {
            take_option(L, &options);
            lua_pop(L, 1);
        }
    }
    if (!lua_isnil(L, 2)) {
        lua_pushvalue(L, 2);
        set_handler(L, 3, ON_EVENT);
        self->classic = true;
    }
    attempt.self = self;
    attempt.options = &options;
    call_core(L, &attempt, try_new);
    listen_for_handlers(self);
    aoi_record(self->space, records);
    lua_settop(L, 3);
    return 1;
}

/* Makes the core's space from the string at index 1. */
static aoi_status try_load(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    void *userdata;
    aoi_allocator allocator = lua_getallocf(L, &userdata);
    size_t size;
    const char *bytes = lua_tolstring(L, 1, &size);
    aoi_complaint complaint;
    uint32_t note = 0;
    aoi_status status = aoi_load(bytes, size, allocator, userdata, &self->space, &note, &complaint);
    complain_in_words(L, attempt, status, &complaint);
    if (status == AOI_OK && note > NOTE_CLASSIC)
        luaL_error(L, "%s: the note is %I, expected 0 or 1: the string was not saved from Lua",
                   attempt->method, (LUAI_UACINT)note);
    self->classic = note == NOTE_CLASSIC;
    return status;
}

/* core.load(string [, handlers]) -> space */
static int core_load(lua_State *L) {
    struct attempt attempt = {.method = "load", .makes_space = true};
    if (lua_type(L, 1) != LUA_TSTRING)
        bad_value(L, attempt.method, "the first argument", 1, "a string from space:save()");
    if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2))
        bad_value(L, attempt.method, "handlers", 2, "a table of handlers");
    check_no_more(L, 3, attempt.method, "handlers");
    lua_settop(L, 2);
    struct space_userdata *self = push_space(L);
    attempt.self = self;
    const bool has_options = lua_istable(L, 2);
    bool has_collect = false, records = false;
    uint32_t collect = 0;
    lua_pushnil(L);
    while (has_options && lua_next(L, 2)) {
        if (is_string(L, -2, "collect")) {
            has_collect = true;
            collect = check_option_collect(L, attempt.method);
            lua_pop(L, 1);
        } else if (is_string(L, -2, "record")) {
            records = check_option_record(L, attempt.method);
            lua_pop(L, 1);
        } else {
            if (find_name(L, -2, handler_rows()) < 0)
                unknown_option_of_load(L);
            set_handler(L, 3, check_handler(L, attempt.method));
        }
    }
    call_core(L, &attempt, try_load);
    if (has_collect)
        aoi_collect(self->space, collect);
    aoi_record(self->space, records);
    /* A table with options alone says nothing of handlers: what waits does so until there are. */
    lua_pushnil(L);
    const bool is_empty = has_options && lua_next(L, 2) == 0;
    if (is_empty || self->handlers != 0)
        listen_for_handlers(self);
    lua_settop(L, 3);
    return 1;
}
