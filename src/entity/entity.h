/* entity.h - an entity as a space keeps it: one cache line. */
#ifndef AOI_ENTITY_H
#define AOI_ENTITY_H

#include "aoi.h"

/* The radius class of watchers of the usual radius, see indexes.h. */
enum { USUAL_RADIUS = 0 };

/* A cell of a grid. */
struct cell {
    uint32_t column, row;
};

struct entity {
    double x, y, z;
    union {
        double radius;    /* view radius */
        struct cell cell; /* classic nine-grid, which has no radius */
    };
    aoi_id id;
    uint32_t layers, sees_layers;
    uint32_t handle[2];    /* where the main index keeps it; the index decides what that means */
    uint32_t class_handle; /* the same for the index of its radius class */
    uint8_t mode;          /* AOI_WATCHER and AOI_MARKER bits; 0 marks a free slot */
    uint8_t radius_class;  /* see indexes.h */
    uint8_t changed;       /* deferred spaces: it has an old state, see old_states.h */
    uint8_t late : 1;      /* the slot stands in the list of late_moves.h */
    uint8_t beacon : 1;    /* it has a visible radius: see beacons.h */
};
_Static_assert(sizeof(struct entity) == 64, "an entity is one cache line");

/* A free slot names the next free one here. */
#define next_free_slot handle[0]

/* The layer bits that can be seen of an entity, and those that it can see: none unless it is a
 * marker, or a watcher. No branches. */
static inline uint32_t entity_shown(const struct entity *entity) {
    return entity->layers & (0U - ((entity->mode & AOI_MARKER) / AOI_MARKER));
}

static inline uint32_t entity_looked_for(const struct entity *entity) {
    return entity->sees_layers & (0U - ((entity->mode & AOI_WATCHER) / AOI_WATCHER));
}

/* True when the entity is a watcher that stands in the index of a radius class. */
static inline bool in_radius_class(const struct entity *entity) {
    return (entity->mode & AOI_WATCHER) != 0 && entity->radius_class != USUAL_RADIUS;
}

/* True when the entity has the usual radius, and no visible one. */
static inline bool entity_is_usual(const struct entity *entity) {
    return entity->radius_class == USUAL_RADIUS && !entity->beacon;
}

/* True when only place and view radius can make a difference to who sees whom. */
static inline bool entities_alike(const struct entity *before, const struct entity *after) {
    return before->mode == after->mode && before->layers == after->layers &&
           before->sees_layers == after->sees_layers;
}

#endif
