/*
 * radius_class.h - watchers sorted by the size of their view.
 *
 * To learn who sees a point, all watchers within the largest radius would
 * have to be looked at. So the main index answers only for watchers with the
 * usual radius; the others stand, besides, in an index for watchers whose
 * radii differ by a factor of two at most. One watcher that sees the whole
 * map then costs everybody else one look at a single entity.
 */
#ifndef AOI_RADIUS_CLASS_H
#define AOI_RADIUS_CLASS_H

#include "spatial_index.h"

enum {
    USUAL_RADIUS = 0, /* class of the watchers that the main index answers for */
    RADIUS_CLASSES = 16
};

struct radius_class {
    struct spatial_index *index; /* NULL until the first watcher of the class */
    double smallest, largest;    /* bounds of the radii in it; exact while only one value occurs */
};

/* The class of a watcher with this radius. */
unsigned radius_class_of(const struct aoi_space *space, double radius);

/* Makes sure that a watcher can be added to the class. False: no memory, unchanged. */
bool radius_class_reserve(struct aoi_space *space, unsigned number);

/* A watcher of the class has this radius from now on. */
void radius_class_widen(struct radius_class *radius_class, double radius);

/* Add and remove by the radius, class and position that the entity has now. */
void radius_class_add(struct aoi_space *space, uint32_t slot);
void radius_class_remove(struct aoi_space *space, uint32_t slot);

#endif
