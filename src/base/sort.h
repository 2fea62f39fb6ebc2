/* sort.h - ids in ascending order. */
#ifndef AOI_SORT_H
#define AOI_SORT_H

#include "aoi.h"

/*
 * Sorts count ids with the help of a spare array of the same size; returns
 * the one of the two that holds the result. Merge sort, bottom up, over runs
 * sorted by insertion: O(n log n) always. Not the C library's qsort, which may
 * take memory past our allocator.
 */
aoi_id *sort_ids(aoi_id *ids, aoi_id *spare, size_t count);

#endif
