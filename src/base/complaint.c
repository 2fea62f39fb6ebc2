/* complaint.c - complaints, written with the format of printf. */
#include "base/complaint.h"

#include <stdio.h>

aoi_status complain_with(aoi_complaint *complaint, const char *format, va_list values) {
    if (complaint != NULL)
        vsnprintf(complaint->text, sizeof complaint->text, format, values);
    return AOI_INVALID;
}

aoi_status complain(aoi_complaint *complaint, const char *format, ...) {
    va_list values;
    va_start(values, format);
    complain_with(complaint, format, values);
    va_end(values);
    return AOI_INVALID;
}
