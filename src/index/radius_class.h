/*
 * radius_class.h - watchers sorted by the size of their view.
 *
 * To learn who sees a point, all watchers within the largest radius would
 * have to be looked at. So the main index answers only for watchers with the
 * usual radius; the others stand, besides, in an index for watchers of
 * similar radii. One watcher that sees the whole map then costs everybody
 * else one look at a single entity.
 */
#ifndef AOI_RADIUS_CLASS_H
#define AOI_RADIUS_CLASS_H

#include "index/spatial_index.h"

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

/* About the median of the watchers' radii: of a sample, O(1). */
double radius_class_median(const struct aoi_space *space);

/*
 * To be called after so many entities have entered, left, or got another
 * radius or mode. Without a default radius, whoever came first has said what
 * is usual; if that turns out not to be so, it is chosen anew, and all indexes
 * are built anew. O(1) on average: the question is asked again only after half
 * as many changes as there are entities. It is only about speed, so that a
 * lack of memory is no matter; and the count of changes is not saved with a
 * space, so that a loaded one may be asked at another time.
 */
void radius_class_choose_usual(struct aoi_space *space, size_t changes);

/* Add and remove by the radius, class and position that the entity has now. */
void radius_class_add(struct aoi_space *space, uint32_t slot);
void radius_class_remove(struct aoi_space *space, uint32_t slot);

#endif
