/*
 * always_inline.h - for functions of which the compiler is to make a version
 * for each set of constants that they are called with: left to itself it would
 * make one slow version for all. And for functions that do nothing but
 * prefetch: gcc takes them for functions without any effect, and drops the
 * calls that it has not inlined by then.
 */
#ifndef AOI_ALWAYS_INLINE_H
#define AOI_ALWAYS_INLINE_H

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* And for those that are to stay apart, so that what calls them seldom stays short. */
#define NEVER_INLINE __attribute__((noinline))

#endif
