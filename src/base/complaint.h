/*
 * complaint.h - complaints: the fault of a caller's arguments, in words.
 */
#ifndef AOI_COMPLAINT_H
#define AOI_COMPLAINT_H

#include <stdarg.h>

#include "aoi.h"

/* For the compiler to check the values against the format: the numbers of these arguments. */
#define LIKE_PRINTF(place, values) __attribute__((format(printf, place, values)))

/* Writes the complaint (NULL: nowhere), as printf does, cut off where it is too long. Returns
 * AOI_INVALID. */
LIKE_PRINTF(2, 3) aoi_status complain(aoi_complaint *complaint, const char *format, ...);
LIKE_PRINTF(2, 0)
aoi_status complain_with(aoi_complaint *complaint, const char *format, va_list values);

#endif
