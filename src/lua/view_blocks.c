/*
 * view_blocks.c - puts blocks of views together from records of entities, for the writer of views
 * of the scene service, lua/aoi/skynet/view_writer.lua. docs/packets.md describes every byte.
 *
 * Records come from tables of Lua: each was packed once, for all who see the entity. Such a table
 * may make a record when it is asked for one, and code that does so may do anything. So a record
 * is copied before the next one is asked for, and a view notices when another one was begun in its
 * room.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lua/values.h"

enum { VIEW_BLOCK = 1 };                                                   /* kind of block */
enum { VIEW_LONG_IDS = 1, VIEW_REPLACES = 8, VIEW_MORE = 16 };             /* flags */
enum { VIEW_LEFT = 1, VIEW_MOVED = 4, VIEW_CHANGED = 5, VIEW_EXTRAS = 7 }; /* kinds of sections */
enum {
    BLOCK_LIMIT = 60000, /* most bytes of a block, head included */
    SECTION_HEAD = 3,
    EXTRAS_HEAD = SECTION_HEAD + 1,
    DETAILS_LENGTH = 2, /* bytes of how long details are */
    EXTRA = 4,          /* bytes of a number */
    MOST_EXTRAS = 4
};

/* Where views are put together, one after the other. */
struct view_room {
    uint64_t views; /* begun up to now */
    uint8_t block[BLOCK_LIMIT];
    uint8_t extras[BLOCK_LIMIT]; /* of the section that is being filled: they come before it */
};

/* A view that is being put together. */
struct view_joining {
    struct view_room *room;
    uint64_t view; /* its number, by room->views */
    uint32_t flags, stream, number;
    aoi_id watcher;
    size_t head;        /* bytes of the head of a block */
    size_t extras;      /* bytes of the extras of an entity */
    size_t size;        /* bytes of the block up to now */
    size_t section;     /* where the section that is being filled begins */
    size_t extras_size; /* bytes of its extras up to now */
    size_t own_extras;  /* `extras` if its records begin with them, else 0 */
    int kind;           /* of the section */
    int blocks;         /* complete ones; they are on top of Lua's stack */
    lua_Integer records;
};

/* Writes the lowest bytes of a value, the least significant one first. */
static void put_number(uint8_t *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void begin_section(struct view_joining *joining, int kind) {
    const bool has_places = kind > VIEW_LEFT && kind <= VIEW_MOVED;
    joining->kind = kind;
    joining->own_extras = has_places ? joining->extras : 0;
    joining->section = joining->size;
    joining->size += SECTION_HEAD;
    joining->extras_size = 0;
}

/* Ends the section, and puts its extras before it. One without records is dropped. */
static void end_section(struct view_joining *joining) {
    uint8_t *at = joining->room->block + joining->section;
    const size_t records = joining->size - joining->section - SECTION_HEAD;
    if (records == 0) {
        joining->size = joining->section;
        return;
    }
    if (joining->own_extras > 0) {
        const size_t before = EXTRAS_HEAD + joining->extras_size;
        memmove(at + before, at, SECTION_HEAD + records);
        at[0] = VIEW_EXTRAS;
        put_number(at + 1, 1 + joining->extras_size, 2);
        at[SECTION_HEAD] = (uint8_t)(joining->extras / EXTRA);
        memcpy(at + EXTRAS_HEAD, joining->room->extras, joining->extras_size);
        joining->size += before;
        at += before;
    }
    at[0] = (uint8_t)joining->kind;
    put_number(at + 1, records, 2);
}

/* Ends the block, which is on top of the stack then. more: VIEW_MORE or 0. */
static void end_block(lua_State *L, struct view_joining *joining, uint32_t more) {
    uint8_t *block = joining->room->block;
    const int id_size = joining->flags & VIEW_LONG_IDS ? 8 : 4;
    block[0] = VIEW_BLOCK;
    block[1] = (uint8_t)(joining->flags | more);
    put_number(block + 2, joining->size - joining->head, 2);
    put_number(block + 4, (uint64_t)joining->watcher, id_size);
    put_number(block + 4 + id_size, joining->stream, 4);
    put_number(block + 8 + id_size, joining->number, 4);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_pushlstring(L, (const char *)block, joining->size);
    joining->blocks++;
    joining->number++;
    joining->flags &= ~(uint32_t)VIEW_REPLACES;
    joining->size = joining->head;
}

/* To be called when code of Lua may have run. */
static void check_room(lua_State *L, const struct view_joining *joining) {
    if (joining->room->views != joining->view)
        luaL_error(L, "view: another one was begun in the middle");
}

/* Whether the block has room for another record, of so many bytes with its extras. */
static bool has_room(const struct view_joining *joining, size_t length) {
    const size_t head = joining->own_extras > 0 ? EXTRAS_HEAD : 0;
    return joining->size + head + joining->extras_size + length <= BLOCK_LIMIT;
}

/* Makes room for another record of the section. Where there is none, a block is complete, and
 * pushed, and the section goes on in the next one. */
static void make_room(lua_State *L, struct view_joining *joining, size_t length) {
    if (!has_room(joining, length)) {
        end_section(joining);
        end_block(L, joining, VIEW_MORE);
        check_room(L, joining);
        begin_section(joining, joining->kind);
    }
    if (length <= joining->own_extras || !has_room(joining, length))
        luaL_error(L, "view: a record of %d bytes", (int)length);
    joining->records++;
}

/* Puts in a record of a place: with its extras in front, if there are such. */
static void put_placed(lua_State *L, struct view_joining *joining, const char *record,
                       size_t length) {
    const size_t extras = joining->own_extras;
    make_room(L, joining, length);
    memcpy(joining->room->extras + joining->extras_size, record, extras);
    memcpy(joining->room->block + joining->size, record + extras, length - extras);
    joining->extras_size += extras;
    joining->size += length - extras;
}

/* Puts in an id. */
static void put_id(lua_State *L, struct view_joining *joining, aoi_id id) {
    const int bytes = joining->flags & VIEW_LONG_IDS ? 8 : 4;
    make_room(L, joining, (size_t)bytes);
    put_number(joining->room->block + joining->size, (uint64_t)id, bytes);
    joining->size += (size_t)bytes;
}

/* Puts in a record of an id and details. */
static void put_details(lua_State *L, struct view_joining *joining, aoi_id id, const char *details,
                        size_t length) {
    const int bytes = joining->flags & VIEW_LONG_IDS ? 8 : 4;
    const size_t head = (size_t)bytes + DETAILS_LENGTH;
    make_room(L, joining, head + length);
    uint8_t *at = joining->room->block + joining->size;
    put_number(at, (uint64_t)id, bytes);
    put_number(at + bytes, length, DETAILS_LENGTH);
    memcpy(at + head, details, length);
    joining->size += head + length;
}

/* Entry i of the ids at index. */
static aoi_id check_view_id(lua_State *L, int index, lua_Integer i) {
    lua_Integer id;
    lua_rawgeti(L, index, i);
    if (!read_integer(L, -1, &id))
        bad_value(L, "view", "an id", -1, "an integer");
    lua_pop(L, 1);
    return id;
}

/* Puts in the record of an id that the table at index has, if it has one. */
static void put_record(lua_State *L, struct view_joining *joining, int records, aoi_id id) {
    const int blocks = joining->blocks;
    const bool is_record = lua_geti(L, records, id) == LUA_TSTRING;
    check_room(L, joining);
    if (is_record) {
        size_t length;
        const char *record = lua_tolstring(L, -1, &length);
        if (joining->kind == VIEW_CHANGED)
            put_details(L, joining, id, record, length);
        else
            put_placed(L, joining, record, length);
    }
    if (joining->blocks == blocks)
        lua_pop(L, 1);
    else
        lua_remove(L, -2); /* there is a block on top */
}

/*
 * Puts in the records of n ids. Those of entities that have left are their ids alone; else records
 * are in the table at index, and an entity that it has none for is passed over. False: an id is
 * too long for the view.
 */
static bool put_records(lua_State *L, struct view_joining *joining, int records, int ids,
                        lua_Integer n) {
    const bool is_long = joining->flags & VIEW_LONG_IDS;
    for (lua_Integer i = 1; i <= n; i++) {
        const aoi_id id = check_view_id(L, ids, i);
        if (!is_long && (id < INT32_MIN || id > INT32_MAX))
            return false;
        if (joining->kind == VIEW_LEFT)
            put_id(L, joining, id);
        else
            put_record(L, joining, records, id);
    }
    return true;
}

/* Arguments of the joiner; its upvalue is the room. */
enum {
    VIEW_FLAGS = 1,
    VIEW_WATCHER,
    VIEW_STREAM,
    VIEW_NUMBER,
    VIEW_EXTRAS_EACH,
    VIEW_SECTIONS,
    VIEW_COUNT,
    VIEW_ME,
    VIEW_RECORDS, /* of one section: these are taken from its entries */
    VIEW_IDS
};
enum { SECTION_VALUES = 4 }; /* kind, records, ids, n */

/* Puts in the section of this number, from 0. The blocks that it completes are on top of the
 * stack. */
static bool put_section(lua_State *L, struct view_joining *joining, lua_Integer number) {
    const lua_Integer at = SECTION_VALUES * number;
    lua_rawgeti(L, VIEW_SECTIONS, at + 1);
    const lua_Integer kind = luaL_checkinteger(L, -1);
    lua_rawgeti(L, VIEW_SECTIONS, at + 4);
    const lua_Integer n = luaL_checkinteger(L, -1);
    lua_pop(L, 2);
    lua_rawgeti(L, VIEW_SECTIONS, at + 2);
    lua_replace(L, VIEW_RECORDS);
    lua_rawgeti(L, VIEW_SECTIONS, at + 3);
    lua_replace(L, VIEW_IDS);
    luaL_checktype(L, VIEW_IDS, LUA_TTABLE);
    if (kind < VIEW_LEFT || kind > VIEW_CHANGED)
        return luaL_error(L, "view: a section of kind %I", (LUAI_UACINT)kind);
    if (kind != VIEW_LEFT)
        luaL_checktype(L, VIEW_RECORDS, LUA_TTABLE);
    begin_section(joining, (int)kind);
    const bool fits = put_records(L, joining, VIEW_RECORDS, VIEW_IDS, n);
    end_section(joining);
    return fits;
}

/*
 * join(flags, watcher, stream, number, extras, sections, count [, me]) -> text, blocks, records
 * One block, or several where the view is long. extras: how many numbers records of places begin
 * with. sections: a flat list of kind, table by id, ids, n; the table has records as they are, and
 * of changes the details alone. me: the section of the watcher itself. nil: an id needs more than
 * 32 bits, and flags do not say so. O(ids).
 */
static int join_view(lua_State *L) {
    struct view_room *room = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, VIEW_ME);
    struct view_joining joining = {
        .room = room,
        .view = ++room->views,
        .flags = (uint32_t)luaL_checkinteger(L, VIEW_FLAGS),
        .watcher = luaL_checkinteger(L, VIEW_WATCHER),
        .stream = (uint32_t)luaL_checkinteger(L, VIEW_STREAM),
        .number = (uint32_t)luaL_checkinteger(L, VIEW_NUMBER),
    };
    const lua_Integer extras = luaL_checkinteger(L, VIEW_EXTRAS_EACH);
    const lua_Integer count = luaL_checkinteger(L, VIEW_COUNT);
    luaL_checktype(L, VIEW_SECTIONS, LUA_TTABLE);
    luaL_argcheck(L, extras >= 0 && extras <= MOST_EXTRAS, VIEW_EXTRAS_EACH, "too many");
    size_t own = 0;
    const char *me = luaL_optlstring(L, VIEW_ME, "", &own);
    joining.head = joining.size = joining.flags & VIEW_LONG_IDS ? 20 : 16;
    luaL_argcheck(L, own <= BLOCK_LIMIT - joining.head, VIEW_ME, "too long");
    joining.extras = (size_t)extras * EXTRA;
    memcpy(room->block + joining.size, me, own);
    joining.size += own;
    lua_settop(L, VIEW_IDS);
    for (lua_Integer number = 0; number < count; number++)
        if (!put_section(L, &joining, number))
            return 0;
    end_block(L, &joining, 0);
    lua_concat(L, joining.blocks);
    lua_pushinteger(L, joining.blocks);
    lua_pushinteger(L, joining.records);
    return 3;
}

/* single(value) -> the nearest single float, as views have it; nil: there is none, or this is no
 * number */
static int core_single(lua_State *L) {
    const double value = lua_type(L, 1) == LUA_TNUMBER ? lua_tonumber(L, 1) : HUGE_VAL;
    if (!(value >= -(double)FLT_MAX && value <= (double)FLT_MAX))
        return 0;
    lua_pushnumber(L, (double)(float)value);
    return 1;
}

/* view_joiner() -> join, with a room of its own */
static int core_view_joiner(lua_State *L) {
    struct view_room *room = lua_newuserdata(L, sizeof *room);
    room->views = 0;
    lua_pushcclosure(L, join_view, 1);
    return 1;
}
