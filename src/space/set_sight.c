/* set_sight.c - aoi_set_sight, and the questions about words. */
#include "space/change.h"
#include "space/recording.h"
#include "space/scratch.h"

static aoi_status set_sight(struct aoi_space *space, uint32_t slot, aoi_id marker, aoi_sight word) {
    struct sights *sights = &space->visibility.sights;
    const aoi_id id = space->entities.at[slot].id;
    const uint32_t other = space_find(space, marker);
    if (!sights_reserve(sights, 1) || !sights_reserve_notes(sights, 1))
        return AOI_NOMEM;
    if (space->deferred) {
        if (!old_states_reserve_change(&space->old_states, slot))
            return AOI_NOMEM;
        old_states_note_change(&space->old_states, slot); /* so that the next tick looks at it */
    } else {
        if (!visibility_changes_by_word(&space->visibility, slot, other, word, space_ops(space)))
            return AOI_NOMEM;
        const aoi_status status = change_queue_events(space, id);
        if (status != AOI_OK)
            return status;
    }
    sights_set(sights, id, slot, marker, word);
    sights_trim(sights);
    visibility_count_exceptions(&space->visibility);
    space_check(space);
    return AOI_OK;
}

aoi_status aoi_set_sight(aoi_space *space, aoi_id watcher, aoi_id marker, aoi_sight word) {
    const uint32_t slot = space_find(space, watcher);
    if (watcher == marker || (uint32_t)word > AOI_SIGHT_ALWAYS)
        return AOI_INVALID;
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    const enum call_kind kind = CALL_SIGHT_BY_RULE + word;
    if (!RECORD_CALL(space, .kind = kind, .id = watcher, .other = marker))
        return AOI_NOMEM;
    if (sights_find(&space->visibility.sights, slot, marker) == word)
        return call_done(space, AOI_OK);
    return call_done(space, set_sight(space, slot, marker, word));
}

aoi_sight aoi_sight_of(const aoi_space *space, aoi_id watcher, aoi_id marker) {
    const uint32_t slot = space_find(space, watcher);
    return slot == NO_SLOT ? AOI_SIGHT_BY_RULE
                           : sights_find(&space->visibility.sights, slot, marker);
}

aoi_status aoi_sights(aoi_space *space, aoi_id watcher, aoi_list *markers) {
    const struct sights *sights = &space->visibility.sights;
    const uint32_t slot = space_find(space, watcher);
    if (slot == NO_SLOT)
        return AOI_NOT_FOUND;
    scratch_end_call(space);
    size_t count = sights_count_of(sights, slot);
    struct id_list *found = list_begin(space, LIST_ANSWER, count);
    if (found == NULL)
        return AOI_NOMEM;
    found->count = count;
    for (uint32_t at = sights_of_watcher(sights, slot); at != NO_SIGHT;
         at = sights_next_of_watcher(sights, at))
        found->ids[--count] = sights->items[at].marker;
    *markers = (aoi_list){found->ids, found->count};
    return AOI_OK;
}
