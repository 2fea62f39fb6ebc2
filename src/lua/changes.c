/* changes.c - the methods that change a space: one by one, in batches, and as a whole. */
#include <math.h>
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/values.h"

static aoi_status try_enter(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, true, &next);
    aoi_traits traits = check_traits(L, next, attempt->method);
    return aoi_enter(self->space, attempt->id, attempt->position, &traits);
}

/* space:enter(id, x, y [, z] [, opts]) */
static int space_enter(lua_State *L) {
    struct attempt attempt = {.method = "enter"};
    return finish_change(L, call_core(L, &attempt, try_enter), false);
}

static aoi_status try_move(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, false, &next);
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
        self = call_core(L, &attempt, try_move);
    }
    return finish_change(L, self, false);
}

static aoi_status try_leave(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    check_no_more(L, 3, attempt->method, "id");
    return aoi_leave(self->space, attempt->id);
}

/* space:leave(id) */
static int space_leave(lua_State *L) {
    struct attempt attempt = {.method = "leave"};
    return finish_change(L, call_core(L, &attempt, try_leave), false);
}

static aoi_status try_update(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, true, &next);
    aoi_traits traits = check_traits(L, next, attempt->method);
    return aoi_update(self->space, attempt->id, attempt->position, &traits, &attempt->entered);
}

/* space:update(id, x, y [, z] [, opts]) -> true if it entered */
static int space_update(lua_State *L) {
    struct attempt attempt = {.method = "update"};
    struct space_userdata *self = call_core(L, &attempt, try_update);
    lua_settop(L, 1);
    lua_pushboolean(L, attempt.entered);
    return finish_change(L, self, true);
}

static aoi_status try_set_trait(lua_State *L, struct space_userdata *self,
                                struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    aoi_traits traits = check_trait(L, 3, attempt->method, attempt->trait);
    check_no_more(L, 4, attempt->method, "the new value");
    return aoi_set_traits(self->space, attempt->id, &traits);
}

static int set_trait(lua_State *L, const char *method, uint32_t trait) {
    struct attempt attempt = {.method = method, .trait = trait};
    return finish_change(L, call_core(L, &attempt, try_set_trait), false);
}

/* space:set_radius(id, radius) */
static int space_set_radius(lua_State *L) {
    return set_trait(L, "set_radius", AOI_TRAIT_RADIUS);
}

/* space:set_mode(id, "wm" | "w" | "m") */
static int space_set_mode(lua_State *L) {
    return set_trait(L, "set_mode", AOI_TRAIT_MODE);
}

/* space:set_layer(id, bits) */
static int space_set_layer(lua_State *L) {
    return set_trait(L, "set_layer", AOI_TRAIT_LAYER);
}

/* space:set_sees(id, bits) */
static int space_set_sees(lua_State *L) {
    return set_trait(L, "set_sees", AOI_TRAIT_SEES);
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

static void complain_of_tables(lua_State *L, const struct attempt *attempt, const char *what,
                               int width) {
    static const char *const rows[] = {
        [1] = "id, id", [3] = "id, x, y, id, x, y", [4] = "id, x, y, z, id, x, y, z"};
    luaL_error(L, "%s: %s[1] is a table, expected a flat list %s, ..., not rows of tables",
               attempt->method, what, rows[width]);
}

static struct batch_arguments check_batch(lua_State *L, const struct attempt *attempt,
                                          const char *what, int width) {
    struct batch_arguments batch = {0, width, 4};
    if (!lua_istable(L, 2))
        bad_value(L, attempt->method, what, 2, "a flat table of rows");
    if (lua_rawgeti(L, 2, 1) == LUA_TTABLE)
        complain_of_tables(L, attempt, what, width);
    lua_pop(L, 1);
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

static aoi_status try_enter_all(lua_State *L, struct space_userdata *self,
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
    return finish_change(L, call_core(L, &attempt, try_enter_all), false);
}

static aoi_status try_move_all(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
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
    struct space_userdata *self = call_core(L, &attempt, try_move_all);
    if (attempt.skips) {
        lua_settop(L, 1);
        lua_pushinteger(L, (lua_Integer)attempt.skipped);
    }
    return finish_change(L, self, attempt.skips);
}

static aoi_status try_leave_all(lua_State *L, struct space_userdata *self,
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
    return finish_change(L, call_core(L, &attempt, try_leave_all), false);
}

static aoi_status try_set_bounds(lua_State *L, struct space_userdata *self,
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
    return finish_change(L, call_core(L, &attempt, try_set_bounds), false);
}

static aoi_status try_tick(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    aoi_status status = aoi_tick(self->space);
    if (status == AOI_INVALID)
        luaL_error(L, "%s: the space is not deferred (option deferred of aoi.new makes it so)",
                   attempt->method);
    return status;
}

/* space:tick() */
static int space_tick(lua_State *L) {
    struct attempt attempt = {.method = "tick"};
    return finish_change(L, call_core(L, &attempt, try_tick), false);
}

/* space:flush() */
static int space_flush(lua_State *L) {
    return finish_change(L, check_open(L, "flush"), false);
}

/* space:clear() */
static int space_clear(lua_State *L) {
    struct space_userdata *self = check_open(L, "clear");
    self->clears++;
    aoi_clear(self->space);
    return 0;
}
