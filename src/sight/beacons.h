/*
 * beacons.h - the markers that have a visible radius, by id and by place.
 *
 * A beacon is a copy of such an entity whose radius is the visible one. So the beacons around a
 * watcher are found as the watchers around a marker are: in the classes of indexes.h, of which one
 * that is seen from everywhere costs everybody one look. A space without beacons has nothing of
 * this.
 */
#ifndef AOI_BEACONS_H
#define AOI_BEACONS_H

#include "index/indexes.h"

struct beacons {
    struct memory *memory; /* the space's */
    bool deferred;
    struct entities all;
    struct indexes
        indexes; /* classes alone; their unit is twice the usual radius of the space: wider
                    cells than those of classes of watchers, as beacons are fewer */
    struct ARRAY_OF(uint8_t) marks; /* by slot of the space: 1 for a beacon's; the rest is 0 */

    /* Deferred: the visible radii that changed ones had at the last tick, as entities with id and
     * radius, in the order of the changes. */
    struct ARRAY_OF(struct entity) former;
    struct idmap former_ids; /* id -> number */
};

/* The slot of the marker, in its beacon. */
#define marked_slot handle[0]

void beacons_init(struct beacons *beacons, const struct indexes *indexes, struct memory *memory,
                  bool deferred);

/* True when there are some, or were at the last tick. */
static inline bool beacons_any(const struct beacons *beacons) {
    return beacons->all.count + beacons->former.count > 0;
}

/* The beacon of this id, or NULL. */
const struct entity *beacons_find(const struct beacons *beacons, aoi_id id);

/* True when the entity in this slot of the space is a beacon. */
static inline bool beacons_has(const struct beacons *beacons, uint32_t slot) {
    return slot < beacons->marks.capacity && beacons->marks.items[slot] != 0;
}

/* The visible radius of this id: now, and at the last tick. */
static inline double beacons_radius(const struct beacons *beacons, aoi_id id) {
    const struct entity *beacon = beacons_find(beacons, id);
    return beacon == NULL ? 0 : beacon->radius;
}

double beacons_radius_then(const struct beacons *beacons, aoi_id id);

/* Room for the entity of this id to move, or to get this visible radius, or to leave (0). indexes:
 * of the space, which has its slot already. */
bool beacons_reserve(struct beacons *beacons, const struct indexes *indexes, aoi_id id,
                     double radius);

/* Room to note so many changes of visible radii. */
bool beacons_reserve_notes(struct beacons *beacons, size_t changes);

/* The entity, which is in this slot of the space, has this place and visible radius (0: none) from
 * now on; room is reserved, or was before a change that is taken back. */
void beacons_set(struct beacons *beacons, const struct entity *entity, uint32_t slot,
                 double radius);

/* Adds what this id had at the last tick, as it was saved. */
bool beacons_restore_former(struct beacons *beacons, aoi_id id, double radius);

/* Forgets what was noted of the last tick since there were so many notes: it has been taken back,
 * or a tick is over (0). */
void beacons_forget_former(struct beacons *beacons, size_t count);

/* For another map: builds the indexes anew beside the old ones, which go to *kept. False: no
 * memory. Either way beacons_bring_back takes the old ones again. */
bool beacons_rebuild(struct beacons *beacons, struct indexes *kept);
void beacons_bring_back(struct beacons *beacons, const struct indexes *kept);

/* Forgets everything, also the memory. */
void beacons_free(struct beacons *beacons);

#ifdef AOI_SELF_CHECK
void beacons_check(const struct beacons *beacons, const struct entities *entities);
#endif

#endif
