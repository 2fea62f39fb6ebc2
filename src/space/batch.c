/*
 * batch.c - many changes in one call.
 *
 * A batch makes its changes row by row, like single calls, and keeps what it
 * takes to go back: when a row fails, the rows before it are taken back, which
 * never needs memory.
 */
#include "space/change.h"
#include "space/rebuild.h"

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
        indexes_begin_batch(&space->indexes);
    return batch->undo != NULL;
}

static void batch_end(struct batch *batch) {
    if (batch->undo == NULL)
        return;
    indexes_end_batch(&batch->space->indexes);
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
            change_remove(space, space_find(space, rows[--row].id));
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
            const struct entity *entity = &space->entities.at[slot];
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
            struct entity before = space->entities.at[undo->slot];
            before.x = undo->x;
            before.y = undo->y;
            before.z = undo->z;
            space_locate(space, &before);
            change_entity(space, undo->slot, &before);
            slack_set_place(&space->slack, undo->slot, undo->place);
        }
        old_states_take_back(&space->old_states, batch.noted);
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
        if (slot == NO_SLOT || space->entities.at[slot].mode == 0)
            status = AOI_NOT_FOUND;
        else
            status = !space->deferred ? change_find_events(space, slot, NULL, false)
                     : old_states_reserve(&space->old_states, row + 1) ? AOI_OK
                                                                       : AOI_NOMEM;
        if (status != AOI_OK)
            break;
        batch.undo[row].slot = slot;
        batch.undo[row].mode = space->entities.at[slot].mode;
        space->entities.at[slot].mode = 0;
    }
    for (size_t done = 0; done < row; done++)
        space->entities.at[batch.undo[done].slot].mode = batch.undo[done].mode;
    if (status != AOI_OK) {
        fail_row(row, status, bad_row);
        take_back_events(&batch);
    } else {
        for (size_t done = 0; done < row; done++)
            change_remove(space, batch.undo[done].slot);
    }
    batch_end(&batch);
    if (status == AOI_OK)
        rebuild_for_usual_radius(space, count);
    return status;
}
