/*
 * change.c - the calls that change a space: enter, move, leave, ..., one by
 * one and in batches.
 *
 * Every change runs the same course (apply): reserve what it may need, find
 * out what it means for the pairs, reserve the events; from there on nothing
 * can fail, and the events are queued and the entity is changed.
 *
 * A batch does so row by row, and keeps what it takes to go back: when a row
 * fails, the rows before it are taken back, which never needs memory.
 */
#include "space/change.h"

#include <math.h>
#include <string.h>

#include "index/grid.h"
#include "space/space.h"
#include "sight/visibility.h"

/* With slack: a true place for every slot that there may be. False: no memory. */
static bool reserve_places(struct aoi_space *space) {
    if (space->slack == 0 || space->place_capacity == space->capacity)
        return true;
    aoi_point *places = memory_resize(&space->memory, space->places, space->place_capacity,
                                      space->capacity, sizeof *places);
    if (places == NULL)
        return false;
    space->places = places;
    space->place_capacity = space->capacity;
    return true;
}

/* Room for one more entity. False: no memory, or as many as a space can have. */
static bool reserve_entity(struct aoi_space *space) {
    if (space->free_slot == NO_SLOT && space->used_slots == space->capacity) {
        size_t capacity = memory_next_capacity(space->capacity, (size_t)space->used_slots + 1);
        if (capacity == 0 || space->used_slots >= MOST_SLOTS)
            return false;
        if (capacity > MOST_SLOTS)
            capacity = MOST_SLOTS;
        if (!aligned_grow(&space->memory, &space->entity_array, space->used_slots, capacity,
                          sizeof(struct entity)))
            return false;
        space->entities = space->entity_array.items;
        space->capacity = (uint32_t)capacity;
    }
    return reserve_places(space) && idmap_reserve(&space->ids, &space->memory, space->entities, 1);
}

static uint32_t take_slot(struct aoi_space *space) {
    uint32_t slot = space->free_slot;
    if (slot == NO_SLOT) {
        space->entities[space->used_slots].late = 0;
        return space->used_slots++;
    }
    space->free_slot = space->entities[slot].next_free_slot;
    return slot;
}

static size_t count_changes(const struct aoi_space *space) {
    size_t count = 0;
    for (int i = 0; i < CHANGE_LISTS; i++)
        count += space->changes[i].count;
    return count;
}

static void append_events(const struct aoi_space *space, struct queue *queue, aoi_id id,
                          uint32_t ops) {
    static const uint32_t flags[CHANGE_LISTS] = {
        [LEFT_MARKERS] = AOI_LEAVE | SEGMENT_SUBJECT_WATCHES,
        [LEFT_WATCHERS] = AOI_LEAVE,
        [ENTERED_MARKERS] = AOI_ENTER | SEGMENT_SUBJECT_WATCHES,
        [ENTERED_WATCHERS] = AOI_ENTER,
        [MOVED_WATCHERS] = AOI_MOVE,
    };
    queue_begin_change(queue);
    for (int i = 0; i < CHANGE_LISTS; i++) {
        if (flags[i] & ops)
            queue_append(queue, id, flags[i], space->changes[i].ids, space->changes[i].count);
    }
}

/* Changes the indexes and the entity from what it is to `after`; room is reserved. */
static void change_entity(struct aoi_space *space, uint32_t slot, const struct entity *after) {
    struct entity *entity = &space->entities[slot];
    bool was_unusual = in_radius_class(entity), is_unusual = in_radius_class(after);
    bool stays_unusual = was_unusual && is_unusual && entity->radius == after->radius;
    if (was_unusual && !stays_unusual)
        radius_class_remove(space, slot);
    bool moves = entity->x != after->x || entity->y != after->y;
    if (moves && space_moves_late(space)) {
        late_moves_note(space, slot);
    } else if (moves) {
        space->main_index->engine->relocate(space->main_index, slot, after->x, after->y);
        if (stays_unusual) {
            struct spatial_index *index = space->classes[entity->radius_class].index;
            index->engine->relocate(index, slot, after->x, after->y);
        }
    }
    entity->x = after->x;
    entity->y = after->y;
    entity->z = after->z;
    entity->radius = after->radius; /* or the cell, which shares its place */
    entity->layer = after->layer;
    entity->sees = after->sees;
    entity->mode = after->mode;
    entity->radius_class = after->radius_class;
    if (is_unusual && !stays_unusual)
        radius_class_add(space, slot);
}

/* Returns its slot. */
static uint32_t add_entity(struct aoi_space *space, const struct entity *entity) {
    uint32_t slot = take_slot(space);
    const uint8_t late = space->entities[slot].late;
    space->entities[slot] = *entity;
    space->entities[slot].late = late;
    if (space->slack > 0)
        space->places[slot] = (aoi_point){entity->x, entity->y, entity->z};
    idmap_add(&space->ids, space->entities, slot);
    space->main_index->engine->insert(space->main_index, slot);
    if (in_radius_class(entity))
        radius_class_add(space, slot);
    space->count++;
    return slot;
}

static void remove_entity(struct aoi_space *space, uint32_t slot) {
    struct entity *entity = &space->entities[slot];
    if (space->deferred)
        old_states_note_leave(space, slot);
    if (in_radius_class(entity))
        radius_class_remove(space, slot);
    space->main_index->engine->remove(space->main_index, slot);
    idmap_remove(&space->ids, space->entities, slot);
    entity->mode = 0;
    entity->next_free_slot = space->free_slot;
    space->free_slot = slot;
    space->count--;
}

/* True when nobody's view changes: most moves are such inside the slack, and inside the cells of a
 * classic nine-grid. */
static bool stands_still(const struct aoi_space *space, const struct entity *before,
                         const struct entity *after) {
    bool same_place = space->rule == SIGHT_CELLS
                          ? before->cell.x == after->cell.x && before->cell.y == after->cell.y
                          : before->x == after->x && before->y == after->y &&
                                before->z == after->z && before->radius == after->radius;
    return same_place && entities_alike(before, after);
}

aoi_status change_queue_events(struct aoi_space *space, aoi_id id) {
    size_t events = count_changes(space);
    if (events == 0)
        return AOI_OK;
    if (!queue_reserve(&space->pending, &space->memory, CHANGE_LISTS, events) ||
        (space->collect != 0 &&
         !queue_reserve(&space->collected, &space->memory, CHANGE_LISTS, events)))
        return AOI_NOMEM;
    append_events(space, &space->pending, id, space->listen);
    if (space->collect != 0)
        append_events(space, &space->collected, id, space->collect);
    return AOI_OK;
}

/* Finds out and queues the events of a change that is about to be made; see apply. */
static aoi_status queue_changes(struct aoi_space *space, uint32_t slot, const struct entity *after,
                                bool moved) {
    aoi_id id = after != NULL ? after->id : space->entities[slot].id;
    uint32_t ops = space->listen | space->collect;
    if (moved && !(ops & AOI_MOVE) && stands_still(space, &space->entities[slot], after))
        return AOI_OK;
    if (!visibility_changes(space, slot, after, moved, ops))
        return AOI_NOMEM;
    return change_queue_events(space, id);
}

/* Room for the entity in slot (NO_SLOT: a new one) to become `after`. False: no memory. */
static bool reserve_room(struct aoi_space *space, uint32_t slot, const struct entity *after) {
    return (slot != NO_SLOT || reserve_entity(space)) &&
           space->main_index->engine->reserve(space->main_index) &&
           (!in_radius_class(after) || radius_class_reserve(space, after->radius_class));
}

/* The same for a deferred space to note what the entity in slot was. */
static aoi_status reserve_old_state(struct aoi_space *space, uint32_t slot,
                                    const struct entity *after) {
    bool reserved = after == NULL ? old_states_reserve_leave(space, slot)
                                  : old_states_reserve(space, 1) && late_moves_reserve(space);
    return reserved ? AOI_OK : AOI_NOMEM;
}

/* The course of every change: the entity in slot (NO_SLOT: a new one) becomes after (NULL: it
 * leaves). */
static aoi_status apply(struct aoi_space *space, uint32_t slot, const struct entity *after,
                        bool moved) {
    if (after != NULL && !reserve_room(space, slot, after))
        return AOI_NOMEM;
    aoi_status status = space->deferred ? reserve_old_state(space, slot, after)
                                        : queue_changes(space, slot, after, moved);
    if (status != AOI_OK)
        return status;
    if (after == NULL) {
        remove_entity(space, slot);
    } else if (slot == NO_SLOT) {
        uint32_t entered = add_entity(space, after);
        if (space->deferred)
            old_states_note_enter(space, entered);
    } else {
        if (space->deferred)
            old_states_note_change(space, slot);
        change_entity(space, slot, after);
    }
    space_check(space);
    return AOI_OK;
}

static aoi_status set_position(const struct aoi_space *space, struct entity *entity,
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
    if (space->rule == SIGHT_CELLS)
        grid_locate(space, entity);
    return AOI_OK;
}

static aoi_status set_traits(const struct aoi_space *space, struct entity *entity,
                             const aoi_traits *traits) {
    if (traits == NULL)
        return AOI_OK;
    if (traits->given & AOI_TRAIT_RADIUS) {
        if (space->rule == SIGHT_CELLS)
            return AOI_RADIUS_UNUSED;
        if (!(traits->radius >= 0))
            return AOI_INVALID;
        entity->radius = traits->radius;
    }
    if (traits->given & AOI_TRAIT_MODE) {
        if (traits->mode < AOI_WATCHER || traits->mode > (AOI_WATCHER | AOI_MARKER))
            return AOI_INVALID;
        entity->mode = (uint8_t)traits->mode;
    }
    if (traits->given & AOI_TRAIT_LAYER)
        entity->layer = traits->layer;
    if (traits->given & AOI_TRAIT_SEES)
        entity->sees = traits->sees;
    return AOI_OK;
}

static void set_radius_class(struct aoi_space *space, struct entity *entity) {
    if (space->rule == SIGHT_CELLS)
        return;
    /* Without a default, the first entity of an empty space says what is usual, for now. */
    if (space->count == 0 && !space->has_default_radius)
        space->usual_radius = entity->radius;
    entity->radius_class = (uint8_t)radius_class_of(space, entity->radius);
}

/* Passes on the status of so many changes; after them another radius may be the usual one. */
static aoi_status choose_usual_after(struct aoi_space *space, size_t changes, aoi_status status) {
    if (status == AOI_OK)
        radius_class_choose_usual(space, changes);
    return status;
}

/* 1 for traits that count as such a change. */
static size_t counts_for_usual(const aoi_traits *traits) {
    return traits != NULL && (traits->given & (AOI_TRAIT_RADIUS | AOI_TRAIT_MODE)) ? 1 : 0;
}

aoi_status aoi_enter(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits) {
    if (space_find(space, id) != NO_SLOT)
        return AOI_EXISTS;
    struct entity entity = {.id = id,
                            .radius = space->default_radius,
                            .layer = 1,
                            .sees = UINT32_MAX,
                            .mode = AOI_WATCHER | AOI_MARKER};
    aoi_status status = set_traits(space, &entity, traits);
    if (status == AOI_OK)
        status = set_position(space, &entity, position);
    if (status != AOI_OK)
        return status;
    bool has_radius = traits != NULL && (traits->given & AOI_TRAIT_RADIUS);
    if (space->rule != SIGHT_CELLS && !space->has_default_radius && !has_radius)
        return AOI_NO_RADIUS;
    set_radius_class(space, &entity);
    return choose_usual_after(space, 1, apply(space, NO_SLOT, &entity, false));
}

bool change_restore(struct aoi_space *space, const struct entity *entity, aoi_point place) {
    if (!reserve_room(space, NO_SLOT, entity))
        return false;
    uint32_t slot = add_entity(space, entity);
    if (space->slack > 0)
        space->places[slot] = place;
    return true;
}

/* With slack: the change of an entity that is placed where `after` says. */
static aoi_status apply_with_slack(struct aoi_space *space, uint32_t slot, struct entity *after) {
    const struct entity *entity = &space->entities[slot];
    const aoi_point place = {after->x, after->y, after->z};
    if (space_within_slack(space, entity, place)) {
        after->x = entity->x;
        after->y = entity->y;
        after->z = entity->z;
    }
    aoi_status status = apply(space, slot, after, true);
    if (status == AOI_OK)
        space->places[slot] = place;
    return status;
}

/* The change of an entity that is placed where `after` says. */
static aoi_status apply_move(struct aoi_space *space, uint32_t slot, struct entity *after) {
    return space->slack > 0 ? apply_with_slack(space, slot, after)
                            : apply(space, slot, after, true);
}

/* True for most moves of a classic nine-grid: inside a cell, and nobody listens for moves. */
static bool is_silent_in_cell(const struct aoi_space *space, const struct entity *before,
                              const struct entity *after) {
    return space->rule == SIGHT_CELLS && !space->deferred && before->cell.x == after->cell.x &&
           before->cell.y == after->cell.y && !((space->listen | space->collect) & AOI_MOVE);
}

/* Any move. */
static aoi_status move_anyhow(struct aoi_space *space, uint32_t slot, aoi_point position) {
    struct entity after = space->entities[slot];
    aoi_status status = set_position(space, &after, position);
    if (status != AOI_OK)
        return status;
    if (is_silent_in_cell(space, &space->entities[slot], &after)) {
        grid_step_in_cell(space, slot, &after);
        space_check(space);
        return AOI_OK;
    }
    return apply_move(space, slot, &after);
}

/* True for the usual move: on the map, of an entity whose view is a square or a circle of the usual
 * radius. */
static bool is_plain_move(const struct aoi_space *space, uint32_t slot, double x, double y) {
    return (space->rule == SIGHT_SQUARE || space->rule == SIGHT_CIRCLE) &&
           map_holds(&space->map, x, y) && space->entities[slot].radius_class == USUAL_RADIUS;
}

/* The end of the usual moves, when the index has been told: the entity is truly at `place`, and
 * its anchor, too, unless it stays. */
static aoi_status arrive(struct aoi_space *space, uint32_t slot, bool stays, aoi_point place) {
    struct entity *entity = &space->entities[slot];
    if (!stays) {
        entity->x = place.x;
        entity->y = place.y;
    }
    if (space->slack > 0)
        space->places[slot] = place;
    space_check(space);
    return AOI_OK;
}

/* The usual move in a deferred space: a tick finds out what it means. */
static aoi_status move_deferred(struct aoi_space *space, uint32_t slot, double x, double y) {
    const struct entity *entity = &space->entities[slot];
    struct spatial_index *index = space->main_index;
    const aoi_point place = {x, y, 0};
    const bool late = space_moves_late(space);
    const bool stays = space->slack > 0 && space_within_slack(space, entity, place);
    if (!old_states_reserve_change(space, slot) ||
        !(late ? late_moves_reserve(space) : index->engine->reserve(index)))
        return AOI_NOMEM;
    old_states_note_change(space, slot);
    if (!stays) {
        if (late)
            late_moves_note(space, slot);
        else
            index->engine->relocate(index, slot, x, y);
    }
    return arrive(space, slot, stays, place);
}

/* The usual move, on the same course as apply, but without a copy of the entity. */
static aoi_status move_plainly(struct aoi_space *space, uint32_t slot, double x, double y) {
    const struct entity *entity = &space->entities[slot];
    const uint32_t ops = space->listen | space->collect;
    const aoi_point place = {x, y, 0};
    const bool stays = space_within_slack(space, entity, place);
    const double anchor_x = stays ? entity->x : x, anchor_y = stays ? entity->y : y;
    struct spatial_index *index = space->main_index;
    if (!stays && !index->engine->reserve(index))
        return AOI_NOMEM;
    if ((!stays && ops != 0) || (ops & AOI_MOVE)) {
        if (!visibility_changes_by_move(space, slot, anchor_x, anchor_y, ops))
            return AOI_NOMEM;
        aoi_status status = change_queue_events(space, entity->id);
        if (status != AOI_OK)
            return status;
    }
    if (!stays)
        index->engine->relocate(index, slot, x, y);
    return arrive(space, slot, stays, place);
}

aoi_status aoi_move(aoi_space *space, aoi_id id, aoi_point position) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    if (is_plain_move(space, slot, position.x, position.y)) {
        const uint32_t ops = space->listen | space->collect;
        const step_function step = ops & AOI_MOVE ? space->step_with_moves : space->step;
        enum step_outcome outcome = STEP_OTHERWISE;
        if (step != NULL && ops != 0)
            outcome = step(space, slot, position.x, position.y);
        if (outcome != STEP_OTHERWISE)
            return outcome == STEP_TAKEN ? AOI_OK : AOI_NOMEM;
        return (space->deferred ? move_deferred : move_plainly)(space, slot, position.x,
                                                                position.y);
    }
    return move_anyhow(space, slot, position);
}

aoi_status aoi_leave(aoi_space *space, aoi_id id) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    return choose_usual_after(space, 1, apply(space, slot, NULL, false));
}

aoi_status aoi_update(aoi_space *space, aoi_id id, aoi_point position, const aoi_traits *traits,
                      bool *entered) {
    uint32_t slot = space_find(space, id);
    if (entered != NULL)
        *entered = slot == NO_SLOT;
    if (slot == NO_SLOT)
        return aoi_enter(space, id, position, traits);
    struct entity after = space->entities[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status == AOI_OK)
        status = set_position(space, &after, position);
    if (status != AOI_OK)
        return status;
    if (traits != NULL && (traits->given & AOI_TRAIT_RADIUS))
        set_radius_class(space, &after);
    return choose_usual_after(space, counts_for_usual(traits), apply_move(space, slot, &after));
}

aoi_status aoi_set_traits(aoi_space *space, aoi_id id, const aoi_traits *traits) {
    uint32_t slot = space_find(space, id);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    struct entity after = space->entities[slot];
    aoi_status status = set_traits(space, &after, traits);
    if (status != AOI_OK)
        return status;
    if (traits->given & AOI_TRAIT_RADIUS)
        set_radius_class(space, &after);
    return choose_usual_after(space, counts_for_usual(traits), apply(space, slot, &after, false));
}

/* ------------------------------------------------------------------ */
/* Batches                                                             */
/* ------------------------------------------------------------------ */

aoi_status aoi_rows(aoi_space *space, size_t count, aoi_row **rows) {
    if (count > space->row_capacity) {
        aoi_row *grown = memory_grow(&space->memory, space->row_scratch, &space->row_capacity,
                                     count, sizeof *grown);
        if (grown == NULL)
            return AOI_NOMEM;
        space->row_scratch = grown;
    }
    *rows = space->row_scratch;
    return AOI_OK;
}

/* How things were before a row: enough to take it back. */
struct undo {
    uint32_t slot; /* NO_SLOT: the row did nothing */
    uint8_t mode;
    double x, y, z;
    aoi_point place; /* with slack */
};

struct batch {
    struct aoi_space *space;
    struct undo *undo; /* one per row */
    size_t count;      /* rows */
    struct queue_mark pending, collected;
    size_t noted; /* states of changed entities */
};

/* Calls begin_batch or end_batch of every index that there is. */
static void tell_indexes(struct aoi_space *space, bool begins) {
    for (int i = 0; i <= RADIUS_CLASSES; i++) {
        struct spatial_index *index =
            i == RADIUS_CLASSES ? space->main_index : space->classes[i].index;
        if (index == NULL)
            continue;
        void (*tell)(struct spatial_index *) =
            begins ? index->engine->begin_batch : index->engine->end_batch;
        if (tell != NULL)
            tell(index);
    }
}

static bool batch_begin(struct batch *batch, struct aoi_space *space, size_t count) {
    *batch = (struct batch){space,
                            NULL,
                            count,
                            queue_mark(&space->pending),
                            queue_mark(&space->collected),
                            space->old_states.count};
    if (count == 0)
        return true;
    batch->undo = memory_resize(&space->memory, NULL, 0, count, sizeof *batch->undo);
    if (batch->undo != NULL)
        tell_indexes(space, true);
    return batch->undo != NULL;
}

static void batch_end(struct batch *batch) {
    if (batch->undo == NULL)
        return;
    tell_indexes(batch->space, false);
    memory_resize(&batch->space->memory, batch->undo, batch->count, 0, sizeof *batch->undo);
    space_check(batch->space);
}

static void take_back_events(struct batch *batch) {
    queue_take_back(&batch->space->pending, batch->pending);
    queue_take_back(&batch->space->collected, batch->collected);
}

static aoi_status fail_row(size_t row, aoi_status status, size_t *bad_row) {
    if (bad_row != NULL)
        *bad_row = row;
    return status;
}

aoi_status aoi_enter_all(aoi_space *space, const aoi_row *rows, size_t count,
                         const aoi_traits *traits, size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, count))
        return fail_row(0, AOI_NOMEM, bad_row);
    aoi_status status = AOI_OK;
    size_t row = 0;
    while (row < count &&
           (status = aoi_enter(space, rows[row].id, rows[row].position, traits)) == AOI_OK)
        row++;
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        while (row > 0)
            remove_entity(space, space_find(space, rows[--row].id));
    }
    batch_end(&batch);
    return status;
}

aoi_status aoi_move_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *skipped,
                        size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, count))
        return fail_row(0, AOI_NOMEM, bad_row);
    aoi_status status = AOI_OK;
    size_t row = 0, unknown = 0;
    for (; row < count; row++) {
        uint32_t slot = space_find(space, rows[row].id);
        batch.undo[row].slot = slot;
        if (slot == NO_SLOT && skipped != NULL) {
            unknown++;
            continue;
        }
        if (slot != NO_SLOT) {
            const struct entity *entity = &space->entities[slot];
            batch.undo[row] = (struct undo){slot,      entity->mode, entity->x,
                                            entity->y, entity->z,    space_place(space, slot)};
        }
        status = aoi_move(space, rows[row].id, rows[row].position);
        if (status != AOI_OK)
            break;
    }
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        while (row > 0) {
            const struct undo *undo = &batch.undo[--row];
            if (undo->slot == NO_SLOT)
                continue;
            struct entity before = space->entities[undo->slot];
            before.x = undo->x;
            before.y = undo->y;
            before.z = undo->z;
            if (space->rule == SIGHT_CELLS)
                grid_locate(space, &before);
            change_entity(space, undo->slot, &before);
            if (space->slack > 0)
                space->places[undo->slot] = undo->place;
        }
        old_states_take_back(space, batch.noted);
    } else if (skipped != NULL) {
        *skipped = unknown;
    }
    batch_end(&batch);
    return status;
}

aoi_status aoi_leave_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, count))
        return fail_row(0, AOI_NOMEM, bad_row);
    aoi_status status = AOI_OK;
    size_t row = 0;
    /* An entity without a mode sees nobody and is seen by nobody: gone as far as events go,
     * while the indexes, which might need memory to take it in again, still have it. */
    for (; row < count; row++) {
        uint32_t slot = space_find(space, rows[row].id);
        if (slot == NO_SLOT || space->entities[slot].mode == 0)
            status = AOI_NOT_FOUND;
        else
            status = !space->deferred                     ? queue_changes(space, slot, NULL, false)
                     : old_states_reserve(space, row + 1) ? AOI_OK
                                                          : AOI_NOMEM;
        if (status != AOI_OK)
            break;
        batch.undo[row].slot = slot;
        batch.undo[row].mode = space->entities[slot].mode;
        space->entities[slot].mode = 0;
    }
    for (size_t done = 0; done < row; done++)
        space->entities[batch.undo[done].slot].mode = batch.undo[done].mode;
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
    } else {
        for (size_t done = 0; done < row; done++)
            remove_entity(space, batch.undo[done].slot);
    }
    batch_end(&batch);
    return choose_usual_after(space, count, status);
}
