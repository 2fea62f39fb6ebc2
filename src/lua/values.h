/* values.h - from a method to the core and back: arguments, messages, attempts. */
#ifndef AOI_LUA_VALUES_H
#define AOI_LUA_VALUES_H

#include "lua/binding.h"

/* ---- messages.c ---- */

static const char *show_number(lua_State *L, double number);
static const char *show_map(lua_State *L, const aoi_map *map);
static const char *show(lua_State *L, int index);
static int bad_value(lua_State *L, const char *method, const char *what, int index,
                     const char *expected);

/* The names that are known in some place. */
struct names {
    const char *list[40];
    int count;
};
static void add_name(struct names *names, const char *name);
static const char *show_names(lua_State *L, const struct names *names);
static int unknown_option(lua_State *L, int key, const char *method, const char *whose,
                          const struct names *known);

/* ---- arguments.c ---- */

static bool is_string(lua_State *L, int index, const char *expected);
static void tag_space(struct space_userdata *self); /* so that to_space knows it */
static struct space_userdata *to_space(lua_State *L, int index);
static struct space_userdata *check_space(lua_State *L, const char *method);
static struct space_userdata *check_open(lua_State *L, const char *method);
static aoi_id check_id(lua_State *L, int index, const char *method, const char *what);
static double check_coordinate(lua_State *L, int index, const char *method, const char *what);
static uint32_t check_bits(lua_State *L, int index, const char *method, const char *what);
static aoi_point check_point(lua_State *L, const struct space_userdata *self, int index,
                             const char *method, bool takes_traits, int *next);
static const char *take_value(lua_State *L, int index, aoi_type type, void *field);
static aoi_traits check_trait(lua_State *L, int index, const char *method, uint32_t bit);
static aoi_traits check_traits(lua_State *L, int index, const char *method);
/* Option anchor, where one may be given. */
struct given_anchor {
    bool is_given;
    int dims; /* of the space */
    aoi_point point;
};
static aoi_traits check_opts(lua_State *L, int index, const char *method,
                             struct given_anchor *anchor);
static void check_no_more(lua_State *L, int index, const char *method, const char *after);
static void end_list(lua_State *L, int index, lua_Integer count);

/* ---- corners.c ---- */

/* The corners of a polygon, read from a table: what aoi_query_polygon takes. */
struct corners {
    size_t rings, filled; /* corners so far, of all rings */
    double *coordinates;
    aoi_ring ring[]; /* the coordinates stand behind them */
};
static struct corners *push_corners(lua_State *L, int index, const char *method);

/* ---- hand_over.c ---- */

static aoi_point check_anchor(lua_State *L, int index, int dims, const char *method);

/* ---- attempt.c ---- */

static void raise_memory_error(lua_State *L);
static int do_nothing(lua_State *L); /* a method, to be called for the record of its call */

/* One call of the core: what it is about, for messages, and what it answers. */
struct attempt {
    const char *method;
    struct space_userdata *self; /* set by call_core, unless it is being made: */
    bool makes_space;            /* new, load */
    bool takes_traits;           /* enter, update, ...: opts */
    const aoi_options *options;  /* new */
    uint32_t trait;              /* set_radius, ...: AOI_TRAIT_ bit */
    aoi_id id;                   /* of an entity */
    bool is_of_area;             /* add_area, ...: it is about this area: */
    aoi_id area;
    aoi_id owner;                  /* the one that it shall have */
    const struct corners *corners; /* query_polygon; add_area, set_area: option points, or NULL */
    aoi_point position;
    size_t row;   /* batches: the row that failed, from 1; else 0 */
    bool entered; /* update */
    bool floats;  /* batches: packed rows are of floats */
    bool skips;   /* move_all */
    size_t rows;  /* move_all: those passed over; update_all: those that entered; positions: all */
    void *bytes;  /* positions: where the packed rows go */
    int table;    /* query_nearest: index of t */
    aoi_reason reason; /* explain */
    size_t rank;       /* the same */
    aoi_list list;     /* questions with a list as answer */
};

typedef aoi_status (*attempt_function)(lua_State *L, struct space_userdata *self,
                                       struct attempt *attempt);
static struct space_userdata *call_core(lua_State *L, struct attempt *attempt,
                                        attempt_function function);

/* ---- lists.c ---- */

static int push_list(lua_State *L, int index, int last, struct attempt *attempt,
                     attempt_function function);

#endif
