/* delivery.c - tells handlers of the events that wait, one by one or in groups. */
#include "lua/delivery.h"
#include "lua/lua_versions.h"

/* Work that remains when a handler has returned: the context of a continuation. */
enum {
    TELL_NEXT = 0,
    TELL_KIND, /* the event at FRAME_WATCHER: its on_enter, ... */
    TELL_DONE  /* a group: its arrays can be used again */
};

/* The message handler of handlers: finds out which event this is and calls on_error. Lua finds a
 * frame in O(its level): where the error is deep in the handler's own calls, this leaves it to
 * report_unreported. */
static int report_error(lua_State *L) {
    enum { DEEPEST = 200 };
    lua_Debug frame;
    lua_settop(L, 1);
    /* The innermost delivering frame with an on_error; a space without one, between here and
     * there, lets the error pass. */
    for (int level = 0; level < DEEPEST && lua_getstack(L, level, &frame); level++) {
        if (!is_delivery_frame(L, &frame))
            continue;
        lua_settop(L, 1);
        if (lua_getlocal(L, &frame, FRAME_ON_ERROR) == NULL || !lua_isfunction(L, 2))
            continue;
        lua_pushboolean(L, 1);
        lua_setlocal(L, &frame, FRAME_IS_REPORTED);
        lua_pushvalue(L, 1);
        lua_getlocal(L, &frame, FRAME_WATCHER);
        lua_getlocal(L, &frame, FRAME_MARKER);
        lua_getlocal(L, &frame, FRAME_OP);
        if (lua_pcall(L, 4, 0, 0) != LUA_OK)
            warn(L, "aoi: on_error raised an error itself");
        break;
    }
    lua_settop(L, 1);
    return 1;
}

static int continue_delivery(lua_State *L, int status, lua_KContext context);

/* The handler of a kind. */
static const uint8_t handler_of[] = {[AOI_ENTER] = ON_ENTER,
                                     [AOI_LEAVE] = ON_LEAVE,
                                     [AOI_MOVE] = ON_MOVE,
                                     [AOI_AREA_ENTER] = ON_AREA,
                                     [AOI_AREA_LEAVE] = ON_AREA};

static void push_op(lua_State *L, aoi_op op) {
    lua_pushvalue(L, lua_upvalueindex(name_at[op] - 2));
}

/* A lack of memory ends a call without its message handler, and that does not look for the event
 * of an error that is deep: on_error hears of it now. The error is on top of the stack. */
static void report_unreported(lua_State *L, int status) {
    if (status == LUA_OK || status == LUA_YIELD)
        return;
    if (lua_toboolean(L, FRAME_IS_REPORTED) && status != LUA_ERRMEM && status != LUA_ERRERR)
        return;
    lua_pushvalue(L, FRAME_ON_ERROR);
    lua_insert(L, -2);
    lua_pushvalue(L, FRAME_WATCHER);
    lua_pushvalue(L, FRAME_MARKER);
    lua_pushvalue(L, FRAME_OP);
    if (lua_pcall(L, 4, 0, 0) != LUA_OK)
        warn(L, "aoi: on_error raised an error itself");
}

/* Calls a handler with the count arguments above it on the stack; protected: errors go to the
 * on_error in the frame. */
static void call_handler(lua_State *L, int count, bool is_protected, lua_KContext context) {
    if (!is_protected) {
        lua_callk(L, count, 0, context, continue_delivery);
        return;
    }
    lua_pushboolean(L, 0);
    lua_replace(L, FRAME_IS_REPORTED);
    lua_pushcfunction(L, report_error);
    int handler = lua_gettop(L) - count - 1;
    lua_insert(L, handler);
    int status = lua_pcallk(L, count, 0, handler, context, continue_delivery);
    report_unreported(L, status);
    lua_settop(L, handler - 1); /* an error, if there was one, is known to on_error */
}

/* on_event has heard the event in the frame; now the handler of its kind, unless on_event has
 * closed or cleared the space. */
static void finish_event(lua_State *L, const struct space_userdata *self) {
    if (self->space == NULL || lua_tointeger(L, FRAME_CLEARS) != (lua_Integer)self->clears)
        return;
    lua_pushvalue(L, FRAME_SECOND);
    lua_pushvalue(L, FRAME_WATCHER);
    lua_pushvalue(L, FRAME_MARKER);
    call_handler(L, 2, lua_isfunction(L, FRAME_ON_ERROR), TELL_NEXT);
}

/* HANDLER_BIT of the handlers in a set: 0, or EARLIER. */
static unsigned handlers_in(const struct space_userdata *self, int set) {
    return set == 0 ? self->handlers : self->earlier;
}

/* Tells one event: on_event first, then the handler of its kind; of an area only the latter. */
static void tell_event(lua_State *L, const struct space_userdata *self, int set,
                       const aoi_event *event) {
    const unsigned handlers = handlers_in(self, set);
    const int kind = handler_of[event->op];
    bool has_event = kind != ON_AREA && (handlers & HANDLER_BIT(ON_EVENT)) != 0;
    bool has_kind = (handlers & HANDLER_BIT(kind)) != 0;
    bool is_protected = (handlers & HANDLER_BIT(ON_ERROR)) != 0;
    lua_settop(L, FRAME_RESULT); /* the on_error of the event before hears of this one no more */
    if (is_protected || (has_event && has_kind)) {
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        push_op(L, event->op);
        get_reference(L, FRAME_SPACE, set + ON_ERROR);
        get_reference(L, FRAME_SPACE, set + kind);
        lua_pushnil(L); /* FRAME_IS_REPORTED */
        lua_pushinteger(L, (lua_Integer)self->clears);
    }
    if (has_event) {
        get_reference(L, FRAME_SPACE, set + ON_EVENT);
        if (self->classic)
            lua_pushvalue(L, FRAME_SPACE);
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        push_op(L, event->op);
        call_handler(L, self->classic ? 4 : 3, is_protected, has_kind ? TELL_KIND : TELL_NEXT);
        if (has_kind)
            finish_event(L, self);
    } else if (has_kind) {
        get_reference(L, FRAME_SPACE, set + kind);
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        if (kind == ON_AREA)
            push_op(L, event->op == AOI_AREA_ENTER ? AOI_ENTER : AOI_LEAVE);
        call_handler(L, kind == ON_AREA ? 3 : 2, is_protected, TELL_NEXT);
    }
}

/* Pushes the array of this number: 0, 1 or 2. */
static void take_array(lua_State *L, int number) {
    get_reference(L, FRAME_SPACE, ARRAYS + number);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
    }
    lua_pushnil(L);
    set_reference(L, FRAME_SPACE, ARRAYS + number);
}

/* The handler has returned: its arrays serve the next one. */
static void give_arrays_back(lua_State *L) {
    for (int number = 0; number < 3; number++) {
        if (lua_istable(L, FRAME_ARRAYS + number)) {
            lua_pushvalue(L, FRAME_ARRAYS + number);
            set_reference(L, FRAME_SPACE, ARRAYS + number);
        }
    }
    lua_settop(L, FRAME_RESULT);
}

static const aoi_list *list_of(const aoi_telling *telling, int number) {
    if (telling->kind != AOI_TELL_VIEW)
        return &telling->others;
    return number == 0 ? &telling->left : number == 1 ? &telling->entered : &telling->moved;
}

/*
 * Fills the arrays of a group with the lists of the telling. To make or fill them
 * can run a finalizer that uses the space, and the lists are the queue's: then
 * they are looked up again. False: that finalizer has cleared or closed the
 * space, or has set other handlers before the change began.
 */
static bool fill_arrays(lua_State *L, const struct space_userdata *self, aoi_telling *telling,
                        int arrays) {
    const uint64_t same = telling->number;
    uint64_t serial =
        self->serial - 1; /* the arrays have been made since the lists were looked up */
    for (int number = 0; number < arrays; number++) {
        const size_t count = list_of(telling, number)->count;
        for (size_t i = 0; i <= count; i++) {
            if (self->serial != serial) {
                serial = self->serial;
                if (self->space == NULL || !aoi_peek(self->space, telling) ||
                    telling->number != same)
                    return false;
            }
            if (i < count) {
                lua_pushinteger(L, list_of(telling, number)->ids[i]);
                lua_rawseti(L, FRAME_ARRAYS + number, (lua_Integer)i + 1);
            }
        }
        end_list(L, FRAME_ARRAYS + number, (lua_Integer)count);
    }
    return true;
}

/* Tells the group that aoi_peek gave. */
static void tell_group(lua_State *L, struct space_userdata *self, aoi_telling *telling) {
    bool is_view = telling->kind == AOI_TELL_VIEW, of_marker = telling->kind == AOI_TELL_WATCHERS;
    int arrays = is_view ? 3 : 1;
    lua_settop(L, FRAME_RESULT);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    if (of_marker)
        lua_pushnil(L);
    lua_pushinteger(L, telling->subject);
    if (!of_marker)
        lua_pushnil(L);
    if (is_view)
        lua_pushnil(L);
    else
        push_op(L, telling->op);
    get_reference(L, FRAME_SPACE, next_set(L, self) + ON_ERROR);
    lua_pushnil(L); /* FRAME_SECOND */
    lua_pushnil(L); /* FRAME_IS_REPORTED */
    for (int number = 0; number < arrays; number++)
        take_array(L, number);
    lua_settop(L, FRAME_LAST_ARRAY);
    if (!fill_arrays(L, self, telling, arrays)) {
        give_arrays_back(L);
        return;
    }
    size_t counts[3];
    for (int number = 0; number < arrays; number++)
        counts[number] = list_of(telling, number)->count;
    /* Not sooner: a finalizer may have replaced the handlers, amid the change. */
    const int handler = is_view ? ON_VIEW : of_marker ? ON_WATCHERS : ON_MARKERS;
    get_reference(L, FRAME_SPACE, next_set(L, self) + handler);
    aoi_told(self->space);
    lua_pushinteger(L, telling->subject);
    if (!is_view)
        lua_pushvalue(L, FRAME_OP);
    for (int number = 0; number < arrays; number++) {
        lua_pushvalue(L, FRAME_ARRAYS + number);
        lua_pushinteger(L, (lua_Integer)counts[number]);
    }
    call_handler(L, is_view ? 7 : 4, lua_isfunction(L, FRAME_ON_ERROR), TELL_DONE);
    give_arrays_back(L);
}

/* Ends a delivery; returns the number of results. */
static int end_delivery(lua_State *L) {
    if (lua_isnil(L, FRAME_RESULT))
        return 0;
    lua_settop(L, FRAME_RESULT);
    return 1;
}

/* True when every event is told to one handler and nobody hears of errors: on_event alone, or no
 * others than on_enter, on_leave and on_move. */
static bool tells_plainly(unsigned handlers) {
    const unsigned kinds = HANDLER_BIT(ON_ENTER) | HANDLER_BIT(ON_LEAVE) | HANDLER_BIT(ON_MOVE);
    return handlers == HANDLER_BIT(ON_EVENT) || ((handlers & kinds) != 0 && !(handlers & ~kinds));
}

/* Tells events as long as that is so: the usual case, without its general cost. */
static void tell_plainly(lua_State *L, const struct space_userdata *self) {
    aoi_event event;
    while (tells_plainly(self->handlers) && self->space != NULL &&
           aoi_next_event(self->space, &event)) {
        if (self->handlers == HANDLER_BIT(ON_EVENT)) {
            get_reference(L, FRAME_SPACE, ON_EVENT);
            if (self->classic)
                lua_pushvalue(L, FRAME_SPACE);
            lua_pushinteger(L, event.watcher);
            lua_pushinteger(L, event.marker);
            push_op(L, event.op);
            lua_callk(L, self->classic ? 4 : 3, 0, TELL_NEXT, continue_delivery);
        } else {
            get_reference(L, FRAME_SPACE, handler_of[event.op]);
            lua_pushinteger(L, event.watcher);
            lua_pushinteger(L, event.marker);
            lua_callk(L, 2, 0, TELL_NEXT, continue_delivery);
        }
    }
}

/* Tells the next of what waits; false when nothing does. */
static bool tell_next(lua_State *L, struct space_userdata *self) {
    const unsigned grouped =
        HANDLER_BIT(ON_VIEW) | HANDLER_BIT(ON_WATCHERS) | HANDLER_BIT(ON_MARKERS);
    int set = next_set(L, self);
    aoi_telling telling;
    if (!(handlers_in(self, set) & grouped)) {
        if (!aoi_next_event(self->space, &telling.event))
            return false;
    } else {
        if (!aoi_peek(self->space, &telling))
            return false;
        if (telling.kind != AOI_TELL_EVENT && telling.kind != AOI_TELL_AREA) {
            tell_group(L, self, &telling);
            return true;
        }
        set = next_set(L, self); /* the change of those before may have been over */
        aoi_told(self->space);
    }
    tell_event(L, self, set, &telling.event);
    return true;
}

/* Tells what waits, until nothing does. */
static int run_delivery(lua_State *L, struct space_userdata *self) {
    tell_plainly(L, self);
    while (self->space != NULL && tell_next(L, self))
        continue;
    self->deliverer = NULL;
    return end_delivery(L);
}

/* A handler that had yielded has returned (or raised, under on_error). */
static int continue_delivery(lua_State *L, int status, lua_KContext context) {
    struct space_userdata *self = lua_touserdata(L, FRAME_SPACE);
    self->serial++;
    report_unreported(L, status);
    if (context == TELL_DONE) {
        lua_settop(L, FRAME_LAST_ARRAY);
        give_arrays_back(L);
    } else if (context == TELL_KIND) {
        lua_settop(L, FRAME_CLEARS);
        finish_event(L, self);
    }
    lua_settop(L, FRAME_RESULT);
    if (self->deliverer != L) {
        /* Others delivered meanwhile; perhaps one still does. */
        lua_pushthread(L);
        mark_taken_over(L, false);
        if (is_delivering(L, self))
            return end_delivery(L);
        self->deliverer = L;
    }
    return run_delivery(L, self);
}

/*
 * The end of every changing call: delivers what waits. With has_result the
 * stack is [space, result], and the result is what the call returns.
 */
static int finish_change(lua_State *L, struct space_userdata *self, bool has_result) {
    enum { LARGEST_FRAME = 256 + LUA_MINSTACK }; /* of a Lua function, and what we push */
    /* A space that was loaded without handlers keeps its events until it has some. */
    if (aoi_pending(self->space) == 0 || self->handlers == 0 || is_delivering(L, self))
        return has_result ? 1 : 0;
    if (has_result) {
        push_mark(L);
        lua_insert(L, FRAME_MARK);
    } else {
        lua_settop(L, FRAME_SPACE);
        push_mark(L);
        lua_pushnil(L); /* FRAME_RESULT */
    }
    register_thread(L, self);
    /* From here on handlers can start: they lack neither stack nor a record of their call, which
     * Lua keeps for the next call from this frame. Otherwise memory could run out after an event
     * has left the queue and before its handler hears of it. */
    if (!lua_checkstack(L, LUA_MINSTACK + LARGEST_FRAME))
        raise_memory_error(L);
    lua_pushcfunction(L, do_nothing);
    lua_call(L, 0, 0);
    self->deliverer = L;
    return run_delivery(L, self);
}
