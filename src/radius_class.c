/* radius_class.c - see radius_class.h. */
#include "radius_class.h"

#include <math.h>

#include "rebuild.h"

/* Class 1 holds all radii below 1/16 of the usual one, class 2 those from 1/16 to 1/8, and so
 * on by powers of two; the last class holds everything above. */
enum { EXPONENT_OFFSET = 5 };

unsigned radius_class_of(const struct aoi_space *space, double radius) {
    if (radius == space->usual_radius)
        return USUAL_RADIUS;
    double unit =
        space->usual_radius > 0 && isfinite(space->usual_radius) ? space->usual_radius : 1;
    double ratio = radius / unit;
    if (!isfinite(ratio))
        return RADIUS_CLASSES - 1;
    int exponent;
    frexp(ratio, &exponent);
    int number = ratio == 0 ? 1 : exponent + EXPONENT_OFFSET;
    return (unsigned)(number < 1 ? 1 : number > RADIUS_CLASSES - 1 ? RADIUS_CLASSES - 1 : number);
}

/* The largest radius that belongs into a class. */
static double reach_of(const struct aoi_space *space, unsigned number) {
    double unit =
        space->usual_radius > 0 && isfinite(space->usual_radius) ? space->usual_radius : 1;
    return number == RADIUS_CLASSES - 1 ? INFINITY : ldexp(unit, (int)number - EXPONENT_OFFSET);
}

bool radius_class_reserve(struct aoi_space *space, unsigned number) {
    struct radius_class *class = &space->classes[number];
    if (class->index == NULL)
        class->index = space->create_index(space, false, reach_of(space, number));
    return class->index != NULL && class->index->engine->reserve(class->index);
}

void radius_class_widen(struct radius_class *class, double radius) {
    if (radius < class->smallest)
        class->smallest = radius;
    if (radius > class->largest)
        class->largest = radius;
}

void radius_class_add(struct aoi_space *space, uint32_t slot) {
    const struct entity *entity = &space->entities[slot];
    struct radius_class *class = &space->classes[entity->radius_class];
    if (class->index->count == 0)
        class->smallest = class->largest = entity->radius;
    radius_class_widen(class, entity->radius);
    class->index->engine->insert(class->index, slot);
    space->special_watchers++;
}

void radius_class_remove(struct aoi_space *space, uint32_t slot) {
    struct spatial_index *index = space->classes[space->entities[slot].radius_class].index;
    index->engine->remove(index, slot);
    space->special_watchers--;
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
    if (space->radius_changes < space->count / 2 || space->special_watchers == 0)
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
