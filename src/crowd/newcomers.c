/*
 * newcomers.c - newcomers of a watcher: searched in the tree of all markers,
 * where everybody takes part; among markers that came into the view, where it
 * was told of all that it saw; else through the space's own indexes.
 */
#include <math.h>

#include "crowd/chooser.h"

static bool sees_stand(const struct chooser *chooser, const struct stand *marker) {
    return sees_stand_by(chooser->rule, chooser, marker);
}

static struct ranked newcomer(const struct chooser *chooser, const struct stand *marker) {
    const double square = stand_square(chooser->watcher, marker);
    return (struct ranked){
        square * chooser->crowd->keep_square, marker->id,        marker->slot, NEWCOMER,
        crowd_period(chooser->crowd, square), marker->importance};
}

static bool add_free(struct chooser *chooser, const struct stand *marker) {
    struct crowd_work *work = chooser->work;
    return pool_add(&work->free, work->pool, newcomer(chooser, marker));
}

bool chooser_look_at_pins(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const struct id_list *pins = &chooser->member->pins;
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

/* A newcomer that is seen: it takes a place, or that of the last in rank. */
static bool rank_newcomer(struct chooser *chooser, const struct stand *marker) {
    struct ranking *ranking = &chooser->work->ranking;
    const struct ranked item = newcomer(chooser, marker);
    if (!is_full(chooser)) {
        if (!pool_add(ranking, chooser->work->pool, item))
            return false;
        if (is_full(chooser))
            ranking_put_last_in_front(ranking, &chooser->work->full);
        return true;
    }
    if (!ranks_before(&item, &ranking->items[0]))
        return true;
    if (ranking->items[0].told != NEWCOMER)
        chooser->work->fates.items[ranking->items[0].told].stays = false;
    ranking_replace_last(ranking, &item, &chooser->work->full);
    return true;
}

/* Looks at a marker that is not marked yet. */
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

/* The square of the distance to the box: no point in it is nearer, by the same roundings, which
 * never turn two numbers around. */
ALWAYS_INLINE double square_to_box(const struct stand *from, const struct tree_box *box) {
    const xy outside = xy_greater(xy_greater(box->low - from->at, from->at - box->high), xy_of(0));
    const double below = box->low_z - from->z, above = from->z - box->high_z;
    double outside_z = below > above ? below : above;
    outside_z = outside_z > 0 ? outside_z : 0;
    return square_of_way(outside, outside_z);
}

/* True unless everybody is certain to rank behind the last of a full ranking: a newcomer of that
 * importance, at that distance or farther, with that id or a greater one. */
static bool may_rank(const struct chooser *chooser, int importance, double square, aoi_id id) {
    if (!is_full(chooser))
        return true;
    if (chooser->limit == 0)
        return false;
    const struct ranked *last = &chooser->work->ranking.items[0];
    if (importance != last->importance)
        return importance > last->importance;
    const double kept_square = square * chooser->crowd->keep_square;
    if (kept_square != last->square)
        return kept_square < last->square;
    return last->told == NEWCOMER && id < last->id;
}

static bool search_leaf(struct chooser *chooser, const struct tree_node *leaf) {
    const struct crowd_work *work = chooser->work;
    for (uint32_t place = leaf->first; place < leaf->first + leaf->count; place++) {
        const struct stand *marker = &work->stands[place];
        if (work->marks[place] != work->mark &&
            (marker->is_free || may_rank(chooser, marker->importance,
                                         stand_square(chooser->watcher, marker), marker->id)) &&
            !look_at_newcomer(chooser, marker))
            return false;
    }
    return true;
}

/* Most nodes fall out by the distance where there is a crowd, and by the view elsewhere. */
ALWAYS_INLINE bool is_worth_it(const struct chooser *chooser, const struct tree_node *node,
                               double square) {
    const uint32_t looked_for = chooser->stance.looked_for;
    return ((node->shown_free & looked_for) != 0 ||
            ((node->shown & looked_for) != 0 &&
             may_rank(chooser, node->importance, square, node->least_id))) &&
           boxes_meet(&node->views, &chooser->view);
}

/* Ranks newcomers: the more important, else the nearer, else the one with the lesser id first. */
ALWAYS_INLINE bool is_better(const struct tree_node *a, double a_square, const struct tree_node *b,
                             double b_square) {
    if (a->importance != b->importance)
        return a->importance > b->importance;
    return a_square != b_square ? a_square < b_square : a->least_id < b->least_id;
}

/* The better half first. */
static bool search_node(struct chooser *chooser, const struct tree_node *node) {
    if (node->right == 0)
        return search_leaf(chooser, node);
    const struct tree_node *near = node + 1, *far = &chooser->work->tree.nodes[node->right];
    double near_square = square_to_box(chooser->watcher, &near->places);
    double far_square = square_to_box(chooser->watcher, &far->places);
    if (is_better(far, far_square, near, near_square)) {
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

static bool search_tree(struct chooser *chooser) {
    const struct marker_tree *tree = &chooser->work->tree;
    if (tree->node_count == 0)
        return true;
    const struct stance *stance = &chooser->stance;
    const enum sight_rule rule = chooser->work->space->visibility.rule;
    const xy reach = xy_of(stance->radius);
    chooser->view = (struct tree_box){stance->at - reach, stance->at + reach, -INFINITY, INFINITY};
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL) {
        chooser->view.low_z = stance->z - stance->radius;
        chooser->view.high_z = stance->z + stance->radius;
    }
    return !is_worth_it(chooser, tree->nodes, 0) || search_node(chooser, tree->nodes);
}

/* Markers that are seen by a visible radius or a word may lie outside of the view. */
static bool look_at_exceptions(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    struct aoi_space *space = work->space;
    struct stand room;
    const struct id_list *seen = visibility_view_apart(&space->visibility, chooser->slot);
    for (size_t i = 0; seen != NULL && i < seen->count; i++) {
        uint32_t place;
        const struct stand *marker =
            crowd_find_marker(work, space_find(space, seen->ids[i]), &room, &place);
        if (work->marks[place] == work->mark)
            continue;
        work->marks[place] = work->mark;
        if (!look_at_newcomer(chooser, marker))
            return false;
    }
    return seen != NULL;
}

/* ---- among those who came into the view ---- */

bool chooser_look_at_arrivals(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    const uint32_t *start = work->newcomers_start + chooser->slot;
    for (uint32_t i = start[0]; i < start[1]; i++) {
        const uint32_t place = work->places[work->newcomers[i]];
        if (work->marks[place] != work->mark && !look_at_newcomer(chooser, &work->stands[place]))
            return false;
    }
    return true;
}

/* ---- in the space's own indexes ---- */

static bool search_indexes(struct chooser *chooser) {
    struct crowd_work *work = chooser->work;
    struct aoi_space *space = work->space;
    struct stand room;
    const struct id_list *seen =
        visibility_view(&space->visibility, chooser->slot, ENTERED_MARKERS);
    for (size_t i = 0; seen != NULL && i < seen->count; i++) {
        const uint32_t slot = space_find(space, seen->ids[i]);
        uint32_t place;
        const struct stand *marker = crowd_find_marker(work, slot, &room, &place);
        if (work->marks[place] != work->mark && !look_at_newcomer(chooser, marker))
            return false;
    }
    return seen != NULL;
}

bool chooser_look_for_newcomers(struct chooser *chooser) {
    const struct crowd_work *work = chooser->work;
    if (work->stands == NULL)
        return search_indexes(chooser);
    if (work->newcomers_start != NULL && chooser->member->knows_all)
        return chooser_look_at_arrivals(chooser);
    return (chooser->rule != SIGHT_WITH_EXCEPTIONS || look_at_exceptions(chooser)) &&
           search_tree(chooser);
}
