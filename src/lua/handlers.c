/* handlers.c - the handlers of a space: their names, the events that they want, method on. */
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/lua_versions.h"

/* Each handler, by number: the kinds of events that it needs, and how it wants to be told. */
static const struct {
    const char *name;
    uint32_t ops, wants;
} handlers[HANDLERS_END] = {
    [ON_EVENT] = {"on_event", PAIR_OPS, AOI_TELL_EVENT},
    [ON_ENTER] = {"on_enter", AOI_ENTER, AOI_TELL_EVENT},
    [ON_LEAVE] = {"on_leave", AOI_LEAVE, AOI_TELL_EVENT},
    [ON_MOVE] = {"on_move", AOI_MOVE, AOI_TELL_EVENT},
    [ON_WATCHERS] = {"on_watchers", PAIR_OPS, AOI_TELL_WATCHERS},
    [ON_MARKERS] = {"on_markers", PAIR_OPS, AOI_TELL_MARKERS},
    [ON_VIEW] = {"on_view", PAIR_OPS, AOI_TELL_VIEW},
    [ON_AREA] = {"on_area", AREA_OPS, AOI_TELL_AREA},
    [ON_ERROR] = {"on_error", 0, 0},
};

static struct rows handler_rows(void) {
    return ROWS(handlers + 1, HANDLERS_END - 1);
}

/* The handler that the key below the value on top of the stack names; raises unless it is one and
 * the value is a function. */
static int check_handler(lua_State *L, const char *method) {
    const int which = 1 + check_name(L, method, handler_rows());
    if (!lua_isfunction(L, -1))
        bad_option(L, method, handlers[which].name, -1, "a function");
    return which;
}

/* Pops a handler, for the space at index. */
static void set_handler(lua_State *L, int index, int which) {
    struct space_userdata *self = lua_touserdata(L, index);
    self->handlers |= HANDLER_BIT(which);
    set_reference(L, index, which);
}

/* Takes the handlers of a set from the space at index 1. set: 0, or EARLIER. */
static void drop_set(lua_State *L, int set) {
    for (int which = 1; which < HANDLERS_END; which++) {
        lua_pushnil(L);
        set_reference(L, 1, set + which);
    }
}

static void drop_handlers(lua_State *L, struct space_userdata *self) {
    self->handlers = 0;
    drop_set(L, 0);
    drop_set(L, EARLIER);
}

static int next_set(lua_State *L, struct space_userdata *self) {
    if (!(self->handlers & HAS_EARLIER))
        return 0;
    if (aoi_is_midway(self->space))
        return EARLIER;
    self->handlers &= ~HAS_EARLIER;
    drop_set(L, EARLIER);
    return 0;
}

/* Tells the core what the handlers need. */
static void listen_for_handlers(const struct space_userdata *self) {
    uint32_t ops = 0, wants = 0;
    for (int which = 1; which < HANDLERS_END; which++) {
        if (self->handlers & HANDLER_BIT(which)) {
            ops |= handlers[which].ops;
            wants |= handlers[which].wants;
        }
    }
    aoi_listen(self->space, ops, wants);
}

/* space:on{ on_event = f, ... } */
static int space_on(lua_State *L) {
    const char *method = "on";
    struct space_userdata *self = check_open(L, method);
    if (!lua_istable(L, 2))
        bad_value(L, method, "handlers", 2, "a table of handlers");
    lua_settop(L, 2);
    unsigned given = 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        given |= HANDLER_BIT(check_handler(L, method));
    /* All is well: from here on nothing raises. */
    const unsigned before = self->handlers;
    const bool was_midway = next_set(L, self) == EARLIER;
    self->handlers = given;
    listen_for_handlers(self);
    if (aoi_is_midway(self->space)) {
        self->handlers |= HAS_EARLIER;
        if (!was_midway) /* the handlers before have begun a change, and tell it to its end */
            self->earlier = before;
        for (int which = 1; which < HANDLERS_END && !was_midway; which++) {
            get_reference(L, 1, which);
            set_reference(L, 1, EARLIER + which);
        }
    }
    drop_set(L, 0);
    lua_pushnil(L);
    while (lua_next(L, 2))
        set_reference(L, 1, 1 + find_name(L, -2, handler_rows()));
    return 0;
}
