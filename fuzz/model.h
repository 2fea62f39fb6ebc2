/*
 * model.h - the promises of a space, in the plainest way: arrays of all
 * entities and of all pairs, gone through from end to end. fuzz_c.c holds the
 * core against it.
 *
 * It is written from aoi.h alone. Entities go by a number, their place in the array; the ids that
 * belong to the numbers are fixed.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "aoi.h"

enum {
    MODEL_ENTITIES = 24,
    MODEL_EVENTS = 16384, /* room in a list of events */
    NOBODY = -1           /* as the changed entity: the change is not one entity's */
};

struct model_entity {
    bool inside;
    aoi_point position;
    aoi_point anchor; /* where it counts as standing when it comes to who sees whom */
    double radius, visible_radius;
    uint32_t mode, layers, sees_layers;
    uint32_t limit, importance; /* in a crowd space */
};

/* In a crowd space: what a watcher was told of a marker. */
struct model_told {
    bool is;    /* it is in the told set */
    bool waits; /* the marker has moved since */
    int64_t since, due;
};

/* One event that waits. */
struct model_event {
    uint8_t watcher, marker, op;
    uint8_t told;       /* the stages in which it has been told: MODEL_BY_ bits */
    uint32_t by_marker; /* with both kinds of groups wanted, it is told to the marker's watchers */
    uint32_t change;    /* number of the change that it belongs to */
};

enum { MODEL_BY_VIEW = 1, MODEL_BY_GROUP = 2, MODEL_BY_EVENT = 4 };

struct model_events {
    size_t count;
    struct model_event items[MODEL_EVENTS];
};

struct model {
    aoi_options options; /* with the map as it is now */
    struct model_entity entities[MODEL_ENTITIES];
    bool seen[MODEL_ENTITIES][MODEL_ENTITIES]; /* [watcher][marker], when it was last told */
    aoi_point told_position[MODEL_ENTITIES];   /* deferred: at the last tick */
    struct model_told told[MODEL_ENTITIES][MODEL_ENTITIES]; /* crowd: [watcher][marker] */
    bool pinned[MODEL_ENTITIES][MODEL_ENTITIES];
    aoi_sight words[MODEL_ENTITIES][MODEL_ENTITIES]; /* [watcher][marker] */
    bool touched[MODEL_ENTITIES];
    int64_t ticks;
    uint32_t listen, wants;
    uint32_t changes;     /* so far */
    uint32_t begun;       /* the change of which something was told last; 0: none */
    uint32_t begun_wants; /* of those who began it */
    unsigned stage;       /* in which something of it was told last: a MODEL_BY_ bit */
    bool is_older;        /* others listen by now */
    bool taken_over;      /* others go on with it than those who began it: groups may be parts */
    struct model_events pending, collected;
};

/* The id of an entity's number, and back; NOBODY for a foreign id. */
aoi_id model_id(int number);
int model_number(aoi_id id);

/* A space without entities. The options are good ones. */
void model_create(struct model *model, const aoi_options *options);

/* True when the space is a grid without a radius. */
bool model_is_nine_grid(const struct model *model);

/* True when events wait for a tick. */
bool model_is_deferred(const struct model *model);

/* True when the told sets are parts of what is seen. */
bool model_is_crowd(const struct model *model);

bool model_sees(const struct model *model, int watcher, int marker);

/* Whether the watcher was told of the marker, as of the last tick. */
bool model_was_told(const struct model *model, int watcher, int marker);

/* As aoi_explain. */
aoi_reason model_explain(const struct model *model, int watcher, int marker, size_t *rank);

/*
 * Changes. Each answers with the set of statuses that the core may return, a bit per aoi_status:
 * of AOI_OK alone when there is nothing to complain of. Only then has the model changed.
 */
#define MAY_RETURN(status) (1U << (status))

unsigned model_enter(struct model *model, int who, aoi_point position, const aoi_traits *traits);
unsigned model_move(struct model *model, int who, aoi_point position);
unsigned model_leave(struct model *model, int who);
unsigned model_update(struct model *model, int who, aoi_point position, const aoi_traits *traits);
unsigned model_set_traits(struct model *model, int who, const aoi_traits *traits);
unsigned model_set_bounds(struct model *model, double x, double y, double width, double height);
unsigned model_pin(struct model *model, int watcher, int marker, bool is_pinned);
unsigned model_set_sight(struct model *model, int watcher, int marker, aoi_sight word);
unsigned model_touch(struct model *model, int who);
void model_clear(struct model *model);
unsigned model_tick(struct model *model);

/* A batch; *bad_row is the first row that fails. *counted: rows that were skipped, or of
 * MODEL_UPDATE_ALL those that entered. */
enum model_batch { MODEL_ENTER_ALL, MODEL_MOVE_ALL, MODEL_LEAVE_ALL, MODEL_UPDATE_ALL };
unsigned model_batch(struct model *model, enum model_batch batch, const aoi_row *rows, size_t count,
                     const aoi_traits *traits, bool skips, size_t *counted, size_t *bad_row);

/* Events. Each that checks answers with what is wrong, or NULL. */
/* The space was saved, and is now one that was loaded: who takes events out does so one by one. */
void model_load(struct model *model);
/* is_first: nobody has listened since the space was loaded. */
void model_listen(struct model *model, uint32_t ops, uint32_t wants, bool is_first);
/* True while the oldest that waits goes to those who listened before. */
bool model_is_midway(const struct model *model);
const char *model_take_event(struct model *model, const aoi_event *event);
const char *model_take_telling(struct model *model, const aoi_telling *telling);
const char *model_nothing_waits(const struct model *model);
const char *model_check_pending(const struct model *model, size_t pending);
/* Reads all that is gathered, through a cursor. */
const char *model_check_collected(const struct model *model, const aoi_space *space);
/* Drops this one of those gathered, which must be among the oldest. */
const char *model_drop_collected(struct model *model, const aoi_event *event);

/* Queries: marks those found. The nearest are numbers in order; returns how many. */
void model_query_rect(const struct model *model, aoi_point a, aoi_point b, uint32_t layers,
                      bool *found);
void model_query_circle(const struct model *model, aoi_point centre, double radius, uint32_t layers,
                        bool *found);
void model_query_sector(const struct model *model, aoi_point apex, double radius, double direction,
                        double angle, uint32_t layers, bool *found);
/* False: the formula has no answer, because it overflows. */
bool model_query_segment(const struct model *model, aoi_point a, aoi_point b, double width,
                         uint32_t layers, bool *found);
size_t model_query_nearest(const struct model *model, aoi_point centre, size_t count,
                           double max_radius, uint32_t layers, int *numbers);

#endif
