/* visibility.h - pairs of one entity: whether one sees the other, and the events of a change. */
#ifndef AOI_VISIBILITY_H
#define AOI_VISIBILITY_H

#include "sight/search.h"

/* True when watcher sees marker; they must be two different entities, as they are now, but for
 * where they stand. O(1), and where there are words about pairs O(those of one of them). */
bool visibility_sees(const struct visibility *visibility, const struct entity *watcher,
                     const struct entity *marker);

/* Whether it did so, of two entities as they were at the last tick, with what was said of them
 * then. */
bool visibility_saw(const struct visibility *visibility, const struct entity *watcher,
                    const struct entity *marker);

/*
 * Fills changes with what changes when the entity in slot becomes `after`
 * (NULL: it leaves; slot NO_SLOT: it enters), with this visible radius. `moved`: it counts as moved
 * for those who see it before and after. `ops`: the kinds of events that somebody wants; lists of
 * other kinds stay empty. Entities and indexes are not changed.
 */
bool visibility_changes(struct visibility *visibility, uint32_t slot, const struct entity *after,
                        double visible, bool moved, uint32_t ops);

/* Fills changes for the entity in slot, of the usual radius and no beacon, moving to x, y, where
 * views are squares or circles: most moves are steps shorter than a view, and take the shortest
 * way. */
bool visibility_changes_by_move(struct visibility *visibility, uint32_t slot, double x, double y,
                                uint32_t ops);

/* Fills changes with what the watcher in slot is told when it gets this word about the marker in
 * slot `marker` (NO_SLOT: nothing, it is absent). */
bool visibility_changes_by_word(struct visibility *visibility, uint32_t slot, uint32_t marker,
                                aoi_sight word, uint32_t ops);

/* True when the lists, as the searches of all indexes have left them, are right in spite of
 * exceptions, as they mostly are: such a step crosses no border of a beacon, and words change
 * nothing. */
bool visibility_is_quiet_step(const struct visibility *visibility, uint32_t slot, xy to,
                              bool moves);

/* True when the lists, as the search of the main index has left them, are right. */
static inline bool visibility_is_over(const struct visibility *visibility, uint32_t slot, xy to,
                                      bool moves) {
    return visibility->indexes->unusual_watchers == 0 &&
           (visibility->exceptions == 0 || visibility_is_quiet_step(visibility, slot, to, moves));
}

/* Where they are not: adds to changes, for such a step, the watchers of unusual radii that are to
 * be told of it, and makes the lists right for exceptions. */
bool visibility_end_step(struct visibility *visibility, uint32_t slot, xy to, uint32_t ops);

/* Fills changes for an entity that was `before` and is `after` now (mode 0: not in the space),
 * against those entities of a deferred space that have no old state. sights: by the words about
 * pairs, too. */
bool visibility_changes_to_still(struct visibility *visibility, uint32_t slot,
                                 const struct entity *before, const struct entity *after,
                                 bool moved, uint32_t ops, bool sights);

/* The markers that the entity in slot sees (ENTERED_MARKERS), or the watchers that see it
 * (ENTERED_WATCHERS): one of the changes. */
const struct id_list *visibility_view(struct visibility *visibility, uint32_t slot, int list);

/* The markers that the entity in slot sees by a visible radius, and not by its own; or by
 * a word. */
const struct id_list *visibility_view_apart(struct visibility *visibility, uint32_t slot);

#endif
