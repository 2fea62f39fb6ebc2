/*
 * arrays.c - arrays and pools from inside (src/base/array.h, pool.h): what stays, where it stands,
 * what is held, and that a refused allocation changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "base/pool.h"

struct line {
    uint64_t words[8];
};

static void expect(bool holds, int line) {
    if (holds)
        return;
    fprintf(stderr, "arrays.c:%d: not so\n", line);
    exit(1);
}
#define EXPECT(condition) expect(condition, __LINE__)

static void refuse(struct accountant *accountant, bool refuses) {
    accountant_refuse(accountant, refuses ? 1 : 0, true);
}

static bool is_on_line(const void *items) {
    return (uintptr_t)items % CACHE_LINE == 0;
}

static void numbers_grow(struct memory *memory, struct accountant *accountant) {
    struct ARRAY_OF(int) numbers = {NULL, 0, 0};
    for (int i = 0; i < 1000; i++)
        EXPECT(array_add(&numbers, memory, i));
    const size_t capacity = numbers.capacity;
    const int *items = numbers.items;
    refuse(accountant, true);
    EXPECT(!array_reserve(&numbers, memory, capacity));
    EXPECT(!array_reserve(&numbers, memory, SIZE_MAX));
    EXPECT(!array_reserve(&numbers, memory, SIZE_MAX / 4));
    EXPECT(!array_extend(&numbers, memory, SIZE_MAX));
    array_fit(&numbers, memory);
    EXPECT(numbers.items == items && numbers.count == 1000 && numbers.capacity == capacity);
    refuse(accountant, false);
    array_fit(&numbers, memory);
    EXPECT(numbers.capacity == 1000 && memory->bytes == 1000 * sizeof(int));
    EXPECT(array_extend(&numbers, memory, 2000) && numbers.capacity == 2000);
    EXPECT(array_extend(&numbers, memory, 10) && numbers.capacity == 2000);
    for (int i = 0; i < 1000; i++)
        EXPECT(numbers.items[i] == i);
    array_free(&numbers, memory);
    EXPECT(numbers.items == NULL && numbers.count == 0 && numbers.capacity == 0);
    array_free(&numbers, memory);
}

static void lines_stay_on_lines(struct memory *memory, struct accountant *accountant) {
    struct ARRAY_OF(struct line) lines = {NULL, 0, 0};
    for (uint64_t i = 0; i < 100; i++) {
        EXPECT(array_add(&lines, memory, (struct line){{i}}));
        EXPECT(is_on_line(lines.items));
    }
    refuse(accountant, true);
    EXPECT(!array_reserve(&lines, memory, lines.capacity));
    refuse(accountant, false);
    array_fit(&lines, memory);
    EXPECT(is_on_line(lines.items) && lines.capacity == 100);
    for (uint64_t i = 0; i < 100; i++)
        EXPECT(lines.items[i].words[0] == i);
    array_free(&lines, memory);
}

/* One tick: `count` numbers, one by one, beside a piece of that size. */
static void tick(struct pool *pool, int count) {
    struct ARRAY_OF(int) numbers = {NULL, 0, 0};
    char *piece = pool_take(pool, (size_t)count, 1);
    EXPECT(is_on_line(piece));
    memset(piece, 1, (size_t)count);
    for (int i = 0; i < count; i++)
        EXPECT(pool_add(&numbers, pool, i));
    for (int i = 0; i < count; i++)
        EXPECT(numbers.items[i] == i && piece[i] == 1);
    pool_end(pool);
}

static void pools_keep_and_give_back(struct memory *memory, struct accountant *accountant) {
    struct pool pool = {.memory = memory};
    EXPECT(pool_take(&pool, 0, 8) != NULL);
    EXPECT(pool_take(&pool, SIZE_MAX, 8) == NULL);
    tick(&pool, 10000);
    tick(&pool, 10000);
#ifndef AOI_TINY
    const size_t held = memory->bytes;
    refuse(accountant, true); /* nothing is asked for any more */
    tick(&pool, 10000);
    refuse(accountant, false);
    EXPECT(memory->bytes == held);
#endif
    for (int i = 0; i < QUIET_TICKS + 1; i++)
        tick(&pool, 10);
    EXPECT(memory->bytes < 1000);
    refuse(accountant, true);
    EXPECT(pool_take(&pool, 1000000, 1) == NULL);
    refuse(accountant, false);
    const char *piece = pool_take(&pool, 1000000, 1);
    EXPECT(piece != NULL);
    pool_keep(&pool, piece, 100, 1);
#ifndef AOI_TINY
    EXPECT(pool_take(&pool, 1, 1) == piece + 2 * (size_t)CACHE_LINE);
#endif
    pool_free(&pool);
}

int main(void) {
    struct accountant accountant = {.bytes = 0};
    struct memory memory = {.allocate = accountant_allocate, .userdata = &accountant};
    numbers_grow(&memory, &accountant);
    lines_stay_on_lines(&memory, &accountant);
    pools_keep_and_give_back(&memory, &accountant);
    EXPECT(memory.bytes == 0 && accountant.bytes == 0 && accountant.wrong_sizes == 0);
    return 0;
}
