/* handlers.c - the handlers of a space: their names, the events that they want, method on. */
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/lua_versions.h"

static const char *const handler_names[HANDLERS_END] = {
    [ON_EVENT] = "on_event", [ON_ENTER] = "on_enter",       [ON_LEAVE] = "on_leave",
    [ON_MOVE] = "on_move",   [ON_WATCHERS] = "on_watchers", [ON_MARKERS] = "on_markers",
    [ON_VIEW] = "on_view",   [ON_AREA] = "on_area",         [ON_ERROR] = "on_error",
};

/* The handler that the string at index names, or 0. */
static int handler_from_name(lua_State *L, int index) {
    for (int which = 1; which < HANDLERS_END; which++) {
        if (is_string(L, index, handler_names[which]))
            return which;
    }
    return 0;
}

static void add_handler_names(struct names *names) {
    for (int which = 1; which < HANDLERS_END; which++)
        add_name(names, handler_names[which]);
}

/* The handler that the key below the value on top of the stack names; raises unless it is one and
 * the value is a function. */
static int check_handler(lua_State *L, const char *method) {
    int which = handler_from_name(L, -2);
    if (which == 0) {
        struct names names = {.count = 0};
        add_handler_names(&names);
        unknown_option(L, lua_gettop(L) - 1, method, "", &names);
    }
    char what[40];
    snprintf(what, sizeof what, "option %s", handler_names[which]);
    if (!lua_isfunction(L, -1))
        bad_value(L, method, what, -1, "a function");
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

/* The handlers of the space at index 1 have begun a change, and are about to be replaced. */
static void keep_handlers(lua_State *L, struct space_userdata *self, unsigned handlers) {
    self->earlier = handlers;
    for (int which = 1; which < HANDLERS_END; which++) {
        get_reference(L, 1, which);
        set_reference(L, 1, EARLIER + which);
    }
}

/* The kinds of events that a set of handlers needs. */
static uint32_t ops_of_handlers(unsigned handlers) {
    uint32_t ops = 0;
    if (handlers & (HANDLER_BIT(ON_EVENT) | HANDLER_BIT(ON_WATCHERS) | HANDLER_BIT(ON_MARKERS) |
                    HANDLER_BIT(ON_VIEW)))
        ops |= AOI_ENTER | AOI_LEAVE | AOI_MOVE;
    if (handlers & HANDLER_BIT(ON_ENTER))
        ops |= AOI_ENTER;
    if (handlers & HANDLER_BIT(ON_LEAVE))
        ops |= AOI_LEAVE;
    if (handlers & HANDLER_BIT(ON_MOVE))
        ops |= AOI_MOVE;
    if (handlers & HANDLER_BIT(ON_AREA))
        ops |= AOI_AREA_ENTER | AOI_AREA_LEAVE;
    return ops;
}

/* How the handlers want to be told: AOI_TELL_ bits. */
static unsigned wants_of(unsigned handlers) {
    unsigned wants = 0;
    if (handlers & HANDLER_BIT(ON_VIEW))
        wants |= AOI_TELL_VIEW;
    if (handlers & HANDLER_BIT(ON_WATCHERS))
        wants |= AOI_TELL_WATCHERS;
    if (handlers & HANDLER_BIT(ON_MARKERS))
        wants |= AOI_TELL_MARKERS;
    if (handlers & (HANDLER_BIT(ON_EVENT) | HANDLER_BIT(ON_ENTER) | HANDLER_BIT(ON_LEAVE) |
                    HANDLER_BIT(ON_MOVE)))
        wants |= AOI_TELL_EVENT;
    if (handlers & HANDLER_BIT(ON_AREA))
        wants |= AOI_TELL_AREA;
    return wants;
}

/* Tells the core what the handlers need. */
static void listen_for_handlers(const struct space_userdata *self) {
    aoi_listen(self->space, ops_of_handlers(self->handlers), wants_of(self->handlers));
}

/* The handlers in the table at index: all values are handlers. */
static unsigned handlers_in(lua_State *L, int index) {
    unsigned handlers = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        handlers |= HANDLER_BIT(handler_from_name(L, -2));
    return handlers;
}

/* space:on{ on_event = f, ... } */
static int space_on(lua_State *L) {
    const char *method = "on";
    struct space_userdata *self = check_open(L, method);
    if (!lua_istable(L, 2))
        bad_value(L, method, "handlers", 2, "a table of handlers");
    lua_settop(L, 2);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        check_handler(L, method);
        lua_pop(L, 1);
    }
    /* All is well: from here on nothing raises. */
    const unsigned before = self->handlers;
    const bool was_midway = next_set(L, self) == EARLIER;
    self->handlers = handlers_in(L, 2);
    listen_for_handlers(self);
    if (aoi_is_midway(self->space)) {
        self->handlers |= HAS_EARLIER;
        if (!was_midway)
            keep_handlers(L, self, before);
    }
    drop_set(L, 0);
    lua_pushnil(L);
    while (lua_next(L, 2))
        set_reference(L, 1, handler_from_name(L, -2));
    return 0;
}
