/* traits.c - traits checked and taken, each by its row. */
#include "entity/traits.h"

#include "base/field_type.h"

#define ITS_ROW(bit, field, type, stored, flag)                                                    \
    {#field, AOI_TRAIT_##bit, type, offsetof(aoi_traits, field)},
static const aoi_trait_info traits_table[] = {TRAITS(ITS_ROW) CROWD_TRAITS(ITS_ROW)
                                                  MARKER_TRAITS(ITS_ROW)};

/* A new trait needs a row, at its place, of the types of its fields. */
#define ITS_CHECKS(bit, field, type, stored, flag)                                                 \
    _Static_assert(AOI_TRAIT_##bit == 1 << TRAIT_##bit, "the rows are in the order of the bits");  \
    _Static_assert(IS_OF_TYPE(((aoi_traits *)0)->field, type), #field " has another type");        \
    _Static_assert(sizeof(((struct entity *)0)->field) == sizeof(stored),                          \
                   #field " is not stored so");
TRAITS(ITS_CHECKS)
#define ITS_CROWD_CHECKS(bit, field, type, stored, flag)                                           \
    _Static_assert(AOI_TRAIT_##bit == 1 << (TRAIT_COUNT + CROWD_TRAIT_##bit),                      \
                   "the rows are in the order of the bits");                                       \
    _Static_assert(IS_OF_TYPE(((aoi_traits *)0)->field, type), #field " has another type");        \
    _Static_assert(sizeof(((struct crowd_traits *)0)->field) == sizeof(stored),                    \
                   #field " is not stored so");
CROWD_TRAITS(ITS_CROWD_CHECKS)
#define ITS_MARKER_CHECKS(bit, field, type, stored, flag)                                          \
    _Static_assert(AOI_TRAIT_##bit == 1 << (TRAIT_COUNT + CROWD_TRAIT_COUNT + MARKER_TRAIT_##bit), \
                   "the rows are in the order of the bits");                                       \
    _Static_assert(IS_OF_TYPE(((aoi_traits *)0)->field, type), #field " has another type");
MARKER_TRAITS(ITS_MARKER_CHECKS)
enum { ALL_TRAITS = TRAIT_COUNT + CROWD_TRAIT_COUNT + MARKER_TRAIT_COUNT };
_Static_assert(1 << ALL_TRAITS == (AOI_TRAIT_END - 1) << 1, "an AOI_TRAIT_ bit has no row");
_Static_assert(sizeof(aoi_traits) - offsetof(aoi_traits, visible_radius) - sizeof(double) <
                   _Alignof(aoi_traits),
               "the last field of aoi_traits is not that of the last row");

/* The bits of the crowd's traits. */
#define OR_BIT(bit, field, type, stored, flag) | AOI_TRAIT_##bit
enum { CROWD_BITS = 0 CROWD_TRAITS(OR_BIT) };

const aoi_trait_info *aoi_trait_table(size_t *count) {
    *count = ALL_TRAITS;
    return traits_table;
}

/* The values of each type. Not a number is no length; bits are any. */
#define IS_GOOD_AOI_LENGTH(value) ((value) >= 0)
#define IS_GOOD_AOI_MODE(value) (AOI_WATCHER <= (value) && (value) <= (AOI_WATCHER | AOI_MARKER))
#define IS_GOOD_AOI_BITS(value) true
#define IS_GOOD_AOI_LIMIT(value) ((value) <= AOI_MOST || (value) == AOI_UNLIMITED)
#define IS_GOOD_AOI_IMPORTANCE(value) ((value) <= UINT8_MAX)

aoi_status traits_take(struct entity *entity, const aoi_traits *traits, bool has_radius,
                       bool in_crowd) {
    if (traits == NULL || traits->given == 0)
        return AOI_OK;
    if ((traits->given & (AOI_TRAIT_RADIUS | AOI_TRAIT_VISIBLE_RADIUS)) && !has_radius)
        return AOI_RADIUS_UNUSED;
    if ((traits->given & CROWD_BITS) && !in_crowd)
        return AOI_NO_CROWD;
#define IS_BAD(bit, field, type, stored, flag)                                                     \
    ((traits->given & AOI_TRAIT_##bit) && !IS_GOOD_##type(traits->field)) ||
    if (TRAITS(IS_BAD) CROWD_TRAITS(IS_BAD) MARKER_TRAITS(IS_BAD) false)
        return AOI_INVALID;
#define TAKE(bit, field, type, stored, flag)                                                       \
    if (traits->given & AOI_TRAIT_##bit)                                                           \
        entity->field = (stored)traits->field;
    TRAITS(TAKE)
    return AOI_OK;
}

void traits_take_crowd(struct crowd_traits *member, const aoi_traits *traits) {
    if (traits == NULL)
        return;
#define TAKE_CROWD(bit, field, type, stored, flag)                                                 \
    if (traits->given & AOI_TRAIT_##bit)                                                           \
        member->field = (stored)traits->field;
    CROWD_TRAITS(TAKE_CROWD)
}
