/*
 * buckets.h - chains of small blocks of points, for engines that keep
 * entities by region (a grid's cells, a quadtree's leaves).
 *
 * A block holds up to BUCKET_LANES points as columns of floats, three cache
 * lines in all, so that a search tests many points at a time. Floats are
 * enough to find candidates, with an allowance for their rounding. Unused
 * lanes hold NaN, which no comparison accepts; a search needs neither counts
 * nor tails.
 *
 * Invariant: all blocks of a chain are full except the first.
 */
#ifndef AOI_BUCKETS_H
#define AOI_BUCKETS_H

#include "base/always_inline.h"
#include "index/ring.h"
#include "index/spatial_index.h"

enum { BUCKET_LANES = 16, BUCKET_LANE_BITS = 4, LANE_MASK = BUCKET_LANES - 1 };

struct bucket_block {
    float x[BUCKET_LANES];
    float y[BUCKET_LANES];
    uint32_t slot[BUCKET_LANES];
};

/* A fourth column, where points have view radii of their own. */
struct bucket_radii {
    float radius[BUCKET_LANES];
};

struct bucket_link {
    uint32_t next;  /* block; 0 ends a chain */
    uint32_t owner; /* bucket that the chain belongs to */
};

/* A box around all points of a bucket, borders included. */
struct bucket_extent {
    float low_x, low_y, high_x, high_y;
    uint32_t next; /* unused ones: the next one, 0 ends the list */
};

/* One chain: a cell or a leaf. All zero is an empty one. */
struct bucket {
    uint32_t first; /* block */
    uint32_t count; /* points in the whole chain */
};

/* Where a point is kept: block << BUCKET_LANE_BITS | lane. */
typedef uint32_t bucket_handle;

struct buckets;
struct ring_search;

/* A rectangle of buckets in an array. */
struct bucket_window {
    const struct bucket *corner;
    size_t columns, rows;
    size_t stride; /* from one row to the next */
};

/* Appends to hits the slots of the points of a window that may lie in the ring and, unless inside
 * is NULL, to inside those that lie in the inner box. Both have room for the buckets' points,
 * each bucket's rounded up to whole blocks. */
typedef void (*bucket_scanner)(const struct buckets *buckets, const struct bucket_window *window,
                               const struct ring_search *search, struct hits *hits,
                               struct hits *inside);

struct buckets {
    struct ARRAY_OF(struct bucket_block) blocks; /* block 0 stays empty */
    struct ARRAY_OF(struct bucket_link) links;   /* one per block: what searches and moves read */
    struct ARRAY_OF(uint32_t) extent_of; /* likewise: its extent, if its bucket is crowded; or 0 */
    struct ARRAY_OF(struct bucket_radii) radii; /* likewise, if keeps_radii */
    bool keeps_radii;    /* the points are watchers of different view radii */
    size_t used;         /* blocks, block 0 among them; there is room for as many as links has */
    uint32_t free_block; /* list through next */
    size_t free_count;   /* blocks in that list */
    size_t longest;      /* no chain has had more points */
    struct ARRAY_OF(struct bucket_extent) extents; /* of crowded buckets; extent 0 is no one's */
    uint32_t free_extent;                          /* list through next */
    uint32_t looks;                                /* of buckets_narrow, at crowds */
    bucket_scanner scan;
};

/* A ring as scanners test it. */
struct ring_search {
    float x, y, outer_x, outer_y, inner_x, inner_y;
    bool by_radius;
    float inner_part, wall_x, wall_y;
};

static inline struct ring_search ring_search_of(const struct buckets *buckets,
                                                const struct ring *ring) {
    struct ring_search search = {.x = (float)ring->middle[0],
                                 .y = (float)ring->middle[1],
                                 .outer_x = (float)ring->outer[0],
                                 .outer_y = (float)ring->outer[1],
                                 .inner_x = (float)ring->inner[0],
                                 .inner_y = (float)ring->inner[1]};
    if (buckets->keeps_radii && ring->by_radius) {
        search.by_radius = true;
        search.inner_part = (float)ring->inner_part;
        search.wall_x = (float)ring->wall[0];
        search.wall_y = (float)ring->wall[1];
    }
    return search;
}

void buckets_init(struct buckets *buckets, bool keeps_radii);
void buckets_free(struct buckets *buckets, struct memory *memory);

/* Makes sure that the next `blocks` points can be added without memory. False: unchanged. */
bool buckets_reserve(struct buckets *buckets, struct memory *memory, size_t blocks);

/* True when one point can be added without memory, as mostly. */
static inline bool buckets_have_room(const struct buckets *buckets) {
    return buckets->used < buckets->links.capacity || buckets->free_count > 0;
}

/* Where the index has noted the handle of the entity in slot. */
bucket_handle *bucket_handle_of(const struct spatial_index *index, uint32_t slot);

/* Adds the entity in slot to a bucket, at this position; room must be reserved. */
void buckets_add(struct buckets *buckets, const struct spatial_index *index, struct bucket *bucket,
                 uint32_t owner, uint32_t slot, double x, double y);

/* Takes the entity in slot out of its bucket. */
void buckets_remove(struct buckets *buckets, const struct spatial_index *index,
                    struct bucket *bucket, uint32_t slot);

static inline void bucket_extent_widen(struct bucket_extent *extent, float x, float y) {
    extent->low_x = x < extent->low_x ? x : extent->low_x;
    extent->low_y = y < extent->low_y ? y : extent->low_y;
    extent->high_x = x > extent->high_x ? x : extent->high_x;
    extent->high_y = y > extent->high_y ? y : extent->high_y;
}

/* The point at handle has moved inside its bucket. */
static inline void buckets_set(struct buckets *buckets, bucket_handle handle, double x, double y) {
    const uint32_t number = handle >> BUCKET_LANE_BITS;
    struct bucket_block *block = &buckets->blocks.items[number];
    block->x[handle & LANE_MASK] = (float)x;
    block->y[handle & LANE_MASK] = (float)y;
    /* Mostly there are no extents at all: then not a line more of memory is read. */
    const uint32_t extent = buckets->extents.count == 0 ? 0 : buckets->extent_of.items[number];
    if (extent != 0)
        bucket_extent_widen(&buckets->extents.items[extent], (float)x, (float)y);
}

/* The bucket that the point at handle belongs to. */
static inline uint32_t buckets_owner(const struct buckets *buckets, bucket_handle handle) {
    return buckets->links.items[handle >> BUCKET_LANE_BITS].owner;
}

/* The lane of the point that a bucket that is not empty got last, in its first block. */
static inline uint32_t bucket_last_lane(const struct bucket *bucket) {
    return (bucket->count - 1) & LANE_MASK;
}

/* Lets the processor fetch a bucket's first block. */
ALWAYS_INLINE void buckets_prefetch(const struct buckets *buckets, const struct bucket *bucket) {
    const struct bucket_block *block = &buckets->blocks.items[bucket->first];
    __builtin_prefetch(block->x);
    __builtin_prefetch(block->y);
    __builtin_prefetch(block->slot);
}

static inline size_t bucket_whole_blocks(size_t points) {
    return (points + LANE_MASK) & ~(size_t)LANE_MASK;
}

/* How many slots a search of the window may write, at most. O(buckets in the window). */
size_t buckets_room_for(const struct bucket_window *window);

/* Room for what a search of the window may write. False: no memory. */
static inline bool buckets_reserve_hits(const struct buckets *buckets,
                                        const struct bucket_window *window, struct hits *hits) {
    enum { LITTLE = 2048 };
    size_t room = window->columns * window->rows * bucket_whole_blocks(buckets->longest);
    if (room > LITTLE) /* else not worth counting */
        room = buckets_room_for(window);
    return hits_reserve(hits, room);
}

/* Searches a window: see bucket_scanner. False: no memory. */
bool buckets_search(const struct buckets *buckets, const struct bucket_window *window,
                    const struct ring_search *search, struct hits *hits, struct hits *inside);

/* Appends all slots of a bucket. False: no memory. */
bool buckets_append(const struct buckets *buckets, const struct bucket *bucket, struct hits *hits);

/* A bucket of so many points is crowded. */
#ifdef AOI_TINY
enum { CROWDED = 2 };
#else
enum { CROWDED = 512 };
#endif

/* The search of a few buckets, MOST_NARROWED at most, some of them crowded: without those of which
 * nobody can lie in the ring, as their extents say. Room for the hits is reserved. Crowded ones
 * that are searched get an extent, which needs memory; where there is none, they do without. Not
 * for searches by radius. By value: a step keeps both in registers. */
enum { MOST_NARROWED = 9 };
void buckets_search_crowd(struct buckets *buckets, struct memory *memory,
                          const struct ring_search *search, const struct bucket_window *window,
                          struct hits *hits);

/* The fastest scanner that this processor has. */
bucket_scanner bucket_scanner_for_processor(void);

#ifdef AOI_SELF_CHECK
/* Abort when a chain breaks the invariant; returns its number of points. */
size_t buckets_check(const struct buckets *buckets, const struct bucket *bucket, uint32_t owner);

/* Aborts when an entity of the index is not kept where it should be: in a bucket that holds its
 * position. */
void buckets_check_entities(const struct buckets *buckets, const struct spatial_index *index,
                            bool (*holds)(const struct spatial_index *index, uint32_t owner,
                                          double x, double y));
#endif

#endif
