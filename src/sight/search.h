/*
 * search.h - the data by which a space decides who sees whom, and the search for the pairs that a
 * change of one entity can touch.
 */
#ifndef AOI_SEARCH_H
#define AOI_SEARCH_H

#include "base/high_water.h"
#include "base/id_list.h"
#include "index/indexes.h"
#include "sight/beacons.h"
#include "sight/sight.h"
#include "sight/sights.h"

/* The lists of a change: other sides of the pairs of the changed entity. */
enum {
    LEFT_MARKERS,     /* the entity no longer sees these */
    LEFT_WATCHERS,    /* these no longer see the entity */
    ENTERED_MARKERS,  /* the entity sees these now */
    ENTERED_WATCHERS, /* these see the entity now */
    MOVED_WATCHERS,   /* these see the entity now as before */
    CHANGE_LISTS
};

/* Directions of the pairs that a search is about. */
enum { AS_WATCHER = 1, AS_MARKER = 2 };

struct visibility {
    enum sight_rule rule;
    struct memory *memory;
    struct entities *entities;
    struct indexes *indexes;
    const struct map *map;
    struct beacons beacons;
    struct sights sights;
    size_t exceptions;        /* beacons and words about pairs, of now and of the last tick */
    struct hits hits, inside; /* scratch: see ring.h */
    struct id_list overruled; /* scratch: others of pairs that a word decides */
    struct id_list changes[CHANGE_LISTS]; /* filled anew by each call here, and by nobody else */
    struct high_water use; /* of all scratch of a space: entities found, ids, rows, candidates */
};

/* To be called before a search for hits, which are those of the last one until then. */
static inline void begin_search(struct visibility *visibility) {
    high_water_note(&visibility->use, visibility->hits.count + visibility->inside.count);
    visibility->hits.count = visibility->inside.count = 0;
}

/* The same before the search for a step from there: what its end will read of borders is fetched
 * meanwhile. */
static inline void begin_step(struct visibility *visibility, xy from) {
    begin_search(visibility);
    if (visibility->exceptions != 0)
        beacons_prefetch(&visibility->beacons, from);
}

/* To be called when there may be more or fewer of them. */
static inline void visibility_count_exceptions(struct visibility *visibility) {
    visibility->exceptions = visibility->beacons.all.count + visibility->beacons.former.count +
                             visibility->sights.count + visibility->sights.former.count;
}

/* A change of one entity. */
struct entity_change {
    struct visibility *visibility;
    uint32_t slot;                        /* of the changed entity; NO_SLOT when it enters */
    const struct entity *before, *after;  /* a copy of one without a mode: it is not in the space */
    double visible_before, visible_after; /* its visible radius */
    bool moved;
    uint32_t ops;
    bool still_only; /* only against entities without an old state: see tick.c */
};

/* The radii that matter to a search, before and after the change. */
struct reach {
    double largest_before, largest_after, smallest_before, smallest_after;
};

static inline bool is_present(const struct entity *entity) {
    return entity->mode != 0;
}

/* True when those who see the entity before and after are to be told of its move. */
static inline bool tells_moves(const struct entity_change *change, unsigned directions) {
    return change->moved && (change->ops & AOI_MOVE) != 0 && (directions & AS_MARKER) != 0;
}

/* Appends to hits the entities of one index whose pairs with the changed one can differ, and to
 * inside those that see it before and after, where that is to be told. */
bool search_index(const struct entity_change *change, struct spatial_index *index,
                  unsigned directions, struct reach reach);

/* True when a watcher with this radius sees all that is on the map, wherever it stands, or a marker
 * with this visible radius is seen; views are squares or circles. */
bool sees_whole_map(const struct visibility *visibility, double radius);

/* Searches all classes for the points whose view, by their own radius, a step may enter, leave or
 * cross, where views are squares or circles. False: no memory, or not such a step for all classes.
 */
bool search_classes_for_step(struct visibility *visibility, const struct indexes *indexes, xy from,
                             xy to, bool wants_inside);

#endif
