/*
 * space.h - the inside of a space, shared by the files of the core.
 *
 *   entities   slots, each one cache line; free slots form a list
 *   ids        id -> slot
 *   main_index all entities by position (the engine)
 *   classes    watchers of unusual radius by position, see radius_class.h
 *   pending    events that wait for aoi_next_event
 *   collected  events gathered for aoi_collected_event
 *   old_states deferred spaces: what changed entities were at the last tick
 *   late_moves deferred spaces: moves that the indexes have not been told of
 */
#ifndef AOI_SPACE_H
#define AOI_SPACE_H

#include <math.h>

#include "entity/entity.h"
#include "entity/idmap.h"
#include "space/late_moves.h"
#include "base/memory.h"
#include "space/old_states.h"
#include "events/queue.h"
#include "index/radius_class.h"
#include "index/ring.h"
#include "sight/sight.h"
#include "index/spatial_index.h"

enum {
    AOI_DEEPEST_TREE = 32,
    AOI_DEEPEST_FIXED_TREE = 8,
    AOI_LARGEST_LEAF = 65536,
    AOI_MOST_CELLS = 1 << 24 /* they cost memory whether anybody is in them or not */
};

/* The map of a bounded space; the cells are a grid's. */
struct map {
    bool clamp;
    double x1, y1, x2, y2, width, height;
    uint32_t cols, rows;
    double cell_width, cell_height;
};

/* The map is closed on all four sides. */
static inline bool map_holds(const struct map *map, double x, double y) {
    return map->x1 <= x && x <= map->x2 && map->y1 <= y && y <= map->y2;
}

struct id_list {
    aoi_id *ids;
    size_t count, capacity;
};

static inline aoi_id *id_list_end(const struct id_list *list) {
    return list->ids + list->count;
}

/* Room for `more` further ids. False: no memory, unchanged. */
static inline bool id_list_reserve(struct id_list *list, struct memory *memory, size_t more) {
    if (more <= list->capacity - list->count)
        return true;
    aoi_id *ids =
        memory_grow(memory, list->ids, &list->capacity, list->count + more, sizeof(aoi_id));
    if (ids != NULL)
        list->ids = ids;
    return ids != NULL;
}

/* What a change means for the pairs of the changed entity; scratch, filled anew by each call. */
enum {
    LEFT_MARKERS,     /* the entity no longer sees these */
    LEFT_WATCHERS,    /* these no longer see the entity */
    ENTERED_MARKERS,  /* the entity sees these now */
    ENTERED_WATCHERS, /* these see the entity now */
    MOVED_WATCHERS,   /* these see the entity now as before */
    CHANGE_LISTS
};

/* One that may be among the nearest; see query.c. */
struct candidate {
    double square; /* of the distance */
    aoi_id id;
};

/* See step.h. */
enum step_outcome {
    STEP_TAKEN,
    STEP_OTHERWISE, /* not such a change: nothing is done */
    STEP_NO_MEMORY
};

struct aoi_space;
typedef enum step_outcome (*step_function)(struct aoi_space *space, uint32_t slot, double x,
                                           double y);

struct aoi_space {
    struct memory memory;
    enum sight_rule rule;
    int dims;
    aoi_options options; /* as given at aoi_create */
    bool bounded;        /* there is a map */
    struct map map;
    bool has_default_radius;
    double default_radius;
    double usual_radius; /* see radius_class.h */
    double slack;        /* entities stand at their anchors; 0: those are their true places */
    bool deferred;

    /* quadtree only */
    uint32_t leaf_capacity, max_depth, fixed_depth;

    struct aligned_array entity_array;
    struct entity *entities; /* = entity_array.items */
    uint32_t capacity;       /* slots */
    uint32_t used_slots;     /* slots ever in use */
    uint32_t free_slot;      /* list through next_free_slot; NO_SLOT ends it */
    size_t count;            /* entities */
    uint32_t last_step;      /* slot of the last entity that took a step; for a guess only */
    aoi_point *places;       /* with slack: the true places, by slot; else NULL */
    size_t place_capacity;
    struct idmap ids;

    struct spatial_index *main_index;
    /* NULL where there is no such short way; the second where somebody listens for moves. */
    step_function step, step_with_moves;
    struct spatial_index *(*create_index)(struct aoi_space *space, bool is_main, double reach);
    struct radius_class classes[RADIUS_CLASSES];
    size_t unusual_watchers; /* in all classes together */
    size_t radius_changes;   /* since the usual radius was thought about; see radius_class.h */

    struct old_states old_states;
    struct late_moves late_moves;
    struct tick_scratch *tick_scratch; /* see tick.c; NULL before the first tick */

    uint32_t listen, collect; /* aoi_op bits */
    uint32_t wants;           /* AOI_TELL_ bits */
    struct queue pending, collected;
    uint64_t delivered;

    struct hits hits, inside;             /* scratch: see ring.h */
    struct id_list changes[CHANGE_LISTS]; /* scratch; results of questions too */
    aoi_row *row_scratch;                 /* see aoi_rows */
    size_t row_capacity;
    struct candidate *candidates; /* scratch */
    size_t candidate_capacity;
};

/* The slot of id, or NO_SLOT. */
static inline uint32_t space_find(const struct aoi_space *space, aoi_id id) {
    return idmap_find(&space->ids, space->entities, id);
}

/* Where the entity in slot truly is. */
static inline aoi_point space_place(const struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities[slot];
    return space->slack > 0 ? space->places[slot] : (aoi_point){entity->x, entity->y, entity->z};
}

/* True when an entity that is truly at `place` may have its anchor where this one has it: without
 * slack, when that is the same place. */
static inline bool space_within_slack(const struct aoi_space *space, const struct entity *entity,
                                      aoi_point place) {
    return fabs(place.x - entity->x) <= space->slack && fabs(place.y - entity->y) <= space->slack &&
           fabs(place.z - entity->z) <= space->slack;
}

/* True when the indexes are told of moves only when they are asked. */
static inline bool space_moves_late(const struct aoi_space *space) {
    return space->deferred && space->main_index->engine->can_be_late;
}

/* True when the entity is a watcher that stands in the index of a radius class. */
static inline bool in_radius_class(const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) != 0 && entity->radius_class != USUAL_RADIUS;
}

void space_destroy_indexes(struct aoi_space *space);

#ifdef AOI_SELF_CHECK
void space_check(const struct aoi_space *space);
#else
static inline void space_check(const struct aoi_space *space) {
    (void)space;
}
#endif

#endif
