/*
 * texts.h - strings of bytes that fuzz targets give to the core and get from it: saves, records.
 */
#ifndef FUZZ_TEXTS_H
#define FUZZ_TEXTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aoi.h"

/* Of a save; see src/keep/snapshot.c. */
enum { SAVE_HEAD = 12, SAVE_LENGTH_AT = 4, SAVE_SUM = 8 };

struct text {
    uint8_t *bytes; /* of its own size, so that a sanitizer sees its end */
    size_t size;
};

static inline struct text new_text(size_t size) {
    struct text text = {malloc(size + (size == 0)), size};
    if (text.bytes == NULL) {
        fprintf(stderr, "no memory for a string of %zu bytes\n", size);
        abort();
    }
    return text;
}

static inline void free_text(struct text *text) {
    free(text->bytes);
    *text = (struct text){NULL, 0};
}

static inline struct text copy_text(const uint8_t *bytes, size_t size) {
    struct text text = new_text(size);
    if (size > 0)
        memcpy(text.bytes, bytes, size);
    return text;
}

/* The first one with the second behind it; frees both. */
static inline struct text join_texts(struct text first, struct text second) {
    struct text joined = new_text(first.size + second.size);
    if (first.size > 0)
        memcpy(joined.bytes, first.bytes, first.size);
    if (second.size > 0)
        memcpy(joined.bytes + first.size, second.bytes, second.size);
    free_text(&first);
    free_text(&second);
    return joined;
}

static inline void write_word(uint8_t *bytes, uint64_t word) {
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static inline struct text save_text(const aoi_space *space, uint32_t note) {
    struct text text = new_text(aoi_save(space, note, NULL, 0));
    if (aoi_save(space, note, text.bytes, text.size) != text.size) {
        fprintf(stderr, "aoi_save returns different sizes\n");
        abort();
    }
    return text;
}

/* All that is recorded, which is then dropped. */
static inline struct text take_record(aoi_space *space) {
    struct text text = new_text(aoi_recorded(space, NULL, 0));
    if (aoi_recorded(space, text.bytes, text.size) != text.size) {
        fprintf(stderr, "aoi_recorded returns different sizes\n");
        abort();
    }
    aoi_drop_recorded(space, text.size);
    return text;
}

/* True when it would be saved as this string. */
static inline bool is_saved_as(const aoi_space *space, const struct text *expected) {
    struct text text = save_text(space, 0);
    const bool same =
        text.size == expected->size && memcmp(text.bytes, expected->bytes, text.size) == 0;
    free_text(&text);
    return same;
}

/* True when both have the same bytes in some order, those of a number at `skipped` left out. */
static inline bool have_same_bytes(const struct text *a, const struct text *b, size_t skipped) {
    size_t counts[256] = {0};
    for (size_t i = SAVE_HEAD; i < a->size - SAVE_SUM; i++) {
        if (i >= skipped && i < skipped + sizeof(double))
            continue;
        counts[a->bytes[i]]++;
        counts[b->bytes[i]]--;
    }
    bool same = true;
    for (int byte = 0; byte < 256; byte++)
        same = same && counts[byte] == 0;
    return same;
}

/*
 * True when two spaces, of which one was made from a save of the other, say, are saved alike. The
 * order of ids in a list is left open, so the contents must be the same bytes in some order. So is
 * the time when a space without a default radius thinks about which one is usual: the first number
 * that differs may be that.
 */
static inline bool are_alike(const aoi_space *a, const aoi_space *b) {
    struct text of_a = save_text(a, 0), of_b = save_text(b, 0);
    bool alike = of_a.size == of_b.size;
    size_t first = SAVE_HEAD;
    while (alike && first < of_a.size - SAVE_SUM && of_a.bytes[first] == of_b.bytes[first])
        first++;
    alike =
        alike && (have_same_bytes(&of_a, &of_b, of_a.size) || have_same_bytes(&of_a, &of_b, first));
    free_text(&of_a);
    free_text(&of_b);
    return alike;
}

#endif
