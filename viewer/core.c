/*
 * core.c - the core for JavaScript: the functions of aoi.h that the viewer needs, with arguments
 * that WebAssembly has.
 *
 * Answers of more than one number stand in one `struct answer`, lists in arrays that are kept for
 * the next call; space.js reads both out of the memory. Nothing is imported: the page and the specs
 * start the same bytes without a host.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aoi.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name) /* for the programs that only look at the source */
#endif

/* ------------------------------------------------------------------ */
/* No host                                                             */
/* ------------------------------------------------------------------ */

/*
 * snprintf is made of what writes to files, so the C library asks the host for three functions of
 * files, which are never called: everything is written into memory. These stand in for the imports.
 */
#ifdef __wasm__
enum { NO_SUCH_FILE = 8 }; /* WASI's EBADF */

int __imported_wasi_snapshot_preview1_fd_close(int file);
int __imported_wasi_snapshot_preview1_fd_seek(int file, long long offset, int whence, int position);
int __imported_wasi_snapshot_preview1_fd_write(int file, int parts, int count, int written);

int __imported_wasi_snapshot_preview1_fd_close(int file) {
    (void)file;
    return NO_SUCH_FILE;
}

int __imported_wasi_snapshot_preview1_fd_seek(int file, long long offset, int whence,
                                              int position) {
    (void)file, (void)offset, (void)whence, (void)position;
    return NO_SUCH_FILE;
}

int __imported_wasi_snapshot_preview1_fd_write(int file, int parts, int count, int written) {
    (void)file, (void)parts, (void)count, (void)written;
    return NO_SUCH_FILE;
}
#endif

/* ------------------------------------------------------------------ */
/* Bytes in, answers out                                               */
/* ------------------------------------------------------------------ */

/* The answer to the last question: numbers, as many as it has, and up to eight arrays, all of
 * `count`. */
static struct answer {
    double numbers[64];
    const void *arrays[8];
    size_t count;
} answer;

static aoi_complaint complaint;

/* An array that grows and is used again. */
struct array {
    void *items;
    size_t size; /* bytes */
};

enum { INPUT, ENTITY_ARRAY, CELL_ARRAY, EVENT_ARRAY, AREA_ARRAY, SAVE_ARRAY, ARRAYS };
static struct array arrays[ARRAYS];

/* Room for so many bytes; what was in it is gone. NULL: no memory. Room that is far too large goes
 * back. */
static void *room_for(int which, size_t size) {
    enum { SMALL = 1 << 20 };
    struct array *array = &arrays[which];
    if (array->size < size || (array->size > SMALL && array->size / 4 > size)) {
        free(array->items);
        array->items = malloc(size);
        array->size = array->items == NULL ? 0 : size;
    }
    return array->items;
}

EXPORT(answer) const struct answer *viewer_answer(void) {
    return &answer;
}

EXPORT(complaint) const char *viewer_complaint(void) {
    return complaint.text;
}

/* Where the next string of bytes is to be written to, for `load` and `replay`. */
EXPORT(input) void *viewer_input(size_t size) {
    return room_for(INPUT, size > 0 ? size : 1);
}

/* ------------------------------------------------------------------ */
/* Spaces                                                              */
/* ------------------------------------------------------------------ */

/* An aoi_status; arrays: the space alone. Nobody has read what waits in a save: it is dropped. */
EXPORT(load) aoi_status viewer_load(size_t size) {
    aoi_space *space = NULL;
    const aoi_status status =
        aoi_load(arrays[INPUT].items, size, NULL, NULL, &space, NULL, &complaint);
    if (status == AOI_OK)
        aoi_listen(space, 0, AOI_TELL_EVENT);
    answer.arrays[0] = space;
    return status;
}

EXPORT(free_space) void viewer_free_space(aoi_space *space) {
    aoi_destroy(space);
}

/* INVALID: the complaint says why. */
EXPORT(replay)
aoi_status viewer_replay(aoi_space *space, size_t size, uint64_t calls, uint64_t ticks) {
    const aoi_moment until = {calls, ticks};
    return aoi_replay(space, arrays[INPUT].items, size, NULL, &until, &complaint);
}

/* One array: the bytes of the save. */
EXPORT(save) aoi_status viewer_save(const aoi_space *space) {
    const struct array *room = &arrays[SAVE_ARRAY];
    size_t size =
        aoi_save(space, 0, room->items, room->size); /* mostly it has room for this one, too */
    if (size > room->size) {
        void *bytes = room_for(SAVE_ARRAY, size);
        if (bytes == NULL)
            return AOI_NOMEM;
        size = aoi_save(space, 0, bytes, size);
    }
    answer.arrays[0] = room->items;
    answer.count = size;
    return AOI_OK;
}

EXPORT(moment) void viewer_moment(const aoi_space *space) {
    const aoi_moment moment = aoi_moment_of(space);
    answer.numbers[0] = (double)moment.calls;
    answer.numbers[1] = (double)moment.ticks;
}

/* Numbers: the bytes that the space holds. */
EXPORT(held) void viewer_held(const aoi_space *space) {
    aoi_stats stats;
    aoi_get_stats(space, &stats);
    answer.numbers[0] = (double)stats.bytes;
}

/* A limit as a number: infinite where there is none. */
static double limit_number(uint32_t limit) {
    return limit == AOI_UNLIMITED ? (double)INFINITY : (double)limit;
}

/* A period likewise. */
static double period_number(int64_t period) {
    return period == AOI_NEVER ? (double)INFINITY : (double)period;
}

/* An option not given that has no default is NaN. */
EXPORT(options) void viewer_options(const aoi_space *space) {
    aoi_options options = {.struct_size = sizeof options};
    aoi_options_of(space, &options);
    const aoi_map map = aoi_map_of(space);
    const uint32_t of_crowds =
        AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES | AOI_GIVEN_MOVE_BUDGET;
    const bool has_radius = (options.given & AOI_GIVEN_RADIUS) != 0;
    const double numbers[] = {
        options.engine,
        options.shape,
        options.dims,
        options.deferred,
        options.slack,
        has_radius ? options.radius : (double)NAN,
        options.engine == AOI_GRID && !has_radius,
        (options.given & of_crowds) != 0,
        limit_number(options.limit),
        options.limit_layers,
        options.keep_factor,
        options.given & AOI_GIVEN_ENTER_BUDGET ? (double)options.enter_budget : (double)INFINITY,
        options.given & AOI_GIVEN_MOVE_BUDGET ? (double)options.move_budget : (double)INFINITY,
        options.clamp,
        map.bounded,
        map.x,
        map.y,
        map.width,
        map.height,
        options.given & AOI_GIVEN_RATES ? (double)options.rates.count : 0,
    };
    const size_t count = sizeof numbers / sizeof numbers[0];
    memcpy(answer.numbers, numbers, sizeof numbers);
    for (size_t i = 0; i < options.rates.count; i++) {
        answer.numbers[count + 2 * i] = options.rates.rings[i].bound;
        answer.numbers[count + 2 * i + 1] = period_number(options.rates.rings[i].period);
    }
}

/* ------------------------------------------------------------------ */
/* Everything at once                                                  */
/* ------------------------------------------------------------------ */

/* Arrays one behind the other in one room, the widest items first. */
struct layout {
    char *at;
    int count;
};

static void *place_array(struct layout *layout, size_t size) {
    void *place = layout->at;
    answer.arrays[layout->count++] = place;
    layout->at += size;
    return place;
}

/* Arrays: ids, x, y, z, radius, layers, sees_layers, mode. */
EXPORT(entities) aoi_status viewer_entities(aoi_space *space) {
    aoi_list list;
    if (aoi_ids(space, &list) != AOI_OK)
        return AOI_NOMEM;
    const size_t count = list.count;
    const size_t row = sizeof(aoi_id) + 4 * sizeof(double) + 2 * sizeof(uint32_t) + 1;
    struct layout layout = {.at = room_for(ENTITY_ARRAY, count * row + 1)};
    if (layout.at == NULL)
        return AOI_NOMEM;
    aoi_id *ids = place_array(&layout, count * sizeof *ids);
    double *x = place_array(&layout, count * sizeof *x);
    double *y = place_array(&layout, count * sizeof *y);
    double *z = place_array(&layout, count * sizeof *z);
    double *radius = place_array(&layout, count * sizeof *radius);
    uint32_t *layers = place_array(&layout, count * sizeof *layers);
    uint32_t *sees_layers = place_array(&layout, count * sizeof *sees_layers);
    uint8_t *mode = place_array(&layout, count);
    for (size_t i = 0; i < count; i++) {
        aoi_point position = {0, 0, 0};
        aoi_traits traits = {.given = 0};
        aoi_position(space, list.ids[i], &position);
        aoi_traits_of(space, list.ids[i], &traits);
        ids[i] = list.ids[i];
        x[i] = position.x;
        y[i] = position.y;
        z[i] = position.z;
        radius[i] = traits.radius;
        layers[i] = traits.layers;
        sees_layers[i] = traits.sees_layers;
        mode[i] = (uint8_t)traits.mode;
    }
    answer.count = count;
    return AOI_OK;
}

/* One array: x, y, width, height, entities of each cell. */
EXPORT(cells) aoi_status viewer_cells(const aoi_space *space) {
    enum { NUMBERS = 5 };
    const size_t count = aoi_cells(space, NULL, 0);
    /* The cells stand behind the numbers that are made of them. */
    double *numbers =
        room_for(CELL_ARRAY, count * (NUMBERS * sizeof *numbers + sizeof(aoi_cell)) + 1);
    if (numbers == NULL)
        return AOI_NOMEM;
    aoi_cell *cells = (aoi_cell *)(void *)(numbers + count * NUMBERS);
    aoi_cells(space, cells, count);
    for (size_t i = 0; i < count; i++) {
        const double cell[NUMBERS] = {cells[i].x, cells[i].y, cells[i].width, cells[i].height,
                                      (double)cells[i].entities};
        memcpy(numbers + i * NUMBERS, cell, sizeof cell);
    }
    answer.arrays[0] = numbers;
    answer.count = count;
    return AOI_OK;
}

/* How many rings and corners polygons have, together. */
struct outlines {
    size_t rings, corners;
};

static aoi_area area_of(const aoi_space *space, aoi_id id) {
    aoi_area area = {.struct_size = sizeof area};
    aoi_area_of(space, id, &area);
    if (area.shape != AOI_AREA_POLYGON)
        area.ring_count = 0;
    return area;
}

static struct outlines count_outlines(const aoi_space *space, const aoi_list *areas) {
    struct outlines all = {0, 0};
    for (size_t i = 0; i < areas->count; i++) {
        const aoi_area area = area_of(space, areas->ids[i]);
        all.rings += area.ring_count;
        for (size_t ring = 0; ring < area.ring_count; ring++)
            all.corners += area.rings[ring].count;
    }
    return all;
}

/* Arrays: ids; owners; shape, x, y, radius, leave_radius, width, height of each; x and y of all
 * corners, ring after ring; sees_layers; how many rings each has; corners of each ring; whether
 * each has an owner. Numbers: all rings, all corners. */
EXPORT(areas) aoi_status viewer_areas(aoi_space *space) {
    enum { FIELDS = 7 };
    aoi_list list;
    if (aoi_areas(space, &list) != AOI_OK)
        return AOI_NOMEM;
    const size_t count = list.count;
    const struct outlines all = count_outlines(space, &list);
    const size_t row = 2 * sizeof(aoi_id) + FIELDS * sizeof(double) + 2 * sizeof(uint32_t) + 1;
    const size_t size =
        count * row + all.corners * 2 * sizeof(double) + all.rings * sizeof(uint32_t);
    struct layout layout = {.at = room_for(AREA_ARRAY, size + 1)};
    if (layout.at == NULL)
        return AOI_NOMEM;
    aoi_id *ids = place_array(&layout, count * sizeof *ids);
    aoi_id *owners = place_array(&layout, count * sizeof *owners);
    double *fields = place_array(&layout, count * FIELDS * sizeof *fields);
    double *corners = place_array(&layout, all.corners * 2 * sizeof *corners);
    uint32_t *sees_layers = place_array(&layout, count * sizeof *sees_layers);
    uint32_t *rings = place_array(&layout, count * sizeof *rings);
    uint32_t *lengths = place_array(&layout, all.rings * sizeof *lengths);
    uint8_t *owned = place_array(&layout, count);
    for (size_t i = 0; i < count; i++) {
        const aoi_area area = area_of(space, list.ids[i]);
        const double numbers[FIELDS] = {area.shape,        area.x,     area.y,     area.radius,
                                        area.leave_radius, area.width, area.height};
        memcpy(fields + i * FIELDS, numbers, sizeof numbers);
        ids[i] = list.ids[i];
        owned[i] = (area.given & AOI_AREA_GIVEN_OWNER) != 0;
        owners[i] = owned[i] ? area.owner : 0;
        sees_layers[i] = area.sees_layers;
        rings[i] = (uint32_t)area.ring_count;
        for (size_t ring = 0; ring < area.ring_count; ring++) {
            const size_t length = area.rings[ring].count;
            memcpy(corners, area.rings[ring].corners, 2 * length * sizeof *corners);
            corners += 2 * length;
            *lengths++ = (uint32_t)length;
        }
    }
    answer.count = count;
    answer.numbers[0] = (double)all.rings;
    answer.numbers[1] = (double)all.corners;
    return AOI_OK;
}

/* ------------------------------------------------------------------ */
/* Questions about some                                                */
/* ------------------------------------------------------------------ */

EXPORT(position) aoi_status viewer_position(const aoi_space *space, aoi_id id) {
    aoi_point position = {0, 0, 0};
    const aoi_status status = aoi_position(space, id, &position);
    memcpy(answer.numbers, &position, sizeof position);
    return status;
}

EXPORT(traits) aoi_status viewer_traits(const aoi_space *space, aoi_id id) {
    aoi_traits traits = {.given = 0};
    const aoi_status status = aoi_traits_of(space, id, &traits);
    const double numbers[] = {
        traits.radius,
        traits.mode,
        traits.layers,
        traits.sees_layers,
        limit_number(traits.limit),
        traits.importance,
        traits.visible_radius,
    };
    memcpy(answer.numbers, numbers, sizeof numbers);
    return status;
}

static aoi_status answer_list(aoi_status status, const aoi_list *list) {
    answer.count = status == AOI_OK ? list->count : 0;
    answer.arrays[0] = status == AOI_OK ? list->ids : NULL;
    return status;
}

EXPORT(markers_of) aoi_status viewer_markers_of(aoi_space *space, aoi_id id) {
    aoi_list list;
    return answer_list(aoi_markers_of(space, id, &list), &list);
}

EXPORT(watchers_of) aoi_status viewer_watchers_of(aoi_space *space, aoi_id id) {
    aoi_list list;
    return answer_list(aoi_watchers_of(space, id, &list), &list);
}

EXPORT(told_markers_of) aoi_status viewer_told_markers_of(aoi_space *space, aoi_id id) {
    aoi_list list;
    return answer_list(aoi_told_markers_of(space, id, &list), &list);
}

EXPORT(told_watchers_of) aoi_status viewer_told_watchers_of(aoi_space *space, aoi_id id) {
    aoi_list list;
    return answer_list(aoi_told_watchers_of(space, id, &list), &list);
}

EXPORT(members_of) aoi_status viewer_members_of(aoi_space *space, aoi_id area) {
    aoi_list list;
    const aoi_status status = aoi_members_of(space, area, &list);
    return answer_list(status == AOI_NO_AREA ? AOI_NOT_FOUND : status, &list);
}

EXPORT(areas_of) aoi_status viewer_areas_of(aoi_space *space, aoi_id id) {
    aoi_list list;
    return answer_list(aoi_areas_of(space, id, &list), &list);
}

/* Numbers: the aoi_reason, the rank. */
EXPORT(explain) aoi_status viewer_explain(aoi_space *space, aoi_id watcher, aoi_id marker) {
    aoi_reason reason = AOI_BECAUSE_UNKNOWN;
    size_t rank = 0;
    const aoi_status status = aoi_explain(space, watcher, marker, &reason, &rank);
    answer.numbers[0] = reason;
    answer.numbers[1] = (double)rank;
    return status;
}

/* Numbers: the aoi_sight; whether the watcher pins the marker. */
EXPORT(words) void viewer_words(const aoi_space *space, aoi_id watcher, aoi_id marker) {
    answer.numbers[0] = aoi_sight_of(space, watcher, marker);
    answer.numbers[1] = aoi_is_pinned(space, watcher, marker);
}

/* ------------------------------------------------------------------ */
/* Events                                                              */
/* ------------------------------------------------------------------ */

/* Whether the events of what is replayed from now on are kept for `events`; drops those that wait.
 */
EXPORT(listen) void viewer_listen(aoi_space *space, bool on) {
    aoi_listen(space, 0, AOI_TELL_EVENT);
    const uint32_t all = AOI_ENTER | AOI_LEAVE | AOI_MOVE | AOI_AREA_ENTER | AOI_AREA_LEAVE;
    aoi_listen(space, on ? all : 0, AOI_TELL_EVENT);
}

/* Arrays: watchers, markers, ops. They wait no longer. */
EXPORT(events) aoi_status viewer_events(aoi_space *space) {
    const size_t count = aoi_pending(space);
    struct layout layout = {.at = room_for(EVENT_ARRAY, count * (2 * sizeof(aoi_id) + 1) + 1)};
    if (layout.at == NULL)
        return AOI_NOMEM;
    aoi_id *watchers = place_array(&layout, count * sizeof *watchers);
    aoi_id *markers = place_array(&layout, count * sizeof *markers);
    uint8_t *ops = place_array(&layout, count);
    aoi_event event;
    for (size_t i = 0; i < count && aoi_next_event(space, &event); i++) {
        watchers[i] = event.watcher;
        markers[i] = event.marker;
        ops[i] = (uint8_t)event.op;
    }
    answer.count = count;
    return AOI_OK;
}
