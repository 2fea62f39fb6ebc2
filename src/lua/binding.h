/*
 * binding.h - the Lua binding: a userdata with methods around an aoi_space.
 *
 * It uses nothing of the core but aoi.h, and knows no engine. What it adds: it
 * reads and checks arguments and turns status codes into errors (values.h),
 * and turns waiting events into calls of handlers (delivery.h). The methods
 * are in changes.c, hand_over.c, batches.c, areas.c, lists.c, questions.c, handlers.c, records.c
 * and spaces.c; module.c builds it all as one program.
 *
 * Two rules keep it safe. Lua code can run inside any call of the Lua API
 * that may allocate (finalizers), so no pointer into the space and no list
 * that the space owns is used across one unless `serial` shows that nobody
 * came in between. And nothing allocated lives on the C stack alone.
 */
#ifndef AOI_BINDING_H
#define AOI_BINDING_H

#include <lauxlib.h>
#include <lua.h>

#include "aoi.h"

/* User values of a userdata, numbered from 1. */
enum {
    ON_EVENT = 1,
    ON_ENTER,
    ON_LEAVE,
    ON_MOVE,
    ON_WATCHERS,
    ON_MARKERS,
    ON_VIEW,
    ON_AREA,
    ON_ERROR,
    HANDLERS_END,           /* the handlers are those before */
    THREADS = HANDLERS_END, /* see deliverer.c */
    ARRAYS,                 /* three tables for grouped handlers; nil while one is in use */
    EARLIER = ARRAYS + 2,   /* EARLIER + ON_EVENT, ...: of the set that tells a change to its end */
    REFERENCES = EARLIER + HANDLERS_END - 1
};

#define HANDLER_BIT(which) (1U << (which))
#define HAS_EARLIER 1U /* among the bits of handlers: on{} has replaced others amid a change */

struct space_userdata {
    const void *tag;        /* how a space is told from other userdata, see to_space */
    aoi_space *space;       /* NULL once closed */
    lua_State *main_thread; /* of the Lua state; never collected */
    lua_State *deliverer;   /* the thread whose call delivers; may be dead: see deliverer.c */
    uint64_t serial;        /* counts the calls that may have touched the space */
    uint64_t clears;        /* counts the calls of clear */
    uint64_t drains;        /* counts how often gathered events were taken out or dropped */
    uint64_t takes;         /* counts how often recorded calls were taken out */
    unsigned handlers;      /* HANDLER_BIT of those that are set, HAS_EARLIER */
    unsigned earlier;       /* with HAS_EARLIER: HANDLER_BIT of those before them */
    bool classic;           /* handlers of events get the space first */
    bool was_taken_over;    /* some delivery was taken over from a suspended thread */
};

/* Upvalues of every method. */
enum {
    UPVALUE_ENTER = 1,
    UPVALUE_LEAVE,
    UPVALUE_MOVE,
    UPVALUE_AREA_ENTER,
    UPVALUE_AREA_LEAVE,
    UPVALUES = UPVALUE_AREA_LEAVE,
    UPVALUE_METHOD /* light userdata: struct method; of methods alone */
};

#endif
