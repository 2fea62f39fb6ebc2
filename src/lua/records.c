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

/* Until when the options at index say to replay; the greatest moment where they do not. */
static aoi_moment check_until(lua_State *L, int index, const char *method) {
    static const char *const known[] = {"tick", "calls", "events"};
    aoi_moment until = {UINT64_MAX, UINT64_MAX};
    if (lua_isnoneornil(L, index))
        return until;
    if (!lua_istable(L, index))
        bad_value(L, method, "options", index, "a table with tick, calls or events");
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const int option = check_name(L, method, ROWS(known, 3));
        lua_Integer count;
        if (option == 2)
            continue;
        if (!read_integer(L, -1, &count) || count < 0)
            bad_option(L, method, known[option], -1, "an integer from 0 up");
        *(option == 0 ? &until.ticks : &until.calls) = (uint64_t)count;
    }
    return until;
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
        push_op(L, telling.event.op);
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
    const aoi_moment until = check_until(L, 3, attempt->method);
    aoi_complaint complaint;
    aoi_span span;
    aoi_status status = aoi_record_span(bytes, size, &span, &complaint);
    static const aoi_moment now = {0, 0};
    if (status == AOI_OK) /* until now: only a record that does not follow is refused */
        status = aoi_replay(self->space, bytes, size, &span, &now, &complaint);
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
    if (to_space(L, 1) == NULL)
        bad_value(L, "replay", "space", 1, "a space");
    check_no_more(L, 4, attempt.method, "the options");
    lua_settop(L, 3);
    check_open(L, attempt.method);
    if (lua_istable(L, 3)) {
        lua_pushliteral(L, "events");
        lua_rawget(L, 3);
    } else {
        lua_pushnil(L);
    }
    if (!lua_isnil(L, REPLAY_EVENTS) && !lua_istable(L, REPLAY_EVENTS))
        bad_option(L, attempt.method, "events", REPLAY_EVENTS, "a table");
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
    set_count(L, "from_calls", span.from.calls);
    set_count(L, "from_tick", span.from.ticks);
    set_count(L, "to_calls", span.to.calls);
    set_count(L, "to_tick", span.to.ticks);
    set_count(L, "whole", span.whole);
    if (status == AOI_OK)
        return 1;
    lua_pushstring(L, complaint.text);
    return 2;
}
