/*
 * fuzz_hand.c - a fuzz target: entities that go from one space to another.
 *
 * The first byte says which of two things the rest is:
 *
 *   a string    what stands behind the head of a string for aoi_hand_in; a checksum is made to fit,
 *               most of the time. Or one that aoi_handed gives, with a few bytes changed. A space
 *               takes it or refuses it, and then changes nothing; a taken one is used, also saved
 *               and loaded, and made again from its record.
 *   a history   of calls in a world: one space that holds all, and two that share it, west and
 *               east, with ghosts, areas with and without owner, and hand-overs, also to and fro.
 *               After each tick these two tell what the one tells.
 *
 * With FUZZ_TRACE in the environment it prints the calls.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "aoi.h"
#include "base/checksum.h"
#include "expectations.h"
#include "hand_over/luggage.h"
#include "input.h"
#include "texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    ALL_OPS = AOI_ENTER | AOI_LEAVE | AOI_MOVE | AOI_AREA_ENTER | AOI_AREA_LEAVE,
    IDS = 8,
    FIXED = 4, /* areas 1 .. FIXED have no owner */
    AREAS = 4  /* areas FIXED + 1 .. FIXED + AREAS have one */
};

static aoi_space *new_space(unsigned kind, struct accountant *accountant) {
    aoi_options options = aoi_options_default((aoi_engine)(1 + kind % 3));
    options.given = AOI_GIVEN_RADIUS | AOI_GIVEN_DEFERRED | AOI_GIVEN_SHAPE | AOI_GIVEN_DIMS;
    options.radius = 4;
    options.deferred = true;
    options.dims = kind & 4 ? 3 : 2;
    options.shape = kind & 8 ? AOI_CIRCLE : AOI_SQUARE;
    options.allocator = accountant_allocate;
    options.allocator_userdata = accountant;
    if (options.engine != AOI_CROSSLIST && (options.engine != AOI_GRID || kind & 128)) {
        options.given |= AOI_GIVEN_X | AOI_GIVEN_Y | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
        options.x = options.y = -20;
        options.width = options.height = 40;
    }
    if (kind & 16) {
        options.given |= AOI_GIVEN_SLACK;
        options.slack = 1;
    }
    if (kind & 32) {
        options.given |= AOI_GIVEN_LIMIT | AOI_GIVEN_MOVE_BUDGET;
        options.limit = kind & 64 ? 2 : AOI_UNLIMITED;
        options.move_budget = 3;
    }
    aoi_space *space = NULL;
    if (aoi_create(&options, &space, NULL) != AOI_OK)
        fail("no space");
    aoi_listen(space, ALL_OPS, AOI_TELL_EVENT);
    return space;
}

static void must(aoi_status status, const char *what) {
    if (status != AOI_OK)
        fail("%s: status %d", what, status);
}

static struct text handed(aoi_space *space, aoi_id id) {
    size_t size = 0, length = 0;
    must(aoi_handed(space, id, NULL, 0, &size), "aoi_handed");
    struct text text = new_text(size);
    must(aoi_handed(space, id, text.bytes, size, &length), "aoi_handed");
    expect(length == size, "aoi_handed says two sizes");
    return text;
}

/* Half a byte: a coordinate, often the same as another one. */
static double draw_place(struct input *input) {
    return (double)choose(input, 25) - 12;
}

static aoi_point draw_point(struct input *input, bool with_z) {
    aoi_point point = {draw_place(input), draw_place(input) / 4, 0};
    if (with_z)
        point.z = choose(input, 3);
    return point;
}

/* Of a fixed area, or of one on this owner, which then reaches so far that ghosts are seen. */
static aoi_area draw_area(struct input *input, bool with_z, const aoi_id *owner) {
    const unsigned bits = next_byte(input);
    aoi_area area = {.struct_size = sizeof area, .given = AOI_AREA_GIVEN_SHAPE};
    area.shape = bits & 1 ? AOI_AREA_CIRCLE : bits & 2 ? AOI_AREA_SQUARE : AOI_AREA_RECT;
    area.radius = (bits >> 2) % 4;
    area.leave_radius = area.radius + (bits >> 6);
    area.width = area.height = (bits >> 2) % 8;
    if (area.shape != AOI_AREA_RECT && (bits & 128))
        area.given |= AOI_AREA_GIVEN_LEAVE_RADIUS;
    if (owner != NULL) {
        area.given |= AOI_AREA_GIVEN_OWNER;
        area.owner = *owner;
        area.dx = (double)choose(input, 3) - 1;
        return area;
    }
    const aoi_point at = draw_point(input, with_z);
    area.given |= AOI_AREA_GIVEN_PLACE;
    area.x = at.x;
    area.y = at.y;
    area.z = at.z;
    return area;
}

static void set_visible(aoi_space *space, aoi_id id, double radius) {
    const aoi_traits traits = {.given = AOI_TRAIT_VISIBLE_RADIUS, .visible_radius = radius};
    must(aoi_set_traits(space, id, &traits), "visible radius");
}

/* ------------------------------------------------------------------ */
/* Strings                                                             */
/* ------------------------------------------------------------------ */

/* Fills the space before the string comes: ghosts, words about pairs, some of which end with a
 * hand-over, and areas that a string may name. */
static void fill(aoi_space *space, struct input *input) {
    const bool with_z = aoi_dims(space) == 3;
    const aoi_traits ghost = {.given = AOI_TRAIT_MODE, .mode = AOI_MARKER};
    for (aoi_id id = 0; id < IDS; id++)
        must(aoi_enter(space, id, (aoi_point){(double)id, 0, with_z ? 1 : 0},
                       id % 2 ? &ghost : NULL),
             "enter");
    set_visible(space, 3, 8);
    set_visible(space, 4, INFINITY);
    must(aoi_set_sight(space, 0, 7, AOI_SIGHT_ALWAYS), "set_sight");
    must(aoi_set_sight(space, 2, 3, AOI_SIGHT_NEVER), "set_sight");
    for (aoi_id id = 1; id <= FIXED; id++) {
        const aoi_id owner = id;
        const aoi_area area = draw_area(input, with_z, id % 2 ? NULL : &owner);
        must(aoi_add_area(space, id, &area, NULL), "add_area");
    }
    must(aoi_tick(space), "tick");
    while (sum_events(space) != 0)
        continue;
}

static void use(aoi_space *space, bool with_z) {
    aoi_list list;
    for (aoi_id id = -2; id < IDS + 2; id++) {
        if (!aoi_has(space, id))
            continue;
        expect(aoi_told_markers_of(space, id, &list) == AOI_OK &&
                   aoi_told_watchers_of(space, id, &list) == AOI_OK &&
                   aoi_areas_of(space, id, &list) == AOI_OK,
               "a question is not answered");
        if (id % 3 == 0)
            aoi_move(space, id, (aoi_point){3 - (double)id, 1, with_z ? 1 : 0});
        must(aoi_set_sight(space, id, IDS + 1 - id, AOI_SIGHT_ALWAYS - (aoi_sight)(id & 1)),
             "set_sight");
        if (id % 5 == 1)
            aoi_leave(space, id);
    }
    if (aoi_has_area(space, 1))
        must(aoi_remove_area(space, 1), "remove_area");
    must(aoi_tick(space), "tick");
}

static aoi_space *load(const struct text *saved, struct accountant *accountant) {
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    if (aoi_load(saved->bytes, saved->size, accountant_allocate, accountant, &space, NULL,
                 &complaint) != AOI_OK)
        fail("%s", complaint.text);
    aoi_listen(space, ALL_OPS, AOI_TELL_EVENT);
    return space;
}

/* The space has taken something in, which the record says: a loaded one, and one made again from
 * the record, go on like it. */
static void use_alike(aoi_space *space, const struct text *before, struct accountant *accountant) {
    struct text saved = save_text(space, 0), record = take_record(space);
    aoi_space *twin = load(&saved, accountant), *again = load(before, accountant);
    aoi_complaint complaint = {""};
    const bool with_z = aoi_dims(space) == 3;
    if (aoi_replay(again, record.bytes, record.size, NULL, NULL, &complaint) != AOI_OK)
        fail("%s", complaint.text);
    expect(is_saved_as(twin, &saved), "save, load, save: two strings");
    for (int round = 0; round < 2; round++) {
        use(space, with_z);
        use(twin, with_z);
        use(again, with_z);
        const uint64_t told = sum_events(space);
        expect(told == sum_events(twin), "a loaded space tells something else");
        expect(told == sum_events(again), "a replayed space tells something else");
    }
    expect(are_alike(space, twin), "a loaded space goes on in another way");
    aoi_destroy(twin);
    aoi_destroy(again);
    free_text(&saved);
    free_text(&record);
}

/* Draws the string to be handed in. how: bits. */
static struct text draw_string(struct input *input, aoi_space *space, unsigned how) {
    struct text text;
    if (how & 2) {
        text = handed(space, choose(input, IDS));
        for (unsigned changes = choose(input, 4); changes > 0 && text.size > LUGGAGE_HEAD;
             changes--) {
            const size_t at = choose(input, 256) * 256 + choose(input, 256);
            text.bytes[LUGGAGE_HEAD + at % (text.size - LUGGAGE_HEAD)] ^= (uint8_t)next_byte(input);
        }
    } else {
        text = new_text(LUGGAGE_HEAD + input->left);
        memcpy(text.bytes, (const uint8_t[]){'A', 'O', 'H', LUGGAGE_VERSION}, LUGGAGE_SUM_AT);
        if (input->left > 0)
            memcpy(text.bytes + LUGGAGE_HEAD, input->bytes, input->left);
    }
    if (how & 12)
        write_word(text.bytes + 4,
                   checksum_words(text.bytes + LUGGAGE_HEAD, text.size - LUGGAGE_HEAD));
    return text;
}

static void take_string(struct input *input, unsigned how, struct accountant *accountant) {
    const unsigned kind = next_byte(input);
    aoi_space *space = new_space(kind, accountant), *other = new_space(kind, accountant);
    struct input same = *input;
    fill(space, input);
    fill(other, &same);
    for (aoi_id id = 1; id <= FIXED; id++) /* so that those of a string are new here */
        if ((how & 16) && id % 2 == 0)
            must(aoi_remove_area(space, id), "remove_area");
    struct text text = draw_string(input, other, how), before = save_text(space, 0);
    aoi_complaint complaint = {""};
    aoi_record(space, true);
    const aoi_status status = aoi_hand_in(space, text.bytes, text.size, &complaint);
    trace("hand_in of %zu bytes: status %d %s", text.size, status, complaint.text);
    expect(status == AOI_OK ||
               ((status == AOI_INVALID || status == AOI_EXISTS) && complaint.text[0] != 0),
           "a status that can't be");
    if (status == AOI_OK)
        use_alike(space, &before, accountant);
    else
        expect(is_saved_as(space, &before), "what was refused has changed something");
    free_text(&text);
    free_text(&before);
    aoi_destroy(space);
    aoi_destroy(other);
}

/* ------------------------------------------------------------------ */
/* Histories                                                           */
/* ------------------------------------------------------------------ */

struct world {
    struct input *input;
    struct accountant *accountant;
    aoi_space *one, *parts[2]; /* west of 0, and the rest */
    bool with_z, with_slack;
    bool inside[IDS];
    unsigned home[IDS]; /* which part owns it; of one who has left, until the tick */
    uint32_t mode[IDS], layers[IDS];
    double visible[IDS]; /* radius; less than ghosts reach */
    aoi_id owner[AREAS]; /* of its areas, or -1 */
    int ended[AREAS];    /* in which part one has ended since the last tick, or -1 */
    uint64_t told;       /* by the parts, at this tick */
};

static aoi_space *home_of(const struct world *world, aoi_id id) {
    return world->parts[world->home[id]];
}

static void enter(struct world *world, aoi_id id) {
    const aoi_point at = draw_point(world->input, world->with_z);
    const unsigned bits = next_byte(world->input);
    const aoi_traits traits = {.given =
                                   AOI_TRAIT_MODE | AOI_TRAIT_LAYERS | AOI_TRAIT_VISIBLE_RADIUS,
                               .mode = bits % 4 < 3 ? 1 + bits % 4 : (AOI_WATCHER | AOI_MARKER),
                               .layers = 1 + bits / 4 % 3,
                               .visible_radius = bits / 16 % 4 * 3};
    world->visible[id] = traits.visible_radius;
    world->mode[id] = traits.mode;
    world->layers[id] = traits.layers;
    must(aoi_enter(world->one, id, at, &traits), "enter");
    must(aoi_enter(home_of(world, id), id, at, &traits), "enter");
    world->inside[id] = true;
    trace("enter %d at %g %g mode %u", (int)id, at.x, at.y, traits.mode);
}

static void leave(struct world *world, aoi_id id) {
    must(aoi_leave(world->one, id), "leave");
    must(aoi_leave(home_of(world, id), id), "leave");
    world->inside[id] = false;
    for (int area = 0; area < AREAS; area++) {
        if (world->owner[area] == id) {
            world->owner[area] = -1;
            world->ended[area] = (int)world->home[id];
        }
    }
    trace("leave %d", (int)id);
}

static void change_entity(struct world *world, aoi_id id) {
    const unsigned what = choose(world->input, 8);
    if (!world->inside[id]) {
        enter(world, id);
    } else if (what == 0) {
        leave(world, id);
    } else if (what == 1) {
        const aoi_traits traits = {.given = AOI_TRAIT_MODE,
                                   .mode = world->mode[id] = 1 + choose(world->input, 3)};
        must(aoi_set_traits(world->one, id, &traits), "mode");
        must(aoi_set_traits(home_of(world, id), id, &traits), "mode");
        trace("mode of %d: %u", (int)id, traits.mode);
    } else if (what == 2) {
        world->visible[id] = choose(world->input, 4) * 3;
        set_visible(world->one, id, world->visible[id]);
        set_visible(home_of(world, id), id, world->visible[id]);
        trace("visible radius of %d: %g", (int)id, world->visible[id]);
    } else {
        const aoi_point at = draw_point(world->input, world->with_z);
        must(aoi_move(world->one, id, at), "move");
        must(aoi_move(home_of(world, id), id, at), "move");
        trace("move %d to %g %g", (int)id, at.x, at.y);
    }
}

/* Fixed areas stand in both parts: that one does not reach a part says nothing else. */
static void change_fixed(struct world *world, aoi_id id) {
    const bool is_there = aoi_has_area(world->one, id),
               ends = is_there && choose(world->input, 4) == 0;
    const aoi_area area = draw_area(world->input, world->with_z, NULL);
    aoi_space *spaces[] = {world->one, world->parts[0], world->parts[1]};
    for (int i = 0; i < 3; i++)
        must(ends       ? aoi_remove_area(spaces[i], id)
             : is_there ? aoi_set_area(spaces[i], id, &area, NULL)
                        : aoi_add_area(spaces[i], id, &area, NULL),
             "a fixed area");
    trace("area %d: there %d, ends %d: shape %d at %g %g radius %g %g", (int)id, is_there, ends,
          area.shape, area.x, area.y, area.radius, area.leave_radius);
}

static void change_owned(struct world *world, int number) {
    const aoi_id id = FIXED + 1 + number, owner = choose(world->input, IDS);
    const aoi_area area = draw_area(world->input, world->with_z, &owner);
    const bool is_there = world->owner[number] >= 0;
    const int part = is_there ? (int)world->home[world->owner[number]] : world->ended[number];
    if (is_there && area.radius == 0) {
        must(aoi_remove_area(world->one, id), "remove_area");
        must(aoi_remove_area(world->parts[part], id), "remove_area");
        world->owner[number] = -1;
        world->ended[number] = part;
        trace("area %d ends", (int)id);
        return;
    }
    if (!world->inside[owner] || (part >= 0 && part != (int)world->home[owner]))
        return; /* not within one tick */
    aoi_space *spaces[] = {world->one, home_of(world, owner)};
    for (int i = 0; i < 2; i++)
        must(is_there ? aoi_set_area(spaces[i], id, &area, NULL)
                      : aoi_add_area(spaces[i], id, &area, NULL),
             "an area with an owner");
    world->owner[number] = owner;
    trace("area %d of %d: shape %d radius %g %g", (int)id, (int)owner, area.shape, area.radius,
          area.leave_radius);
}

/* Ghosts, as far as the views and areas of the other part reach; or everywhere. */
static void show(struct world *world, aoi_id id) {
    enum { STRIP = 12 };
    aoi_space *there = world->parts[1 - world->home[id]];
    aoi_point at = {0, 0, 0}, anchor = {0, 0, 0};
    if (world->inside[id])
        must(aoi_position(home_of(world, id), id, &at), "position");
    const bool is_near = world->home[id] == 0 ? at.x > -STRIP : at.x < STRIP;
    if (!world->inside[id] || world->mode[id] == AOI_WATCHER || !is_near) {
        if (aoi_has(there, id))
            must(aoi_leave(there, id), "leave");
        return;
    }
    const aoi_traits traits = {.given =
                                   AOI_TRAIT_MODE | AOI_TRAIT_LAYERS | AOI_TRAIT_VISIBLE_RADIUS,
                               .mode = AOI_MARKER,
                               .layers = world->layers[id],
                               .visible_radius = world->visible[id]};
    must(aoi_anchor(home_of(world, id), id, &anchor), "anchor");
    must(aoi_update_anchored(there, id, at, anchor, &traits, NULL), "a ghost");
}

static void hand_over(struct world *world, aoi_id id) {
    struct text text = handed(home_of(world, id), id);
    aoi_complaint complaint = {""};
    must(aoi_hand_out(home_of(world, id), id), "hand_out");
    world->home[id] = 1 - world->home[id];
    if (aoi_hand_in(home_of(world, id), text.bytes, text.size, &complaint) != AOI_OK)
        fail("%s", complaint.text);
    free_text(&text);
    trace("hand over %d", (int)id);
}

/* A part is what its save says, now and then. */
static void renew(struct world *world, unsigned part) {
    struct text saved = save_text(world->parts[part], 0);
    aoi_destroy(world->parts[part]);
    world->parts[part] = load(&saved, world->accountant);
    expect(is_saved_as(world->parts[part], &saved), "save, load, save: two strings");
    free_text(&saved);
    trace("save and load %u", part);
}

/* Hears the events of a part, but for fixed areas and ghosts. */
static void hear(struct world *world, unsigned part) {
    aoi_event event;
    while (aoi_next_event(world->parts[part], &event)) {
        const bool of_area = event.op == AOI_AREA_ENTER || event.op == AOI_AREA_LEAVE;
        const bool is_dropped =
            of_area && event.watcher <= FIXED && world->home[event.marker] != part;
        trace("part %u: %d %d %d%s", part, (int)event.watcher, event.op, (int)event.marker,
              is_dropped ? " dropped" : "");
        if (is_dropped)
            continue;
        const uint64_t pair =
            ((uint64_t)event.watcher * 31 + (uint64_t)event.marker) * 8 + event.op;
        world->told += (pair + 1) * UINT64_C(0x9E3779B97F4A7C15);
    }
}

static void tick(struct world *world) {
    const unsigned bits = next_byte(world->input);
    for (aoi_id id = 0; id < IDS; id++)
        show(world, id);
    for (aoi_id id = 0; id < IDS; id++) {
        aoi_point at;
        if (!world->inside[id])
            continue;
        must(aoi_position(world->one, id, &at), "position");
        const bool is_over = (at.x < 0) == (world->home[id] == 1);
        for (unsigned ways = is_over + 2 * (bits >> id & 1); ways > 0; ways--)
            hand_over(world, id);
        if (is_over && (bits & 64))
            renew(world, bits >> 7);
    }
    world->told = 0;
    for (unsigned part = 0; part < 2; part++) {
        must(aoi_tick(world->parts[part]), "tick");
        hear(world, part);
    }
    must(aoi_tick(world->one), "tick");
    trace("tick");
    expect(sum_events(world->one) == world->told, "two spaces tell something else than one");
    for (int area = 0; area < AREAS; area++)
        world->ended[area] = -1;
    for (aoi_id id = 0; id < IDS; id++) {
        if (!world->inside[id]) /* a new one belongs where it likes */
            world->home[id] = bits >> (id % 7) & 1;
    }
}

static void live(struct input *input, struct accountant *accountant) {
    const unsigned kind = next_byte(input) & ~64U; /* a limit has a history of its own in ghosts */
    struct world world = {.input = input, .accountant = accountant};
    world.one = new_space(kind, accountant);
    world.parts[0] = new_space(kind, accountant);
    world.parts[1] = new_space(kind, accountant);
    world.with_z = aoi_dims(world.one) == 3;
    for (int area = 0; area < AREAS; area++) {
        world.owner[area] = -1;
        world.ended[area] = -1;
    }
    while (input->left > 0) {
        const unsigned call = next_byte(input);
        if (call % 8 == 0)
            tick(&world);
        else if (call % 8 == 1)
            change_fixed(&world, 1 + call / 8 % FIXED);
        else if (call % 8 == 2)
            change_owned(&world, (int)(call / 8 % AREAS));
        else
            change_entity(&world, call / 8 % IDS);
    }
    tick(&world);
    tick(&world);
    aoi_destroy(world.one);
    aoi_destroy(world.parts[0]);
    aoi_destroy(world.parts[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct input input = {bytes, size};
    struct accountant accountant;
    memset(&accountant, 0, sizeof accountant);
    const unsigned how = next_byte(&input);
    if (how & 1)
        take_string(&input, how, &accountant);
    else
        live(&input, &accountant);
    expect(accountant.bytes == 0 && accountant.wrong_sizes == 0,
           "bytes are left, or old sizes are wrong");
    return 0;
}
