/* ranking.c - a ranking as a heap with the last in rank in front, and sorted. */
#include "crowd/ranking.h"

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

void ranking_make_heap(struct ranking *ranking) {
    for (size_t at = ranking->count / 2; at-- > 0;)
        sink(ranking->items, ranking->count, at);
}

void ranking_sort(struct ranking *ranking) {
    ranking_make_heap(ranking);
    for (size_t count = ranking->count; count > 1; count--) {
        const struct ranked last = ranking->items[0];
        ranking->items[0] = ranking->items[count - 1];
        ranking->items[count - 1] = last;
        sink(ranking->items, count - 1, 0);
    }
}

void ranking_put_last_in_front(struct ranking *ranking) {
    size_t last = 0;
    for (size_t i = 1; i < ranking->count; i++)
        last = ranks_before(&ranking->items[last], &ranking->items[i]) ? i : last;
    const struct ranked kept = ranking->items[0];
    ranking->items[0] = ranking->items[last];
    ranking->items[last] = kept;
}

void ranking_replace_last(struct ranking *ranking, const struct ranked *item) {
    ranking->items[0] = *item;
    sink(ranking->items, ranking->count, 0);
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
