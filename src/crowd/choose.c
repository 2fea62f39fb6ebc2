/*
 * choose.c - the stages of a choice, the contract's section about crowds for one watcher at one
 * tick: told markers that stay, newcomers, budgets.
 *
 * Whoever is told already bounds the search for newcomers: one that ranks
 * behind the last of `limit` told ones need not be looked at. So in a crowd a
 * watcher looks at a small neighbourhood.
 */
#include "crowd/chooser.h"

/* ------------------------------------------------------------------ */
/* Markers that were told                                              */
/* ------------------------------------------------------------------ */

/* Sorts out who of the told set is still seen: free ones stay, the others are ranked; counts those
 * that are due. */
ALWAYS_INLINE bool look_at_told_by(enum sight_rule rule, struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct told_set *told = &chooser->member->told;
    const bool is_ranked = chooser->is_limited;
    struct stand room;
    for (uint32_t i = 0; i < told->count; i++) {
        const struct told *pair = &told->pairs[i];
        uint32_t place;
        const struct stand *marker = crowd_find_marker(work, pair->slot, &room, &place);
        if (marker == NULL) {
            work->fates.items[i] = (struct fate){.marker = work->space->entities.at[pair->slot].id};
            continue;
        }
        work->marks[place] = work->mark;
        if (!sees_stand_by(rule, chooser, marker)) {
            work->fates.items[i] = (struct fate){.marker = marker->id};
            continue;
        }
        const double square = stand_square(chooser->watcher, marker);
        work->fates.items[i] = fate_of(chooser, pair, marker, square);
        chooser->due += work->fates.items[i].is_due;
        chooser->due_ages |= work->fates.items[i].is_due ? work->fates.items[i].age : 0;
        if (!is_ranked || marker->is_free || id_list_has(&chooser->member->pins, marker->id))
            continue;
        if (!pool_add(&work->ranking, work->pool,
                      (struct ranked){square, marker->id, pair->slot, i, 0, marker->importance}))
            return false;
    }
    return true;
}

static bool look_at_told(struct chooser *chooser) {
    if (chooser->rule == SIGHT_WITH_EXCEPTIONS)
        return look_at_told_by(SIGHT_WITH_EXCEPTIONS, chooser);
    switch (chooser->rule) {
    case SIGHT_CELLS: return look_at_told_by(SIGHT_CELLS, chooser);
    case SIGHT_SQUARE: return look_at_told_by(SIGHT_SQUARE, chooser);
    case SIGHT_CIRCLE: return look_at_told_by(SIGHT_CIRCLE, chooser);
    case SIGHT_CUBE: return look_at_told_by(SIGHT_CUBE, chooser);
    case SIGHT_BALL: break;
    }
    return look_at_told_by(SIGHT_BALL, chooser);
}

/* ------------------------------------------------------------------ */
/* The limits                                                          */
/* ------------------------------------------------------------------ */

/* Told markers that rank behind the limit lose their places. The last of those that keep theirs
 * stands in front if the ranking is full. */
static void cut_to_limit(struct chooser *chooser) {
    struct ranking *ranking = &chooser->work->ranking;
    if (ranking->count > chooser->limit) {
        ranking_sort(ranking);
        for (size_t i = chooser->limit; i < ranking->count; i++)
            chooser->work->fates.items[ranking->items[i].told].stays = false;
        ranking->count = chooser->limit;
    }
    if (ranking->count > 0 && is_full(chooser))
        ranking_put_last_in_front(ranking, &chooser->work->full);
}

/* Only the first newcomers are admitted. Places that the others would have had go to those who were
 * told: to as many, in rank, as the limit allows. */
static void withhold(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    struct ranking *admitted = &work->ranking, *told = &work->told;
    ranking_sort(admitted);
    admitted->count = chooser->crowd->enter_budget;
    ranking_sort(told);
    size_t before = 0;
    for (size_t i = 0; i < told->count; i++) {
        while (before < admitted->count && ranks_before(&admitted->items[before], &told->items[i]))
            before++;
        work->fates.items[told->items[i].told].stays = i + before < chooser->limit;
    }
}

/* ------------------------------------------------------------------ */
/* The choice                                                          */
/* ------------------------------------------------------------------ */

/* Finds out who stays (fates) and who comes. */
static bool find_out(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const uint32_t enter_budget = chooser->crowd->enter_budget;
    const size_t told = chooser->member->told.count;
    struct ranking *ranking = &work->ranking;
    if (!pool_reserve(&work->fates, work->pool, told) || !look_at_told(chooser))
        return false;
    const size_t to_withhold_from = enter_budget == AOI_MOST ? 0 : ranking->count;
    work->told.count = 0;
    if (!pool_reserve(&work->told, work->pool, to_withhold_from))
        return false;
    for (size_t i = 0; i < to_withhold_from; i++)
        work->told.items[work->told.count++] = ranking->items[i];
    cut_to_limit(chooser);
    if (!chooser_look_at_pins(chooser) || !chooser_look_for_newcomers(chooser))
        return false;
    chooser->knows_all = !is_full(chooser);
    size_t newcomers = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        if (ranking->items[i].told == NEWCOMER)
            ranking->items[newcomers++] = ranking->items[i];
    }
    ranking->count = newcomers;
    chooser->is_withheld = newcomers > enter_budget;
    if (chooser->is_withheld)
        withhold(chooser);
    return true;
}

/* Sets up the chooser of the watcher in slot, who stands at `room`, and marks it: nobody sees
 * itself. */
static struct chooser begin_choosing(struct crowd_work *work, uint32_t slot, struct stand *room) {
    struct aoi_space *space = work->space;
    struct crowd *crowd = space->crowd;
    struct stand unused;
    uint32_t place;
    struct chooser chooser = {.work = work,
                              .crowd = crowd,
                              .member = &crowd->members.items[slot],
                              .slot = slot,
                              .watcher = crowd_find_marker(work, slot, &unused, &place),
                              .rule = space->visibility.exceptions > 0 ? SIGHT_WITH_EXCEPTIONS
                                                                       : space->visibility.rule};
    work->mark++;
    work->ranking.count = work->free.count = 0;
    work->full.is_heap = false;
    if (chooser.watcher != NULL)
        work->marks[place] = work->mark;
    if (chooser.watcher == NULL || chooser.watcher == &unused) {
        crowd_set_stand(work, slot, room);
        chooser.watcher = room;
    }
    chooser.stance = stand_stance(space->visibility.rule, chooser.watcher);
    if (space->visibility.sights.count > 0)
        chooser.has_words = sights_of_watcher(&space->visibility.sights, slot) != NO_SIGHT;
    chooser.limit = chooser.member->traits.limit;
    chooser.is_limited = chooser.limit != AOI_UNLIMITED || crowd->enter_budget != AOI_MOST;
    chooser.takes_all = work->newcomers_start != NULL && chooser.member->knows_all &&
                        !chooser.is_limited && crowd->move_budget == AOI_MOST;
    return chooser;
}

bool crowd_choose(struct crowd_work *work, uint32_t slot, bool *knows_all) {
    struct stand room;
    struct chooser chooser = begin_choosing(work, slot, &room);
    chooser.knows_all = true;
    if (!(chooser.takes_all ? chooser_look_at_arrivals(&chooser) : find_out(&chooser)) ||
        !chooser_write(&chooser))
        return false;
    *knows_all = chooser.knows_all && !chooser.is_withheld;
    return true;
}
