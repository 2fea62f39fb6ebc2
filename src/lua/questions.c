/* questions.c - the methods that ask: about entities, the queries, counts. They change nothing.
 * Those that answer with more than a list of ids: lists.c. */
#include <math.h>

#include "lua/values.h"

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

static const char *const mode_names[] = {
    [AOI_WATCHER] = "w", [AOI_MARKER] = "m", [AOI_WATCHER | AOI_MARKER] = "wm"};

/* Pushes the trait's field as take_value takes it. */
static void push_trait(lua_State *L, aoi_type type, const void *field) {
    double number;
    uint32_t bits;
    if (type == AOI_LENGTH) {
        memcpy(&number, field, sizeof number);
        lua_pushnumber(L, number);
        return;
    }
    memcpy(&bits, field, sizeof bits);
    if (type == AOI_MODE)
        lua_pushstring(L, mode_names[bits]);
    else if (type == AOI_LIMIT && bits > INT32_MAX)
        lua_pushnumber(L, HUGE_VAL);
    else
        lua_pushinteger(L, (lua_Integer)bits);
}

/* space:traits(id) -> a table as enter takes it, or nil */
static int space_traits(lua_State *L) {
    const struct space_userdata *self = check_open(L, "traits");
    aoi_id id = check_id(L, 2, "traits", "id");
    size_t count;
    const aoi_trait_info *table = aoi_trait_table(&count);
    lua_createtable(L, 0, (int)count);
    check_open(L, "traits"); /* a finalizer may have closed it */
    aoi_traits traits;
    if (aoi_traits_of(self->space, id, &traits) != AOI_OK) {
        lua_pushnil(L);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (traits.given & table[i].bit) {
            push_trait(L, table[i].type, (const char *)&traits + table[i].offset);
            lua_setfield(L, -2, table[i].name);
        }
    }
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

static aoi_status ask_markers_of(lua_State *L, struct space_userdata *self,
                                 struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_markers_of(self->space, attempt->id, &attempt->list);
}

/* space:markers_of(id [, t]) -> t, n */
static int space_markers_of(lua_State *L) {
    struct attempt attempt = {.method = "markers_of"};
    return push_list(L, 3, 3, &attempt, ask_markers_of);
}

static aoi_status ask_watchers_of(lua_State *L, struct space_userdata *self,
                                  struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_watchers_of(self->space, attempt->id, &attempt->list);
}

/* space:watchers_of(id [, t]) -> t, n */
static int space_watchers_of(lua_State *L) {
    struct attempt attempt = {.method = "watchers_of"};
    return push_list(L, 3, 3, &attempt, ask_watchers_of);
}

static aoi_status ask_told(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_told_markers_of(self->space, attempt->id, &attempt->list);
}

/* space:told_markers_of(id [, t]) -> t, n */
static int space_told_markers_of(lua_State *L) {
    struct attempt attempt = {.method = "told_markers_of"};
    return push_list(L, 3, 3, &attempt, ask_told);
}

static aoi_status ask_told_to(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    return aoi_told_watchers_of(self->space, attempt->id, &attempt->list);
}

/* space:told_watchers_of(id [, t]) -> t, n */
static int space_told_watchers_of(lua_State *L) {
    struct attempt attempt = {.method = "told_watchers_of"};
    return push_list(L, 3, 3, &attempt, ask_told_to);
}

static aoi_status ask_why(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "watcher");
    const aoi_id marker = check_id(L, 3, attempt->method, "marker");
    check_no_more(L, 4, attempt->method, "marker");
    return aoi_explain(self->space, attempt->id, marker, &attempt->reason, &attempt->rank);
}

/* space:explain(watcher, marker) -> reason [, rank] */
static int space_explain(lua_State *L) {
    static const char *const names[] = {
        [AOI_BECAUSE_UNKNOWN] = "unknown", [AOI_BECAUSE_SELF] = "self",
        [AOI_BECAUSE_MODE] = "mode",       [AOI_BECAUSE_LAYER] = "layer",
        [AOI_BECAUSE_RANGE] = "range",     [AOI_BECAUSE_SEES] = "sees",
        [AOI_BECAUSE_TOLD] = "told",       [AOI_BECAUSE_LIMIT] = "limit",
        [AOI_BECAUSE_WAITS] = "waits"};
    struct attempt attempt = {.method = "explain"};
    call_core(L, &attempt, ask_why);
    lua_pushstring(L, names[attempt.reason]);
    if (attempt.reason != AOI_BECAUSE_LIMIT)
        return 1;
    lua_pushinteger(L, (lua_Integer)attempt.rank);
    return 2;
}

static aoi_status ask_ids(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    (void)L;
    (void)attempt;
    return aoi_ids(self->space, &attempt->list);
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
static int push_query(lua_State *L, int index, struct attempt *attempt, attempt_function function) {
    check_no_more(L, index + 2, attempt->method, "layer_bits");
    return push_list(L, index, index + 1, attempt, function);
}

static const char *const point_names[] = {"x", "y", "z"};

static aoi_status ask_rect(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    static const char *const first[] = {"x1", "y1", "z1"}, *const second[] = {"x2", "y2", "z2"};
    int dims = aoi_dims(self->space);
    aoi_point a = check_corner(L, 2, attempt->method, first, dims);
    aoi_point b = check_corner(L, 2 + dims, attempt->method, second, dims);
    uint32_t layers = check_layers(L, 3 + 2 * dims, attempt->method);
    return aoi_query_rect(self->space, a, b, layers, &attempt->list);
}

/* space:query_rect(x1, y1 [, z1], x2, y2 [, z2] [, t] [, layer_bits]) -> t, n */
static int space_query_rect(lua_State *L) {
    struct attempt attempt = {.method = "query_rect"};
    int dims = aoi_dims(check_open(L, attempt.method)->space);
    return push_query(L, 2 + 2 * dims, &attempt, ask_rect);
}

static aoi_status ask_circle(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int dims = aoi_dims(self->space);
    aoi_point centre = check_corner(L, 2, attempt->method, point_names, dims);
    double radius = check_length(L, 2 + dims, attempt->method, "r");
    uint32_t layers = check_layers(L, 4 + dims, attempt->method);
    return aoi_query_circle(self->space, centre, radius, layers, &attempt->list);
}

/* space:query_circle(x, y [, z], r [, t] [, layer_bits]) -> t, n */
static int space_query_circle(lua_State *L) {
    struct attempt attempt = {.method = "query_circle"};
    int dims = aoi_dims(check_open(L, attempt.method)->space);
    return push_query(L, 3 + dims, &attempt, ask_circle);
}

static aoi_status ask_sector(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    aoi_point apex = check_corner(L, 2, attempt->method, point_names, 2);
    double radius = check_length(L, 4, attempt->method, "r");
    double direction = check_coordinate(L, 5, attempt->method, "direction");
    double angle = check_coordinate(L, 6, attempt->method, "angle");
    if (angle < 0)
        bad_value(L, attempt->method, "angle", 6, "a finite number from 0 up, in radians");
    uint32_t layers = check_layers(L, 8, attempt->method);
    return aoi_query_sector(self->space, apex, radius, direction, angle, layers, &attempt->list);
}

/* space:query_sector(x, y, r, direction, angle [, t] [, layer_bits]) -> t, n */
static int space_query_sector(lua_State *L) {
    struct attempt attempt = {.method = "query_sector"};
    return push_query(L, 7, &attempt, ask_sector);
}

static aoi_status ask_segment(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    static const char *const first[] = {"x1", "y1"}, *const second[] = {"x2", "y2"};
    aoi_point a = check_corner(L, 2, attempt->method, first, 2);
    aoi_point b = check_corner(L, 4, attempt->method, second, 2);
    double width = check_length(L, 6, attempt->method, "width");
    uint32_t layers = check_layers(L, 8, attempt->method);
    return aoi_query_segment(self->space, a, b, width, layers, &attempt->list);
}

/* space:query_segment(x1, y1, x2, y2, width [, t] [, layer_bits]) -> t, n */
static int space_query_segment(lua_State *L) {
    struct attempt attempt = {.method = "query_segment"};
    return push_query(L, 7, &attempt, ask_segment);
}

static aoi_status ask_polygon(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const struct corners *corners = attempt->corners;
    const uint32_t layers = check_layers(L, 4, attempt->method);
    aoi_complaint complaint;
    const aoi_status status = aoi_query_polygon(self->space, corners->ring, corners->rings, layers,
                                                &attempt->list, &complaint);
    if (status == AOI_INVALID)
        luaL_error(L, "%s: %s", attempt->method, complaint.text);
    return status;
}

/* space:query_polygon(points [, t] [, layer_bits]) -> t, n */
static int space_query_polygon(lua_State *L) {
    struct attempt attempt = {.method = "query_polygon"};
    check_open(L, attempt.method);
    check_no_more(L, 5, attempt.method, "layer_bits");
    lua_settop(L, 4);
    attempt.corners = push_corners(L, 2, attempt.method);
    lua_replace(L, 2);
    return push_query(L, 3, &attempt, ask_polygon);
}

/* Where t of a nearest query stands: a table or "packed" right after k says that there is no max_r.
 */
static int nearest_table(lua_State *L, int dims) {
    const bool is_next = lua_istable(L, 3 + dims) || is_string(L, 3 + dims, "packed");
    return is_next ? 3 + dims : 4 + dims;
}

static aoi_status ask_nearest(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
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
    return aoi_query_nearest(self->space, centre, limit, max_radius, layers, &attempt->list);
}

/* space:query_nearest(x, y [, z], k [, max_r] [, t] [, layer_bits]) -> t, n */
static int space_query_nearest(lua_State *L) {
    struct attempt attempt = {.method = "query_nearest"};
    attempt.table = nearest_table(L, aoi_dims(check_open(L, attempt.method)->space));
    return push_query(L, attempt.table, &attempt, ask_nearest);
}

static void set_count(lua_State *L, const char *name, uint64_t count) {
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, -2, name);
}

/* The sub-table that says what bytes are held for: `itself` more for the space. */
static void set_held(lua_State *L, const aoi_held *held, size_t itself) {
    lua_createtable(L, 0, 9);
    set_count(L, "entities", held->entities + itself);
    set_count(L, "index", held->index);
    set_count(L, "changes", held->changes);
    set_count(L, "crowd", held->crowd);
    set_count(L, "areas", held->areas);
    set_count(L, "events", held->events);
    set_count(L, "tick", held->tick);
    set_count(L, "record", held->record);
    set_count(L, "scratch", held->scratch);
    lua_setfield(L, -2, "held");
}

/* space:stats() -> table */
static int space_stats(lua_State *L) {
    const struct space_userdata *self = check_open(L, "stats");
    aoi_stats stats;
    aoi_get_stats(self->space, &stats);
    const char *engine = aoi_engine_name(aoi_engine_of(self->space));
    aoi_options options = {.struct_size = sizeof options};
    aoi_options_of(self->space, &options);
    const bool is_deferred = options.deferred;
    const int dims = aoi_dims(self->space);
    lua_createtable(L, 0, 20); /* from here on a finalizer may close the space */
    lua_pushstring(L, engine);
    lua_setfield(L, -2, "engine");
    set_count(L, "dims", (uint64_t)dims);
    set_count(L, "entities", stats.entities);
    set_count(L, "bytes", stats.bytes + sizeof *self);
    set_held(L, &stats.held, sizeof *self);
    set_count(L, "cells", stats.cells);
    set_count(L, "longest_chain", stats.longest_chain);
    set_count(L, "depth", stats.depth);
    set_count(L, "delivered", stats.delivered);
    set_count(L, "pending", stats.pending);
    set_count(L, "collected", stats.collected);
    set_count(L, "changed", stats.changed);
    set_count(L, "areas", stats.areas);
    set_count(L, "calls", stats.moment.calls);
    set_count(L, "tick", stats.moment.ticks);
    lua_pushboolean(L, is_deferred);
    lua_setfield(L, -2, "deferred");
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
