/* ranking.c - a ranking as a heap with the last in rank in front, and sorted. */
#include "crowd/ranking.h"

#include <string.h>

/* So many at most are looked at one after the other, which costs less than a heap: measured. */
#ifdef AOI_TINY
enum { SHORT = 3 };
#else
enum { SHORT = 96 };
#endif

/* Lets the item at `at` sink to where none below it ranks behind it. */
static void sink(struct ranked *items, size_t count, size_t at) {
    const struct ranked item = items[at];
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && ranks_before(&items[below], &items[below + 1]))
            below++;
        if (!ranks_before(&item, &items[below]))
            break;
        items[at] = items[below];
        at = below;
    }
    items[at] = item;
}

/* Makes a heap, in which none ranks before one above it. O(n). */
static void make_heap(struct ranking *ranking) {
    for (size_t at = ranking->count / 2; at-- > 0;)
        sink(ranking->items, ranking->count, at);
}

void ranking_sort(struct ranking *ranking) {
    make_heap(ranking);
    for (size_t count = ranking->count; count > 1; count--) {
        const struct ranked last = ranking->items[0];
        ranking->items[0] = ranking->items[count - 1];
        ranking->items[count - 1] = last;
        sink(ranking->items, count - 1, 0);
    }
}

/* The square's bits, which are in the order of squares: none is negative. */
ALWAYS_INLINE uint64_t square_bits(const struct ranked *item) {
    uint64_t bits;
    memcpy(&bits, &item->square, sizeof bits);
    return bits;
}

/* No branches where nobody can foresee them: who is behind all before it. */
void ranking_put_last_in_front(struct ranking *ranking) {
    struct ranked *items = ranking->items;
    uint64_t last = 0, square = square_bits(&items[0]), importance = items[0].importance;
    for (size_t i = 1; i < ranking->count; i++) {
        const uint64_t other = square_bits(&items[i]);
        const bool is_alike = items[i].importance == importance;
        bool is_behind = (items[i].importance < importance) | (is_alike & (other > square));
        if (is_alike & (other == square)) /* seldom */
            is_behind = ranks_before(&items[last], &items[i]);
        last = choose_number(is_behind, i, last);
        square = choose_number(is_behind, other, square);
        importance = choose_number(is_behind, items[i].importance, importance);
    }
    const struct ranked kept = items[0];
    items[0] = items[last];
    items[last] = kept;
}

void ranking_replace_last(struct ranking *ranking, const struct ranked *item, bool *is_heap) {
    ranking->items[0] = *item;
    if (ranking->count <= SHORT) {
        ranking_put_last_in_front(ranking);
    } else if (*is_heap) {
        sink(ranking->items, ranking->count, 0);
    } else {
        make_heap(ranking);
        *is_heap = true;
    }
}

/* By insertion where they are few, as they mostly are. */
void ranking_sort_by_id(struct ranking *ranking) {
    enum { FEW = 16 };
    struct ranked *items = ranking->items;
    if (ranking->count > FEW) {
        /* The order of rank among equals is that of ids. */
        for (size_t i = 0; i < ranking->count; i++) {
            items[i].importance = 0;
            items[i].square = 0;
        }
        ranking_sort(ranking);
        return;
    }
    for (size_t i = 1; i < ranking->count; i++) {
        const struct ranked item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].id > item.id; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}
