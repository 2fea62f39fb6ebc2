/* buckets.c - points added to chains of blocks, moved and removed; crowds measured. Other searches
 * are in bucket_scan.c. */
#include "index/buckets.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

static void empty_lane(struct bucket_block *block, uint32_t lane) {
    block->x[lane] = block->y[lane] = NAN;
    block->slot[lane] = NO_SLOT;
}

static void empty_block(struct bucket_block *block) {
    for (uint32_t lane = 0; lane < BUCKET_LANES; lane++)
        empty_lane(block, lane);
}

void buckets_init(struct buckets *buckets, bool keeps_radii) {
    memset(buckets, 0, sizeof *buckets);
    buckets->keeps_radii = keeps_radii;
    buckets->scan = bucket_scanner_for_processor();
}

void buckets_free(struct buckets *buckets, struct memory *memory) {
    array_free(&buckets->links, memory);
    array_free(&buckets->extent_of, memory);
    array_free(&buckets->blocks, memory);
    array_free(&buckets->radii, memory);
    array_free(&buckets->extents, memory);
    buckets->used = buckets->free_count = buckets->longest = 0;
    buckets->free_block = buckets->free_extent = 0;
}

bool buckets_reserve(struct buckets *buckets, struct memory *memory, size_t blocks) {
    size_t more = blocks > buckets->free_count ? blocks - buckets->free_count : 0;
    if (buckets->used == 0)
        more++; /* block 0 */
    if (more <= buckets->links.capacity - buckets->used && buckets->used != 0)
        return true;
    const size_t capacity = array_next_capacity(buckets->links.capacity, buckets->used, more);
    /* The links last, whose room counts: after a failure the others may have more. */
    if (capacity == 0 || capacity >= (size_t)1 << (32 - BUCKET_LANE_BITS) ||
        !array_extend(&buckets->blocks, memory, capacity) ||
        (buckets->keeps_radii && !array_extend(&buckets->radii, memory, capacity)) ||
        !array_extend(&buckets->extent_of, memory, capacity) ||
        !array_extend(&buckets->links, memory, capacity))
        return false;
    if (buckets->used == 0) {
        buckets->used = 1;
        empty_block(&buckets->blocks.items[0]);
        buckets->extent_of.items[0] = 0;
        buckets->links.items[0] = (struct bucket_link){0, 0};
    }
    return true;
}

static uint32_t take_block(struct buckets *buckets) {
    uint32_t block = buckets->free_block;
    if (block != 0) {
        buckets->free_block = buckets->links.items[block].next;
        buckets->free_count--;
    } else {
        SELF_CHECK(buckets->used < buckets->links.capacity);
        block = (uint32_t)buckets->used++;
    }
    empty_block(&buckets->blocks.items[block]);
    if (buckets->keeps_radii)
        buckets->radii.items[block] = (struct bucket_radii){{0}};
    return block;
}

bucket_handle *bucket_handle_of(const struct spatial_index *index, uint32_t slot) {
    struct entity *entity = &index->entities->at[slot];
    return index->is_main ? &entity->handle[0] : &entity->class_handle;
}

void buckets_add(struct buckets *buckets, const struct spatial_index *index, struct bucket *bucket,
                 uint32_t owner, uint32_t slot, double x, double y) {
    const uint32_t lane = bucket->count++ & LANE_MASK;
    if (lane == 0) { /* all its blocks are full */
        const uint32_t first = take_block(buckets);
        buckets->links.items[first] = (struct bucket_link){bucket->first, owner};
        buckets->extent_of.items[first] = buckets->extent_of.items[bucket->first];
        bucket->first = first;
    }
    const uint32_t first = bucket->first;
    if (bucket->count > buckets->longest)
        buckets->longest = bucket->count;
    bucket_handle handle = first << BUCKET_LANE_BITS | lane;
    buckets->blocks.items[first].slot[lane] = slot;
    buckets_set(buckets, handle, x, y);
    if (buckets->keeps_radii)
        buckets->radii.items[first].radius[lane] = (float)index->entities->at[slot].radius;
    *bucket_handle_of(index, slot) = handle;
}

static void drop_extent(struct buckets *buckets, uint32_t extent) {
    if (extent == 0)
        return;
    buckets->extents.items[extent].next = buckets->free_extent;
    buckets->free_extent = extent;
}

void buckets_remove(struct buckets *buckets, const struct spatial_index *index,
                    struct bucket *bucket, uint32_t slot) {
    bucket_handle handle = *bucket_handle_of(index, slot);
    uint32_t first = bucket->first;
    struct bucket_block *source = &buckets->blocks.items[first];
    struct bucket_block *target = &buckets->blocks.items[handle >> BUCKET_LANE_BITS];
    uint32_t hole = handle & LANE_MASK;
    const uint32_t last = bucket_last_lane(bucket);
    if (source != target || last != hole) { /* the last one fills the hole */
        target->slot[hole] = source->slot[last];
        target->x[hole] = source->x[last];
        target->y[hole] = source->y[last];
        if (buckets->keeps_radii)
            buckets->radii.items[handle >> BUCKET_LANE_BITS].radius[hole] =
                buckets->radii.items[first].radius[last];
        *bucket_handle_of(index, source->slot[last]) = handle;
    }
    empty_lane(source, last);
    bucket->count--;
    if (bucket->count == 0)
        drop_extent(buckets, buckets->extent_of.items[first]);
    if (last == 0) {
        bucket->first = buckets->links.items[first].next;
        buckets->links.items[first].next = buckets->free_block;
        buckets->free_block = first;
        buckets->free_count++;
    }
}

/* ------------------------------------------------------------------ */
/* Extents of crowds                                                   */
/* ------------------------------------------------------------------ */

/* Every how many looks at crowds that bring nothing their extents are measured again: they only
 * widen by themselves. */
enum { LOOKS_A_MEASURE = 64 };

/* An unused extent; 0: no memory. */
static uint32_t take_extent(struct buckets *buckets, struct memory *memory) {
    const uint32_t extent = buckets->free_extent;
    if (extent != 0) {
        buckets->free_extent = buckets->extents.items[extent].next;
        return extent;
    }
    if (!array_reserve(&buckets->extents, memory, 2))
        return 0;
    buckets->extents.count += buckets->extents.count == 0; /* extent 0 */
    return (uint32_t)buckets->extents.count++;
}

/* Measures a bucket, and lets all its blocks know. Empty lanes are compared in vain. */
static void measure(struct buckets *buckets, struct memory *memory, const struct bucket *bucket) {
    uint32_t *extent_of = buckets->extent_of.items;
    uint32_t number = extent_of[bucket->first];
    if (number == 0)
        number = take_extent(buckets, memory);
    if (number == 0)
        return;
    struct bucket_extent extent = {INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
    for (uint32_t at = bucket->first; at != 0; at = buckets->links.items[at].next) {
        const struct bucket_block *block = &buckets->blocks.items[at];
        for (uint32_t lane = 0; lane < BUCKET_LANES; lane++)
            bucket_extent_widen(&extent, block->x[lane], block->y[lane]);
        extent_of[at] = number;
    }
    buckets->extents.items[number] = extent;
}

/* True when nobody in the extent lies in the ring: as scanners compare, for rounding never turns
 * two numbers around. */
static bool is_off_ring(const struct bucket_extent *extent, const struct ring_search *s) {
    const float left = s->x - extent->low_x, right = extent->high_x - s->x;
    const float below = s->y - extent->low_y, above = extent->high_y - s->y;
    const bool inner =
        (left < s->inner_x) & (right < s->inner_x) & (below < s->inner_y) & (above < s->inner_y);
    const bool outer = (-left > s->outer_x) | (-right > s->outer_x) | (-below > s->outer_y) |
                       (-above > s->outer_y);
    return inner | outer;
}

void buckets_search_crowd(struct buckets *buckets, struct memory *memory,
                          const struct ring_search *search, const struct bucket_window *window,
                          struct hits *hits) {
    struct bucket kept[MOST_NARROWED];
    SELF_CHECK(window->columns * window->rows <= MOST_NARROWED);
    size_t count = 0, crowds = 0;
    const struct bucket *row = window->corner;
    for (size_t i = 0; i < window->rows; i++, row += window->stride) {
        for (size_t column = 0; column < window->columns; column++) {
            const struct bucket bucket = row[column];
            const uint32_t extent = buckets->extent_of.items[bucket.first];
            if (extent != 0 && is_off_ring(&buckets->extents.items[extent], search))
                continue;
            kept[count++] = bucket;
            crowds += bucket.count >= CROWDED;
        }
    }
    buckets->looks += crowds > 0;
    const bool is_turn = buckets->looks % LOOKS_A_MEASURE == 0;
    for (size_t i = 0; i < count && crowds > 0; i++) {
        if (kept[i].count >= CROWDED && (is_turn || buckets->extent_of.items[kept[i].first] == 0))
            measure(buckets, memory, &kept[i]);
    }
    const struct bucket_window narrowed = {kept, count, 1, 0};
    buckets->scan(buckets, &narrowed, search, hits, NULL);
}

size_t buckets_room_for(const struct bucket_window *window) {
    size_t room = 0;
    const struct bucket *row = window->corner;
    for (size_t i = 0; i < window->rows; i++, row += window->stride) {
        for (size_t column = 0; column < window->columns; column++)
            room += bucket_whole_blocks(row[column].count);
    }
    return room;
}

bool buckets_search(const struct buckets *buckets, const struct bucket_window *window,
                    const struct ring_search *search, struct hits *hits, struct hits *inside) {
    if (!buckets_reserve_hits(buckets, window, hits) ||
        (inside != NULL && !buckets_reserve_hits(buckets, window, inside)))
        return false;
    if (hits->slots != NULL) /* else no room was needed: nobody is there */
        buckets->scan(buckets, window, search, hits, inside);
    return true;
}

bool buckets_append(const struct buckets *buckets, const struct bucket *bucket, struct hits *hits) {
    if (!hits_reserve(hits, bucket_whole_blocks(bucket->count)))
        return false;
    size_t points = bucket_last_lane(bucket) + 1;
    for (uint32_t at = bucket->first; at != 0; at = buckets->links.items[at].next) {
        /* The whole block, whatever counts of it: a length that the compiler knows. */
        memcpy(hits->slots + hits->count, buckets->blocks.items[at].slot,
               sizeof(uint32_t) * BUCKET_LANES);
        hits->count += points;
        points = BUCKET_LANES;
    }
    return true;
}

#ifdef AOI_SELF_CHECK
static bool is_in_extent(const struct bucket_extent *extent, float x, float y) {
    return extent->low_x <= x && x <= extent->high_x && extent->low_y <= y && y <= extent->high_y;
}

size_t buckets_check(const struct buckets *buckets, const struct bucket *bucket, uint32_t owner) {
    size_t count = 0;
    for (uint32_t at = bucket->first; at != 0; at = buckets->links.items[at].next) {
        const struct bucket_block *block = &buckets->blocks.items[at];
        const uint32_t points = at == bucket->first ? bucket_last_lane(bucket) + 1 : BUCKET_LANES;
        const uint32_t extent = buckets->extent_of.items[at];
        SELF_CHECK(buckets->links.items[at].owner == owner);
        SELF_CHECK(extent == buckets->extent_of.items[bucket->first]);
        for (uint32_t lane = 0; lane < BUCKET_LANES; lane++)
            SELF_CHECK(isnan(block->x[lane]) == (lane >= points));
        for (uint32_t lane = 0; lane < points && extent != 0; lane++)
            SELF_CHECK(
                is_in_extent(&buckets->extents.items[extent], block->x[lane], block->y[lane]));
        count += points;
    }
    SELF_CHECK(count == bucket->count);
    return count;
}

void buckets_check_entities(const struct buckets *buckets, const struct spatial_index *index,
                            bool (*holds)(const struct spatial_index *index, uint32_t owner,
                                          double x, double y)) {
    for (uint32_t slot = 0; slot < index->entities->used; slot++) {
        const struct entity *entity = &index->entities->at[slot];
        bool belongs = entity->mode != 0 &&
                       (index->is_main ||
                        (in_radius_class(entity) && entity->radius_class == index->radius_class));
        if (!belongs)
            continue;
        bucket_handle handle = *bucket_handle_of(index, slot);
        const struct bucket_block *block = &buckets->blocks.items[handle >> BUCKET_LANE_BITS];
        SELF_CHECK(block->slot[handle & LANE_MASK] == slot);
        SELF_CHECK(block->x[handle & LANE_MASK] == (float)entity->x);
        SELF_CHECK(block->y[handle & LANE_MASK] == (float)entity->y);
        SELF_CHECK(!buckets->keeps_radii ||
                   buckets->radii.items[handle >> BUCKET_LANE_BITS].radius[handle & LANE_MASK] ==
                       (float)entity->radius);
        SELF_CHECK(holds(index, buckets_owner(buckets, handle), entity->x, entity->y));
    }
}
#endif
