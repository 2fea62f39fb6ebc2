/*
 * batches.c - the methods that change many entities at once. Their rows are a
 * flat table, or a string of packed rows. Either way they become an array of
 * the space's first, and a bad one is an error that names it.
 */
#include <math.h>
#include <stdio.h>

#include "lua/delivery.h"
#include "lua/values.h"

/* The arguments of a batch: rows at 2, perhaps n at 3, perhaps one more. */
struct batch_arguments {
    const char *what; /* the name of the rows */
    int dims;         /* coordinates behind an id; 0: rows of ids alone */
    bool is_packed;
    aoi_row_format format; /* of packed rows */
    size_t row_size;       /* entries of the table, or bytes */
    size_t count;          /* rows */
    int extra;             /* index of the argument after n */
};

/* ------------------------------------------------------------------ */
/* Arguments                                                           */
/* ------------------------------------------------------------------ */

/* Takes "f" off the end of the arguments: once, before they are checked, which may be done twice.
 */
static void take_format(lua_State *L, struct attempt *attempt) {
    int last = lua_gettop(L);
    while (last > 2 && lua_isnil(L, last))
        last--;
    attempt->floats = last > 2 && is_string(L, last, "f");
    if (attempt->floats)
        lua_settop(L, last - 1);
}

/* Complains of an "f" that has no meaning. */
static void check_format(lua_State *L, const struct attempt *attempt,
                         const struct batch_arguments *batch) {
    if (attempt->floats && batch->dims == 0)
        luaL_error(
            L,
            "%s: the last argument is the string \"f\", expected none: rows of ids have no floats",
            attempt->method);
    if (attempt->floats && !batch->is_packed)
        luaL_error(L,
                   "%s: the last argument is the string \"f\", expected none: it is for packed "
                   "rows, and %s is a table",
                   attempt->method, batch->what);
    for (int index = 3; index <= lua_gettop(L); index++) {
        if (is_string(L, index, "f"))
            luaL_error(L, "%s: the string \"f\" is not the last argument, expected it there",
                       attempt->method);
    }
}

static void complain_of_length(lua_State *L, const struct attempt *attempt,
                               const struct batch_arguments *batch) {
    static const char *const formats[][4] = {
        [AOI_ROWS_OF_DOUBLES] = {NULL, NULL, "<i8 d d>", "<i8 d d d>"},
        [AOI_ROWS_OF_FLOATS] = {NULL, NULL, "<i8 f f>", "<i8 f f f>"},
        [AOI_ROWS_OF_IDS] = {"<i8>"}};
    const LUAI_UACINT length = (LUAI_UACINT)lua_rawlen(L, 2);
    if (batch->is_packed)
        luaL_error(L, "%s: %s has %I bytes, expected a multiple of %d (rows of %s)",
                   attempt->method, batch->what, length, (int)batch->row_size,
                   formats[batch->format][batch->dims]);
    luaL_error(L, "%s: %s has %I entries, expected a multiple of %d", attempt->method, batch->what,
               length, (int)batch->row_size);
}

/* How many rows there are, for whom n does not say so. */
static size_t count_all_rows(lua_State *L, const struct attempt *attempt,
                             const struct batch_arguments *batch) {
    const size_t length = (size_t)lua_rawlen(L, 2); /* what is in memory has no more */
    if (length % batch->row_size != 0)
        complain_of_length(L, attempt, batch);
    return length / batch->row_size;
}

static void check_row_count(lua_State *L, const struct attempt *attempt,
                            struct batch_arguments *batch) {
    batch->count = (size_t)check_count(L, 3, attempt->method, "n", INT32_MAX,
                                       "the number of rows, a whole number from 0 to 2147483647");
    if (!batch->is_packed) /* that one may hold more than the rows, which read_table looks at */
        return;
    const size_t all = count_all_rows(L, attempt, batch);
    if (batch->count > all)
        bad_value(
            L, attempt->method, "n", 3,
            lua_pushfstring(L, "at most %I, the rows that %s has", (LUAI_UACINT)all, batch->what));
}

static struct batch_arguments check_batch(lua_State *L, const struct space_userdata *self,
                                          const struct attempt *attempt, bool only_ids) {
    struct batch_arguments batch = {.what = only_ids ? "ids" : "t", .extra = 4};
    batch.dims = only_ids ? 0 : aoi_dims(self->space);
    batch.is_packed = lua_type(L, 2) == LUA_TSTRING;
    if (!batch.is_packed && !lua_istable(L, 2))
        bad_value(L, attempt->method, batch.what, 2,
                  "a flat table of rows, or a string of packed rows");
    batch.format = only_ids          ? AOI_ROWS_OF_IDS
                   : attempt->floats ? AOI_ROWS_OF_FLOATS
                                     : AOI_ROWS_OF_DOUBLES;
    batch.row_size =
        batch.is_packed ? aoi_packed_row_size(self->space, batch.format) : 1 + (size_t)batch.dims;
    check_format(L, attempt, &batch);
    if (!batch.is_packed) { /* people try rows of tables */
        static const char *const rows[] = {"id, id", NULL, "id, x, y, id, x, y",
                                           "id, x, y, z, id, x, y, z"};
        if (lua_rawgeti(L, 2, 1) == LUA_TTABLE)
            luaL_error(L, "%s: %s[1] is a table, expected a flat list %s, ..., not rows of tables",
                       attempt->method, batch.what, rows[batch.dims]);
        lua_pop(L, 1);
    }
    if (lua_type(L, 3) == LUA_TNUMBER) {
        check_row_count(L, attempt, &batch);
        return batch;
    }
    if (!lua_isnoneornil(L, 3))
        batch.extra = 3;
    batch.count = count_all_rows(L, attempt, &batch);
    return batch;
}

/* ------------------------------------------------------------------ */
/* Reading rows                                                        */
/* ------------------------------------------------------------------ */

/* Complains of the value at index, which stands in this row and entry of it (0: the id). */
static void complain_of_entry(lua_State *L, const struct attempt *attempt, size_t row, int entry,
                              int index) {
    static const char *const names[] = {"id", "x", "y", "z"};
    char what[40];
    snprintf(what, sizeof what, "row %llu: %s", (unsigned long long)row + 1, names[entry]);
    bad_value(L, attempt->method, what, index, entry == 0 ? "an integer" : "a finite number");
}

static aoi_status read_table(lua_State *L, const struct space_userdata *self,
                             const struct attempt *attempt, const struct batch_arguments *batch,
                             aoi_row **rows) {
    const lua_Integer width = 1 + (lua_Integer)batch->dims;
    /* A table that is too short is told before room for all of n is asked for. */
    if (batch->count > 0) {
        if (lua_rawgeti(L, 2, (lua_Integer)batch->count * width) == LUA_TNIL)
            bad_value(L, attempt->method, "the last of n rows", -1, "as many rows as n");
        lua_pop(L, 1);
    }
    aoi_status status = aoi_rows(self->space, batch->count, rows);
    if (status != AOI_OK)
        return status;
    for (size_t i = 0; i < batch->count; i++) {
        double values[4] = {0, 0, 0, 0};
        aoi_row *row = *rows + i;
        for (int entry = 0; entry <= batch->dims; entry++) {
            int is_integer = 0;
            bool good = lua_rawgeti(L, 2, (lua_Integer)i * width + entry + 1) == LUA_TNUMBER;
            if (good && entry == 0) {
                row->id = lua_tointegerx(L, -1, &is_integer);
                good = is_integer != 0;
            } else if (good) {
                values[entry] = lua_tonumber(L, -1);
                good = isfinite(values[entry]);
            }
            if (!good)
                complain_of_entry(L, attempt, i, entry, -1);
            lua_pop(L, 1);
        }
        row->position = (aoi_point){values[1], values[2], values[3]};
    }
    return AOI_OK;
}

/* Reads the rows into an array of the space. Nothing here runs Lua code. */
static aoi_status read_rows(lua_State *L, const struct space_userdata *self,
                            const struct attempt *attempt, const struct batch_arguments *batch,
                            aoi_row **rows) {
    if (!batch->is_packed)
        return read_table(L, self, attempt, batch, rows);
    size_t good;
    const aoi_status status = aoi_unpack_rows(self->space, batch->format, lua_tostring(L, 2),
                                              batch->count * batch->row_size, rows, &good);
    if (status == AOI_INVALID) { /* a coordinate of the row is not finite */
        const aoi_point position = (*rows)[good].position;
        const double values[] = {0, position.x, position.y, position.z};
        int entry = 1;
        while (entry < 3 && isfinite(values[entry]))
            entry++;
        lua_pushnumber(L, values[entry]);
        complain_of_entry(L, attempt, good, entry, -1);
    }
    return status;
}

/* ------------------------------------------------------------------ */
/* The methods                                                         */
/* ------------------------------------------------------------------ */

/*
 * space:enter_all(t [, n] [, opts] [, "f"])
 * space:move_all(t [, n] [, "f"]), or
 * space:move_all(t, n, "skip" [, "f"]) -> number of rows passed over
 * space:update_all(t [, n] [, opts] [, "f"]) -> number of rows that entered
 * space:leave_all(ids [, n])
 */
static aoi_status try_batch(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const enum change_kind kind = attempt->how->core.change;
    const struct batch_arguments batch = check_batch(L, self, attempt, kind == CHANGE_LEAVE);
    aoi_space *space = self->space;
    aoi_traits traits = {.given = 0};
    const bool skips = kind == CHANGE_MOVE && is_string(L, batch.extra, "skip");
    if (kind == CHANGE_LEAVE)
        check_no_more(L, batch.extra, attempt->method, "n");
    else if (kind == CHANGE_MOVE && !skips && !lua_isnoneornil(L, batch.extra))
        bad_value(L, attempt->method, "the argument after n", batch.extra, "\"skip\" or none");
    else if (kind == CHANGE_MOVE)
        check_no_more(L, batch.extra + 1, attempt->method, "\"skip\"");
    else
        traits = check_opts(L, batch.extra, attempt->method, NULL);
    aoi_row *rows;
    size_t bad = 0, counted = 0;
    aoi_status status = read_rows(L, self, attempt, &batch, &rows);
    if (status != AOI_OK)
        return status;
    switch (kind) {
    case CHANGE_ENTER: status = aoi_enter_all(space, rows, batch.count, &traits, &bad); break;
    case CHANGE_MOVE:
        status = aoi_move_all(space, rows, batch.count, skips ? &counted : NULL, &bad);
        break;
    case CHANGE_UPDATE:
        status = aoi_update_all(space, rows, batch.count, &traits, &counted, &bad);
        break;
    case CHANGE_LEAVE: status = aoi_leave_all(space, rows, batch.count, &bad); break;
    }
    if (status != AOI_OK && status != AOI_NOMEM) {
        attempt->row = bad + 1;
        attempt->id = rows[bad].id;
        attempt->position = rows[bad].position;
    }
    attempt->has_result = skips || kind == CHANGE_UPDATE;
    if (attempt->has_result)
        lua_pushinteger(L, (lua_Integer)counted);
    return status;
}
