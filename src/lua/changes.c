/* changes.c - the methods that change a space: one entity, or the whole. Batches: batches.c. */
#include "lua/delivery.h"
#include "lua/values.h"

static aoi_status try_enter(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int next;
    attempt->id = check_id(L, 2, attempt->method, "id");
    attempt->position = check_point(L, self, 3, attempt->method, true, &next);
    struct given_anchor anchor = {.dims = aoi_dims(self->space)};
    aoi_traits traits = check_opts(L, next, attempt->method, &anchor);
    if (!anchor.is_given)
        return aoi_enter(self->space, attempt->id, attempt->position, &traits);
    const aoi_status status =
        aoi_enter_anchored(self->space, attempt->id, attempt->position, anchor.point, &traits);
    if (status == AOI_INVALID)
        complain_of_anchor(L, self, attempt->method, anchor.point, attempt->position);
    return status;
}

/* space:enter(id, x, y [, z] [, opts]) */
static int space_enter(lua_State *L) {
    struct attempt attempt = {.method = "enter", .takes_traits = true};
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
    struct given_anchor anchor = {.dims = aoi_dims(self->space)};
    aoi_traits traits = check_opts(L, next, attempt->method, &anchor);
    if (!anchor.is_given)
        return aoi_update(self->space, attempt->id, attempt->position, &traits, &attempt->entered);
    const aoi_status status = aoi_update_anchored(self->space, attempt->id, attempt->position,
                                                  anchor.point, &traits, &attempt->entered);
    if (status == AOI_INVALID)
        complain_of_anchor(L, self, attempt->method, anchor.point, attempt->position);
    return status;
}

/* space:update(id, x, y [, z] [, opts]) -> true if it entered */
static int space_update(lua_State *L) {
    struct attempt attempt = {.method = "update", .takes_traits = true};
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

/* space:set_layers(id, bits) */
static int space_set_layers(lua_State *L) {
    return set_trait(L, "set_layers", AOI_TRAIT_LAYERS);
}

/* space:set_sees_layers(id, bits) */
static int space_set_sees_layers(lua_State *L) {
    return set_trait(L, "set_sees_layers", AOI_TRAIT_SEES_LAYERS);
}

/* space:set_limit(id, limit) */
static int space_set_limit(lua_State *L) {
    return set_trait(L, "set_limit", AOI_TRAIT_LIMIT);
}

/* space:set_importance(id, importance) */
static int space_set_importance(lua_State *L) {
    return set_trait(L, "set_importance", AOI_TRAIT_IMPORTANCE);
}

/* Reads the watcher and the marker of a pin. */
static aoi_id check_pin(lua_State *L, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "watcher");
    const aoi_id marker = check_id(L, 3, attempt->method, "marker");
    check_no_more(L, 4, attempt->method, "marker");
    return marker;
}

static aoi_status try_pin(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const aoi_id marker = check_pin(L, attempt);
    return aoi_pin(self->space, attempt->id, marker);
}

/* space:pin(watcher, marker) */
static int space_pin(lua_State *L) {
    struct attempt attempt = {.method = "pin"};
    return finish_change(L, call_core(L, &attempt, try_pin), false);
}

static aoi_status try_unpin(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const aoi_id marker = check_pin(L, attempt);
    return aoi_unpin(self->space, attempt->id, marker);
}

/* space:unpin(watcher, marker) */
static int space_unpin(lua_State *L) {
    struct attempt attempt = {.method = "unpin"};
    return finish_change(L, call_core(L, &attempt, try_unpin), false);
}

static aoi_status try_touch(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "id");
    check_no_more(L, 3, attempt->method, "id");
    return aoi_touch(self->space, attempt->id);
}

/* space:touch(id) */
static int space_touch(lua_State *L) {
    struct attempt attempt = {.method = "touch"};
    return finish_change(L, call_core(L, &attempt, try_touch), false);
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

/* The core has refused a tick. */
static void complain_of_tick(lua_State *L, const struct space_userdata *self, const char *method) {
    const uint64_t last = aoi_moment_of(self->space).ticks;
    aoi_options options = {.struct_size = sizeof options};
    aoi_options_of(self->space, &options);
    if (!(options.given & AOI_GIVEN_DEFERRED) || !options.deferred)
        complain_unless_deferred(L, method, AOI_INVALID);
    if (last == AOI_LAST_TICK)
        luaL_error(L,
                   "%s: the number of the last tick is %I, expected less than 2^53: none follows",
                   method, (LUAI_UACINT)last);
    bad_value(L, method, "the number", 2,
              lua_pushfstring(L, "a whole number from %I up to 2^53", (LUAI_UACINT)last + 1));
}

static aoi_status try_tick(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    int is_integer = 0;
    aoi_status status = AOI_INVALID;
    check_no_more(L, 3, attempt->method, "the number");
    const lua_Integer number =
        lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &is_integer) : 0;
    if (lua_isnoneornil(L, 2))
        status = aoi_tick(self->space);
    else if (is_integer && number > 0)
        status = aoi_tick_to(self->space, (uint64_t)number);
    if (status == AOI_INVALID)
        complain_of_tick(L, self, attempt->method);
    return status;
}

/* space:tick([n]) */
static int space_tick(lua_State *L) {
    struct attempt attempt = {.method = "tick"};
    return finish_change(L, call_core(L, &attempt, try_tick), false);
}

/* space:flush() */
static int space_flush(lua_State *L) {
    return finish_change(L, check_open(L, "flush"), false);
}

static aoi_status try_clear(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    (void)L;
    (void)attempt;
    self->clears++;
    self->drains++;
    return aoi_clear(self->space);
}

/* space:clear() */
static int space_clear(lua_State *L) {
    struct attempt attempt = {.method = "clear"};
    call_core(L, &attempt, try_clear);
    return 0;
}
