/*
 * crosslist.c - the cross-list engine: all entities in order along the x axis
 * and along the y axis (axis.h); no map.
 *
 * A watcher's sentinels are the places of x - radius and x + radius (and the
 * same for y) in that order. They are not nodes: all watchers that one list
 * answers for have nearly the same radius (indexes.h), so the sentinels
 * that an entity passes in a step belong to the entities that its own
 * sentinels pass. A step thus looks at four strips, each as thin as the step,
 * and touches only what it passes. Each entity remembers the blocks of its
 * four sentinels; the next step begins there.
 */
#include <math.h>
#include <string.h>

#include "index/axis.h"
#include "index/spatial_index.h"
#include "base/self_check.h"

enum { SENTINELS = 4 };
#define NO_HINT UINT32_MAX

struct crosslist {
    struct spatial_index base;
    struct axis axes[AXES];
    struct ARRAY_OF(uint32_t) sentinels; /* main index: SENTINELS positions per slot, hints only */
};

static struct crosslist *crosslist_of(struct spatial_index *index) {
    return (struct crosslist *)index;
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* Moves the hits from `first` on that lie in the inner box to inside. */
static bool set_inside_apart(const struct crosslist *list, const struct box *inner, size_t first,
                             struct hits *hits, struct hits *inside) {
    const struct entity *entities = list->base.entities->at;
    if (!hits_reserve(inside, hits->count - first + 1))
        return false;
    size_t kept = first;
    for (size_t i = first; i < hits->count; i++) {
        uint32_t slot = hits->slots[i];
        double x = entities[slot].x, y = entities[slot].y;
        size_t is_inside =
            (size_t)((inner->x1 < x) & (x < inner->x2) & (inner->y1 < y) & (y < inner->y2));
        hits->slots[kept] = inside->slots[inside->count] = slot;
        inside->count += is_inside;
        kept += 1 - is_inside;
    }
    hits->count = kept;
    return true;
}

/* A box as nodes are compared with it. */
struct rounded_box {
    float x1, y1, x2, y2;
};

static struct rounded_box rounded(const struct box *box) {
    return (struct rounded_box){(float)box->x1, (float)box->y1, (float)box->x2, (float)box->y2};
}

static float next_number(float value) {
    int32_t bits;
    value += 0; /* of the two zeros the one above the other */
    memcpy(&bits, &value, sizeof bits);
    bits += bits < 0 ? -1 : 1;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* The ring as four strips that share no point, also where floats are coarse: left and right span
 * the whole height. Who is at the border of the inner box in floats may be a little inside. */
static bool search_ring(struct crosslist *list, const struct ring *ring, uint32_t *sentinels,
                        struct hits *hits) {
    const struct box outer = box_of(ring->middle, ring->outer);
    const struct box inner = box_of(ring->middle, ring->inner);
    const struct rounded_box out = rounded(&outer), in = rounded(&inner);
    const xy size = xy_size(ring->middle) + ring->outer;
    const double slip_x = ring_allowance(size[0]), slip_y = ring_allowance(size[1]);
    const float from = next_number(in.x1), to = -next_number(-in.x2);
    const struct strip left = {outer.x1, inner.x1 + slip_x, out.x1, in.x1, out.y1, out.y2};
    const struct strip right = {inner.x2 - slip_x, outer.x2, in.x2, out.x2, out.y1, out.y2};
    const struct strip below = {outer.y1, inner.y1 + slip_y, out.y1, in.y1, from, to};
    const struct strip above = {inner.y2 - slip_y, outer.y2, in.y2, out.y2, from, to};
    const struct strip *strips[SENTINELS] = {&left, &right, &below, &above};
    size_t starts[SENTINELS];
    for (int i = 0; i < SENTINELS; i++) {
        starts[i] = axis_start(&list->axes[i / 2], strips[i]->first, sentinels[i]);
        axis_prefetch(&list->axes[i / 2], starts[i]);
    }
    for (int i = 0; i < SENTINELS; i++) {
        sentinels[i] = (uint32_t)starts[i];
        if (!axis_search(&list->axes[i / 2], strips[i], starts[i], hits))
            return false;
    }
    return true;
}

/* The whole box. Where many blocks stand beside it along x, through the axis on which fewer do: the
 * one whose end is reached first when both are walked in step. To find out takes as long as to look
 * at some blocks. */
static bool search_box(struct crosslist *list, const struct box *box, struct hits *hits) {
#ifdef AOI_TINY
    enum { MANY = 2 };
#else
    enum { MANY = 12 };
#endif
    const struct axis *x = &list->axes[AXIS_X], *y = &list->axes[AXIS_Y];
    const struct rounded_box in = rounded(box);
    const struct strip upright = {box->x1, box->x2, in.x1, in.x2, in.y1, in.y2};
    const struct strip lying = {box->y1, box->y2, in.y1, in.y2, in.x1, in.x2};
    const size_t first_x = axis_start(x, box->x1, NO_HINT);
    size_t blocks = MANY;
    if (axis_reaches(x, first_x + blocks, box->x2)) {
        const size_t first_y = axis_start(y, box->y1, NO_HINT);
        while (axis_reaches(x, first_x + blocks, box->x2) &&
               axis_reaches(y, first_y + blocks, box->y2))
            blocks++;
        if (axis_reaches(x, first_x + blocks, box->x2))
            return axis_search(y, &lying, first_y, hits);
    }
    return axis_search(x, &upright, first_x, hits);
}

static bool crosslist_search(struct spatial_index *index, const struct ring *ring,
                             uint32_t near_slot, struct hits *hits, struct hits *inside) {
    struct crosslist *list = crosslist_of(index);
    const struct box outer = box_of(ring->middle, ring->outer);
    const struct box inner = box_of(ring->middle, ring->inner);
    const struct rounded_box in = rounded(&inner);
    /* An empty inner box (a step longer than the view) hides nothing. */
    bool hollow = (in.x1 < in.x2) & (in.y1 < in.y2);
    if (hollow && inside == NULL) {
        uint32_t none[SENTINELS] = {NO_HINT, NO_HINT, NO_HINT, NO_HINT};
        if (!index->is_main || near_slot == NO_SLOT)
            return search_ring(list, ring, none, hits);
        axis_prefetch_node(&list->axes[AXIS_X], near_slot); /* its place will change next */
        axis_prefetch_node(&list->axes[AXIS_Y], near_slot);
        return search_ring(list, ring, list->sentinels.items + (size_t)near_slot * SENTINELS, hits);
    }
    size_t first = hits->count;
    return search_box(list, &outer, hits) &&
           (!hollow || set_inside_apart(list, &inner, first, hits, inside));
}

/* ------------------------------------------------------------------ */
/* The engine                                                          */
/* ------------------------------------------------------------------ */

static void crosslist_destroy(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    struct memory *memory = index->memory;
    axis_free(&list->axes[AXIS_X]);
    axis_free(&list->axes[AXIS_Y]);
    array_free(&list->sentinels, memory);
    memory_resize(memory, list, 1, 0, sizeof *list);
}

static void crosslist_clear(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    axis_clear(&list->axes[AXIS_X]);
    axis_clear(&list->axes[AXIS_Y]);
    array_free(&list->sentinels, index->memory);
    index->count = 0;
}

static bool crosslist_reserve(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    const size_t before = list->sentinels.capacity;
    const size_t needed = (size_t)index->entities->capacity * SENTINELS;
    if (index->is_main && before < needed) {
        if (!array_extend(&list->sentinels, index->memory, needed))
            return false;
        memset(list->sentinels.items + before, 0xFF, (needed - before) * sizeof(uint32_t));
    }
    return axis_reserve(&list->axes[AXIS_X]) && axis_reserve(&list->axes[AXIS_Y]);
}

static void crosslist_insert(struct spatial_index *index, uint32_t slot) {
    struct crosslist *list = crosslist_of(index);
    const struct entity *entity = &index->entities->at[slot];
    axis_insert(&list->axes[AXIS_X], slot, entity->x, entity->y);
    axis_insert(&list->axes[AXIS_Y], slot, entity->y, entity->x);
    index->count++;
}

static void crosslist_remove(struct spatial_index *index, uint32_t slot) {
    struct crosslist *list = crosslist_of(index);
    axis_remove(&list->axes[AXIS_X], slot);
    axis_remove(&list->axes[AXIS_Y], slot);
    index->count--;
}

static void crosslist_relocate(struct spatial_index *index, uint32_t slot, double x, double y) {
    struct crosslist *list = crosslist_of(index);
    axis_relocate(&list->axes[AXIS_X], slot, x, y);
    axis_relocate(&list->axes[AXIS_Y], slot, y, x);
}

/* Its own blocks, and those where its sentinels stood last. */
static void crosslist_fetch(const struct spatial_index *index, uint32_t slot, double x, double y,
                            double reach) {
    const struct crosslist *list = (const struct crosslist *)index;
    (void)x, (void)y, (void)reach;
    if (slot == NO_SLOT)
        return;
    const uint32_t *sentinels = list->sentinels.items + (size_t)slot * SENTINELS;
    for (int which = 0; which < AXES; which++)
        axis_prefetch_node(&list->axes[which], slot);
    for (int i = 0; i < SENTINELS; i++) {
        const struct axis *axis = &list->axes[i / 2];
        axis_prefetch(axis, sentinels[i] < axis->separator_count ? sentinels[i] : 0);
    }
}

static struct box crosslist_extent(const struct spatial_index *index) {
    const struct crosslist *list = (const struct crosslist *)index;
    struct box extent;
    axis_extent(&list->axes[AXIS_X], &extent.x1, &extent.x2);
    axis_extent(&list->axes[AXIS_Y], &extent.y1, &extent.y2);
    return extent;
}

static void crosslist_begin_batch(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    list->axes[AXIS_X].batching = list->axes[AXIS_Y].batching = true;
}

static void crosslist_end_batch(struct spatial_index *index) {
    struct crosslist *list = crosslist_of(index);
    axis_tidy(&list->axes[AXIS_X]);
    axis_tidy(&list->axes[AXIS_Y]);
}

static void crosslist_describe(const struct spatial_index *index, aoi_stats *stats) {
    const struct crosslist *list = (const struct crosslist *)index;
    for (int which = 0; which < AXES; which++) {
        const struct axis *axis = &list->axes[which];
        stats->cells += axis->separator_count;
        for (size_t i = 0; i < axis->separator_count; i++) {
            const uint32_t count = axis->blocks[axis->separators[i].block].count;
            if (count > stats->longest_chain)
                stats->longest_chain = count;
        }
    }
}

/* A block reaches from its separator to the next one. */
static void crosslist_list_cells(const struct spatial_index *index, struct cell_list *cells) {
    const struct crosslist *list = (const struct crosslist *)index;
    for (int which = 0; which < AXES; which++) {
        const struct axis *axis = &list->axes[which];
        for (size_t i = 0; i < axis->separator_count; i++) {
            const double first = i == 0 ? -INFINITY : axis->separators[i].coordinate;
            const double next =
                i + 1 < axis->separator_count ? axis->separators[i + 1].coordinate : INFINITY;
            const size_t count = axis->blocks[axis->separators[i].block].count;
            const double length = i == 0 ? INFINITY : next - first;
            cell_list_add(cells, which == AXIS_X
                                     ? (aoi_cell){first, -INFINITY, length, INFINITY, count}
                                     : (aoi_cell){-INFINITY, first, INFINITY, length, count});
        }
    }
}

#ifdef AOI_SELF_CHECK
static void crosslist_check(const struct spatial_index *index) {
    const struct crosslist *list = (const struct crosslist *)index;
    SELF_CHECK(list->axes[AXIS_X].nodes == index->count);
    SELF_CHECK(list->axes[AXIS_Y].nodes == index->count);
    axis_check(&list->axes[AXIS_X]);
    axis_check(&list->axes[AXIS_Y]);
}
#endif

static struct spatial_index *crosslist_create(const struct index_setup *setup,
                                              unsigned radius_class, double reach) {
    (void)reach;
    struct crosslist *list = memory_resize(setup->memory, NULL, 0, 1, sizeof *list);
    if (list == NULL)
        return NULL;
    memset(list, 0, sizeof *list);
    list->base = spatial_index_of(&crosslist_engine, setup, radius_class);
    for (int which = 0; which < AXES; which++)
        list->axes[which] = (struct axis){.memory = setup->memory,
                                          .entities = setup->entities,
                                          .which = which,
                                          .is_main = list->base.is_main};
    if (!axis_init(&list->axes[AXIS_X]) || !axis_init(&list->axes[AXIS_Y])) {
        crosslist_destroy(&list->base);
        return NULL;
    }
    return &list->base;
}

const struct spatial_index_engine crosslist_engine = {
    .name = "crosslist",
    .create = crosslist_create,
    .destroy = crosslist_destroy,
    .clear = crosslist_clear,
    .reserve = crosslist_reserve,
    .insert = crosslist_insert,
    .remove = crosslist_remove,
    .relocate = crosslist_relocate,
    .search = crosslist_search,
    .fetch = crosslist_fetch,
    .extent = crosslist_extent,
    .begin_batch = crosslist_begin_batch,
    .end_batch = crosslist_end_batch,
    .describe = crosslist_describe,
    .list_cells = crosslist_list_cells,
#ifdef AOI_SELF_CHECK
    .check = crosslist_check,
#endif
};
