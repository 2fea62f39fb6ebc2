/*
 * areas.h - the areas that a space keeps; a space without areas has none of this.
 *
 * What a change of an entity means for them: area_changes.h, and in a deferred
 * space area/area_tick.h. The calls about areas: area_calls.c, area_questions.c.
 */
#ifndef AOI_AREAS_H
#define AOI_AREAS_H

#include "area/area_table.h"
#include "base/high_water.h"
#include "events/pairs.h"
#include "area/area_notes.h"
#include "area/area_states.h"
#include "space/capability.h"

struct arriving_area;
struct calm; /* see calm.h */

/* A membership that a row of a batch has changed. */
struct membership {
    uint32_t area; /* slot */
    bool was;
    aoi_id marker;
};

struct areas {
    struct area_table table;
    struct area_states states;
    /* The events of the change under way: area as watcher, and marker. See area_found.h. */
    struct pairs leaves, enters;
    struct high_water use; /* of those */
    bool is_changing;      /* between areas_find and areas_finish */
    /* Of a batch under way, kept members alone, so that it can be taken back. */
    bool in_batch;
    struct ARRAY_OF(struct membership) journal;
    struct ARRAY_OF(struct calm) calm; /* by slot of an entity */
    size_t ending;                     /* deferred: areas whose owners are to leave in this batch */
    struct area_tick tick;             /* the one under way */
    struct ARRAY_OF(struct arriving_area) arriving; /* an entity is handed in: see area_luggage.c */
};

/* The kinds of events of areas that somebody wants. */
static inline uint32_t area_ops(const struct aoi_space *space) {
    return (space->listen | space->collect) & AREA_OPS;
}

/* False where nobody needs to know who comes into areas, and who goes. */
static inline bool areas_matter(const struct aoi_space *space) {
    return area_ops(space) != 0 || space->areas->table.keeping > 0;
}

/* The entity in slot as areas look at it. */
static inline struct area_marker area_marker_at(const struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities.at[slot];
    return (struct area_marker){entity->id, entity_shown(entity), space_place(space, slot)};
}

/* Where an area with this owner is. */
static inline aoi_point area_place_at(const struct area *area, aoi_point owner) {
    return (aoi_point){owner.x + area->offset.x, owner.y + area->offset.y,
                       owner.z + area->offset.z};
}

/* The first area that the entity in slot owns, or NO_AREA. */
static inline uint32_t areas_first_owned(const struct aoi_space *space, uint32_t slot) {
    return space->areas == NULL ? NO_AREA : area_table_first_owned(&space->areas->table, slot);
}

/* The area of this id, or NULL. */
static inline const struct area *areas_named(const struct aoi_space *space, aoi_id id) {
    const uint32_t number =
        space->areas == NULL ? NO_AREA : area_table_find(&space->areas->table, id);
    return number == NO_AREA ? NULL : &space->areas->table.at[number];
}

/* Makes, if need be, and ends the areas of a space. */
bool areas_create(struct aoi_space *space);
void areas_destroy(struct aoi_space *space);

/* Room for so many more areas, with an owner or without, in a space that may have none yet. */
bool areas_reserve(struct aoi_space *space, bool owned, size_t more);

/* Without areas, and without any that a tick must hear of, there is nothing to be kept. */
void areas_trim(struct aoi_space *space);

#ifdef AOI_SELF_CHECK
void areas_check(const struct aoi_space *space);
#endif

#endif
