/* area_changes.c - changes of an entity and their events of areas: as a marker, as an owner; in a
 * batch. */
#include "area/area_changes.h"

#include <math.h>

#include "area/area_former.h"
#include "area/area_found.h"
#include "query/box_search.h"
#include "area/calm.h"

/* Notes what becomes of one area and one marker. */
static bool note_outcome(struct aoi_space *space, uint32_t number, aoi_id marker, bool was,
                         bool is) {
    struct area *area = &space->areas->table.at[number];
    if (was == is)
        return true;
    return was ? areas_note_leave(space, area->id, marker)
               : areas_note_enter(space, area->keeps_members ? area : NULL, area->id, marker);
}

/* ------------------------------------------------------------------ */
/* As a marker                                                        */
/* ------------------------------------------------------------------ */

/* A marker before and after its change: shown 0 where it is none. */
struct marker_change {
    struct area_marker before, after;
    const struct area_grid *grid; /* where areas are looked for */
    bool is_step;                 /* only the place changes, and it is shown */
    bool with_z;
};

/* May it leave an area, and may it enter one, that is found at the place before, or after? */
enum { MAY_LEAVE = 1, MAY_ENTER = 2 };

/* Chains are shared: only one of them tells, that of the cell where it was looked for. */
static bool judge_area(struct aoi_space *space, const struct marker_change *change, uint32_t number,
                       struct area_cell cell, unsigned may) {
    const struct area *area = &space->areas->table.at[number];
    if (change->is_step &&
        !area_is_crossed(area, &change->before.at, &change->after.at, change->with_z))
        return true;
    const bool was = area_has(area, &change->before, change->with_z);
    if (!(may & (was ? MAY_LEAVE : MAY_ENTER)))
        return true;
    const bool is = area_takes(area, &change->after, was, change->with_z);
    if (was == is || !area_is_in_cell(change->grid, number, cell))
        return true;
    return note_outcome(space, number, change->after.id, was, is);
}

/* Judges the areas of the chain of a cell that may hold one of the places that count. */
static bool judge_chain(struct aoi_space *space, const struct marker_change *change, uint32_t first,
                        struct area_cell cell, unsigned may) {
    const struct area_grid *grid = change->grid;
    const aoi_point *before = &change->before.at, *now = &change->after.at;
    const aoi_point *from = may & MAY_LEAVE ? before : now;
    const aoi_point *to = may & MAY_ENTER ? now : from;
    const xy a = {from->x, from->y}, b = {to->x, to->y};
    const struct area_probe probe = area_probe_of(xy_lesser(a, b), xy_greater(a, b));
    for (uint32_t number = first; number != NO_BLOCK; number = grid->blocks[number].next) {
        const struct area_block *block = &grid->blocks[number];
        for (unsigned met = block_may_meet(block, &probe); met != 0; met &= met - 1) {
            const unsigned i = lowest_bit(met);
            if (change->is_step && block_keeps(block, i, before->x, before->y, now->x, now->y))
                continue;
            if (!judge_area(space, change, block_area(block, i), cell, may))
                return false;
        }
    }
    return true;
}

/* Judges the areas of one grid, level by level. */
static bool judge_grid(struct aoi_space *space, const struct marker_change *change) {
    const struct area_grid *grid = change->grid;
    const aoi_point *from = &change->before.at, *to = &change->after.at;
    const unsigned leave = change->before.shown != 0 ? MAY_LEAVE : 0;
    const unsigned enter = change->after.shown != 0 ? MAY_ENTER : 0;
    for (unsigned number = 0; number < grid->used_count; number++) {
        struct area_cell left = {0}, entered = {0};
        unsigned may_leave = leave, may_enter = enter;
        if (!leave || !area_cell_at(grid, number, from->x, from->y, &left))
            may_leave = 0;
        if (!enter || !area_cell_at(grid, number, to->x, to->y, &entered))
            may_enter = 0;
        if (may_leave && may_enter && left.column == entered.column && left.row == entered.row) {
            may_leave |= may_enter;
            may_enter = 0;
        }
        if ((may_leave && !judge_chain(space, change, grid->heads[area_chain_of(grid, left)], left,
                                       may_leave)) ||
            (may_enter && !judge_chain(space, change, grid->heads[area_chain_of(grid, entered)],
                                       entered, may_enter)))
            return false;
    }
    return judge_chain(space, change, grid->unbounded, unbounded_cell, leave | enter);
}

static bool find_as_marker(struct aoi_space *space, struct marker_change *change, uint32_t slot) {
    struct areas *areas = space->areas;
    const aoi_point *from = &change->before.at, *to = &change->after.at;
    const bool stays = from->x == to->x && from->y == to->y && from->z == to->z;
    const bool shows_same = change->before.shown == change->after.shown;
    if (shows_same && (stays || change->after.shown == 0))
        return true;
    change->is_step = shows_same;
    change->grid = &areas->table.grids[OWNED_AREAS];
    if (!judge_grid(space, change))
        return false;
    if (shows_same && !change->with_z) {
        if (areas_are_calm(areas, slot, from, to))
            return true;
        areas_find_calm(areas, slot, to); /* as a rule the step is short, and began there, too */
        if (areas_are_calm(areas, slot, from, to))
            return true;
    }
    change->grid = &areas->table.grids[STILL_AREAS];
    return judge_grid(space, change);
}

/* ------------------------------------------------------------------ */
/* As an owner                                                         */
/* ------------------------------------------------------------------ */

/* An area goes along to there. */
static bool find_move(struct aoi_space *space, uint32_t number, const aoi_point *to) {
    struct area *area = &space->areas->table.at[number];
    const bool with_z = space->dims == 3;
    struct ring ring;
    if (!area_ring_of_step(area, &area->at, to, with_z, &ring)) {
        const size_t before = space->areas->enters.count;
        if (!areas_find_difference(space, area, &area->at, area, to, NULL))
            return false;
        if (!area->keeps_members)
            return true;
        area->coming = (uint32_t)(space->areas->enters.count - before);
        return id_list_reserve(&area->members, &space->memory.areas, area->coming);
    }
    if (!ring_search(space, ring))
        return false;
    const struct hits *hits = &space->visibility.hits;
    for (size_t i = 0; i < hits->count; i++)
        __builtin_prefetch(&space->entities.at[hits->slots[i]]);
    for (size_t i = 0; i < hits->count; i++) {
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        const bool was = area_has(area, &marker, with_z);
        const bool is = area_takes_at(area, to, &marker, was, with_z);
        if (!note_outcome(space, number, marker.id, was, is))
            return false;
    }
    return true;
}

static bool find_as_owner(struct aoi_space *space, uint32_t slot, const struct entity *after,
                          const aoi_point *place) {
    const struct area_table *table = &space->areas->table;
    uint32_t number = area_table_first_owned(table, slot);
    for (; number != NO_AREA; number = table->at[number].next_owned) {
        const struct area *area = &table->at[number];
        const aoi_point to = after == NULL ? area->at : area_place_at(area, *place);
        const bool stays = area->at.x == to.x && area->at.y == to.y && area->at.z == to.z;
        if (after == NULL ? !areas_find_difference(space, area, &area->at, NULL, NULL, NULL)
                          : !stays && !find_move(space, number, &to))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The course                                                          */
/* ------------------------------------------------------------------ */

static bool find_now(struct aoi_space *space, uint32_t slot, const struct entity *after,
                     const aoi_point *place) {
    struct areas *areas = space->areas;
    areas_begin_change(space);
    if (!areas_matter(space))
        return true;
    struct marker_change change = {.with_z = space->dims == 3};
    if (slot != NO_SLOT)
        change.before = area_marker_at(space, slot);
    change.after.id = change.before.id;
    if (after != NULL) {
        change.after = (struct area_marker){after->id, entity_shown(after), *place};
        change.before.id = after->id;
        area_grid_fetch(&areas->table.grids[OWNED_AREAS], place);
    }
    /* In this order, so that what is fetched for the second part comes during the first. */
    return (slot == NO_SLOT || find_as_owner(space, slot, after, place)) &&
           find_as_marker(space, &change, slot) &&
           (!areas->in_batch || array_reserve(&areas->journal, areas->table.memory,
                                              areas->leaves.count + areas->enters.count)) &&
           areas_reserve_events(space);
}

/* Apart, so that a move that comes near no border is short: most are such. */
NEVER_INLINE static enum following find_meaning(struct aoi_space *space, uint32_t slot,
                                                const struct entity *after,
                                                const aoi_point *place) {
    struct areas *areas = space->areas;
    bool found;
    if (space->deferred) { /* room for the states of what ends with the entity */
        uint32_t number = area_table_first_owned(&areas->table, slot);
        areas->ending = areas->in_batch ? areas->ending : 0;
        for (; number != NO_AREA; number = areas->table.at[number].next_owned)
            areas->ending++;
        found = areas->ending == 0 ||
                area_states_reserve(&areas->states, &space->memory.areas, areas->ending);
    } else {
        found = find_now(space, slot, after, place);
    }
    if (!found)
        areas_forget_coming(areas);
    areas->is_changing = found;
    return found ? FOLLOWING_FOUND : FOLLOWING_NO_MEMORY;
}

enum following areas_find(struct aoi_space *space, uint32_t slot, const struct entity *after,
                          const aoi_point *place) {
    struct areas *areas = space->areas;
    const bool owns = areas->table.owned_count > 0;
    if (space->deferred && after != NULL) {
        areas->is_changing = owns;
        return owns ? FOLLOWING_FOUND : FOLLOWING_NOTHING;
    }
    if (!owns && slot != NO_SLOT && after == &space->entities.at[slot] && space->dims == 2) {
        const aoi_point from = space_place(space, slot);
        if (areas_are_calm(areas, slot, &from, place))
            return FOLLOWING_NOTHING;
    }
    if (after != NULL && !(isfinite(place->x) && isfinite(place->y) && isfinite(place->z)))
        return FOLLOWING_NOTHING; /* such a move is refused */
    return find_meaning(space, slot, after, place);
}

/* Brings the kept members up to date, and writes down for a batch what has changed of them. was:
 * these have left. */
static void settle_members(struct areas *areas, const struct pairs *pairs, bool was) {
    if (areas->table.keeping == 0)
        return;
    for (size_t i = 0; i < pairs->count; i++) {
        const aoi_id marker = pairs->items[i].marker;
        const uint32_t number = area_table_find(&areas->table, pairs->items[i].watcher);
        if (number == NO_AREA) /* ended with its owner */
            continue;
        struct area *area = &areas->table.at[number];
        area->coming = 0;
        if (!area->keeps_members)
            continue;
        (was ? members_remove : members_add)(&area->members, marker);
        if (areas->in_batch)
            areas->journal.items[areas->journal.count++] = (struct membership){number, was, marker};
    }
}

void areas_follow(struct aoi_space *space, uint32_t slot) {
    struct area_table *table = &space->areas->table;
    uint32_t number = area_table_first_owned(table, slot);
    if (number == NO_AREA)
        return;
    const aoi_point place = space_place(space, slot);
    for (; number != NO_AREA; number = table->at[number].next_owned)
        area_table_move(table, number, area_place_at(&table->at[number], place));
}

void areas_end_owned(struct aoi_space *space, uint32_t slot) {
    struct areas *areas = space->areas;
    struct area_table *table = &areas->table;
    uint32_t number;
    while ((number = area_table_first_owned(table, slot)) != NO_AREA) {
        if (space->deferred) {
            area_states_note_change(&areas->states, table, number,
                                    area_place_before(space, &table->at[number]));
            area_states_note_remove(&areas->states, table, number, &space->memory.areas);
        }
        area_table_remove(table, number);
    }
}

void areas_finish(struct aoi_space *space, uint32_t slot, const struct entity *after, bool done) {
    struct areas *areas = space->areas;
    areas->is_changing = false;
    if (!done) {
        areas_forget_coming(areas);
        areas_drop_room(space);
        return;
    }
    if (!space->deferred && areas->leaves.count + areas->enters.count > 0) {
        areas_queue_events(space);
        settle_members(areas, &areas->leaves, true);
        settle_members(areas, &areas->enters, false);
    }
    if (after != NULL && slot != NO_SLOT)
        areas_follow(space, slot);
    /* A row of a batch that is still to leave has areas: they count as ended, and can come back. */
    uint32_t ended = after == NULL ? area_table_first_owned(&areas->table, slot) : NO_AREA;
    for (; ended != NO_AREA; ended = areas->table.at[ended].next_owned)
        area_table_hide(&areas->table, ended);
    if (areas->in_batch)
        return;
    areas_trim(space);
    space_check(space);
}

/* ------------------------------------------------------------------ */
/* Batches                                                             */
/* ------------------------------------------------------------------ */

void areas_begin_batch(struct aoi_space *space) {
    space->areas->in_batch = true;
    space->areas->journal.count = space->areas->ending = 0;
}

void areas_end_batch(struct aoi_space *space, bool done) {
    struct areas *areas = space->areas;
    areas->in_batch = false;
    while (!done && areas->journal.count > 0) {
        const struct membership *last = &areas->journal.items[--areas->journal.count];
        (last->was ? members_add : members_remove)(&areas->table.at[last->area].members,
                                                   last->marker);
    }
    array_free(&areas->journal, &space->memory.areas);
    areas_trim(space);
}
