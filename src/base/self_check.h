/* self_check.h - SELF_CHECK(condition): stops the program in test builds, nothing elsewhere. */
#ifndef AOI_SELF_CHECK_H
#define AOI_SELF_CHECK_H

#ifdef AOI_SELF_CHECK
#include <stdio.h>
#include <stdlib.h>
#define SELF_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: self-check failed: %s\n", __FILE__, __LINE__, #condition);     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
#else
#define SELF_CHECK(condition) ((void)0)
#endif

#endif
