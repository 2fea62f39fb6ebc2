/*
 * input.h - the bytes that a fuzzer gives, read one after the other. Past the end they are 0.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *bytes;
    size_t left;
};

static inline unsigned next_byte(struct input *input) {
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

/* A number from 0 to count - 1; count is at most 256. */
static inline unsigned choose(struct input *input, unsigned count) {
    return next_byte(input) % count;
}

#endif
