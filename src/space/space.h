/*
 * space.h - the inside of a space, shared by the files of this layer and by
 * ticks: the data of the layers below, and its own.
 */
#ifndef AOI_SPACE_H
#define AOI_SPACE_H

#include "base/pool.h"
#include "entity/entities.h"
#include "entity/map.h"
#include "events/net_change.h"
#include "events/queue.h"
#include "index/indexes.h"
#include "record/log.h"
#include "sight/visibility.h"
#include "space/handed.h"
#include "space/late_moves.h"
#include "space/old_states.h"
#include "space/slack.h"

/* An entity that may be among the nearest; see query.c. */
struct candidate {
    double square; /* of the distance */
    aoi_id id;
};

/* Purposes for which a call needs a list of ids of its own: see scratch.h. */
enum list_purpose {
    LIST_ANSWER,      /* what a question found: the caller reads it until the next call */
    LIST_SPARE,       /* while another list is sorted */
    LIST_WATCHERS,    /* other bounds: all watchers */
    LIST_MARKERS,     /* of which one of them is told */
    LIST_TOLD,        /* hand-over: of whom the entity was told */
    LIST_AREAS,       /* the areas without owner in which it was at the last tick */
    LIST_OWNED_AREAS, /* the areas that it owns */
    LIST_MEMBERS,     /* of one of those, at the last tick */
    LIST_PURPOSES
};

/* The purposes for which a space holds memory; aoi_held has the same names, and explains them. */
struct purposes {
    struct memory entities, index, changes, crowd, areas, sights, events, tick, record, scratch;
};

/* See step.h. */
enum step_outcome {
    STEP_TAKEN,
    STEP_OTHERWISE, /* not such a change: nothing is done */
    STEP_NO_MEMORY
};

/*
 * How a move is made:
 *
 *     BY_STEP     a step in a grid, in one function: step.c
 *     BY_SEARCH   the same as other engines take it, without a copy of the entity
 *     BY_NOTE     a deferred space: a tick finds out what it means
 *     IN_CELL     a classic nine-grid, as long as nobody listens for moves; deferred: always
 *     BY_CHANGE   any move, like any change; always that of a watcher of an unusual radius, and of
 *                 a beacon
 */
enum move_course { BY_STEP, BY_SEARCH, BY_NOTE, IN_CELL, BY_CHANGE };

/* In larger spaces most of what a search reads is far from the processor; in very large ones,
 * entities, too: then it pays to fetch ahead. */
#ifdef AOI_TINY
enum { LARGE_SPACE = 4, VERY_LARGE_SPACE = 8 };
#else
enum { LARGE_SPACE = 4096, VERY_LARGE_SPACE = 16384 };
#endif

struct areas;
struct capability;
struct crowd;
struct aoi_space;
typedef enum step_outcome (*step_function)(struct aoi_space *space, uint32_t slot, double x,
                                           double y);

struct aoi_space {
    /* Fields that most moves look at come first. */
    enum move_course usual_course; /* see course.h */
    uint32_t listen, collect;      /* aoi_op bits */
    uint32_t last_step;            /* slot of the last that took a step; for a guess only */
    bool in_row; /* the one in the slot before took the step before; for a guess only */
    /* NULL where there is no such short way; the second where somebody listens for moves. */
    step_function step, step_with_moves;
    const struct capability *follower; /* who takes part in changes, see capability.h; or NULL */
    struct areas *areas;               /* NULL without areas */
    struct entities entities;
    struct map map;
    struct slack slack;
    struct visibility visibility;
    struct indexes indexes;
    aoi_moment moment;     /* calls that changed the space, ticks among them */
    struct record_log log; /* see recording.h */
    size_t radius_changes; /* since the usual radius was thought about; see rebuild.h */

    struct queue pending, collected; /* events that wait to be told / to be drained */
    uint32_t wants;                  /* AOI_TELL_ bits */
    bool is_unheard;                 /* it was loaded, and nobody has listened since */
    uint64_t delivered;

    struct old_states old_states;      /* deferred: what changed entities were at the last tick */
    struct late_moves late_moves;      /* deferred: moves that the indexes do not know yet */
    struct handed handed;              /* deferred: told sets that came along with entities */
    const struct capability *keeper;   /* who keeps more of each entity by its slot; or NULL */
    struct crowd *crowd;               /* NULL in a space that is no crowd space */
    struct tick_scratch *tick_scratch; /* what the last tick keeps for the next one; or NULL */
    struct pool tick_pool;             /* of the tick under way */

    struct purposes memory;
    aoi_options options; /* as given at aoi_create */
    int dims;
    bool deferred;
    bool own_radii;        /* there is no default radius: each entity says its own */
    double default_radius; /* else that of all who say none; 0 in a classic nine-grid */

    /* See scratch.h. */
    struct id_list lists[LIST_PURPOSES];
    uint32_t taken_lists; /* bits: those that have an owner now */
    struct ARRAY_OF(aoi_row) rows;
    struct ARRAY_OF(struct candidate) candidates;
};

/* The kinds of events that somebody wants, but for those of areas. */
static inline uint32_t space_ops(const struct aoi_space *space) {
    return (space->listen | space->collect) & PAIR_OPS;
}

/* Queues the lists of pairs of a tick (see net_change.h) for those who listen, and for those who
 * gather. later: NULL, or of these two the pairs of each kind that are written later; in_front:
 * NULL, or others. */
static inline bool space_queue_net_change(struct aoi_space *space, struct pairs (*lists)[2],
                                          struct pairs *spare,
                                          struct later_pairs (*later)[QUEUE_KINDS],
                                          struct pairs_in_front *in_front) {
    const struct net_change change = {.lists = lists,
                                      .spare = spare,
                                      .in_front = in_front,
                                      .memory = &space->memory.tick,
                                      .wants = space->wants,
                                      .are_many = later != NULL,
                                      .entities = space->entities.count,
                                      .subjects = space->entities.used + space->old_states.count +
                                                  space->handed.told.count};
    struct net_listener listeners[NET_LISTENERS] = {
        {.queue = &space->pending, .ops = space->listen},
        {.queue = &space->collected, .ops = space->collect}};
    for (int i = 0; later != NULL && i < 2 * QUEUE_KINDS; i++)
        listeners[i / QUEUE_KINDS].later[i % QUEUE_KINDS] = later[i / QUEUE_KINDS][i % QUEUE_KINDS];
    return net_change_queue(&change, &space->memory.events, listeners);
}

/* The visible radius of the entity in slot. */
static inline double space_visible(const struct aoi_space *space, uint32_t slot) {
    return beacons_radius(&space->visibility.beacons, space->entities.at[slot].id);
}

/* The slot of id, or NO_SLOT. */
static inline uint32_t space_find(const struct aoi_space *space, aoi_id id) {
    return entities_find(&space->entities, id);
}

/* Where the entity in slot truly is. */
static inline aoi_point space_place(const struct aoi_space *space, uint32_t slot) {
    return slack_place(&space->slack, space->entities.at, slot);
}

/* True when the entity in slot, which is inside and was at the last tick, is at another true place
 * than in its old state of this number, or was touched since. */
static inline bool space_has_moved(const struct aoi_space *space, uint32_t slot, uint32_t state) {
    const aoi_point from = old_states_place(&space->old_states, state);
    const aoi_point to = space_place(space, slot);
    return space->old_states.states[state].was_touched || from.x != to.x || from.y != to.y ||
           from.z != to.z;
}

/* True for the classic nine-grid, where cells decide who sees whom. */
static inline bool space_is_classic(const struct aoi_space *space) {
    return space->visibility.rule == SIGHT_CELLS;
}

/* Sets what follows from where an entity is and how far it looks: its cell, or its class. */
static inline void space_locate(const struct aoi_space *space, struct entity *entity) {
    const struct spatial_index *index = space->indexes.main;
    if (space_is_classic(space))
        entity->cell = index->engine->cells->cell_at(index, entity->x, entity->y);
}

static inline void space_classify(const struct aoi_space *space, struct entity *entity) {
    if (!space_is_classic(space))
        entity->radius_class = (uint8_t)indexes_class_of(&space->indexes, entity->radius);
}

#ifdef AOI_SELF_CHECK
void space_check(const struct aoi_space *space);
#else
static inline void space_check(const struct aoi_space *space) {
    (void)space;
}
#endif

#endif
