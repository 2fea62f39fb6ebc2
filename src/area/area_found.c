/* area_found.c - leaves and enters of areas, noted and queued; the difference of two areas. */
#include "area/area_found.h"

#include "sight/step_ring.h"
#include "query/box_search.h"

/* ------------------------------------------------------------------ */
/* Notes                                                              */
/* ------------------------------------------------------------------ */

void areas_begin_change(struct aoi_space *space) {
    struct areas *areas = space->areas;
    queue_begin_change(&space->pending);
    queue_begin_change(&space->collected);
    high_water_note(&areas->use, areas->leaves.count + areas->enters.count);
    areas->leaves.count = areas->enters.count = 0;
}

bool areas_note_leave(struct aoi_space *space, aoi_id area, aoi_id marker) {
    return array_add(&space->areas->leaves, &space->memory.areas, (struct pair){area, marker});
}

bool areas_note_enter(struct aoi_space *space, struct area *keeping, aoi_id area, aoi_id marker) {
    if (!array_add(&space->areas->enters, &space->memory.areas, (struct pair){area, marker}))
        return false;
    if (keeping == NULL)
        return true;
    if (!id_list_reserve(&keeping->members, &space->memory.areas, (size_t)keeping->coming + 1)) {
        space->areas->enters.count--;
        return false;
    }
    keeping->coming++;
    return true;
}

void areas_forget_coming(struct areas *areas) {
    if (areas->table.keeping == 0)
        return;
    for (size_t i = 0; i < areas->enters.count; i++) {
        const uint32_t number = area_table_find(&areas->table, areas->enters.items[i].watcher);
        if (number != NO_AREA)
            areas->table.at[number].coming = 0;
    }
}

void areas_trim_scratch(struct aoi_space *space, unsigned quiet_periods) {
    struct areas *areas = space->areas;
    if (areas == NULL)
        return;
    areas_begin_change(space);
    if (!high_water_end(&areas->use, quiet_periods))
        return;
    array_free(&areas->leaves, areas->table.memory);
    array_free(&areas->enters, areas->table.memory);
}

/* ------------------------------------------------------------------ */
/* The difference of two areas                                       */
/* ------------------------------------------------------------------ */

bool areas_find_difference(struct aoi_space *space, const struct area *before,
                           const aoi_point *from, const struct area *after, const aoi_point *to,
                           struct id_list *all) {
    const bool with_z = space->dims == 3;
    const struct hits *hits = &space->visibility.hits;
    const struct box old_box = before != NULL ? area_box_at(before, *from) : (struct box){0};
    if (before != NULL && !box_search(space, &old_box))
        return false;
    for (size_t i = 0; before != NULL && i < hits->count; i++) {
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        if (area_has(before, &marker, with_z) &&
            !(after != NULL && area_takes_at(after, to, &marker, true, with_z)) &&
            !areas_note_leave(space, before->id, marker.id))
            return false;
    }
    const struct box new_box = after != NULL ? area_box_at(after, *to) : (struct box){0};
    if (after != NULL && !box_search(space, &new_box))
        return false;
    for (size_t i = 0; after != NULL && i < hits->count; i++) {
        const struct area_marker marker = area_marker_at(space, hits->slots[i]);
        const bool was = before != NULL && area_has(before, &marker, with_z);
        if (!area_takes_at(after, to, &marker, was, with_z))
            continue;
        if (!was && !areas_note_enter(space, NULL, after->id, marker.id))
            return false;
        if (all != NULL && !id_list_add(all, &space->memory.areas, marker.id))
            return false;
    }
    return true;
}

bool area_ring_of_step(const struct area *area, const aoi_point *from, const aoi_point *to,
                       bool with_z, struct ring *ring) {
    const bool is_round = area->shape == AOI_AREA_CIRCLE;
    const enum sight_rule rule = is_round ? SIGHT_CIRCLE : SIGHT_SQUARE;
    if ((!is_round && area->shape != AOI_AREA_SQUARE) || with_z || !has_inside(rule, area->radius))
        return false;
    const xy low = {from->x, from->y}, high = {to->x, to->y};
    if (!ring_of_step(rule, low, high, area->radius, area->leave_radius, ring))
        return false;
    ring->by_radius = false;
    return true;
}

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

bool areas_reserve_events(struct aoi_space *space) {
    const struct areas *areas = space->areas;
    struct queue *const queues[] = {&space->pending, &space->collected};
    const uint32_t ops[] = {space->listen, space->collect};
    bool done = true;
    if (areas->leaves.count + areas->enters.count == 0) /* as mostly */
        return true;
    for (int i = 0; i < 2; i++) {
        size_t words = 0;
        if (ops[i] & AOI_AREA_LEAVE)
            words += areas->leaves.count +
                     QUEUE_HEADER_WORDS * pairs_segments(&areas->leaves, SUBJECT_WATCHER);
        if (ops[i] & AOI_AREA_ENTER)
            words += areas->enters.count +
                     QUEUE_HEADER_WORDS * pairs_segments(&areas->enters, SUBJECT_WATCHER);
        queues[i]->kept = words;
        done = done && (words == 0 || queue_reserve(queues[i], &space->memory.events, 0, 0));
    }
    if (!done)
        areas_drop_room(space);
    return done;
}

void areas_drop_room(struct aoi_space *space) {
    space->pending.kept = space->collected.kept = 0;
}

void areas_queue_events(struct aoi_space *space) {
    struct queue *const queues[] = {&space->pending, &space->collected};
    const uint32_t ops[] = {space->listen, space->collect};
    areas_drop_room(space);
    for (int i = 0; i < 2; i++) {
        if (ops[i] & AOI_AREA_LEAVE)
            pairs_write(&space->areas->leaves, NULL, NULL, queues[i], AOI_AREA_LEAVE,
                        SUBJECT_WATCHER);
        if (ops[i] & AOI_AREA_ENTER)
            pairs_write(&space->areas->enters, NULL, NULL, queues[i], AOI_AREA_ENTER,
                        SUBJECT_WATCHER);
    }
}
