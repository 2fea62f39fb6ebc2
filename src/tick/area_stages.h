/* area_stages.h - one tick of areas under way, shared by area_tick.c and handed_areas.c. */
#ifndef AOI_AREA_STAGES_H
#define AOI_AREA_STAGES_H

#include "tick/area_tick.h"

/* A marker at the last tick and now: shown 0 where it is none. */
struct changed_marker {
    struct area_marker before, now;
    bool is_handed; /* and here are the areas in which it was then: */
    struct id_list areas;
};

/* ---- area_tick.c ---- */

/* The marker is a member now, and was one or was not. False: no memory. */
bool area_tick_note_member(struct area_tick *tick, uint32_t number, aoi_id marker, bool was);

/* The areas in which the marker was, here, and is not any more; by_marker: those that go by the
 * list of the marker, else the others. False: no memory. */
bool area_tick_find_left(struct area_tick *tick, const struct changed_marker *marker,
                         bool by_marker);

/* The marker of the old state of this number. */
struct changed_marker area_tick_changed_marker(const struct area_tick *tick, uint32_t state);

/* ---- handed_areas.c ---- */

/* Of the members of areas that were in another space, those who are none here. False: no memory. */
bool area_tick_find_left_by_areas(struct area_tick *tick);

/* What is told of markers that were handed in, and areas without owner: it comes behind all else.
 * False: no memory. */
bool area_tick_find_by_lists(struct area_tick *tick);

/* ---- What both ask ---- */

static inline struct memory *memory_of(const struct area_tick *tick) {
    return &tick->space->memory.tick;
}

static inline struct area_table *table_of(const struct area_tick *tick) {
    return &tick->space->areas->table;
}

/* True when the marker, as it was, was a member. */
static inline bool had(const struct area_tick *tick, const struct area_note *note,
                       const struct area_marker *marker) {
    const struct area *before = note->before;
    if (before == NULL)
        return false;
    return before->keeps_members
               ? id_list_has(&before->members, marker->id)
               : area_takes_at(before, &note->from, marker, false, tick->space->dims == 3);
}

/* The kept members of the area once the tick is over. */
static inline struct id_list *members_to_be(const struct area_tick *tick, struct area *area) {
    return area->old == NO_AREA || tick->notes[area->note].collects
               ? &area->members
               : &tick->space->areas->states.items[area->old].before.members;
}

static inline bool takes_now(const struct area_tick *tick, uint32_t number,
                             const struct area_marker *marker, bool was) {
    return number != NO_AREA &&
           area_takes(&table_of(tick)->at[number], marker, was, tick->space->dims == 3);
}

/* True when the list of a marker that was handed in says whether it was in the area, which was so
 * at the last tick (NULL: there was none). */
static inline bool goes_by_marker(const struct area *before) {
    return before == NULL || !before->is_owned;
}

/* What the area was at the last tick; NULL: there was none. */
static inline const struct area *before_of(const struct area_tick *tick, const struct area *area) {
    return area->is_noted ? tick->notes[area->note].before : area;
}

static inline bool was_here(const struct area_tick *tick, const struct area *area,
                            const struct area_marker *before) {
    return area->is_noted ? had(tick, &tick->notes[area->note], before)
                          : area_has(area, before, tick->space->dims == 3);
}

#endif
