/*
 * change.c - the calls that change a space, one by one: enter, leave, update, the setters. Moves
 * are in move.c, batches in batch.c.
 *
 * Every change runs the same course (change_apply): reserve what it may need,
 * find out what it means for the pairs, reserve the events; from there on
 * nothing can fail, and the events are queued and the entity is changed.
 */
#include "space/change.h"

#include "space/recording.h"

#include <math.h>

#include "entity/traits.h"
#include "events/queue.h"
#include "space/capability.h"
#include "space/rebuild.h"

/* ------------------------------------------------------------------ */
/* The entity and the indexes                                          */
/* ------------------------------------------------------------------ */

static bool reserve_slot(struct aoi_space *space) {
    return entities_reserve(&space->entities, &space->memory.entities) &&
           slack_reserve(&space->slack, &space->memory.entities, space->entities.capacity) &&
           (space->keeper == NULL || space->keeper->reserve_slots(space));
}

/* Room for the entity in slot (NO_SLOT: a new one) to become `after`; in a batch that may be taken
 * back, also into another class. */
static bool reserve_room(struct aoi_space *space, uint32_t slot, const struct entity *after) {
    struct indexes *indexes = &space->indexes;
    const struct entity *before = slot == NO_SLOT ? NULL : &space->entities.at[slot];
    return (before == NULL ? reserve_slot(space)
                           : !indexes->batching || before->radius_class == after->radius_class ||
                                 indexes_reserve(indexes, before)) &&
           indexes_reserve(indexes, after);
}

/* Room for the change of the entity of this id among the beacons. */
static bool reserve_beacon(struct aoi_space *space, aoi_id id, double visible) {
    struct beacons *beacons = &space->visibility.beacons;
    return (visible == 0 && beacons->all.count == 0) || beacons_reserve(beacons, id, visible);
}

static void set_beacon(struct aoi_space *space, uint32_t slot, double visible) {
    struct beacons *beacons = &space->visibility.beacons;
    if (visible == 0 && beacons->all.count == 0)
        return;
    beacons_set(beacons, &space->entities.at[slot], slot, visible);
    visibility_count_exceptions(&space->visibility);
}

void change_entity(struct aoi_space *space, uint32_t slot, const struct entity *after,
                   double visible) {
    struct indexes *indexes = &space->indexes;
    struct entity *entity = &space->entities.at[slot];
    bool was_unusual = in_radius_class(entity), is_unusual = in_radius_class(after);
    bool stays_unusual = was_unusual && is_unusual && entity->radius == after->radius;
    if (was_unusual && !stays_unusual)
        indexes_remove_from_class(indexes, slot);
    bool moves = entity->x != after->x || entity->y != after->y;
    if (moves && space->late_moves.used) {
        late_moves_note(&space->late_moves, slot);
    } else if (moves) {
        indexes->engine->relocate(indexes->main, slot, after->x, after->y);
        if (stays_unusual)
            indexes->engine->relocate(indexes->classes[entity->radius_class].index, slot, after->x,
                                      after->y);
    }
    entity->x = after->x;
    entity->y = after->y;
    entity->z = after->z;
    traits_copy(entity, after); /* the radius, or the cell, which shares its place */
    entity->radius_class = after->radius_class;
    if (is_unusual && !stays_unusual)
        indexes_insert_in_class(indexes, slot);
    set_beacon(space, slot, visible);
}

/* Adds an entity that is truly at `place`; room is reserved. Returns its slot. */
static uint32_t add_entity(struct aoi_space *space, const struct entity *entity, double visible,
                           aoi_point place) {
    const uint32_t slot = space->keeper == NULL ? entities_add(&space->entities, entity)
                                                : space->keeper->take_slot(space, entity);
    slack_set_place(&space->slack, slot, place);
    indexes_insert(&space->indexes, slot);
    set_beacon(space, slot, visible);
    return slot;
}

void change_remove(struct aoi_space *space, uint32_t slot) {
    if (space->follower != NULL)
        space->follower->forget(space, slot);
    const bool may_come_back = space->deferred && old_states_note_leave(&space->old_states, slot);
    set_beacon(space, slot, 0);
    if (space->visibility.sights.count > 0) {
        sights_end(&space->visibility.sights, space->entities.at[slot].id, slot);
        sights_trim(&space->visibility.sights);
        visibility_count_exceptions(&space->visibility);
    }
    indexes_remove(&space->indexes, slot);
    if (space->keeper != NULL)
        space->keeper->leave_slot(space, slot, may_come_back);
    else
        entities_remove(&space->entities, slot);
}

bool change_restore_visible(struct aoi_space *space, uint32_t slot, double visible) {
    if (!reserve_beacon(space, space->entities.at[slot].id, visible))
        return false;
    set_beacon(space, slot, visible);
    return true;
}

bool change_restore(struct aoi_space *space, const struct entity *entity, aoi_point place) {
    if (!reserve_room(space, NO_SLOT, entity))
        return false;
    add_entity(space, entity, 0, place);
    return true;
}

/* ------------------------------------------------------------------ */
/* The events of a change                                              */
/* ------------------------------------------------------------------ */

static void append_events(const struct id_list *changes, struct queue *queue, aoi_id id,
                          uint32_t ops) {
    static const struct {
        aoi_op op;
        uint32_t side; /* of the subject */
    } lists[CHANGE_LISTS] = {
        [LEFT_MARKERS] = {AOI_LEAVE, SEGMENT_SUBJECT_WATCHES},
        [LEFT_WATCHERS] = {AOI_LEAVE, 0},
        [ENTERED_MARKERS] = {AOI_ENTER, SEGMENT_SUBJECT_WATCHES},
        [ENTERED_WATCHERS] = {AOI_ENTER, 0},
        [MOVED_WATCHERS] = {AOI_MOVE, 0},
    };
    queue_begin_change(queue);
    for (int i = 0; i < CHANGE_LISTS; i++) {
        if (lists[i].op & ops)
            queue_append(queue, id, lists[i].op | lists[i].side, changes[i].ids, changes[i].count);
    }
}

aoi_status change_queue_events(struct aoi_space *space, aoi_id id) {
    const struct id_list *changes = space->visibility.changes;
    size_t events = 0;
    for (int i = 0; i < CHANGE_LISTS; i++)
        events += changes[i].count;
    if (events == 0)
        return AOI_OK;
    if (!queue_reserve(&space->pending, &space->memory.events, CHANGE_LISTS, events) ||
        (space->collect != 0 &&
         !queue_reserve(&space->collected, &space->memory.events, CHANGE_LISTS, events)))
        return AOI_NOMEM;
    append_events(changes, &space->pending, id, space->listen);
    if (space->collect != 0)
        append_events(changes, &space->collected, id, space->collect);
    return AOI_OK;
}

/* True when nobody's view changes: most moves are such inside the slack, and inside the cells of a
 * classic nine-grid. */
static bool stands_still(enum sight_rule rule, const struct entity *before,
                         const struct entity *after) {
    const xy from = sight_place(rule, before), to = sight_place(rule, after);
    return from[0] == to[0] && from[1] == to[1] && before->z == after->z &&
           sight_radius(rule, before) == sight_radius(rule, after) && entities_alike(before, after);
}

aoi_status change_find_events(struct aoi_space *space, const struct change *change) {
    const uint32_t slot = change->slot;
    const struct entity *after = change->after;
    const bool moved = change->moved;
    aoi_id id = after != NULL ? after->id : space->entities.at[slot].id;
    uint32_t ops = space_ops(space);
    if (moved && after != NULL && !(ops & AOI_MOVE) &&
        stands_still(space->visibility.rule, &space->entities.at[slot], after) &&
        space_visible(space, slot) == change->visible)
        return AOI_OK;
    if (!visibility_changes(&space->visibility, slot, after, change->visible, moved, ops))
        return AOI_NOMEM;
    return change_queue_events(space, id);
}

/* ------------------------------------------------------------------ */
/* The course of every change                                          */
/* ------------------------------------------------------------------ */

/* Room for a deferred space to note what the entity in slot was. */
static aoi_status reserve_old_state(struct aoi_space *space, uint32_t slot,
                                    const struct entity *after) {
    struct sights *sights = &space->visibility.sights;
    if (after == NULL && sights->count > 0 &&
        !sights_reserve_notes(sights, sights_count_of(sights, slot)))
        return AOI_NOMEM;
    bool reserved = after == NULL ? old_states_reserve_leave(&space->old_states, slot)
                                  : old_states_reserve(&space->old_states, 1) &&
                                        late_moves_reserve(&space->late_moves);
    return reserved ? AOI_OK : AOI_NOMEM;
}

/* Makes the change, for which all is reserved, and whose events are queued. */
static void make(struct aoi_space *space, const struct change *change) {
    uint32_t slot = change->slot;
    if (change->after == NULL) {
        change_remove(space, slot);
        return;
    }
    if (slot == NO_SLOT) {
        slot = add_entity(space, change->after, change->visible, change->place);
        if (space->deferred)
            old_states_note_enter(&space->old_states, slot);
        return;
    }
    if (space->deferred)
        old_states_note_change(&space->old_states, slot);
    change_entity(space, slot, change->after, change->visible);
    slack_set_place(&space->slack, slot, change->place);
}

aoi_status change_apply_alone(struct aoi_space *space, const struct change *change) {
    const struct entity *after = change->after;
    const aoi_id id = after != NULL ? after->id : space->entities.at[change->slot].id;
    if ((after != NULL && !reserve_room(space, change->slot, after)) ||
        !reserve_beacon(space, id, change->visible))
        return AOI_NOMEM;
    const aoi_status status = space->deferred ? reserve_old_state(space, change->slot, after)
                                              : change_find_events(space, change);
    if (status != AOI_OK)
        return status;
    make(space, change);
    space_check(space);
    return AOI_OK;
}

aoi_status change_apply(struct aoi_space *space, const struct change *change) {
    const struct capability *follower = space->follower;
    if (follower == NULL)
        return change_apply_alone(space, change);
    if (follower->before(space, change->slot, change->after, &change->place) == FOLLOWING_NO_MEMORY)
        return AOI_NOMEM;
    const aoi_status status = change_apply_alone(space, change);
    follower->after(space, change->slot, change->after, status == AOI_OK);
    return status;
}

void change_keep_anchor(const struct aoi_space *space, uint32_t slot, struct entity *after) {
    const struct entity *entity = &space->entities.at[slot];
    if (slack_keeps_anchor(&space->slack, entity, (aoi_point){after->x, after->y, after->z})) {
        after->x = entity->x;
        after->y = entity->y;
        after->z = entity->z;
    }
}

aoi_status change_set_position(const struct aoi_space *space, struct entity *entity,
                               aoi_point position) {
    if (space->dims == 3 && !isfinite(position.z))
        return AOI_INVALID;
    if (!map_holds(&space->map, position.x, position.y)) {
        if (!isfinite(position.x) || !isfinite(position.y))
            return AOI_INVALID;
        if (!space->map.clamp)
            return AOI_OUTSIDE;
    }
    entity->x = position.x;
    entity->y = position.y;
    entity->z = space->dims == 3 ? position.z : 0;
    space_locate(space, entity);
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* The calls                                                           */
/* ------------------------------------------------------------------ */

static aoi_status set_traits(const struct aoi_space *space, struct entity *entity,
                             const aoi_traits *traits) {
    return traits_take(entity, traits, !space_is_classic(space), space->keeper != NULL);
}

/* The traits that stand apart from the entity in slot, once nothing can fail any more. */
static void set_kept_traits(struct aoi_space *space, uint32_t slot, const aoi_traits *traits) {
    if (space->keeper != NULL)
        traits_take_crowd(space->keeper->traits_at(space, slot), traits);
}

/* The visible radius that these traits give. */
static double visible_by(const aoi_traits *traits, double before) {
    const bool is_given = traits != NULL && (traits->given & AOI_TRAIT_VISIBLE_RADIUS);
    return is_given ? traits->visible_radius : before;
}

/* Without a default, the first entity of an empty space says what is usual, for now. */
static void set_radius_class(struct aoi_space *space, struct entity *entity) {
    if (space->entities.count == 0 && space->own_radii)
        space->indexes.usual_radius = entity->radius;
    space_classify(space, entity);
}

/* Passes on the status of so many changes; after them another radius may be the usual one. */
static aoi_status choose_usual_after(struct aoi_space *space, size_t changes, aoi_status status) {
    if (status == AOI_OK)
        rebuild_for_usual_radius(space, changes);
    return status;
}

size_t change_counts_for_usual(const aoi_traits *traits) {
    return traits != NULL && (traits->given & (AOI_TRAIT_RADIUS | AOI_TRAIT_MODE)) ? 1 : 0;
}

/* The entity is there, and gets this anchor. INVALID: it is too far away. */
static aoi_status set_anchor(const struct aoi_space *space, struct entity *entity,
                             aoi_point anchor) {
    const aoi_point place = {entity->x, entity->y, entity->z};
    entity->x = anchor.x;
    entity->y = anchor.y;
    entity->z = space->dims == 3 ? anchor.z : 0;
    return slack_keeps_anchor(&space->slack, entity, place) ? AOI_OK : AOI_INVALID;
}

aoi_status change_enter(struct aoi_space *space, aoi_id id, aoi_point position,
                        const aoi_point *anchor, const aoi_traits *traits) {
    struct entity entity = traits_usual(space->default_radius);
    entity.id = id;
    aoi_status status = set_traits(space, &entity, traits);
    if (status == AOI_OK)
        status = change_set_position(space, &entity, position);
    const struct change change = {.slot = NO_SLOT,
                                  .after = &entity,
                                  .place = {entity.x, entity.y, entity.z},
                                  .visible = visible_by(traits, 0)};
    if (status == AOI_OK && anchor != NULL)
        status = set_anchor(space, &entity, *anchor);
    if (status != AOI_OK)
        return status;
    bool has_radius = traits != NULL && (traits->given & AOI_TRAIT_RADIUS);
    if (space->own_radii && !has_radius)
        return AOI_NO_RADIUS;
    set_radius_class(space, &entity);
    status = change_apply(space, &change);
    if (status == AOI_OK && space->keeper != NULL)
        set_kept_traits(space, space_find(space, id), traits);
    return status;
}

aoi_status change_enter_new(struct aoi_space *space, aoi_id id, aoi_point position,
                            const aoi_traits *traits) {
    if (entities_look_up(&space->entities, id) != NO_SLOT)
        return AOI_EXISTS;
    return choose_usual_after(space, 1, change_enter(space, id, position, NULL, traits));
}

aoi_status aoi_enter(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits) {
    if (!RECORD_CALL(space, .kind = CALL_ENTER, .id = id, .place = &position, .traits = traits))
        return AOI_NOMEM;
    return call_done(space, change_enter_new(space, id, position, traits));
}

aoi_status aoi_leave(aoi_space *space, aoi_id id) {
    const uint32_t slot = entities_look_up(&space->entities, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!RECORD_CALL(space, .kind = CALL_LEAVE, .id = id))
        return AOI_NOMEM;
    const aoi_status status = change_apply(space, &(struct change){.slot = slot});
    if (status == AOI_OK)
        idmap_trim(&space->entities.ids, &space->memory.entities, IDS_OF(space->entities.at, id));
    return call_done(space, choose_usual_after(space, 1, status));
}

aoi_status change_update(struct aoi_space *space, uint32_t slot, aoi_point position,
                         const aoi_point *anchor, const aoi_traits *traits) {
    struct entity after = space->entities.at[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status == AOI_OK)
        status = change_set_position(space, &after, position);
    if (status != AOI_OK)
        return status;
    if (traits != NULL && (traits->given & AOI_TRAIT_RADIUS))
        set_radius_class(space, &after);
    const struct change change = {.slot = slot,
                                  .after = &after,
                                  .place = {after.x, after.y, after.z},
                                  .visible = visible_by(traits, space_visible(space, slot)),
                                  .moved = true};
    if (anchor == NULL)
        change_keep_anchor(space, slot, &after);
    else
        status = set_anchor(space, &after, *anchor);
    if (status == AOI_OK)
        status = change_apply(space, &change);
    if (status == AOI_OK)
        set_kept_traits(space, slot, traits);
    return status;
}

aoi_status change_enter_or_update(struct aoi_space *space, aoi_id id, aoi_point position,
                                  const aoi_point *anchor, const aoi_traits *traits) {
    const uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return choose_usual_after(space, 1, change_enter(space, id, position, anchor, traits));
    return choose_usual_after(space, change_counts_for_usual(traits),
                              change_update(space, slot, position, anchor, traits));
}

aoi_status aoi_update(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits,
                      bool *entered) {
    if (entered != NULL)
        *entered = space_find(space, id) == NO_SLOT;
    if (!RECORD_CALL(space, .kind = CALL_UPDATE, .id = id, .place = &position, .traits = traits))
        return AOI_NOMEM;
    return call_done(space, change_enter_or_update(space, id, position, NULL, traits));
}

aoi_status aoi_enter_anchored(aoi_space *space, aoi_id id, aoi_point position, aoi_point anchor,
                              const aoi_traits *traits) {
    if (space_find(space, id) != NO_SLOT)
        return AOI_EXISTS;
    if (!RECORD_CALL(space, .kind = CALL_ENTER_ANCHORED, .id = id, .place = &position,
                     .anchor = &anchor, .traits = traits))
        return AOI_NOMEM;
    return call_done(space, change_enter_or_update(space, id, position, &anchor, traits));
}

aoi_status aoi_update_anchored(aoi_space *space, aoi_id id, aoi_point position, aoi_point anchor,
                               const aoi_traits *traits, bool *entered) {
    if (entered != NULL)
        *entered = space_find(space, id) == NO_SLOT;
    if (!RECORD_CALL(space, .kind = CALL_UPDATE_ANCHORED, .id = id, .place = &position,
                     .anchor = &anchor, .traits = traits))
        return AOI_NOMEM;
    return call_done(space, change_enter_or_update(space, id, position, &anchor, traits));
}

static aoi_status change_traits(struct aoi_space *space, uint32_t slot, const aoi_traits *traits) {
    struct entity after = space->entities.at[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status != AOI_OK)
        return status;
    if (traits->given & AOI_TRAIT_RADIUS)
        set_radius_class(space, &after);
    const struct change change = {.slot = slot,
                                  .after = &after,
                                  .place = space_place(space, slot),
                                  .visible = visible_by(traits, space_visible(space, slot))};
    status = change_apply(space, &change);
    if (status == AOI_OK)
        set_kept_traits(space, slot, traits);
    return choose_usual_after(space, change_counts_for_usual(traits), status);
}

aoi_status aoi_set_traits(aoi_space *space, aoi_id id, const aoi_traits *traits) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!RECORD_CALL(space, .kind = CALL_SET_TRAITS, .id = id, .traits = traits))
        return AOI_NOMEM;
    return call_done(space, change_traits(space, slot, traits));
}
