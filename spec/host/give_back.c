/*
 * give_back.c - looks from outside, with an allocator that counts, at what spaces hold: that it is
 * counted for what it is for, that what is no longer needed goes back, and that nothing goes to and
 * fro.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "aoi.h"

/* As the core has them, see src/base/high_water.h. */
enum { QUIET_TICKS = 6, QUIET_CALLS = 64, LARGE_QUEUE = 4096 * 8 };

#ifdef AOI_SELF_CHECK /* every call looks at everybody */
enum { SIDE = 200, CROWD = 400, MANY = 400 };
#else
enum { SIDE = 1000, CROWD = 5000, MANY = 20000 };
#endif

struct subject {
    struct accountant accountant;
    aoi_space *space;
};

static const char *running = "";
static const char *engine_name = "";

static void expect(bool holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "%s, %s: %s\n", engine_name, running, what);
    exit(1);
}

static void must(aoi_status status) {
    expect(status == AOI_OK, "a call fails");
}

/* The seed is the accountant's own: the same calls draw the same numbers. */
static uint64_t random_state;

static double draw(double below) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (double)(random_state >> 33) * 0x1p-31 * below;
}

static aoi_point draw_place(void) {
    return (aoi_point){draw(SIDE), draw(SIDE), 0};
}

/* collect: aoi_op bits. */
static void begin_collecting(struct subject *subject, const char *name, aoi_engine engine,
                             bool deferred, uint32_t collect) {
    aoi_options options = aoi_options_default(engine);
    running = name;
    engine_name = aoi_engine_name(engine);
    random_state = 19;
    options.given = AOI_GIVEN_RADIUS | AOI_GIVEN_DEFERRED;
    options.radius = 20;
    options.deferred = deferred;
    if (engine != AOI_CROSSLIST)
        options.given |= AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
    options.width = options.height = SIDE;
    options.collect = collect;
    options.allocator = accountant_allocate;
    options.allocator_userdata = &subject->accountant;
    subject->accountant = (struct accountant){0};
    must(aoi_create(&options, &subject->space, NULL));
}

static void begin(struct subject *subject, const char *name, aoi_engine engine, bool deferred) {
    begin_collecting(subject, name, engine, deferred,
                     deferred ? AOI_ENTER | AOI_LEAVE | AOI_MOVE : 0);
}

static void end(struct subject *subject) {
    aoi_destroy(subject->space);
    expect(subject->accountant.bytes == 0 && subject->accountant.wrong_sizes == 0,
           "bytes are left, or an old size was wrong");
}

static size_t bytes_of(const struct subject *subject) {
    return subject->accountant.bytes;
}

static void take_events(aoi_space *space) {
    aoi_event event;
    while (aoi_next_event(space, &event)) {
    }
    aoi_drop_collected(space);
}

static void tick(aoi_space *space) {
    must(aoi_tick(space));
    take_events(space);
}

static void enter_crowd(aoi_space *space) {
    for (aoi_id id = 1; id <= CROWD; id++)
        must(aoi_enter(space, id, draw_place(), NULL));
}

static double inside(double coordinate) {
    return coordinate < 0 ? 0 : coordinate > SIDE ? SIDE : coordinate;
}

/* Everybody takes a step, and the next time a step back. */
static void move_crowd(aoi_space *space) {
    static double way = 2;
    way = -way;
    for (aoi_id id = 1; id <= CROWD; id++) {
        aoi_point place;
        must(aoi_position(space, id, &place));
        must(aoi_move(space, id, (aoi_point){inside(place.x + way), inside(place.y + way), 0}));
    }
}

/* ------------------------------------------------------------------ */
/* Memory by purpose                                                   */
/* ------------------------------------------------------------------ */

/* Asks what is held, which must be what was given. */
static aoi_held held_by(const struct subject *subject) {
    aoi_stats stats;
    aoi_get_stats(subject->space, &stats);
    const aoi_held *held = &stats.held;
    expect(held->entities + held->index + held->changes + held->crowd + held->events + held->areas +
                   held->tick + held->record + held->scratch ==
               bytes_of(subject),
           "what is held for something does not add up to what was given");
    expect(stats.bytes == bytes_of(subject), "another sum of bytes than was given");
    return *held;
}

/* The memory that a call has taken, by purpose; all of it is what the allocator gave meanwhile. */
static aoi_held taken_since(const struct subject *subject, const aoi_held *before) {
    const aoi_held after = held_by(subject);
    return (aoi_held){.entities = after.entities - before->entities,
                      .index = after.index - before->index,
                      .changes = after.changes - before->changes,
                      .events = after.events - before->events,
                      .crowd = after.crowd - before->crowd,
                      .areas = after.areas - before->areas,
                      .tick = after.tick - before->tick,
                      .record = after.record - before->record,
                      .scratch = after.scratch - before->scratch};
}

static void count_purposes(aoi_engine engine) {
    struct subject subject;
    aoi_row *rows;
    aoi_list list;
    begin(&subject, "what is held for what", engine, true);
    aoi_held before = held_by(&subject);
    expect(before.changes + before.events + before.tick + before.scratch == 0,
           "a new space holds more than itself and its index");
    must(aoi_rows(subject.space, 1000, &rows));
    aoi_held taken = taken_since(&subject, &before);
    expect(taken.scratch >= 1000 * sizeof(aoi_row) &&
               taken.scratch == bytes_of(&subject) - before.entities - before.index,
           "rows are not counted as scratch");
    before = held_by(&subject);
    enter_crowd(subject.space);
    taken = taken_since(&subject, &before);
    expect(taken.entities >= (size_t)CROWD * 64 && taken.index >= (size_t)CROWD * 12 &&
               taken.changes >= (size_t)CROWD * 64 &&
               taken.events + taken.crowd + taken.tick + taken.scratch == 0,
           "who enters is counted for something else");
    before = held_by(&subject);
    must(aoi_tick(subject.space));
    taken = taken_since(&subject, &before);
    expect(taken.tick > 0 && taken.events >= 2 * aoi_pending(subject.space) * sizeof(aoi_id) &&
               taken.entities + taken.index + taken.changes == 0,
           "a tick is counted for something else");
    before = held_by(&subject);
    must(aoi_ids(subject.space, &list));
    taken = taken_since(&subject, &before);
    expect(taken.scratch >= (size_t)CROWD * sizeof(aoi_id) && taken.entities + taken.index == 0 &&
               taken.changes + taken.events + taken.tick == 0,
           "a list of ids is counted for something else");
    before = held_by(&subject);
    aoi_record(subject.space, true);
    move_crowd(subject.space);
    taken = taken_since(&subject, &before);
    expect(taken.record >= (size_t)CROWD * 18 && before.record == 0,
           "a record is not counted as one");
    end(&subject);
}

/* ------------------------------------------------------------------ */
/* Ticks                                                               */
/* ------------------------------------------------------------------ */

/* Runs so many rounds, in which the allocator must not be called. */
static void expect_steady(struct subject *subject, void (*round)(aoi_space *space), int rounds,
                          const char *what) {
    const size_t bytes = bytes_of(subject);
    const unsigned long requests = subject->accountant.requests;
    for (int i = 0; i < rounds; i++) {
        round(subject->space);
        expect(subject->accountant.requests == requests && bytes_of(subject) == bytes, what);
    }
}

static void tick_of_all(aoi_space *space) {
    move_crowd(space);
    tick(space);
}

/* Everybody moves, and then nobody for as many ticks as the room is kept. */
static void burst_of_ticks(aoi_space *space) {
    tick_of_all(space);
    for (int i = 1; i < QUIET_TICKS; i++)
        tick(space);
}

/* Bursts that come back later than room is kept at first. */
static void late_burst_of_ticks(aoi_space *space) {
    tick_of_all(space);
    for (int i = 0; i < 3 * QUIET_TICKS; i++)
        tick(space);
}

/* Some go to and fro, all the same each time. */
static void tick_of_few(aoi_space *space) {
    static const double there[2] = {SIDE * 0.3, SIDE * 0.6};
    for (int way = 0; way < 2; way++) {
        for (aoi_id id = 1; id <= 5; id++)
            must(aoi_move(space, id, (aoi_point){there[way], (double)id, 0}));
        tick(space);
    }
}

/* Nothing is held for ticks and calls; the number of each slot's old state goes by slots. */
static void expect_little(const struct subject *subject, const char *what) {
    const aoi_held held = held_by(subject);
    expect(held.tick + held.events + held.scratch < 4096 &&
               held.changes <= (size_t)CROWD * 3 / 2 * sizeof(uint32_t),
           what);
}

static void give_back_ticks(aoi_engine engine) {
    struct subject subject;
    begin(&subject, "ticks", engine, true);
    enter_crowd(subject.space);
    const aoi_held entered = held_by(&subject);
    subject.accountant.most = 0;
    must(aoi_tick(subject.space));
    const size_t told = held_by(&subject).events;
    take_events(subject.space);
    expect(held_by(&subject).events == told, "a delivery gives back the room of a tick's events");
    const size_t crowded = subject.accountant.most;
    for (int i = 0; i < 10; i++)
        tick(subject.space);
    expect_little(&subject, "after ten ticks of nothing not all is given back");
    expect(held_by(&subject).entities == entered.entities, "entities are given back");
    const size_t changes = held_by(&subject).changes;
    /* Steady ticks, and bursts. */
    for (int i = 0; i < 20; i++)
        tick_of_all(subject.space);
    expect_steady(&subject, tick_of_all, 30, "ticks that are all alike call the allocator");
    /* Lists of another kind besides would make it more. */
    expect(bytes_of(&subject) <= crowded,
           "ticks of moves hold what that of all who entered needed, too");
    for (int i = 0; i < 4; i++)
        burst_of_ticks(subject.space);
    expect_steady(&subject, burst_of_ticks, 10, "bursts that come back call the allocator");
    /* Bursts that come back late, too, in the long run; but not for ever. */
    for (int i = 0; i < 6; i++)
        late_burst_of_ticks(subject.space);
    expect_steady(&subject, late_burst_of_ticks, 5,
                  "late bursts that come back call the allocator");
    for (int i = 0; i < QUIET_TICKS << 8; i++)
        tick(subject.space);
    expect_little(&subject, "bursts that no longer come back are expected for ever");
    tick_of_all(subject.space);
    for (int i = 0; i < 10; i++)
        tick(subject.space);
    expect_little(&subject, "a burst long after others is kept as if they still came");
    /* Down in steps, and then steady again. */
    for (int i = 0; i < 2 * QUIET_TICKS; i++)
        tick_of_few(subject.space);
    const aoi_held few = held_by(&subject);
    expect(few.tick < 262144 && few.events + few.scratch < 65536 && few.changes < changes + 65536,
           "after ticks of few not all is given back");
    expect_steady(&subject, tick_of_few, 30, "ticks of few call the allocator");
    end(&subject);
}

/* An entity that comes and goes between two ticks has an old state only until the second. */
static void pass_through(aoi_engine engine) {
    struct subject subject;
    begin(&subject, "who comes and goes", engine, true);
    for (aoi_id id = 1; id <= CROWD; id++)
        must(aoi_enter(subject.space, id, draw_place(), NULL));
    for (aoi_id id = 1; id <= CROWD; id++)
        must(aoi_leave(subject.space, id));
    expect(held_by(&subject).changes >= (size_t)CROWD * 64, "nobody has come");
    for (int i = 0; i < QUIET_TICKS; i++)
        tick(subject.space);
    expect(held_by(&subject).changes >= (size_t)CROWD * 64, "states go too early");
    tick(subject.space);
    expect(held_by(&subject).changes < (size_t)CROWD * 8, "states of nobody are kept");
    end(&subject);
}

/* A watcher comes and sees all, where nobody else has changed. */
static void see_all(aoi_engine engine) {
    struct subject subject;
    const aoi_traits all_seeing = {.given = AOI_TRAIT_RADIUS, .radius = 2 * SIDE};
    begin(&subject, "a tick of one who sees all", engine, true);
    enter_crowd(subject.space);
    for (int i = 0; i < 10; i++)
        tick(subject.space);
    must(aoi_enter(subject.space, 0, (aoi_point){1, 1, 0}, &all_seeing));
    tick(subject.space);
    expect(held_by(&subject).tick >= (size_t)CROWD * 2 * sizeof(aoi_id), "not all are seen");
    for (int i = 0; i < QUIET_TICKS; i++)
        tick(subject.space);
    expect(held_by(&subject).tick < CROWD * sizeof(aoi_id), "the pairs of one are kept");
    end(&subject);
}

/* A tick that fails for lack of memory gives nothing back, and loses nothing. */
static void fail_ticks(void) {
    struct subject subject;
    begin(&subject, "ticks that fail", AOI_GRID, true);
    enter_crowd(subject.space);
    accountant_refuse(&subject.accountant, 1, true);
    for (int i = 0; i < 3 * QUIET_TICKS; i++)
        expect(aoi_tick(subject.space) == AOI_NOMEM, "a tick has memory");
    accountant_refuse(&subject.accountant, 0, false);
    must(aoi_tick(subject.space));
    expect(aoi_pending(subject.space) > 0, "events are missing");
    end(&subject);
}

/* ------------------------------------------------------------------ */
/* Spaces that are not deferred                                        */
/* ------------------------------------------------------------------ */

/* An entity walks where nobody else is, and is heard: 1 delivery. */
static void small_delivery(aoi_space *space) {
    static double x;
    x = x == 1 ? 2 : 1;
    must(aoi_move(space, CROWD + 1, (aoi_point){x, 1, 0}));
    take_events(space);
}

static void enter_pair(aoi_space *space) {
    for (aoi_id id = CROWD + 1; id <= CROWD + 2; id++)
        must(aoi_enter(space, id, (aoi_point){1, 1, 0}, NULL));
    take_events(space);
}

/* All move in one batch, far from the pair and each time to the same places, and are heard at once.
 */
static void move_batch(aoi_space *space) {
    aoi_row *rows;
    random_state = 7;
    must(aoi_rows(space, CROWD, &rows));
    for (aoi_id id = 1; id <= CROWD; id++)
        rows[id - 1] = (aoi_row){id, {100 + draw(SIDE - 100), 100 + draw(SIDE - 100), 0}};
    must(aoi_move_all(space, rows, CROWD, NULL, NULL));
    take_events(space);
}

static void burst_of_deliveries(aoi_space *space) {
    move_batch(space);
    /* The batch is two periods: it asks for rows, and is delivered. */
    for (int i = 2; i < QUIET_CALLS; i++)
        small_delivery(space);
}

static void give_back_deliveries(aoi_engine engine) {
    struct subject subject;
    begin(&subject, "deliveries", engine, false);
    aoi_listen(subject.space, 0, AOI_TELL_EVENT);
    enter_pair(subject.space);
    enter_crowd(subject.space);
    aoi_listen(subject.space, AOI_ENTER | AOI_LEAVE | AOI_MOVE, AOI_TELL_EVENT);
    const size_t crowded = bytes_of(&subject);
    move_batch(subject.space);
    const size_t first = bytes_of(&subject);
    expect(held_by(&subject).events < LARGE_QUEUE, "the first burst of events is kept");
    expect(first >= crowded + CROWD * sizeof(aoi_row), "rows are given back at once");
    for (int i = 0; i < 4; i++)
        burst_of_deliveries(subject.space);
    expect(held_by(&subject).events > LARGE_QUEUE, "a burst that came back is not expected again");
    /* The batch's own notes come and go with it. */
    const size_t bytes = bytes_of(&subject);
    for (int i = 0; i < 5; i++) {
        const unsigned long requests = subject.accountant.requests;
        burst_of_deliveries(subject.space);
        expect(subject.accountant.requests == requests + 1 && bytes_of(&subject) == bytes,
               "bursts of deliveries call the allocator");
    }
    for (int i = 0; i < 2 * QUIET_CALLS; i++)
        small_delivery(subject.space);
    expect(held_by(&subject).events < LARGE_QUEUE, "events of bursts that are over are kept");
    expect(bytes_of(&subject) < crowded + 200000, "rows of batches that are over are kept");
    end(&subject);
}

/* A batch that fails has told nobody of anything; what its events took goes back, too. */
static void give_back_failed(aoi_engine engine) {
    struct subject subject;
    aoi_row *rows;
    begin(&subject, "a batch that fails", engine, false);
    must(aoi_rows(subject.space, CROWD, &rows));
    for (aoi_id id = 1; id <= CROWD; id++)
        rows[id - 1] = (aoi_row){id, {draw(SIDE / 4.0), draw(SIDE / 4.0), 0}};
    rows[CROWD - 1].id = 1;
    expect(aoi_enter_all(subject.space, rows, CROWD, NULL, NULL) == AOI_EXISTS,
           "an id comes twice");
    expect(held_by(&subject).events > LARGE_QUEUE, "nobody met");
    take_events(subject.space);
    expect(held_by(&subject).events < LARGE_QUEUE, "events that were taken back keep their room");
    end(&subject);
}

/* Gathered events that are dropped, all at once or some at a time. */
static void give_back_gathered(aoi_engine engine, size_t at_a_time) {
    struct subject subject;
    begin_collecting(&subject, "gathered events", engine, false, AOI_ENTER);
    aoi_listen(subject.space, 0, AOI_TELL_EVENT);
    enter_crowd(subject.space);
    expect(held_by(&subject).events > LARGE_QUEUE, "nobody met");
    if (at_a_time == 0)
        aoi_drop_collected(subject.space);
    while (aoi_collected(subject.space) > 0) {
        expect(held_by(&subject).events > LARGE_QUEUE, "events are given back that still wait");
        aoi_drop_oldest_collected(subject.space, at_a_time);
    }
    expect(held_by(&subject).events < LARGE_QUEUE, "dropped events keep their room");
    end(&subject);
}

/* A watcher that sees all, and whose change has to look at all. */
static void give_back_found(aoi_engine engine) {
    struct subject subject;
    const aoi_traits all_seeing = {.given = AOI_TRAIT_RADIUS, .radius = 2 * SIDE};
    begin(&subject, "who sees all", engine, false);
    aoi_listen(subject.space, 0, AOI_TELL_EVENT);
    enter_pair(subject.space);
    enter_crowd(subject.space);
    aoi_listen(subject.space, AOI_ENTER | AOI_LEAVE | AOI_MOVE, AOI_TELL_EVENT);
    const size_t before = held_by(&subject).scratch;
    must(aoi_enter(subject.space, 0, (aoi_point){1, 1, 0}, &all_seeing));
    take_events(subject.space);
    const size_t seen = held_by(&subject).scratch;
    expect(seen >= (size_t)CROWD * 40, "not all are seen");
    must(aoi_leave(subject.space, 0));
    take_events(subject.space);
    for (int i = 0; i < 2 * QUIET_CALLS; i++)
        small_delivery(subject.space);
    expect(held_by(&subject).scratch < before + (seen - before) / 4 + 12288,
           "what one needed who is gone is kept");
    end(&subject);
}

/* Nobody is told of anything: questions alone. */
static void give_back_questions(aoi_engine engine) {
    struct subject subject;
    aoi_list list;
    begin(&subject, "questions", engine, false);
    aoi_listen(subject.space, 0, AOI_TELL_EVENT);
    for (aoi_id id = 1; id <= MANY; id++)
        must(aoi_enter(subject.space, id, draw_place(), NULL));
    aoi_drop_collected(subject.space);
    const aoi_point middle = {SIDE / 2.0, SIDE / 2.0, 0};
    const size_t before = held_by(&subject).scratch;
    must(aoi_query_nearest(subject.space, middle, MANY, 1e9, UINT32_MAX, &list));
    expect(list.count == MANY, "the nearest are not all");
    must(aoi_query_circle(subject.space, middle, 1, UINT32_MAX, &list));
    expect(held_by(&subject).scratch > before + (size_t)MANY * 20,
           "a query has worked with nothing");
    for (int i = 0; i <= 2 * QUIET_CALLS; i++)
        must(aoi_query_circle(subject.space, middle, 1, UINT32_MAX, &list));
    expect(held_by(&subject).scratch < before + 65536, "what a large query needed is kept");
    end(&subject);
}

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

/* One call and a tick, which are taken at once, or while another call is made. */
static void small_record(aoi_space *space) {
    must(aoi_move(space, 1, (aoi_point){1, 1, 0}));
    tick(space);
    aoi_drop_recorded(space, aoi_recorded(space, NULL, 0));
}

static void late_small_record(aoi_space *space) {
    must(aoi_move(space, 1, (aoi_point){1, 1, 0}));
    tick(space);
    const size_t size = aoi_recorded(space, NULL, 0);
    must(aoi_move(space, 1, (aoi_point){2, 1, 0}));
    aoi_drop_recorded(space, size);
}

static void large_record(aoi_space *space) {
    move_crowd(space);
    small_record(space);
}

static void burst_of_records(aoi_space *space) {
    large_record(space);
    for (int i = 1; i < QUIET_TICKS; i++)
        small_record(space);
}

static void give_back_records(aoi_engine engine) {
    const size_t large = (size_t)CROWD * 18, little = 4096;
    void (*const small_ones[])(aoi_space * space) = {small_record, late_small_record};
    struct subject subject;
    begin(&subject, "records", engine, true);
    enter_crowd(subject.space);
    for (int i = 0; i < 4 * QUIET_TICKS; i++)
        burst_of_ticks(subject.space);
    aoi_record(subject.space, true);
    for (size_t i = 0; i < sizeof small_ones / sizeof *small_ones; i++) {
        for (int turn = 0; turn < 4; turn++)
            burst_of_records(subject.space);
        expect_steady(&subject, burst_of_records, 5, "bursts of calls call the allocator");
        expect(held_by(&subject).record >= large, "a burst that came back is not expected again");
        for (int turn = 0; turn < QUIET_TICKS << 8; turn++)
            small_ones[i](subject.space);
        expect(held_by(&subject).record < little, "the record of a burst is kept");
    }
    move_crowd(subject.space);
    aoi_record(subject.space, false);
    expect(held_by(&subject).record >= large, "what was recorded goes before it is taken");
    move_crowd(subject.space);
    aoi_drop_recorded(subject.space, aoi_recorded(subject.space, NULL, 0));
    expect(held_by(&subject).record == 0, "who no longer records keeps room for it");
    aoi_record(subject.space, true);
    small_record(subject.space);
    aoi_record(subject.space, false);
    expect(held_by(&subject).record == 0, "room for a record is kept where there is none");
    end(&subject);
}

/* ------------------------------------------------------------------ */
/* The id map                                                          */
/* ------------------------------------------------------------------ */

static void leave_and_return(aoi_space *space) {
    for (aoi_id id = 50; id <= CROWD; id++)
        must(aoi_leave(space, id));
    for (aoi_id id = 50; id <= CROWD; id++)
        must(aoi_enter(space, id, draw_place(), NULL));
}

static bool next_differs(aoi_space *a, aoi_space *b, bool *is_over) {
    aoi_event one = {0, 0, AOI_ENTER}, other = one;
    const bool is_one = aoi_next_event(a, &one), is_other = aoi_next_event(b, &other);
    *is_over = !is_one;
    return is_one != is_other || one.watcher != other.watcher || one.marker != other.marker ||
           one.op != other.op;
}

/* The id map gets smaller after many have left; where memory is refused for that it does not, and
 * otherwise everything is the same: statuses, the order of events, what is saved. */
static void shrink_ids(aoi_engine engine, bool deferred) {
    static unsigned char saved[2][1 << 20];
    struct subject subjects[2];
    size_t sizes[2];
    for (unsigned i = 0; i < 2; i++) {
        struct subject *subject = &subjects[i];
        begin(subject, "the id map", engine, deferred);
        aoi_space *space = subject->space;
        enter_crowd(space);
        if (deferred)
            must(aoi_tick(space));
        take_events(space);
        aoi_listen(space, 0, AOI_TELL_EVENT);
        leave_and_return(
            space); /* a deferred space then has a state for each: leaving takes nothing */
        aoi_drop_collected(space);
        const size_t full = held_by(subject).entities;
        accountant_refuse(&subject->accountant, i, true);
        for (aoi_id id = 50; id <= CROWD; id++)
            must(aoi_leave(space, id));
        const size_t left = held_by(subject).entities;
        accountant_refuse(&subject->accountant, 0, false);
        expect(i == 0 ? left < full - (size_t)CROWD * sizeof(uint32_t) : left == full,
               "the id map is not of the size that it should be");
        aoi_listen(space, AOI_ENTER | AOI_LEAVE | AOI_MOVE, AOI_TELL_EVENT);
        for (aoi_id id = 1; id < 50; id++)
            must(aoi_move(space, id, (aoi_point){SIDE / 2.0 + draw(10), SIDE / 2.0, 0}));
        for (aoi_id id = 50; id <= 100; id++)
            must(aoi_enter(space, id, (aoi_point){SIDE / 2.0, SIDE / 2.0, 0}, NULL));
        if (deferred)
            must(aoi_tick(space));
        sizes[i] = aoi_save(space, 0, saved[i], sizeof saved[i]);
        expect(sizes[i] <= sizeof saved[i], "the saved space is too large for the test");
    }
    expect(sizes[0] == sizes[1] && memcmp(saved[0], saved[1], sizes[0]) == 0,
           "another space is saved where memory was refused");
    for (bool is_over = false; !is_over;)
        expect(!next_differs(subjects[0].space, subjects[1].space, &is_over),
               "other events where memory was refused");
    end(&subjects[0]);
    end(&subjects[1]);
}

/* ------------------------------------------------------------------ */
/* The bound                                                           */
/* ------------------------------------------------------------------ */

#ifndef AOI_SELF_CHECK
static void hold_little(void) {
    enum { ALL = 100000, MOST = 200, WIDE = 10000 };
    struct subject subject;
    aoi_options options = aoi_options_default(AOI_GRID);
    running = "100,000 entities";
    engine_name = "grid";
    options.given = AOI_GIVEN_RADIUS | AOI_GIVEN_DEFERRED | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
    options.radius = 50;
    options.width = options.height = WIDE;
    options.deferred = true;
    options.allocator = accountant_allocate;
    options.allocator_userdata = &subject.accountant;
    subject.accountant = (struct accountant){0};
    must(aoi_create(&options, &subject.space, NULL));
    aoi_row *rows;
    must(aoi_rows(subject.space, ALL, &rows));
    for (aoi_id id = 0; id < ALL; id++)
        rows[id] = (aoi_row){id, {draw(WIDE), draw(WIDE), 0}};
    must(aoi_enter_all(subject.space, rows, ALL, NULL, NULL));
    tick(subject.space);
    const size_t after_enter = bytes_of(&subject) / ALL;
    for (int i = 0; i < 10; i++)
        tick(subject.space);
    const size_t after_ticks = bytes_of(&subject) / ALL;
    expect(after_ticks <= MOST, "ten quiet ticks leave too much");
    printf("bytes an entity: %zu after all have entered, %zu after ten quiet ticks\n", after_enter,
           after_ticks);
    end(&subject);
}

#endif

int main(void) {
    static const aoi_engine engines[] = {AOI_GRID, AOI_CROSSLIST, AOI_QUADTREE};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        count_purposes(engines[i]);
        give_back_ticks(engines[i]);
        pass_through(engines[i]);
        see_all(engines[i]);
        give_back_deliveries(engines[i]);
        give_back_failed(engines[i]);
        give_back_gathered(engines[i], 0);
        give_back_gathered(engines[i], 1000);
        give_back_found(engines[i]);
        give_back_questions(engines[i]);
        give_back_records(engines[i]);
        shrink_ids(engines[i], false);
        shrink_ids(engines[i], true);
    }
    fail_ticks();
#ifndef AOI_SELF_CHECK
    hold_little();
#endif
    return 0;
}
