/* view_box.h - from where an entity can be seen, and where it can see, with what is rounded. */
#ifndef AOI_VIEW_BOX_H
#define AOI_VIEW_BOX_H

#include <math.h>

#include "entity/entity.h"
#include "index/ring.h"

/* How far a coordinate computed from x and radius may be off by rounding, with room to spare. */
static inline double rounding_of(double x, double radius) {
    return isfinite(radius) ? (fabs(x) + radius) * 0x1p-50 : 0;
}

/* All positions that can see, or be seen from, the entity within the radius. */
static inline struct box view_box(const struct entity *entity, double radius) {
    const double slip_x = rounding_of(entity->x, radius), slip_y = rounding_of(entity->y, radius);
    return (struct box){entity->x - radius - slip_x, entity->y - radius - slip_y,
                        entity->x + radius + slip_x, entity->y + radius + slip_y};
}

#endif
