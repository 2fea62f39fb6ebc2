/*
 * areas.h - the areas of a space, and what its changes mean for them.
 *
 * A space without areas has none of this. What a change of an entity means is
 * found before the change is made, in two parts: as a marker it comes into
 * areas and goes out of them; as an owner it takes its areas along, or they end
 * with it. Room is reserved for all that follows, so that afterwards nothing
 * can fail:
 *
 *     if (!areas_find(space, slot, after, &place))
 *         return AOI_NOMEM;
 *     status = (the change)
 *     areas_finish(space, slot, after, status == AOI_OK);
 *
 * In a deferred space a tick finds out instead (tick/area_tick.c), and a change
 * only takes along what is owned, and notes what areas were.
 */
#ifndef AOI_AREAS_H
#define AOI_AREAS_H

#include "area/area_table.h"
#include "base/high_water.h"
#include "events/pairs.h"
#include "space/area_states.h"
#include "space/space.h"

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
    /* What the change under way means: area as watcher, and marker. */
    struct pairs leaves, enters;
    struct high_water use; /* of those */
    bool is_changing;      /* between areas_find and areas_finish */
    /* Of a batch under way, kept members alone, so that it can be taken back. */
    bool in_batch;
    struct membership *journal;
    size_t journal_count, journal_capacity;
    struct calm *calm; /* by slot of an entity */
    size_t calm_capacity;
    size_t ending;     /* deferred: areas whose owners are to leave in this batch */
    bool is_expecting; /* areas, for which room is reserved: it is not to be trimmed */
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

/* Deferred: the same at the last tick; and of an old state. */
struct area_marker area_marker_before(const struct aoi_space *space, uint32_t slot);
struct area_marker area_marker_of_state(const struct aoi_space *space, uint32_t number);

/* Where an area with this owner is. */
static inline aoi_point area_place_at(const struct area *area, aoi_point owner) {
    return (aoi_point){owner.x + area->offset.x, owner.y + area->offset.y,
                       owner.z + area->offset.z};
}

/* Before the entity in slot (NO_SLOT: a new one) becomes `after` (NULL: it leaves), truly at
 * `place`. The space has areas. False: no memory, nothing changed. */
bool areas_find(struct aoi_space *space, uint32_t slot, const struct entity *after,
                const aoi_point *place);

/* After it; or, not done, after it failed. */
void areas_finish(struct aoi_space *space, uint32_t slot, const struct entity *after, bool done);

/* A row of a batch that is still to leave. The areas of the entity count as ended, and can come
 * back. */
void areas_finish_row(struct aoi_space *space, uint32_t slot);

/* The entity in slot is elsewhere: its areas follow. */
void areas_follow(struct aoi_space *space, uint32_t slot);

/* The entity in slot is about to be removed: its areas end. */
void areas_end_owned(struct aoi_space *space, uint32_t slot);

/* Around the rows of a batch; not done: members are kept as they were before it. */
void areas_begin_batch(struct aoi_space *space);
void areas_end_batch(struct aoi_space *space, bool done);

/* ------------------------------------------------------------------ */
/* For the calls about areas, and for ticks                            */
/* ------------------------------------------------------------------ */

/* Begins a change, of which those who look for pairs may queue a part first. Forgets what another
 * change has found. */
void areas_begin_change(struct aoi_space *space);

/* Notes a leave, or an enter, for which a keeping area (NULL: another) makes room. False: no
 * memory. */
bool areas_note_leave(struct aoi_space *space, aoi_id area, aoi_id marker);
bool areas_note_enter(struct aoi_space *space, struct area *keeping, aoi_id area, aoi_id marker);

/* Finds what it means that an area (NULL: none) that was here becomes another (NULL: none) there:
 * its members may change. all (NULL: not asked for): gets those of the latter, in no order. False:
 * no memory. */
bool areas_find_difference(struct aoi_space *space, const struct area *before,
                           const aoi_point *from, const struct area *after, const aoi_point *to,
                           struct id_list *all);

/* The ring where a step of the area can change who is in it; false: it is no such step. */
bool area_ring_of_step(const struct area *area, const aoi_point *from, const aoi_point *to,
                       bool with_z, struct ring *ring);

/* Nobody who was noted is coming any more. */
void areas_forget_coming(struct areas *areas);

/* Room for the events of what was noted, behind those that another part of the change is going to
 * queue; areas_queue_events then queues them. areas_drop_room: it is not needed any more. */
bool areas_reserve_events(struct aoi_space *space);
void areas_queue_events(struct aoi_space *space);
void areas_drop_room(struct aoi_space *space);

/* Takes an area out, and frees what it points to. */
void areas_remove(struct areas *areas, uint32_t area);

/* Makes, if need be, and ends the areas of a space. */
bool areas_create(struct aoi_space *space);
void areas_destroy(struct aoi_space *space);

/* Without areas, and without any that a tick must hear of, there is nothing to be kept. */
void areas_trim(struct aoi_space *space);

/* A period is over: gives back scratch by the rule of high_water.h. */
void areas_trim_scratch(struct aoi_space *space, unsigned quiet_periods);

#ifdef AOI_SELF_CHECK
void areas_check(const struct aoi_space *space);
#endif

#endif
