/*
 * checksum.h - a checksum of long strings, eight bytes at a time.
 *
 * As in FNV-1a (by Fowler, Noll and Vo, www.isthe.com/chongo/tech/comp/fnv) a word is mixed in by
 * an exclusive or and a multiplication; the shift then takes the upper bits down, which a
 * multiplication alone never does. Each step can be undone, so that a string with one word changed
 * always has another sum. It is against accidents, not against forgers.
 */
#ifndef AOI_CHECKSUM_H
#define AOI_CHECKSUM_H

#include <stddef.h>

#include "base/little_endian.h"

static inline uint64_t checksum_words(const uint8_t *bytes, size_t size) {
    uint64_t sum = UINT64_C(0xCBF29CE484222325) ^ size;
    for (; size > 0;) {
        uint8_t rest[sizeof(uint64_t)] = {0};
        const uint8_t *word = bytes;
        size_t taken = sizeof rest;
        if (size < sizeof rest) {
            memcpy(rest, bytes, size);
            word = rest;
            taken = size;
        }
        sum = (sum ^ load_word(word)) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 32;
        bytes += taken;
        size -= taken;
    }
    return sum;
}

#endif
