/* stand.h - an entity as the tick of a crowd looks at it: one cache line. */
#ifndef AOI_STAND_H
#define AOI_STAND_H

#include "space/space.h"

struct stand {
    xy at; /* x and y */
    double z;
    union { /* as in struct entity */
        double radius;
        struct cell cell;
    };
    aoi_id id;
    int64_t moved;              /* the last tick at which it moved, this one included */
    uint32_t shown, looked_for; /* as in struct stance; 0 both where nobody is inside */
    uint32_t slot;
    uint8_t importance;
    bool is_free; /* it has no layer that counts */
};
_Static_assert(sizeof(struct stand) == 64, "a stand is one cache line");

ALWAYS_INLINE struct stance stand_stance(enum sight_rule rule, const struct stand *stand) {
    const bool by_cell = rule == SIGHT_CELLS;
    return (struct stance){.at = by_cell ? (xy){stand->cell.column, stand->cell.row} : stand->at,
                           .z = stand->z,
                           .radius = by_cell ? 1 : stand->radius,
                           .shown = stand->shown,
                           .looked_for = stand->looked_for};
}

/* The square of a way, as the contract has it: summed in this order. */
ALWAYS_INLINE double square_of_way(xy way, double dz) {
    const xy squares = way * way;
    return squares[0] + squares[1] + dz * dz;
}

ALWAYS_INLINE double stand_square(const struct stand *from, const struct stand *to) {
    return square_of_way(to->at - from->at, to->z - from->z);
}

#endif
