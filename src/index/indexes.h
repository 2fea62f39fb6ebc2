/*
 * indexes.h - all indexes of a space: the main one, and those of watchers of
 * unusual radius.
 *
 * To learn who sees a point, all watchers within the largest radius would
 * have to be looked at. So the main index answers only for watchers with the
 * usual radius; the others stand, besides, in an index for watchers of
 * similar radii, their class. One watcher that sees the whole map then costs
 * everybody else one look at a single entity. A classic nine-grid has no radii
 * and no classes.
 */
#ifndef AOI_INDEXES_H
#define AOI_INDEXES_H

#include "index/spatial_index.h"

enum { RADIUS_CLASSES = 16 /* USUAL_RADIUS is one of them, and has no index here */ };

struct radius_class {
    struct spatial_index *index; /* NULL until the first watcher of the class */
    double smallest, largest;    /* bounds of the radii in it; exact while only one value occurs */
};

struct indexes {
    struct index_setup setup;
    const struct spatial_index_engine *engine;
    struct spatial_index *main; /* all entities by position; NULL where there are classes alone */
    struct radius_class classes[RADIUS_CLASSES];
    size_t unusual_watchers; /* in all classes together */
    double usual_radius;
    bool batching; /* between begin_batch and end_batch */
};

/* Makes the main index; reach: see spatial_index.h. */
bool indexes_create(struct indexes *indexes, double reach);

/* Destroys all of them; they may be there or not. */
void indexes_destroy(struct indexes *indexes);
void indexes_clear(struct indexes *indexes);

/* The class of a watcher with this radius. */
unsigned indexes_class_of(const struct indexes *indexes, double radius);

/* Its class if that were not the usual radius. */
unsigned indexes_class_by_size(const struct indexes *indexes, double radius);

/* Room for one more in this class. */
bool indexes_reserve_class(struct indexes *indexes, unsigned number);

/* Room for the entity, whose mode and class are set, in all indexes that it belongs to. */
bool indexes_reserve(struct indexes *indexes, const struct entity *entity);

/* Insert and remove by the mode, radius, class and position that the entity has now. */
void indexes_insert(struct indexes *indexes, uint32_t slot);
void indexes_remove(struct indexes *indexes, uint32_t slot);

/* Insert into and remove from the index of its class alone. */
void indexes_insert_in_class(struct indexes *indexes, uint32_t slot);
void indexes_remove_from_class(struct indexes *indexes, uint32_t slot);

/* Calls begin_batch or end_batch of every index that there is; in between, of each class that
 * comes.
 */
void indexes_begin_batch(struct indexes *indexes);
void indexes_end_batch(struct indexes *indexes);

/* Adds to the stats what the indexes have to say. */
void indexes_describe(const struct indexes *indexes, aoi_stats *stats);

/* About the median of the watchers' radii: of a sample, O(1). */
double indexes_median_radius(const struct indexes *indexes);

/* The radius that had better be the usual one, when it is not. O(1). */
bool indexes_better_usual(const struct indexes *indexes, double *radius);

#ifdef AOI_SELF_CHECK
/* is_late: positions of entities that the indexes do not know yet; then only the counts. */
void indexes_check(const struct indexes *indexes, bool is_late);
#endif

#endif
