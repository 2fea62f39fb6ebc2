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

static void bring_in_front(struct ranking *ranking, size_t last) {
    const struct ranked kept = ranking->items[0];
    ranking->items[0] = ranking->items[last];
    ranking->items[last] = kept;
}

static void put_last_of_many_in_front(struct ranking *ranking) {
    size_t last = 0;
    for (size_t i = 1; i < ranking->count; i++) {
        if (ranks_before(&ranking->items[last], &ranking->items[i]))
            last = i;
    }
    bring_in_front(ranking, last);
}

/* Less than any square. */
#define NOBODY (-1.0)

static double *squares_of(struct full_ranking *full) {
    return (double *)full->squares;
}

/* Writes the squares of a short ranking, and NOBODY to a whole number of fours. */
static void fill_squares(const struct ranking *ranking, struct full_ranking *full) {
    double *squares = squares_of(full);
    unsigned least = UINT8_MAX;
    for (size_t i = 0; i < ranking->count; i++)
        least = ranking->items[i].importance < least ? ranking->items[i].importance : least;
    for (size_t i = 0; i < ranking->count; i++)
        squares[i] = ranking->items[i].importance == least ? ranking->items[i].square : NOBODY;
    for (size_t i = ranking->count; i % 4 != 0; i++)
        squares[i] = NOBODY;
    full->importance = least;
}

/* Two maxima of two side by side, as each comparison waits for the one before it. */
static double greatest_square(const xy *squares, size_t count) {
    xy one = squares[0], other = squares[1];
    for (size_t i = 4; i < count; i += 4) {
        one = xy_greater(squares[i / 2], one);
        other = xy_greater(squares[i / 2 + 1], other);
    }
    one = xy_greater(one, other);
    return one[0] > one[1] ? one[0] : one[1];
}

/* True when one of four squares is this one. */
ALWAYS_INLINE bool has_square(const xy *squares, double square) {
    const __typeof__(squares[0] == squares[1]) alike =
        (squares[0] == xy_of(square)) | (squares[1] == xy_of(square));
    return (alike[0] | alike[1]) != 0;
}

/* Of a short ranking whose squares are known. Mostly one has the greatest alone. */
static void find_last_of_few(struct ranking *ranking, struct full_ranking *full) {
    double greatest = greatest_square(full->squares, ranking->count);
    if (greatest == NOBODY) { /* none of the least importance is left */
        fill_squares(ranking, full);
        greatest = greatest_square(full->squares, ranking->count);
    }
    double *squares = squares_of(full);
    size_t last = ranking->count;
    for (size_t four = 0; four < ranking->count; four += 4) {
        if (!has_square(&full->squares[four / 2], greatest))
            continue;
        for (size_t i = four; i < four + 4; i++) {
            if (squares[i] == greatest &&
                (last == ranking->count || ranks_before(&ranking->items[last], &ranking->items[i])))
                last = i;
        }
    }
    bring_in_front(ranking, last);
    squares[last] = squares[0];
    squares[0] = greatest;
}

void ranking_put_last_in_front(struct ranking *ranking, struct full_ranking *full) {
    if (ranking->count > SHORT) {
        put_last_of_many_in_front(ranking);
    } else {
        fill_squares(ranking, full);
        find_last_of_few(ranking, full);
    }
}

void ranking_replace_last(struct ranking *ranking, const struct ranked *item,
                          struct full_ranking *full) {
    ranking->items[0] = *item;
    if (ranking->count <= SHORT) {
        squares_of(full)[0] = item->importance == full->importance ? item->square : NOBODY;
        find_last_of_few(ranking, full);
    } else if (full->is_heap) {
        sink(ranking->items, ranking->count, 0);
    } else {
        make_heap(ranking);
        full->is_heap = true;
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
