/* records.c - the methods and functions of records: record, recorded, aoi.replay, aoi.record_span.
 */
#include "lua/delivery.h"
#include "lua/values.h"

/* space:record(on) */
static int space_record(lua_State *L) {
    const char *method = "record";
    const struct space_userdata *self = check_open(L, method);
    if (!lua_isboolean(L, 2))
        bad_value(L, method, "on", 2, "true or false");
    check_no_more(L, 3, method, "on");
    aoi_record(self->space, lua_toboolean(L, 2));
    return 0;
}

/*
 * space:recorded() -> string
 * What it gives is dropped only when the string is made, which may run a
 * finalizer that uses the space, or takes the same bytes: then it begins anew.
 */
static int space_recorded(lua_State *L) {
    for (;;) {
        struct space_userdata *self = check_open(L, "recorded");
        const uint64_t takes = self->takes;
        const size_t size = aoi_recorded(self->space, NULL, 0);
        lua_settop(L, 1);
        if (size == 0) {
            lua_pushliteral(L, "");
            return 1;
        }
        void *bytes = lua_newuserdata(L, size);
        self = check_open(L, "recorded");
        if (self->takes != takes || aoi_recorded(self->space, NULL, 0) != size)
            continue;
        aoi_recorded(self->space, bytes, size);
        lua_pushlstring(L, bytes, size);
        self = check_open(L, "recorded");
        if (self->takes != takes)
            continue;
        self->takes++;
        aoi_drop_recorded(self->space, size);
        return 1;
    }
}

/* Where the table of option events stands, or nil. */
enum { REPLAY_EVENTS = 4 };

/* The handlers listen again; what waits is dropped. */
static void listen_for_nothing_else(const struct space_userdata *self) {
    aoi_drop_pending(self->space);
    listen_for_handlers(self);
}

static const char expected_record[] = "a string from space:recorded()";

/* A count in the table at index; the greatest where there is none. */
static uint64_t check_moment_field(lua_State *L, int index, const char *method, const char *name) {
    uint64_t count = UINT64_MAX;
    lua_pushstring(L, name);
    lua_rawget(L, index);
    if (!lua_isnil(L, -1)) {
        char what[40];
        snprintf(what, sizeof what, "option %s", name);
        count = (uint64_t)check_count(L, lua_gettop(L), method, what, LUA_MAXINTEGER,
                                      "an integer from 0 up");
    }
    lua_pop(L, 1);
    return count;
}

/* Complains of the options at index, unless all are known. */
static void check_replay_options(lua_State *L, int index, const char *method) {
    static const char *const known[] = {"tick", "calls", "events"};
    enum { KNOWN = sizeof known / sizeof *known };
    if (!lua_istable(L, index))
        bad_value(L, method, "options", index, "a table with tick, calls or events");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        int i = 0;
        while (i < KNOWN && !is_string(L, -2, known[i]))
            i++;
        if (i == KNOWN) {
            struct names names = {.count = 0};
            for (i = 0; i < KNOWN; i++)
                add_name(&names, known[i]);
            unknown_option(L, lua_gettop(L) - 1, method, "", &names);
        }
        lua_pop(L, 1);
    }
}

/* Pushes the table that option events names, or nil. */
static void push_events_table(lua_State *L, int index, const char *method) {
    lua_pushnil(L);
    if (!lua_istable(L, index))
        return;
    lua_pop(L, 1);
    lua_pushliteral(L, "events");
    lua_rawget(L, index);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1))
        bad_value(L, method, "option events", lua_gettop(L), "a table");
}

/* Takes what waits out of the space at index 1, into the table at index 2; returns how many. */
static int take_events(lua_State *L) {
    lua_Integer slot = 0;
    aoi_telling telling;
    const struct space_userdata *self = check_open(L, "replay");
    /* Not by aoi_next_event: a call here would keep it from being inlined in deliveries. A
     * finalizer may set other handlers: from the next change on it waits for these, and is dropped.
     */
    while (aoi_peek(self->space, &telling) && telling.kind == AOI_TELL_EVENT) {
        aoi_told(self->space);
        lua_pushinteger(L, telling.event.watcher);
        lua_rawseti(L, 2, ++slot);
        lua_pushinteger(L, telling.event.marker);
        lua_rawseti(L, 2, ++slot);
        lua_pushvalue(L, op_upvalue(telling.event.op));
        lua_rawseti(L, 2, ++slot);
        self = check_open(L, "replay"); /* a finalizer may have closed it */
    }
    end_list(L, 2, slot);
    lua_pushinteger(L, slot / 3);
    return 1;
}

/* No handler hears of it: only who gathers events here listens meanwhile, and what waits before is
 * dropped. */
static aoi_status try_replay(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    size_t size;
    if (lua_type(L, 2) != LUA_TSTRING)
        bad_value(L, attempt->method, "the record", 2, expected_record);
    const char *bytes = lua_tolstring(L, 2, &size);
    aoi_moment until = {UINT64_MAX, UINT64_MAX};
    if (!lua_isnoneornil(L, 3)) {
        check_replay_options(L, 3, attempt->method);
        until.calls = check_moment_field(L, 3, attempt->method, "calls");
        until.ticks = check_moment_field(L, 3, attempt->method, "tick");
    }
    aoi_complaint complaint;
    aoi_span span;
    aoi_status status = aoi_record_span(bytes, size, &span, &complaint);
    if (status == AOI_OK) {
        const bool gathers = lua_istable(L, REPLAY_EVENTS);
        self->clears++;
        self->drains++;
        aoi_drop_pending(self->space);
        aoi_listen(self->space, gathers ? ALL_OPS : 0, AOI_TELL_EVENT);
        status = aoi_replay(self->space, bytes, size, &span, &until, &complaint);
        if (status != AOI_OK || !gathers)
            listen_for_nothing_else(self);
    }
    return complain_in_words(L, attempt, status, &complaint);
}

/* aoi.replay(space, string [, options]) -> with option events: that table, number of events */
static int core_replay(lua_State *L) {
    struct attempt attempt = {.method = "replay"};
    check_no_more(L, 4, attempt.method, "the options");
    lua_settop(L, 3);
    check_open(L, attempt.method);
    push_events_table(L, 3, attempt.method);
    struct space_userdata *self = call_core(L, &attempt, try_replay);
    if (lua_isnil(L, REPLAY_EVENTS))
        return 0;
    for (int upvalue = 1; upvalue <= UPVALUES; upvalue++)
        lua_pushvalue(L, lua_upvalueindex(upvalue));
    lua_pushcclosure(L, take_events, UPVALUES);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, REPLAY_EVENTS);
    const int outcome = lua_pcall(L, 2, 1, 0);
    if (self->space != NULL)
        listen_for_nothing_else(self);
    if (outcome != LUA_OK)
        return lua_error(L);
    return 2;
}

static void set_moment(lua_State *L, const char *calls, const char *tick, aoi_moment moment) {
    lua_pushinteger(L, (lua_Integer)moment.calls);
    lua_setfield(L, -2, calls);
    lua_pushinteger(L, (lua_Integer)moment.ticks);
    lua_setfield(L, -2, tick);
}

/* aoi.record_span(string) -> table [, complaint]: from where to where it goes, and how many bytes
 * of it are whole; the complaint says why not all of them. */
static int core_record_span(lua_State *L) {
    const char *method = "record_span";
    size_t size;
    if (lua_type(L, 1) != LUA_TSTRING)
        bad_value(L, method, "the record", 1, expected_record);
    check_no_more(L, 2, method, "the record");
    lua_settop(L, 1);
    const char *bytes = lua_tolstring(L, 1, &size);
    aoi_span span;
    aoi_complaint complaint;
    const aoi_status status = aoi_record_span(bytes, size, &span, &complaint);
    lua_createtable(L, 0, 5);
    set_moment(L, "from_calls", "from_tick", span.from);
    set_moment(L, "to_calls", "to_tick", span.to);
    lua_pushinteger(L, (lua_Integer)span.whole);
    lua_setfield(L, -2, "whole");
    if (status == AOI_OK)
        return 1;
    lua_pushstring(L, complaint.text);
    return 2;
}
