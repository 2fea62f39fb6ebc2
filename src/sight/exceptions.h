/*
 * exceptions.h - pairs that the watcher's radius and layers alone do not decide: those with a
 * beacon (beacons.h), and those about which there is a word (sights.h).
 *
 * A marker with a visible radius is seen by whom it would be by the watcher's radius, and by whom
 * it would be by its own. Searches find what changes in the first sense; that is made right here.
 * So a space without exceptions has no more to do than to know that.
 */
#ifndef AOI_EXCEPTIONS_H
#define AOI_EXCEPTIONS_H

#include "sight/search.h"

/* Whether watcher sees marker, two different entities, by a radius and their layers. */
bool exceptions_in_view(enum sight_rule rule, const struct entity *watcher,
                        const struct entity *marker, double radius);

/* Whether it does so by the larger of both radii: of the watcher, and the visible one. */
static inline bool exceptions_by_radii(enum sight_rule rule, const struct entity *watcher,
                                       const struct entity *marker, double visible) {
    const double own = sight_radius(rule, watcher);
    return exceptions_in_view(rule, watcher, marker, own > visible ? own : visible);
}

/* And by the word about the pair, if there is one. */
static inline bool exceptions_see(enum sight_rule rule, const struct entity *watcher,
                                  const struct entity *marker, double visible, aoi_sight word) {
    return word == AOI_SIGHT_BY_RULE
               ? exceptions_by_radii(rule, watcher, marker, visible)
               : word == AOI_SIGHT_ALWAYS && (watcher->mode & AOI_WATCHER) != 0 &&
                     (marker->mode & AOI_MARKER) != 0;
}

/* True when the visible radius alone decides who sees the changed entity, before and after: all
 * watchers have the usual radius, and it is no smaller. Then nobody need look for them by theirs.
 */
static inline bool visible_radius_decides(const struct entity_change *change) {
    const struct indexes *indexes = change->visibility->indexes;
    const double before = change->visible_before, after = change->visible_after;
    const double least = before < after ? before : after;
    return least > 0 && least >= indexes->usual_radius && indexes->unusual_watchers == 0;
}

/* Makes right what the searches of a change have found, where there are exceptions. sights: words
 * count, too. False: no memory. */
bool exceptions_apply(const struct entity_change *change, unsigned directions, bool sights);

#endif
