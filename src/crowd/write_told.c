/* write_told.c - the new told set of a watcher, written to the pool, and its events. */
#include <string.h>

#include "crowd/chooser.h"

/* Of which pairs a move is told: those that are due for more than `age` ticks, and of those that
 * are for just as many the first `at_age`. */
struct move_share {
    uint32_t age;
    size_t at_age;
};

#ifdef AOI_TINY
enum { DIGIT = 1, BOXES = 1 << DIGIT };
#else
enum { DIGIT = 5, BOXES = 1 << DIGIT };
#endif

/* Shares out the budget: counts ages by a digit at a time, the highest first, which is nearly
 * always the only one. */
static struct move_share share_moves(const struct chooser *chooser) {
    struct move_share share = {0, chooser->crowd->move_budget};
    unsigned shift = 0;
    if (chooser->due <= share.at_age)
        return share;
    while (chooser->due_ages >> DIGIT >> shift != 0)
        shift += DIGIT;
    for (;; shift -= DIGIT) {
        uint32_t boxes[BOXES] = {0}, box = BOXES - 1;
        for (uint32_t i = 0; i < chooser->member->told.count; i++) {
            const struct fate *fate = &chooser->work->fates.items[i];
            const uint32_t age = fate->age >> shift;
            boxes[age % BOXES] += fate->stays & fate->is_due & (age / BOXES == share.age);
        }
        for (; box > 0 && boxes[box] < share.at_age; box--)
            share.at_age -= boxes[box];
        share.age = share.age * BOXES + box;
        if (shift == 0)
            return share;
    }
}

ALWAYS_INLINE bool takes_share(const struct fate *fate, struct move_share *share) {
    const uint32_t age = fate->age;
    const bool takes =
        fate->is_due & ((age > share->age) | ((age == share->age) & (share->at_age > 0)));
    share->at_age -= takes & (age == share->age);
    return takes;
}

/* Room for the events of the watcher. */
static bool reserve_events(struct crowd_work *work, size_t told, size_t newcomers) {
    const size_t most[QUEUE_KINDS] = {told, newcomers, told}; /* as in queue_order */
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if ((work->ops & queue_order[kind]) &&
            !array_reserve(&work->lists[kind][SUBJECT_WATCHER], &work->space->memory.tick,
                           most[kind]))
            return false;
    }
    return true;
}

static void add_event(struct crowd_work *work, aoi_op op, aoi_id watcher, aoi_id marker) {
    if (!(work->ops & op))
        return;
    struct pairs *pairs = &work->lists[queue_rank(op)][SUBJECT_WATCHER];
    pairs->items[pairs->count++] = (struct pair){watcher, marker};
}

/* The new told set while it is written, in the pool, with its events, for which room is reserved.
 */
struct writing {
    struct crowd_work *work;
    aoi_id watcher;
    const struct ranked *newcomer, *newcomers_end; /* those that are to come, ascending by id */
    struct told *next;
    struct pair *move; /* NULL: nobody wants moves */
    unsigned differs, waits;
};

static struct writing begin_writing(const struct chooser *chooser, struct told *next) {
    struct crowd_work *work = chooser->work;
    const struct pairs *moves = &work->lists[queue_rank(AOI_MOVE)][SUBJECT_WATCHER];
    const size_t newcomers = work->free.count;
    const bool tells_moves = (work->ops & AOI_MOVE) != 0 && chooser->member->told.count > 0;
    return (struct writing){.work = work,
                            .watcher = chooser->watcher->id,
                            .newcomer = newcomers == 0 ? NULL : work->free.items,
                            .newcomers_end = newcomers == 0 ? NULL : work->free.items + newcomers,
                            .next = next,
                            .move = tells_moves ? moves->items + moves->count : NULL,
                            .differs = newcomers > 0};
}

static void write_leaving(struct writing *writing, aoi_id marker) {
    add_event(writing->work, AOI_LEAVE, writing->watcher, marker);
    writing->differs = 1;
}

static void write_newcomer(struct writing *writing) {
    const struct ranked *newcomer = writing->newcomer++;
    *writing->next++ = (struct told){writing->work->tick, newcomer->slot, newcomer->period};
    add_event(writing->work, AOI_ENTER, writing->watcher, newcomer->id);
}

/* Writes a pair that stays, without branches where nobody can foresee them: whether a move is
 * told. */
ALWAYS_INLINE void write_staying(struct writing *writing, const struct told *pair,
                                 const struct fate *fate, bool is_told) {
    while (writing->newcomer < writing->newcomers_end && writing->newcomer->id < fate->marker)
        write_newcomer(writing);
    const uint64_t now = (uint64_t)writing->work->tick, then = (uint64_t)pair->since;
    const uint32_t period = (uint32_t)choose_number(is_told, fate->ring, fate->period);
    *writing->next++ =
        (struct told){(int64_t)choose_number(is_told, now, then), pair->slot, period};
    writing->differs |= is_told | (period != pair->period);
    writing->waits |= fate->waits & !is_told & (period != PERIOD_NEVER);
    if (writing->move != NULL) {
        *writing->move = (struct pair){writing->watcher, fate->marker};
        writing->move += is_told;
    }
}

/* By the fates that have been found. */
static void write_by_fates(const struct chooser *chooser, struct writing *writing) {
    const struct told_set *told = &chooser->member->told;
    struct move_share share = share_moves(chooser);
    for (uint32_t i = 0; i < told->count; i++) {
        const struct fate *fate = &chooser->work->fates.items[i];
        if (fate->stays)
            write_staying(writing, &told->pairs[i], fate, takes_share(fate, &share));
        else
            write_leaving(writing, fate->marker);
    }
}

/* Writes the told set where all that is seen is told, and every move that is due: the fate of a
 * pair is then known as soon as it is looked at. */
ALWAYS_INLINE void write_all_by(enum sight_rule rule, const struct chooser *chooser,
                                struct writing *writing) {
    const struct crowd_work *work = chooser->work;
    const struct told_set *told = &chooser->member->told;
    for (uint32_t i = 0; i < told->count; i++) {
        const struct told *pair = &told->pairs[i];
        const uint32_t place = work->places[pair->slot];
        const struct stand *marker = &work->stands[place == NO_SLOT ? 0 : place];
        if (place == NO_SLOT || !sees_stand_by(rule, chooser, marker)) {
            write_leaving(writing, work->space->entities.at[pair->slot].id);
            continue;
        }
        const struct fate fate =
            fate_of(chooser, pair, marker, stand_square(chooser->watcher, marker));
        write_staying(writing, pair, &fate, fate.is_due);
    }
}

static void write_all(const struct chooser *chooser, struct writing *writing) {
    if (chooser->rule == SIGHT_WITH_EXCEPTIONS) {
        write_all_by(SIGHT_WITH_EXCEPTIONS, chooser, writing);
        return;
    }
    switch (chooser->rule) {
    case SIGHT_CELLS: write_all_by(SIGHT_CELLS, chooser, writing); break;
    case SIGHT_SQUARE: write_all_by(SIGHT_SQUARE, chooser, writing); break;
    case SIGHT_CIRCLE: write_all_by(SIGHT_CIRCLE, chooser, writing); break;
    case SIGHT_CUBE: write_all_by(SIGHT_CUBE, chooser, writing); break;
    case SIGHT_BALL: write_all_by(SIGHT_BALL, chooser, writing); break;
    }
}

/* Takes the pairs, which were written to the pool, for the new told set: there they stay, unless it
 * needs another block, which they then go to. */
static bool choose_told(const struct chooser *chooser, struct choice *choice, struct told *pairs,
                        uint32_t count) {
    struct crowd_work *work = chooser->work;
    const struct told_set *now = &chooser->member->told;
    const uint32_t room = told_room(now->room, count);
    choice->told = (struct told_set){pairs, count, room};
    choice->is_moved = room != now->room;
    pool_keep(work->pool, pairs, choice->is_moved ? 0 : count, sizeof *pairs);
    if (!choice->is_moved)
        return true;
    choice->told.pairs = memory_resize(&work->space->memory.crowd, NULL, 0, room, sizeof *pairs);
    if (choice->told.pairs != NULL)
        memcpy(choice->told.pairs, pairs, count * sizeof *pairs);
    return choice->told.pairs != NULL || count == 0;
}

bool chooser_write(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct member *member = chooser->member;
    const size_t told = member->told.count;
    struct ranking *newcomers = &work->free; /* in the end all, ascending by id */
    if (!pool_reserve(newcomers, work->pool, work->ranking.count))
        return false;
    for (size_t i = 0; i < work->ranking.count; i++)
        newcomers->items[newcomers->count++] = work->ranking.items[i];
    ranking_sort_by_id(newcomers);
    if (!reserve_events(work, told, newcomers->count))
        return false;
    struct told *next = pool_take(work->pool, told + newcomers->count, sizeof *next);
    if (next == NULL)
        return false;
    struct writing writing = begin_writing(chooser, next);
    if (chooser->takes_all)
        write_all(chooser, &writing);
    else
        write_by_fates(chooser, &writing);
    while (writing.newcomer < writing.newcomers_end)
        write_newcomer(&writing);
    struct pairs *moves = &work->lists[queue_rank(AOI_MOVE)][SUBJECT_WATCHER];
    if (writing.move != NULL)
        moves->count = (size_t)(writing.move - moves->items);
    struct choice *choice = &work->choices.items[work->choices.count];
    *choice = (struct choice){.watcher = chooser->slot,
                              .is_waiting = chooser->is_withheld || writing.waits != 0};
    if (!writing.differs && choice->is_waiting == member->is_waiting) {
        pool_keep(work->pool, next, 0, sizeof *next);
        return true;
    }
    if (!choose_told(chooser, choice, next, (uint32_t)(writing.next - next)))
        return false;
    work->choices.count++;
    return true;
}

void crowd_keep_choices(struct crowd_work *work) {
    struct crowd *crowd = work->space->crowd;
    for (size_t i = 0; i < work->choices.count; i++) {
        const struct choice *choice = &work->choices.items[i];
        struct member *member = &crowd->members.items[choice->watcher];
        if (choice->is_moved) {
            crowd_forget_told(crowd, choice->watcher);
            member->told = choice->told;
        } else if (choice->told.count > 0) {
            memcpy(member->told.pairs, choice->told.pairs,
                   choice->told.count * sizeof *choice->told.pairs);
        }
        member->told.count = choice->told.count;
        crowd->waiting += (size_t)choice->is_waiting - (size_t)member->is_waiting;
        member->is_waiting = choice->is_waiting;
    }
    for (size_t i = 0; i < work->watcher_count; i++)
        crowd->members.items[work->watchers[i]].knows_all = work->know_all[i];
}

void crowd_drop_choices(struct crowd_work *work) {
    for (size_t i = 0; i < work->choices.count; i++) {
        struct told_set *told = &work->choices.items[i].told;
        if (work->choices.items[i].is_moved)
            memory_resize(work->space->crowd->memory, told->pairs, told->room, 0,
                          sizeof *told->pairs);
    }
}
