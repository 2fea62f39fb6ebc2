/* indexes.c - radius classes: which index a watcher belongs to, and which radius is the usual
 * one. */
#include "index/indexes.h"

#include <math.h>

#include "base/self_check.h"

/* ------------------------------------------------------------------ */
/* Classes                                                             */
/* ------------------------------------------------------------------ */

/* Classes are numbered from 1, from the smallest to the largest radii. The first holds all that are
 * below `first` times the usual radius, each further one those up to `factor` times as large; the
 * last one everything above. */
struct division {
    double first, factor;
    unsigned count;
};

/* An engine that does not know each watcher's radius searches a class by its smallest and largest
 * one. For the others few wide classes are better, each of which is a search. */
static struct division division_of(const struct indexes *indexes) {
    if (indexes->engine->keeps_radii)
        return (struct division){1.0 / 4, 32, 4};
    return (struct division){1.0 / 16, 2, RADIUS_CLASSES - 1};
}

static double unit_of(const struct indexes *indexes) {
    return indexes->usual_radius > 0 && isfinite(indexes->usual_radius) ? indexes->usual_radius : 1;
}

unsigned indexes_class_of(const struct indexes *indexes, double radius) {
    return radius == indexes->usual_radius ? USUAL_RADIUS : indexes_class_by_size(indexes, radius);
}

unsigned indexes_class_by_size(const struct indexes *indexes, double radius) {
    const struct division division = division_of(indexes);
    const double ratio = radius / unit_of(indexes);
    unsigned number = 1;
    double limit = division.first;
    while (number < division.count && ratio >= limit) {
        number++;
        limit *= division.factor;
    }
    return number;
}

/* The largest radius that will usually be in a class. */
static double reach_of(const struct indexes *indexes, unsigned number) {
    const struct division division = division_of(indexes);
    if (number == division.count)
        return INFINITY;
    double limit = division.first;
    for (unsigned below = 1; below < number; below++)
        limit *= division.factor;
    return unit_of(indexes) * (number == 1 || division.factor == 2 ? limit : limit / 2);
}

bool indexes_reserve_class(struct indexes *indexes, unsigned number) {
    const struct spatial_index_engine *engine = indexes->engine;
    struct radius_class *class = &indexes->classes[number];
    if (class->index == NULL) {
        class->index = engine->create(&indexes->setup, number, reach_of(indexes, number));
        /* The batch's changes of it may have to be taken back, too. */
        if (class->index != NULL && indexes->batching && engine->begin_batch != NULL)
            engine->begin_batch(class->index);
    }
    return class->index != NULL && engine->reserve(class->index);
}

void indexes_insert_in_class(struct indexes *indexes, uint32_t slot) {
    const struct entity *entity = &indexes->setup.entities->at[slot];
    struct radius_class *class = &indexes->classes[entity->radius_class];
    if (class->index->count == 0)
        class->smallest = class->largest = entity->radius;
    class->smallest = fmin(class->smallest, entity->radius);
    class->largest = fmax(class->largest, entity->radius);
    class->index->engine->insert(class->index, slot);
    indexes->unusual_watchers++;
}

void indexes_remove_from_class(struct indexes *indexes, uint32_t slot) {
    const struct entity *entity = &indexes->setup.entities->at[slot];
    struct spatial_index *index = indexes->classes[entity->radius_class].index;
    index->engine->remove(index, slot);
    indexes->unusual_watchers--;
}

/* ------------------------------------------------------------------ */
/* All of them                                                         */
/* ------------------------------------------------------------------ */

bool indexes_create(struct indexes *indexes, double reach) {
    indexes->main = indexes->engine->create(&indexes->setup, USUAL_RADIUS, reach);
    return indexes->main != NULL;
}

static void destroy_classes(struct indexes *indexes) {
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        struct spatial_index *index = indexes->classes[i].index;
        if (index != NULL)
            index->engine->destroy(index);
        indexes->classes[i].index = NULL;
    }
    indexes->unusual_watchers = 0;
}

void indexes_destroy(struct indexes *indexes) {
    destroy_classes(indexes);
    if (indexes->main != NULL)
        indexes->main->engine->destroy(indexes->main);
    indexes->main = NULL;
}

void indexes_clear(struct indexes *indexes) {
    destroy_classes(indexes);
    indexes->main->engine->clear(indexes->main);
}

bool indexes_reserve(struct indexes *indexes, const struct entity *entity) {
    return indexes->main->engine->reserve(indexes->main) &&
           (!in_radius_class(entity) || indexes_reserve_class(indexes, entity->radius_class));
}

void indexes_insert(struct indexes *indexes, uint32_t slot) {
    indexes->main->engine->insert(indexes->main, slot);
    if (in_radius_class(&indexes->setup.entities->at[slot]))
        indexes_insert_in_class(indexes, slot);
}

void indexes_remove(struct indexes *indexes, uint32_t slot) {
    if (in_radius_class(&indexes->setup.entities->at[slot]))
        indexes_remove_from_class(indexes, slot);
    indexes->main->engine->remove(indexes->main, slot);
}

void indexes_begin_batch(struct indexes *indexes) {
    indexes->batching = true;
    if (indexes->engine->begin_batch == NULL)
        return;
    if (indexes->main != NULL)
        indexes->engine->begin_batch(indexes->main);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (indexes->classes[i].index != NULL)
            indexes->engine->begin_batch(indexes->classes[i].index);
    }
}

void indexes_end_batch(struct indexes *indexes) {
    indexes->batching = false;
    if (indexes->engine->end_batch == NULL)
        return;
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (indexes->classes[i].index != NULL)
            indexes->engine->end_batch(indexes->classes[i].index);
    }
    if (indexes->main != NULL)
        indexes->engine->end_batch(indexes->main);
}

void indexes_describe(const struct indexes *indexes, aoi_stats *stats) {
    indexes->engine->describe(indexes->main, stats);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        if (indexes->classes[i].index != NULL)
            indexes->engine->describe(indexes->classes[i].index, stats);
    }
}

/* ------------------------------------------------------------------ */
/* The usual radius                                                    */
/* ------------------------------------------------------------------ */

/* Radii of watchers all over the space, in ascending order. */
struct sample {
    double radii[64];
    size_t count;
};

static struct sample take_sample(const struct entities *entities) {
    struct sample sample = {.count = 0};
    const uint32_t slots = entities->used;
    const uint32_t stride = slots / (sizeof sample.radii / sizeof *sample.radii) + 1;
    for (uint32_t offset = 0; offset < stride && sample.count == 0; offset++) {
        for (uint32_t slot = offset; slot < slots; slot += stride) {
            const struct entity *entity = &entities->at[slot];
            if (!(entity->mode & AOI_WATCHER))
                continue;
            size_t at = sample.count++;
            for (; at > 0 && sample.radii[at - 1] > entity->radius; at--)
                sample.radii[at] = sample.radii[at - 1];
            sample.radii[at] = entity->radius;
        }
    }
    return sample;
}

double indexes_median_radius(const struct indexes *indexes) {
    const struct sample sample = take_sample(indexes->setup.entities);
    return sample.radii[sample.count / 2];
}

/* Most watchers have it; or the usual one is so much larger that everybody looks around for
 * nothing, also where hardly two radii are equal. */
bool indexes_better_usual(const struct indexes *indexes, double *radius) {
    const struct sample sample = take_sample(indexes->setup.entities);
    *radius = sample.radii[sample.count / 2];
    size_t same = 0;
    for (size_t i = 0; i < sample.count; i++)
        same += sample.radii[i] == *radius;
    return *radius != indexes->usual_radius &&
           (same > sample.count / 2 || *radius < indexes->usual_radius / 2);
}

#ifdef AOI_SELF_CHECK
void indexes_check(const struct indexes *indexes, bool is_late) {
    const struct entities *entities = indexes->setup.entities;
    size_t unusual[RADIUS_CLASSES] = {0}, all_unusual = 0;
    for (uint32_t slot = 0; slot < entities->used; slot++) {
        const struct entity *entity = &entities->at[slot];
        if (entity->mode == 0 || indexes->setup.cells_decide)
            continue;
        SELF_CHECK(entity->radius_class == indexes_class_of(indexes, entity->radius));
        if (!in_radius_class(entity))
            continue;
        const struct radius_class *class = &indexes->classes[entity->radius_class];
        SELF_CHECK(class->smallest <= entity->radius && entity->radius <= class->largest);
        unusual[entity->radius_class]++;
        all_unusual++;
    }
    SELF_CHECK(indexes->main->count == entities->count);
    SELF_CHECK(indexes->unusual_watchers == all_unusual);
    if (!is_late)
        indexes->engine->check(indexes->main);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        const struct spatial_index *index = indexes->classes[i].index;
        SELF_CHECK(unusual[i] == (index == NULL ? 0 : index->count));
        if (index != NULL && !is_late)
            index->engine->check(index);
    }
}
#endif
