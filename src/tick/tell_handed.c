/* tell_handed.c - told pairs of entities that were handed in, compared with their views now. */
#include "tick/stages.h"

/* Takes out of a list of those who are seen now the ones that were told already. */
static bool take_out_told(struct aoi_space *space, struct pairs *entered) {
    const struct handed *handed = &space->handed;
    struct pairs *moves = &space->tick_scratch->pairs[MOVES][SUBJECT_WATCHER];
    size_t kept = 0;
    for (size_t i = 0; i < entered->count; i++) {
        const struct pair pair = entered->items[i];
        const uint32_t number = handed_find(handed, pair.watcher);
        struct handed_told *told =
            number == NO_SLOT ? NULL : handed_find_told(handed, number, pair.marker);
        if (told == NULL) {
            entered->items[kept++] = pair;
            continue;
        }
        told->is_seen = true;
        const uint32_t marker = space_find(space, told->id);
        const aoi_point from = told->place, to = space_place(space, marker);
        const bool has_moved = from.x != to.x || from.y != to.y || from.z != to.z ||
                               old_states_touched(&space->old_states, marker);
        if (has_moved && !array_add(moves, &space->memory.tick, pair))
            return false;
    }
    entered->count = kept;
    return true;
}

bool tick_tell_left(struct aoi_space *space) {
    const struct handed *handed = &space->handed;
    struct pairs *leaves = &space->tick_scratch->pairs[LEAVES][SUBJECT_WATCHER];
    for (uint32_t number = 0; number < handed->watchers.count; number++) {
        const struct entity *watcher = &handed->watchers.items[number];
        const struct handed_told *told = handed_told_of(handed, number);
        for (uint32_t i = 0; i < watcher->handed_count; i++) {
            if (!told[i].is_seen &&
                !array_add(leaves, &space->memory.tick, (struct pair){watcher->id, told[i].id}))
                return false;
        }
    }
    return true;
}

bool tick_tell_handed(struct aoi_space *space) {
    const struct handed *handed = &space->handed;
    for (size_t i = 0; i < handed->told.count; i++)
        handed->told.items[i].is_seen = false;
    struct pairs *entered = space->tick_scratch->pairs[ENTERS];
    return take_out_told(space, &entered[SUBJECT_WATCHER]) &&
           take_out_told(space, &entered[SUBJECT_MARKER]) && tick_tell_left(space);
}
