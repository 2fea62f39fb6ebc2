/*
 * expectations.h - what fuzz targets that give strings to the core do with what they expect: end
 * loudly when it is not so, and compare events.
 */
#ifndef FUZZ_EXPECTATIONS_H
#define FUZZ_EXPECTATIONS_H

#include <stdio.h>
#include <stdlib.h>

#include "aoi.h"

__attribute__((noreturn)) static inline void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    abort();
}

static inline void expect(bool is_so, const char *what) {
    if (!is_so)
        fail(what);
}

/* What the events that wait sum up to, in any order; takes them out. */
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
