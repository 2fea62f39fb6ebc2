/*
 * deliverer.c - the coroutine that delivers.
 *
 * Only one call delivers at a time; calls made meanwhile (by handlers, by
 * finalizers, by coroutines that a handler resumes) only queue. But a handler
 * that raises unwinds the delivering call without a word, and one that yields
 * leaves it suspended, perhaps for ever. So `deliverer` is only a claim. It is
 * believed when a delivering frame, told by the mark in its second stack
 * place, stands on the stack of that thread and the thread is not suspended;
 * otherwise the next call takes over.
 *
 * The table THREADS has weak keys and values. It maps the address of a thread
 * to the thread, so that the address of a collected one is not used, and a
 * thread whose delivery was taken over to true: when that thread runs again,
 * the frame on its stack still delivers.
 */
#include "lua/delivery.h"
#include "lua/lua_versions.h"

static const char delivery_mark = 0;

static void push_mark(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&delivery_mark);
}

/* True when place n of the frame holds this pointer. */
static bool frame_holds(lua_State *thread, const lua_Debug *frame, int n, const void *pointer) {
    if (lua_getlocal(thread, frame, n) == NULL)
        return false;
    bool holds = lua_touserdata(thread, -1) == pointer;
    lua_pop(thread, 1);
    return holds;
}

static bool is_delivery_frame(lua_State *thread, const lua_Debug *frame) {
    return frame_holds(thread, frame, FRAME_MARK, &delivery_mark);
}

/* True when the frame at this level of the thread's stack delivers for self. O(level). */
static bool delivers_at(lua_State *thread, int level, const struct space_userdata *self) {
    lua_Debug frame;
    return lua_getstack(thread, level, &frame) && is_delivery_frame(thread, &frame) &&
           frame_holds(thread, &frame, FRAME_SPACE, self);
}

/* The number of frames on the thread's stack. O(depth log depth). */
static int depth_of(lua_State *thread) {
    lua_Debug frame;
    int depth = 0, more = 1; /* frame depth + more is not there */
    while (lua_getstack(thread, depth + more - 1, &frame))
        more *= 2;
    for (; more > 0; more /= 2) {
        if (lua_getstack(thread, depth + more - 1, &frame))
            depth += more;
    }
    return depth;
}

/*
 * True when a frame on the thread's stack delivers for self. Lua finds a frame
 * in O(its level), so a search through a deep stack would cost its square:
 * this one begins at both ends, as the call of the game that delivers is
 * mostly near one of them, however deep a handler calls itself. O(depth) times
 * the distance to the nearer end.
 */
static bool has_delivery_frame(lua_State *thread, const struct space_userdata *self) {
    enum { NEAR = 32 }; /* so many frames are looked at before they are counted */
    if (!lua_checkstack(thread, 1))
        return false;
    int level = 0;
    for (; level < NEAR; level++) {
        if (delivers_at(thread, level, self))
            return true;
    }
    for (int last = depth_of(thread) - 1; level <= last; level++, last--) {
        if (delivers_at(thread, last, self) || delivers_at(thread, level, self))
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

/* True when events are left to a delivery that is on its way. The space is at index 1. */
static bool is_delivering(lua_State *L, struct space_userdata *self) {
    if (self->deliverer == NULL && !self->was_taken_over)
        return false;
    luaL_checkstack(L, 4, NULL);
    if (self->was_taken_over) {
        get_reference(L, FRAME_SPACE, THREADS);
        lua_pushthread(L);
        const bool is_marked = lua_rawget(L, -2) == LUA_TBOOLEAN;
        lua_pop(L, 2);
        if (is_marked && has_delivery_frame(L, self))
            return true;
        if (is_marked) {
            lua_pushthread(L);
            mark_taken_over(L, false);
        }
    }
    if (self->deliverer == NULL)
        return false;
    if (self->deliverer == self->main_thread) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    } else {
        get_reference(L, FRAME_SPACE, THREADS);
        lua_rawgetp(L, -1, self->deliverer); /* nil when it was collected */
        lua_remove(L, -2);
    }
    lua_State *thread = lua_tothread(L, -1);
    bool has_frame = thread != NULL && has_delivery_frame(thread, self);
    if (has_frame && lua_status(thread) == LUA_YIELD) {
        mark_taken_over(L, true);
        self->was_taken_over = true;
        return false;
    }
    lua_pop(L, 1);
    return has_frame && lua_status(thread) == LUA_OK;
}
