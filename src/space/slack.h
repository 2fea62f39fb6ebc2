/*
 * slack.h - true places: with slack, visibility is judged from anchors
 * (entity.x, y and z), and the place of an entity stands here.
 */
#ifndef AOI_SLACK_H
#define AOI_SLACK_H

#include <math.h>

#include "entity/entities.h"

struct slack {
    double limit;                      /* 0: no slack, entities stand where they truly are */
    struct ARRAY_OF(aoi_point) places; /* by slot: the true places; without slack none */
};

/* The rule: true when an entity that is truly at `place` keeps its anchor. Without slack, when
 * that is the same place. */
static inline bool slack_keeps_anchor(const struct slack *slack, const struct entity *entity,
                                      aoi_point place) {
    return fabs(place.x - entity->x) <= slack->limit && fabs(place.y - entity->y) <= slack->limit &&
           fabs(place.z - entity->z) <= slack->limit;
}

/* Where the entity in slot truly is. */
static inline aoi_point slack_place(const struct slack *slack, const struct entity *entities,
                                    uint32_t slot) {
    const struct entity *entity = &entities[slot];
    return slack->limit > 0 ? slack->places.items[slot]
                            : (aoi_point){entity->x, entity->y, entity->z};
}

static inline void slack_set_place(struct slack *slack, uint32_t slot, aoi_point place) {
    if (slack->limit > 0)
        slack->places.items[slot] = place;
}

/* Room for the places of so many slots, no fewer than before. */
static inline bool slack_reserve(struct slack *slack, struct memory *memory, size_t slots) {
    return slack->limit == 0 || array_extend(&slack->places, memory, slots);
}

#endif
