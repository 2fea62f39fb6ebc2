/* little_endian.h - numbers to and from bytes, the lowest byte first, wherever in memory they
 * stand. Each is one load or store, and where the processor has another order, a swap of bytes. */
#ifndef AOI_LITTLE_ENDIAN_H
#define AOI_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* To this processor's order, and from it. */
static inline uint64_t order_word(uint64_t word) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

static inline uint32_t order_half_word(uint32_t word) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap32(word);
}

static inline uint64_t load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return order_word(word);
}

static inline void store_word(uint8_t *bytes, uint64_t word) {
    word = order_word(word);
    memcpy(bytes, &word, sizeof word);
}

static inline double load_double(const uint8_t *bytes) {
    const uint64_t word = load_word(bytes);
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static inline void store_double(uint8_t *bytes, double number) {
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    store_word(bytes, word);
}

static inline void store_float(uint8_t *bytes, float number) {
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    word = order_half_word(word);
    memcpy(bytes, &word, sizeof word);
}

static inline double load_float(const uint8_t *bytes) {
    uint32_t word;
    float number;
    memcpy(&word, bytes, sizeof word);
    word = order_half_word(word);
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

#endif
