/*
 * batch.c - many changes in one call.
 *
 * A batch makes its changes row by row, like single calls, and keeps what it
 * takes to go back: when a row fails, the rows before it are taken back, which
 * never needs memory. Each kind of batch says how a row is made, and how it is
 * taken back.
 */
#include "base/always_inline.h"
#include "space/capability.h"
#include "space/change.h"
#include "space/look_ahead.h"
#include "space/rebuild.h"
#include "space/recording.h"

struct batch {
    struct aoi_space *space;
    const aoi_row *rows;
    const aoi_traits *traits; /* enter_all, update_all */
    size_t count, counted;    /* rows; those passed over, or that entered */
    size_t *bad_row;          /* set to the number of the row that fails; or NULL */
    bool skips;               /* move_all: unknown ids are passed over */
    void *undo;               /* how things were before: an item for each row, unless it is 0 */
    size_t item_size;
    struct queue_mark pending, collected;
    size_t noted;   /* states of changed entities */
    size_t visible; /* notes of visible radii */
    size_t words;   /* leave_all: about pairs, that will end */
    struct look_ahead ahead;
};

/* Makes a row. slot: of its id, as the look ahead has found it. */
typedef aoi_status (*row_maker)(struct batch *batch, size_t row, uint32_t slot);
/* Takes back a row that was made; the rows behind it have been. */
typedef void (*row_undoer)(struct batch *batch, size_t row);

/* Records the call, and sets up what the batch works with. */
static bool begin_batch(struct batch *batch, enum call_kind kind) {
    struct aoi_space *space = batch->space;
    if (batch->bad_row != NULL)
        *batch->bad_row = 0;
    if (!RECORD_CALL(space, .kind = kind, .rows = batch->rows, .count = batch->count,
                     .traits = batch->traits))
        return false;
    batch->pending = queue_mark(&space->pending);
    batch->collected = queue_mark(&space->collected);
    batch->noted = space->old_states.count;
    batch->visible = space->visibility.beacons.former.count;
    batch->ahead = look_ahead_of(space, batch->rows, batch->count);
    if (batch->count > 0 && batch->item_size > 0) {
        batch->undo =
            memory_resize(&space->memory.scratch, NULL, 0, batch->count, batch->item_size);
        if (batch->undo == NULL) {
            call_done(space, AOI_NOMEM);
            return false;
        }
    }
    indexes_begin_batch(&space->indexes);
    if (space->follower != NULL)
        space->follower->begin_batch(space);
    return true;
}

/* Ends the batch. */
static aoi_status end(struct batch *batch, aoi_status status) {
    indexes_end_batch(&batch->space->indexes);
    if (batch->space->follower != NULL)
        batch->space->follower->end_batch(batch->space, status == AOI_OK);
    if (batch->undo != NULL)
        memory_resize(&batch->space->memory.scratch, batch->undo, batch->count, 0,
                      batch->item_size);
    space_check(batch->space);
    return call_done(batch->space, status);
}

/* Makes the rows, all or none. Part of each kind of batch: to call these for each row would be
 * felt. */
ALWAYS_INLINE aoi_status make_rows(struct batch *batch, row_maker make, row_undoer take_back) {
    struct aoi_space *space = batch->space;
    struct look_ahead ahead = batch->ahead;
    const size_t count = batch->count;
    aoi_status status = AOI_OK;
    size_t row = 0;
    for (; row < count; row++) {
        status = make(batch, row, look_ahead(&ahead, row));
        if (status != AOI_OK)
            break;
    }
    if (status == AOI_OK)
        return AOI_OK;
    if (batch->bad_row != NULL)
        *batch->bad_row = row;
    queue_take_back(&space->pending, batch->pending);
    queue_take_back(&space->collected, batch->collected);
    while (row > 0)
        take_back(batch, --row);
    old_states_take_back(&space->old_states, batch->noted);
    beacons_forget_former(&space->visibility.beacons, batch->visible);
    visibility_count_exceptions(&space->visibility);
    return status;
}

/* ------------------------------------------------------------------ */
/* Entering                                                            */
/* ------------------------------------------------------------------ */

static aoi_status enter_row(struct batch *batch, size_t row, uint32_t slot) {
    (void)slot;
    return change_enter_new(batch->space, batch->rows[row].id, batch->rows[row].position,
                            batch->traits);
}

static void take_back_enter(struct batch *batch, size_t row) {
    change_remove(batch->space, space_find(batch->space, batch->rows[row].id));
}

aoi_status aoi_enter_all(aoi_space *space, const aoi_row *rows, size_t count,
                         const aoi_traits *traits, size_t *bad_row) {
    struct batch batch = {
        .space = space, .rows = rows, .traits = traits, .count = count, .bad_row = bad_row};
    if (!begin_batch(&batch, CALL_ENTER_ALL))
        return AOI_NOMEM;
    return end(&batch, make_rows(&batch, enter_row, take_back_enter));
}

/* ------------------------------------------------------------------ */
/* Moving                                                              */
/* ------------------------------------------------------------------ */

struct move_undo {
    uint32_t slot; /* NO_SLOT: the row did nothing */
    aoi_point position;
    aoi_point place; /* with slack */
};

static void take_back_move(struct batch *batch, size_t row) {
    struct aoi_space *space = batch->space;
    const struct move_undo *undo = (const struct move_undo *)batch->undo + row;
    if (undo->slot == NO_SLOT)
        return;
    struct entity before = space->entities.at[undo->slot];
    before.x = undo->position.x;
    before.y = undo->position.y;
    before.z = undo->position.z;
    space_locate(space, &before);
    change_entity(space, undo->slot, &before, space_visible(space, undo->slot));
    slack_set_place(&space->slack, undo->slot, undo->place);
    if (space->follower != NULL)
        space->follower->follow(space, undo->slot);
}

/* Moves the entity of a row, and notes how it was. */
static aoi_status move_row(struct batch *batch, size_t row, uint32_t slot) {
    struct aoi_space *space = batch->space;
    struct move_undo *undo = (struct move_undo *)batch->undo + row;
    undo->slot = slot;
    if (slot == NO_SLOT) {
        batch->counted++;
        return batch->skips ? AOI_OK : AOI_NOT_FOUND;
    }
    const struct entity *entity = &space->entities.at[slot];
    undo->position = (aoi_point){entity->x, entity->y, entity->z};
    if (space->slack.limit > 0)
        undo->place = space_place(space, slot);
    return change_move(space, slot, batch->rows[row].position);
}

aoi_status aoi_move_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *skipped,
                        size_t *bad_row) {
    struct batch batch = {.space = space,
                          .rows = rows,
                          .count = count,
                          .bad_row = bad_row,
                          .skips = skipped != NULL,
                          .item_size = sizeof(struct move_undo)};
    if (!begin_batch(&batch, batch.skips ? CALL_MOVE_KNOWN : CALL_MOVE_ALL))
        return AOI_NOMEM;
    const aoi_status status = make_rows(&batch, move_row, take_back_move);
    if (status == AOI_OK && skipped != NULL)
        *skipped = batch.counted;
    return end(&batch, status);
}

/* ------------------------------------------------------------------ */
/* Entering or moving                                                  */
/* ------------------------------------------------------------------ */

struct update_undo {
    uint32_t slot; /* NO_SLOT: the row entered */
    struct entity before;
    double visible;
    aoi_point place;          /* with slack */
    struct crowd_traits kept; /* with a keeper */
};

static void take_back_update(struct batch *batch, size_t row) {
    struct aoi_space *space = batch->space;
    const struct update_undo *undo = (const struct update_undo *)batch->undo + row;
    if (undo->slot == NO_SLOT) {
        take_back_enter(batch, row);
        return;
    }
    change_entity(space, undo->slot, &undo->before, undo->visible);
    slack_set_place(&space->slack, undo->slot, undo->place);
    if (space->follower != NULL)
        space->follower->follow(space, undo->slot);
    if (space->keeper != NULL)
        *space->keeper->traits_at(space, undo->slot) = undo->kept;
}

/* Enters the id of a row, or changes its entity and notes how that was. */
static aoi_status update_row(struct batch *batch, size_t number, uint32_t slot) {
    struct aoi_space *space = batch->space;
    const aoi_row *row = &batch->rows[number];
    struct update_undo *undo = (struct update_undo *)batch->undo + number;
    if (slot == NO_SLOT) /* a row since the look ahead may have entered it */
        slot = space_find(space, row->id);
    undo->slot = slot;
    if (slot == NO_SLOT) {
        batch->counted++;
        return change_enter(space, row->id, row->position, NULL, batch->traits);
    }
    undo->before = space->entities.at[slot];
    undo->visible = space_visible(space, slot);
    if (space->slack.limit > 0)
        undo->place = space_place(space, slot);
    if (space->keeper != NULL)
        undo->kept = *space->keeper->traits_at(space, slot);
    return change_update(space, slot, row->position, NULL, batch->traits);
}

aoi_status aoi_update_all(aoi_space *space, const aoi_row *rows, size_t count,
                          const aoi_traits *traits, size_t *entered, size_t *bad_row) {
    struct batch batch = {.space = space,
                          .rows = rows,
                          .traits = traits,
                          .count = count,
                          .bad_row = bad_row,
                          .item_size = sizeof(struct update_undo)};
    if (!begin_batch(&batch, CALL_UPDATE_ALL))
        return AOI_NOMEM;
    const aoi_status status = end(&batch, make_rows(&batch, update_row, take_back_update));
    if (status != AOI_OK)
        return status;
    if (entered != NULL)
        *entered = batch.counted;
    /* Not sooner: the way back must find the indexes that the entities were in. */
    rebuild_for_usual_radius(space, batch.counted +
                                        (count - batch.counted) * change_counts_for_usual(traits));
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* Leaving                                                             */
/* ------------------------------------------------------------------ */

struct leave_undo {
    uint32_t slot;
    uint8_t mode;
};

/* Room to note what ends with the entity of the row, besides that of those before. */
static bool reserve_notes(struct batch *batch, size_t row, uint32_t slot) {
    struct visibility *visibility = &batch->space->visibility;
    if (visibility->exceptions == 0)
        return true;
    if (visibility->sights.count > 0)
        batch->words += sights_count_of(&visibility->sights, slot);
    return beacons_reserve_notes(&visibility->beacons, row + 1) &&
           sights_reserve_notes(&visibility->sights, batch->words);
}

/* An entity without a mode sees nobody and is seen by nobody: it has left as far as events go,
 * while the indexes, which might need memory to take it in again, still have it. */
static aoi_status leave_row(struct batch *batch, size_t row, uint32_t slot) {
    struct aoi_space *space = batch->space;
    if (slot == NO_SLOT || space->entities.at[slot].mode == 0)
        return AOI_NOT_FOUND;
    const struct capability *follower = space->follower;
    if (follower != NULL && follower->before(space, slot, NULL, NULL) == FOLLOWING_NO_MEMORY)
        return AOI_NOMEM;
    aoi_status status = AOI_OK;
    if (!space->deferred)
        status = change_find_events(space, &(struct change){.slot = slot});
    else if (!old_states_reserve(&space->old_states, row + 1) || !reserve_notes(batch, row, slot))
        status = AOI_NOMEM;
    if (follower != NULL)
        follower->after(space, slot, NULL, status == AOI_OK);
    if (status != AOI_OK)
        return status;
    ((struct leave_undo *)batch->undo)[row] =
        (struct leave_undo){slot, space->entities.at[slot].mode};
    space->entities.at[slot].mode = 0;
    return AOI_OK;
}

static void take_back_leave(struct batch *batch, size_t row) {
    const struct leave_undo *undo = (const struct leave_undo *)batch->undo + row;
    batch->space->entities.at[undo->slot].mode = undo->mode;
    if (batch->space->follower != NULL)
        batch->space->follower->follow(batch->space, undo->slot);
}

aoi_status aoi_leave_all(aoi_space *space, const aoi_row *rows, size_t count, size_t *bad_row) {
    struct batch batch = {.space = space,
                          .rows = rows,
                          .count = count,
                          .bad_row = bad_row,
                          .item_size = sizeof(struct leave_undo)};
    if (!begin_batch(&batch, CALL_LEAVE_ALL))
        return AOI_NOMEM;
    const aoi_status status = make_rows(&batch, leave_row, take_back_leave);
    const struct leave_undo *left = batch.undo;
    for (size_t row = 0; row < count && status == AOI_OK; row++)
        space->entities.at[left[row].slot].mode = left[row].mode;
    for (size_t row = 0; row < count && status == AOI_OK; row++)
        change_remove(space, left[row].slot);
    if (end(&batch, status) != AOI_OK)
        return status;
    idmap_trim(&space->entities.ids, &space->memory.entities, IDS_OF(space->entities.at, id));
    rebuild_for_usual_radius(space, count);
    return AOI_OK;
}
