/*
 * refuse_core.c - lets every allocation of the core fail once, and looks whether anything of the
 * failed call is left.
 *
 * A history of calls goes to two spaces. To the first, each call is made with its first allocation
 * refused, then with its second, and so on until it passes; and the same with all later allocations
 * refused, too. A call that fails must return AOI_NOMEM and leave the space as the second one is,
 * which has not seen the call. In the end no byte is left.
 *
 * Half of the time both record. Then the records are the same, and a third space, made from a save
 * and the record since then, is as they are, whichever allocation of its replay is refused.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "aoi.h"
#include "refuse_steps.h"

enum { STEPS = 260, MOST_EVENTS = 1 << 16 };

static unsigned long refused;

/* ------------------------------------------------------------------ */
/* Two spaces compared                                                 */
/* ------------------------------------------------------------------ */

static int compare_events(const void *left, const void *right) {
    const aoi_event *a = left, *b = right;
    if (a->watcher != b->watcher)
        return a->watcher < b->watcher ? -1 : 1;
    if (a->marker != b->marker)
        return a->marker < b->marker ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

static void expect_same_events(aoi_event *a, size_t a_count, aoi_event *b, size_t b_count,
                               const char *what) {
    qsort(a, a_count, sizeof *a, compare_events);
    qsort(b, b_count, sizeof *b, compare_events);
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++)
        same = compare_events(&a[i], &b[i]) == 0;
    if (!same)
        fail(what);
}

static aoi_event some_events[MOST_EVENTS], other_events[MOST_EVENTS];

static size_t read_collected(const aoi_space *space, aoi_event *events) {
    aoi_cursor cursor = {0, 0};
    size_t count = 0;
    while (count < MOST_EVENTS && aoi_collected_event(space, &cursor, &events[count]))
        count++;
    return count;
}

static size_t take_events(aoi_space *space, aoi_event *events) {
    size_t count = 0;
    while (count < MOST_EVENTS && aoi_next_event(space, &events[count]))
        count++;
    return count;
}

static void expect_same_areas(const aoi_space *a, const aoi_space *b) {
    if (aoi_area_count(a) != aoi_area_count(b))
        fail("the number of areas differs");
    if (aoi_area_count(a) == 0)
        return;
    for (aoi_id area = 0; area < AREAS; area++) {
        aoi_area these = {.struct_size = sizeof these}, those = these;
        if (aoi_area_of(a, area, &these) != aoi_area_of(b, area, &those) ||
            these.given != those.given || these.shape != those.shape ||
            these.radius != those.radius || these.leave_radius != those.leave_radius ||
            these.width != those.width || these.height != those.height ||
            these.ring_count != those.ring_count || these.owner != those.owner ||
            these.x != those.x || these.y != those.y || these.z != those.z ||
            these.dx != those.dx || these.sees_layers != those.sees_layers)
            fail("an area differs");
        for (aoi_id id = 1; id <= IDS; id++) {
            if (aoi_in_area(a, area, id) != aoi_in_area(b, area, id))
                fail("who is in an area differs");
        }
    }
}

/* But for what waits. Asks only what needs no memory: asking must not make room for what is tried
 * next. */
static void expect_same_scene(const aoi_space *a, const aoi_space *b) {
    aoi_stats these, those;
    aoi_get_stats(a, &these);
    aoi_get_stats(b, &those);
    if (these.entities != those.entities || these.changed != those.changed)
        fail("the number of entities or of changed ones differs");
    if (these.moment.calls != those.moment.calls || these.moment.ticks != those.moment.ticks)
        fail("the number of calls or ticks differs");
    for (aoi_id id = 1; id <= IDS; id++) {
        aoi_point here = {0, 0, 0}, there = {0, 0, 0};
        double radius = -1, other_radius = -1;
        if (aoi_position(a, id, &here) != aoi_position(b, id, &there) ||
            aoi_radius(a, id, &radius) != aoi_radius(b, id, &other_radius) || here.x != there.x ||
            here.y != there.y || here.z != there.z || radius != other_radius)
            fail("an entity differs");
        for (aoi_id other = 1; other <= IDS; other++) {
            if (aoi_sees(a, id, other) != aoi_sees(b, id, other))
                fail("who sees whom differs");
        }
    }
    expect_same_areas(a, b);
    aoi_map map = aoi_map_of(a), other_map = aoi_map_of(b);
    if (map.x != other_map.x || map.width != other_map.width || map.height != other_map.height)
        fail("the map differs");
    expect_same_events(some_events, read_collected(a, some_events), other_events,
                       read_collected(b, other_events), "gathered events differ");
}

static void expect_same_state(const aoi_space *a, const aoi_space *b) {
    expect_same_scene(a, b);
    if (aoi_pending(a) != aoi_pending(b))
        fail("the number of waiting events differs");
}

/* The space says that it holds as much as the allocator gave. */
static void expect_counted(const aoi_space *space, const struct accountant *accountant) {
    aoi_stats stats;
    aoi_get_stats(space, &stats);
    const aoi_held *held = &stats.held;
    if (stats.bytes != accountant->bytes ||
        stats.bytes != held->entities + held->index + held->changes + held->events + held->crowd +
                           held->areas + held->sights + held->tick + held->record + held->scratch)
        fail("the bytes that are held differ from those that were given");
}

/* As many members as aoi_in_area says, for every area and every entity. */
static void expect_whole_areas(aoi_space *space) {
    size_t areas_of[IDS + 1] = {0};
    aoi_list list;
    for (aoi_id area = 0; area < AREAS; area++) {
        size_t members = 0;
        for (aoi_id id = 1; id <= IDS; id++) {
            const bool is_in = aoi_in_area(space, area, id);
            members += is_in;
            areas_of[id] += is_in;
        }
        if (aoi_has_area(space, area) &&
            (aoi_members_of(space, area, &list) != AOI_OK || list.count != members))
            fail("the members are not those that aoi_in_area names");
    }
    for (aoi_id id = 1; id <= IDS; id++) {
        if (aoi_has(space, id) &&
            (aoi_areas_of(space, id, &list) != AOI_OK || list.count != areas_of[id]))
            fail("the areas of one are not those that aoi_in_area names");
    }
}

/* Each entity is in one cell, or in one block along each axis. */
static void expect_whole_cells(const aoi_space *space) {
    static aoi_cell cells[4 * IDS];
    const size_t count = aoi_cells(space, cells, sizeof cells / sizeof *cells);
    const size_t entities = aoi_count(space);
    size_t inside = 0;
    for (size_t i = 0; i < count; i++)
        inside += cells[i].entities;
    if (count > sizeof cells / sizeof *cells || (inside != entities && inside != 2 * entities))
        fail("the cells do not hold all entities");
}

/* As many as aoi_sees says, for every entity and in both directions. */
static void expect_whole_indexes(aoi_space *space) {
    if (aoi_area_count(space) > 0)
        expect_whole_areas(space);
    for (aoi_id id = 1; id <= IDS; id++) {
        size_t markers = 0, watchers = 0;
        aoi_list list;
        for (aoi_id other = 1; other <= IDS; other++) {
            markers += aoi_sees(space, id, other);
            watchers += aoi_sees(space, other, id);
        }
        if (aoi_has(space, id) &&
            (aoi_markers_of(space, id, &list) != AOI_OK || list.count != markers ||
             aoi_watchers_of(space, id, &list) != AOI_OK || list.count != watchers))
            fail("the observers are not those that aoi_sees names");
    }
    expect_whole_cells(space);
}

static int compare_ids(const void *left, const void *right) {
    const aoi_id *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

enum { WORDS = 2 * IDS + 2 };

/* The number of those told and who they are, both ways. */
static void told_of(aoi_space *space, aoi_id id, aoi_id words[WORDS]) {
    aoi_list list;
    size_t count = 0;
    for (int way = 0; way < 2; way++) {
        const aoi_status status = way == 0 ? aoi_told_markers_of(space, id, &list)
                                           : aoi_told_watchers_of(space, id, &list);
        if (status != (aoi_has(space, id) ? AOI_OK : AOI_NOT_FOUND))
            fail("who was told is not answered");
        if (status != AOI_OK)
            list.count = 0;
        if (list.count > IDS)
            fail("too many were told");
        words[count++] = (aoi_id)list.count;
        if (list.count == 0)
            continue;
        memcpy(words + count, list.ids, list.count * sizeof *list.ids);
        qsort(words + count, list.count, sizeof *words, compare_ids);
        count += list.count;
    }
}

static void expect_same_told(aoi_space *a, aoi_space *b) {
    for (aoi_id id = 1; id <= IDS; id++) {
        aoi_id these[WORDS] = {0}, those[WORDS] = {0};
        told_of(a, id, these);
        told_of(b, id, those);
        if (memcmp(these, those, sizeof these) != 0)
            fail("who was told differs");
    }
}

/* A space as a string. */
struct text {
    unsigned char bytes[1 << 20];
    size_t size;
};

static void save_to(const aoi_space *space, struct text *text) {
    text->size = aoi_save(space, 5, text->bytes, sizeof text->bytes);
    if (text->size > sizeof text->bytes)
        fail("the saved space is too large for the test");
}

static void expect_saved_as(const aoi_space *space, const struct text *expected, const char *what) {
    static struct text text;
    save_to(space, &text);
    if (text.size != expected->size || memcmp(text.bytes, expected->bytes, text.size) != 0)
        fail(what);
}

/* ------------------------------------------------------------------ */
/* The run                                                             */
/* ------------------------------------------------------------------ */

/* Calls until it passes, and returns its status then; AOI_NOMEM when `most` rounds were too few. */
static aoi_status run_refused(struct accountant *accountant, aoi_space *space,
                              const aoi_space *twin, const struct step *step, unsigned long most) {
    static struct text before;
    save_to(space, &before);
    for (unsigned long n = 1; n <= most; n++) {
        for (int on = 1; on >= 0; on--) {
            accountant_refuse(accountant, n, on);
            aoi_status status = run_step(space, step);
            bool was_refused = accountant->refused > 0;
            refused += accountant->refused;
            accountant_refuse(accountant, 0, false);
            if (status != AOI_NOMEM)
                return status;
            if (!was_refused)
                fail("AOI_NOMEM without need");
            expect_same_state(space, twin);
            if (aoi_count(space) > 0) /* else the usual radius means nothing yet */
                expect_saved_as(space, &before, "a failed call leaves another space");
        }
    }
    return AOI_NOMEM;
}

static aoi_space *create_refused(aoi_options *options, struct accountant *accountant) {
    aoi_space *space;
    options->allocator_userdata = accountant;
    for (unsigned long n = 1;; n++) {
        for (int on = 1; on >= 0; on--) {
            accountant_refuse(accountant, n, on);
            aoi_status status = aoi_create(options, &space, NULL);
            refused += accountant->refused;
            accountant_refuse(accountant, 0, false);
            if (status == AOI_OK)
                return space;
            if (status != AOI_NOMEM || accountant->bytes != 0)
                fail("aoi_create fails and leaves something behind");
        }
    }
}

/* Saves the space and loads it, with every allocation refused once. */
static void load_refused(aoi_space *space) {
    static struct text saved;
    struct accountant accountant = {0};
    aoi_space *loaded = NULL;
    uint32_t note = 0;
    save_to(space, &saved);
    for (unsigned long turn = 2; loaded == NULL; turn++) {
        accountant_refuse(&accountant, turn / 2, turn % 2 == 0);
        aoi_status status = aoi_load(saved.bytes, saved.size, accountant_allocate, &accountant,
                                     &loaded, &note, NULL);
        refused += accountant.refused;
        if ((status == AOI_OK) != (loaded != NULL) || (status != AOI_OK && status != AOI_NOMEM) ||
            (status == AOI_NOMEM && accountant.bytes != 0))
            fail("aoi_load fails and leaves something behind");
    }
    accountant_refuse(&accountant, 0, false);
    if (note != 5)
        fail("the note is another one");
    expect_saved_as(loaded, &saved, "the loaded space is another one");
    expect_same_state(space, loaded);
    expect_same_told(space, loaded);
    expect_whole_indexes(loaded);
    aoi_destroy(loaded);
    if (accountant.bytes != 0 || accountant.wrong_sizes != 0)
        fail("bytes are left of a loaded space, or an old size was wrong");
}

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

/* The moment at which both begin to record, or have last been looked at. */
static struct text last_save;

static void record_both(aoi_space *space, aoi_space *twin, bool on) {
    aoi_record(space, on);
    aoi_record(twin, on);
    save_to(space, &last_save);
}

static void take_record(aoi_space *space, struct text *record) {
    record->size = aoi_recorded(space, record->bytes, sizeof record->bytes);
    if (record->size > sizeof record->bytes)
        fail("the record is too large for the test");
    aoi_drop_recorded(space, record->size);
}

/* Makes the calls on a space from the save, with the n-th allocation refused, and then all that
 * were not made yet. False: none was refused any more. */
static bool replay_refused(const struct text *record, aoi_space *expected, unsigned long n) {
    struct accountant accountant = {0};
    aoi_space *space;
    aoi_stats stats;
    aoi_complaint complaint = {""};
    if (aoi_load(last_save.bytes, last_save.size, accountant_allocate, &accountant, &space, NULL,
                 &complaint) != AOI_OK)
        fail(complaint.text);
    aoi_listen(space, 0, AOI_TELL_EVENT);
    accountant_refuse(&accountant, n, n % 2 == 0);
    aoi_status status = aoi_replay(space, record->bytes, record->size, NULL, NULL, &complaint);
    const bool was_refused = accountant.refused > 0;
    refused += accountant.refused;
    accountant_refuse(&accountant, 0, false);
    if (status != AOI_OK && !was_refused)
        fail(complaint.text);
    if (status == AOI_NOMEM)
        status = aoi_replay(space, record->bytes, record->size, NULL, NULL, &complaint);
    if (status != AOI_OK)
        fail(complaint.text);
    expect_same_scene(space, expected);
    expect_same_told(space, expected);
    aoi_get_stats(space, &stats);
    if (stats.held.record != 0 || stats.bytes != accountant.bytes)
        fail("a replay records, or bytes are not counted");
    aoi_destroy(space);
    if (accountant.bytes != 0 || accountant.wrong_sizes != 0)
        fail("bytes are left of a replay, or an old size was wrong");
    return was_refused;
}

/* Compares the records of both since the last time. */
static void check_records(aoi_space *space, aoi_space *twin) {
    static struct text record, other;
    take_record(space, &record);
    take_record(twin, &other);
    if (record.size != other.size || memcmp(record.bytes, other.bytes, record.size) != 0)
        fail("a failed call has left something in the record");
    for (unsigned long n = 1; replay_refused(&record, twin, n); n += 1 + n / 16)
        continue;
    save_to(space, &last_save);
}

static bool is_crowd(const aoi_options *options) {
    return (options->given & (AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES |
                              AOI_GIVEN_MOVE_BUDGET)) != 0;
}

static void run_history(const char *name, aoi_options options, uint64_t seed) {
    struct accountant accountant = {0}, twin_accountant = {0};
    running = name;
    in_nine_grid = options.engine == AOI_GRID && !(options.given & AOI_GIVEN_RADIUS);
    in_crowd = is_crowd(&options);
    with_areas = seed % 2 == 0;
    hands_over = options.deferred;
    luggage.size = 0;
    random_state = seed;
    options.allocator = accountant_allocate;
    options.collect = AOI_ENTER | AOI_LEAVE | AOI_MOVE | AOI_AREA_ENTER | AOI_AREA_LEAVE;
    aoi_space *space = create_refused(&options, &accountant);
    aoi_space *twin = create_refused(&options, &twin_accountant);
    bool records = false;
    size_t settled = 0; /* gathered events of the changes before the last */
    for (int i = 0; i < STEPS; i++) {
        static struct step step;
        step_number = i;
        draw_step(&step, twin,
                  !in_nine_grid && (!(options.given & AOI_GIVEN_RADIUS) || draw(3) == 0));
        if (i == STEPS / 2) /* all grows a second time */
            step.kind = CLEAR;
        if (step.kind == DROP_OLDEST) /* no part of a change: their order is left open */
            step.count = settled;
        settled = aoi_collected(twin);
        if (i % 10 == 0 && records)
            check_records(space, twin);
        if (records != (i / 50 % 2 == 0)) {
            records = !records;
            record_both(space, twin, records);
        }
        /* Now and then the call is given up, so that what it has left behind is used. */
        unsigned long most = draw(2) ? ULONG_MAX : draw(1 + draw(100));
        aoi_status status = run_refused(&accountant, space, twin, &step, most);
        const size_t answered = answer;
        if (status != AOI_NOMEM && (status != run_step(twin, &step) || answered != answer))
            fail("another status or answer than the twin's");
        if (status == AOI_NOMEM)
            expect_whole_indexes(space);
        expect_same_state(space, twin);
        expect_counted(space, &accountant);
        if (settled > aoi_collected(twin))
            settled = 0;
        if (i % 8 == 0)
            load_refused(space);
        if (draw(4) == 0) {
            expect_whole_indexes(space);
            expect_same_told(space, twin);
            aoi_drop_collected(space);
            aoi_drop_collected(twin);
            settled = 0;
        }
        if (draw(2) == 0)
            expect_same_events(some_events, take_events(space, some_events), other_events,
                               take_events(twin, other_events), "events differ");
    }
    aoi_destroy(space);
    aoi_destroy(twin);
    if (accountant.bytes != 0 || accountant.wrong_sizes != 0 || twin_accountant.bytes != 0)
        fail("bytes are left, or an old size was wrong");
}

static aoi_options with_map(aoi_engine engine, double radius) {
    aoi_options options = aoi_options_default(engine);
    options.given = AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
    options.width = options.height = 110;
    if (radius > 0) {
        options.given |= AOI_GIVEN_RADIUS;
        options.radius = radius;
    }
    return options;
}

/* As a crowd space: 0 of all kinds, so that watchers often wait for something; 1 where none ever
 * does; 2 where all is told that is seen. */
static aoi_options with_crowd(aoi_options options, int variant) {
    options.given |= AOI_GIVEN_DEFERRED;
    options.deferred = true;
    if (variant < 2) {
        options.given |= AOI_GIVEN_LIMIT | AOI_GIVEN_LIMIT_LAYERS | AOI_GIVEN_KEEP_FACTOR;
        options.limit = 6;
        options.limit_layers = 2;
        options.keep_factor = 1.5;
    }
    if (variant == 0) {
        options.given |= AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_MOVE_BUDGET;
        options.enter_budget = 2;
        options.move_budget = 3;
    }
    if (variant != 1) {
        options.given |= AOI_GIVEN_RATES;
        options.rates = (aoi_rates){.count = 2, .rings = {{4, 1}, {INFINITY, 3}}};
    }
    if (variant == 1 && !(options.engine == AOI_GRID && !(options.given & AOI_GIVEN_RADIUS))) {
        options.given |= AOI_GIVEN_SLACK;
        options.slack = 2;
    }
    return options;
}

/* A deferred space that is full before its first tick: who came can still leave, and then the tick
 * has room. */
static void fill_deferred(aoi_options options) {
    enum { LIMIT = 1000000 };
    struct accountant accountant = {.limit = LIMIT};
    aoi_space *space;
    running = "full deferred space";
    options.given |= AOI_GIVEN_DEFERRED;
    options.deferred = true;
    options.allocator = accountant_allocate;
    options.allocator_userdata = &accountant;
    if (aoi_create(&options, &space, NULL) != AOI_OK)
        fail("create");
    aoi_id entered = 0;
    while (aoi_enter(space, entered, draw_place(), NULL) == AOI_OK)
        entered++;
    if (entered == 0 || aoi_tick(space) != AOI_NOMEM)
        fail("the space is not full");
    for (aoi_id id = 0; id < entered; id++) {
        if (aoi_leave(space, id) != AOI_OK)
            fail("leave");
    }
    if (aoi_tick(space) != AOI_OK || aoi_pending(space) != 0)
        fail("tick");
    aoi_destroy(space);
    if (accountant.bytes != 0)
        fail("bytes left");
}

/* The first to come has an unusual radius, as some others have. When most have another, that
 * becomes the usual one; where memory is short for this, the change that brought it about is made
 * all the same. */
static void choose_usual_refused(aoi_options options) {
    enum { MOST = 24, OTHERS = 7 };
    static const double others[OTHERS] = {0, 40, 3, 60, 50, 4, 30};
    running = "another usual radius";
    for (step_number = 1; step_number <= MOST; step_number++) {
        bool was_refused = true;
        for (unsigned long n = 1; was_refused; n++) {
            struct accountant accountant = {0};
            aoi_space *space;
            aoi_traits traits = {.given = AOI_TRAIT_RADIUS};
            aoi_status status = AOI_OK;
            options.allocator = accountant_allocate;
            options.allocator_userdata = &accountant;
            if (aoi_create(&options, &space, NULL) != AOI_OK)
                fail("create");
            for (aoi_id id = 1; id <= step_number && status == AOI_OK; id++) {
                aoi_point place = {(double)id * 3, (double)id, 0};
                traits.radius = id <= OTHERS ? others[id - 1] : 10;
                if (id == step_number)
                    accountant_refuse(&accountant, n, n % 2 == 0);
                status = aoi_enter(space, id, place, &traits);
                if (id == OTHERS) { /* the second one stands behind the others from now on */
                    const aoi_traits twice[2] = {{.given = AOI_TRAIT_MODE, .mode = AOI_MARKER},
                                                 {.given = AOI_TRAIT_MODE, .mode = AOI_WATCHER}};
                    aoi_set_traits(space, 2, &twice[0]);
                    aoi_set_traits(space, 2, &twice[1]);
                }
            }
            was_refused = accountant.refused > 0;
            refused += accountant.refused;
            accountant_refuse(&accountant, 0, false);
            if (aoi_has(space, step_number) != (status == AOI_OK))
                fail("enter");
            expect_whole_indexes(space);
            if (aoi_set_traits(space, 1, &traits) == AOI_NOMEM) /* in test builds it checks all */
                fail("set_traits");
            aoi_destroy(space);
            if (accountant.bytes != 0 || accountant.wrong_sizes != 0)
                fail("bytes are left, or an old size was wrong");
        }
    }
}

/* The entities that meet in a crowd. */
enum meeting {
    ALL_COME,     /* all enter */
    MARKERS_COME, /* half of all, to watchers who step aside for them */
    FEW_COME      /* fewer than half, to watchers who stand still */
};

enum { CROWD = 100 };

/* How many watchers are there before the others come. */
static aoi_id waiting_watchers(enum meeting meeting) {
    return meeting == ALL_COME ? 0 : meeting == MARKERS_COME ? CROWD / 2 : CROWD * 3 / 5;
}

static void gather_crowd(aoi_space *space, enum meeting meeting) {
    const aoi_point middle = {50, 50, 0}, aside = {51, 50, 0};
    const aoi_traits watcher = {.given = AOI_TRAIT_MODE, .mode = AOI_WATCHER};
    const aoi_traits marker = {.given = AOI_TRAIT_MODE, .mode = AOI_MARKER};
    const aoi_id waiting = waiting_watchers(meeting);
    for (aoi_id id = 0; id < waiting; id++) {
        if (aoi_enter(space, id, middle, &watcher) != AOI_OK)
            fail("enter");
    }
    if (aoi_tick(space) != AOI_OK)
        fail("tick");
    for (aoi_id id = 0; meeting == MARKERS_COME && id < waiting; id++) {
        if (aoi_move(space, id, aside) != AOI_OK)
            fail("move");
    }
    for (aoi_id id = waiting; id < CROWD; id++) {
        if (aoi_enter(space, id, middle, meeting == ALL_COME ? NULL : &marker) != AOI_OK)
            fail("enter");
    }
}

/* A tick with more pairs than it has room for at first: with the n-th allocation refused it has
 * told nothing, and tells all when it is called again. */
static void tick_crowd(aoi_options options, uint32_t wants, enum meeting meeting) {
    const aoi_id waiting = waiting_watchers(meeting), coming = CROWD - waiting;
    const aoi_id expected = meeting == ALL_COME ? coming * (coming - 1) : waiting * coming;
    bool passed = false;
    running = "a tick of a crowd";
    options.given |= AOI_GIVEN_DEFERRED;
    options.deferred = true;
    options.allocator = accountant_allocate;
    for (unsigned long turn = 2; !passed; turn++) {
        struct accountant accountant = {0};
        aoi_space *space;
        aoi_telling telling;
        step_number = (int)turn;
        options.allocator_userdata = &accountant;
        if (aoi_create(&options, &space, NULL) != AOI_OK)
            fail("create");
        aoi_listen(space, AOI_ENTER | AOI_LEAVE | AOI_MOVE, wants);
        gather_crowd(space, meeting);
        accountant_refuse(&accountant, turn / 2, turn % 2 == 0);
        aoi_status status = aoi_tick(space);
        passed = accountant.refused == 0;
        refused += accountant.refused;
        calls++;
        accountant_refuse(&accountant, 0, false);
        if (status != (passed ? AOI_OK : AOI_NOMEM) || (!passed && aoi_pending(space) != 0))
            fail("the tick does not fail whole");
        if (!passed && aoi_tick(space) != AOI_OK)
            fail("the tick fails again");
        size_t pairs = aoi_pending(space);
        while (aoi_peek(space, &telling))
            aoi_told(space);
        if (pairs != (size_t)expected || aoi_pending(space) != 0)
            fail("pairs are missing");
        aoi_destroy(space);
        if (accountant.bytes != 0)
            fail("bytes left");
    }
}

int main(void) {
    aoi_destroy(NULL); /* nothing to do */
    aoi_options nine = with_map(AOI_GRID, 0), grid = with_map(AOI_GRID, 10);
    aoi_options tree = with_map(AOI_QUADTREE, 10), ball = with_map(AOI_QUADTREE, 0);
    aoi_options list = aoi_options_default(AOI_CROSSLIST), plain = list;
    aoi_options fold = aoi_options_default(AOI_GRID);
    nine.given |= AOI_GIVEN_COLS | AOI_GIVEN_ROWS;
    nine.cols = 6;
    nine.rows = 5;
    tree.given |= AOI_GIVEN_CAPACITY;
    tree.capacity = 2;
    ball.given |= AOI_GIVEN_CAPACITY | AOI_GIVEN_DIMS | AOI_GIVEN_SHAPE;
    ball.capacity = 1;
    ball.dims = 3;
    ball.shape = AOI_CIRCLE;
    list.given |= AOI_GIVEN_RADIUS;
    list.radius = 10;
    plain.given |= AOI_GIVEN_SHAPE;
    plain.shape = AOI_CIRCLE;
    fold.given |= AOI_GIVEN_RADIUS;
    fold.radius = 10;
    const struct {
        const char *name;
        aoi_options options;
    } spaces[] = {{"nine-grid", nine},         {"grid", grid},
                  {"quadtree", tree},          {"ball", ball},
                  {"cross-list", list},        {"cross-list without radius", plain},
                  {"grid without a map", fold}};
    unsigned histories = 0;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        /* Even variants have areas: see run_history. */
        for (int variant = 0; variant < 4; variant++) {
            aoi_options options = spaces[i].options;
            if (variant == 0 || variant == 1) {
                options.given |= AOI_GIVEN_DEFERRED;
                options.deferred = true;
            } else if (variant == 2 && i > 0) {
                options.given |= AOI_GIVEN_SLACK;
                options.slack = 2;
            }
            run_history(spaces[i].name, options, i * 16 + (uint64_t)variant);
            histories++;
        }
        for (int variant = 0; variant < 3; variant++) {
            run_history(spaces[i].name, with_crowd(spaces[i].options, variant),
                        i * 16 + 8 + (uint64_t)variant);
            histories++;
        }
    }
    in_crowd = false;
    fill_deferred(grid);
    fill_deferred(list);
    choose_usual_refused(plain);
    choose_usual_refused(ball);
    const uint32_t groups = AOI_TELL_WATCHERS | AOI_TELL_MARKERS;
    const uint32_t wants[] = {AOI_TELL_EVENT, AOI_TELL_VIEW, AOI_TELL_WATCHERS, AOI_TELL_MARKERS,
                              groups};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        tick_crowd(i % 2 == 0 ? grid : list, wants[i], ALL_COME);
    tick_crowd(list, AOI_TELL_EVENT, MARKERS_COME);
    tick_crowd(list, AOI_TELL_EVENT, FEW_COME);
    printf("core: %u histories, %lu calls, %lu allocations refused: each failed whole\n", histories,
           calls, refused);
    return 0;
}
