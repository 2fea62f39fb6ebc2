/*
 * batch.c - many changes in one call.
 *
 * A batch makes its changes row by row, like single calls, and keeps what it
 * takes to go back: when a row fails, the rows before it are taken back, which
 * never needs memory.
 */
#include "space/areas.h"
#include "space/change.h"
#include "space/look_ahead.h"
#include "space/rebuild.h"
#include "space/recording.h"

struct batch {
    struct aoi_space *space;
    void *undo; /* how things were before: an item for each row, unless item_size is 0 */
    size_t count, item_size;
    struct queue_mark pending, collected;
    size_t noted; /* states of changed entities */
    struct look_ahead ahead;
};

static bool batch_begin(struct batch *batch, struct aoi_space *space, const aoi_row *rows,
                        size_t count, size_t item_size, enum call_kind kind,
                        const aoi_traits *traits) {
    if (!RECORD_CALL(space, .kind = kind, .rows = rows, .count = count, .traits = traits))
        return false;
    *batch = (struct batch){.space = space,
                            .count = count,
                            .item_size = item_size,
                            .pending = queue_mark(&space->pending),
                            .collected = queue_mark(&space->collected),
                            .noted = space->old_states.count,
                            .ahead = look_ahead_of(space, rows, count)};
    if (count > 0 && item_size > 0) {
        batch->undo = memory_resize(&space->memory.scratch, NULL, 0, count, item_size);
        if (batch->undo == NULL) {
            call_done(space, AOI_NOMEM);
            return false;
        }
    }
    indexes_begin_batch(&space->indexes);
    if (space->areas != NULL)
        areas_begin_batch(space);
    return true;
}

/* What follows of the batch for the whole space. */
static aoi_status batch_end(struct batch *batch, aoi_status status) {
    indexes_end_batch(&batch->space->indexes);
    if (batch->space->areas != NULL)
        areas_end_batch(batch->space, status == AOI_OK);
    if (batch->undo != NULL)
        memory_resize(&batch->space->memory.scratch, batch->undo, batch->count, 0,
                      batch->item_size);
    space_check(batch->space);
    return call_done(batch->space, status);
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

/* ------------------------------------------------------------------ */
/* Entering                                                            */
/* ------------------------------------------------------------------ */

aoi_status aoi_enter_all(aoi_space *space, const aoi_row *rows, size_t count,
                         const aoi_traits *traits, size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, rows, count, 0, CALL_ENTER_ALL, traits))
        return fail_row(0, AOI_NOMEM, bad_row);
    aoi_status status = AOI_OK;
    size_t row = 0;
    for (; row < count; row++) {
        look_ahead(&batch.ahead, row);
        status = change_enter_new(space, rows[row].id, rows[row].position, traits);
        if (status != AOI_OK)
            break;
    }
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        while (row > 0)
            change_remove(space, space_find(space, rows[--row].id));
    }
    return batch_end(&batch, status);
}

/* ------------------------------------------------------------------ */
/* Moving                                                              */
/* ------------------------------------------------------------------ */

struct move_undo {
    uint32_t slot; /* NO_SLOT: the row did nothing */
    aoi_point position;
    aoi_point place; /* with slack */
};

static void take_back_move(struct aoi_space *space, const struct move_undo *undo) {
    if (undo->slot == NO_SLOT)
        return;
    struct entity before = space->entities.at[undo->slot];
    before.x = undo->position.x;
    before.y = undo->position.y;
    before.z = undo->position.z;
    space_locate(space, &before);
    change_entity(space, undo->slot, &before);
    slack_set_place(&space->slack, undo->slot, undo->place);
    if (space->areas != NULL)
        areas_follow(space, undo->slot);
}

/* Moves the entity of a row, and notes how it was. */
static aoi_status move_row(struct aoi_space *space, uint32_t slot, aoi_point position,
                           struct move_undo *undo) {
    const struct entity *entity = &space->entities.at[slot];
    undo->position = (aoi_point){entity->x, entity->y, entity->z};
    if (space->slack.limit > 0)
        undo->place = space_place(space, slot);
    return change_move(space, slot, position);
}

aoi_status aoi_move_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *skipped,
                        size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, rows, count, sizeof(struct move_undo),
                     skipped != NULL ? CALL_MOVE_KNOWN : CALL_MOVE_ALL, NULL))
        return fail_row(0, AOI_NOMEM, bad_row);
    struct move_undo *undo = batch.undo;
    aoi_status status = AOI_OK;
    size_t row = 0, unknown = 0;
    for (; row < count; row++) {
        const uint32_t slot = undo[row].slot = look_ahead(&batch.ahead, row);
        if (slot != NO_SLOT)
            status = move_row(space, slot, rows[row].position, &undo[row]);
        else if (skipped != NULL)
            unknown++;
        else
            status = AOI_NOT_FOUND;
        if (status != AOI_OK)
            break;
    }
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        while (row > 0)
            take_back_move(space, &undo[--row]);
        old_states_take_back(&space->old_states, batch.noted);
    } else if (skipped != NULL) {
        *skipped = unknown;
    }
    return batch_end(&batch, status);
}

/* ------------------------------------------------------------------ */
/* Entering or moving                                                  */
/* ------------------------------------------------------------------ */

struct update_undo {
    uint32_t slot; /* NO_SLOT: the row entered */
    struct entity before;
    aoi_point place;           /* with slack */
    struct crowd_traits crowd; /* in a crowd space */
};

static void take_back_update(struct aoi_space *space, aoi_id id, const struct update_undo *undo) {
    if (undo->slot == NO_SLOT) {
        change_remove(space, space_find(space, id));
        return;
    }
    change_entity(space, undo->slot, &undo->before);
    slack_set_place(&space->slack, undo->slot, undo->place);
    if (space->areas != NULL)
        areas_follow(space, undo->slot);
    if (space->crowd != NULL)
        space->crowd->members[undo->slot].traits = undo->crowd;
}

/* Enters the id of a row, or changes its entity and notes how that was. */
static aoi_status update_row(struct aoi_space *space, uint32_t slot, const aoi_row *row,
                             const aoi_traits *traits, struct update_undo *undo) {
    if (slot == NO_SLOT) /* a row since the look ahead may have entered it */
        slot = space_find(space, row->id);
    undo->slot = slot;
    if (slot == NO_SLOT)
        return change_enter(space, row->id, row->position, traits);
    undo->before = space->entities.at[slot];
    if (space->slack.limit > 0)
        undo->place = space_place(space, slot);
    if (space->crowd != NULL)
        undo->crowd = space->crowd->members[slot].traits;
    return change_update(space, slot, row->position, traits);
}

aoi_status aoi_update_all(aoi_space *space, const aoi_row *rows, size_t count,
                          const aoi_traits *traits, size_t *entered, size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, rows, count, sizeof(struct update_undo), CALL_UPDATE_ALL,
                     traits))
        return fail_row(0, AOI_NOMEM, bad_row);
    struct update_undo *undo = batch.undo;
    aoi_status status = AOI_OK;
    size_t row = 0, came = 0;
    for (; row < count; row++) {
        const uint32_t slot = look_ahead(&batch.ahead, row);
        status = update_row(space, slot, &rows[row], traits, &undo[row]);
        if (status != AOI_OK)
            break;
        came += undo[row].slot == NO_SLOT;
    }
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        for (; row > 0; row--)
            take_back_update(space, rows[row - 1].id, &undo[row - 1]);
        old_states_take_back(&space->old_states, batch.noted);
    } else if (entered != NULL) {
        *entered = came;
    }
    batch_end(&batch, status);
    /* Not sooner: the way back must find the indexes that the entities were in. */
    if (status == AOI_OK)
        rebuild_for_usual_radius(space, came + (count - came) * change_counts_for_usual(traits));
    return status;
}

/* ------------------------------------------------------------------ */
/* Leaving                                                             */
/* ------------------------------------------------------------------ */

struct leave_undo {
    uint32_t slot;
    uint8_t mode;
};

/* The same, but for what it means for areas. */
static aoi_status leave_row_alone(struct aoi_space *space, uint32_t slot, size_t row) {
    if (!space->deferred)
        return change_find_events(space, slot, NULL, false);
    return old_states_reserve(&space->old_states, row + 1) ? AOI_OK : AOI_NOMEM;
}

/* Finds out what it means that the entity of a row leaves. */
static aoi_status leave_row(struct aoi_space *space, uint32_t slot, size_t row) {
    if (slot == NO_SLOT || space->entities.at[slot].mode == 0)
        return AOI_NOT_FOUND;
    if (space->areas == NULL)
        return leave_row_alone(space, slot, row);
    if (!areas_find(space, slot, NULL, NULL))
        return AOI_NOMEM;
    const aoi_status status = leave_row_alone(space, slot, row);
    if (status == AOI_OK)
        areas_finish_row(space, slot);
    else
        areas_finish(space, slot, NULL, false);
    return status;
}

aoi_status aoi_leave_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *bad_row) {
    struct batch batch;
    if (!batch_begin(&batch, space, rows, count, sizeof(struct leave_undo), CALL_LEAVE_ALL, NULL))
        return fail_row(0, AOI_NOMEM, bad_row);
    struct leave_undo *undo = batch.undo;
    aoi_status status = AOI_OK;
    size_t row = 0;
    /* An entity without a mode sees nobody and is seen by nobody: gone as far as events go,
     * while the indexes, which might need memory to take it in again, still have it. */
    for (; row < count; row++) {
        const uint32_t slot = look_ahead(&batch.ahead, row);
        status = leave_row(space, slot, row);
        if (status != AOI_OK)
            break;
        undo[row] = (struct leave_undo){slot, space->entities.at[slot].mode};
        space->entities.at[slot].mode = 0;
    }
    for (size_t done = 0; done < row; done++)
        space->entities.at[undo[done].slot].mode = undo[done].mode;
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
        for (size_t done = 0; done < row && space->areas != NULL; done++)
            areas_follow(space, undo[done].slot);
    } else {
        for (size_t done = 0; done < row; done++)
            change_remove(space, undo[done].slot);
    }
    batch_end(&batch, status);
    if (status != AOI_OK)
        return status;
    entities_trim(&space->entities, &space->memory.entities);
    rebuild_for_usual_radius(space, count);
    return AOI_OK;
}
