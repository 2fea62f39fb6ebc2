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

#define AOI_VERSION "1.0.0-dev"

typedef struct aoi_space aoi_space; /* one scene; opaque */
typedef int64_t aoi_id;             /* an entity's name; any value */

typedef enum aoi_status {
    AOI_OK = 0,
    AOI_NOMEM,         /* the allocator returned NULL; nothing changed */
    AOI_EXISTS,        /* enter: the id is already in the space; add_area: the area is */
    AOI_NOT_FOUND,     /* the id is not in the space */
    AOI_OUTSIDE,       /* the position is outside the map, and the space does not clamp */
    AOI_INVALID,       /* a value that the call cannot take (NaN, an infinite coordinate, ...) */
    AOI_NO_RADIUS,     /* enter: neither the call nor the space gives a radius */
    AOI_RADIUS_UNUSED, /* a radius was given to a classic nine-grid, which has none */
    AOI_NO_CROWD,      /* a trait or a call of crowd spaces in a space that is none */
    AOI_NO_AREA,       /* the area is not in the space */
    AOI_NO_OWNER,      /* add_area, set_area: the owner is not in the space */
    AOI_NO_PLACE       /* move_area: the area has no place of its own */
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
    AOI_GRID = 1,  /* cells over a map with borders; or, with a radius, without a map */
    AOI_CROSSLIST, /* cross-list: the entities in order along each axis; no map */
    AOI_QUADTREE   /* quadtree: a map with borders, quartered where entities are many */
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
    AOI_GIVEN_CLAMP = 1 << 10,
    AOI_GIVEN_CAPACITY = 1 << 11,
    AOI_GIVEN_MAX_DEPTH = 1 << 12,
    AOI_GIVEN_DEFERRED = 1 << 13,
    AOI_GIVEN_SLACK = 1 << 14,
    AOI_GIVEN_LIMIT = 1 << 15,
    AOI_GIVEN_LIMIT_LAYERS = 1 << 16,
    AOI_GIVEN_KEEP_FACTOR = 1 << 17,
    AOI_GIVEN_ENTER_BUDGET = 1 << 18,
    AOI_GIVEN_RATES = 1 << 19,
    AOI_GIVEN_MOVE_BUDGET = 1 << 20,
    AOI_GIVEN_END /* stays last: one more than the last bit */
};

/* Kinds of events, also bits of a set. In those of areas the area stands in place of the watcher.
 */
typedef enum aoi_op {
    AOI_ENTER = 1,
    AOI_LEAVE = 2,
    AOI_MOVE = 4,
    AOI_AREA_ENTER = 8,
    AOI_AREA_LEAVE = 16
} aoi_op;

/* A limit on how many; whole, 0 .. AOI_MOST, or AOI_UNLIMITED. */
#define AOI_MOST 2147483647
#define AOI_UNLIMITED UINT32_MAX

/* A period in ticks; whole, 1 .. AOI_LONGEST_PERIOD, or AOI_NEVER. */
#define AOI_LONGEST_PERIOD 536870912
#define AOI_NEVER INT64_MAX

/* Rings around a watcher: up to distance `bound` a step is told each `period` ticks. Bounds ascend,
 * 0 or more, the last is infinite; periods do not fall. AOI_NEVER: there nothing is told after the
 * ENTER. */
enum { AOI_MOST_RATES = 16 };
typedef struct aoi_rates {
    size_t count;
    struct {
        double bound;
        int64_t period;
    } rings[AOI_MOST_RATES];
} aoi_rates;

typedef struct aoi_options {
    size_t struct_size; /* sizeof(aoi_options) of the caller's header */
    aoi_engine engine;
    uint32_t given;          /* AOI_GIVEN_ bits; a field whose bit is unset is ignored */
    double x, y;             /* lower corner of the map; default 0, 0 */
    double width, height;    /* of the map, > 0; the map is closed on all four sides. A grid with a
                                radius and without both has no map: any finite positions; x, y, cols,
                                rows and clamp are not for it */
    int64_t cols, rows;      /* grid: number of cells; 1 or more */
    double cell;             /* grid: side of a square cell, > 0; default: follows the radius, which
                                without a map must be above 0 and finite then */
    double radius;           /* default view radius, 0 .. infinity; a grid without one is the
                                classic nine-grid: cells that touch see each other */
    aoi_shape shape;         /* default AOI_SQUARE */
    int dims;                /* 2 (default) or 3; with 3, z counts */
    bool clamp;              /* positions outside the map count in the nearest border cell */
    int64_t capacity;        /* quadtree: entities in a leaf before it is quartered, 1 .. 65536 */
    int64_t max_depth;       /* quadtree: levels below the root, 0 .. 32 */
    uint32_t listen;         /* aoi_op bits to compute for aoi_next_event; default all */
    uint32_t collect;        /* aoi_op bits to gather for aoi_collected_event; default none */
    aoi_allocator allocator; /* default: the C library */
    void *allocator_userdata;
    bool deferred; /* events wait for aoi_tick */
    double slack;  /* 0 (default) or more, finite, not in a classic nine-grid: visibility is judged
                      from anchors. An entity's anchor is where it entered; a move takes it along
                      only when the place is more than slack away from it on some axis. Positions
                      and queries are about places, who sees whom is about anchors */

    /* Crowds: see the section of that name. Only with deferred; limit_layers and keep_factor only
     * with one of the others. */
    uint32_t limit;        /* most markers that a watcher is told of; default AOI_UNLIMITED */
    uint32_t limit_layers; /* markers with none of these layers are always told, and not counted;
                              default all */
    double keep_factor;    /* 1 .. 1000, default 1.2: how much nearer a newcomer must be to push out
                             one that is told */
    int64_t enter_budget;  /* most ranked newcomers per watcher and tick, 1 .. AOI_MOST */
    aoi_rates rates;       /* how often steps are told, by distance; default: each tick */
    int64_t move_budget;   /* most MOVE events per watcher and tick, 1 .. AOI_MOST */
} aoi_options;

/* The type of an option or a trait, and with it the C type of its field. */
typedef enum aoi_type {
    AOI_NUMBER = 1, /* double */
    AOI_LENGTH,     /* double, 0 .. infinity */
    AOI_INTEGER,    /* int64_t */
    AOI_BOOLEAN,    /* bool */
    AOI_DIMS,       /* int, 2 or 3 */
    AOI_SHAPE,      /* aoi_shape */
    AOI_MODE,       /* uint32_t, AOI_WATCHER and AOI_MARKER bits */
    AOI_BITS,       /* uint32_t */
    AOI_LIMIT,      /* uint32_t, 0 .. AOI_MOST or AOI_UNLIMITED */
    AOI_IMPORTANCE, /* uint32_t, 0 .. 255 */
    AOI_RATES       /* aoi_rates */
} aoi_type;

/* A description of an option, for programs that read options from another language or a file. */
typedef struct aoi_option_info {
    const char *name; /* that of the field, too */
    uint32_t bit;     /* AOI_GIVEN_ */
    aoi_type type;
    size_t offset;         /* of the field in aoi_options */
    uint32_t takes, needs; /* the engines that do: a bit 1 << aoi_engine for each */
} aoi_option_info;

/* The options that aoi_options.given tells of, in the order of their bits; *count is how many. The
 * table is the library's, and always the same. */
const aoi_option_info *aoi_option_table(size_t *count);

/* The sentence that aoi_create writes when it answers AOI_INVALID. */
typedef struct aoi_complaint {
    char text[200];
} aoi_complaint;

/* Options of the engine with every default set and nothing given. */
aoi_options aoi_options_default(aoi_engine engine);

/* The engine named "grid", "crosslist" or "quadtree"; 0 for any other name. */
aoi_engine aoi_engine_from_name(const char *name);

/* "grid", "crosslist" or "quadtree". */
const char *aoi_engine_name(aoi_engine engine);

/*
 * Makes a space. AOI_INVALID: an option is missing, out of range or of
 * another engine; complaint (may be NULL) then says which one, its value and
 * what was expected. AOI_NOMEM. The caller owns *space: aoi_destroy.
 */
aoi_status aoi_create(const aoi_options *options, aoi_space **space, aoi_complaint *complaint);

/* Frees the space and all it holds; NULL is allowed. */
void aoi_destroy(aoi_space *space);

/* Removes all entities, all areas and all waiting events, without telling anybody. NOMEM only while
 * the space records. */
aoi_status aoi_clear(aoi_space *space);

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
    AOI_TRAIT_LAYERS = 1 << 2,
    AOI_TRAIT_SEES_LAYERS = 1 << 3,
    AOI_TRAIT_LIMIT = 1 << 4,
    AOI_TRAIT_IMPORTANCE = 1 << 5,
    AOI_TRAIT_VISIBLE_RADIUS = 1 << 6,
    AOI_TRAIT_END /* stays last: one more than the last bit */
};

/* Traits: all of an entity besides its place. A field whose bit is unset is ignored. */
typedef struct aoi_traits {
    uint32_t given;
    double radius;        /* view radius, 0 .. infinity; default: the space's */
    uint32_t mode;        /* AOI_WATCHER, AOI_MARKER or both (default) */
    uint32_t layers;      /* bits this entity shows; default 1 */
    uint32_t sees_layers; /* layer bits this entity can see; default all */
    /* In crowd spaces only: */
    uint32_t limit;      /* most markers that it is told of; default: the space's */
    uint32_t importance; /* as a marker, 0 (default) .. 255; the greatest come first */
    /* In all spaces but a classic nine-grid: */
    double visible_radius; /* as a marker, 0 (default) .. infinity: seen from at least so far, by
                              watchers of a smaller radius, too; infinity: from everywhere. A pair
                              is judged with the larger of both radii, around the watcher */
} aoi_traits;

/* A description of a trait, as aoi_option_info is one of an option. */
typedef struct aoi_trait_info {
    const char *name;
    uint32_t bit; /* AOI_TRAIT_ */
    aoi_type type;
    size_t offset; /* of the field in aoi_traits */
} aoi_trait_info;

/* All traits, in the order of their bits; *count is how many. The table is the library's. */
const aoi_trait_info *aoi_trait_table(size_t *count);

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

/* Removes an entity and the areas that it owns, and ends every pair it is in. NOT_FOUND, NOMEM. */
aoi_status aoi_leave(aoi_space *space, aoi_id id);

/*
 * Enters the entity, or moves it and changes the given traits, in one
 * change. *entered (may be NULL) tells which. Errors as enter and move.
 */
aoi_status aoi_update(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits,
                      bool *entered);

/*
 * Enters and updates with an anchor given (see aoi_options.slack), to show an entity as it stands
 * in another space: aoi_anchor. INVALID also when the anchor is farther than the slack from the
 * position on some axis; so without slack it is the position.
 */
aoi_status aoi_enter_anchored(aoi_space *space, aoi_id id, aoi_point position, aoi_point anchor,
                              const aoi_traits *traits);
aoi_status aoi_update_anchored(aoi_space *space, aoi_id id, aoi_point position, aoi_point anchor,
                               const aoi_traits *traits, bool *entered);

/* Changes the given traits where the entity stands: enter and leave events,
 * never move. NOT_FOUND, INVALID, NOMEM. */
aoi_status aoi_set_traits(aoi_space *space, aoi_id id, const aoi_traits *traits);

/* The word of the game about one pair. */
typedef enum aoi_sight {
    AOI_SIGHT_BY_RULE, /* none: as radius, layers and visible radius say */
    AOI_SIGHT_NEVER,   /* the watcher does not see the marker */
    AOI_SIGHT_ALWAYS   /* it sees it wherever both are, whatever its layers */
} aoi_sight;

/*
 * Sets the word about a pair: radius, visible radius and layers no longer count for it, modes do.
 * The marker may be absent, and the word holds when it comes, and comes back. It ends with the
 * watcher's leave, and with aoi_hand_out of the watcher; aoi_clear ends all. One change, with the
 * ENTER or LEAVE that follows; the same word again is none. In a crowd space it decides who is
 * seen; the told set goes by its own rules. INVALID: both are the same. NOT_FOUND: the watcher is
 * not in the space. NOMEM. O(words of the watcher). A move of an entity costs O(words of it and
 * about it) more.
 */
aoi_status aoi_set_sight(aoi_space *space, aoi_id watcher, aoi_id marker, aoi_sight word);

/* ------------------------------------------------------------------ */
/* Batches: many changes in one call                                    */
/*                                                                     */
/* The same changes and events as the single calls made row by row, but */
/* all or nothing: after a status other than AOI_OK the space is as it   */
/* was, and *bad_row (may be NULL; from 0) is the row that failed.       */
/* ------------------------------------------------------------------ */

typedef struct aoi_row {
    aoi_id id;
    aoi_point position;
} aoi_row;

/* An array of count rows that the space owns, to be filled and handed to the calls below: valid
 * until the next call on the space but these. NOMEM. */
aoi_status aoi_rows(aoi_space *space, size_t count, aoi_row **rows);

/* traits (may be NULL) count for all rows. Errors as aoi_enter. */
aoi_status aoi_enter_all(aoi_space *space, const aoi_row *rows, size_t count,
                         const aoi_traits *traits, size_t *bad_row);

/* skipped NULL: an unknown id is an error; else such rows are passed over and counted there.
 * Errors as aoi_move. */
aoi_status aoi_move_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *skipped,
                        size_t *bad_row);

/* Each row as aoi_update: enters it, or moves it and changes the given traits. *entered (may be
 * NULL): how many entered. Errors as aoi_update. */
aoi_status aoi_update_all(aoi_space *space, const aoi_row *rows, size_t count,
                          const aoi_traits *traits, size_t *entered, size_t *bad_row);

/* Only the ids of the rows count. Errors as aoi_leave. */
aoi_status aoi_leave_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *bad_row);

/* ------------------------------------------------------------------ */
/* Packed rows: strings of bytes as they come from a socket and go to   */
/* one. Each row is an id, and what the format has behind it, without    */
/* gaps, wherever in memory it stands. Numbers are little endian on      */
/* every machine: an id is an int64_t, an op one byte.                   */
/* ------------------------------------------------------------------ */

typedef enum aoi_row_format {
    AOI_ROWS_OF_DOUBLES = 1, /* id, x, y and, in three dimensions, z: of 8 bytes each */
    AOI_ROWS_OF_FLOATS,      /* the same, coordinates of 4 bytes */
    AOI_ROWS_OF_IDS
} aoi_row_format;

/* Bytes of a row: 24, 16 or 8, in three dimensions 32, 20 or 8. */
size_t aoi_packed_row_size(const aoi_space *space, aoi_row_format format);

/*
 * Reads the `size` bytes as rows, into the array that aoi_rows gives: for the
 * batches above.
 * *count: how many rows. INVALID: how many are good, so the number of the bad
 * one; it stands in the array and has a coordinate that is not finite, or it
 * is the last one and not whole. NOMEM.
 */
aoi_status aoi_unpack_rows(aoi_space *space, aoi_row_format format, const void *bytes, size_t size,
                           aoi_row **rows, size_t *count);

/* Ids to and from 8 bytes each. */
void aoi_pack_ids(const aoi_id *ids, size_t count, void *bytes);
void aoi_unpack_ids(const void *bytes, size_t count, aoi_id *ids);

/* The positions of the ids of the rows, 8 bytes a coordinate: 16 for each row, 24 in three
 * dimensions; NaN for those of an unknown id. */
void aoi_pack_positions(const aoi_space *space, const aoi_row *rows, size_t count, void *bytes);

/*
 * Gives the map another lower corner and size; a grid keeps its cell size or
 * its numbers of cells, whichever was asked for at aoi_create. In a classic
 * nine-grid, whose cells decide who sees whom, enter and leave events follow,
 * as one change; elsewhere nothing changes for anybody.
 * INVALID with a complaint (may be NULL): the map is not one, has too many
 * cells, or the engine has none. OUTSIDE: the entity *outside (may be NULL)
 * would not be on the map, and the space does not clamp. NOMEM. O(n).
 */
aoi_status aoi_set_bounds(aoi_space *space, double x, double y, double width, double height,
                          aoi_id *outside, aoi_complaint *complaint);

/*
 * Deferred spaces: changes queue no events. aoi_tick queues those of the net
 * change since the last tick (or the start), as one change: each ordered pair
 * has one event at most, and MOVE means that the marker is at another place
 * than at the last tick. An id that left and came back counts as having
 * stayed. aoi_set_bounds on a classic nine-grid counts as a change of all.
 * INVALID: the space is not deferred, or its last tick had the number
 * AOI_LAST_TICK. NOMEM: nothing changed, it can be called again. O(n) where
 * many changed; else about as many single moves.
 */
aoi_status aoi_tick(aoi_space *space);

/* The greatest number of a tick. */
#define AOI_LAST_TICK (UINT64_C(1) << 53)

/* Makes a tick and gives it a number, greater than that of the last one, in which the times of
 * crowds count: spaces that share a world count alike. aoi_tick gives one more than the last.
 * INVALID also: the number is not greater, or above AOI_LAST_TICK. */
aoi_status aoi_tick_to(aoi_space *space, uint64_t number);

/* ------------------------------------------------------------------ */
/* Crowds                                                              */
/*                                                                     */
/* A deferred space made with limit, enter_budget, rates or move_budget is a */
/* crowd space: of what it sees, each watcher is told of a part, its     */
/* told set, which follows from the calls alone. At a tick, for a        */
/* watcher w that sees V and was told of T until now:                    */
/*     free      those of V that w pins, or with no layer of limit_layers */
/*     ranked    the others, in the order of: greatest importance; least  */
/*               d2, of one in T, or d2 * (keep_factor * keep_factor), of a newcomer;   */
/*               in T before newcomers; least id                          */
/*               d2 = dx*dx + dy*dy (+ dz*dz) of the places that views    */
/*               are judged from; of true places in a classic nine-grid   */
/*     admitted  the newcomers among the first `limit` ranked, of these   */
/*               the first enter_budget                                   */
/*     new T     free, and the first `limit` of those ranked that are in  */
/*               T or admitted                                            */
/* LEAVE for T without new T, ENTER for new T without T. A pair that was  */
/* told (ENTER or MOVE) at tick `since` is due at since + the period of   */
/* its ring, sooner when it comes into a ring of a smaller period. Of the */
/* pairs that are due, and whose marker has moved since, the first        */
/* `move_budget` by (due, id) get their MOVE. Those that were due more than    */
/* 2^30 ticks ago count as equally old. Ticks are counted by their        */
/* numbers: one that aoi_tick_to leaves out passes, too.                  */
/* aoi_sees, aoi_markers_of, aoi_watchers_of and the queries speak of V   */
/* and of now.                                                            */
/* ------------------------------------------------------------------ */

/* From the next tick on the watcher is always told of the marker while it sees it; or no longer.
 * The marker may be absent; a pin ends with the watcher's leave. NO_CROWD; NOT_FOUND: the watcher
 * is not in the space; NOMEM. O(pins of the watcher). */
aoi_status aoi_pin(aoi_space *space, aoi_id watcher, aoi_id marker);
aoi_status aoi_unpin(aoi_space *space, aoi_id watcher, aoi_id marker);

/* Deferred spaces: the entity counts as moved at the next tick, also where it stands still. It
 * holds for the id, also when that leaves and comes back before, and goes along with a hand-over.
 * AOI_INVALID: the space is not deferred; NOT_FOUND, NOMEM. O(1). */
aoi_status aoi_touch(aoi_space *space, aoi_id id);

/* ------------------------------------------------------------------ */
/* Handing over: deferred spaces that share a world                    */
/*                                                                     */
/* An entity goes from the space that owns it to another one, and its   */
/* views go on as if there were one space:                              */
/*     size_t size;                                                     */
/*     aoi_handed(here, id, NULL, 0, &size);   then with room for it    */
/*     aoi_hand_out(here, id);                                          */
/*     aoi_hand_in(there, bytes, size, &complaint);                     */
/* Each space shows the entities of others as markers (mode AOI_MARKER, */
/* aoi_enter_anchored), as far as the views of its own reach.           */
/* ------------------------------------------------------------------ */

/*
 * Gives the string that goes along with an entity in a hand-over: id, traits, place and anchor now
 * and at the last tick, pins, and the markers that it was told of, with their places then and, in a
 * crowd space, the times; the ids of the areas that had no owner at the last tick and in which it
 * was then; the areas that it owns, with their members then. A question: it changes nothing.
 * *length: its size; it is written when the buffer has room for all of it. buffer NULL asks for the
 * size alone. INVALID: the space is not deferred. NOT_FOUND, NOMEM. O(k); in a space with areas and
 * the areas that have changed since the last tick; for an area that it owns without a leave_radius
 * and the entities that have.
 */
aoi_status aoi_handed(aoi_space *space, aoi_id id, void *buffer, size_t size, size_t *length);

/*
 * From now on another space owns the entity: it is an AOI_MARKER here, and was
 * told of nobody. Who sees it goes on seeing it; its own leaves are not told.
 * A mere watcher is gone; so are the areas that it owns, of whose members no
 * leave is told. INVALID: the space is not deferred. NOT_FOUND, NOMEM.
 */
aoi_status aoi_hand_out(aoi_space *space, aoi_id id);

/*
 * Takes in an entity: it enters, or the marker of that id becomes it, in one
 * change. The next tick tells it the difference between what it sees then and
 * of whom it was told: LEAVE also for ids that are unknown here, MOVE where the
 * place is another than the one that it was told of. In a crowd space a marker
 * counts as moved, for all, if it is at another place than one who was handed
 * in since the last tick was told.
 * Its areas are added. As if these had been here at the last tick with those
 * members, and it in those areas that had no owner then and no others, questions
 * judge and the next tick tells: AREA_LEAVE also for areas and ids that are not
 * here.
 * The bytes are not trusted. INVALID, with a complaint (may be NULL): they are
 * not a whole and undamaged string of this format's version, or say something
 * that this space can't take. EXISTS, with a complaint: the id is inside, and
 * watches, or an area is there already. NOMEM. As aoi_update, and O(size).
 */
aoi_status aoi_hand_in(aoi_space *space, const void *bytes, size_t size, aoi_complaint *complaint);

/* -------------------------------------------------------------------------- */
/* Areas                                                                      */
/*                                                                            */
/* An area is a shape with an id of its own (apart from those of              */
/* entities) that tells who comes in and goes out. Its members are the        */
/* markers with a layer that it sees, but not its owner, in the shape:        */
/*     square  x - r <= m.x <= x + r, the same for y (and z)                  */
/*     circle  inside that square (cube) and dx*dx + dy*dy (+ dz*dz)          */
/*             <= r*r                                                         */
/*     rect    x - width / 2 <= m.x <= x + width / 2, the same for y          */
/*             with height                                                    */
/*     polygon as aoi_query_polygon                                           */
/* around the area's place, each bound computed once; r is the radius, for    */
/* who is a member already the leave_radius. A rect and a polygon hold for    */
/* every z. The true places of marker and owner count. Areas need not lie     */
/* on the map.                                                                */
/*                                                                            */
/* Events are AOI_AREA_LEAVE and AOI_AREA_ENTER, with the area in place of    */
/* the watcher. In a change they come after the others, leaves first. A       */
/* change of a marker or an owner tells them like any call here. In a         */
/* deferred space they wait for aoi_tick, which tells the net change;         */
/* "already" then is as of the last tick. An area that was removed and        */
/* added again between two ticks counts as the same one.                      */
/*                                                                            */
/* Nothing is kept for a member but where leave_radius > radius. Below, a     */
/* is the number of areas whose boxes are near a place, k of entities in      */
/* the box around a shape.                                                    */
/* -------------------------------------------------------------------------- */

/* A list of ids that the space owns: valid until the next call on the space. */
typedef struct aoi_list {
    const aoi_id *ids;
    size_t count;
} aoi_list;

/* A closed line: x and y of each corner, `count` pairs; the last corner joins the first one. */
typedef struct aoi_ring {
    const double *corners;
    size_t count;
} aoi_ring;

typedef enum aoi_area_shape {
    AOI_AREA_CIRCLE = 1, /* in three dimensions a ball */
    AOI_AREA_SQUARE,     /* in three dimensions a cube */
    AOI_AREA_RECT,
    AOI_AREA_POLYGON
} aoi_area_shape;

/* Bits of aoi_area.given. */
enum {
    AOI_AREA_GIVEN_SHAPE = 1 << 0,        /* shape, and what belongs to it: the whole shape */
    AOI_AREA_GIVEN_LEAVE_RADIUS = 1 << 1, /* only together with a circle or square */
    AOI_AREA_GIVEN_PLACE = 1 << 2,        /* x, y and, in three dimensions, z */
    AOI_AREA_GIVEN_OWNER = 1 << 3,        /* owner, dx, dy and, in three dimensions, dz */
    AOI_AREA_GIVEN_SEES_LAYERS = 1 << 4
};

/* A description of an area. A field whose bit is unset is ignored, and so is a field of another
 * shape. */
typedef struct aoi_area {
    size_t struct_size; /* sizeof(aoi_area) of the caller's header */
    uint32_t given;     /* AOI_AREA_GIVEN_ bits */
    aoi_area_shape shape;
    double radius;        /* circle, square: 0 .. infinity */
    double leave_radius;  /* circle, square: radius .. infinity; default: the radius */
    double width, height; /* rect: 0 .. infinity */
    /* Polygon, which has neither place nor owner: as for aoi_query_polygon. */
    const aoi_ring *rings;
    size_t ring_count;
    double x, y, z; /* the place of an area without an owner; finite */
    /* The area is dx, dy, dz (finite) away from where its owner truly is, goes with it, and ends
     * when it leaves. */
    aoi_id owner;
    double dx, dy, dz;
    uint32_t sees_layers; /* layer bits; default all */
} aoi_area;

/*
 * Adds an area, in one change: ENTER for those inside. A shape must be given,
 * and one of place and owner, with a polygon none.
 * EXISTS: the area is there; NO_OWNER; INVALID with a complaint (may be NULL)
 * that names the field, its value and what was expected; NOMEM.
 * The description is copied. O(k), a polygon of n corners O(n log n + k log n).
 */
aoi_status aoi_add_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint);

/*
 * Changes what is given, in one change: the shape whole (without LEAVE_RADIUS
 * it has none), the placement whole, what it sees. A polygon needs none, and
 * drops that which the area had; another shape after a polygon needs one.
 * NO_AREA, NO_OWNER, INVALID with a complaint (may be NULL), NOMEM. As aoi_add_area.
 */
aoi_status aoi_set_area(aoi_space *space, aoi_id area, const aoi_area *description,
                        aoi_complaint *complaint);

/* Adds the area, or changes what is given, in one change. *added (may be NULL) tells which. Errors
 * and effort as those of aoi_add_area and aoi_set_area. */
aoi_status aoi_update_area(aoi_space *space, aoi_id area, const aoi_area *description, bool *added,
                           aoi_complaint *complaint);

/* Moves an area that was placed by x, y. NO_AREA; NO_PLACE: it is a polygon or has an owner;
 * INVALID: a coordinate is not finite; NOMEM. O(k of both places). */
aoi_status aoi_move_area(aoi_space *space, aoi_id area, aoi_point place);

/* Removes an area, in one change: LEAVE for its members. NO_AREA, NOMEM. O(k). */
aoi_status aoi_remove_area(aoi_space *space, aoi_id area);

/* How many there are. O(1). */
size_t aoi_area_count(const aoi_space *space);
bool aoi_has_area(const aoi_space *space, aoi_id area);

/* Describes an area as it is now, with all fields given; of an owned one also the place where it
 * is. The rings are the space's, valid until the next call that changes it. NO_AREA leaves
 * *description as it was, of which struct_size must be set. O(1). */
aoi_status aoi_area_of(const aoi_space *space, aoi_id area, aoi_area *description);

/* True when the entity is a member of the area; false also for unknown ones. O(1), of a polygon
 * with n corners O(log n). */
bool aoi_in_area(const aoi_space *space, aoi_id area, aoi_id id);

/* The members of an area / the areas that the entity is a member of / all areas, in no particular
 * order. NO_AREA / NOT_FOUND; NOMEM. O(k) / O(a) / O(areas). */
aoi_status aoi_members_of(aoi_space *space, aoi_id area, aoi_list *list);
aoi_status aoi_areas_of(aoi_space *space, aoi_id id, aoi_list *list);
aoi_status aoi_areas(aoi_space *space, aoi_list *list);

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

/* An event of one ordered pair, or of an area (in `watcher`) and a marker. */
typedef struct aoi_event {
    aoi_id watcher, marker;
    aoi_op op;
} aoi_event;

/* Takes the oldest waiting event out of the queue; false when none waits. For those who want
 * AOI_TELL_EVENT: of a change that aoi_peek has told in groups it takes all events. O(1). When the
 * last has been taken of far more events than ever, the call that says so gives their memory back;
 * what has been needed more than once, and all of a deferred space, goes back when it has not been
 * for a while. */
bool aoi_next_event(aoi_space *space, aoi_event *event);

/*
 * Events in groups. One change (a call, a row of a batch, a tick) is told in
 * stages, of which the caller wants some (aoi_listen): first what it means for
 * each watcher, then segment by segment, then event by event.
 */
enum {
    AOI_TELL_VIEW = 1 << 0,     /* one watcher: all that it lost, gained and saw moving */
    AOI_TELL_WATCHERS = 1 << 1, /* one marker and op: the watchers that it concerns */
    AOI_TELL_MARKERS = 1 << 2,  /* one watcher and op: the markers that it concerns */
    AOI_TELL_EVENT = 1 << 3,
    AOI_TELL_AREA = 1 << 4 /* an event of an area; after the other stages, always one by one */
};

typedef struct aoi_telling {
    uint32_t kind;                 /* an AOI_TELL_ bit */
    aoi_id subject;                /* VIEW, MARKERS: the watcher; WATCHERS: the marker */
    aoi_op op;                     /* WATCHERS, MARKERS */
    aoi_list left, entered, moved; /* VIEW */
    aoi_list others;               /* WATCHERS, MARKERS */
    aoi_event event;               /* EVENT, AREA */
    uint64_t number; /* of this telling: a second peek that gives the same number is the same */
} aoi_telling;

/*
 * The oldest of what waits, as the wanted kinds of telling cut it; false when
 * nothing waits. Takes nothing out. The lists are the space's, valid until the
 * next call that changes it. With WATCHERS and MARKERS both wanted each pair
 * is in one group: pairs whose watcher is the changed entity in MARKERS, the
 * others in WATCHERS; with one of them, all pairs come in that form.
 */
bool aoi_peek(aoi_space *space, aoi_telling *telling);

/* Counts as told what the last aoi_peek gave. */
void aoi_told(aoi_space *space);

/* How many events wait. O(1). */
size_t aoi_pending(const aoi_space *space);

/*
 * Sets which kinds of events are computed for the queue (aoi_op bits), and how
 * aoi_peek tells them (wants: AOI_TELL_ bits; AOI_TELL_EVENT for
 * aoi_next_event, as in a new space), from the next change on. A change of
 * which something has been told, and something not, is told to its end as
 * before. Of the others that wait, events of other kinds are dropped. The
 * first aoi_listen after aoi_load goes on with the change that the saved space
 * was telling, behind what had been told of it then; in groups it does so with
 * all kinds. O(waiting events).
 */
void aoi_listen(aoi_space *space, uint32_t ops, uint32_t wants);

/* True while the next that is told belongs to a change that was begun before the last aoi_listen.
 * O(1). */
bool aoi_is_midway(const aoi_space *space);

/* Drops all events that wait, also of a change that is being told. O(1). */
void aoi_drop_pending(aoi_space *space);

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

/* Both NOMEM only while the space records; with nothing gathered no change. */
aoi_status aoi_drop_collected(aoi_space *space);
/* Drops only the oldest `count` events. Their order in a change is left open: of one that is
 * dropped in part a replay may keep others. */
aoi_status aoi_drop_oldest_collected(aoi_space *space, size_t count);

/* Sets which kinds of events (aoi_op bits) are gathered from now on, in place of options.collect,
 * and drops the gathered ones of other kinds. Not recorded: a player listens so. */
void aoi_collect(aoi_space *space, uint32_t ops);

/* Reads up to `count` events at once, to an array, or as packed rows of watcher, marker and aoi_op
 * (8, 8 and 1 bytes). Returns how many; 0 at the end. */
enum { AOI_PACKED_EVENT = 17 };
size_t aoi_collected_events(const aoi_space *space, aoi_cursor *cursor, size_t count,
                            aoi_event *events);
size_t aoi_collected_packed(const aoi_space *space, aoi_cursor *cursor, size_t count, void *bytes);

/* ------------------------------------------------------------------ */
/* Questions (they change nothing and deliver nothing)                 */
/* ------------------------------------------------------------------ */

size_t aoi_count(const aoi_space *space);
bool aoi_has(const aoi_space *space, aoi_id id);

/* NOT_FOUND leaves *position as it was. */
aoi_status aoi_position(const aoi_space *space, aoi_id id, aoi_point *position);

/* The point from which visibility is judged: without slack the position. NOT_FOUND leaves *anchor
 * as it was. */
aoi_status aoi_anchor(const aoi_space *space, aoi_id id, aoi_point *anchor);

/* NOT_FOUND leaves *radius as it was; the classic nine-grid has radius 0. */
aoi_status aoi_radius(const aoi_space *space, aoi_id id, double *radius);

/* All traits that an entity of this space has, each given. NOT_FOUND leaves *traits as it was. */
aoi_status aoi_traits_of(const aoi_space *space, aoi_id id, aoi_traits *traits);

/* True when the watcher pins the marker, which may be absent; false also for unknown ids and
 * outside of crowd spaces. O(log of its pins). */
bool aoi_is_pinned(const aoi_space *space, aoi_id watcher, aoi_id marker);

/* The word about a pair; AOI_SIGHT_BY_RULE also for unknown ids. */
aoi_sight aoi_sight_of(const aoi_space *space, aoi_id watcher, aoi_id marker);

/* True when a sees b; false also for unknown ids. O(1); where words are set about pairs, O(the
 * fewer of those of a and those about b). */
bool aoi_sees(const aoi_space *space, aoi_id a, aoi_id b);

/* Lists the markers that id sees / the watchers that see id, in no particular order. NOT_FOUND,
 * NOMEM. */
aoi_status aoi_markers_of(aoi_space *space, aoi_id id, aoi_list *list);
aoi_status aoi_watchers_of(aoi_space *space, aoi_id id, aoi_list *list);

/* Lists the markers about which the watcher has a word, ascending. NOT_FOUND, NOMEM. */
aoi_status aoi_sights(aoi_space *space, aoi_id watcher, aoi_list *markers);

/*
 * Lists the markers that id was told of, and the watchers that were told of it, as of the last
 * tick: markers may have left since, watchers that have are not named. In a deferred space that is
 * no crowd space: what the views were then; elsewhere as aoi_markers_of, aoi_watchers_of. In no
 * particular order. NOT_FOUND, NOMEM. In a crowd space O(answer), but the first question for
 * watchers after a tick costs O(told pairs).
 */
aoi_status aoi_told_markers_of(aoi_space *space, aoi_id id, aoi_list *list);
aoi_status aoi_told_watchers_of(aoi_space *space, aoi_id id, aoi_list *list);

/* Why a watcher is told of a marker, or not: the first of these that holds now. */
typedef enum aoi_reason {
    AOI_BECAUSE_UNKNOWN = 1, /* one of them is not in the space */
    AOI_BECAUSE_SELF,        /* they are the same */
    AOI_BECAUSE_MODE,        /* one is no watcher, or the other no marker */
    AOI_BECAUSE_HIDDEN,      /* the game has said so: see aoi_set_sight. With a word that it always
                                sees it, it does; else: */
    AOI_BECAUSE_LAYER,       /* the watcher sees no layer of the marker */
    AOI_BECAUSE_RANGE,       /* the marker is not in the view */
    AOI_BECAUSE_SEES,        /* it is; in a crowd space, one of these instead: */
    AOI_BECAUSE_TOLD,        /* it was told by the last tick */
    AOI_BECAUSE_LIMIT,       /* it would not be among the first if the tick came now */
    AOI_BECAUSE_WAITS        /* it comes at the next tick, with enter_budget maybe later */
} aoi_reason;

/* *rank (may be NULL): with AOI_BECAUSE_LIMIT, the marker's place among the ranked if the tick came
 * now, from 1; else 0. NOMEM. O(k). */
aoi_status aoi_explain(aoi_space *space, aoi_id watcher, aoi_id marker, aoi_reason *reason,
                       size_t *rank);

/* All ids, in no particular order. NOMEM. O(n). */
aoi_status aoi_ids(aoi_space *space, aoi_list *list);

/* ------------------------------------------------------------------ */
/* Queries: which markers are in a shape                               */
/*                                                                     */
/* Only markers are found (no entity of mode AOI_WATCHER alone), of     */
/* those whose layer has a bit of `layers`. Shapes are closed: borders  */
/* belong to them. They may reach over the map's borders. Coordinates   */
/* are finite. All results but that of the nearest query ascend by id.  */
/* INVALID: a value is NaN, infinite where that has no meaning, or      */
/* negative where a length is expected. NOMEM. O(k log k) for k entities */
/* in the box around the shape (cross-list: in its band).               */
/*                                                                     */
/* Below, (dx, dy) is a marker's position less the shape's centre.      */
/* ------------------------------------------------------------------ */

/*
 * a and b are any two opposite corners (of a box, in three dimensions):
 *     min(a.x, b.x) <= x <= max(a.x, b.x), the same for y (and z)
 */
aoi_status aoi_query_rect(aoi_space *space, aoi_point a, aoi_point b, uint32_t layers,
                          aoi_list *list);

/*
 * A disc (a ball in three dimensions), radius from 0 to infinity:
 *     centre.x - radius <= x <= centre.x + radius, the same for y (and z)
 *     and dx*dx + dy*dy (+ dz*dz) <= radius*radius
 */
aoi_status aoi_query_circle(aoi_space *space, aoi_point centre, double radius, uint32_t layers,
                            aoi_list *list);

/*
 * A sector of a disc; looks at x and y only. direction and angle in radians:
 * it opens by angle / 2 to either side of direction. The apex belongs to it.
 * An angle of a full turn (2 * pi) or more is the whole disc.
 *     the disc test of aoi_query_circle on x and y, and, with
 *     (ax, ay) = cos, sin of direction - angle / 2
 *     (bx, by) = cos, sin of direction + angle / 2
 *     left  = ax*dy - ay*dx >= 0, right = dx*by - dy*bx >= 0
 *     angle <= pi: left and right; above pi: left or right
 *     both edges the same (angle 0): a ray, so also ax*dx + ay*dy >= 0
 */
aoi_status aoi_query_sector(aoi_space *space, aoi_point apex, double radius, double direction,
                            double angle, uint32_t layers, aoi_list *list);

/*
 * All within width / 2 of the segment from a to b; looks at x and y only. A
 * segment of length 0 is a disc.
 *     ex = b.x - a.x, ey = b.y - a.y, dx = x - a.x, dy = y - a.y
 *     t = (dx*ex + dy*ey) / (ex*ex + ey*ey), kept in 0 .. 1; 0 where the divisor is 0
 *     px = dx - t*ex, py = dy - t*ey
 *     px*px + py*py <= (width / 2)*(width / 2)
 */
aoi_status aoi_query_segment(aoi_space *space, aoi_point a, aoi_point b, double width,
                             uint32_t layers, aoi_list *list);

/*
 * A polygon of one ring or more (holes, islands), by the even-odd rule over all
 * edges; looks at x and y only. Half-open, and exact for every double: an edge
 * from its lower end a to its upper end b counts for a point p when
 *     a.y <= p.y < b.y and (b.x - a.x)*(p.y - a.y) - (b.y - a.y)*(p.x - a.x) > 0
 * computed without rounding (unless a product falls below 2^-900), and p is
 * inside when an odd number of edges count. So of polygons that share corners
 * and edges without gap or overlap each point of their union is in exactly one.
 * INVALID, with a complaint (may be NULL): a ring of fewer than three corners,
 * a coordinate that is not finite or beyond 2^500, two edges that share more
 * than the corner of neighbours. O(n log n) for n corners, and O(log n) for each
 * entity in the box around them, where the outline is no scrawl.
 */
aoi_status aoi_query_polygon(aoi_space *space, const aoi_ring *rings, size_t count, uint32_t layers,
                             aoi_list *list, aoi_complaint *complaint);

/*
 * The `count` nearest, by dx*dx + dy*dy (+ dz*dz), then id; only those within
 * aoi_query_circle's disc of max_radius (infinity: all). O(k log count) for k
 * entities about as far as the last one found.
 */
aoi_status aoi_query_nearest(aoi_space *space, aoi_point centre, size_t count, double max_radius,
                             uint32_t layers, aoi_list *list);

/* ------------------------------------------------------------------ */
/* Saving and loading                                                  */
/* ------------------------------------------------------------------ */

/*
 * Writes the whole space as a string of bytes: options, map, entities, the
 * old states that the next tick needs, the events that wait and how far they
 * have been told, the gathered events. Not written: allocator, what is
 * listened for. The same state gives the same bytes on every machine.
 * note: for the caller's own use, given back by aoi_load.
 * Returns the size of the string, and writes it when the buffer has room for
 * all of it; otherwise what the buffer then holds has no meaning. buffer NULL
 * asks for the size alone. Takes no memory. O(entities + events).
 */
size_t aoi_save(const aoi_space *space, uint32_t note, void *buffer, size_t size);

/*
 * Makes a space from what aoi_save wrote. From the same calls follow the same
 * events as in the saved space, in each change the same sets. It listens for
 * nothing: events that wait do so until they are taken out or aoi_listen
 * drops them, but changes queue no further ones before aoi_listen.
 * The bytes are not trusted. INVALID: they are not a whole and undamaged
 * string of this format's version, or say something that no space can be;
 * complaint (may be NULL) says what. NOMEM. Memory is taken as the entities
 * and events are read, and for what the options ask for (see aoi_create: a
 * grid has up to 2^24 cells), never for an invented count.
 * allocator NULL: the C library. note may be NULL. The caller owns *space:
 * aoi_destroy. O(entities + events), as entering them without events.
 */
aoi_status aoi_load(const void *bytes, size_t size, aoi_allocator allocator,
                    void *allocator_userdata, aoi_space **space, uint32_t *note,
                    aoi_complaint *complaint);

/* ------------------------------------------------------------------ */
/* Records: every moment again                                         */
/*                                                                     */
/* A space counts the calls that changed it (aoi_stats.calls; a batch is */
/* one, and so is a drop of gathered events). While it records, it keeps */
/* each of them as a few bytes: a move takes 10 and its id, with        */
/* coordinates that are no floats 18 (see record/format.h). A save and */
/* the records since then give the space of any later moment: entities, */
/* told sets, what no tick has told yet, what is gathered, and from then */
/* on the same events, in each change the same sets.                    */
/* ------------------------------------------------------------------ */

/* From the next call on the space records, or no longer; what was recorded stays. Neither this nor
 * what was recorded is part of a save. */
void aoi_record(aoi_space *space, bool on);

/*
 * Gives the calls recorded and not yet dropped: one or more whole records, as a string of bytes.
 * Returns its size, 0 when there is nothing, and writes it when the buffer has room for all of it.
 * buffer NULL asks for the size alone. Takes no memory. O(bytes since the last time).
 */
size_t aoi_recorded(aoi_space *space, void *buffer, size_t size);

/* Forgets the oldest `size` bytes of it, which an aoi_recorded has given as a whole. */
void aoi_drop_recorded(aoi_space *space, size_t size);

/* A moment in the history of a space: how many calls, and how many ticks, were made until then. */
typedef struct aoi_moment {
    uint64_t calls, ticks;
} aoi_moment;

/* From where to where a string of records goes; several that follow each other may be joined. */
typedef struct aoi_span {
    aoi_moment from, to;
    size_t whole; /* so many bytes from the start are whole records, of which the others speak */
} aoi_span;

/* Reads it all. INVALID: it is damaged, or has a gap, or is no record; then *span is about what
 * comes before, and complaint (may be NULL) says what is wrong where. O(size). */
aoi_status aoi_record_span(const void *bytes, size_t size, aoi_span *span,
                           aoi_complaint *complaint);

/*
 * Makes the calls of the records that the space has not made yet, as if they
 * were made on it: what is listened for is queued, what is gathered gathered,
 * and when it records it does so. until (may be NULL: all): as soon as the
 * space has made so many calls, or so many ticks, it ends, with OK;
 * UINT64_MAX where one of them does not matter.
 * checked: what aoi_record_span said of these very bytes, OK, for who has
 * asked it anyway; NULL: they are checked first.
 * The bytes are not trusted. INVALID, with a complaint (may be NULL):
 *     they are damaged, or a gap is in them, or between the space and them;
 *     then nothing has changed, and aoi_record_span says what is whole.
 *     Or they are the record of another history, and a call in them can't be
 *     made. NOMEM. In both cases the calls before that one are made.
 */
aoi_status aoi_replay(aoi_space *space, const void *bytes, size_t size, const aoi_span *checked,
                      const aoi_moment *until, aoi_complaint *complaint);

/* ------------------------------------------------------------------ */
/* The look of a space                                                 */
/* ------------------------------------------------------------------ */

/* The map; all zero where there is none. */
typedef struct aoi_map {
    bool bounded;
    double x, y, width, height;
} aoi_map;

aoi_engine aoi_engine_of(const aoi_space *space);
aoi_map aoi_map_of(const aoi_space *space);
int aoi_dims(const aoi_space *space);

/* Calls that changed the space so far, and ticks among them, as in aoi_stats. O(1). */
aoi_moment aoi_moment_of(const aoi_space *space);

/* The options that the space was made with; map and collect as they are now. Of options, only
 * struct_size is read, which must be set: a caller's older header has a shorter struct. */
void aoi_options_of(const aoi_space *space, aoi_options *options);

/* A part of the plane that an engine looks at as one: a cell of a grid, a leaf of a quadtree, or a
 * block of a cross-list, which is as long as the plane along one axis: infinite. */
typedef struct aoi_cell {
    double x, y, width, height; /* x and y may be -infinity, width and height infinity */
    size_t entities;
} aoi_cell;

/* Lists the cells with entities in them. Returns how many there are, and writes the first `room`.
 * Of a deferred space as of the last time that the index was asked. O(cells). */
size_t aoi_cells(const aoi_space *space, aoi_cell *cells, size_t room);
uint32_t aoi_collects(const aoi_space *space); /* the aoi_op bits that are gathered */

/* Bytes that a space holds, by purpose. */
typedef struct aoi_held {
    size_t entities; /* entities by slot and by id, true places, the space itself */
    size_t index;    /* who is where, and moves that the index has not been told of */
    size_t changes;  /* deferred: what changed entities were at the last tick */
    size_t events;   /* events that wait, and those gathered */
    size_t crowd;    /* crowd spaces: who was told of whom, pins, traits */
    size_t areas;    /* areas, where they are, members of those with a leave_radius */
    size_t sights;   /* words about pairs: see aoi_set_sight */
    size_t tick;     /* deferred: what a tick works with, kept for the next one */
    size_t record;   /* calls recorded, and room for more */
    size_t scratch;  /* what calls work with: entities found, lists that they give, rows */
} aoi_held;

typedef struct aoi_stats {
    size_t entities;
    size_t bytes;         /* held from the allocator, this struct's space included: all of `held` */
    size_t cells;         /* grid: cells, without a map the buckets that they share; cross-list:
                             blocks on both axes; quadtree: leaves */
    size_t longest_chain; /* most entities in one cell, block or leaf */
    size_t depth;         /* quadtree: levels below the root, else 0 */
    size_t pending;       /* events that wait */
    size_t collected;     /* events gathered and not yet dropped */
    size_t changed;       /* deferred: entities that the next tick will look at */
    size_t areas;
    size_t sights;                  /* words about pairs: see aoi_set_sight */
    uint64_t delivered;             /* events that aoi_next_event gave out so far */
    aoi_moment moment;              /* calls that changed the space so far; ticks among them */
    size_t cols, rows;              /* grid with a map: cells per axis, else 0 */
    double cell_width, cell_height; /* grid: size of a cell, else 0 */
    aoi_held held;
} aoi_stats;

/* O(cells). Of a deferred space, cells, longest_chain and depth may be those before the last moves:
 * an index is told of them when it is asked. */
void aoi_get_stats(const aoi_space *space, aoi_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
