/* traits.h - traits, which are all of an entity besides its place: one row for each. */
#ifndef AOI_TRAITS_H
#define AOI_TRAITS_H

#include "entity/entity.h"

/*
 * Every trait, once: ROW(AOI_TRAIT_ bit, field, type, type of the entity's field, flag), in the
 * order of the bits. From here live the changes of an entity, the snapshot and the Lua binding. The
 * flag says in a saved state that the trait is not the usual one and follows (the mode is in the
 * flags itself).
 */
#define TRAITS(ROW)                                                                                \
    ROW(RADIUS, radius, AOI_LENGTH, double, 1 << 2)                                                \
    ROW(MODE, mode, AOI_MODE, uint8_t, AOI_WATCHER | AOI_MARKER)                                   \
    ROW(LAYERS, layers, AOI_BITS, uint32_t, 1 << 3)                                                \
    ROW(SEES_LAYERS, sees_layers, AOI_BITS, uint32_t, 1 << 4)

#define TRAIT_NUMBER(bit, field, type, stored, flag) TRAIT_##bit,
enum { TRAITS(TRAIT_NUMBER) TRAIT_COUNT };

/* Every trait that only a crowd space knows, once; these stand apart from the entity. */
#define CROWD_TRAITS(ROW)                                                                          \
    ROW(LIMIT, limit, AOI_LIMIT, uint32_t, 1 << 0)                                                 \
    ROW(IMPORTANCE, importance, AOI_IMPORTANCE, uint8_t, 1 << 1)

/* Every trait of a marker that few have, once; these stand apart from the entity, too: see
 * sight/beacons.h. */
#define MARKER_TRAITS(ROW) ROW(VISIBLE_RADIUS, visible_radius, AOI_LENGTH, double, 1 << 0)

struct crowd_traits {
    uint32_t limit;
    uint8_t importance;
};

#define CROWD_TRAIT_NUMBER(bit, field, type, stored, flag) CROWD_TRAIT_##bit,
enum { CROWD_TRAITS(CROWD_TRAIT_NUMBER) CROWD_TRAIT_COUNT };

#define MARKER_TRAIT_NUMBER(bit, field, type, stored, flag) MARKER_TRAIT_##bit,
enum { MARKER_TRAITS(MARKER_TRAIT_NUMBER) MARKER_TRAIT_COUNT };

/* An entity of which no trait is given; a classic nine-grid takes no notice of the radius. */
static inline struct entity traits_usual(double radius) {
    return (struct entity){
        .radius = radius, .mode = AOI_WATCHER | AOI_MARKER, .layers = 1, .sees_layers = UINT32_MAX};
}
_Static_assert(TRAIT_COUNT == 4, "a new trait belongs into traits_usual and entities_alike");

/* Gives the entity the traits that are given (NULL: none). RADIUS_UNUSED when it has no radius and
 * no visible one, NO_CROWD when one is of crowd spaces and this is none, INVALID; then nothing has
 * changed. */
aoi_status traits_take(struct entity *entity, const aoi_traits *traits, bool has_radius,
                       bool in_crowd);

/* Takes the traits of crowds, once traits_take has found all well. */
void traits_take_crowd(struct crowd_traits *member, const aoi_traits *traits);

/* The entity gets all traits of the other one. */
static inline void traits_copy(struct entity *entity, const struct entity *other) {
#define COPY_TRAIT(bit, field, type, stored, flag) entity->field = other->field;
    TRAITS(COPY_TRAIT)
#undef COPY_TRAIT
}

#endif
