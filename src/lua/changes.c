/* changes.c - the methods that change a space: one entity, or the whole. Batches: batches.c. */
#include "lua/delivery.h"
#include "lua/values.h"

/* The way of most changes: what waits is delivered at the end. */
static int change(lua_State *L) {
    struct attempt attempt = begin_attempt(L);
    if (attempt.how->prepare != NULL)
        attempt.how->prepare(L, &attempt);
    struct space_userdata *self = call_core(L, &attempt, attempt.how->call);
    if (attempt.has_result) {
        lua_replace(L, 2);
        lua_settop(L, 2);
    }
    return finish_change(L, self, attempt.has_result);
}

/* enter, update. The result of the latter: true if it entered. */
static aoi_status try_put(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const bool updates = attempt->how->core.change == CHANGE_UPDATE;
    const int dims = aoi_dims(self->space);
    bool entered = false;
    const aoi_id id = attempt->id;
    const aoi_point position = attempt->position = check_position(L, attempt, dims);
    struct given_anchor anchor = {.dims = dims};
    aoi_traits traits = check_opts(L, 3 + dims, attempt->method, &anchor);
    aoi_status status;
    if (updates && anchor.is_given)
        status = aoi_update_anchored(self->space, id, position, anchor.point, &traits, &entered);
    else if (updates)
        status = aoi_update(self->space, id, position, &traits, &entered);
    else if (anchor.is_given)
        status = aoi_enter_anchored(self->space, id, position, anchor.point, &traits);
    else
        status = aoi_enter(self->space, id, position, &traits);
    if (status == AOI_INVALID && anchor.is_given)
        complain_of_anchor(L, self, attempt->method, anchor.point, position);
    attempt->has_result = updates;
    if (updates)
        lua_pushboolean(L, entered);
    return status;
}

/* move, move_area */
static aoi_status try_move(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const int dims = aoi_dims(self->space);
    attempt->position = check_position(L, attempt, dims);
    check_no_more(L, 3 + dims, attempt->method, "the position");
    return attempt->how->core.move(self->space, attempt->id, attempt->position);
}

/* The usual enter or move, an id and two coordinates, with as few calls of the API as safety
 * allows. NULL: it was not one, or it failed; then nothing has changed, and the general way finds
 * out what is wrong. A part of both, as a call takes 15 instructions. */
__attribute__((always_inline)) static inline struct space_userdata *put_plainly(lua_State *L,
                                                                                bool enters) {
    struct space_userdata *self = to_space(L, 1);
    bool is_usual = self != NULL && self->space != NULL && lua_gettop(L) == 4 &&
                    lua_isinteger(L, 2) && lua_type(L, 3) == LUA_TNUMBER &&
                    lua_type(L, 4) == LUA_TNUMBER && aoi_dims(self->space) == 2;
    if (!is_usual)
        return NULL;
    const aoi_id id = lua_tointeger(L, 2);
    const aoi_point position = {lua_tonumber(L, 3), lua_tonumber(L, 4), 0};
    self->serial++;
    const aoi_status status =
        enters ? aoi_enter(self->space, id, position, NULL) : aoi_move(self->space, id, position);
    return status == AOI_OK ? self : NULL;
}

/* space:enter(id, x, y [, z] [, opts]) */
static int space_enter(lua_State *L) {
    struct space_userdata *self = put_plainly(L, true);
    return self != NULL ? finish_change(L, self, false) : change(L);
}

/* space:move(id, x, y [, z]) */
static int space_move(lua_State *L) {
    struct space_userdata *self = put_plainly(L, false);
    return self != NULL ? finish_change(L, self, false) : change(L);
}

/* leave, remove_area; pin, unpin */
static aoi_status try_ids(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const struct method *how = attempt->how;
    if (how->second == NULL) {
        check_no_more(L, 3, how->name, how->first);
        return how->core.one(self->space, attempt->id);
    }
    const aoi_id second = check_id(L, 3, how->name, how->second);
    check_no_more(L, 4, how->name, how->second);
    return how->core.two(self->space, attempt->id, second);
}

/* space:touch(id) */
static aoi_status try_touch(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    const aoi_status status = try_ids(L, self, attempt);
    complain_unless_deferred(L, attempt->method, status);
    return status;
}

/* space:set_sight(watcher, marker, true | false | nil) */
static aoi_status try_set_sight(lua_State *L, struct space_userdata *self,
                                struct attempt *attempt) {
    attempt->id = check_id(L, 2, attempt->method, "watcher");
    const aoi_id marker = check_id(L, 3, attempt->method, "marker");
    if (marker == attempt->id)
        bad_value(L, attempt->method, "marker", 3, "another id than that of the watcher");
    if (!lua_isnoneornil(L, 4) && !lua_isboolean(L, 4))
        bad_value(L, attempt->method, "the sight", 4, "true, false or nil");
    check_no_more(L, 5, attempt->method, "the sight");
    const aoi_sight word = lua_isnoneornil(L, 4) ? AOI_SIGHT_BY_RULE
                           : lua_toboolean(L, 4) ? AOI_SIGHT_ALWAYS
                                                 : AOI_SIGHT_NEVER;
    return aoi_set_sight(self->space, attempt->id, marker, word);
}

/* set_radius, set_mode, ... */
static aoi_status try_set_trait(lua_State *L, struct space_userdata *self,
                                struct attempt *attempt) {
    size_t count;
    const aoi_trait_info *trait = aoi_trait_table(&count);
    while (trait->bit != attempt->how->core.trait)
        trait++;
    aoi_traits traits = {.given = trait->bit};
    const char *expected = take_value(L, 3, trait->type, (char *)&traits + trait->offset);
    if (expected != NULL)
        bad_value(L, attempt->method, trait->name, 3, expected);
    check_no_more(L, 4, attempt->method, "the new value");
    return aoi_set_traits(self->space, attempt->id, &traits);
}

/* space:set_bounds(x, y, width, height) */
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
    complain_in_words(L, attempt, status, &complaint);
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

/* space:tick([n]) */
static aoi_status try_tick(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    lua_Integer number;
    aoi_status status = AOI_INVALID;
    check_no_more(L, 3, attempt->method, "the number");
    if (lua_isnoneornil(L, 2))
        status = aoi_tick(self->space);
    else if (read_integer(L, 2, &number) && number > 0)
        status = aoi_tick_to(self->space, (uint64_t)number);
    if (status == AOI_INVALID)
        complain_of_tick(L, self, attempt->method);
    return status;
}

/* space:flush() */
static int space_flush(lua_State *L) {
    return finish_change(L, check_open(L, "flush"), false);
}

/* space:clear() */
static aoi_status try_clear(lua_State *L, struct space_userdata *self, struct attempt *attempt) {
    (void)L;
    (void)attempt;
    const aoi_status status = aoi_clear(self->space);
    if (status == AOI_OK) {
        self->clears++;
        self->drains++;
    }
    return status;
}
