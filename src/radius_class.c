/* radius_class.c - see radius_class.h. */
#include "radius_class.h"

#include <math.h>

#include "space.h"

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
