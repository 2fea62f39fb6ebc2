/* hand_over.c - the methods of entities that go from one space to another: anchor, hand_out,
 * hand_in. */
#include "lua/delivery.h"
#include "lua/values.h"

/* ---- opts.anchor ---- */

/* The anchor at index, in a space of so many dimensions. Read raw; nothing is allocated. */
static aoi_point check_anchor(lua_State *L, int index, int dims, const char *method) {
    double numbers[3] = {0, 0, 0};
    bool is_good = lua_istable(L, index) && lua_rawlen(L, index) == (size_t)dims;
    for (int i = 0; i < dims && is_good; i++) {
        is_good = lua_rawgeti(L, index, i + 1) == LUA_TNUMBER;
        numbers[i] = is_good ? lua_tonumber(L, -1) : 0;
        is_good = is_good && isfinite(numbers[i]);
        lua_pop(L, 1);
    }
    if (!is_good)
        bad_option(L, method, "anchor", index,
                   dims == 3 ? "{ x, y, z }, finite numbers" : "{ x, y }, finite numbers");
    return (aoi_point){numbers[0], numbers[1], numbers[2]};
}

/* The core has refused a placing with an anchor, which alone can be wrong. */
static int complain_of_anchor(lua_State *L, const struct space_userdata *self, const char *method,
                              aoi_point anchor, aoi_point position) {
    aoi_options options = {.struct_size = sizeof options};
    aoi_options_of(self->space, &options);
    const double slack = (options.given & AOI_GIVEN_SLACK) ? options.slack : 0;
    return luaL_error(L,
                      "%s: option anchor is (%s, %s), expected to be at most %s (the slack) away "
                      "from (%s, %s) on each axis",
                      method, show_number(L, anchor.x), show_number(L, anchor.y),
                      show_number(L, slack), show_number(L, position.x),
                      show_number(L, position.y));
}

/* space:anchor(id) -> x, y [, z], or nil */
static int space_anchor(lua_State *L) {
    const char *method = "anchor";
    const struct space_userdata *self = check_open(L, method);
    const aoi_id id = check_id(L, 2, method, "id");
    check_no_more(L, 3, method, "id");
    aoi_point anchor;
    if (aoi_anchor(self->space, id, &anchor) != AOI_OK)
        return 0;
    return push_point(L, &anchor, aoi_dims(self->space));
}

/* ---- out ---- */

static aoi_status complain_unless_deferred(lua_State *L, const char *method, aoi_status status) {
    if (status == AOI_INVALID)
        luaL_error(L, "%s: the space is not deferred (option deferred of aoi.new makes it so)",
                   method);
    return status;
}

/* Pushes what goes along with the entity. Finalizers may use the space meanwhile: *serial says
 * until when it was so. */
static aoi_status push_handed(lua_State *L, struct attempt *attempt, uint64_t *serial) {
    size_t size, length;
    const char *method = attempt->method;
    struct space_userdata *self = check_open(L, method);
    aoi_status status = aoi_handed(self->space, attempt->id, NULL, 0, &size);
    if (complain_unless_deferred(L, method, status) != AOI_OK)
        return status;
    void *bytes = lua_newuserdata(L, size);
    self = check_open(L, method);
    *serial = self->serial;
    status = aoi_handed(self->space, attempt->id, bytes, size, &length);
    if (status != AOI_OK)
        return status;
    *serial -= length != size; /* somebody has changed it: never equal again */
    lua_pushlstring(L, bytes, length < size ? length : size);
    return AOI_OK;
}

/* The string is made before the entity goes: from then on nothing can fail but the core. */
static aoi_status try_hand_out(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    uint64_t serial;
    check_no_more(L, 3, attempt->method, "id");
    do {
        lua_settop(L, 2);
        const aoi_status status = push_handed(L, attempt, &serial);
        if (status != AOI_OK)
            return status;
    } while (self->space == NULL || self->serial != serial);
    return aoi_hand_out(self->space, attempt->id);
}

/* space:hand_out(id) -> string. The only change that delivers nothing: a handler that raises would
 * take the place of the string, which is all that is left of the entity. */
static int space_hand_out(lua_State *L) {
    struct attempt attempt = begin_attempt(L);
    call_core(L, &attempt, try_hand_out);
    return 1;
}

/* ---- in ---- */

/* space:hand_in(string) */
static aoi_status try_hand_in(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    size_t size;
    if (lua_type(L, 2) != LUA_TSTRING)
        bad_value(L, attempt->method, "the entity", 2, "a string from space:hand_out()");
    check_no_more(L, 3, attempt->method, "the entity");
    const char *bytes = lua_tolstring(L, 2, &size);
    aoi_complaint complaint;
    const aoi_status status = aoi_hand_in(self->space, bytes, size, &complaint);
    return complain_in_words(L, attempt, status == AOI_EXISTS ? AOI_INVALID : status, &complaint);
}
