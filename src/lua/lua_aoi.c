/*
 * lua_aoi.c - the Lua face of the core: module aoi.core, a userdata with methods.
 *
 * Only aoi.h is used, and no engine is known here. What this file adds to the
 * core: it reads and checks arguments, turns status codes into errors, and
 * turns waiting events into calls of handlers (see "Delivery").
 *
 * Two rules keep it safe. Lua code can run inside any call of the Lua API
 * that may allocate (finalizers), so no pointer into the space and no list
 * that the space owns is used across one unless `serial` shows that nobody
 * came in between. And nothing allocated lives on the C stack alone.
 */
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aoi.h"

#if defined(_WIN32)
#define AOI_EXPORT __declspec(dllexport)
#else
#define AOI_EXPORT __attribute__((visibility("default")))
#endif

/* What a userdata refers to, numbered from 1. */
enum {
    ON_EVENT = 1,
    ON_ENTER,
    ON_LEAVE,
    ON_MOVE,
    ON_WATCHERS,
    ON_MARKERS,
    ON_VIEW,
    ON_ERROR,
    THREADS, /* see "Who is delivering" */
    ARRAYS,  /* three tables for grouped handlers; nil while one is in use */
    REFERENCES = ARRAYS + 2
};

#define HANDLER_BIT(which) (1U << (which))

struct space_userdata {
    const void *tag;        /* = &space_tag: how a space is told from other userdata */
    aoi_space *space;       /* NULL once closed */
    lua_State *main_thread; /* of the Lua state; never collected */
    lua_State *deliverer;   /* the thread whose call delivers; may be dead: see below */
    uint64_t serial;        /* counts the calls that may have touched the space */
    unsigned handlers;      /* HANDLER_BIT of those that are set */
    bool classic;           /* handlers of events get the space first */
    bool was_taken_over;    /* some delivery was taken over from a suspended thread */
};

static const char space_tag = 0;
static const char delivery_mark = 0;

/* Upvalues of every method. */
enum { UPVALUE_ENTER = 1, UPVALUE_LEAVE, UPVALUE_MOVE, UPVALUES = UPVALUE_MOVE };

/* ------------------------------------------------------------------ */
/* Differences between Lua versions                                    */
/* ------------------------------------------------------------------ */

#if LUA_VERSION_NUM >= 504

static void *new_userdata(lua_State *L, size_t size) {
    return lua_newuserdatauv(L, size, REFERENCES);
}

static void get_reference(lua_State *L, int index, int which) {
    lua_getiuservalue(L, index, which);
}

/* Pops the value. */
static void set_reference(lua_State *L, int index, int which) {
    lua_setiuservalue(L, index, which);
}

static void warn(lua_State *L, const char *message) {
    lua_warning(L, message, 0);
}

#else

static void *new_userdata(lua_State *L, size_t size) {
    void *block = lua_newuserdata(L, size);
    lua_createtable(L, REFERENCES, 0);
    lua_setuservalue(L, -2);
    return block;
}

static void get_reference(lua_State *L, int index, int which) {
    lua_getuservalue(L, index);
    lua_rawgeti(L, -1, which);
    lua_remove(L, -2);
}

static void set_reference(lua_State *L, int index, int which) {
    lua_getuservalue(L, index);
    lua_insert(L, -2);
    lua_rawseti(L, -2, which);
    lua_pop(L, 1);
}

static void warn(lua_State *L, const char *message) {
    (void)L;
    lua_writestringerror("Lua warning: %s\n", message);
}

#endif

/* ------------------------------------------------------------------ */
/* Errors                                                              */
/* ------------------------------------------------------------------ */

/* Pushes a number as people write it (400, not 400.0; nan, where printf may say -nan). */
static const char *show_number(lua_State *L, double number) {
    char text[40];
    if (isnan(number))
        return lua_pushliteral(L, "nan");
    snprintf(text, sizeof text, "%.14g", number);
    return lua_pushstring(L, text);
}

/* Pushes a value as an error message should show it, and returns it. */
static const char *show(lua_State *L, int index) {
    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: return lua_pushliteral(L, "nil");
    case LUA_TBOOLEAN: return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TNUMBER:
        if (lua_isinteger(L, index))
            return lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
        return show_number(L, lua_tonumber(L, index));
    case LUA_TSTRING: return lua_pushfstring(L, "the string \"%s\"", lua_tostring(L, index));
    default: return lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
}

/* Pushes the map's corners. */
static const char *show_map(lua_State *L, const aoi_map *map) {
    const char *x1 = show_number(L, map->x), *y1 = show_number(L, map->y);
    const char *x2 = show_number(L, map->x + map->width);
    const char *y2 = show_number(L, map->y + map->height);
    return lua_pushfstring(L, "(%s, %s) to (%s, %s)", x1, y1, x2, y2);
}

/* True when the value at index is this very string. (One with a zero byte inside is not.) */
static bool is_string(lua_State *L, int index, const char *expected) {
    size_t length;
    if (lua_type(L, index) != LUA_TSTRING)
        return false;
    const char *string = lua_tolstring(L, index, &length);
    return length == strlen(expected) && memcmp(string, expected, length) == 0;
}

static int bad_value(lua_State *L, const char *method, const char *what, int index,
                     const char *expected) {
    return luaL_error(L, "%s: %s is %s, expected %s", method, what, show(L, index), expected);
}

/* Complains of the key and value on top of the stack. */
static int unknown_option(lua_State *L, const char *method, const char *expected) {
    int value = lua_gettop(L), key = value - 1;
    /* Not luaL_tolstring: that would run a metamethod of the key's. */
    const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : show(L, key);
    return luaL_error(L, "%s: option %s = %s is unknown, expected %s", method, name, show(L, value),
                      expected);
}

/*
 * Raises Lua's own memory error, which the API has no call for: it comes
 * from asking for more than any machine has.
 */
static void raise_memory_error(lua_State *L) {
    lua_newuserdata(L, SIZE_MAX / 4);
    luaL_error(L, "not enough memory");
}

/* What a failed call of the core says to the script. Not asked of the space any more: to make a
 * message may run a finalizer that closes it. */
static int fail(lua_State *L, const char *method, aoi_status status, aoi_id id,
                const aoi_point *position, const aoi_map *map) {
    switch (status) {
    case AOI_NOT_FOUND:
        return luaL_error(L, "%s: id %I is not in the space", method, (LUAI_UACINT)id);
    case AOI_EXISTS:
        return luaL_error(L, "%s: id %I is already in the space", method, (LUAI_UACINT)id);
    case AOI_OUTSIDE:
        return luaL_error(L, "%s: position (%s, %s) is outside the map %s", method,
                          show_number(L, position->x), show_number(L, position->y),
                          show_map(L, map));
    case AOI_NO_RADIUS:
        return luaL_error(L,
                          "%s: radius is nil, expected a number from 0 up: the space has no "
                          "default radius",
                          method);
    case AOI_RADIUS_UNUSED:
        return luaL_error(L,
                          "%s: radius is given, expected none: the classic nine-grid has no "
                          "radius (option radius of aoi.new makes it exact)",
                          method);
    case AOI_NOMEM: raise_memory_error(L); return 0;
    case AOI_INVALID:
    case AOI_OK: break;
    }
    return luaL_error(L, "%s: bad argument", method);
}

/* ------------------------------------------------------------------ */
/* Reading arguments                                                   */
/* ------------------------------------------------------------------ */

/* The space at index, or NULL. Cheaper than luaL_checkudata and as safe: another module's
 * userdata has not both this size and the address of our static in front. */
static struct space_userdata *to_space(lua_State *L, int index) {
    struct space_userdata *self = lua_touserdata(L, index);
    if (self == NULL || lua_rawlen(L, index) != sizeof *self || self->tag != &space_tag)
        return NULL;
    return self;
}

static struct space_userdata *check_space(lua_State *L, const char *method) {
    struct space_userdata *self = to_space(L, 1);
    if (self != NULL)
        self->serial++;
    else
        bad_value(L, method, "self", 1, "a space (call it with a colon: space:method())");
    return self;
}

static struct space_userdata *check_open(lua_State *L, const char *method) {
    struct space_userdata *self = check_space(L, method);
    if (self->space == NULL)
        luaL_error(L, "%s: the space is closed", method);
    return self;
}

static aoi_id check_id(lua_State *L, int index, const char *method, const char *what) {
    int is_integer = 0;
    lua_Integer id = 0;
    if (lua_type(L, index) == LUA_TNUMBER) /* not a string that looks like one */
        id = lua_tointegerx(L, index, &is_integer);
    if (!is_integer)
        bad_value(L, method, what, index, "an integer");
    return id;
}

static double check_coordinate(lua_State *L, int index, const char *method, const char *what) {
    double value = 0;
    bool is_number = lua_type(L, index) == LUA_TNUMBER;
    if (is_number)
        value = lua_tonumber(L, index);
    if (!is_number || !isfinite(value))
        bad_value(L, method, what, index, "a finite number");
    return value;
}

/* x, y [, z] from index on; *next is the index after them. */
static aoi_point check_point(lua_State *L, const struct space_userdata *self, int index,
                             const char *method, int *next) {
    aoi_point point = {0, 0, 0};
    point.x = check_coordinate(L, index, method, "x");
    point.y = check_coordinate(L, index + 1, method, "y");
    *next = index + 2;
    if (aoi_dims(self->space) == 3) {
        point.z = check_coordinate(L, index + 2, method, "z");
        *next = index + 3;
    } else if (lua_gettop(L) > index + 1 && lua_type(L, index + 2) == LUA_TNUMBER) {
        bad_value(L, method, "z", index + 2, "none: the space has two dimensions");
    }
    return point;
}

static void check_no_more(lua_State *L, int index, const char *method, const char *after) {
    if (!lua_isnoneornil(L, index))
        luaL_error(L, "%s: the argument after %s is %s, expected none", method, after,
                   show(L, index));
}

static double check_radius(lua_State *L, int index, const char *method, const char *what) {
    double radius = -1;
    if (lua_type(L, index) == LUA_TNUMBER)
        radius = lua_tonumber(L, index);
    if (!(radius >= 0))
        bad_value(L, method, what, index, "a number from 0 up (math.huge sees everything)");
    return radius;
}

static uint32_t check_mode(lua_State *L, int index, const char *method, const char *what) {
    if (is_string(L, index, "wm"))
        return AOI_WATCHER | AOI_MARKER;
    if (is_string(L, index, "w"))
        return AOI_WATCHER;
    if (is_string(L, index, "m"))
        return AOI_MARKER;
    bad_value(L, method, what, index, "\"wm\", \"w\" or \"m\"");
    return 0;
}

static uint32_t check_bits(lua_State *L, int index, const char *method, const char *what) {
    int is_integer = 0;
    lua_Integer bits = 0;
    if (lua_type(L, index) == LUA_TNUMBER)
        bits = lua_tointegerx(L, index, &is_integer);
    if (!is_integer || bits < -1 || bits > (lua_Integer)UINT32_MAX)
        bad_value(L, method, what, index, "an integer from 0 to 4294967295, or -1 for all bits");
    return bits == -1 ? UINT32_MAX : (uint32_t)bits;
}

/* The table of traits at index: radius, mode, layer, sees. Read raw; nothing is allocated, so
 * the table can't change meanwhile. */
static aoi_traits check_traits(lua_State *L, int index, const char *method) {
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    if (lua_isnoneornil(L, index))
        return traits;
    if (!lua_istable(L, index))
        bad_value(L, method, "opts", index, "a table with radius, mode, layer or sees");
    check_no_more(L, index + 1, method, "opts");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (is_string(L, -2, "radius")) {
            traits.given |= AOI_TRAIT_RADIUS;
            traits.radius = check_radius(L, -1, method, "option radius");
        } else if (is_string(L, -2, "mode")) {
            traits.given |= AOI_TRAIT_MODE;
            traits.mode = check_mode(L, -1, method, "option mode");
        } else if (is_string(L, -2, "layer")) {
            traits.given |= AOI_TRAIT_LAYER;
            traits.layer = check_bits(L, -1, method, "option layer");
        } else if (is_string(L, -2, "sees")) {
            traits.given |= AOI_TRAIT_SEES;
            traits.sees = check_bits(L, -1, method, "option sees");
        } else {
            unknown_option(L, method, "radius, mode, layer or sees");
        }
        lua_pop(L, 1);
    }
    return traits;
}

/* Makes entry count + 1 of the table at index nil, whatever a former use has left there. */
static void end_list(lua_State *L, int index, lua_Integer count) {
    if (lua_rawgeti(L, index, count + 1) != LUA_TNIL) {
        lua_pushnil(L);
        lua_rawseti(L, index, count + 1);
    }
    lua_pop(L, 1);
}

/* ------------------------------------------------------------------ */
/* Who is delivering                                                   */
/*                                                                     */
/* Only one call delivers at a time; calls made meanwhile (by handlers, */
/* by finalizers, by coroutines that a handler resumes) only queue. But */
/* a handler that raises unwinds the delivering call without a word,    */
/* and one that yields leaves it suspended, perhaps for ever. So        */
/* `deliverer` is only a claim. It is believed when a delivering frame, */
/* told by the mark in its second stack place, stands on the stack of   */
/* that thread and the thread is not suspended; otherwise the next call */
/* takes over.                                                          */
/*                                                                     */
/* The table THREADS has weak keys and values. It maps the address of a */
/* thread to the thread, so that the address of a collected one is not  */
/* used, and a thread whose delivery was taken over to true: when that  */
/* thread runs again, the frame on its stack still delivers.            */
/* ------------------------------------------------------------------ */

/* Places on the stack of a delivering call. */
enum {
    FRAME_SPACE = 1,
    FRAME_MARK, /* light userdata &delivery_mark */
    FRAME_RESULT,
    FRAME_WATCHER, /* with on_error or two handlers: the event being told */
    FRAME_MARKER,
    FRAME_OP,
    FRAME_ON_ERROR, /* as it was when the event's turn came */
    FRAME_SECOND,   /* the same for on_enter, ..., when on_event goes first */
    FRAME_ARRAYS,   /* grouped handlers: one array, or three */
    FRAME_LAST_ARRAY = FRAME_ARRAYS + 2
};

/* True when place n of the frame holds this pointer. */
static bool frame_holds(lua_State *thread, const lua_Debug *frame, int n, const void *pointer) {
    if (lua_getlocal(thread, frame, n) == NULL)
        return false;
    bool holds = lua_touserdata(thread, -1) == pointer;
    lua_pop(thread, 1);
    return holds;
}

/* The innermost frame on the thread's stack that delivers for self. O(depth). */
static bool find_delivery_frame(lua_State *thread, const struct space_userdata *self,
                                lua_Debug *frame) {
    if (!lua_checkstack(thread, 1))
        return false;
    for (int level = 0; lua_getstack(thread, level, frame); level++) {
        if (frame_holds(thread, frame, FRAME_MARK, &delivery_mark) &&
            frame_holds(thread, frame, FRAME_SPACE, self))
            return true;
    }
    return false;
}

/* Remembers the thread, so that its address can be trusted later. The main thread needs none. */
static void register_thread(lua_State *L, const struct space_userdata *self) {
    if (L == self->main_thread)
        return;
    get_reference(L, FRAME_SPACE, THREADS);
    if (lua_rawgetp(L, -1, L) == LUA_TNIL) {
        lua_pushthread(L);
        lua_rawsetp(L, -3, L);
    }
    lua_pop(L, 2);
}

static bool is_marked_taken_over(lua_State *L) {
    get_reference(L, FRAME_SPACE, THREADS);
    lua_pushthread(L);
    bool marked = lua_rawget(L, -2) == LUA_TBOOLEAN;
    lua_pop(L, 2);
    return marked;
}

/* Marks the thread on top of the stack, and pops it; taken false takes the mark off. */
static void mark_taken_over(lua_State *L, bool taken) {
    get_reference(L, FRAME_SPACE, THREADS);
    lua_insert(L, -2);
    if (taken)
        lua_pushboolean(L, 1);
    else
        lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* Pushes the deliverer's thread, or nil when it is gone. */
static lua_State *push_deliverer(lua_State *L, const struct space_userdata *self) {
    if (self->deliverer == self->main_thread) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    } else {
        get_reference(L, FRAME_SPACE, THREADS);
        lua_rawgetp(L, -1, self->deliverer);
        lua_remove(L, -2);
    }
    return lua_tothread(L, -1);
}

/* True when events are left to a delivery that is on its way. The space is at index 1. */
static bool is_delivering(lua_State *L, struct space_userdata *self) {
    lua_Debug frame;
    if (self->deliverer == NULL && !self->was_taken_over)
        return false;
    luaL_checkstack(L, 4, NULL);
    if (self->was_taken_over && is_marked_taken_over(L)) {
        if (find_delivery_frame(L, self, &frame))
            return true;
        lua_pushthread(L);
        mark_taken_over(L, false);
    }
    if (self->deliverer == NULL)
        return false;
    lua_State *thread = push_deliverer(L, self);
    bool has_frame = thread != NULL && find_delivery_frame(thread, self, &frame);
    if (has_frame && lua_status(thread) == LUA_YIELD) {
        mark_taken_over(L, true);
        self->was_taken_over = true;
        return false;
    }
    lua_pop(L, 1);
    return has_frame && lua_status(thread) == LUA_OK;
}

/* ------------------------------------------------------------------ */
/* Delivery                                                            */
/* ------------------------------------------------------------------ */

/* What remains to be done when a handler has returned: the context of a continuation. */
enum {
    TELL_NEXT = 0,
    TELL_KIND, /* the event at FRAME_WATCHER: its on_enter, ... */
    TELL_DONE  /* a group: its arrays can be used again */
};

/* The message handler of handlers: finds out which event this is and calls on_error. */
static int report_error(lua_State *L) {
    lua_Debug frame;
    lua_settop(L, 1);
    /* The innermost delivering frame with an on_error; a space without one, between here and
     * there, lets the error pass. */
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        if (!frame_holds(L, &frame, FRAME_MARK, &delivery_mark))
            continue;
        lua_settop(L, 1);
        if (lua_getlocal(L, &frame, FRAME_ON_ERROR) == NULL || !lua_isfunction(L, 2))
            continue;
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

/* The handler of a kind and the upvalue with its name: tables, because which kind comes next can't
 * be predicted. */
static int op_handler(aoi_op op) {
    static const int8_t handlers[] = {
        [AOI_ENTER] = ON_ENTER, [AOI_LEAVE] = ON_LEAVE, [AOI_MOVE] = ON_MOVE};
    return handlers[op];
}

static int op_upvalue(aoi_op op) {
    static const int upvalues[] = {[AOI_ENTER] = lua_upvalueindex(UPVALUE_ENTER),
                                   [AOI_LEAVE] = lua_upvalueindex(UPVALUE_LEAVE),
                                   [AOI_MOVE] = lua_upvalueindex(UPVALUE_MOVE)};
    return upvalues[op];
}

/* A lack of memory ends a call without its message handler: on_error hears of it now. The error
 * is on top of the stack. */
static void report_unreported(lua_State *L, int status) {
    if (status != LUA_ERRMEM && status != LUA_ERRERR)
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
    lua_pushcfunction(L, report_error);
    int handler = lua_gettop(L) - count - 1;
    lua_insert(L, handler);
    int status = lua_pcallk(L, count, 0, handler, context, continue_delivery);
    report_unreported(L, status);
    lua_settop(L, handler - 1); /* an error, if there was one, is known to on_error */
}

/* on_event has heard the event in the frame; now the handler of its kind. */
static void finish_event(lua_State *L, const struct space_userdata *self) {
    if (self->space == NULL)
        return;
    lua_pushvalue(L, FRAME_SECOND);
    lua_pushvalue(L, FRAME_WATCHER);
    lua_pushvalue(L, FRAME_MARKER);
    call_handler(L, 2, lua_isfunction(L, FRAME_ON_ERROR), TELL_NEXT);
}

/* Tells one event: on_event first, then the handler of its kind. */
static void tell_event(lua_State *L, const struct space_userdata *self, const aoi_event *event) {
    int kind = op_handler(event->op);
    bool has_event = (self->handlers & HANDLER_BIT(ON_EVENT)) != 0;
    bool has_kind = (self->handlers & HANDLER_BIT(kind)) != 0;
    bool is_protected = (self->handlers & HANDLER_BIT(ON_ERROR)) != 0;
    if (is_protected || (has_event && has_kind)) {
        lua_settop(L, FRAME_RESULT);
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        lua_pushvalue(L, op_upvalue(event->op));
        get_reference(L, FRAME_SPACE, ON_ERROR);
        get_reference(L, FRAME_SPACE, kind);
    }
    if (has_event) {
        get_reference(L, FRAME_SPACE, ON_EVENT);
        if (self->classic)
            lua_pushvalue(L, FRAME_SPACE);
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        lua_pushvalue(L, op_upvalue(event->op));
        call_handler(L, self->classic ? 4 : 3, is_protected, has_kind ? TELL_KIND : TELL_NEXT);
        if (has_kind)
            finish_event(L, self);
    } else if (has_kind) {
        get_reference(L, FRAME_SPACE, kind);
        lua_pushinteger(L, event->watcher);
        lua_pushinteger(L, event->marker);
        call_handler(L, 2, is_protected, TELL_NEXT);
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
 * Fills the array at index with a list of the telling. Filling can run a
 * finalizer that uses the space, and the list is the queue's: then it is
 * looked up again. False: that finalizer has cleared or closed the space, or
 * has set other handlers.
 */
static bool fill_array(lua_State *L, const struct space_userdata *self, unsigned wants,
                       aoi_telling *telling, int number, int index) {
    uint64_t serial = self->serial;
    size_t count = list_of(telling, number)->count;
    for (size_t i = 0; i <= count; i++) {
        if (self->serial != serial) {
            uint64_t same = telling->number;
            serial = self->serial;
            if (self->space == NULL || !aoi_peek(self->space, wants, telling) ||
                telling->number != same)
                return false;
        }
        if (i < count) {
            lua_pushinteger(L, list_of(telling, number)->ids[i]);
            lua_rawseti(L, index, (lua_Integer)i + 1);
        }
    }
    end_list(L, index, (lua_Integer)count);
    return true;
}

/* Fills the arrays of a group with what is told now. Making them may have run a finalizer. */
static bool fill_arrays(lua_State *L, const struct space_userdata *self, unsigned wants,
                        aoi_telling *telling, int arrays) {
    uint64_t same = telling->number;
    if (self->space == NULL || !aoi_peek(self->space, wants, telling) || telling->number != same)
        return false;
    for (int number = 0; number < arrays; number++) {
        if (!fill_array(L, self, wants, telling, number, FRAME_ARRAYS + number))
            return false;
    }
    return true;
}

/* Tells the group that aoi_peek gave. */
static void tell_group(lua_State *L, struct space_userdata *self, unsigned wants,
                       aoi_telling *telling) {
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
        lua_pushvalue(L, op_upvalue(telling->op));
    get_reference(L, FRAME_SPACE, ON_ERROR);
    lua_pushnil(L);
    for (int number = 0; number < arrays; number++)
        take_array(L, number);
    lua_settop(L, FRAME_LAST_ARRAY);
    if (!fill_arrays(L, self, wants, telling, arrays)) {
        give_arrays_back(L);
        return;
    }
    size_t counts[3];
    for (int number = 0; number < arrays; number++)
        counts[number] = list_of(telling, number)->count;
    aoi_told(self->space, wants);
    get_reference(L, FRAME_SPACE, is_view ? ON_VIEW : of_marker ? ON_WATCHERS : ON_MARKERS);
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
    return wants;
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
            lua_pushvalue(L, op_upvalue(event.op));
            lua_callk(L, self->classic ? 4 : 3, 0, TELL_NEXT, continue_delivery);
        } else {
            get_reference(L, FRAME_SPACE, op_handler(event.op));
            lua_pushinteger(L, event.watcher);
            lua_pushinteger(L, event.marker);
            lua_callk(L, 2, 0, TELL_NEXT, continue_delivery);
        }
    }
}

/* Tells what waits, until nothing does. */
static int run_delivery(lua_State *L, struct space_userdata *self) {
    tell_plainly(L, self);
    while (self->space != NULL) {
        unsigned wants = wants_of(self->handlers);
        aoi_event event;
        if (wants == AOI_TELL_EVENT) {
            if (!aoi_next_event(self->space, &event))
                break;
            tell_event(L, self, &event);
        } else {
            aoi_telling telling;
            if (!aoi_peek(self->space, wants, &telling))
                break;
            if (telling.kind == AOI_TELL_EVENT) {
                aoi_told(self->space, wants);
                tell_event(L, self, &telling.event);
            } else {
                tell_group(L, self, wants, &telling);
            }
        }
    }
    self->deliverer = NULL;
    return end_delivery(L);
}

/* A handler that had yielded has returned (or raised, under on_error). */
static int continue_delivery(lua_State *L, int status, lua_KContext context) {
    struct space_userdata *self = lua_touserdata(L, FRAME_SPACE);
    report_unreported(L, status);
    if (context == TELL_DONE) {
        lua_settop(L, FRAME_LAST_ARRAY);
        give_arrays_back(L);
    } else if (context == TELL_KIND) {
        lua_settop(L, FRAME_SECOND);
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

static int do_nothing(lua_State *L) {
    (void)L;
    return 0;
}

/*
 * Makes sure that from here on handlers can start: that they lack neither
 * stack nor a record of their call, which Lua keeps for the next call from
 * this frame. Otherwise memory could run out after an event has left the
 * queue and before its handler hears of it.
 */
static void prepare_handlers(lua_State *L) {
    enum { LARGEST_FRAME = 256 + LUA_MINSTACK }; /* of a Lua function, and what we push */
    if (!lua_checkstack(L, LUA_MINSTACK + LARGEST_FRAME))
        raise_memory_error(L);
    lua_pushcfunction(L, do_nothing);
    lua_call(L, 0, 0);
}

/*
 * The end of every changing call: delivers what waits. With has_result the
 * stack is [space, result], and the result is what the call returns.
 */
static int finish_change(lua_State *L, struct space_userdata *self, bool has_result) {
    /* A space that was loaded without handlers keeps its events until it has some. */
    if (aoi_pending(self->space) == 0 || self->handlers == 0 || is_delivering(L, self))
        return has_result ? 1 : 0;
    if (has_result) {
        lua_pushlightuserdata(L, (void *)&delivery_mark);
        lua_insert(L, FRAME_MARK);
    } else {
        lua_settop(L, FRAME_SPACE);
        lua_pushlightuserdata(L, (void *)&delivery_mark);
        lua_pushnil(L); /* FRAME_RESULT */
    }
    register_thread(L, self);
    prepare_handlers(L);
    self->deliverer = L;
    return run_delivery(L, self);
}

/* ------------------------------------------------------------------ */
/* Changing calls                                                      */
/* ------------------------------------------------------------------ */

/* One attempt: reads its arguments, calls the core, says what fail() needs to know. */
struct attempt {
    const char *method;
    aoi_id id;
    aoi_point position;
    size_t row;     /* batches: the row that failed, from 1; else 0 */
    bool entered;   /* update */
    bool skips;     /* move_all */
    size_t skipped; /* move_all */
    int table;      /* query_nearest: index of t */
};

typedef aoi_status (*attempt_function)(lua_State *L, const struct space_userdata *self,
                                       struct attempt *attempt);

/* The method, and the row of a batch, as an error message begins. */
static const char *method_and_row(lua_State *L, const struct attempt *attempt) {
    if (attempt->row == 0)
        return attempt->method;
    return lua_pushfstring(L, "%s: row %I", attempt->method, (LUAI_UACINT)attempt->row);
}

/*
 * Runs a call of the core. On lack of memory it has changed nothing; then
 * garbage is collected, which may run finalizers, so the arguments are
 * checked again before the one repetition.
 */
static struct space_userdata *run(lua_State *L, struct attempt *attempt,
                                  attempt_function function) {
    struct space_userdata *self = check_open(L, attempt->method);
    aoi_status status = function(L, self, attempt);
    if (status == AOI_NOMEM) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        self = check_open(L, attempt->method);
        status = function(L, self, attempt);
    }
    if (status != AOI_OK) {
        aoi_map map = aoi_map_of(self->space);
        fail(L, method_and_row(L, attempt), status, attempt->id, &attempt->position, &map);
    }
    return self;
}

static aoi_status try_enter(lua_State *L, const struct space_userdata *self,
                            struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, &next);
    aoi_traits traits = check_traits(L, next, attempt->method);
    return aoi_enter(self->space, attempt->id, attempt->position, &traits);
}

/* space:enter(id, x, y [, z] [, opts]) */
static int space_enter(lua_State *L) {
    struct attempt attempt = {.method = "enter"};
    return finish_change(L, run(L, &attempt, try_enter), false);
}

static aoi_status try_move(lua_State *L, const struct space_userdata *self,
                           struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, &next);
    if (lua_gettop(L) >= next)
        check_no_more(L, next, attempt->method, "the position");
    return aoi_move(self->space, attempt->id, attempt->position);
}

/* The usual move, with as few calls of the API as safety allows. NULL: it was not one, or it
 * failed; then nothing has changed, and the general way finds out what is wrong. */
static struct space_userdata *move_plainly(lua_State *L) {
    struct space_userdata *self = to_space(L, 1);
    bool is_usual = self != NULL && self->space != NULL && lua_gettop(L) == 4 &&
                    lua_isinteger(L, 2) && lua_type(L, 3) == LUA_TNUMBER &&
                    lua_type(L, 4) == LUA_TNUMBER && aoi_dims(self->space) == 2;
    if (!is_usual)
        return NULL;
    const aoi_point position = {lua_tonumber(L, 3), lua_tonumber(L, 4), 0};
    self->serial++;
    return aoi_move(self->space, lua_tointeger(L, 2), position) == AOI_OK ? self : NULL;
}

/* space:move(id, x, y [, z]) */
static int space_move(lua_State *L) {
    struct space_userdata *self = move_plainly(L);
    if (self == NULL) {
        struct attempt attempt = {.method = "move"};
        self = run(L, &attempt, try_move);
    }
    return finish_change(L, self, false);
}

static aoi_status try_leave(lua_State *L, const struct space_userdata *self,
                            struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    check_no_more(L, 3, attempt->method, "id");
    return aoi_leave(self->space, attempt->id);
}

/* space:leave(id) */
static int space_leave(lua_State *L) {
    struct attempt attempt = {.method = "leave"};
    return finish_change(L, run(L, &attempt, try_leave), false);
}

static aoi_status try_update(lua_State *L, const struct space_userdata *self,
                             struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, &next);
    aoi_traits traits = check_traits(L, next, attempt->method);
    return aoi_update(self->space, attempt->id, attempt->position, &traits, &attempt->entered);
}

/* space:update(id, x, y [, z] [, opts]) -> true if it entered */
static int space_update(lua_State *L) {
    struct attempt attempt = {.method = "update"};
    struct space_userdata *self = run(L, &attempt, try_update);
    lua_settop(L, 1);
    lua_pushboolean(L, attempt.entered);
    return finish_change(L, self, true);
}

static aoi_status set_trait(lua_State *L, const struct space_userdata *self,
                            struct attempt *attempt, uint32_t trait) {
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    traits.given = trait;
    attempt->id = check_id(L, 2, attempt->method, "id");
    if (trait == AOI_TRAIT_RADIUS)
        traits.radius = check_radius(L, 3, attempt->method, "radius");
    else if (trait == AOI_TRAIT_MODE)
        traits.mode = check_mode(L, 3, attempt->method, "mode");
    else if (trait == AOI_TRAIT_LAYER)
        traits.layer = check_bits(L, 3, attempt->method, "layer");
    else
        traits.sees = check_bits(L, 3, attempt->method, "sees");
    check_no_more(L, 4, attempt->method, "the new value");
    return aoi_set_traits(self->space, attempt->id, &traits);
}

static aoi_status try_set_radius(lua_State *L, const struct space_userdata *self,
                                 struct attempt *attempt) {
    return set_trait(L, self, attempt, AOI_TRAIT_RADIUS);
}

/* space:set_radius(id, radius) */
static int space_set_radius(lua_State *L) {
    struct attempt attempt = {.method = "set_radius"};
    return finish_change(L, run(L, &attempt, try_set_radius), false);
}

static aoi_status try_set_mode(lua_State *L, const struct space_userdata *self,
                               struct attempt *attempt) {
    return set_trait(L, self, attempt, AOI_TRAIT_MODE);
}

/* space:set_mode(id, "wm" | "w" | "m") */
static int space_set_mode(lua_State *L) {
    struct attempt attempt = {.method = "set_mode"};
    return finish_change(L, run(L, &attempt, try_set_mode), false);
}

static aoi_status try_set_layer(lua_State *L, const struct space_userdata *self,
                                struct attempt *attempt) {
    return set_trait(L, self, attempt, AOI_TRAIT_LAYER);
}

/* space:set_layer(id, bits) */
static int space_set_layer(lua_State *L) {
    struct attempt attempt = {.method = "set_layer"};
    return finish_change(L, run(L, &attempt, try_set_layer), false);
}

static aoi_status try_set_sees(lua_State *L, const struct space_userdata *self,
                               struct attempt *attempt) {
    return set_trait(L, self, attempt, AOI_TRAIT_SEES);
}

/* space:set_sees(id, bits) */
static int space_set_sees(lua_State *L) {
    struct attempt attempt = {.method = "set_sees"};
    return finish_change(L, run(L, &attempt, try_set_sees), false);
}

/* ------------------------------------------------------------------ */
/* Batches                                                             */
/* ------------------------------------------------------------------ */

/* The arguments of a batch: a flat table at 2, perhaps n at 3, perhaps one more. */
struct batch_arguments {
    lua_Integer count; /* rows */
    int width;         /* entries of a row */
    int extra;         /* index of the argument after n */
};

static struct batch_arguments check_batch(lua_State *L, const struct attempt *attempt,
                                          const char *what, int width) {
    struct batch_arguments batch = {0, width, 4};
    if (!lua_istable(L, 2))
        bad_value(L, attempt->method, what, 2, "a flat table of rows");
    int type = lua_type(L, 3);
    if (type == LUA_TNUMBER) {
        int is_integer;
        batch.count = lua_tointegerx(L, 3, &is_integer);
        if (!is_integer || batch.count < 0 || batch.count > INT32_MAX)
            bad_value(L, attempt->method, "n", 3, "the number of rows, a whole number from 0 up");
        return batch;
    }
    if (type != LUA_TNONE && type != LUA_TNIL)
        batch.extra = 3;
    lua_Unsigned length = lua_rawlen(L, 2);
    if (length % (lua_Unsigned)width != 0)
        luaL_error(L, "%s: %s has %I entries, expected a multiple of %d", attempt->method, what,
                   (LUAI_UACINT)length, width);
    batch.count = (lua_Integer)(length / (lua_Unsigned)width);
    return batch;
}

/* Reads the rows into an array of the space. Nothing here runs Lua code. */
static aoi_status read_rows(lua_State *L, const struct space_userdata *self,
                            const struct attempt *attempt, const struct batch_arguments *batch,
                            aoi_row **rows) {
    static const char *const names[] = {"id", "x", "y", "z"};
    /* A table that is too short is told before room for all of n is asked for. */
    if (batch->count > 0) {
        if (lua_rawgeti(L, 2, batch->count * batch->width) == LUA_TNIL)
            bad_value(L, attempt->method, "the last of n rows", -1, "as many rows as n");
        lua_pop(L, 1);
    }
    aoi_status status = aoi_rows(self->space, (size_t)batch->count, rows);
    if (status != AOI_OK)
        return status;
    for (lua_Integer i = 0; i < batch->count; i++) {
        double values[4] = {0, 0, 0, 0};
        aoi_row *row = *rows + i;
        for (int entry = 0; entry < batch->width; entry++) {
            int is_integer = 0;
            bool good = lua_rawgeti(L, 2, i * batch->width + entry + 1) == LUA_TNUMBER;
            if (good && entry == 0) {
                row->id = lua_tointegerx(L, -1, &is_integer);
                good = is_integer != 0;
            } else if (good) {
                values[entry] = lua_tonumber(L, -1);
                good = isfinite(values[entry]);
            }
            if (!good) {
                char what[40];
                snprintf(what, sizeof what, "row %lld: %s", (long long)(i + 1), names[entry]);
                bad_value(L, attempt->method, what, -1,
                          entry == 0 ? "an integer" : "a finite number");
            }
            lua_pop(L, 1);
        }
        row->position = (aoi_point){values[1], values[2], values[3]};
    }
    return AOI_OK;
}

/* Notes the row that the core complains of, for fail(). */
static aoi_status note_row(struct attempt *attempt, aoi_status status, const aoi_row *rows,
                           size_t bad_row) {
    if (status != AOI_OK && status != AOI_NOMEM) {
        attempt->row = bad_row + 1;
        attempt->id = rows[bad_row].id;
        attempt->position = rows[bad_row].position;
    }
    return status;
}

static aoi_status try_enter_all(lua_State *L, const struct space_userdata *self,
                                struct attempt *attempt) {
    struct batch_arguments batch = check_batch(L, attempt, "t", 1 + aoi_dims(self->space));
    aoi_traits traits = check_traits(L, batch.extra, attempt->method);
    aoi_row *rows;
    size_t bad_row = 0;
    aoi_status status = read_rows(L, self, attempt, &batch, &rows);
    if (status != AOI_OK)
        return status;
    status = aoi_enter_all(self->space, rows, (size_t)batch.count, &traits, &bad_row);
    return note_row(attempt, status, rows, bad_row);
}

/* space:enter_all(t [, n] [, opts]) */
static int space_enter_all(lua_State *L) {
    struct attempt attempt = {.method = "enter_all"};
    return finish_change(L, run(L, &attempt, try_enter_all), false);
}

static aoi_status try_move_all(lua_State *L, const struct space_userdata *self,
                               struct attempt *attempt) {
    struct batch_arguments batch = check_batch(L, attempt, "t", 1 + aoi_dims(self->space));
    attempt->skips = is_string(L, batch.extra, "skip");
    if (!attempt->skips && !lua_isnoneornil(L, batch.extra))
        bad_value(L, attempt->method, "the argument after n", batch.extra, "\"skip\" or none");
    check_no_more(L, batch.extra + 1, attempt->method, "\"skip\"");
    aoi_row *rows;
    size_t bad_row = 0;
    aoi_status status = read_rows(L, self, attempt, &batch, &rows);
    if (status != AOI_OK)
        return status;
    status = aoi_move_all(self->space, rows, (size_t)batch.count,
                          attempt->skips ? &attempt->skipped : NULL, &bad_row);
    return note_row(attempt, status, rows, bad_row);
}

/* space:move_all(t [, n]) or space:move_all(t, n, "skip") -> number of rows passed over */
static int space_move_all(lua_State *L) {
    struct attempt attempt = {.method = "move_all"};
    struct space_userdata *self = run(L, &attempt, try_move_all);
    if (attempt.skips) {
        lua_settop(L, 1);
        lua_pushinteger(L, (lua_Integer)attempt.skipped);
    }
    return finish_change(L, self, attempt.skips);
}

static aoi_status try_leave_all(lua_State *L, const struct space_userdata *self,
                                struct attempt *attempt) {
    struct batch_arguments batch = check_batch(L, attempt, "ids", 1);
    check_no_more(L, batch.extra, attempt->method, "n");
    aoi_row *rows;
    size_t bad_row = 0;
    aoi_status status = read_rows(L, self, attempt, &batch, &rows);
    if (status != AOI_OK)
        return status;
    status = aoi_leave_all(self->space, rows, (size_t)batch.count, &bad_row);
    return note_row(attempt, status, rows, bad_row);
}

/* space:leave_all(ids [, n]) */
static int space_leave_all(lua_State *L) {
    struct attempt attempt = {.method = "leave_all"};
    return finish_change(L, run(L, &attempt, try_leave_all), false);
}

static aoi_status try_set_bounds(lua_State *L, const struct space_userdata *self,
                                 struct attempt *attempt) {
    static const char *const names[] = {"x", "y", "width", "height"};
    double bounds[4];
    for (int i = 0; i < 4; i++)
        bounds[i] = check_coordinate(L, 2 + i, attempt->method, names[i]);
    check_no_more(L, 6, attempt->method, "height");
    aoi_complaint complaint;
    aoi_status status = aoi_set_bounds(self->space, bounds[0], bounds[1], bounds[2], bounds[3],
                                       &attempt->id, &complaint);
    if (status == AOI_INVALID)
        luaL_error(L, "%s: %s", attempt->method, complaint.text);
    if (status == AOI_OUTSIDE) {
        aoi_map map = {true, bounds[0], bounds[1], bounds[2], bounds[3]};
        aoi_point position = {0, 0, 0};
        aoi_position(self->space, attempt->id, &position);
        luaL_error(L, "%s: id %I at (%s, %s) would be outside the map %s", attempt->method,
                   (LUAI_UACINT)attempt->id, show_number(L, position.x), show_number(L, position.y),
                   show_map(L, &map));
    }
    return status;
}

/* space:set_bounds(x, y, width, height) */
static int space_set_bounds(lua_State *L) {
    struct attempt attempt = {.method = "set_bounds"};
    return finish_change(L, run(L, &attempt, try_set_bounds), false);
}

static aoi_status try_tick(lua_State *L, const struct space_userdata *self,
                           struct attempt *attempt) {
    aoi_status status = aoi_tick(self->space);
    if (status == AOI_INVALID)
        luaL_error(L, "%s: the space is not deferred (option deferred of aoi.new makes it so)",
                   attempt->method);
    return status;
}

/* space:tick() */
static int space_tick(lua_State *L) {
    struct attempt attempt = {.method = "tick"};
    return finish_change(L, run(L, &attempt, try_tick), false);
}

/* space:flush() */
static int space_flush(lua_State *L) {
    return finish_change(L, check_open(L, "flush"), false);
}

/* ------------------------------------------------------------------ */
/* Questions                                                           */
/* ------------------------------------------------------------------ */

/* space:has(id) -> boolean */
static int space_has(lua_State *L) {
    const struct space_userdata *self = check_open(L, "has");
    lua_pushboolean(L, aoi_has(self->space, check_id(L, 2, "has", "id")));
    return 1;
}

/* space:position(id) -> x, y [, z] or nil */
static int space_position(lua_State *L) {
    const struct space_userdata *self = check_open(L, "position");
    aoi_point position;
    if (aoi_position(self->space, check_id(L, 2, "position", "id"), &position) != AOI_OK) {
        lua_pushnil(L);
        return 1;
    }
    int dims = aoi_dims(self->space);
    lua_pushnumber(L, position.x);
    lua_pushnumber(L, position.y);
    if (dims == 3)
        lua_pushnumber(L, position.z);
    return dims;
}

/* space:radius(id) -> radius or nil */
static int space_radius(lua_State *L) {
    const struct space_userdata *self = check_open(L, "radius");
    double radius;
    if (aoi_radius(self->space, check_id(L, 2, "radius", "id"), &radius) == AOI_OK)
        lua_pushnumber(L, radius);
    else
        lua_pushnil(L);
    return 1;
}

/* space:sees(a, b) -> boolean */
static int space_sees(lua_State *L) {
    const struct space_userdata *self = check_open(L, "sees");
    aoi_id a = check_id(L, 2, "sees", "a"), b = check_id(L, 3, "sees", "b");
    lua_pushboolean(L, aoi_sees(self->space, a, b));
    return 1;
}

/* #space */
static int space_length(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)aoi_count(check_open(L, "#")->space));
    return 1;
}

/* space:pending() -> number of events that wait */
static int space_pending(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)aoi_pending(check_open(L, "pending")->space));
    return 1;
}

static void check_result_table(lua_State *L, int index, const char *method) {
    if (!lua_isnoneornil(L, index) && !lua_istable(L, index))
        bad_value(L, method, "t", index, "a table to fill, or nil");
}

typedef aoi_status (*list_function)(lua_State *L, const struct space_userdata *self,
                                    struct attempt *attempt, aoi_list *list);

/* Asks the core for a list; on lack of memory once more after a collection. */
static struct space_userdata *ask(lua_State *L, struct attempt *attempt, list_function function,
                                  aoi_list *list) {
    struct space_userdata *self = check_open(L, attempt->method);
    aoi_status status = function(L, self, attempt, list);
    if (status == AOI_NOMEM) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        self = check_open(L, attempt->method);
        status = function(L, self, attempt, list);
    }
    if (status != AOI_OK) {
        aoi_map map = aoi_map_of(self->space);
        fail(L, attempt->method, status, attempt->id, &attempt->position, &map);
    }
    return self;
}

/*
 * Fills the table at index, or a new one, with a list of ids; returns table
 * and count. last is the index of the last argument. Making or filling a table can run a finalizer
 * that uses the space, and the list is the space's: then it is asked for again. This ends, because
 * a table that has grown does not grow again.
 */
static int push_list(lua_State *L, int index, int last, struct attempt *attempt,
                     list_function function) {
    aoi_list list;
    check_open(L, attempt->method);
    check_result_table(L, index, attempt->method);
    lua_settop(L, last);
    struct space_userdata *self = ask(L, attempt, function, &list);
    if (lua_isnil(L, index)) {
        int size = list.count < INT32_MAX ? (int)list.count : 0;
        uint64_t serial = self->serial;
        lua_createtable(L, size, 0);
        lua_replace(L, index);
        if (self->serial != serial)
            self = ask(L, attempt, function, &list);
    }
    uint64_t serial = self->serial;
    for (size_t i = 0; i < list.count; i++) {
        lua_pushinteger(L, list.ids[i]);
        lua_rawseti(L, index, (lua_Integer)i + 1);
        if (self->serial != serial) {
            self = ask(L, attempt, function, &list);
            serial = self->serial;
            i = (size_t)-1; /* from the start */
        }
    }
    lua_Integer count = (lua_Integer)list.count;
    end_list(L, index, count);
    lua_pushvalue(L, index);
    lua_pushinteger(L, count);
    return 2;
}

static aoi_status ask_markers_of(lua_State *L, const struct space_userdata *self,
                                 struct attempt *attempt, aoi_list *list) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_markers_of(self->space, attempt->id, list);
}

/* space:markers_of(id [, t]) -> t, n */
static int space_markers_of(lua_State *L) {
    struct attempt attempt = {.method = "markers_of"};
    return push_list(L, 3, 3, &attempt, ask_markers_of);
}

static aoi_status ask_watchers_of(lua_State *L, const struct space_userdata *self,
                                  struct attempt *attempt, aoi_list *list) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_watchers_of(self->space, attempt->id, list);
}

/* space:watchers_of(id [, t]) -> t, n */
static int space_watchers_of(lua_State *L) {
    struct attempt attempt = {.method = "watchers_of"};
    return push_list(L, 3, 3, &attempt, ask_watchers_of);
}

static aoi_status ask_ids(lua_State *L, const struct space_userdata *self, struct attempt *attempt,
                          aoi_list *list) {
    (void)L;
    (void)attempt;
    return aoi_ids(self->space, list);
}

/* space:ids([t]) -> t, n */
static int space_ids(lua_State *L) {
    struct attempt attempt = {.method = "ids"};
    return push_list(L, 2, 2, &attempt, ask_ids);
}

/* ------------------------------------------------------------------ */
/* Queries: each ends in [, t] [, layer_bits]                          */
/* ------------------------------------------------------------------ */

/* A point from index on, with two or three coordinates of these names. */
static aoi_point check_corner(lua_State *L, int index, const char *method, const char *const *names,
                              int dims) {
    aoi_point point = {0, 0, 0};
    point.x = check_coordinate(L, index, method, names[0]);
    point.y = check_coordinate(L, index + 1, method, names[1]);
    if (dims == 3)
        point.z = check_coordinate(L, index + 2, method, names[2]);
    return point;
}

static double check_length(lua_State *L, int index, const char *method, const char *what) {
    double length = -1;
    if (lua_type(L, index) == LUA_TNUMBER)
        length = lua_tonumber(L, index);
    if (!(length >= 0))
        bad_value(L, method, what, index, "a number from 0 up");
    return length;
}

/* The optional layer bits at index. */
static uint32_t check_layers(lua_State *L, int index, const char *method) {
    return lua_isnoneornil(L, index) ? UINT32_MAX : check_bits(L, index, method, "layer_bits");
}

/* Lists found by a query whose arguments before t end at index - 1. */
static int push_query(lua_State *L, int index, struct attempt *attempt, list_function function) {
    check_no_more(L, index + 2, attempt->method, "layer_bits");
    return push_list(L, index, index + 1, attempt, function);
}

static const char *const point_names[] = {"x", "y", "z"};

static aoi_status ask_rect(lua_State *L, const struct space_userdata *self, struct attempt *attempt,
                           aoi_list *list) {
    static const char *const first[] = {"x1", "y1", "z1"}, *const second[] = {"x2", "y2", "z2"};
    int dims = aoi_dims(self->space);
    aoi_point a = check_corner(L, 2, attempt->method, first, dims);
    aoi_point b = check_corner(L, 2 + dims, attempt->method, second, dims);
    uint32_t layers = check_layers(L, 3 + 2 * dims, attempt->method);
    return aoi_query_rect(self->space, a, b, layers, list);
}

/* space:query_rect(x1, y1 [, z1], x2, y2 [, z2] [, t] [, layer_bits]) -> t, n */
static int space_query_rect(lua_State *L) {
    struct attempt attempt = {.method = "query_rect"};
    int dims = aoi_dims(check_open(L, attempt.method)->space);
    return push_query(L, 2 + 2 * dims, &attempt, ask_rect);
}

static aoi_status ask_circle(lua_State *L, const struct space_userdata *self,
                             struct attempt *attempt, aoi_list *list) {
    int dims = aoi_dims(self->space);
    aoi_point centre = check_corner(L, 2, attempt->method, point_names, dims);
    double radius = check_length(L, 2 + dims, attempt->method, "r");
    uint32_t layers = check_layers(L, 4 + dims, attempt->method);
    return aoi_query_circle(self->space, centre, radius, layers, list);
}

/* space:query_circle(x, y [, z], r [, t] [, layer_bits]) -> t, n */
static int space_query_circle(lua_State *L) {
    struct attempt attempt = {.method = "query_circle"};
    int dims = aoi_dims(check_open(L, attempt.method)->space);
    return push_query(L, 3 + dims, &attempt, ask_circle);
}

static aoi_status ask_sector(lua_State *L, const struct space_userdata *self,
                             struct attempt *attempt, aoi_list *list) {
    aoi_point apex = check_corner(L, 2, attempt->method, point_names, 2);
    double radius = check_length(L, 4, attempt->method, "r");
    double direction = check_coordinate(L, 5, attempt->method, "direction");
    double angle = check_coordinate(L, 6, attempt->method, "angle");
    if (angle < 0)
        bad_value(L, attempt->method, "angle", 6, "a finite number from 0 up, in radians");
    uint32_t layers = check_layers(L, 8, attempt->method);
    return aoi_query_sector(self->space, apex, radius, direction, angle, layers, list);
}

/* space:query_sector(x, y, r, direction, angle [, t] [, layer_bits]) -> t, n */
static int space_query_sector(lua_State *L) {
    struct attempt attempt = {.method = "query_sector"};
    return push_query(L, 7, &attempt, ask_sector);
}

static aoi_status ask_segment(lua_State *L, const struct space_userdata *self,
                              struct attempt *attempt, aoi_list *list) {
    static const char *const first[] = {"x1", "y1"}, *const second[] = {"x2", "y2"};
    aoi_point a = check_corner(L, 2, attempt->method, first, 2);
    aoi_point b = check_corner(L, 4, attempt->method, second, 2);
    double width = check_length(L, 6, attempt->method, "width");
    uint32_t layers = check_layers(L, 8, attempt->method);
    return aoi_query_segment(self->space, a, b, width, layers, list);
}

/* space:query_segment(x1, y1, x2, y2, width [, t] [, layer_bits]) -> t, n */
static int space_query_segment(lua_State *L) {
    struct attempt attempt = {.method = "query_segment"};
    return push_query(L, 7, &attempt, ask_segment);
}

/* Where t of a nearest query stands: a table right after k says that there is no max_r. */
static int nearest_table(lua_State *L, int dims) {
    return lua_istable(L, 3 + dims) ? 3 + dims : 4 + dims;
}

static aoi_status ask_nearest(lua_State *L, const struct space_userdata *self,
                              struct attempt *attempt, aoi_list *list) {
    int dims = aoi_dims(self->space), table = attempt->table;
    aoi_point centre = check_corner(L, 2, attempt->method, point_names, dims);
    int is_integer = 0;
    lua_Integer count = 0;
    if (lua_type(L, 2 + dims) == LUA_TNUMBER)
        count = lua_tointegerx(L, 2 + dims, &is_integer);
    if (!is_integer || count < 0)
        bad_value(L, attempt->method, "k", 2 + dims, "a whole number from 0 up");
    double max_radius = HUGE_VAL;
    if (table == 4 + dims && !lua_isnoneornil(L, 3 + dims))
        max_radius = check_length(L, 3 + dims, attempt->method, "max_r");
    uint32_t layers = check_layers(L, table + 1, attempt->method);
    /* Where size_t has 32 bits, a larger k still means all. */
    size_t limit = (uint64_t)count < SIZE_MAX ? (size_t)count : SIZE_MAX;
    return aoi_query_nearest(self->space, centre, limit, max_radius, layers, list);
}

/* space:query_nearest(x, y [, z], k [, max_r] [, t] [, layer_bits]) -> t, n */
static int space_query_nearest(lua_State *L) {
    struct attempt attempt = {.method = "query_nearest"};
    attempt.table = nearest_table(L, aoi_dims(check_open(L, attempt.method)->space));
    return push_query(L, attempt.table, &attempt, ask_nearest);
}

/* Entry `place` of the list of ids at index 2. */
static aoi_id check_listed_id(lua_State *L, lua_Integer place, const char *method) {
    int is_id = 0;
    aoi_id id = 0;
    if (lua_rawgeti(L, 2, place) == LUA_TNUMBER)
        id = lua_tointegerx(L, -1, &is_id);
    if (!is_id) {
        char name[40];
        snprintf(name, sizeof name, "ids[%lld]", (long long)place);
        bad_value(L, method, name, -1, "an integer");
    }
    lua_pop(L, 1);
    return id;
}

/* space:positions(ids, n [, t]) -> t, n; false for an unknown id's coordinates */
static int space_positions(lua_State *L) {
    const char *method = "positions";
    const struct space_userdata *self = check_open(L, method);
    if (!lua_istable(L, 2))
        bad_value(L, method, "ids", 2, "a table of ids");
    int is_integer = 0;
    lua_Integer count = 0;
    if (lua_type(L, 3) == LUA_TNUMBER)
        count = lua_tointegerx(L, 3, &is_integer);
    if (!is_integer || count < 0 || count > INT32_MAX)
        bad_value(L, method, "n", 3, "the number of ids, a whole number from 0 up");
    check_result_table(L, 4, method);
    if (lua_rawequal(L, 2, 4))
        return luaL_error(L, "%s: t is the table of ids, expected another one", method);
    lua_settop(L, 4);
    if (count > 0) /* a list that is too short is told before room for all of n is asked for */
        check_listed_id(L, count, method);
    int dims = aoi_dims(self->space);
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

static void set_count(lua_State *L, const char *name, uint64_t count) {
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, -2, name);
}

/* space:stats() -> table */
static int space_stats(lua_State *L) {
    const struct space_userdata *self = check_open(L, "stats");
    aoi_stats stats;
    aoi_get_stats(self->space, &stats);
    const char *engine = aoi_engine_name(aoi_engine_of(self->space));
    lua_createtable(L, 0, 13);
    lua_pushstring(L, engine);
    lua_setfield(L, -2, "engine");
    set_count(L, "entities", stats.entities);
    set_count(L, "bytes", stats.bytes + sizeof *self);
    set_count(L, "cells", stats.cells);
    set_count(L, "longest_chain", stats.longest_chain);
    set_count(L, "depth", stats.depth);
    set_count(L, "delivered", stats.delivered);
    set_count(L, "pending", stats.pending);
    set_count(L, "collected", stats.collected);
    set_count(L, "changed", stats.changed);
    if (stats.cols > 0) {
        set_count(L, "cols", stats.cols);
        set_count(L, "rows", stats.rows);
        lua_pushnumber(L, stats.cell_width);
        lua_setfield(L, -2, "cell_width");
        lua_pushnumber(L, stats.cell_height);
        lua_setfield(L, -2, "cell_height");
    }
    return 1;
}

/* space:drain([t]) -> t, n: watcher, marker, op, ... */
static int space_drain(lua_State *L) {
    const char *method = "drain";
    struct space_userdata *self = check_open(L, method);
    check_result_table(L, 2, method);
    if (aoi_collects(self->space) == 0)
        return luaL_error(L, "%s: the space was made without option collect", method);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    aoi_cursor cursor = {0, 0};
    aoi_event event;
    lua_Integer slots = 0;
    self = check_open(L, method);
    uint64_t serial = self->serial;
    while (aoi_collected_event(self->space, &cursor, &event)) {
        lua_pushinteger(L, event.watcher);
        lua_rawseti(L, 2, slots + 1);
        lua_pushinteger(L, event.marker);
        lua_rawseti(L, 2, slots + 2);
        lua_pushvalue(L, op_upvalue(event.op));
        lua_rawseti(L, 2, slots + 3);
        slots += 3;
        if (self->serial != serial) { /* a finalizer used the space: read again */
            self = check_open(L, method);
            serial = self->serial;
            memset(&cursor, 0, sizeof cursor);
            slots = 0;
        }
    }
    aoi_drop_collected(self->space);
    end_list(L, 2, slots);
    lua_pushinteger(L, slots / 3);
    return 2;
}

/* ------------------------------------------------------------------ */
/* Making, changing and closing a space                                */
/* ------------------------------------------------------------------ */

static const char *const handler_names[] = {
    [ON_EVENT] = "on_event", [ON_ENTER] = "on_enter",       [ON_LEAVE] = "on_leave",
    [ON_MOVE] = "on_move",   [ON_WATCHERS] = "on_watchers", [ON_MARKERS] = "on_markers",
    [ON_VIEW] = "on_view",   [ON_ERROR] = "on_error",
};

enum { HANDLERS = sizeof handler_names / sizeof *handler_names };

static const char expected_handlers[] = "on_event, on_enter, on_leave, on_move, on_watchers, "
                                        "on_markers, on_view or on_error";

/* The handler that the string at index names, or 0. */
static int handler_from_name(lua_State *L, int index) {
    for (int which = 1; which < HANDLERS; which++) {
        if (is_string(L, index, handler_names[which]))
            return which;
    }
    return 0;
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
    return ops;
}

/* Checks the handler on top of the stack. */
static void check_handler(lua_State *L, const char *method, int which) {
    char what[40];
    snprintf(what, sizeof what, "option %s", handler_names[which]);
    if (!lua_isfunction(L, -1))
        bad_value(L, method, what, -1, "a function");
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
        int which = handler_from_name(L, -2);
        if (which == 0)
            return unknown_option(L, method, expected_handlers);
        check_handler(L, method, which);
        lua_pop(L, 1);
    }
    /* All is well: from here on nothing raises. */
    self->handlers = 0;
    for (int which = 1; which < HANDLERS; which++) {
        lua_pushnil(L);
        set_reference(L, 1, which);
    }
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        int which = handler_from_name(L, -2);
        self->handlers |= HANDLER_BIT(which);
        set_reference(L, 1, which);
    }
    aoi_listen(self->space, ops_of_handlers(self->handlers), wants_of(self->handlers));
    return 0;
}

static void close_space(lua_State *L, struct space_userdata *self) {
    aoi_space *space = self->space;
    self->space = NULL;
    self->serial++;
    aoi_destroy(space);
    self->handlers = 0;
    for (int which = 1; which < HANDLERS; which++) {
        lua_pushnil(L);
        set_reference(L, 1, which);
    }
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

/* space:clear() */
static int space_clear(lua_State *L) {
    aoi_clear(check_open(L, "clear")->space);
    return 0;
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

static double check_option_number(lua_State *L, const char *what) {
    if (lua_type(L, -1) != LUA_TNUMBER)
        bad_value(L, "new", what, -1, "a number");
    return lua_tonumber(L, -1);
}

static int64_t check_option_integer(lua_State *L, const char *what) {
    int is_integer = 0;
    lua_Integer value = 0;
    if (lua_type(L, -1) == LUA_TNUMBER)
        value = lua_tointegerx(L, -1, &is_integer);
    if (!is_integer)
        bad_value(L, "new", what, -1, "a whole number");
    return value;
}

static bool check_option_boolean(lua_State *L, const char *what) {
    if (!lua_isboolean(L, -1))
        bad_value(L, "new", what, -1, "true or false");
    return lua_toboolean(L, -1) != 0;
}

/* collect = true or { "enter", "leave", "move" }, on top of the stack. */
static uint32_t check_option_collect(lua_State *L) {
    static const char expected[] = "true, or a list of \"enter\", \"leave\" and \"move\"";
    uint32_t ops = 0;
    if (lua_isboolean(L, -1))
        return lua_toboolean(L, -1) ? AOI_ENTER | AOI_LEAVE | AOI_MOVE : 0;
    if (!lua_istable(L, -1))
        bad_value(L, "new", "option collect", -1, expected);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (is_string(L, -1, "enter"))
            ops |= AOI_ENTER;
        else if (is_string(L, -1, "leave"))
            ops |= AOI_LEAVE;
        else if (is_string(L, -1, "move"))
            ops |= AOI_MOVE;
        else
            bad_value(L, "new", "an entry of option collect", -1, expected);
        lua_pop(L, 1);
    }
    return ops;
}

/* Takes the option whose name and value are on top of the stack; false when it is unknown. */
static bool take_option(lua_State *L, aoi_options *options) {
    static const struct {
        const char *name;
        uint32_t bit;
        size_t offset;
    } numbers[] =
        {
            {"x", AOI_GIVEN_X, offsetof(aoi_options, x)},
            {"y", AOI_GIVEN_Y, offsetof(aoi_options, y)},
            {"width", AOI_GIVEN_WIDTH, offsetof(aoi_options, width)},
            {"height", AOI_GIVEN_HEIGHT, offsetof(aoi_options, height)},
            {"cell", AOI_GIVEN_CELL, offsetof(aoi_options, cell)},
            {"radius", AOI_GIVEN_RADIUS, offsetof(aoi_options, radius)},
            {"slack", AOI_GIVEN_SLACK, offsetof(aoi_options, slack)},
        },
      integers[] = {
          {"cols", AOI_GIVEN_COLS, offsetof(aoi_options, cols)},
          {"rows", AOI_GIVEN_ROWS, offsetof(aoi_options, rows)},
          {"capacity", AOI_GIVEN_CAPACITY, offsetof(aoi_options, capacity)},
          {"max_depth", AOI_GIVEN_MAX_DEPTH, offsetof(aoi_options, max_depth)},
          {"depth", AOI_GIVEN_DEPTH, offsetof(aoi_options, depth)},
      };
    char what[40];
    snprintf(what, sizeof what, "option %s",
             lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (is_string(L, -2, numbers[i].name)) {
            double value = check_option_number(L, what);
            memcpy((char *)options + numbers[i].offset, &value, sizeof value);
            options->given |= numbers[i].bit;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (is_string(L, -2, integers[i].name)) {
            int64_t value = check_option_integer(L, what);
            memcpy((char *)options + integers[i].offset, &value, sizeof value);
            options->given |= integers[i].bit;
            return true;
        }
    }
    if (is_string(L, -2, "dims")) {
        int64_t dims = check_option_integer(L, what);
        options->dims = dims == 2 || dims == 3 ? (int)dims : 0;
        options->given |= AOI_GIVEN_DIMS;
        if (options->dims == 0)
            bad_value(L, "new", what, -1, "2 or 3");
    } else if (is_string(L, -2, "clamp")) {
        options->clamp = check_option_boolean(L, what);
        options->given |= AOI_GIVEN_CLAMP;
    } else if (is_string(L, -2, "deferred")) {
        options->deferred = check_option_boolean(L, what);
        options->given |= AOI_GIVEN_DEFERRED;
    } else if (is_string(L, -2, "shape")) {
        options->shape = is_string(L, -1, "circle") ? AOI_CIRCLE : AOI_SQUARE;
        options->given |= AOI_GIVEN_SHAPE;
        if (options->shape == AOI_SQUARE && !is_string(L, -1, "square"))
            bad_value(L, "new", what, -1, "\"square\" or \"circle\"");
    } else if (is_string(L, -2, "engine")) {
        if (lua_type(L, -1) == LUA_TSTRING)
            options->engine = aoi_engine_from_name(lua_tostring(L, -1));
        if (options->engine == 0 || !is_string(L, -1, aoi_engine_name(options->engine)))
            bad_value(L, "new", what, -1, "\"grid\", \"crosslist\" or \"quadtree\"");
    } else if (is_string(L, -2, "collect")) {
        options->collect = check_option_collect(L);
    } else {
        return false;
    }
    return true;
}

/* Creates the core's space for the userdata; on lack of memory once more after a collection. */
static void create_space(lua_State *L, struct space_userdata *self, const aoi_options *options) {
    aoi_complaint complaint;
    aoi_space *space = NULL;
    aoi_status status = aoi_create(options, &space, &complaint);
    if (status == AOI_NOMEM) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        status = aoi_create(options, &space, &complaint);
    }
    if (status == AOI_NOMEM)
        raise_memory_error(L);
    if (status != AOI_OK)
        luaL_error(L, "new: %s", complaint.text);
    self->space = space;
}

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

/* Takes the handler on top of the stack, for the space at index 3. */
static void take_handler(lua_State *L, struct space_userdata *self, const char *method, int which) {
    check_handler(L, method, which);
    self->handlers |= HANDLER_BIT(which);
    set_reference(L, 3, which);
}

/*
 * core.new(options [, callback]) -> space
 * callback: the classic one, called with (space, watcher, marker, op).
 */
static int core_new(lua_State *L) {
    const char *method = "new";
    if (!lua_istable(L, 1))
        bad_value(L, method, "options", 1, "a table of options");
    lua_settop(L, 2);
    if (!lua_isnil(L, 2) && !lua_isfunction(L, 2))
        bad_value(L, method, "callback", 2, "a function");
    struct space_userdata *self = push_space(L);

    aoi_options options = aoi_options_default((aoi_engine)0);
    options.allocator = lua_getallocf(L, &options.allocator_userdata);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        int which = handler_from_name(L, -2);
        if (which != 0) {
            take_handler(L, self, method, which);
        } else if (take_option(L, &options)) {
            lua_pop(L, 1);
        } else {
            return unknown_option(L, method, "an option of aoi.new");
        }
    }
    if (options.engine == 0)
        return luaL_error(L,
                          "%s: option engine is missing, expected \"grid\", "
                          "\"crosslist\" or \"quadtree\"",
                          method);
    if (!lua_isnil(L, 2)) {
        lua_pushvalue(L, 2);
        set_reference(L, 3, ON_EVENT);
        self->handlers |= HANDLER_BIT(ON_EVENT);
        self->classic = true;
    }
    options.listen = ops_of_handlers(self->handlers);
    create_space(L, self, &options);
    aoi_listen(self->space, options.listen, wants_of(self->handlers));
    lua_settop(L, 3);
    return 1;
}

/* Makes the core's space from the string at index 1; on lack of memory once more after a
 * collection. */
static void load_space(lua_State *L, struct space_userdata *self) {
    void *userdata;
    aoi_allocator allocator = lua_getallocf(L, &userdata);
    size_t size;
    const char *bytes = lua_tolstring(L, 1, &size);
    aoi_complaint complaint;
    uint32_t note = 0;
    aoi_status status = aoi_load(bytes, size, allocator, userdata, &self->space, &note, &complaint);
    if (status == AOI_NOMEM) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        status = aoi_load(bytes, size, allocator, userdata, &self->space, &note, &complaint);
    }
    if (status == AOI_NOMEM)
        raise_memory_error(L);
    if (status != AOI_OK)
        luaL_error(L, "load: %s", complaint.text);
    if (note > NOTE_CLASSIC)
        luaL_error(L, "load: the note is %I, expected 0 or 1: the string was not saved from Lua",
                   (LUAI_UACINT)note);
    self->classic = note == NOTE_CLASSIC;
}

/* core.load(string [, handlers]) -> space */
static int core_load(lua_State *L) {
    const char *method = "load";
    if (lua_type(L, 1) != LUA_TSTRING)
        bad_value(L, method, "the first argument", 1, "a string from space:save()");
    if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2))
        bad_value(L, method, "handlers", 2, "a table of handlers");
    check_no_more(L, 3, method, "handlers");
    lua_settop(L, 2);
    struct space_userdata *self = push_space(L);
    if (lua_isnil(L, 2)) {
        load_space(L, self);
        return 1;
    }
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        int which = handler_from_name(L, -2);
        if (which == 0)
            return unknown_option(L, method, expected_handlers);
        take_handler(L, self, method, which);
    }
    load_space(L, self);
    aoi_listen(self->space, ops_of_handlers(self->handlers), wants_of(self->handlers));
    return 1;
}

/* ------------------------------------------------------------------ */
/* The module                                                          */
/* ------------------------------------------------------------------ */

static const luaL_Reg methods[] = {
    {"clear", space_clear},
    {"close", space_close},
    {"drain", space_drain},
    {"enter", space_enter},
    {"enter_all", space_enter_all},
    {"flush", space_flush},
    {"has", space_has},
    {"ids", space_ids},
    {"leave", space_leave},
    {"leave_all", space_leave_all},
    {"markers_of", space_markers_of},
    {"move", space_move},
    {"move_all", space_move_all},
    {"on", space_on},
    {"pending", space_pending},
    {"position", space_position},
    {"positions", space_positions},
    {"query_circle", space_query_circle},
    {"query_nearest", space_query_nearest},
    {"query_rect", space_query_rect},
    {"query_sector", space_query_sector},
    {"query_segment", space_query_segment},
    {"radius", space_radius},
    {"save", space_save},
    {"sees", space_sees},
    {"set_bounds", space_set_bounds},
    {"set_layer", space_set_layer},
    {"set_mode", space_set_mode},
    {"set_radius", space_set_radius},
    {"set_sees", space_set_sees},
    {"stats", space_stats},
    {"tick", space_tick},
    {"update", space_update},
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

AOI_EXPORT int luaopen_aoi_core(lua_State *L) {
    luaL_checkversion(L);
    lua_createtable(L, 0, 4); /* the module */

    lua_createtable(L, 0, 8); /* metatable of spaces */
    lua_pushliteral(L, "aoi.space");
    lua_setfield(L, -2, "__name");
    luaL_setfuncs(L, metamethods, 0);
    lua_createtable(L, 0, sizeof methods / sizeof *methods);
    lua_pushliteral(L, "enter");
    lua_pushliteral(L, "leave");
    lua_pushliteral(L, "move");
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
    lua_pushliteral(L, AOI_VERSION);
    lua_setfield(L, -2, "_VERSION");
#ifdef AOI_SELF_CHECK
    lua_pushliteral(L, "test"); /* slow: for tests, not for measuring */
#else
    lua_pushliteral(L, "release");
#endif
    lua_setfield(L, -2, "_BUILD");
    return 1;
}
