/*
 * fuzz_areas.c - a fuzz target: reads bytes as a history of calls to a space with areas, and holds
 * every membership and every event of an area against the model of areas_model.h.
 *
 * A second space gets the same calls but those about areas: what the first one tells of views must
 * be the same. Coordinates are of few bits, or such numbers' neighbours, so that borders are met.
 *
 * With FUZZ_TRACE in the environment every call is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "areas_model.h"
#include "expectations.h"
#include "input.h"
#include "texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { AREA_OPS = AOI_AREA_ENTER | AOI_AREA_LEAVE };

struct world {
    struct input input;
    struct accountant accountant;
    aoi_space *space, *twin;
    uint32_t listen;
    struct areas_model model;
    struct text save, record; /* since then */
    bool records;
};

static unsigned draw(struct world *world, unsigned count) {
    return choose(&world->input, count);
}

/* ------------------------------------------------------------------ */
/* Checks                                                              */
/* ------------------------------------------------------------------ */

/* Checks the events of a call. */
static void check_events(struct world *world) {
    int8_t told[ENTITIES][ENTITIES][AOI_MOVE + 1] = {{{0}}};
    aoi_event event;
    int at = 0;
    bool entering = false, told_area = false;
    while (aoi_next_event(world->space, &event)) {
        if (!(event.op & AREA_OPS)) {
            told[number_of(event.watcher, ENTITIES)][number_of(event.marker, ENTITIES)][event.op]++;
            if (told_area && world->model.changes == 1)
                fail("a view is told of after an area");
            continue;
        }
        const int a = number_of(event.watcher, AREAS), m = number_of(event.marker, ENTITIES);
        trace("  %s %d %d", event.op == AOI_AREA_ENTER ? "enters" : "leaves", a, m);
        const bool enters = event.op == AOI_AREA_ENTER;
        /* Changes that are all told are over. */
        for (;;) {
            if (at == world->model.changes)
                fail("area %d tells of %d without cause", a, m);
            struct change *change = &world->model.expected[at];
            bool *cell = enters ? &change->entered[a][m] : &change->left[a][m];
            if (*cell && (enters || !entering)) {
                *cell = false;
                entering = enters;
                told_area = true;
                break;
            }
            at++;
            entering = false;
        }
    }
    while (aoi_next_event(world->twin, &event))
        told[number_of(event.watcher, ENTITIES)][number_of(event.marker, ENTITIES)][event.op]--;
    static const int8_t none[ENTITIES][ENTITIES][AOI_MOVE + 1];
    if (memcmp(told, none, sizeof told) != 0)
        fail("areas change what is told of views");
    for (int i = 0; i < world->model.changes; i++) {
        for (int a = 0; a < AREAS; a++) {
            for (int m = 0; m < ENTITIES; m++) {
                if ((world->model.expected[i].left[a][m] && (world->listen & AOI_AREA_LEAVE)) ||
                    (world->model.expected[i].entered[a][m] && (world->listen & AOI_AREA_ENTER)))
                    fail("area %d does not tell of %d", a, m);
            }
        }
    }
    world->model.changes = 0;
}

static void expect_list(const aoi_list *list, const bool *expected, int count, const char *what) {
    bool listed[ENTITIES] = {false};
    for (size_t i = 0; i < list->count; i++) {
        const int number = number_of(list->ids[i], count);
        if (listed[number] || !expected[number])
            fail("%s: %d should not be there", what, number);
        listed[number] = true;
    }
    for (int number = 0; number < count; number++) {
        if (expected[number] && !listed[number])
            fail("%s: %d is missing", what, number);
    }
}

static void check_questions(struct world *world) {
    bool is[AREAS][ENTITIES];
    accountant_refuse(&world->accountant, 0, false);
    aoi_list list;
    size_t count = 0;
    for (int a = 0; a < AREAS; a++) {
        count += world->model.shapes[a].exists;
        for (int m = 0; m < ENTITIES; m++) {
            is[a][m] = takes(&world->model, a, m, world->model.members[a][m]);
            if (aoi_in_area(world->space, id_of(a), id_of(m)) != is[a][m])
                fail("aoi_in_area of %d and %d is wrong", a, m);
        }
        const aoi_status status = aoi_members_of(world->space, id_of(a), &list);
        if (status != (world->model.shapes[a].exists ? AOI_OK : AOI_NO_AREA))
            fail("aoi_members_of returns %d", status);
        if (status == AOI_OK)
            expect_list(&list, is[a], ENTITIES, "members");
    }
    for (int m = 0; m < ENTITIES; m++) {
        bool of[ENTITIES] = {false};
        for (int a = 0; a < AREAS; a++)
            of[a] = is[a][m];
        const aoi_status status = aoi_areas_of(world->space, id_of(m), &list);
        if (status != (world->model.things[m].inside ? AOI_OK : AOI_NOT_FOUND))
            fail("aoi_areas_of returns %d", status);
        if (status == AOI_OK)
            expect_list(&list, of, AREAS, "areas of one");
    }
    if (aoi_area_count(world->space) != count || aoi_areas(world->space, &list) != AOI_OK ||
        list.count != count)
        fail("not so many areas");
}

/* ------------------------------------------------------------------ */
/* Values                                                              */
/* ------------------------------------------------------------------ */

/* Beyond all floats. */
static const double far_out = 1e39;

static double draw_number(struct world *world) {
    const unsigned style = draw(world, 64);
    const double number = draw(world, 33) / 2.;
    if (style == 31 || style == 63)
        return style == 31 ? far_out : -far_out;
    switch (style % 16) {
    case 0: return nextafter(number, INFINITY);
    case 1: return nextafter(number, -INFINITY);
    case 2: return draw(world, 2) ? 1e300 : -0x1p70;
    default: return number;
    }
}

static aoi_point draw_point(struct world *world) {
    const double x = draw_number(world), y = fabs(x) == far_out ? x : draw_number(world);
    return (aoi_point){x, y, world->model.with_z ? draw_number(world) : 0};
}

static aoi_point draw_step(struct world *world, aoi_point from) {
    if (draw(world, 4) == 0)
        return draw_point(world);
    const double step = draw(world, 4) == 0 ? 1 : 0.25;
    const aoi_point to = {from.x + step * ((int)draw(world, 3) - 1),
                          from.y + step * ((int)draw(world, 3) - 1), from.z};
    return to;
}

static double draw_radius(struct world *world) {
    static const double radii[] = {0, 0.5, 1, 2, 3, 5, 8, INFINITY, 1e300, 0.25, 4, 2.5};
    return radii[draw(world, sizeof radii / sizeof *radii)];
}

/* Draws the fields of an area, most of the time good ones. polygon, owner: as struct shape has
 * them. */
static aoi_area draw_area(struct world *world, bool whole, int *polygon, int *owner) {
    aoi_area area = {.struct_size = sizeof area};
    const unsigned parts = whole ? 7 : draw(world, 8);
    *owner = -1;
    if (parts & 1) {
        area.given |= AOI_AREA_GIVEN_SHAPE;
        area.shape = (aoi_area_shape)(1 + draw(world, 4));
        area.radius = area.leave_radius = draw_radius(world);
        area.width = draw_radius(world);
        area.height = draw_radius(world);
        *polygon = (int)draw(world, 4);
        area.rings = rings + polygons[*polygon].first;
        area.ring_count = (size_t)polygons[*polygon].count;
        if (draw(world, 2) && area.shape <= AOI_AREA_SQUARE) {
            area.given |= AOI_AREA_GIVEN_LEAVE_RADIUS;
            area.leave_radius = area.radius + draw_radius(world);
        }
    }
    if (parts & 2 && !(area.given && area.shape == AOI_AREA_POLYGON)) {
        const aoi_point at = draw_point(world);
        if (draw(world, 2)) {
            area.given |= AOI_AREA_GIVEN_OWNER;
            *owner = (int)draw(world, ENTITIES);
            area.owner = id_of(*owner);
            area.dx = draw(world, 3) ? 0 : at.x / 8;
            area.dy = draw(world, 3) ? 0 : at.y / 8;
        } else {
            area.given |= AOI_AREA_GIVEN_PLACE;
            area.x = at.x;
            area.y = at.y;
            area.z = at.z;
        }
    }
    area.sees_layers = UINT32_MAX;
    if (parts & 4 && draw(world, 4) == 0) {
        area.given |= AOI_AREA_GIVEN_SEES_LAYERS;
        area.sees_layers = draw(world, 4);
    }
    return area;
}

/* ------------------------------------------------------------------ */
/* Calls                                                               */
/* ------------------------------------------------------------------ */

/* After a call: false when memory was refused, and so nothing done. */
static bool went_well(struct world *world, aoi_status status, aoi_status expected) {
    const bool refused = world->accountant.refused > 0;
    accountant_refuse(&world->accountant, 0, false);
    if (status == AOI_NOMEM && refused)
        return false;
    if (status != expected)
        fail("status %d, expected %d", status, expected);
    return true;
}

static void expect_twin(aoi_status status, aoi_status expected) {
    if (status != expected)
        fail("status %d without areas, expected %d", status, expected);
}

static aoi_traits draw_traits(struct world *world) {
    aoi_traits traits;
    memset(&traits, 0, sizeof traits);
    traits.given =
        (draw(world, 8) ? 0U : AOI_TRAIT_MODE) | (draw(world, 4) ? 0U : AOI_TRAIT_LAYERS);
    traits.mode = 1 + draw(world, 3);
    traits.layers = draw(world, 4);
    return traits;
}

static void call_update(struct world *world) {
    const int m = (int)draw(world, ENTITIES);
    struct thing *thing = &world->model.things[m];
    const aoi_point to = thing->inside ? draw_step(world, thing->at) : draw_point(world);
    const aoi_traits traits = draw_traits(world);
    trace("update %d to %.17g, %.17g, %g mode %u layer %u (given %x)", m, to.x, to.y, to.z,
          traits.mode, traits.layers, traits.given);
    if (!went_well(world, aoi_update(world->space, id_of(m), to, &traits, NULL), AOI_OK))
        return;
    expect_twin(aoi_update(world->twin, id_of(m), to, &traits, NULL), AOI_OK);
    if (!thing->inside)
        *thing = (struct thing){true, to, AOI_WATCHER | AOI_MARKER, 1};
    thing->at = to;
    take_traits(thing, &traits);
    settle_now(&world->model);
}

static void call_move(struct world *world) {
    const int m = (int)draw(world, ENTITIES);
    struct thing *thing = &world->model.things[m];
    const aoi_point to = draw_step(world, thing->at);
    const aoi_status expected = thing->inside ? AOI_OK : AOI_NOT_FOUND;
    trace("move %d to %.17g, %.17g, %g", m, to.x, to.y, to.z);
    if (!went_well(world, aoi_move(world->space, id_of(m), to), expected) || !thing->inside)
        return;
    expect_twin(aoi_move(world->twin, id_of(m), to), AOI_OK);
    thing->at = to;
    settle_now(&world->model);
}

static void call_set_traits(struct world *world) {
    const int m = (int)draw(world, ENTITIES);
    const aoi_traits traits = draw_traits(world);
    const aoi_status expected = world->model.things[m].inside ? AOI_OK : AOI_NOT_FOUND;
    trace("set traits of %d: mode %u layer %u (given %x)", m, traits.mode, traits.layers,
          traits.given);
    if (!went_well(world, aoi_set_traits(world->space, id_of(m), &traits), expected) ||
        expected != AOI_OK)
        return;
    expect_twin(aoi_set_traits(world->twin, id_of(m), &traits), AOI_OK);
    take_traits(&world->model.things[m], &traits);
    settle_now(&world->model);
}

static void call_leave(struct world *world) {
    const int m = (int)draw(world, ENTITIES);
    const aoi_status expected = world->model.things[m].inside ? AOI_OK : AOI_NOT_FOUND;
    trace("leave %d", m);
    if (!went_well(world, aoi_leave(world->space, id_of(m)), expected) || expected != AOI_OK)
        return;
    expect_twin(aoi_leave(world->twin, id_of(m)), AOI_OK);
    leave(&world->model, m);
    settle_now(&world->model);
}

enum batch { MOVE_ALL, UPDATE_ALL, LEAVE_ALL, ENTER_ALL };

static aoi_status make_batch(aoi_space *space, enum batch kind, const aoi_row *rows, size_t count) {
    switch (kind) {
    case MOVE_ALL: return aoi_move_all(space, rows, count, NULL, NULL);
    case UPDATE_ALL: return aoi_update_all(space, rows, count, NULL, NULL, NULL);
    case LEAVE_ALL: return aoi_leave_all(space, rows, count, NULL);
    case ENTER_ALL: break;
    }
    return aoi_enter_all(space, rows, count, NULL, NULL);
}

/* A row may be bad, and then nothing has happened. */
static void call_batch(struct world *world, enum batch kind) {
    aoi_row rows[MOST_ROWS];
    const unsigned count = 1 + draw(world, MOST_ROWS);
    const bool bad = draw(world, 4) == 0;
    const struct areas_model before = world->model;
    aoi_status expected = AOI_OK;
    trace("batch %u of %u, bad %d", kind, count, bad);
    for (unsigned row = 0; row < count; row++) {
        const int m = (int)draw(world, ENTITIES);
        struct thing *thing = &world->model.things[m];
        rows[row] = (aoi_row){id_of(m), draw_step(world, thing->at)};
        if (bad && row + 1 == count)
            rows[row] = (aoi_row){INT64_MAX, {NAN, 0, 0}};
        trace("  %d to %.17g, %.17g, %g", m, rows[row].position.x, rows[row].position.y,
              rows[row].position.z);
        if (bad && row + 1 == count)
            expected = kind == UPDATE_ALL || kind == ENTER_ALL ? AOI_INVALID : AOI_NOT_FOUND;
        else if ((kind == MOVE_ALL || kind == LEAVE_ALL) && !thing->inside)
            expected = AOI_NOT_FOUND;
        else if (kind == ENTER_ALL && thing->inside)
            expected = AOI_EXISTS;
        if (expected != AOI_OK)
            break;
        if (kind == LEAVE_ALL) {
            leave(&world->model, m);
        } else {
            if (!thing->inside)
                *thing = (struct thing){true, rows[row].position, AOI_WATCHER | AOI_MARKER, 1};
            thing->at = rows[row].position;
        }
        settle_now(&world->model);
    }
    aoi_space *spaces[] = {world->space, world->twin};
    for (int i = 0; i < 2; i++) {
        const aoi_status status = make_batch(spaces[i], kind, rows, count);
        if (i == 0 && !went_well(world, status, expected))
            expected = AOI_NOMEM;
        if (expected == AOI_NOMEM)
            break;
        expect_twin(status, expected);
    }
    if (expected == AOI_OK)
        return;
    world->model = before;
}

static void call_area(struct world *world) {
    const int a = (int)draw(world, AREAS);
    struct shape *shape = &world->model.shapes[a];
    const unsigned kind = draw(world, 8);
    aoi_complaint complaint = {""};
    int polygon = 0, owner = -1;
    if (kind == 0) {
        const aoi_status expected = shape->exists ? AOI_OK : AOI_NO_AREA;
        trace("remove area %d", a);
        if (!went_well(world, aoi_remove_area(world->space, id_of(a)), expected))
            return;
        shape->exists = false;
    } else if (kind < 3) {
        const aoi_point to = draw_step(world, (aoi_point){shape->area.x, shape->area.y, 0});
        const bool is_placed = shape->owner < 0 && shape->area.shape != AOI_AREA_POLYGON;
        const aoi_status expected = !shape->exists ? AOI_NO_AREA
                                    : is_placed    ? AOI_OK
                                                   : AOI_NO_PLACE;
        trace("move area %d to %.17g, %.17g", a, to.x, to.y);
        if (!went_well(world, aoi_move_area(world->space, id_of(a), to), expected) ||
            expected != AOI_OK)
            return;
        shape->area.x = to.x;
        shape->area.y = to.y;
        shape->area.z = to.z;
    } else {
        const bool adds = !shape->exists || kind == 3;
        const aoi_area area = draw_area(world, adds, &polygon, &owner);
        trace("%s area %d: given %x shape %d radius %g leave %g width %g height %g polygon %d at "
              "%.17g, %.17g, %g owner %d + %g, %g sees %u",
              adds ? "add" : "set", a, area.given, area.shape, area.radius, area.leave_radius,
              area.width, area.height, polygon, area.x, area.y, area.z, owner, area.dx, area.dy,
              area.sees_layers);
        const bool has_shape = area.given & AOI_AREA_GIVEN_SHAPE;
        const bool will_be_polygon =
            has_shape ? area.shape == AOI_AREA_POLYGON : shape->area.shape == AOI_AREA_POLYGON;
        const bool is_placed = area.given & (AOI_AREA_GIVEN_PLACE | AOI_AREA_GIVEN_OWNER);
        aoi_status expected = AOI_OK;
        if (adds && shape->exists)
            expected = AOI_EXISTS;
        else if ((will_be_polygon && is_placed) ||
                 (!adds && !will_be_polygon && !is_placed && shape->area.shape == AOI_AREA_POLYGON))
            expected = AOI_INVALID;
        else if (owner >= 0 && !world->model.things[owner].inside)
            expected = AOI_NO_OWNER;
        const aoi_status status = adds ? aoi_add_area(world->space, id_of(a), &area, &complaint)
                                       : aoi_set_area(world->space, id_of(a), &area, &complaint);
        if (!went_well(world, status, expected) || status != AOI_OK)
            return;
        if (adds)
            *shape = (struct shape){.area = {.sees_layers = UINT32_MAX}, .owner = -1};
        change_shape(shape, &area, polygon, owner);
        shape->exists = true;
    }
    settle_now(&world->model);
}

static void call_tick(struct world *world) {
    trace("tick");
    if (!world->model.deferred || !went_well(world, aoi_tick(world->space), AOI_OK))
        return;
    expect_twin(aoi_tick(world->twin), AOI_OK);
    settle(&world->model);
}

static void call_clear(struct world *world) {
    trace("clear");
    if (!went_well(world, aoi_clear(world->space), AOI_OK))
        return;
    aoi_clear(world->twin);
    for (int m = 0; m < ENTITIES; m++)
        leave(&world->model, m);
    memset(world->model.shapes, 0, sizeof world->model.shapes);
    memset(world->model.members, 0, sizeof world->model.members);
    for (int a = 0; a < AREAS; a++)
        world->model.shapes[a].owner = -1;
}

/* In a deferred space other kinds from the next tick on. */
static void call_listen(struct world *world) {
    world->listen = draw(world, 2) ? 31 : 7 | draw(world, 4) << 3;
    trace("listen %x", world->listen);
    aoi_listen(world->space, world->listen, AOI_TELL_EVENT);
}

/* ------------------------------------------------------------------ */
/* Saves and records                                                   */
/* ------------------------------------------------------------------ */

/* The space as loaded from a string; NULL when memory was refused. */
static aoi_space *load(struct world *world, const struct text *save) {
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    const aoi_status status = aoi_load(save->bytes, save->size, accountant_allocate,
                                       &world->accountant, &space, NULL, &complaint);
    if (status == AOI_INVALID)
        fail("a saved space is refused: %s", complaint.text);
    return went_well(world, status, AOI_OK) ? space : NULL;
}

static void keep_record(struct world *world) {
    if (world->records)
        world->record = join_texts(world->record, take_record(world->space));
}

/* From here on another space takes the place of this one, and the model must not notice. */
static void replace_space(struct world *world, aoi_space *space) {
    keep_record(world);
    aoi_destroy(world->space);
    world->space = space;
    aoi_listen(space, world->listen, AOI_TELL_EVENT);
    aoi_record(space, world->records);
}

static void call_area(struct world *world);

static void call_save(struct world *world) {
    trace("save");
    const unsigned damage = draw(world, 4) == 0 ? 1 + draw(world, 255) : 0;
    call_area(world); /* so that events wait */
    struct text save = save_text(world->space, 0);
    if (damage != 0 && save.size > SAVE_HEAD + SAVE_SUM) {
        aoi_space *none = NULL;
        save.bytes[damage % save.size] ^= 1;
        if (aoi_load(save.bytes, save.size, NULL, NULL, &none, NULL, NULL) != AOI_INVALID)
            fail("a damaged string is loaded");
        save.bytes[damage % save.size] ^= 1;
    }
    aoi_space *space = load(world, &save);
    if (space != NULL) {
        if (!is_saved_as(space, &save))
            fail("a loaded space is saved as another string");
        replace_space(world, space);
    }
    free_text(&save);
}

static void call_record(struct world *world) {
    trace("record, or replay");
    accountant_refuse(&world->accountant, 0, false);
    if (!world->records) {
        free_text(&world->save);
        free_text(&world->record);
        world->save = save_text(world->space, 0);
        world->record = new_text(0);
        world->records = true;
        aoi_record(world->space, true);
        return;
    }
    keep_record(world);
    aoi_record(world->space, world->records = false);
    aoi_space *space = load(world, &world->save);
    aoi_complaint complaint = {""};
    if (space == NULL || aoi_replay(space, world->record.bytes, world->record.size, NULL, NULL,
                                    &complaint) != AOI_OK)
        fail("a record is refused: %s", complaint.text);
    replace_space(world, space);
}

static void call_seldom(struct world *world, unsigned which) {
    if (which == 0)
        call_clear(world);
    else if (which == 1 || which == 4 || which > 5) /* the others are nothing in regressions */
        call_batch(world, ENTER_ALL);
}

static void call_one(struct world *world) {
    switch (draw(world, 24)) {
    case 0:
    case 1:
    case 2:
    case 3: call_update(world); break;
    case 4: call_set_traits(world); break;
    case 5: call_leave(world); break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11: call_area(world); break;
    case 12: call_batch(world, (enum batch)draw(world, 3)); break;
    case 13: check_questions(world); break;
    case 14: accountant_refuse(&world->accountant, 1 + draw(world, 12), draw(world, 2)); return;
    case 15: call_tick(world); break;
    case 16: call_seldom(world, draw(world, 8)); break;
    case 17: call_listen(world); break;
    case 18: call_save(world); break;
    case 19: call_record(world); break;
    default: call_move(world); break;
    }
    check_events(world);
}

static aoi_options draw_options(struct world *world) {
    aoi_options options = aoi_options_default((aoi_engine)(1 + draw(world, 3)));
    const unsigned bits = next_byte(&world->input);
    options.given = AOI_GIVEN_RADIUS | AOI_GIVEN_SHAPE | AOI_GIVEN_DIMS | AOI_GIVEN_DEFERRED;
    options.radius = 3;
    options.shape = bits & 1 ? AOI_SQUARE : AOI_CIRCLE;
    options.dims = bits & 2 ? 3 : 2;
    options.deferred = bits & 4;
    if (options.engine != AOI_CROSSLIST && !(options.engine == AOI_GRID && (bits & 48) == 32)) {
        options.given |= AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_CLAMP;
        options.width = options.height = 16;
        options.clamp = true;
    }
    if (bits & 8) {
        options.given |= AOI_GIVEN_SLACK;
        options.slack = 0.75;
    }
    if (options.engine == AOI_GRID && (bits & 48) == 48) { /* the classic nine-grid */
        options.given = AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_CLAMP | AOI_GIVEN_COLS |
                        AOI_GIVEN_ROWS | AOI_GIVEN_DEFERRED;
        options.cols = options.rows = 4;
        options.dims = 2;
    }
    if (options.deferred && (bits & 192) == 192) {
        options.given |= AOI_GIVEN_LIMIT;
        options.limit = 3;
    }
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static struct world world;
    memset(&world, 0, sizeof world);
    world.input = (struct input){bytes, size};
    world.listen = 31;
    for (int a = 0; a < AREAS; a++)
        world.model.shapes[a].owner = -1;
    aoi_options options = draw_options(&world);
    world.model.deferred = options.deferred;
    world.model.with_z = options.dims == 3;
    trace("engine %d given %x shape %d dims %d deferred %d slack %g", options.engine, options.given,
          options.shape, options.dims, options.deferred, options.slack);
    if (aoi_create(&options, &world.twin, NULL) != AOI_OK)
        fail("no second space");
    options.allocator = accountant_allocate;
    options.allocator_userdata = &world.accountant;
    if (aoi_create(&options, &world.space, NULL) != AOI_OK)
        fail("no space");
    while (world.input.left > 0)
        call_one(&world);
    accountant_refuse(&world.accountant, 0, false);
    call_tick(&world);
    check_events(&world);
    check_questions(&world);
    free_text(&world.save);
    free_text(&world.record);
    aoi_destroy(world.space);
    aoi_destroy(world.twin);
    if (world.accountant.bytes != 0 || world.accountant.wrong_sizes != 0)
        fail("%zu bytes are left, %d old sizes are wrong", world.accountant.bytes,
             world.accountant.wrong_sizes);
    return 0;
}
