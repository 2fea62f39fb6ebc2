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

static int bad_option(lua_State *L, const char *method, const char *name, int index,
                      const char *expected);

/* A table whose rows begin with a name. */
struct rows {
    const void *first;
    size_t size, count;
};
#define ROWS(table, its_count) ((struct rows){(table), sizeof *(table), (its_count)})

/* The row with the name at index; -1: there is none. */
static int find_name(lua_State *L, int index, struct rows rows);
/* The row with the key below the value on top of the stack; raises when there is none. */
static int check_name(lua_State *L, const char *method, struct rows rows);

/* The names that are known in some place. */
struct names {
    const char *list[40];
    int count;
};
static void add_names(struct names *names, struct rows rows);
static const char *show_names(lua_State *L, const struct names *names);
static int unknown_option(lua_State *L, int key, const char *method, const char *whose,
                          const struct names *known);

/* ---- arguments.c ---- */

static const char *const point_names[] = {"x", "y", "z"};
static const char *const mode_names[] = {
    [AOI_WATCHER] = "w", [AOI_MARKER] = "m", [AOI_WATCHER | AOI_MARKER] = "wm"};
static const char expected_bits[] = "an integer from 0 to 4294967295, or -1 for all bits";
static const char space_tag = 0; /* its address stands in every space_userdata */

static bool is_string(lua_State *L, int index, const char *expected);
static struct space_userdata *to_space(lua_State *L, int index);
static struct space_userdata *check_space(lua_State *L, const char *method);
static struct space_userdata *check_open(lua_State *L, const char *method);
static bool read_integer(lua_State *L, int index, lua_Integer *value);
static bool read_bits(lua_State *L, int index, uint32_t *bits); /* false: they are none */
static aoi_id check_id(lua_State *L, int index, const char *method, const char *what);
static lua_Integer check_count(lua_State *L, int index, const char *method, const char *what,
                               lua_Integer most, const char *expected);
static double check_coordinate(lua_State *L, int index, const char *method, const char *what);
static aoi_point check_corner(lua_State *L, int index, const char *method, const char *const *names,
                              int dims);
struct attempt;
static aoi_point check_position(lua_State *L, const struct attempt *attempt, int dims);
static const char *take_value(lua_State *L, int index, aoi_type type, void *field);
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

typedef aoi_status (*attempt_function)(lua_State *L, struct space_userdata *self,
                                       struct attempt *attempt);

/* Changes that there are of one entity, and of many. */
enum change_kind { CHANGE_ENTER, CHANGE_MOVE, CHANGE_UPDATE, CHANGE_LEAVE };

/* A method: the rows are in module.c. */
struct method {
    const char *name;
    lua_CFunction way; /* change, ask_list, query, ..., or a function of its own */
    /* The function that most ways call: checks the arguments and calls the core, perhaps twice. */
    attempt_function call;
    void (*prepare)(lua_State *L, struct attempt *attempt); /* once before, or NULL */
    const char *first, *second; /* the ids that come first, by name; NULL: there are none. The
                                 * first one is attempt.id before `call` is called. */
    bool takes_traits;          /* opts */
    int table, table_by_axis;   /* queries: index of t, and what is added for each dimension */
    union {
        enum change_kind change;
        uint32_t trait; /* AOI_TRAIT_ bit */
        aoi_status (*one)(aoi_space *space, aoi_id id);
        aoi_status (*two)(aoi_space *space, aoi_id first, aoi_id second);
        bool (*are)(const aoi_space *space, aoi_id first, aoi_id second);
        aoi_status (*move)(aoi_space *space, aoi_id id, aoi_point position);
        aoi_status (*list)(aoi_space *space, aoi_list *list);
        aoi_status (*list_of)(aoi_space *space, aoi_id id, aoi_list *list);
    } core; /* what it is about, or what of the core it calls */
};

/* One call of the core: what it is about, for messages, and what it answers. */
struct attempt {
    const char *method;            /* its name */
    const struct method *how;      /* of a space; else NULL */
    struct space_userdata *self;   /* set by call_core, unless it is being made: */
    bool makes_space;              /* new, load */
    const aoi_options *options;    /* new */
    aoi_id id;                     /* of an entity or an area */
    aoi_id owner;                  /* add_area and the like: the one that it shall have */
    const struct corners *corners; /* query_polygon; add_area and the like: points, or NULL */
    aoi_point position;
    size_t row;        /* batches: the row that failed, from 1; else 0 */
    bool floats;       /* batches: packed rows are of floats */
    bool has_result;   /* of changes: it is on top of the stack */
    size_t rows;       /* positions: all */
    void *bytes;       /* positions: where the packed rows go */
    int table;         /* queries: index of t */
    aoi_reason reason; /* explain */
    size_t rank;       /* the same */
    aoi_list list;     /* questions with a list as answer */
};

static struct attempt begin_attempt(lua_State *L);
static aoi_status complain_in_words(lua_State *L, const struct attempt *attempt, aoi_status status,
                                    const aoi_complaint *complaint);
static struct space_userdata *call_core(lua_State *L, struct attempt *attempt,
                                        attempt_function function);

/* ---- questions.c ---- */

static int push_point(lua_State *L, const aoi_point *point, int dims);
static void set_count(lua_State *L, const char *name, uint64_t count); /* in the table on top */

/* ---- lists.c ---- */

static bool is_result(lua_State *L, int index); /* a t: where an answer goes */
static int push_list(lua_State *L, int index, int last, struct attempt *attempt,
                     attempt_function function);

#endif
