/*
 * refuse_steps.h - the calls of refuse_core.c: drawn as a history, and made on a space.
 */
#ifndef REFUSE_STEPS_H
#define REFUSE_STEPS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aoi.h"

enum { IDS = 64, AREAS = 12, MOST_ROWS = 24 };

enum kind {
    ENTER,
    MOVE,
    UPDATE,
    LEAVE,
    SET_TRAITS,
    ENTER_ALL,
    MOVE_ALL,
    UPDATE_ALL,
    LEAVE_ALL,
    SET_BOUNDS,
    DROP_COLLECTED,
    DROP_OLDEST,
    TICK,
    ROWS,
    UNPACK,
    MARKERS_OF,
    WATCHERS_OF,
    ALL_IDS,
    RECT,
    CIRCLE,
    SECTOR,
    SEGMENT,
    NEAREST,
    TOLD_MARKERS,
    TOLD_WATCHERS,
    EXPLAIN,
    SET_SIGHT,
    SIGHTS,
    KINDS,
    PIN = KINDS, /* in crowd spaces only */
    UNPIN,
    TOUCH,
    CROWD_KINDS,
    ADD_AREA = CROWD_KINDS, /* in some spaces only, as all that follow */
    SET_AREA,
    MOVE_AREA,
    REMOVE_AREA,
    MEMBERS_OF,
    AREAS_OF,
    ALL_AREAS,
    POLYGON,
    ALL_KINDS,
    CLEAR = ALL_KINDS, /* once in a history */
    HANDED,            /* in deferred spaces only, as all that follow */
    HAND_OUT,
    HAND_IN,
    LAST_KIND
};

struct step {
    enum kind kind;
    aoi_id id, other;
    aoi_point place;
    aoi_traits traits;
    aoi_sight word;
    aoi_row rows[MOST_ROWS];
    size_t count;
    double size;
    aoi_id area_id;
    aoi_area area;
};

static const char *running = "";
static int step_number;
static unsigned long calls;
static bool in_nine_grid, in_crowd, with_areas, hands_over;
static size_t answer; /* of the last question */

/* The luggage of an entity that was asked for last; it is handed in. */
static struct {
    aoi_id id;
    size_t size;
    unsigned char bytes[1 << 16];
} luggage;

static void fail(const char *what) {
    fprintf(stderr, "%s, step %d: %s\n", running, step_number, what);
    exit(1);
}

/* ------------------------------------------------------------------ */
/* The history                                                         */
/* ------------------------------------------------------------------ */

static uint64_t random_state;

static unsigned draw(unsigned count) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(random_state >> 33) % count;
}

/* Half of all crowd together in one place, so that everything that grows with a crowd grows. */
static aoi_point draw_place(void) {
    double crowd = draw(2) ? 50 : 0;
    if (crowd > 0)
        return (aoi_point){crowd + draw(16) / 8.0, crowd + draw(16) / 8.0, crowd};
    return (aoi_point){draw(101), draw(101), draw(101)};
}

static aoi_traits draw_traits(bool has_radius) {
    static const double radii[] = {0, 0.01, 1, 3, 10, 25, 80, 1000, 1e9, INFINITY};
    static const uint32_t limits[] = {0, 1, 3, 8, 20, AOI_UNLIMITED};
    aoi_traits traits = {.given = draw(16)};
    traits.given = has_radius ? traits.given | AOI_TRAIT_RADIUS : traits.given & ~1U;
    traits.radius = radii[draw(10)];
    traits.mode = 1 + draw(3);
    traits.layers = 1 + draw(3);
    traits.sees_layers = draw(3) ? UINT32_MAX : 2;
    if (!in_nine_grid && draw(4) == 0) {
        traits.given |= AOI_TRAIT_VISIBLE_RADIUS;
        traits.visible_radius = radii[draw(10)];
    }
    if (in_crowd) {
        traits.given |= draw(4) * AOI_TRAIT_LIMIT;
        traits.limit = limits[draw(6)];
        traits.importance = draw(3);
    }
    return traits;
}

static enum kind draw_kind(void) {
    if (hands_over && draw(6) == 0)
        return (enum kind)(HANDED + (int)draw(LAST_KIND - HANDED));
    if (with_areas && draw(4) == 0)
        return (enum kind)(ADD_AREA + (int)draw(ALL_KINDS - ADD_AREA));
    if (!in_crowd)
        return (enum kind)draw(KINDS);
    if (draw(16) == 0)
        return EXPLAIN;
    /* Often, so that in some ticks few have changed. */
    return draw(4) == 0 ? TICK : (enum kind)draw(CROWD_KINDS);
}

static const double ring[] = {48, 48, 60, 50, 55, 55, 62, 70, 50, 60, 40, 70, 45, 55, 30, 50},
                    hole[] = {49, 50, 51, 50, 50, 53}, zone[] = {0, 0, 50, 0, 50, 100, 0, 100};
static const aoi_ring rings[] = {{zone, 4}, {ring, 8}, {hole, 3}};

/* Fields of an area: all, or a part. */
static aoi_area draw_area(bool whole) {
    static const double radii[] = {0, 1, 3, 25, INFINITY};
    const aoi_point at = draw_place();
    aoi_area area = {.struct_size = sizeof area,
                     .radius = radii[draw(5)],
                     .width = draw(20),
                     .height = radii[draw(5)],
                     .x = at.x,
                     .y = at.y,
                     .z = at.z,
                     .owner = 1 + (aoi_id)draw(IDS),
                     .dx = draw(3),
                     .dy = draw(3),
                     .sees_layers = 1 + draw(3)};
    area.leave_radius = area.radius + draw(6);
    area.shape = (aoi_area_shape)(1 + draw(4));
    area.rings = rings + draw(2);
    area.ring_count = area.rings == rings ? 1 : 2;
    if (whole || draw(2))
        area.given |= AOI_AREA_GIVEN_SHAPE;
    if ((area.given & AOI_AREA_GIVEN_SHAPE) && area.shape <= AOI_AREA_SQUARE && draw(2))
        area.given |= AOI_AREA_GIVEN_LEAVE_RADIUS;
    if (!(area.given && area.shape == AOI_AREA_POLYGON) && (whole || draw(2)))
        area.given |= draw(2) ? AOI_AREA_GIVEN_OWNER : AOI_AREA_GIVEN_PLACE;
    if (draw(4) == 0)
        area.given |= AOI_AREA_GIVEN_SEES_LAYERS;
    return area;
}

/* Mostly one that is there, where it must be, or is not. */
static void draw_area_of(struct step *step, const aoi_space *space) {
    step->area = draw_area(step->kind == ADD_AREA);
    step->area_id = draw(AREAS);
    for (int i = 0; i < AREAS; i++) {
        if (aoi_has_area(space, step->area_id) == (step->kind != ADD_AREA))
            break;
        step->area_id = (step->area_id + 1) % AREAS;
    }
}

/* has_radius: the traits name one. */
static void draw_step(struct step *step, const aoi_space *space, bool has_radius) {
    memset(step, 0, sizeof *step);
    /* First the space fills; later it is mostly as full as it becomes. */
    step->kind = step_number < 30 ? (draw(3) ? ENTER : ENTER_ALL) : draw_kind();
    step->id = 1 + (aoi_id)draw(IDS);
    step->other = 1 + (aoi_id)draw(IDS);
    step->place = draw_place();
    step->traits = draw_traits(has_radius);
    step->size = draw(60);
    step->word = (aoi_sight)draw(3);
    if (step->kind == HAND_OUT && draw(4) > 0)
        step->id = luggage.id;
    /* Mostly of a pair that sees, as nothing is worked out for others. */
    for (int i = 0; step->kind == EXPLAIN && i < IDS; i++) {
        if (aoi_sees(space, step->id, step->other))
            break;
        step->other = 1 + step->other % IDS;
    }
    if (with_areas)
        draw_area_of(step, space);
    size_t count = draw(MOST_ROWS + 1);
    bool wants_inside = step->kind != ENTER_ALL;
    bool taken[IDS + 1] = {false};
    for (size_t i = 0; i < count; i++) {
        aoi_id id = 1 + (aoi_id)draw(IDS);
        bool fits = step->kind == UPDATE_ALL || aoi_has(space, id) == wants_inside;
        if (fits && !taken[id])
            step->rows[step->count++] = (aoi_row){id, draw_place()};
        taken[id] = true;
    }
}

/* Packed rows, of zeros. */
static aoi_status unpack(aoi_space *space, size_t rows) {
    static const unsigned char bytes[8 * MOST_ROWS * 32];
    const size_t row_size = aoi_packed_row_size(space, AOI_ROWS_OF_DOUBLES);
    aoi_row *array = NULL;
    size_t count;
    aoi_status status =
        aoi_unpack_rows(space, AOI_ROWS_OF_DOUBLES, bytes, rows * row_size, &array, &count);
    if (status == AOI_OK && (count != rows || (rows > 0 && array[rows - 1].position.y != 0)))
        fail("unpacked rows are others");
    return status;
}

static aoi_status ask_told(aoi_space *space, const struct step *step) {
    aoi_list list = {NULL, 0};
    const aoi_status status = step->kind == TOLD_MARKERS
                                  ? aoi_told_markers_of(space, step->id, &list)
                                  : aoi_told_watchers_of(space, step->id, &list);
    answer = list.count;
    return status;
}

static aoi_status explain(aoi_space *space, const struct step *step) {
    aoi_reason reason = AOI_BECAUSE_UNKNOWN;
    size_t rank = 0;
    const aoi_status status = aoi_explain(space, step->id, step->other, &reason, &rank);
    answer = rank * 16 + (size_t)reason;
    return status;
}

/* As a question, with the number of those found as its answer. */
static aoi_status ask_areas(aoi_space *space, const struct step *step) {
    aoi_list list = {NULL, 0};
    aoi_status status = AOI_OK;
    switch (step->kind) {
    case MEMBERS_OF: status = aoi_members_of(space, step->area_id, &list); break;
    case AREAS_OF: status = aoi_areas_of(space, step->id, &list); break;
    case ALL_AREAS: status = aoi_areas(space, &list); break;
    default:
        status = aoi_query_polygon(space, step->area.rings, step->area.ring_count,
                                   step->area.sees_layers, &list, NULL);
    }
    answer = list.count;
    return status;
}

/* The answer is a sum of the string. */
static aoi_status ask_handed(aoi_space *space, aoi_id id) {
    const aoi_status status =
        aoi_handed(space, id, luggage.bytes, sizeof luggage.bytes, &luggage.size);
    if (status != AOI_OK)
        luggage.size = 0;
    if (luggage.size > sizeof luggage.bytes)
        fail("what goes along is too large for the test");
    luggage.id = id;
    for (size_t i = 0; i < luggage.size; i++)
        answer = answer * 31 + luggage.bytes[i];
    return status;
}

static aoi_status run_step(aoi_space *space, const struct step *step) {
    aoi_point corner = {step->place.x + step->size, 0, 100};
    aoi_list list;
    aoi_row *rows;
    calls++;
    answer = 0;
    switch (step->kind) {
    case ENTER: return aoi_enter(space, step->id, step->place, &step->traits);
    case MOVE: return aoi_move(space, step->id, step->place);
    case UPDATE: return aoi_update(space, step->id, step->place, &step->traits, NULL);
    case LEAVE: return aoi_leave(space, step->id);
    case SET_TRAITS: return aoi_set_traits(space, step->id, &step->traits);
    case ENTER_ALL: return aoi_enter_all(space, step->rows, step->count, &step->traits, NULL);
    case MOVE_ALL: return aoi_move_all(space, step->rows, step->count, NULL, NULL);
    case UPDATE_ALL:
        return aoi_update_all(space, step->rows, step->count, &step->traits, NULL, NULL);
    case LEAVE_ALL: return aoi_leave_all(space, step->rows, step->count / 4, NULL);
    case SET_BOUNDS:
        return aoi_set_bounds(space, -step->size, 0, 200 + step->size, 120, NULL, NULL);
    case DROP_COLLECTED: return aoi_drop_collected(space);
    case DROP_OLDEST: return aoi_drop_oldest_collected(space, step->count);
    case TICK: return aoi_tick(space);
    case ROWS: return aoi_rows(space, step->count * 8, &rows);
    case UNPACK: return unpack(space, step->count * 8);
    case MARKERS_OF: return aoi_markers_of(space, step->id, &list);
    case WATCHERS_OF: return aoi_watchers_of(space, step->id, &list);
    case ALL_IDS: return aoi_ids(space, &list);
    case RECT: return aoi_query_rect(space, step->place, corner, UINT32_MAX, &list);
    case CIRCLE: return aoi_query_circle(space, step->place, step->size, UINT32_MAX, &list);
    case SECTOR: return aoi_query_sector(space, step->place, step->size, 1, 2, UINT32_MAX, &list);
    case SEGMENT:
        return aoi_query_segment(space, step->place, corner, step->size, UINT32_MAX, &list);
    case TOLD_MARKERS:
    case TOLD_WATCHERS: return ask_told(space, step);
    case EXPLAIN: return explain(space, step);
    case SET_SIGHT: return aoi_set_sight(space, step->id, step->other, step->word);
    case SIGHTS: return aoi_sights(space, step->id, &list);
    case PIN: return aoi_pin(space, step->id, step->other);
    case UNPIN: return aoi_unpin(space, step->id, step->other);
    case TOUCH: return aoi_touch(space, step->id);
    case ADD_AREA: return aoi_add_area(space, step->area_id, &step->area, NULL);
    case SET_AREA: return aoi_set_area(space, step->area_id, &step->area, NULL);
    case MOVE_AREA: return aoi_move_area(space, step->area_id, step->place);
    case REMOVE_AREA: return aoi_remove_area(space, step->area_id);
    case MEMBERS_OF:
    case AREAS_OF:
    case ALL_AREAS:
    case POLYGON: return ask_areas(space, step);
    case CLEAR: return aoi_clear(space);
    case HANDED: return ask_handed(space, step->id);
    case HAND_OUT: return aoi_hand_out(space, step->id);
    case HAND_IN: return aoi_hand_in(space, luggage.bytes, luggage.size, NULL);
    case LAST_KIND:
    case NEAREST: break;
    }
    return aoi_query_nearest(space, step->place, step->count, INFINITY, UINT32_MAX, &list);
}

#endif
