/*
 * move.c - aoi_move: the most frequent change, which has shorter courses than change_apply where
 * they come to the same.
 */
#include "base/always_inline.h"
#include "base/specialised.h"
#include "space/capability.h"
#include "space/change.h"
#include "space/course.h"
#include "space/recording.h"

/* The end of the short courses, when the index knows: the entity is truly at (x, y), and its
 * anchor, too, unless it stays. (Coordinates travel in registers: a struct of them would be written
 * to memory by parts and read as a whole, for which the processor has to wait.) */
static aoi_status arrive(struct aoi_space *space, uint32_t slot, bool stays, double x, double y) {
    struct entity *entity = &space->entities.at[slot];
    if (!stays) {
        entity->x = x;
        entity->y = y;
    }
    slack_set_place(&space->slack, slot, (aoi_point){x, y, 0});
    space_check(space);
    return AOI_OK;
}

static aoi_status note_move(struct aoi_space *space, uint32_t slot, double x, double y) {
    const struct entity *entity = &space->entities.at[slot];
    struct spatial_index *index = space->indexes.main;
    const bool late = space->late_moves.used;
    /* Without slack also who goes nowhere is noted: the order of events follows these notes. */
    const bool stays =
        space->slack.limit > 0 && slack_keeps_anchor(&space->slack, entity, (aoi_point){x, y, 0});
    if (!old_states_reserve_change(&space->old_states, slot) ||
        !(late ? late_moves_reserve(&space->late_moves) : index->engine->reserve(index)))
        return AOI_NOMEM;
    old_states_note_change(&space->old_states, slot);
    if (!stays) {
        if (late)
            late_moves_note(&space->late_moves, slot);
        else
            index->engine->relocate(index, slot, x, y);
    }
    return arrive(space, slot, stays, x, y);
}

static aoi_status search_for_move(struct aoi_space *space, uint32_t slot, double x, double y) {
    const struct entity *entity = &space->entities.at[slot];
    const uint32_t ops = space_ops(space);
    const bool stays = slack_keeps_anchor(&space->slack, entity, (aoi_point){x, y, 0});
    if (stays && !(ops & AOI_MOVE))
        return arrive(space, slot, true, x, y);
    const double anchor_x = stays ? entity->x : x, anchor_y = stays ? entity->y : y;
    struct spatial_index *index = space->indexes.main;
    if (!stays && !index->engine->reserve(index))
        return AOI_NOMEM;
    if (ops != 0) {
        if (!visibility_changes_by_move(&space->visibility, slot, anchor_x, anchor_y, ops))
            return AOI_NOMEM;
        aoi_status status = change_queue_events(space, entity->id);
        if (status != AOI_OK)
            return status;
    }
    if (!stays)
        index->engine->relocate(index, slot, x, y);
    return arrive(space, slot, stays, x, y);
}

ALWAYS_INLINE aoi_status take_step(struct aoi_space *space, uint32_t slot, double x, double y) {
    const uint32_t ops = space_ops(space);
    const step_function step = ops & AOI_MOVE ? space->step_with_moves : space->step;
    if (ops == 0)
        return search_for_move(space, slot, x, y);
    switch (step(space, slot, x, y)) {
    case STEP_TAKEN: return AOI_OK;
    case STEP_NO_MEMORY: return AOI_NOMEM;
    case STEP_OTHERWISE: break;
    }
    return search_for_move(space, slot, x, y);
}

static aoi_status change_by_move(struct aoi_space *space, uint32_t slot, aoi_point place) {
    struct entity after = space->entities.at[slot];
    const aoi_status status = change_set_position(space, &after, place);
    if (status != AOI_OK)
        return status;
    const struct change change = {.slot = slot,
                                  .after = &after,
                                  .place = {after.x, after.y, after.z},
                                  .visible = space_visible(space, slot),
                                  .moved = true};
    change_keep_anchor(space, slot, &after);
    return change_apply_alone(space, &change);
}

/* An entity that goes nowhere is not late here: the order of events follows these notes, too. */
static aoi_status note_move_of_cells(struct aoi_space *space, uint32_t slot, double x, double y) {
    struct entity *entity = &space->entities.at[slot];
    if (entity->x == x && entity->y == y)
        return change_by_move(space, slot, (aoi_point){x, y, 0});
    const aoi_status status = note_move(space, slot, x, y);
    if (status == AOI_OK)
        space_locate(space, entity);
    return status;
}

static aoi_status stay_in_cell(struct aoi_space *space, uint32_t slot, double x, double y) {
    struct spatial_index *index = space->indexes.main;
    if (space->deferred)
        return note_move_of_cells(space, slot, x, y);
    if ((space_ops(space) & AOI_MOVE) || !index->engine->cells->relocate_in_cell(index, slot, x, y))
        return change_by_move(space, slot, (aoi_point){x, y, 0});
    return arrive(space, slot, false, x, y);
}

/* All but what it means for a follower. A part of those that follow: to call it would cost more
 * than most of what it does. */
ALWAYS_INLINE aoi_status move_alone(struct aoi_space *space, uint32_t slot,
                                    const aoi_point *position) {
    const double x = position->x, y = position->y;
    if (map_holds(&space->map, x, y) && entity_is_usual(&space->entities.at[slot])) {
        if (space->usual_course == BY_STEP) /* by far the most */
            return take_step(space, slot, x, y);
        switch (space->usual_course) {
        case BY_SEARCH: return search_for_move(space, slot, x, y);
        case BY_NOTE: return note_move(space, slot, x, y);
        case IN_CELL: return stay_in_cell(space, slot, x, y);
        case BY_STEP:
        case BY_CHANGE: break;
        }
    }
    return change_by_move(space, slot, *position);
}

NEVER_INLINE static aoi_status move_followed(struct aoi_space *space, uint32_t slot,
                                             const aoi_point *position) {
    const aoi_point place = {position->x, position->y, space->dims == 3 ? position->z : 0};
    const struct entity *entity = &space->entities.at[slot];
    const struct capability *follower = space->follower;
    const enum following following = follower->before(space, slot, entity, &place);
    if (following == FOLLOWING_NO_MEMORY)
        return AOI_NOMEM;
    const aoi_status status = move_alone(space, slot, position);
    if (following == FOLLOWING_FOUND)
        follower->after(space, slot, entity, status == AOI_OK);
    return status;
}

ALWAYS_INLINE aoi_status move_in_slot(struct aoi_space *space, uint32_t slot,
                                      const aoi_point *position) {
    if (space->follower != NULL)
        return move_followed(space, slot, position);
    return move_alone(space, slot, position);
}

aoi_status change_move(struct aoi_space *space, uint32_t slot, aoi_point position) {
    return move_in_slot(space, slot, &position);
}

/* In very large spaces a step waits for the id map, then for the entity, then for those around it.
 * A step is short: who will be around is known from where it goes, so these are fetched at once.
 * In a row step.c does better. */
ALWAYS_INLINE void fetch_place(const struct aoi_space *space, aoi_point position) {
    const struct indexes *indexes = &space->indexes;
    if (WITH_LOOK_AHEAD && space->usual_course == BY_STEP && !space->in_row &&
        space->entities.count > VERY_LARGE_SPACE && map_holds(&space->map, position.x, position.y))
        indexes->engine->fetch(indexes->main, NO_SLOT, position.x, position.y,
                               indexes->usual_radius);
}

aoi_status aoi_move(aoi_space *space, aoi_id id, aoi_point position) {
    fetch_place(space, position);
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (!RECORD_CALL(space, .kind = CALL_MOVE, .id = id, .place = &position))
        return AOI_NOMEM;
    return call_done(space, move_in_slot(space, slot, &position));
}
