/* choose.c - see choose.h. */
#include "crowd/choose.h"

#include <math.h>
#include <string.h>

/* The watcher whose turn it is. */
struct chooser {
    struct crowd_work *work;
    const struct crowd *crowd;
    struct member *member;
    uint32_t slot;
    const struct stand *watcher;
    struct stance stance;
    enum sight_rule rule;
    size_t limit;    /* places for those that are ranked */
    bool is_limited; /* else everybody gets one, and those that were told keep it */
    size_t due;      /* pairs that are, if all of them stay */
    bool is_heap;         /* the ranking is one */
    bool knows_all;       /* nobody was passed over */
    bool is_withheld;     /* some newcomers have to wait */
    bool takes_all;       /* see write_all_by */
    struct tree_box view; /* in it lies all that the watcher sees */
};

/* ------------------------------------------------------------------ */
/* The ranking                                                         */
/* ------------------------------------------------------------------ */

static bool reserve_ranked(struct ranking *ranking, struct memory *memory) {
    if (ranking->count < ranking->capacity)
        return true;
    struct ranked *items = memory_grow(memory, ranking->items, &ranking->capacity,
                                       ranking->count + 1, sizeof *items);
    if (items != NULL)
        ranking->items = items;
    return items != NULL;
}

/* Lets the item at `at` sink to where none below it ranks behind it. */
static void sink(struct ranked *items, size_t count, size_t at) {
    const struct ranked item = items[at];
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && ranks_before(&items[below], &items[below + 1]))
            below++;
        if (!ranks_before(&item, &items[below]))
            break;
        items[at] = items[below];
        at = below;
    }
    items[at] = item;
}

static void make_heap(struct ranking *ranking) {
    for (size_t at = ranking->count / 2; at-- > 0;)
        sink(ranking->items, ranking->count, at);
}

/* In the order of their ranks. */
static void sort_ranking(struct ranking *ranking) {
    make_heap(ranking);
    for (size_t count = ranking->count; count > 1; count--) {
        const struct ranked last = ranking->items[0];
        ranking->items[0] = ranking->items[count - 1];
        ranking->items[count - 1] = last;
        sink(ranking->items, count - 1, 0);
    }
}

/* Puts the last in rank in front. */
static void put_last_in_front(struct ranking *ranking) {
    size_t last = 0;
    for (size_t i = 1; i < ranking->count; i++)
        last = ranks_before(&ranking->items[last], &ranking->items[i]) ? i : last;
    const struct ranked kept = ranking->items[0];
    ranking->items[0] = ranking->items[last];
    ranking->items[last] = kept;
}

/* ------------------------------------------------------------------ */
/* Those that were told                                                */
/* ------------------------------------------------------------------ */

static bool is_pinned(const struct chooser *chooser, aoi_id marker) {
    return chooser->member->pins.count > 0 && pins_have(&chooser->member->pins, marker);
}

ALWAYS_INLINE bool sees_stand_by(enum sight_rule rule, const struct chooser *chooser,
                                 const struct stand *marker) {
    const struct stance stance = stand_stance(rule, marker);
    return sees(rule, &chooser->stance, &stance) != 0;
}

static bool sees_stand(const struct chooser *chooser, const struct stand *marker) {
    return sees_stand_by(chooser->rule, chooser, marker);
}

/* What becomes of the pair if its marker stays. */
ALWAYS_INLINE struct fate fate_of(const struct chooser *chooser, const struct told *pair,
                                  const struct stand *marker, double square) {
    const uint32_t tick = chooser->work->tick, period = crowd_period(chooser->crowd, square);
    const uint32_t sooner = pair->since + period;
    const uint32_t due = tick_is_after(pair->due, sooner) ? sooner : pair->due;
    const bool waits = tick_is_after(marker->moved, pair->since);
    return (struct fate){.marker = marker->id,
                         .due = due,
                         .period = period,
                         .stays = true,
                         .waits = waits,
                         .is_due = waits & !tick_is_after(due, tick)};
}

/* Sorts out who of the told set is still seen: free ones stay, the others are ranked; counts those
 * that are due. False: no memory. */
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
            work->fates[i] = (struct fate){.marker = work->space->entities.at[pair->slot].id};
            continue;
        }
        work->marks[place] = work->mark;
        if (!sees_stand_by(rule, chooser, marker)) {
            work->fates[i] = (struct fate){.marker = marker->id};
            continue;
        }
        const double square = stand_square(chooser->watcher, marker);
        work->fates[i] = fate_of(chooser, pair, marker, square);
        chooser->due += work->fates[i].is_due;
        if (!is_ranked || marker->is_free || is_pinned(chooser, marker->id))
            continue;
        if (!reserve_ranked(&work->ranking, work->memory))
            return false;
        work->ranking.items[work->ranking.count++] =
            (struct ranked){square, marker->id, pair->slot, i, 0, marker->importance};
    }
    return true;
}

static bool look_at_told(struct chooser *chooser) {
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
/* Newcomers                                                           */
/* ------------------------------------------------------------------ */

static struct ranked newcomer(const struct chooser *chooser, const struct stand *marker) {
    const double square = stand_square(chooser->watcher, marker);
    return (struct ranked){square * chooser->crowd->keep_square,
                           marker->id,
                           marker->slot,
                           NEWCOMER,
                           chooser->work->tick + crowd_period(chooser->crowd, square),
                           marker->importance};
}

static bool add_free(struct chooser *chooser, const struct stand *marker) {
    struct crowd_work *work = chooser->work;
    if (!reserve_ranked(&work->free, work->memory))
        return false;
    work->free.items[work->free.count++] = newcomer(chooser, marker);
    return true;
}

/* Those that were not told, are pinned, and are seen now. False: no memory. */
static bool look_at_pins(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct pins *pins = &chooser->member->pins;
    struct stand room;
    for (size_t i = 0; i < pins->count; i++) {
        const uint32_t slot = space_find(work->space, pins->ids[i]);
        uint32_t place;
        const struct stand *marker =
            slot == NO_SLOT ? NULL : crowd_find_marker(work, slot, &room, &place);
        if (marker == NULL || work->marks[place] == work->mark)
            continue;
        work->marks[place] = work->mark;
        if (sees_stand(chooser, marker) && !add_free(chooser, marker))
            return false;
    }
    return true;
}

static bool is_full(const struct chooser *chooser) {
    return chooser->work->ranking.count >= chooser->limit;
}

/* A newcomer that is seen: it takes a place, or that of the last in rank. False: no memory. */
static bool rank_newcomer(struct chooser *chooser, const struct stand *marker) {
    struct ranking *ranking = &chooser->work->ranking;
    const struct ranked item = newcomer(chooser, marker);
    if (!is_full(chooser)) {
        if (!reserve_ranked(ranking, chooser->work->memory))
            return false;
        ranking->items[ranking->count++] = item;
        if (is_full(chooser))
            put_last_in_front(ranking);
        return true;
    }
    if (!ranks_before(&item, &ranking->items[0]))
        return true;
    if (ranking->items[0].told != NEWCOMER)
        chooser->work->fates[ranking->items[0].told].stays = false;
    if (!chooser->is_heap)
        make_heap(ranking);
    chooser->is_heap = true;
    ranking->items[0] = item;
    sink(ranking->items, ranking->count, 0);
    return true;
}

/* One that is not marked yet. False: no memory. */
static bool look_at_newcomer(struct chooser *chooser, const struct stand *marker) {
    if (!sees_stand(chooser, marker))
        return true;
    if (marker->is_free)
        return add_free(chooser, marker);
    return chooser->limit == 0 || rank_newcomer(chooser, marker);
}

/* ---- in the tree ---- */

ALWAYS_INLINE bool boxes_meet(const struct tree_box *a, const struct tree_box *b) {
    const __typeof__(a->low <= a->high) apart = (a->low > b->high) | (b->low > a->high);
    return !(apart[0] | apart[1]) && a->low_z <= b->high_z && b->low_z <= a->high_z;
}

/* The square of the distance to the box: no point in it is nearer, by the same roundings, which never
 * turn two numbers around. */
ALWAYS_INLINE double square_to_box(const struct stand *from, const struct tree_box *box) {
    const xy outside = xy_greater(xy_greater(box->low - from->at, from->at - box->high), xy_of(0));
    const xy squares = outside * outside;
    const double below = box->low_z - from->z, above = from->z - box->high_z;
    double outside_z = below > above ? below : above;
    outside_z = outside_z > 0 ? outside_z : 0;
    return squares[0] + squares[1] + outside_z * outside_z;
}

/* True unless everybody is certain to rank behind the last of a full ranking: a newcomer of that
 * importance, at that distance or farther. */
static bool may_rank(const struct chooser *chooser, int importance, double square) {
    if (!is_full(chooser))
        return true;
    if (chooser->limit == 0)
        return false;
    const struct ranked *last = &chooser->work->ranking.items[0];
    if (importance != last->importance)
        return importance > last->importance;
    return square * chooser->crowd->keep_square <= last->square;
}

static bool search_leaf(struct chooser *chooser, const struct tree_node *leaf) {
    const struct crowd_work *work = chooser->work;
    for (uint32_t place = leaf->first; place < leaf->first + leaf->count; place++) {
        const struct stand *marker = &work->stands[place];
        if (work->marks[place] != work->mark &&
            (marker->is_free ||
             may_rank(chooser, marker->importance, stand_square(chooser->watcher, marker))) &&
            !look_at_newcomer(chooser, marker))
            return false;
    }
    return true;
}

/* Most nodes fall out by the distance where there is a crowd, and by the view elsewhere. */
ALWAYS_INLINE bool is_worth_it(const struct chooser *chooser, const struct tree_node *node,
                               double square) {
    return (node->has_free ||
            (node->importance >= 0 && may_rank(chooser, node->importance, square))) &&
           boxes_meet(&node->views, &chooser->view) &&
           (node->shown & chooser->stance.looked_for) != 0;
}

/* The better half first: the more important, else the nearer. False: no memory. */
static bool search_node(struct chooser *chooser, const struct tree_node *node) { /* NOLINT(misc-no-recursion) */
    if (node->right == 0)
        return search_leaf(chooser, node);
    const struct tree_node *near = node + 1,
                           *far = &chooser->work->tree.nodes[node->right];
    double near_square = square_to_box(chooser->watcher, &near->places);
    double far_square = square_to_box(chooser->watcher, &far->places);
    if (far->importance > near->importance ||
        (far->importance == near->importance && far_square < near_square)) {
        const struct tree_node *kept = near;
        const double kept_square = near_square;
        near = far;
        near_square = far_square;
        far = kept;
        far_square = kept_square;
    }
    return (!is_worth_it(chooser, near, near_square) || search_node(chooser, near)) &&
           (!is_worth_it(chooser, far, far_square) || search_node(chooser, far));
}

/* All that the watcher sees lies in it. */
static struct tree_box view_of(const struct chooser *chooser) {
    const struct stance *stance = &chooser->stance;
    const double r = stance->radius;
    struct tree_box view = {stance->at - xy_of(r), stance->at + xy_of(r), -INFINITY, INFINITY};
    if (chooser->rule == SIGHT_CUBE || chooser->rule == SIGHT_BALL) {
        view.low_z = stance->z - r;
        view.high_z = stance->z + r;
    }
    return view;
}

static bool search_tree(struct chooser *chooser) {
    const struct marker_tree *tree = &chooser->work->tree;
    if (tree->node_count == 0)
        return true;
    chooser->view = view_of(chooser);
    return !is_worth_it(chooser, tree->nodes, 0) || search_node(chooser, tree->nodes);
}

/* ---- among those who came into the view ---- */

static bool look_at_arrivals(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const uint32_t *start = work->newcomers_start + chooser->slot;
    for (uint32_t i = start[0]; i < start[1]; i++) {
        const uint32_t place = work->places[work->newcomers[i]];
        if (work->marks[place] != work->mark &&
            !look_at_newcomer(chooser, &work->stands[place]))
            return false;
    }
    return true;
}

/* ---- in the space's own indexes ---- */

static bool search_indexes(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    struct aoi_space *space = work->space;
    struct stand room;
    if (!visibility_markers(&space->visibility, chooser->slot))
        return false;
    const struct id_list *seen = &space->visibility.changes[ENTERED_MARKERS];
    for (size_t i = 0; i < seen->count; i++) {
        const uint32_t slot = space_find(space, seen->ids[i]);
        uint32_t place;
        const struct stand *marker = crowd_find_marker(work, slot, &room, &place);
        if (work->marks[place] != work->mark && !look_at_newcomer(chooser, marker))
            return false;
    }
    return true;
}

/* False: no memory. */
static bool look_for_newcomers(struct chooser *chooser) {
    const struct crowd_work *work = chooser->work;
    if (work->stands == NULL)
        return search_indexes(chooser);
    if (work->newcomers_start != NULL && chooser->member->knows_all)
        return look_at_arrivals(chooser);
    return search_tree(chooser);
}

/* ------------------------------------------------------------------ */
/* The limits                                                          */
/* ------------------------------------------------------------------ */

/* Those that rank behind the limit among those that were told lose their places. The last of those
 * that keep theirs stands in front if the ranking is full. */
static void cut_to_limit(struct chooser *chooser) {
    struct ranking *ranking = &chooser->work->ranking;
    if (ranking->count > chooser->limit) {
        sort_ranking(ranking);
        for (size_t i = chooser->limit; i < ranking->count; i++)
            chooser->work->fates[ranking->items[i].told].stays = false;
        ranking->count = chooser->limit;
    }
    if (ranking->count > 0 && is_full(chooser))
        put_last_in_front(ranking);
}

/* Keeps only the newcomers of the ranking. */
static void keep_newcomers(struct ranking *ranking) {
    size_t newcomers = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        if (ranking->items[i].told == NEWCOMER)
            ranking->items[newcomers++] = ranking->items[i];
    }
    ranking->count = newcomers;
}

/* Only the first newcomers are admitted. Places that the others would have had go to those who were
 * told: to as many, in rank, as the limit allows. */
static void withhold(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    struct ranking *admitted = &work->ranking, *told = &work->told;
    sort_ranking(admitted);
    admitted->count = chooser->crowd->enter_budget;
    sort_ranking(told);
    size_t before = 0;
    for (size_t i = 0; i < told->count; i++) {
        while (before < admitted->count && ranks_before(&admitted->items[before], &told->items[i]))
            before++;
        work->fates[told->items[i].told].stays = i + before < chooser->limit;
    }
}

/* Those of the told set that are ranked, in any order, for withhold. False: no memory. */
static bool remember_told(struct crowd_work *work) {
    work->told.count = 0;
    for (size_t i = 0; i < work->ranking.count; i++) {
        if (!reserve_ranked(&work->told, work->memory))
            return false;
        work->told.items[work->told.count++] = work->ranking.items[i];
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The new told set, and the events                                    */
/* ------------------------------------------------------------------ */

/* The number that stands at `place` when they are in descending order; puts them into another one.
 * Hoare's quickselect. */
static uint32_t select_number(uint32_t *numbers, size_t count, size_t place) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const uint32_t pivot = numbers[low + (high - low) / 2];
        size_t i = low, k = high;
        for (;;) {
            while (numbers[i] > pivot)
                i++;
            while (numbers[k] < pivot)
                k--;
            if (i >= k)
                break;
            const uint32_t kept = numbers[i];
            numbers[i++] = numbers[k];
            numbers[k--] = kept;
        }
        if (i == k && place == i)
            return pivot;
        if (place >= i + (i == k))
            low = i + (i == k);
        else
            high = k - (i == k);
    }
    return numbers[place];
}

/* Of which pairs a move is told: those that are due for more than `age` ticks, and of those that are
 * for just as many the first `at_age`. */
struct move_share {
    bool is_plenty; /* for all */
    uint32_t age;
    size_t at_age;
};

/* Shares out the budget. */
static struct move_share share_moves(const struct chooser *chooser) {
    const struct crowd_work *work = chooser->work;
    const size_t budget = chooser->crowd->budget;
    struct move_share share = {.is_plenty = true};
    size_t count = 0;
    if (chooser->due <= budget)
        return share;
    for (uint32_t i = 0; i < chooser->member->told.count; i++) {
        work->ages[count] = work->tick - work->fates[i].due;
        count += work->fates[i].stays & work->fates[i].is_due;
    }
    if (count <= budget)
        return share;
    share.is_plenty = false;
    share.age = select_number(work->ages, count, budget - 1);
    share.at_age = budget;
    for (size_t i = 0; i < count; i++)
        share.at_age -= work->ages[i] > share.age;
    return share;
}

ALWAYS_INLINE bool takes_share(const struct crowd_work *work, const struct fate *fate,
                               struct move_share *share) {
    const uint32_t age = work->tick - fate->due;
    const bool takes =
        fate->is_due & (share->is_plenty | (age > share->age) |
                        ((age == share->age) & (share->at_age > 0)));
    share->at_age -= takes & (age == share->age);
    return takes;
}

/* Room for the events of the watcher. False: no memory. */
static bool reserve_events(struct crowd_work *work, size_t told, size_t newcomers) {
    const size_t most[QUEUE_KINDS] = {told, newcomers, told}; /* as in queue_order */
    for (int kind = 0; kind < QUEUE_KINDS; kind++) {
        if ((work->ops & queue_order[kind]) &&
            !pairs_reserve(&work->lists[kind][SUBJECT_WATCHER], work->memory, most[kind]))
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

static bool reserve_choice(struct crowd_work *work, size_t pairs) {
    if (work->choice_count == work->choice_capacity) {
        struct choice *choices = memory_grow(work->memory, work->choices, &work->choice_capacity,
                                             work->choice_count + 1, sizeof *choices);
        if (choices == NULL)
            return false;
        work->choices = choices;
    }
    if (pairs > work->pool_capacity - work->pool_count) {
        struct told *pool = memory_grow(work->memory, work->pool, &work->pool_capacity,
                                        work->pool_count + pairs, sizeof *pool);
        if (pool == NULL)
            return false;
        work->pool = pool;
    }
    return true;
}

/* Room for what is found out about the pairs until now. False: no memory. */
static bool reserve_told(struct crowd_work *work, size_t count) {
    if (count > work->fate_capacity) {
        struct fate *fates =
            memory_grow(work->memory, work->fates, &work->fate_capacity, count, sizeof *fates);
        if (fates == NULL)
            return false;
        work->fates = fates;
    }
    if (count > work->age_capacity) {
        uint32_t *ages =
            memory_grow(work->memory, work->ages, &work->age_capacity, count, sizeof *ages);
        if (ages == NULL)
            return false;
        work->ages = ages;
    }
    return true;
}

/* Room for the new told set. False: no memory. */
static bool reserve_next(struct crowd_work *work, size_t count) {
    if (count <= work->next_capacity)
        return true;
    struct told *next =
        memory_grow(work->memory, work->next, &work->next_capacity, count, sizeof *next);
    if (next != NULL)
        work->next = next;
    return next != NULL;
}

/* By insertion where they are few, as they mostly are. */
static void sort_by_id(struct ranking *ranking) {
    enum { FEW = 16 };
    struct ranked *items = ranking->items;
    if (ranking->count > FEW) {
        for (size_t i = 0; i < ranking->count; i++) { /* the order of rank among equals is that of ids */
            items[i].importance = 0;
            items[i].square = 0;
        }
        sort_ranking(ranking);
        return;
    }
    for (size_t i = 1; i < ranking->count; i++) {
        const struct ranked item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].id > item.id; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* All newcomers in one list, ascending by id. False: no memory. */
static bool gather_newcomers(struct crowd_work *work) {
    struct ranking *all = &work->free;
    for (size_t i = 0; i < work->ranking.count; i++) {
        if (!reserve_ranked(all, work->memory))
            return false;
        all->items[all->count++] = work->ranking.items[i];
    }
    sort_by_id(all);
    return true;
}

/* The new told set while it is written, in a scratch, with its events, for which room is reserved. */
struct writing {
    struct crowd_work *work;
    aoi_id watcher;
    const struct ranked *newcomer, *newcomers_end; /* those that are to come, ascending by id */
    struct told *next;
    struct pair *move; /* NULL: nobody wants moves */
    unsigned differs, waits;
};

static struct writing begin_writing(const struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct pairs *moves = &work->lists[queue_rank(AOI_MOVE)][SUBJECT_WATCHER];
    const bool tells_moves = (work->ops & AOI_MOVE) != 0 && chooser->member->told.count > 0;
    return (struct writing){.work = work,
                            .watcher = chooser->watcher->id,
                            .newcomer = work->free.items,
                            .newcomers_end = work->free.items + work->free.count,
                            .next = work->next,
                            .move = tells_moves ? moves->items + moves->count : NULL,
                            .differs = work->free.count > 0};
}

static void write_leaving(struct writing *writing, aoi_id marker) {
    add_event(writing->work, AOI_LEAVE, writing->watcher, marker);
    writing->differs = 1;
}

static void write_newcomer(struct writing *writing) {
    const struct ranked *newcomer = writing->newcomer++;
    *writing->next++ = (struct told){newcomer->slot, writing->work->tick, newcomer->due};
    add_event(writing->work, AOI_ENTER, writing->watcher, newcomer->id);
}

/* a where `which` is 1, b where it is 0; not by a branch, which nobody could foresee. */
ALWAYS_INLINE uint32_t choose_tick(unsigned which, uint32_t a, uint32_t b) {
    return b ^ ((a ^ b) & (0U - which));
}

/* One that stays, without branches where nobody can foresee them: whether a move is told. */
ALWAYS_INLINE void write_staying(struct writing *writing, const struct told *pair,
                                 const struct fate *fate, bool is_told) {
    const uint32_t tick = writing->work->tick;
    while (writing->newcomer < writing->newcomers_end && writing->newcomer->id < fate->marker)
        write_newcomer(writing);
    const uint32_t due = choose_tick(is_told, tick + fate->period, fate->due);
    *writing->next++ = (struct told){pair->slot, choose_tick(is_told, tick, pair->since), due};
    writing->differs |= is_told | (due != pair->due);
    writing->waits |= fate->waits & !is_told;
    if (writing->move != NULL) {
        *writing->move = (struct pair){writing->watcher, fate->marker};
        writing->move += is_told;
    }
}

static void end_writing(struct writing *writing) {
    struct pairs *moves = &writing->work->lists[queue_rank(AOI_MOVE)][SUBJECT_WATCHER];
    while (writing->newcomer < writing->newcomers_end)
        write_newcomer(writing);
    if (writing->move != NULL)
        moves->count = (size_t)(writing->move - moves->items);
}

/* By the fates that have been found. */
static void write_by_fates(const struct chooser *chooser, struct writing *writing) {
    const struct told_set *told = &chooser->member->told;
    struct move_share share = share_moves(chooser);
    for (uint32_t i = 0; i < told->count; i++) {
        const struct fate *fate = &chooser->work->fates[i];
        if (fate->stays)
            write_staying(writing, &told->pairs[i], fate, takes_share(chooser->work, fate, &share));
        else
            write_leaving(writing, fate->marker);
    }
}

/* The same where all that is seen is told, and every move that is due: what becomes of a pair is then
 * known as soon as it is looked at. What most pairs need stands in registers, so it is copied from
 * the structs, and written as write_staying would. */
ALWAYS_INLINE void write_all_by(enum sight_rule rule, const struct chooser *chooser,
                                struct writing *writing) {
    const struct crowd_work *work = chooser->work;
    const struct told_set *told = &chooser->member->told;
    const struct chooser looking = *chooser;
    const aoi_id watcher = writing->watcher;
    const struct ranked *const newcomers_end = writing->newcomers_end;
    struct told *next = writing->next;
    struct pair *move = writing->move;
    unsigned differs = writing->differs, waits = 0;
    for (uint32_t i = 0; i < told->count; i++) {
        const struct told pair = told->pairs[i];
        const uint32_t place = work->places[pair.slot];
        const struct stand *marker = &work->stands[place == NO_SLOT ? 0 : place];
        if (place == NO_SLOT || !sees_stand_by(rule, &looking, marker)) {
            write_leaving(writing, work->space->entities.at[pair.slot].id);
            continue;
        }
        const struct fate fate =
            fate_of(&looking, &pair, marker, stand_square(looking.watcher, marker));
        while (writing->newcomer < newcomers_end && writing->newcomer->id < fate.marker) {
            writing->next = next++;
            write_newcomer(writing);
        }
        const uint32_t due = choose_tick(fate.is_due, work->tick + fate.period, fate.due);
        *next++ = (struct told){pair.slot, choose_tick(fate.is_due, work->tick, pair.since), due};
        differs |= fate.is_due | (due != pair.due);
        waits |= fate.waits & !fate.is_due;
        if (move != NULL) {
            *move = (struct pair){watcher, fate.marker};
            move += fate.is_due;
        }
    }
    writing->next = next;
    writing->move = move;
    writing->differs |= differs;
    writing->waits |= waits;
}

static void write_all(const struct chooser *chooser, struct writing *writing) {
    switch (chooser->rule) {
    case SIGHT_CELLS: write_all_by(SIGHT_CELLS, chooser, writing); break;
    case SIGHT_SQUARE: write_all_by(SIGHT_SQUARE, chooser, writing); break;
    case SIGHT_CIRCLE: write_all_by(SIGHT_CIRCLE, chooser, writing); break;
    case SIGHT_CUBE: write_all_by(SIGHT_CUBE, chooser, writing); break;
    case SIGHT_BALL: write_all_by(SIGHT_BALL, chooser, writing); break;
    }
}

/* Puts what was written in place of the told set until now, which the choice then knows. False: no
 * memory, unchanged. */
static bool replace_told(struct chooser *chooser, struct choice *choice, uint32_t count) {
    struct crowd_work *work = chooser->work;
    struct told_set *told = &chooser->member->told;
    struct told *pairs = told->pairs;
    choice->before = *told;
    choice->first = work->pool_count;
    const uint32_t room = told_room(told->room, count);
    choice->is_moved = room != told->room;
    if (choice->is_moved) {
        pairs = count == 0
                    ? NULL
                    : memory_resize(&work->space->memory.crowd, NULL, 0, room, sizeof *pairs);
        if (count > 0 && pairs == NULL)
            return false;
    } else if (told->count > 0) {
        memcpy(work->pool + work->pool_count, told->pairs, told->count * sizeof *pairs);
        work->pool_count += told->count;
    }
    if (count > 0)
        memcpy(pairs, work->next, count * sizeof *pairs);
    *told = (struct told_set){pairs, count, room};
    return true;
}

/* Writes the new told set and its events. False: no memory, the set is unchanged. */
static bool write_choice(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct member *member = chooser->member;
    const size_t told = member->told.count;
    if (!gather_newcomers(work) || !reserve_events(work, told, work->free.count) ||
        !reserve_choice(work, told) || !reserve_next(work, told + work->free.count))
        return false;
    struct writing writing = begin_writing(chooser);
    if (chooser->takes_all)
        write_all(chooser, &writing);
    else
        write_by_fates(chooser, &writing);
    end_writing(&writing);
    struct choice *choice = &work->choices[work->choice_count];
    *choice = (struct choice){.watcher = chooser->slot,
                              .is_waiting = chooser->is_withheld || writing.waits != 0};
    if (!writing.differs && choice->is_waiting == member->is_waiting)
        return true;
    if (!replace_told(chooser, choice, (uint32_t)(writing.next - work->next)))
        return false;
    work->choice_count++;
    return true;
}

static void free_pairs(struct crowd *crowd, struct told_set *told) {
    memory_resize(crowd->memory, told->pairs, told->room, 0, sizeof *told->pairs);
}

void crowd_keep_choices(struct crowd_work *work) {
    struct crowd *crowd = work->space->crowd;
    for (size_t i = 0; i < work->choice_count; i++) {
        struct choice *choice = &work->choices[i];
        struct member *member = &crowd->members[choice->watcher];
        if (choice->is_moved)
            free_pairs(crowd, &choice->before);
        crowd->waiting += (size_t)choice->is_waiting - (size_t)member->is_waiting;
        member->is_waiting = choice->is_waiting;
    }
    for (size_t i = 0; i < work->watcher_count; i++)
        crowd->members[work->watchers[i]].knows_all = work->know_all[i];
}

void crowd_take_back_choices(struct crowd_work *work) {
    struct crowd *crowd = work->space->crowd;
    for (size_t i = 0; i < work->choice_count; i++) {
        const struct choice *choice = &work->choices[i];
        struct told_set *told = &crowd->members[choice->watcher].told;
        if (choice->is_moved) {
            free_pairs(crowd, told);
            *told = choice->before;
        } else {
            told->count = choice->before.count;
            if (told->count > 0)
                memcpy(told->pairs, work->pool + choice->first, told->count * sizeof *told->pairs);
        }
    }
}

/* Finds out who stays (fates) and who comes. False: no memory. */
static bool find_out(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const uint32_t enter_budget = chooser->crowd->enter_budget;
    if (!reserve_told(work, chooser->member->told.count) || !look_at_told(chooser) ||
        (enter_budget != AOI_MOST && !remember_told(work)))
        return false;
    cut_to_limit(chooser);
    if (!look_at_pins(chooser) || !look_for_newcomers(chooser))
        return false;
    chooser->knows_all = !is_full(chooser);
    keep_newcomers(&work->ranking);
    chooser->is_withheld = work->ranking.count > enter_budget;
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
                              .member = &crowd->members[slot],
                              .slot = slot,
                              .watcher = crowd_find_marker(work, slot, &unused, &place),
                              .rule = space->visibility.rule};
    work->mark++;
    work->ranking.count = work->free.count = 0;
    if (chooser.watcher != NULL)
        work->marks[place] = work->mark;
    if (chooser.watcher == NULL || chooser.watcher == &unused) {
        crowd_set_stand(work, slot, room);
        chooser.watcher = room;
    }
    chooser.stance = stand_stance(chooser.rule, chooser.watcher);
    chooser.limit = chooser.member->traits.limit;
    chooser.is_limited = chooser.limit != AOI_UNLIMITED || crowd->enter_budget != AOI_MOST;
    chooser.takes_all = work->newcomers_start != NULL && chooser.member->knows_all &&
                        !chooser.is_limited && crowd->budget == AOI_MOST;
    return chooser;
}

bool crowd_choose(struct crowd_work *work, uint32_t slot, bool *knows_all) {
    struct stand room;
    struct chooser chooser = begin_choosing(work, slot, &room);
    chooser.knows_all = true;
    if (!(chooser.takes_all ? look_at_arrivals(&chooser) : find_out(&chooser)) ||
        !write_choice(&chooser))
        return false;
    *knows_all = chooser.knows_all && !chooser.is_withheld;
    return true;
}
