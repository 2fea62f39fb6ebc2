/* sort.c - a merge sort that begins with short runs, sorted by insertion. */
#include "base/sort.h"

#include <stdbool.h>

static void merge(const aoi_id *from, size_t middle, size_t count, aoi_id *to) {
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++) {
        bool takes_left = left < middle && (right >= count || from[left] <= from[right]);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

aoi_id *sort_ids(aoi_id *ids, aoi_id *spare, size_t count) {
    enum { RUN = 12 };
    for (size_t i = 0; i < count; i++) {
        const size_t first = i - i % RUN;
        const aoi_id id = ids[i];
        size_t at = i;
        for (; at > first && ids[at - 1] > id; at--)
            ids[at] = ids[at - 1];
        ids[at] = id;
    }
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            size_t length = count - first < 2 * width ? count - first : 2 * width;
            merge(ids + first, length < width ? length : width, length, spare + first);
        }
        aoi_id *sorted = spare;
        spare = ids;
        ids = sorted;
    }
    return ids;
}
