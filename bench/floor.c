/*
 * floor.c - the cost of Lua itself: the module bench.floor.
 *
 * The floors that the benchmark compares with. No space: only the crossings of the border between
 * Lua and C that every move has to pay, and what memory makes it wait for.
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <string.h>

#define TYPE_NAME "bench.floor"
#define MEMORY_NAME "bench.floor.memory"

/* userdata:move(id, x, y): checks its arguments as a method does, and does nothing. */
static int empty_method(lua_State *L) {
    luaL_checkudata(L, 1, TYPE_NAME);
    luaL_checkinteger(L, 2);
    luaL_checknumber(L, 3);
    luaL_checknumber(L, 4);
    return 0;
}

/* call_handler(handler, n): calls handler(watcher, marker, op) n times. */
static int call_handler(lua_State *L) {
    lua_Integer n = luaL_checkinteger(L, 2);
    lua_settop(L, 1);
    lua_pushliteral(L, "enter");
    for (lua_Integer i = 1; i <= n; i++) {
        lua_pushvalue(L, 1);
        lua_pushinteger(L, i);
        lua_pushinteger(L, i + 1);
        lua_pushvalue(L, 2);
        lua_callk(L, 3, 0, 0, NULL);
    }
    return 0;
}

/* fill(table, n): writes n integers into the table. */
static int fill(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_checkinteger(L, 2);
    lua_settop(L, 1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

/* new() -> a userdata with the empty method */
static int new_userdata(lua_State *L) {
    lua_newuserdata(L, sizeof(double));
    luaL_setmetatable(L, TYPE_NAME);
    return 1;
}

/*
 * The floor of memory: a method that also finds an entity by its id, writes its place and reads a
 * line of each cell around. These are three reads, each of which waits for the one before, in
 * arrays as large as those of a world.
 */
enum { CELL = 100, EMPTY = 0 };

struct line {
    double x, y;
    lua_Integer id;
    size_t cell;
    char rest[32];
};

struct memory {
    size_t mask, columns, used; /* of the table; of a square map, with a border; entities, from 1 */
    uint32_t *table;            /* numbers of entities */
    struct line *entities, *cells;
};

static size_t home_of(const struct memory *memory, lua_Integer id) {
    const uint64_t row = ((uint64_t)id >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(((row >> 28) & ~(uint64_t)15) | ((uint64_t)id & 15)) & memory->mask;
}

/* memory:enter(id, x, y) adds or finds; memory:move(id, x, y) is the same. */
static int put(lua_State *L) {
    struct memory *memory = luaL_checkudata(L, 1, MEMORY_NAME);
    const lua_Integer id = luaL_checkinteger(L, 2);
    const double x = luaL_checknumber(L, 3), y = luaL_checknumber(L, 4);
    size_t at = home_of(memory, id);
    while (memory->table[at] != EMPTY && memory->entities[memory->table[at]].id != id)
        at = (at + 1) & memory->mask;
    if (memory->table[at] == EMPTY)
        memory->table[at] = (uint32_t)++memory->used;
    struct line *entity = &memory->entities[memory->table[at]];
    const size_t around = entity->cell; /* where it was */
    double sum = 0;
    for (size_t row = 0; row < 3; row++) {
        for (size_t column = 0; column < 3; column++)
            sum += memory->cells[around + row * memory->columns + column].x;
    }
    *entity = (struct line){.x = x,
                            .y = y + (sum == 0 ? 0 : 1), /* so that the reads are made: never */
                            .id = id,
                            .cell = (size_t)y / CELL * memory->columns + (size_t)x / CELL};
    return 0;
}

/* memory(entities, size): room for so many on a square map of that size. */
static int new_memory(lua_State *L) {
    const size_t entities = (size_t)luaL_checkinteger(L, 1);
    const size_t columns = (size_t)luaL_checknumber(L, 2) / CELL + 3;
    size_t table = 8;
    while (table < 2 * entities)
        table *= 2;
    const size_t lines = entities + 1 + columns * columns;
    const size_t bytes = sizeof(struct memory) + sizeof(struct line) * (lines + 1) + 4 * table;
    struct memory *memory = lua_newuserdata(L, bytes);
    memset(memory, 0, bytes);
    char *begin = (char *)(memory + 1);
    memory->entities = (struct line *)(begin + (64 - (uintptr_t)begin % 64));
    memory->cells = memory->entities + entities + 1;
    memory->table = (uint32_t *)(memory->cells + columns * columns);
    memory->mask = table - 1;
    memory->columns = columns;
    luaL_setmetatable(L, MEMORY_NAME);
    return 1;
}

__attribute__((visibility("default"))) int luaopen_bench_floor(lua_State *L) {
    static const luaL_Reg methods[] = {{"move", empty_method}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"new", new_userdata},
                                         {"call_handler", call_handler},
                                         {"fill", fill},
                                         {"memory", new_memory},
                                         {NULL, NULL}};
    static const luaL_Reg memory[] = {{"enter", put}, {"move", put}, {NULL, NULL}};
    luaL_newmetatable(L, MEMORY_NAME);
    luaL_newlib(L, memory);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    luaL_newmetatable(L, TYPE_NAME);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    return 1;
}
