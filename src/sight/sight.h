/*
 * sight.h - the comparisons of the contract: who sees whom. One pair here, several side by side in
 * sight_pairs.h; nothing else decides it.
 */
#ifndef AOI_SIGHT_H
#define AOI_SIGHT_H

#include "base/always_inline.h"
#include "base/xy.h"
#include "entity/entity.h"

/* The rule by which a space decides which markers are in a watcher's view. */
enum sight_rule { SIGHT_CELLS, SIGHT_SQUARE, SIGHT_CIRCLE, SIGHT_CUBE, SIGHT_BALL };

/* Where an entity is, as the rule sees it: in a classic nine-grid, the column and row of its cell.
 */
static inline xy sight_place(enum sight_rule rule, const struct entity *entity) {
    return rule == SIGHT_CELLS ? (xy){entity->cell.column, entity->cell.row}
                               : (xy){entity->x, entity->y};
}

/* How far it looks, in the same measure: to the cells that touch its own. */
static inline double sight_radius(enum sight_rule rule, const struct entity *entity) {
    return rule == SIGHT_CELLS ? 1 : entity->radius;
}

/* The fields of an entity that decide its pairs: a copy is held in registers where many pairs with
 * one entity are judged. */
struct stance {
    xy at; /* sight_place */
    double z, radius;
    uint32_t shown;      /* the layer bits that can be seen: none unless it is a marker */
    uint32_t looked_for; /* those that it can see: none unless it is a watcher */
};

ALWAYS_INLINE struct stance stance_of(enum sight_rule rule, const struct entity *entity) {
    return (struct stance){.at = sight_place(rule, entity),
                           .z = entity->z,
                           .radius = sight_radius(rule, entity),
                           .shown = entity_shown(entity),
                           .looked_for = entity_looked_for(entity)};
}

/* 1 when marker lies in watcher's view; z is looked at where the rule has three dimensions. No
 * branches: the outcome can't be predicted. */
ALWAYS_INLINE unsigned in_view(enum sight_rule rule, const struct stance *watcher,
                               const struct stance *marker) {
    const double radius = watcher->radius, z = watcher->z;
    const xy reach = xy_of(radius);
    unsigned inside = xy_between(watcher->at - reach, marker->at, watcher->at + reach);
    if (rule == SIGHT_CUBE || rule == SIGHT_BALL)
        inside &= (unsigned)((z - radius <= marker->z) & (marker->z <= z + radius));
    if (rule == SIGHT_CIRCLE || rule == SIGHT_BALL) {
        const xy apart = marker->at - watcher->at;
        double square = apart[0] * apart[0] + apart[1] * apart[1];
        if (rule == SIGHT_BALL)
            square += (marker->z - z) * (marker->z - z);
        inside &= (unsigned)(square <= radius * radius);
    }
    return inside;
}

/* 1 when watcher sees marker; they must be two different entities. */
ALWAYS_INLINE unsigned sees(enum sight_rule rule, const struct stance *watcher,
                            const struct stance *marker) {
    return (unsigned)((watcher->looked_for & marker->shown) != 0) & in_view(rule, watcher, marker);
}

/* Half the side of a square around a watcher that lies well inside its view on x and y. */
static inline double radius_inside(enum sight_rule rule, double radius) {
    const double square_in_circle = 0.7071; /* a little less than sqrt(1/2) */
    return rule == SIGHT_CIRCLE ? radius * square_in_circle : radius;
}

/* False where the square of the radius is too coarse to tell what is well inside a circle. */
static inline bool has_inside(enum sight_rule rule, double radius) {
    const double smallest_round_view = 1e-140;
    return rule != SIGHT_CIRCLE || radius > smallest_round_view;
}

#endif
