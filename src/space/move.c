/*
 * move.c - aoi_move: the most frequent change, which has shorter courses than change_apply where
 * they come to the same.
 */
#include "space/change.h"

/*
 * How a move is made:
 *
 *     STEPS           a step in a grid, in one function: step.c
 *     SEARCHES        the same as other engines take it, without a copy of the entity
 *     IS_NOTED        a deferred space: a tick finds out what it means
 *     STAYS_IN_CELL   a classic nine-grid, as long as nobody listens for moves
 *     IS_A_CHANGE     any move, like any change
 */
enum course { STEPS, SEARCHES, IS_NOTED, STAYS_IN_CELL, IS_A_CHANGE };

/* The first that fits; STEPS and STAYS_IN_CELL find out on the way whether they do, and pass on to
 * the one below them. */
static inline enum course course_of(const struct aoi_space *space, const struct entity *entity,
                                    aoi_point to) {
    const enum sight_rule rule = space->visibility.rule;
    const uint32_t ops = space_ops(space);
    const bool flat_view = rule == SIGHT_SQUARE || rule == SIGHT_CIRCLE;
    const bool usual = flat_view && entity->radius_class == USUAL_RADIUS;
    if (!map_holds(&space->map, to.x, to.y))
        return IS_A_CHANGE;
    /* clang-format off */
    return  usual && space->deferred                   ? IS_NOTED
          : usual && space->step != NULL && ops != 0   ? STEPS
          : usual                                      ? SEARCHES
          : rule == SIGHT_CELLS && !space->deferred &&
            !(ops & AOI_MOVE)                          ? STAYS_IN_CELL
                                                       : IS_A_CHANGE;
    /* clang-format on */
}

/* The end of the short courses, when the index knows: the entity is truly at `place`, and its
 * anchor, too, unless it stays. */
static aoi_status arrive(struct aoi_space *space, uint32_t slot, bool stays, aoi_point place) {
    struct entity *entity = &space->entities.at[slot];
    if (!stays) {
        entity->x = place.x;
        entity->y = place.y;
    }
    slack_set_place(&space->slack, slot, place);
    space_check(space);
    return AOI_OK;
}

static aoi_status note_move(struct aoi_space *space, uint32_t slot, aoi_point place) {
    const struct entity *entity = &space->entities.at[slot];
    struct spatial_index *index = space->indexes.main;
    const bool late = space->late_moves.used;
    /* Without slack also who goes nowhere is noted: the order of events follows these notes. */
    const bool stays = space->slack.limit > 0 && slack_keeps_anchor(&space->slack, entity, place);
    if (!old_states_reserve_change(&space->old_states, slot) ||
        !(late ? late_moves_reserve(&space->late_moves) : index->engine->reserve(index)))
        return AOI_NOMEM;
    old_states_note_change(&space->old_states, slot);
    if (!stays) {
        if (late)
            late_moves_note(&space->late_moves, slot);
        else
            index->engine->relocate(index, slot, place.x, place.y);
    }
    return arrive(space, slot, stays, place);
}

static aoi_status search_for_move(struct aoi_space *space, uint32_t slot, aoi_point place) {
    const struct entity *entity = &space->entities.at[slot];
    const uint32_t ops = space_ops(space);
    const bool stays = slack_keeps_anchor(&space->slack, entity, place);
    const double x = stays ? entity->x : place.x, y = stays ? entity->y : place.y;
    struct spatial_index *index = space->indexes.main;
    if (!stays && !index->engine->reserve(index))
        return AOI_NOMEM;
    if ((!stays && ops != 0) || (ops & AOI_MOVE)) {
        if (!visibility_changes_by_move(&space->visibility, slot, x, y, ops))
            return AOI_NOMEM;
        aoi_status status = change_queue_events(space, entity->id);
        if (status != AOI_OK)
            return status;
    }
    if (!stays)
        index->engine->relocate(index, slot, x, y);
    return arrive(space, slot, stays, place);
}

static aoi_status take_step(struct aoi_space *space, uint32_t slot, aoi_point place) {
    const step_function step = space_ops(space) & AOI_MOVE ? space->step_with_moves : space->step;
    switch (step(space, slot, place.x, place.y)) {
    case STEP_TAKEN: return AOI_OK;
    case STEP_NO_MEMORY: return AOI_NOMEM;
    case STEP_OTHERWISE: break;
    }
    return search_for_move(space, slot, place);
}

static aoi_status change_by_move(struct aoi_space *space, uint32_t slot, aoi_point place) {
    struct entity after = space->entities.at[slot];
    aoi_status status = change_set_position(space, &after, place);
    return status == AOI_OK ? change_apply_move(space, slot, &after) : status;
}

static aoi_status stay_in_cell(struct aoi_space *space, uint32_t slot, aoi_point place) {
    struct spatial_index *index = space->indexes.main;
    if (!index->engine->cells->relocate_in_cell(index, slot, place.x, place.y))
        return change_by_move(space, slot, place);
    return arrive(space, slot, false, place);
}

aoi_status aoi_move(aoi_space *space, aoi_id id, aoi_point position) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (space->dims == 2)
        position.z = 0;
    switch (course_of(space, &space->entities.at[slot], position)) {
    case STEPS: return take_step(space, slot, position);
    case SEARCHES: return search_for_move(space, slot, position);
    case IS_NOTED: return note_move(space, slot, position);
    case STAYS_IN_CELL: return stay_in_cell(space, slot, position);
    case IS_A_CHANGE: break;
    }
    return change_by_move(space, slot, position);
}
