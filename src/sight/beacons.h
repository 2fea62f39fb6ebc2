/*
 * beacons.h - the markers that have a visible radius, by id and by place.
 *
 * A beacon is a copy of such an entity whose radius is the visible one. The box around it from
 * where it may be seen stands in a grid of areas, the same for all engines: so a watcher finds by
 * one look who can see it, and a step, whose border it may cross. Those that are seen from
 * everywhere stand apart: no step changes who sees them. A space without beacons has nothing of
 * this.
 */
#ifndef AOI_BEACONS_H
#define AOI_BEACONS_H

#include "entity/entities.h"
#include "sight/borders.h"
#include "sight/sight.h"

struct beacons {
    struct memory *memory; /* the space's */
    bool deferred;
    bool is_flat; /* views are squares or circles */
    struct entities all;
    struct area_grid boxes; /* by slot of the beacon: from where it may be seen, and a bit more */
    struct borders borders; /* of views that are squares or circles */
    struct ARRAY_OF(uint32_t) everywhere; /* the slots of those that are seen from there */

    /* Deferred: the visible radii that changed ones had at the last tick, as entities with id and
     * radius, in the order of the changes. */
    struct ARRAY_OF(struct entity) former;
    struct idmap former_ids; /* id -> number */
};

/* In a beacon: the slot of the marker; and its place among those that are seen from everywhere. */
#define marked_slot handle[0]
#define place_everywhere handle[1]

void beacons_init(struct beacons *beacons, enum sight_rule rule, struct memory *memory,
                  bool deferred);

/* True when there are some, or were at the last tick. */
static inline bool beacons_any(const struct beacons *beacons) {
    return beacons->all.count + beacons->former.count > 0;
}

/* The beacon of this id, or NULL. */
const struct entity *beacons_find(const struct beacons *beacons, aoi_id id);

/* The visible radius of this id: now, and at the last tick. */
static inline double beacons_radius(const struct beacons *beacons, aoi_id id) {
    const struct entity *beacon = beacons->all.count == 0 ? NULL : beacons_find(beacons, id);
    return beacon == NULL ? 0 : beacon->radius;
}

double beacons_radius_then(const struct beacons *beacons, aoi_id id);

/* True when it is certain that a step, where views are squares or circles, brings no beacon into
 * view or out of it by its visible radius. */
bool beacons_are_far(const struct beacons *beacons, xy from, xy to);

/* Lets the processor fetch what beacons_are_far reads first for a step from there. */
static inline void beacons_prefetch(const struct beacons *beacons, xy from) {
    if (beacons->boxes.used_count == 0)
        return;
    const xy cells = xy_of(beacons->boxes.used[0].inverse * BORDERS_PER_CELL);
    const border_cells at = border_cells_at(from * cells);
    __builtin_prefetch(borders_cell(&beacons->borders, at[0], at[1]));
}

/* Appends the slots of the beacons that may be seen from one of two places: of those that a step
 * can bring into view or out of it; for a watcher before and after a change (NULL: it is not
 * there), of all. O(those around). False: no memory. */
bool beacons_around_step(const struct beacons *beacons, xy from, xy to, struct hits *hits);
bool beacons_around(const struct beacons *beacons, const struct entity *before,
                    const struct entity *after, struct hits *hits);

/* Room for the entity of this id to move, or to get this visible radius, or to leave (0). */
bool beacons_reserve(struct beacons *beacons, aoi_id id, double radius);

/* Room to note so many changes of visible radii. */
bool beacons_reserve_notes(struct beacons *beacons, size_t changes);

/* The entity, which is in this slot of the space, has this place and visible radius (0: none) from
 * now on; room is reserved, or was before a change that is taken back. */
void beacons_set(struct beacons *beacons, struct entity *entity, uint32_t slot, double radius);

/* Adds what this id had at the last tick, as it was saved. */
bool beacons_restore_former(struct beacons *beacons, aoi_id id, double radius);

/* Forgets what was noted of the last tick since there were so many notes: it has been taken back,
 * or a tick is over (0). */
void beacons_forget_former(struct beacons *beacons, size_t count);

/* Forgets everything, also the memory. */
void beacons_free(struct beacons *beacons);

#ifdef AOI_SELF_CHECK
void beacons_check(const struct beacons *beacons, const struct entities *entities);
#endif

#endif
