/*
 * handed.h - entities that another space has handed over, with the markers that
 * they were told of and the areas that had them: kept from aoi_hand_in until
 * the next tick, which tells the difference.
 *
 * By id, as the entity may leave again before, and as the markers and the areas need not be here at
 * all.
 */
#ifndef AOI_HANDED_H
#define AOI_HANDED_H

#include "base/id_list.h"
#include "entity/entity.h"
#include "entity/idmap.h"

/* One of whom a watcher was told, as of the last tick. */
struct handed_told {
    aoi_id id;
    aoi_point place;       /* where it was */
    int64_t since;         /* crowd spaces: as in struct told; */
    uint32_t period;       /* the same */
    bool waits;            /* crowd spaces: it has moved since */
    bool is_seen;          /* at the tick under way */
    int64_t moved_instead; /* what stands in for that tick: see crowd/take_handed.c */
};

/* More of an entity that was handed in. */
struct handed_more {
    aoi_point place;                 /* where it truly was at the last tick */
    uint32_t first_area, area_count; /* which of handed.areas */
};

struct handed {
    struct memory *memory; /* the space's */
    /* By number: the watcher as it was at the last tick, of which id, mode (0: it was nowhere) and
     * anchor count; and the rest. */
    struct ARRAY_OF(struct entity) watchers;
    struct ARRAY_OF(struct handed_more) more;
    struct idmap ids;                         /* id -> number */
    struct ARRAY_OF(struct handed_told) told; /* those of each watcher in a row, ascending by id */
    struct id_list areas; /* without owner, that each was in: in a row, ascending */
};

/* Which of handed.told belong to a watcher: from the first one on, so many. */
#define handed_first handle[0]
#define handed_count handle[1]

/* Room for one more watcher, with so many markers that it was told of. */
bool handed_reserve(struct handed *handed, size_t told);

/* Room for so many areas behind the last ones. */
bool handed_reserve_areas(struct handed *handed, size_t areas);

/* Adds a watcher, in place of what there is of its id, with those `told_markers_of` and so many
 * areas that stand already behind the last ones; room is reserved. place: where it truly was. */
void handed_add(struct handed *handed, const struct entity *watcher, aoi_point place, size_t told,
                size_t areas);

/* Forgets what there is of this id. */
void handed_remove(struct handed *handed, aoi_id id);

/* The number of the watcher, or NO_SLOT. */
static inline uint32_t handed_find(const struct handed *handed, aoi_id id) {
    return handed->watchers.count == 0
               ? NO_SLOT
               : idmap_find(&handed->ids, IDS_OF(handed->watchers.items, id), id);
}

/* The markers that the watcher of this number was told of. */
static inline struct handed_told *handed_told_of(const struct handed *handed, uint32_t number) {
    return handed->told.items == NULL
               ? NULL
               : handed->told.items + handed->watchers.items[number].handed_first;
}

/* The areas that the marker of this number was in; a part of a list, not to be changed. */
static inline struct id_list handed_areas_of(const struct handed *handed, uint32_t number) {
    const struct handed_more *more = &handed->more.items[number];
    if (handed->areas.ids == NULL)
        return (struct id_list){NULL, 0, 0};
    return (struct id_list){handed->areas.ids + more->first_area, more->area_count, 0};
}

/* The one of those that it was told of with this id, or NULL. */
struct handed_told *handed_find_told(const struct handed *handed, uint32_t number, aoi_id id);

/* Forgets everything, also the memory: a tick is over. */
void handed_free(struct handed *handed);

#ifdef AOI_SELF_CHECK
void handed_check(const struct handed *handed);
#endif

#endif
