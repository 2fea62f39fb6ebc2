/* delivery.h - deliveries: how handlers hear of the events that wait. */
#ifndef AOI_LUA_DELIVERY_H
#define AOI_LUA_DELIVERY_H

#include "lua/values.h"

/* The kinds of events of pairs, of areas, and all. */
enum { PAIR_OPS = AOI_ENTER | AOI_LEAVE | AOI_MOVE, AREA_OPS = AOI_AREA_ENTER | AOI_AREA_LEAVE };
enum { ALL_OPS = PAIR_OPS | AREA_OPS };

/* ---- deliverer.c ---- */

/* Places on the stack of a delivering call. */
enum {
    FRAME_SPACE = 1,
    FRAME_MARK, /* light userdata &delivery_mark */
    FRAME_RESULT,
    FRAME_WATCHER, /* with on_error or two handlers: the event being told */
    FRAME_MARKER,
    FRAME_OP,
    FRAME_ON_ERROR,    /* as it was when the event's turn came */
    FRAME_SECOND,      /* the same for on_enter, ..., when on_event goes first */
    FRAME_IS_REPORTED, /* whether on_error has heard of the error of the handler called last */
    FRAME_ARRAYS,      /* grouped handlers: one array, or three */
    FRAME_CLEARS = FRAME_ARRAYS, /* single events: how often the space had been cleared */
    FRAME_LAST_ARRAY = FRAME_ARRAYS + 2
};

/* Pushes what marks a frame as one that delivers. */
static void push_mark(lua_State *L);
static bool is_delivery_frame(lua_State *thread, const lua_Debug *frame);
static void register_thread(lua_State *L, const struct space_userdata *self);
static void mark_taken_over(lua_State *L, bool taken);
static bool is_delivering(lua_State *L, struct space_userdata *self);

/* ---- delivery.c ---- */

/* The names of the kinds of events, in the order of their bits and of the upvalues. */
static const char *const op_names[UPVALUES] = {"enter", "leave", "move", "area_enter",
                                               "area_leave"};

/* Where the name of a kind stands when the upvalues are pushed behind two arguments: a table,
 * because which kind comes next can't be predicted. */
static const uint8_t name_at[] = {[AOI_ENTER] = 2 + UPVALUE_ENTER,
                                  [AOI_LEAVE] = 2 + UPVALUE_LEAVE,
                                  [AOI_MOVE] = 2 + UPVALUE_MOVE,
                                  [AOI_AREA_ENTER] = 2 + UPVALUE_AREA_ENTER,
                                  [AOI_AREA_LEAVE] = 2 + UPVALUE_AREA_LEAVE};

static void push_op(lua_State *L, aoi_op op); /* its name */
static int finish_change(lua_State *L, struct space_userdata *self, bool has_result);

/* ---- handlers.c ---- */

static struct rows handler_rows(void); /* the names of the handlers, from ON_EVENT on */
static int check_handler(lua_State *L, const char *method);
static void set_handler(lua_State *L, int index, int which);
static void drop_handlers(lua_State *L, struct space_userdata *self);
/* The set that hears what is told next, added to ON_EVENT, ...: 0, or EARLIER as long as the change
 * goes on that this set has begun; after it, drops that set. */
static int next_set(lua_State *L, struct space_userdata *self);
static void listen_for_handlers(const struct space_userdata *self);

#endif
