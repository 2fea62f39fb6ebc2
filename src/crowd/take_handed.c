/*
 * take_handed.c - told sets of watchers that were handed in, moved to their
 * members, and back.
 *
 * A pair waits when its marker has moved since it was told. A marker that came
 * here later than that has no such tick (crowd_enter), and what the watchers bring along is all
 * that is known. So it moved at least right after the telling for which one of them waits; and now,
 * if it is not where one of them was told that it is. As all that is truly known of one marker goes
 * together, no other pair comes to wait by this.
 */
#include "crowd/work.h"

/* The marker has moved at this tick or later. */
static bool note_move(struct aoi_space *space, uint32_t slot, int64_t tick) {
    struct member *member = &space->crowd->members.items[slot];
    if (tick <= member->moved)
        return true;
    if (!old_states_reserve_change(&space->old_states, slot))
        return false;
    old_states_note_change(&space->old_states, slot); /* so that who sees it is looked at */
    member->moved = tick;
    return true;
}

static bool take_move(struct crowd_work *work, const struct handed_told *told, uint32_t slot) {
    struct aoi_space *space = work->space;
    const aoi_point from = told->place, to = space_place(space, slot);
    const bool moves_now = from.x != to.x || from.y != to.y || from.z != to.z ||
                           old_states_touched(&space->old_states, slot);
    return (!told->waits || note_move(space, slot, told->since + 1)) &&
           (!moves_now || note_move(space, slot, work->tick));
}

static bool take_watcher(struct crowd_work *work, uint32_t number) {
    struct aoi_space *space = work->space;
    const struct handed *handed = &space->handed;
    const struct entity *watcher = &handed->watchers.items[number];
    struct handed_told *told = handed_told_of(handed, number);
    const uint32_t slot = space_find(space, watcher->id);
    if (slot != NO_SLOT && !crowd_make_told(space->crowd, slot, watcher->handed_count))
        return false;
    for (uint32_t i = 0; i < watcher->handed_count; i++) {
        const uint32_t marker = slot == NO_SLOT ? NO_SLOT : space_find(space, told[i].id);
        if (marker == NO_SLOT) /* see tick_tell_left */
            continue;
        struct told_set *set = &space->crowd->members.items[slot].told;
        set->pairs[set->count++] = (struct told){told[i].since, marker, told[i].period};
        told[i].moved_instead = space->crowd->members.items[marker].moved;
        told[i].is_seen = true;
        if (!take_move(work, &told[i], marker))
            return false;
    }
    return true;
}

bool crowd_take_handed(struct crowd_work *work) {
    const struct handed *handed = &work->space->handed;
    for (size_t i = 0; i < handed->told.count; i++)
        handed->told.items[i].is_seen = false;
    for (uint32_t number = 0; number < handed->watchers.count; number++) {
        if (!take_watcher(work, number))
            return false;
    }
    return true;
}

void crowd_take_back_handed(struct crowd_work *work) {
    struct aoi_space *space = work->space;
    const struct handed *handed = &space->handed;
    for (uint32_t number = (uint32_t)handed->watchers.count; number-- > 0;) {
        struct handed_told *told = handed_told_of(handed, number);
        const uint32_t slot = space_find(space, handed->watchers.items[number].id);
        for (uint32_t i = handed->watchers.items[number].handed_count; i-- > 0;) {
            if (told[i].is_seen)
                space->crowd->members.items[space_find(space, told[i].id)].moved =
                    told[i].moved_instead;
            told[i].is_seen = false;
        }
        if (slot != NO_SLOT)
            crowd_forget_told(space->crowd, slot);
    }
}
