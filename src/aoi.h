/*
 * aoi.h - area of interest: who sees whom in a scene, and when that changes.
 *
 * This header is the whole public interface of the C core; it knows no Lua.
 *
 * A space holds entities: points with an id, a position, a view radius, a
 * mode, a layer and a mask of the layers they see. A changing call (enter,
 * move, leave, ...) takes effect whole and appends the events that follow to
 * the space's queue; the caller then pulls them, oldest first, with
 * aoi_next_event:
 *
 *     aoi_options options = aoi_options_default(AOI_CROSSLIST);
 *     options.given |= AOI_GIVEN_RADIUS;
 *     options.radius = 50;
 *     aoi_space *space;
 *     if (aoi_create(&options, &space, NULL) != AOI_OK) ...
 *     aoi_enter(space, 1, (aoi_point){10, 20, 0}, NULL);
 *     aoi_event event;
 *     while (aoi_next_event(space, &event)) ...
 *     aoi_destroy(space);
 *
 * Threads: one at a time per space; different spaces are independent (there
 * is no global state). Failure: a call that does not return AOI_OK has
 * changed nothing. Growth: n is the number of entities, k the number of
 * entities near the one that a call is about.
 */
#ifndef AOI_H
#define AOI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AOI_VERSION "0.1.0"

typedef struct aoi_space aoi_space; /* one scene; opaque */
typedef int64_t aoi_id;             /* an entity's name; any value */

typedef enum aoi_status {
    AOI_OK = 0,
    AOI_NOMEM,     /* the allocator returned NULL; nothing changed */
    AOI_EXISTS,    /* enter: the id is already in the space */
    AOI_NOT_FOUND, /* the id is not in the space */
    AOI_OUTSIDE,   /* the position is outside the map, and the space does not clamp */
    AOI_INVALID,   /* a value that the call cannot take (NaN, an infinite coordinate, ...) */
    AOI_NO_RADIUS, /* enter: neither the call nor the space gives a radius */
    AOI_RADIUS_UNUSED /* a radius was given to a classic nine-grid, which has none */
} aoi_status;

/*
 * The allocator: the contract of lua_Alloc. ptr NULL allocates nsize bytes,
 * nsize 0 frees, else resizes from osize, which is always the exact old
 * size. Returns NULL when it can not; then ptr stays valid. Memory is
 * aligned for any basic type. Must not call the space.
 */
typedef void *(*aoi_allocator)(void *userdata, void *ptr, size_t osize, size_t nsize);

/* ------------------------------------------------------------------ */
/* Options                                                             */
/* ------------------------------------------------------------------ */

typedef enum aoi_engine {
    AOI_GRID = 1,  /* nine-grid: cells over a map with borders */
    AOI_CROSSLIST, /* cross-list: the entities in order along each axis; no map */
} aoi_engine;

typedef enum aoi_shape {
    AOI_SQUARE = 1, /* w.x - r <= m.x <= w.x + r, the same on the other axes */
    AOI_CIRCLE      /* inside that square (cube) and dx*dx + dy*dy (+ dz*dz) <= r*r */
} aoi_shape;

/* Bits of aoi_options.given: which fields the caller has set. */
enum {
    AOI_GIVEN_X = 1 << 0,
    AOI_GIVEN_Y = 1 << 1,
    AOI_GIVEN_WIDTH = 1 << 2,
    AOI_GIVEN_HEIGHT = 1 << 3,
    AOI_GIVEN_COLS = 1 << 4,
    AOI_GIVEN_ROWS = 1 << 5,
    AOI_GIVEN_CELL = 1 << 6,
    AOI_GIVEN_RADIUS = 1 << 7,
    AOI_GIVEN_SHAPE = 1 << 8,
    AOI_GIVEN_DIMS = 1 << 9,
    AOI_GIVEN_CLAMP = 1 << 10
};

/* Kinds of events, also bits of a set. */
typedef enum aoi_op { AOI_ENTER = 1, AOI_LEAVE = 2, AOI_MOVE = 4 } aoi_op;

typedef struct aoi_options {
    size_t struct_size; /* sizeof(aoi_options) of the caller's header */
    aoi_engine engine;
    uint32_t given;      /* AOI_GIVEN_ bits; a field whose bit is unset is ignored */
    double x, y;         /* lower corner of the map; default 0, 0 */
    double width, height; /* of the map, > 0; the map is closed on all four sides */
    int64_t cols, rows;  /* grid: number of cells; 1 or more */
    double cell;         /* grid: side of a square cell, > 0 */
    double radius;       /* default view radius, 0 .. infinity; a grid without one is the
                            classic nine-grid: cells that touch see each other */
    aoi_shape shape;     /* default AOI_SQUARE */
    int dims;            /* 2 (default) or 3; with 3, z counts */
    bool clamp;          /* positions outside the map count in the nearest border cell */
    uint32_t listen;     /* aoi_op bits to compute for aoi_next_event; default all */
    uint32_t collect;    /* aoi_op bits to gather for aoi_collected_event; default none */
    aoi_allocator allocator; /* default: the C library */
    void *allocator_userdata;
} aoi_options;

/* The sentence that aoi_create writes when it answers AOI_INVALID. */
typedef struct aoi_complaint {
    char text[200];
} aoi_complaint;

/* Options of the engine with every default set and nothing given. */
aoi_options aoi_options_default(aoi_engine engine);

/* The engine named "grid" or "crosslist"; 0 for any other name. */
aoi_engine aoi_engine_from_name(const char *name);

/* "grid" or "crosslist". */
const char *aoi_engine_name(aoi_engine engine);

/*
 * Makes a space. AOI_INVALID: an option is missing, out of range or of
 * another engine; complaint (may be NULL) then says which one, its value and
 * what was expected. AOI_NOMEM. The caller owns *space: aoi_destroy.
 */
aoi_status aoi_create(const aoi_options *options, aoi_space **space, aoi_complaint *complaint);

/* Frees the space and all it holds; NULL is allowed. */
void aoi_destroy(aoi_space *space);

/* Removes all entities and all waiting events, without telling anybody. */
void aoi_clear(aoi_space *space);

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

/* z counts in three dimensions only; otherwise it is ignored. */
typedef struct aoi_point {
    double x, y, z;
} aoi_point;

/* Bits of a mode. */
enum { AOI_WATCHER = 1, AOI_MARKER = 2 };

/* Bits of aoi_traits.given. */
enum {
    AOI_TRAIT_RADIUS = 1 << 0,
    AOI_TRAIT_MODE = 1 << 1,
    AOI_TRAIT_LAYER = 1 << 2,
    AOI_TRAIT_SEES = 1 << 3
};

/* What an entity is, besides its place. A field whose bit is unset is ignored. */
typedef struct aoi_traits {
    uint32_t given;
    double radius;  /* view radius, 0 .. infinity; default: the space's */
    uint32_t mode;  /* AOI_WATCHER, AOI_MARKER or both (default) */
    uint32_t layer; /* bits this entity shows; default 1 */
    uint32_t sees;  /* layer bits this entity can see; default all */
} aoi_traits;

/*
 * Adds an entity. traits NULL: all defaults.
 * EXISTS, OUTSIDE, INVALID, NO_RADIUS, NOMEM.
 * O(k) in a grid, O(log n + entities in the band of the view) in a cross-list.
 */
aoi_status aoi_enter(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits);

/*
 * Moves an entity. NOT_FOUND, OUTSIDE, INVALID, NOMEM.
 * With only enter and leave events listened for, a step looks only at
 * entities near the border of a view.
 */
aoi_status aoi_move(aoi_space *space, aoi_id id, aoi_point position);

/* Removes an entity and ends every pair it is in. NOT_FOUND, NOMEM. */
aoi_status aoi_leave(aoi_space *space, aoi_id id);

/*
 * Enters the entity, or moves it and changes the given traits, in one
 * change. *entered (may be NULL) tells which. Errors as enter and move.
 */
aoi_status aoi_update(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits,
                      bool *entered);

/* Changes the given traits where the entity stands: enter and leave events,
 * never move. NOT_FOUND, INVALID, NOMEM. */
aoi_status aoi_set_traits(aoi_space *space, aoi_id id, const aoi_traits *traits);

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

/* What happened to one ordered pair. */
typedef struct aoi_event {
    aoi_id watcher, marker;
    aoi_op op;
} aoi_event;

/* Takes the oldest waiting event out of the queue; false when none waits. O(1). */
bool aoi_next_event(aoi_space *space, aoi_event *event);

/* How many events wait. O(1). */
size_t aoi_pending(const aoi_space *space);

/*
 * Sets which kinds of events are computed for the queue (aoi_op bits) from
 * now on, and drops the waiting events of other kinds. O(waiting events).
 */
void aoi_listen(aoi_space *space, uint32_t ops);

/*
 * The gathered events (options.collect) wait in a second queue. It is read
 * through a cursor, zeroed at first, without taking anything out; false at
 * the end. aoi_drop_collected empties it. A changing call in between makes
 * the cursor invalid.
 */
typedef struct aoi_cursor {
    size_t word, index;
} aoi_cursor;

bool aoi_collected_event(const aoi_space *space, aoi_cursor *cursor, aoi_event *event);
size_t aoi_collected(const aoi_space *space);
void aoi_drop_collected(aoi_space *space);

/* ------------------------------------------------------------------ */
/* Questions (they change nothing and deliver nothing)                 */
/* ------------------------------------------------------------------ */

size_t aoi_count(const aoi_space *space);
bool aoi_has(const aoi_space *space, aoi_id id);

/* NOT_FOUND leaves *position as it was. */
aoi_status aoi_position(const aoi_space *space, aoi_id id, aoi_point *position);

/* NOT_FOUND leaves *radius as it was; the classic nine-grid has radius 0. */
aoi_status aoi_radius(const aoi_space *space, aoi_id id, double *radius);

/* True when a sees b; false also for unknown ids. O(1). */
bool aoi_sees(const aoi_space *space, aoi_id a, aoi_id b);

/* A list of ids that the space owns: valid until the next call on the space. */
typedef struct aoi_list {
    const aoi_id *ids;
    size_t count;
} aoi_list;

/* Whom id sees / who sees id, in no particular order. NOT_FOUND, NOMEM. */
aoi_status aoi_markers_of(aoi_space *space, aoi_id id, aoi_list *list);
aoi_status aoi_watchers_of(aoi_space *space, aoi_id id, aoi_list *list);

/* All ids, in no particular order. NOMEM. O(n). */
aoi_status aoi_ids(aoi_space *space, aoi_list *list);

/* What the map looks like; all zero where the engine has none. */
typedef struct aoi_map {
    bool bounded;
    double x, y, width, height;
} aoi_map;

aoi_engine aoi_engine_of(const aoi_space *space);
aoi_map aoi_map_of(const aoi_space *space);
int aoi_dims(const aoi_space *space);

typedef struct aoi_stats {
    size_t entities;
    size_t bytes;         /* held from the allocator, this struct's space included */
    size_t cells;         /* grid: cells of the map; cross-list: blocks on both axes */
    size_t longest_chain; /* most entities in one cell or block */
    size_t pending;       /* events that wait */
    size_t collected;     /* events gathered and not yet dropped */
    uint64_t delivered;   /* events that aoi_next_event gave out so far */
    size_t cols, rows;    /* grid: cells per axis, else 0 */
    double cell_width, cell_height; /* grid: size of a cell, else 0 */
} aoi_stats;

/* O(cells). */
void aoi_get_stats(const aoi_space *space, aoi_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
