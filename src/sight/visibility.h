/* visibility.h - pairs of one entity: whether one sees the other, and the events of a change. */
#ifndef AOI_VISIBILITY_H
#define AOI_VISIBILITY_H

#include "base/high_water.h"
#include "base/id_list.h"
#include "index/indexes.h"
#include "sight/sight.h"

/* The lists of a change: other sides of the pairs of the changed entity. */
enum {
    LEFT_MARKERS,     /* the entity no longer sees these */
    LEFT_WATCHERS,    /* these no longer see the entity */
    ENTERED_MARKERS,  /* the entity sees these now */
    ENTERED_WATCHERS, /* these see the entity now */
    MOVED_WATCHERS,   /* these see the entity now as before */
    CHANGE_LISTS
};

struct visibility {
    enum sight_rule rule;
    struct memory *memory;
    struct entities *entities;
    struct indexes *indexes;
    const struct map *map;
    struct hits hits, inside;             /* scratch: see ring.h */
    struct id_list changes[CHANGE_LISTS]; /* filled anew by each call here, and by nobody else */
    struct high_water use; /* of all scratch of a space: entities found, ids, rows, candidates */
};

/* To be called before a search for hits, which are those of the last one until then. */
static inline void begin_search(struct visibility *visibility) {
    high_water_note(&visibility->use, visibility->hits.count + visibility->inside.count);
    visibility->hits.count = visibility->inside.count = 0;
}

/* True when watcher sees marker; they must be two different entities. O(1). */
bool visibility_sees(const struct visibility *visibility, const struct entity *watcher,
                     const struct entity *marker);

/*
 * Fills changes with what changes when the entity in slot becomes `after`
 * (NULL: it leaves; slot NO_SLOT: it enters). `moved`: it counts as moved for
 * those who see it before and after. `ops`: the kinds of events that somebody
 * wants; lists of other kinds stay empty. Entities and indexes are not changed.
 */
bool visibility_changes(struct visibility *visibility, uint32_t slot, const struct entity *after,
                        bool moved, uint32_t ops);

/* Fills changes for the entity in slot, of the usual radius, moving to x, y, where views are
 * squares or circles: most moves are steps shorter than a view, and take the shortest way. */
bool visibility_changes_by_move(struct visibility *visibility, uint32_t slot, double x, double y,
                                uint32_t ops);

/* Adds to changes, for such a step, the watchers of unusual radii that are to be told of it. */
bool visibility_step_in_classes(struct visibility *visibility, uint32_t slot, xy to, uint32_t ops);

/* Fills changes for an entity that was `before` and is `after` now (mode 0: not in the space),
 * against those entities of a deferred space that have no old state. */
bool visibility_changes_to_still(struct visibility *visibility, uint32_t slot,
                                 const struct entity *before, const struct entity *after,
                                 bool moved, uint32_t ops);

/* The markers that the entity in slot sees (ENTERED_MARKERS), or the watchers that see it
 * (ENTERED_WATCHERS): one of the changes. */
const struct id_list *visibility_view(struct visibility *visibility, uint32_t slot, int list);

#endif
