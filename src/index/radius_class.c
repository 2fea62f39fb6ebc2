/* radius_class.c - see radius_class.h. */
#include "index/radius_class.h"

#include <math.h>

#include "space/rebuild.h"

/* Classes are numbered from 1, from the smallest to the largest radii. The first holds all that are
 * below `first` times the usual radius, each further one those up to `factor` times as large; the
 * last one everything above. */
struct partition {
    double first, factor;
    unsigned count;
};

/* A cross-list searches a class by its smallest and largest radius. The others know each watcher's
 * radius: for them few wide classes are better, each of which is a search. */
static struct partition partition_of(const struct aoi_space *space) {
    if (space->options.engine == AOI_CROSSLIST)
        return (struct partition){1.0 / 16, 2, RADIUS_CLASSES - 1};
    return (struct partition){1.0 / 4, 32, 4};
}

static double unit_of(const struct aoi_space *space) {
    return space->usual_radius > 0 && isfinite(space->usual_radius) ? space->usual_radius : 1;
}

unsigned radius_class_of(const struct aoi_space *space, double radius) {
    if (radius == space->usual_radius)
        return USUAL_RADIUS;
    const struct partition partition = partition_of(space);
    const double ratio = radius / unit_of(space);
    unsigned number = 1;
    double limit = partition.first;
    while (number < partition.count && ratio >= limit) {
        number++;
        limit *= partition.factor;
    }
    return number;
}

/* The largest radius that will usually be in a class. */
static double reach_of(const struct aoi_space *space, unsigned number) {
    const struct partition partition = partition_of(space);
    if (number == partition.count)
        return INFINITY;
    double limit = partition.first;
    for (unsigned below = 1; below < number; below++)
        limit *= partition.factor;
    return unit_of(space) * (number == 1 || partition.factor == 2 ? limit : limit / 2);
}

bool radius_class_reserve(struct aoi_space *space, unsigned number) {
    struct radius_class *class = &space->classes[number];
    if (class->index == NULL)
        class->index = space->create_index(space, false, reach_of(space, number));
    return class->index != NULL && class->index->engine->reserve(class->index);
}

void radius_class_add(struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities[slot];
    struct radius_class *class = &space->classes[entity->radius_class];
    if (class->index->count == 0)
        class->smallest = class->largest = entity->radius;
    class->smallest = fmin(class->smallest, entity->radius);
    class->largest = fmax(class->largest, entity->radius);
    class->index->engine->insert(class->index, slot);
    space->unusual_watchers++;
}

void radius_class_remove(struct aoi_space *space, uint32_t slot) {
    struct spatial_index *index = space->classes[space->entities[slot].radius_class].index;
    index->engine->remove(index, slot);
    space->unusual_watchers--;
}

/* Radii of watchers all over the space, in ascending order. */
struct sample {
    double radii[64];
    size_t count;
};

static struct sample take_sample(const struct aoi_space *space) {
    struct sample sample = {.count = 0};
    const uint32_t slots = space->used_slots;
    const uint32_t stride = slots / (sizeof sample.radii / sizeof *sample.radii) + 1;
    for (uint32_t offset = 0; offset < stride && sample.count == 0; offset++) {
        for (uint32_t slot = offset; slot < slots; slot += stride) {
            const struct entity *entity = &space->entities[slot];
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

double radius_class_median(const struct aoi_space *space) {
    const struct sample sample = take_sample(space);
    return sample.radii[sample.count / 2];
}

/* Most watchers have it; or the usual one is so much larger that everybody looks around for
 * nothing, also where hardly two radii are equal. */
static bool is_better_usual(const struct aoi_space *space, const struct sample *sample,
                            double radius) {
    size_t same = 0;
    for (size_t i = 0; i < sample->count; i++)
        same += sample->radii[i] == radius;
    return radius != space->usual_radius &&
           (same > sample->count / 2 || radius < space->usual_radius / 2);
}

void radius_class_choose_usual(struct aoi_space *space, size_t changes) {
    if (space->rule == SIGHT_CELLS || space->has_default_radius)
        return;
    space->radius_changes += changes;
    if (space->radius_changes < space->count / 2 || space->unusual_watchers == 0)
        return;
    space->radius_changes = 0;
    const struct sample sample = take_sample(space);
    const double median = sample.radii[sample.count / 2];
    struct rebuild rebuild;
    if (!is_better_usual(space, &sample, median) || !rebuild_begin(&rebuild, space))
        return;
    space->usual_radius = median;
    if (rebuild_indexes(&rebuild))
        rebuild_end(&rebuild);
    else
        rebuild_fail(&rebuild);
}
