/* change.h - the course of a change, for the other files that make some. */
#ifndef AOI_CHANGE_H
#define AOI_CHANGE_H

#include "space/space.h"

/* A change of one entity, described before it is made. */
struct change {
    uint32_t slot;              /* NO_SLOT: it enters */
    const struct entity *after; /* what it becomes, at its anchor; NULL: it leaves */
    aoi_point place;            /* where it truly is then */
    double visible;             /* its visible radius then */
    bool moved;                 /* those who see it are told so */
};

/* The course of every change, but for the short ones in move.c. NOMEM: nothing changed. */
aoi_status change_apply(struct aoi_space *space, const struct change *change);

/* Applies a change without a follower. */
aoi_status change_apply_alone(struct aoi_space *space, const struct change *change);

/* The entity in slot moves to where `after` is: it keeps its anchor there if the slack allows. */
void change_keep_anchor(const struct aoi_space *space, uint32_t slot, struct entity *after);

/* Puts the entity there, true place and anchor. INVALID, OUTSIDE. */
aoi_status change_set_position(const struct aoi_space *space, struct entity *entity,
                               aoi_point position);

/* Changes the indexes and the entity from what it is to `after`, with this visible radius; room is
 * reserved, or was before a change that is taken back. */
void change_entity(struct aoi_space *space, uint32_t slot, const struct entity *after,
                   double visible);

/* Enters an id that is not inside; or moves the entity in slot and changes the given traits, as one
 * change. anchor (NULL: as ever) must not be farther away than the slack: INVALID. The usual radius
 * stays as it is: see rebuild.h. Other errors as aoi_enter, aoi_update. */
aoi_status change_enter(struct aoi_space *space, aoi_id id, aoi_point position,
                        const aoi_point *anchor, const aoi_traits *traits);
aoi_status change_update(struct aoi_space *space, uint32_t slot, aoi_point position,
                         const aoi_point *anchor, const aoi_traits *traits);

/* aoi_update with an anchor, but for the counting and recording. */
aoi_status change_enter_or_update(struct aoi_space *space, aoi_id id, aoi_point position,
                                  const aoi_point *anchor, const aoi_traits *traits);

/* aoi_enter but for the counting and recording. */
aoi_status change_enter_new(struct aoi_space *space, aoi_id id, aoi_point position,
                            const aoi_traits *traits);

/* Moves the entity in slot. Errors as aoi_move. */
aoi_status change_move(struct aoi_space *space, uint32_t slot, aoi_point position);

/* 1 for traits whose change may make another radius the usual one, else 0. */
size_t change_counts_for_usual(const aoi_traits *traits);

/* Takes the entity out of everything. */
void change_remove(struct aoi_space *space, uint32_t slot);

/* Finds out and queues the events of a change that is about to be made; see change_apply. */
aoi_status change_find_events(struct aoi_space *space, const struct change *change);

/* Queues the events of what space->visibility.changes says of the entity with this id. */
aoi_status change_queue_events(struct aoi_space *space, aoi_id id);

/* Adds an entity as it was saved, with its cell or radius class set, and without events. place:
 * where it truly is; counts with slack. */
bool change_restore(struct aoi_space *space, const struct entity *entity, aoi_point place);

/* Gives the entity in slot, as it was saved, its visible radius. */
bool change_restore_visible(struct aoi_space *space, uint32_t slot, double visible);

#endif
