/*
 * accountant.h - an allocator for tests: it counts what it gave and was given back, and refuses
 * when it is told to.
 *
 * Resizing always gives a new block, so that whoever keeps a pointer to the old one is found out.
 */
#ifndef ACCOUNTANT_H
#define ACCOUNTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct accountant {
    size_t bytes, blocks; /* held now */
    size_t most;          /* bytes that were held at once; whoever asks sets it back */
    size_t limit;         /* most bytes that may be held; 0: any number */
    bool keeps_smaller;   /* blocks can always be made smaller, as Lua before 5.4 expects */
    int wrong_sizes;      /* old sizes that were not the ones asked for */
    unsigned long requests;
    unsigned long refuse_at; /* the request that is refused, by that count; 0: none */
    bool refuses_on;         /* all after it, too */
    unsigned long refused;
};

/* From now on the n-th request is refused; with `on` all later ones, too. n = 0: none is. */
static inline void accountant_refuse(struct accountant *accountant, unsigned long n, bool on) {
    accountant->requests = accountant->refused = 0;
    accountant->refuse_at = n;
    accountant->refuses_on = on;
}

/* Each block is preceded by its size. */
union accountant_header {
    size_t size;
    max_align_t align;
};

static inline bool accountant_refuses(struct accountant *accountant, size_t old_size, size_t size) {
    unsigned long at = accountant->refuse_at;
    if (accountant->keeps_smaller && size <= old_size)
        return false;
    accountant->requests++;
    bool by_count = at != 0 && (accountant->refuses_on ? accountant->requests >= at
                                                       : accountant->requests == at);
    bool by_limit =
        accountant->limit != 0 &&
        (size > accountant->limit || accountant->bytes - old_size + size > accountant->limit);
    if (by_count || by_limit)
        accountant->refused++;
    return by_count || by_limit;
}

/* A lua_Alloc and an aoi_allocator; the userdata is an accountant. */
static inline void *accountant_allocate(void *userdata, void *ptr, size_t osize, size_t nsize) {
    struct accountant *accountant = userdata;
    union accountant_header *old = ptr == NULL ? NULL : (union accountant_header *)ptr - 1;
    size_t old_size = old == NULL ? 0 : old->size;
    if (old != NULL && old_size != osize)
        accountant->wrong_sizes++;
    if (nsize == 0) {
        accountant->bytes -= old_size;
        accountant->blocks -= old != NULL;
        free(old);
        return NULL;
    }
    if (accountant_refuses(accountant, old_size, nsize) || nsize > SIZE_MAX / 2)
        return NULL;
    union accountant_header *block = malloc(sizeof *block + nsize);
    if (block == NULL)
        return NULL;
    if (old != NULL)
        memcpy(block + 1, ptr, old_size < nsize ? old_size : nsize);
    free(old);
    block->size = nsize;
    accountant->bytes += nsize - old_size;
    accountant->blocks += old == NULL;
    if (accountant->bytes > accountant->most)
        accountant->most = accountant->bytes;
    return block + 1;
}

#endif
