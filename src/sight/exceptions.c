/* exceptions.c - the lists of a change, made right for beacons and for words about pairs. */
#include "sight/exceptions.h"

#include "base/sort.h"

ALWAYS_INLINE bool sees_within(enum sight_rule rule, const struct entity *watcher,
                               const struct entity *marker, double radius) {
    struct stance from = stance_of(rule, watcher);
    const struct stance to = stance_of(rule, marker);
    from.radius = radius;
    return sees(rule, &from, &to) != 0;
}

bool exceptions_in_view(enum sight_rule rule, const struct entity *watcher,
                        const struct entity *marker, double radius) {
    switch (rule) {
    case SIGHT_CELLS: return sees_within(SIGHT_CELLS, watcher, marker, 1);
    case SIGHT_SQUARE: return sees_within(SIGHT_SQUARE, watcher, marker, radius);
    case SIGHT_CIRCLE: return sees_within(SIGHT_CIRCLE, watcher, marker, radius);
    case SIGHT_CUBE: return sees_within(SIGHT_CUBE, watcher, marker, radius);
    case SIGHT_BALL: break;
    }
    return sees_within(SIGHT_BALL, watcher, marker, radius);
}

static bool in_view_of(const struct entity_change *change, const struct entity *watcher,
                       const struct entity *marker, double radius) {
    return exceptions_in_view(change->visibility->rule, watcher, marker, radius);
}

static bool add(const struct entity_change *change, int list, aoi_id id) {
    struct visibility *visibility = change->visibility;
    return id_list_add(&visibility->changes[list], visibility->memory, id);
}

/* The lists of one side of the pairs. */
struct side {
    int left, entered, moved; /* moved: CHANGE_LISTS where nobody is to be told */
};

static struct side side_of(const struct entity_change *change, unsigned direction) {
    if (direction == AS_WATCHER)
        return (struct side){LEFT_MARKERS, ENTERED_MARKERS, CHANGE_LISTS};
    return (struct side){LEFT_WATCHERS, ENTERED_WATCHERS,
                         tells_moves(change, AS_MARKER) ? MOVED_WATCHERS : CHANGE_LISTS};
}

/* Notes what becomes of a pair that is apart from those that the searches have found. */
static bool note_pair(const struct entity_change *change, const struct side *side, aoi_id other,
                      bool before, bool after) {
    if (before && after)
        return side->moved == CHANGE_LISTS || add(change, side->moved, other);
    return before == after || add(change, before ? side->left : side->entered, other);
}

/* ------------------------------------------------------------------ */
/* Beacons                                                             */
/* ------------------------------------------------------------------ */

/* Takes the pairs out of a list that are seen by the visible radius where they are not seen by the
 * other one: after a leave (is_after), or before an enter. They are seen all the time. */
static bool keep_seen(const struct entity_change *change, unsigned direction, int number,
                      bool is_after) {
    const struct visibility *visibility = change->visibility;
    const struct entity *self = is_after ? change->after : change->before;
    const double own = is_after ? change->visible_after : change->visible_before;
    const struct side side = side_of(change, direction);
    struct id_list *list = &change->visibility->changes[number];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const aoi_id id = list->ids[i];
        bool is_seen;
        if (direction == AS_MARKER) {
            const uint32_t watcher = entities_find(visibility->entities, id);
            is_seen = in_view_of(change, &visibility->entities->at[watcher], self, own);
        } else {
            const struct entity *beacon = beacons_find(&visibility->beacons, id);
            is_seen = beacon != NULL &&
                      in_view_of(change, self, &visibility->entities->at[beacon->marked_slot],
                                 beacon->radius);
        }
        if (!is_seen)
            list->ids[kept++] = id;
        else if (side.moved != CHANGE_LISTS && !add(change, side.moved, id))
            return false;
    }
    list->count = kept;
    return true;
}

/* True when the other entity of a pair is one that the change is judged against. */
static bool counts(const struct entity_change *change, uint32_t slot) {
    return slot != change->slot &&
           !(change->still_only && change->visibility->entities->at[slot].changed);
}

/* Judges the beacons that were found around the changed entity. */
static bool judge_beacons(const struct entity_change *change) {
    const struct visibility *visibility = change->visibility;
    const struct entity *before = change->before, *after = change->after;
    const struct side side = side_of(change, AS_WATCHER);
    for (size_t i = 0; i < visibility->hits.count; i++) {
        const struct entity *beacon = &visibility->beacons.all.at[visibility->hits.slots[i]];
        const struct entity *marker = &visibility->entities->at[beacon->marked_slot];
        const double radius = beacon->radius;
        const bool saw = in_view_of(change, before, marker, radius);
        const bool sees = in_view_of(change, after, marker, radius);
        if (saw != sees && counts(change, beacon->marked_slot) &&
            !in_view_of(change, before, marker, before->radius) &&
            !in_view_of(change, after, marker, after->radius) &&
            !note_pair(change, &side, marker->id, saw, sees))
            return false;
    }
    return true;
}

/* True when only place makes a difference, and views are squares or circles. */
static bool is_step(const struct entity_change *change) {
    const enum sight_rule rule = change->visibility->rule;
    return (rule == SIGHT_SQUARE || rule == SIGHT_CIRCLE) && is_present(change->before) &&
           is_present(change->after) && entities_alike(change->before, change->after);
}

static const struct entity *if_present(const struct entity *entity) {
    return is_present(entity) ? entity : NULL;
}

static bool search_beacons(const struct entity_change *change) {
    struct visibility *visibility = change->visibility;
    const struct beacons *beacons = &visibility->beacons;
    const struct entity *before = change->before, *after = change->after;
    const xy from = {before->x, before->y}, to = {after->x, after->y};
    const bool steps = is_step(change);
    if (steps && beacons_are_far(beacons, from, to))
        return true;
    begin_search(visibility);
    const bool found =
        steps ? beacons_around_step(beacons, from, to, &visibility->hits)
              : beacons_around(beacons, if_present(before), if_present(after), &visibility->hits);
    return found && judge_beacons(change);
}

/* Judges the watchers that were found around the changed entity, which is a beacon. */
static bool judge_watchers(const struct entity_change *change, const struct hits *hits) {
    const struct visibility *visibility = change->visibility;
    const struct entity *before = change->before, *after = change->after;
    const struct side side = side_of(change, AS_MARKER);
    const bool decides = visible_radius_decides(change);
    for (size_t i = 0; i < hits->count; i++) {
        const struct entity *watcher = &visibility->entities->at[hits->slots[i]];
        if (!counts(change, hits->slots[i]))
            continue;
        const bool was_seen = in_view_of(change, watcher, before, change->visible_before);
        const bool is_seen = in_view_of(change, watcher, after, change->visible_after);
        if (was_seen == is_seen && (!was_seen || side.moved == CHANGE_LISTS))
            continue;
        if (!decides && (in_view_of(change, watcher, before, watcher->radius) ||
                         in_view_of(change, watcher, after, watcher->radius)))
            continue; /* it was found by its own */
        if (!note_pair(change, &side, watcher->id, was_seen, is_seen))
            return false;
    }
    return true;
}

static bool search_watchers(const struct entity_change *change) {
    struct visibility *visibility = change->visibility;
    const struct reach reach = {change->visible_before, change->visible_after,
                                change->visible_before, change->visible_after};
    if (is_step(change) && change->visible_before == change->visible_after &&
        !tells_moves(change, AS_MARKER) && sees_whole_map(visibility, change->visible_after))
        return true;
    begin_search(visibility);
    return search_index(change, visibility->indexes->main, AS_MARKER, reach) &&
           judge_watchers(change, &visibility->hits) && judge_watchers(change, &visibility->inside);
}

/* True when there is a beacon beside the changed entity. */
static bool has_other_beacons(const struct entity_change *change) {
    const struct beacons *beacons = &change->visibility->beacons;
    const bool is_one =
        change->slot != NO_SLOT && change->visibility->entities->at[change->slot].beacon;
    return beacons->all.count > (is_one ? 1 : 0);
}

static bool apply_beacons(const struct entity_change *change, unsigned directions) {
    if ((directions & AS_WATCHER) && has_other_beacons(change) &&
        (!keep_seen(change, AS_WATCHER, LEFT_MARKERS, true) ||
         !keep_seen(change, AS_WATCHER, ENTERED_MARKERS, false) || !search_beacons(change)))
        return false;
    return !(directions & AS_MARKER) ||
           (change->visible_before == 0 && change->visible_after == 0) ||
           (keep_seen(change, AS_MARKER, LEFT_WATCHERS, true) &&
            keep_seen(change, AS_MARKER, ENTERED_WATCHERS, false) && search_watchers(change));
}

/* ------------------------------------------------------------------ */
/* Words about pairs                                                   */
/* ------------------------------------------------------------------ */

/* Judges the pair with the entity in another slot by these words. Where radii say otherwise, it
 * goes into the list where it belongs, and is noted as one to be taken out of the other. */
static bool apply_words(const struct entity_change *change, unsigned direction, uint32_t slot,
                        aoi_sight word_before, aoi_sight word_after) {
    struct visibility *visibility = change->visibility;
    if (!counts(change, slot))
        return true;
    const enum sight_rule rule = visibility->rule;
    const struct entity *other = &visibility->entities->at[slot];
    const bool looks = direction == AS_WATCHER;
    const double visible = looks ? beacons_radius(&visibility->beacons, other->id) : 0;
    const double then = looks ? visible : change->visible_before;
    const double now = looks ? visible : change->visible_after;
    const struct entity *before[] = {change->before, other}, *after[] = {change->after, other};
    const bool saw = exceptions_by_radii(rule, before[!looks], before[looks], then);
    const bool sees = exceptions_by_radii(rule, after[!looks], after[looks], now);
    const bool is_told_before =
        exceptions_see(rule, before[!looks], before[looks], then, word_before);
    const bool is_told_after = exceptions_see(rule, after[!looks], after[looks], now, word_after);
    const struct side side = side_of(change, direction);
    if (saw == is_told_before && sees == is_told_after)
        return true;
    return ((!saw && !sees) ||
            id_list_add(&visibility->overruled, visibility->memory, other->id)) &&
           note_pair(change, &side, other->id, is_told_before, is_told_after);
}

/* Takes the pairs that are overruled out of the first so many of each list. False: no memory. */
static bool take_out_overruled(struct visibility *visibility, const size_t *found) {
    struct id_list *overruled = &visibility->overruled;
    const size_t count = overruled->count;
    if (count == 0)
        return true;
    if (!id_list_reserve(overruled, visibility->memory, count))
        return false;
    const struct id_list sorted = {sort_ids(overruled->ids, overruled->ids + count, count), count,
                                   0};
    for (int number = 0; number < CHANGE_LISTS; number++) {
        struct id_list *list = &visibility->changes[number];
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            list->ids[kept] = list->ids[i];
            kept += i >= found[number] || !id_list_has(&sorted, list->ids[i]);
        }
        list->count = kept;
    }
    return true;
}

static aoi_id id_of(const struct entity_change *change) {
    return is_present(change->before) ? change->before->id : change->after->id;
}

/* By the words of the changed entity. */
static bool apply_own_words(const struct entity_change *change) {
    const struct visibility *visibility = change->visibility;
    const struct sights *sights = &visibility->sights;
    const aoi_id id = id_of(change);
    uint32_t at = change->slot == NO_SLOT ? NO_SIGHT : sights_of_watcher(sights, change->slot);
    for (; at != NO_SIGHT; at = sights_next_of_watcher(sights, at)) {
        const aoi_id marker = sights->items[at].marker;
        const uint32_t slot = entities_find(visibility->entities, marker);
        if (slot != NO_SLOT &&
            !apply_words(change, AS_WATCHER, slot,
                         change->still_only ? sights_find_then(sights, id, change->slot, marker)
                                            : sight_word(sights, at),
                         sight_word(sights, at)))
            return false;
    }
    at = change->still_only ? sights_notes_of_watcher(sights, id) : NO_SIGHT;
    for (; at != NO_SIGHT; at = sights->former.items[at].next_of_watcher) {
        const struct former_sight *former = &sights->former.items[at];
        if (change->slot != NO_SLOT &&
            sights_find(sights, change->slot, former->marker) != AOI_SIGHT_BY_RULE)
            continue;
        const uint32_t slot = entities_find(visibility->entities, former->marker);
        if (slot != NO_SLOT &&
            !apply_words(change, AS_WATCHER, slot, former->word, AOI_SIGHT_BY_RULE))
            return false;
    }
    return true;
}

/* By the words about the changed entity; who has had a new one has changed, too. */
static bool apply_words_about(const struct entity_change *change) {
    const struct sights *sights = &change->visibility->sights;
    for (uint32_t at = sights_of_marker(sights, id_of(change)); at != NO_SIGHT;
         at = sights_next_of_marker(sights, at)) {
        const aoi_sight word = sight_word(sights, at);
        if (!apply_words(change, AS_MARKER, sight_watcher(sights, at), word, word))
            return false;
    }
    return true;
}

/* Each direction has lists of its own: a pair that is overruled in one may stand in the other's. */
static bool apply_all_words(const struct entity_change *change, unsigned direction) {
    struct visibility *visibility = change->visibility;
    size_t found[CHANGE_LISTS] = {0};
    const struct side side = side_of(change, direction);
    const int lists[] = {side.left, side.entered, side.moved};
    for (int i = 0; i < 3; i++) {
        if (lists[i] != CHANGE_LISTS)
            found[lists[i]] = visibility->changes[lists[i]].count;
    }
    visibility->overruled.count = 0;
    return (direction == AS_WATCHER ? apply_own_words(change) : apply_words_about(change)) &&
           take_out_overruled(visibility, found);
}

bool exceptions_apply(const struct entity_change *change, unsigned directions, bool sights) {
    const bool beacons = beacons_any(&change->visibility->beacons) || change->visible_after > 0;
    if (beacons && !apply_beacons(change, directions))
        return false;
    return !sights || !sights_any(&change->visibility->sights) ||
           ((!(directions & AS_WATCHER) || apply_all_words(change, AS_WATCHER)) &&
            (!(directions & AS_MARKER) || apply_all_words(change, AS_MARKER)));
}
