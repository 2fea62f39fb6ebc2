/*
 * moves.c - core.moves: moves of entities that wait for a tick, as a world of skynet gathers them.
 * It says of each entity in which lane its moves go, takes them from skynet's messages without a
 * Lua value for any of them, and gives all moves of a lane as the packed rows that space:move_all
 * takes. A later move of an entity takes the place of the one that waits: so a tick that is late
 * has no more to do than one that is not.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lua/values.h"

/* A move that waits. */
struct waiting_move {
    int64_t id;
    double place[3];
    uint32_t source; /* who has sent it */
    uint32_t lane;   /* that of its entity now; 0: none */
};

/* An entity in the table of lanes, found by linear probing; lane 0: its moves are not taken. */
struct lane_slot {
    int64_t id;
    size_t waiting; /* the place of its move in the list, if that is of this entity */
    uint32_t lane;
    uint32_t sources[2]; /* only what these send is taken */
    bool is_used;
};

struct moves {
    const void *tag;
    int dims;
    uint32_t last_lane; /* the highest number that a lane has had */
    struct lane_slot *slots;
    size_t slot_count, slots_used; /* a power of 2, or 0; those used are at most three quarters */
    struct waiting_move *list;
    size_t count, room;
    size_t replaced; /* so many of those that waited have made room for later ones, since drain */
    uint64_t drains; /* counts the calls of drain */
};

/* How far a place may be from what a space of floats makes of it, as a share of it. */
#define NEARLY 1e-6

static const char moves_tag = 0; /* its address stands in all of them */

static struct moves *check_moves(lua_State *L, const char *method) {
    struct moves *self = lua_touserdata(L, 1);
    if (self == NULL || lua_islightuserdata(L, 1) || lua_rawlen(L, 1) != sizeof *self ||
        self->tag != &moves_tag)
        bad_value(L, method, "self", 1, "the moves of aoi.core.moves");
    return self;
}

/* As realloc, by the Lua state's own allocator; size 0 frees. */
static void *resize(lua_State *L, void *block, size_t before, size_t size) {
    void *userdata;
    const lua_Alloc allocate = lua_getallocf(L, &userdata);
    return allocate(userdata, block, before, size);
}

/* ------------------------------------------------------------------ */
/* Lanes                                                               */
/* ------------------------------------------------------------------ */

/* The slot of an entity, or the free one where it would stand. There is a free one. */
static struct lane_slot *find_slot(const struct moves *self, int64_t id) {
    const uint64_t hash = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 32) & (self->slot_count - 1);
    while (self->slots[at].is_used && self->slots[at].id != id)
        at = (at + 1) & (self->slot_count - 1);
    return &self->slots[at];
}

/* The slot of an entity that has a lane, or NULL. */
static struct lane_slot *open_slot(const struct moves *self, int64_t id) {
    if (self->slot_count == 0)
        return NULL;
    struct lane_slot *slot = find_slot(self, id);
    return slot->is_used && slot->lane != 0 ? slot : NULL;
}

/* The move of the entity that waits, or NULL. */
static struct waiting_move *waiting_of(const struct moves *self, const struct lane_slot *slot) {
    if (slot->waiting >= self->count || self->list[slot->waiting].id != slot->id)
        return NULL;
    return &self->list[slot->waiting];
}

/* Whether the slot is of an entity that has a lane, or a move that waits. */
static bool is_needed(const struct moves *self, const struct lane_slot *slot) {
    return slot->is_used && (slot->lane != 0 || waiting_of(self, slot) != NULL);
}

/* Makes room for one more entity, and drops those that are not needed. false: memory is short. */
static bool make_slots(lua_State *L, struct moves *self) {
    if ((self->slots_used + 1) * 4 <= self->slot_count * 3)
        return true;
    size_t needed = 0;
    for (size_t i = 0; i < self->slot_count; i++)
        needed += is_needed(self, &self->slots[i]);
    struct moves other = {.slot_count = 16, .slots_used = 0};
    while (other.slot_count < 2 * (needed + 1))
        other.slot_count *= 2;
    other.slots = resize(L, NULL, 0, other.slot_count * sizeof *other.slots);
    if (other.slots == NULL)
        return false;
    memset(other.slots, 0, other.slot_count * sizeof *other.slots);
    for (size_t i = 0; i < self->slot_count; i++) {
        if (is_needed(self, &self->slots[i])) {
            *find_slot(&other, self->slots[i].id) = self->slots[i];
            other.slots_used++;
        }
    }
    resize(L, self->slots, self->slot_count * sizeof *self->slots, 0);
    self->slots = other.slots;
    self->slot_count = other.slot_count;
    self->slots_used = other.slots_used;
    return true;
}

/* The entity has this lane from now on, and so has its move that waits. */
static void set_lane(const struct moves *self, struct lane_slot *slot, uint32_t lane) {
    struct waiting_move *move = waiting_of(self, slot);
    slot->lane = lane;
    if (move != NULL)
        move->lane = lane;
}

/* moves:open(id, lane, source, other) -> whether there was memory for it; moves of the entity which
 * one of these two sends go into this lane from now on, and so do those that wait. lane: a number
 * from 1 up. */
static int moves_open(lua_State *L) {
    static const char method[] = "open";
    struct moves *self = check_moves(L, method);
    const aoi_id id = check_id(L, 2, method, "id");
    const lua_Integer lane =
        check_count(L, 3, method, "lane", UINT32_MAX - 1, "a whole number from 1 up");
    if (lane == 0)
        bad_value(L, method, "lane", 3, "a whole number from 1 up");
    bool is_open = make_slots(L, self);
    if (is_open) {
        struct lane_slot *slot = find_slot(self, id);
        self->slots_used += !slot->is_used;
        *slot = (struct lane_slot){
            .id = id,
            .waiting = slot->waiting,
            .sources = {(uint32_t)lua_tointeger(L, 4), (uint32_t)lua_tointeger(L, 5)},
            .is_used = true};
        set_lane(self, slot, (uint32_t)lane);
        self->last_lane = self->last_lane > (uint32_t)lane ? self->last_lane : (uint32_t)lane;
    }
    lua_pushboolean(L, is_open);
    return 1;
}

/* moves:close(id); no moves of the entity are taken from now on, and those that wait are in no
 * lane. */
static int moves_close(lua_State *L) {
    struct moves *self = check_moves(L, "close");
    const aoi_id id = check_id(L, 2, "close", "id");
    struct lane_slot *slot = open_slot(self, id);
    if (slot != NULL)
        set_lane(self, slot, 0);
    return 0;
}

/* moves:close_all() */
static int moves_close_all(lua_State *L) {
    struct moves *self = check_moves(L, "close_all");
    for (size_t i = 0; i < self->slot_count; i++)
        self->slots[i].lane = 0;
    for (size_t i = 0; i < self->count; i++)
        self->list[i].lane = 0;
    return 0;
}

/* ------------------------------------------------------------------ */
/* Taking                                                              */
/* ------------------------------------------------------------------ */

/* Takes a move if its entity has a lane for the source, the place is finite and there is memory. */
static bool take(lua_State *L, struct moves *self, const struct waiting_move *move) {
    struct lane_slot *slot = open_slot(self, move->id);
    if (slot == NULL || (move->source != slot->sources[0] && move->source != slot->sources[1]))
        return false;
    for (int axis = 0; axis < self->dims; axis++) {
        if (!isfinite(move->place[axis]))
            return false;
    }
    struct waiting_move *before = waiting_of(self, slot);
    if (before != NULL) {
        *before = *move;
        before->lane = slot->lane;
        self->replaced++;
        return true;
    }
    if (self->count == self->room) {
        const size_t room = self->room == 0 ? 64 : 2 * self->room;
        void *list =
            resize(L, self->list, self->room * sizeof *self->list, room * sizeof *self->list);
        if (list == NULL)
            return false;
        self->list = list;
        self->room = room;
    }
    slot->waiting = self->count;
    self->list[self->count] = *move;
    self->list[self->count++].lane = slot->lane;
    return true;
}

/* skynet's way to write values, of lua-seri.c: a byte with the kind of a value in its lowest three
 * bits, above them more about it, and then its bytes as they stand in memory. */
enum { KIND_NUMBER = 2, KIND_SHORT_STRING = 4 };
enum {
    WIDTH_ZERO = 0,
    WIDTH_BYTE = 1,
    WIDTH_WORD = 2,
    WIDTH_DWORD = 4,
    WIDTH_QWORD = 6,
    WIDTH_REAL = 8
};

struct reader {
    const unsigned char *at, *end;
};

/* Reads so many bytes, or says that there are not as many. */
static bool read_bytes(struct reader *reader, void *to, size_t size) {
    if ((size_t)(reader->end - reader->at) < size)
        return false;
    memcpy(to, reader->at, size);
    reader->at += size;
    return true;
}

/* Reads an integer of this width, or says that it is none. */
static bool read_whole(struct reader *reader, int width, int64_t *value) {
    uint8_t byte = 0;
    uint16_t word = 0;
    int32_t dword = 0;
    bool is_good = false;
    switch (width) {
    case WIDTH_ZERO: *value = 0; return true;
    case WIDTH_BYTE:
        is_good = read_bytes(reader, &byte, sizeof byte);
        *value = byte;
        return is_good;
    case WIDTH_WORD:
        is_good = read_bytes(reader, &word, sizeof word);
        *value = word;
        return is_good;
    case WIDTH_DWORD:
        is_good = read_bytes(reader, &dword, sizeof dword);
        *value = dword;
        return is_good;
    case WIDTH_QWORD: return read_bytes(reader, value, sizeof *value);
    default: return false;
    }
}

/* Reads the head of a number; its width, or -1. */
static int read_width(struct reader *reader) {
    uint8_t head;
    if (!read_bytes(reader, &head, 1) || (head & 7) != KIND_NUMBER)
        return -1;
    return head >> 3;
}

static bool read_number(struct reader *reader, double *value) {
    int64_t whole;
    const int width = read_width(reader);
    if (width == WIDTH_REAL)
        return read_bytes(reader, value, sizeof *value);
    if (width < 0 || !read_whole(reader, width, &whole))
        return false;
    *value = (double)whole;
    return true;
}

/* Reads "move", an id and a place, and nothing more. */
static bool read_move(const struct moves *self, struct reader *reader, struct waiting_move *move) {
    static const unsigned char name[] = {KIND_SHORT_STRING | 4 << 3, 'm', 'o', 'v', 'e'};
    unsigned char head[sizeof name];
    if (!read_bytes(reader, head, sizeof head) || memcmp(head, name, sizeof name) != 0)
        return false;
    const int width = read_width(reader);
    if (width < 0 || !read_whole(reader, width, &move->id))
        return false;
    for (int axis = 0; axis < self->dims; axis++) {
        if (!read_number(reader, &move->place[axis]))
            return false;
    }
    return reader->at == reader->end;
}

/* Reads the message at this place of the stack, as skynet gives it, or a string, and the size
 * behind it. */
static bool read_message(lua_State *L, int at, const struct moves *self,
                         struct waiting_move *move) {
    const bool is_string = lua_type(L, at) == LUA_TSTRING;
    const void *bytes = is_string ? (const void *)lua_tostring(L, at) : lua_touserdata(L, at);
    const size_t size = is_string ? (size_t)lua_rawlen(L, at) : (size_t)lua_tointeger(L, at + 1);
    struct reader reader = {bytes, (const unsigned char *)bytes + (bytes == NULL ? 0 : size)};
    return bytes != NULL && read_move(self, &reader, move);
}

/* function(type, message, size, session, source), of `taker` below. */
static int take_or_dispatch(lua_State *L) {
    struct moves *self = lua_touserdata(L, lua_upvalueindex(1));
    struct waiting_move move = {.source = (uint32_t)lua_tointeger(L, 5)};
    lua_settop(L, 5);
    if (lua_tointeger(L, 1) == lua_tointeger(L, lua_upvalueindex(2)) && lua_tointeger(L, 4) == 0 &&
        read_message(L, 2, self, &move)) {
        if (take(L, self, &move))
            return 0;
        lua_pushvalue(L, lua_upvalueindex(3));
        lua_pushinteger(L, move.source);
        lua_pushinteger(L, move.id);
        for (int axis = 0; axis < self->dims; axis++)
            lua_pushnumber(L, move.place[axis]);
        lua_call(L, 2 + self->dims, 1);
        if (lua_toboolean(L, -1))
            return 0;
        lua_settop(L, 5);
    }
    lua_pushvalue(L, lua_upvalueindex(4));
    lua_insert(L, 1);
    lua_call(L, 5, 0);
    return 0;
}

/* moves:taker(type, on_move, dispatch) -> function(type, message, size, session, source); it takes
 * messages of skynet. A move of this type which nobody calls for, and which is not taken, goes to
 * on_move(source, id, x, y [, z]); all else, and what that does not want, to dispatch. */
static int moves_taker(lua_State *L) {
    check_moves(L, "taker");
    check_count(L, 2, "taker", "type", 255, "a type of messages");
    luaL_checktype(L, 3, LUA_TFUNCTION);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    lua_settop(L, 4);
    lua_pushcclosure(L, take_or_dispatch, 4);
    return 1;
}

/* ------------------------------------------------------------------ */
/* Giving                                                              */
/* ------------------------------------------------------------------ */

static unsigned char *put_bits(unsigned char *to, uint64_t bits, int size) {
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(bits >> 8 * i);
    return to + size;
}

static unsigned char *put_place(const struct moves *self, unsigned char *to,
                                const struct waiting_move *move) {
    for (int axis = 0; axis < self->dims; axis++) {
        uint64_t bits;
        memcpy(&bits, &move->place[axis], sizeof bits);
        to = put_bits(to, bits, 8);
    }
    return to;
}

static uint64_t get_bits(const unsigned char *from) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)from[i] << 8 * i;
    return bits;
}

static double get_number(const unsigned char *from) {
    const uint64_t bits = get_bits(from);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Where in the scratch of `drain` the rows and the sources of a lane go. */
struct lane_place {
    size_t count;
    unsigned char *rows, *sources; /* the ends of what is written */
};

/* Counts the moves of each lane that wait, and writes them, lane after lane. No Lua code runs here.
 */
static void sort_moves(struct moves *self, struct lane_place *places, size_t lanes,
                       unsigned char *scratch) {
    const size_t row_size = 8 * (1 + (size_t)self->dims);
    memset(places, 0, lanes * sizeof *places);
    for (size_t i = 0; i < self->count; i++)
        places[self->list[i].lane].count++;
    for (size_t lane = 0; lane < lanes; lane++) {
        places[lane].rows = scratch;
        places[lane].sources = scratch + places[lane].count * row_size;
        scratch = places[lane].sources + places[lane].count * 4;
    }
    for (size_t i = 0; i < self->count; i++) {
        const struct waiting_move *move = &self->list[i];
        struct lane_place *place = &places[move->lane];
        place->rows = put_place(self, put_bits(place->rows, (uint64_t)move->id, 8), move);
        place->sources = put_bits(place->sources, move->source, 4);
    }
}

/*
 * moves:drain() -> list, replaced
 * Takes out all that waits: of each entity the last move, in the order in which the first ones
 * came. list: flat, for each lane with moves its number, the rows for space:move_all, a string of
 * who sent each ("<I4"), and how many they are. Lane 0 has those whose entity has no lane any more.
 * replaced: so many moves were taken in whose place later ones came. When memory is short it
 * raises, and all goes on waiting. O(moves + lanes).
 */
static int moves_drain(lua_State *L) {
    struct moves *self = check_moves(L, "drain");
    lua_settop(L, 1);
    const size_t lanes = (size_t)self->last_lane + 1, count = self->count;
    const size_t row_size = 8 * (1 + (size_t)self->dims);
    struct lane_place *places = lua_newuserdata(L, lanes * sizeof *places);
    unsigned char *scratch = lua_newuserdata(L, count * (row_size + 4) + 1);
    /* A finalizer that ran meanwhile may have used these moves. */
    if (self->count != count || self->last_lane >= lanes)
        return luaL_error(L, "drain: moves came in between");
    const uint64_t drains = ++self->drains;
    sort_moves(self, places, lanes, scratch);
    lua_newtable(L);
    lua_Integer n = 0;
    for (size_t lane = 0; lane < lanes; lane++) {
        const struct lane_place *place = &places[lane];
        const size_t size = place->count * row_size;
        if (place->count == 0)
            continue;
        lua_pushinteger(L, (lua_Integer)lane);
        lua_rawseti(L, 4, ++n);
        lua_pushlstring(L, (const char *)place->rows - size, size);
        lua_rawseti(L, 4, ++n);
        lua_pushlstring(L, (const char *)place->rows, place->count * 4);
        lua_rawseti(L, 4, ++n);
        lua_pushinteger(L, (lua_Integer)place->count);
        lua_rawseti(L, 4, ++n);
    }
    if (self->drains != drains)
        return luaL_error(L, "drain: moves were taken out in between");
    self->count -= count; /* what a finalizer has put stays */
    memmove(self->list, self->list + count, self->count * sizeof *self->list);
    for (size_t i = 0; i < self->count; i++)
        find_slot(self, self->list[i].id)->waiting = i;
    lua_pushinteger(L, (lua_Integer)self->replaced);
    self->replaced = 0;
    return 2;
}

/* __gc */
static int moves_collect(lua_State *L) {
    struct moves *self = lua_touserdata(L, 1);
    if (self == NULL || lua_rawlen(L, 1) != sizeof *self || self->tag != &moves_tag)
        return 0;
    if (self->slots != NULL)
        resize(L, self->slots, self->slot_count * sizeof *self->slots, 0);
    if (self->list != NULL)
        resize(L, self->list, self->room * sizeof *self->list, 0);
    memset(self, 0, sizeof *self);
    return 0;
}

/*
 * core.rows_outside(rows, dims, x1, y1, x2, y2) -> list of ids
 * Those of packed rows <i8 and place whose place is not well inside a rectangle: more than a
 * rounding error. O(rows).
 */
static int core_rows_outside(lua_State *L) {
    static const char method[] = "rows_outside";
    if (lua_type(L, 1) != LUA_TSTRING)
        bad_value(L, method, "rows", 1, "a string of packed rows");
    const size_t dims = (size_t)check_count(L, 2, method, "dims", 3, "2 or 3");
    const double x1 = luaL_checknumber(L, 3), y1 = luaL_checknumber(L, 4);
    const double x2 = luaL_checknumber(L, 5), y2 = luaL_checknumber(L, 6);
    const size_t row_size = 8 * (1 + dims), size = (size_t)lua_rawlen(L, 1);
    if (dims < 2 || size % row_size != 0)
        bad_value(L, method, "rows", 1, "whole rows of id and place");
    const unsigned char *rows = (const unsigned char *)lua_tostring(L, 1);
    lua_Integer n = 0;
    lua_settop(L, 1); /* the string stays while its bytes are read */
    lua_newtable(L);
    for (const unsigned char *row = rows; row < rows + size; row += row_size) {
        const double x = get_number(row + 8), y = get_number(row + 16);
        const double dx = fabs(x) * NEARLY, dy = fabs(y) * NEARLY;
        if (x - dx > x1 && x + dx < x2 && y - dy > y1 && y + dy < y2)
            continue;
        lua_pushinteger(L, (lua_Integer)get_bits(row));
        lua_rawseti(L, 2, ++n);
    }
    return 1;
}

static const luaL_Reg moves_methods[] = {
    {"close", moves_close}, {"close_all", moves_close_all}, {"drain", moves_drain},
    {"open", moves_open},   {"taker", moves_taker},         {"__gc", moves_collect},
    {NULL, NULL},
};

/* core.moves(dims) -> moves; the upvalue is their metatable. */
static int core_moves(lua_State *L) {
    const lua_Integer dims = check_count(L, 1, "moves", "dims", 3, "2 or 3");
    if (dims < 2)
        bad_value(L, "moves", "dims", 1, "2 or 3");
    struct moves *self = lua_newuserdata(L, sizeof *self);
    *self = (struct moves){.tag = &moves_tag, .dims = (int)dims};
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_setmetatable(L, -2);
    return 1;
}
