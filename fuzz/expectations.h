/*
 * expectations.h - the expectations of fuzz targets: end loudly when it is not
 * so, and compare events. With FUZZ_TRACE in the environment they print every
 * call.
 */
#ifndef FUZZ_EXPECTATIONS_H
#define FUZZ_EXPECTATIONS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "aoi.h"

__attribute__((format(printf, 1, 0))) static inline void print_line(const char *format,
                                                                    va_list values) {
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_line(format, values);
    va_end(values);
    abort();
}

static inline void expect(bool is_so, const char *what) {
    if (!is_so)
        fail("%s", what);
}

__attribute__((format(printf, 1, 2))) static inline void trace(const char *format, ...) {
    static int traces = -1; /* not known yet */
    if (traces < 0)
        traces = getenv("FUZZ_TRACE") != NULL;
    if (!traces)
        return;
    va_list values;
    va_start(values, format);
    print_line(format, values);
    va_end(values);
}

/* The sum of the events that wait, in any order; takes them out. */
static inline uint64_t sum_events(aoi_space *space) {
    uint64_t sum = 0;
    aoi_event event;
    while (aoi_next_event(space, &event)) {
        const uint64_t pair =
            ((uint64_t)event.watcher * 31 + (uint64_t)event.marker) * 8 + event.op;
        sum += (pair + 1) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return sum;
}

#endif
