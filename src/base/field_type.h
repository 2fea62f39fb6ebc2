/* field_type.h - whether a field has the C type that its aoi_type promises, at compile time. */
#ifndef AOI_FIELD_TYPE_H
#define AOI_FIELD_TYPE_H

#include "aoi.h"

#define FIELD_OF_AOI_NUMBER double
#define FIELD_OF_AOI_LENGTH double
#define FIELD_OF_AOI_INTEGER int64_t
#define FIELD_OF_AOI_BOOLEAN bool
#define FIELD_OF_AOI_DIMS int
#define FIELD_OF_AOI_SHAPE aoi_shape
#define FIELD_OF_AOI_MODE uint32_t
#define FIELD_OF_AOI_BITS uint32_t
#define FIELD_OF_AOI_LIMIT uint32_t
#define FIELD_OF_AOI_IMPORTANCE uint32_t
#define FIELD_OF_AOI_RATES aoi_rates

#define IS_OF_TYPE(field, type) _Generic((field), FIELD_OF_##type : 1, default : 0)

#endif
