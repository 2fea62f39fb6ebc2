/* questions.c - the methods that ask: about entities, the queries, counts. They change nothing.
 * Methods that answer with more than a list of ids: lists.c. */
#include <math.h>

#include "lua/values.h"

/* space:has(id) -> boolean */
static int space_has(lua_State *L) {
    const struct space_userdata *self = check_open(L, "has");
    lua_pushboolean(L, aoi_has(self->space, check_id(L, 2, "has", "id")));
    return 1;
}

static int push_point(lua_State *L, const aoi_point *point, int dims) {
    lua_pushnumber(L, point->x);
    lua_pushnumber(L, point->y);
    if (dims == 3)
        lua_pushnumber(L, point->z);
    return dims;
}

/* space:position(id) -> x, y [, z] or nil */
static int space_position(lua_State *L) {
    const struct space_userdata *self = check_open(L, "position");
    aoi_point position;
    if (aoi_position(self->space, check_id(L, 2, "position", "id"), &position) == AOI_OK)
        return push_point(L, &position, aoi_dims(self->space));
    lua_pushnil(L);
    return 1;
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

/* space:sees(a, b), space:in_area(area, id) -> boolean */
static int ask_two(lua_State *L) {
    const struct method *how = begin_attempt(L).how;
    const struct space_userdata *self = check_open(L, how->name);
    const aoi_id first = check_id(L, 2, how->name, how->first);
    lua_pushboolean(L, how->core.are(self->space, first, check_id(L, 3, how->name, how->second)));
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

static aoi_status try_list(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const struct method *how = attempt->how;
    (void)L;
    return how->first == NULL ? how->core.list(self->space, &attempt->list)
                              : how->core.list_of(self->space, attempt->id, &attempt->list);
}

/* space:ids([t]), space:markers_of(id [, t]), ... -> t, n */
static int ask_list(lua_State *L) {
    struct attempt attempt = begin_attempt(L);
    const int table = attempt.how->first == NULL ? 2 : 3;
    return push_list(L, table, table, &attempt, try_list);
}

static aoi_status try_sights(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "watcher");
    return aoi_sights(self->space, attempt->id, &attempt->list);
}

/* space:sights(watcher [, t]) -> t, n: marker, true or false, marker, ... */
static int space_sights(lua_State *L) {
    struct attempt attempt = begin_attempt(L);
    check_open(L, attempt.method);
    if (!lua_isnoneornil(L, 3) && !lua_istable(L, 3))
        bad_value(L, attempt.method, "t", 3, "a table");
    check_no_more(L, 4, attempt.method, "t");
    lua_settop(L, 3);
    if (lua_isnil(L, 3)) {
        lua_newtable(L);
        lua_replace(L, 3);
    }
    const struct space_userdata *self = call_core(L, &attempt, try_sights);
    uint64_t serial = self->serial;
    for (size_t i = 0; i < attempt.list.count; i++) {
        const aoi_id marker = attempt.list.ids[i];
        lua_pushboolean(L, aoi_sight_of(self->space, attempt.id, marker) == AOI_SIGHT_ALWAYS);
        lua_pushinteger(L, marker);
        lua_rawseti(L, 3, 2 * (lua_Integer)i + 1);
        lua_rawseti(L, 3, 2 * (lua_Integer)i + 2);
        if (self->serial != serial) {
            self = call_core(L, &attempt, try_sights);
            serial = self->serial;
            i = (size_t)-1; /* from the start */
        }
    }
    const lua_Integer count = (lua_Integer)attempt.list.count;
    end_list(L, 3, 2 * count);
    lua_pushvalue(L, 3);
    lua_pushinteger(L, count);
    return 2;
}

static aoi_status try_explain(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const aoi_id marker = check_id(L, 3, attempt->method, "marker");
    check_no_more(L, 4, attempt->method, "marker");
    return aoi_explain(self->space, attempt->id, marker, &attempt->reason, &attempt->rank);
}

/* space:explain(watcher, marker) -> reason [, rank] */
static int space_explain(lua_State *L) {
    static const char *const names[] = {
        [AOI_BECAUSE_UNKNOWN] = "unknown", [AOI_BECAUSE_SELF] = "self",
        [AOI_BECAUSE_MODE] = "mode",       [AOI_BECAUSE_HIDDEN] = "hidden",
        [AOI_BECAUSE_LAYER] = "layer",     [AOI_BECAUSE_RANGE] = "range",
        [AOI_BECAUSE_SEES] = "sees",       [AOI_BECAUSE_TOLD] = "told",
        [AOI_BECAUSE_LIMIT] = "limit",     [AOI_BECAUSE_WAITS] = "waits"};
    struct attempt attempt = begin_attempt(L);
    call_core(L, &attempt, try_explain);
    lua_pushstring(L, names[attempt.reason]);
    if (attempt.reason != AOI_BECAUSE_LIMIT)
        return 1;
    lua_pushinteger(L, (lua_Integer)attempt.rank);
    return 2;
}

/* ------------------------------------------------------------------ */
/* Queries: each ends in [, t] [, layer_bits]                          */
/* ------------------------------------------------------------------ */

static double check_length(lua_State *L, int index, const char *method, const char *what) {
    double length = -1;
    if (lua_type(L, index) == LUA_TNUMBER)
        length = lua_tonumber(L, index);
    if (!(length >= 0))
        bad_value(L, method, what, index, "a number from 0 up");
    return length;
}

/* The optional layer bits behind t. */
static uint32_t check_layers(lua_State *L, const struct attempt *attempt) {
    const int index = attempt->table + 1;
    uint32_t layers = UINT32_MAX;
    if (!lua_isnoneornil(L, index) && !read_bits(L, index, &layers))
        bad_value(L, attempt->method, "layer_bits", index, expected_bits);
    return layers;
}

/* The way of the queries. */
static int query(lua_State *L) {
    struct attempt attempt = begin_attempt(L);
    const int dims = aoi_dims(check_open(L, attempt.method)->space);
    attempt.table = attempt.how->table + attempt.how->table_by_axis * dims;
    if (attempt.how->prepare != NULL)
        attempt.how->prepare(L, &attempt);
    check_no_more(L, attempt.table + 2, attempt.method, "layer_bits");
    return push_list(L, attempt.table, attempt.table + 1, &attempt, attempt.how->call);
}

static const char *const first_names[] = {"x1", "y1", "z1"};
static const char *const second_names[] = {"x2", "y2", "z2"};

/* space:query_rect(x1, y1 [, z1], x2, y2 [, z2] [, t] [, layer_bits]) -> t, n */
static aoi_status try_rect(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int dims = aoi_dims(self->space);
    aoi_point a = check_corner(L, 2, attempt->method, first_names, dims);
    aoi_point b = check_corner(L, 2 + dims, attempt->method, second_names, dims);
    return aoi_query_rect(self->space, a, b, check_layers(L, attempt), &attempt->list);
}

/* space:query_circle(x, y [, z], r [, t] [, layer_bits]) -> t, n */
static aoi_status try_circle(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int dims = aoi_dims(self->space);
    aoi_point centre = check_corner(L, 2, attempt->method, point_names, dims);
    double radius = check_length(L, 2 + dims, attempt->method, "r");
    uint32_t layers = check_layers(L, attempt);
    return aoi_query_circle(self->space, centre, radius, layers, &attempt->list);
}

/* space:query_sector(x, y, r, direction, angle [, t] [, layer_bits]) -> t, n */
static aoi_status try_sector(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    aoi_point apex = check_corner(L, 2, attempt->method, point_names, 2);
    double radius = check_length(L, 4, attempt->method, "r");
    double direction = check_coordinate(L, 5, attempt->method, "direction");
    double angle = check_coordinate(L, 6, attempt->method, "angle");
    if (angle < 0)
        bad_value(L, attempt->method, "angle", 6, "a finite number from 0 up, in radians");
    uint32_t layers = check_layers(L, attempt);
    return aoi_query_sector(self->space, apex, radius, direction, angle, layers, &attempt->list);
}

/* space:query_segment(x1, y1, x2, y2, width [, t] [, layer_bits]) -> t, n */
static aoi_status try_segment(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    aoi_point a = check_corner(L, 2, attempt->method, first_names, 2);
    aoi_point b = check_corner(L, 4, attempt->method, second_names, 2);
    double width = check_length(L, 6, attempt->method, "width");
    uint32_t layers = check_layers(L, attempt);
    return aoi_query_segment(self->space, a, b, width, layers, &attempt->list);
}

static void prepare_polygon(lua_State *L, struct attempt *attempt) {
    attempt->corners = push_corners(L, 2, attempt->method);
    lua_replace(L, 2);
}

/* space:query_polygon(points [, t] [, layer_bits]) -> t, n */
static aoi_status try_polygon(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const struct corners *corners = attempt->corners;
    const uint32_t layers = check_layers(L, attempt);
    aoi_complaint complaint;
    const aoi_status status = aoi_query_polygon(self->space, corners->ring, corners->rings, layers,
                                                &attempt->list, &complaint);
    return complain_in_words(L, attempt, status, &complaint);
}

/* A table or "packed" right after k, where max_r would stand, says that there is none. */
static void prepare_nearest(lua_State *L, struct attempt *attempt) {
    const int next = attempt->table - 1;
    if (is_result(L, next))
        attempt->table = next;
}

/* space:query_nearest(x, y [, z], k [, max_r] [, t] [, layer_bits]) -> t, n */
static aoi_status try_nearest(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int dims = aoi_dims(self->space);
    aoi_point centre = check_corner(L, 2, attempt->method, point_names, dims);
    lua_Integer count =
        check_count(L, 2 + dims, attempt->method, "k", LUA_MAXINTEGER, "a whole number from 0 up");
    double max_radius = HUGE_VAL;
    if (attempt->table == 4 + dims && !lua_isnoneornil(L, 3 + dims))
        max_radius = check_length(L, 3 + dims, attempt->method, "max_r");
    uint32_t layers = check_layers(L, attempt);
    /* Where size_t has 32 bits, a larger k still means all. */
    size_t limit = (uint64_t)count < SIZE_MAX ? (size_t)count : SIZE_MAX;
    return aoi_query_nearest(self->space, centre, limit, max_radius, layers, &attempt->list);
}

static void set_count(lua_State *L, const char *name, uint64_t count) {
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, -2, name);
}

/* The sub-table that says what bytes are held for: `itself` more for the space. */
static void set_held(lua_State *L, const aoi_held *held, size_t itself) {
    lua_createtable(L, 0, 10);
    set_count(L, "entities", held->entities + itself);
    set_count(L, "index", held->index);
    set_count(L, "changes", held->changes);
    set_count(L, "crowd", held->crowd);
    set_count(L, "areas", held->areas);
    set_count(L, "sights", held->sights);
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
    set_count(L, "sights", stats.sights);
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
