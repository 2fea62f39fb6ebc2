/*
 * fuzz_replay.c - a fuzz target: gives its bytes to aoi_replay as the calls of records.
 *
 * The first bytes choose a small space, and how the rest is cut into records, whose heads and
 * checksums are put around them: right ones, mostly, or such as leave a gap, say. How long a call
 * is, is read here once more, from record/format.h.
 *
 * Expected are an answer, little memory, and that nothing has changed when the string is refused
 * as a whole. What was replayed comes out the same from the space's own record of it, and in small
 * steps, with allocations refused on the way. A damaged string is whole up to the damaged record.
 *
 * With FUZZ_TRACE in the environment it prints what aoi_replay says.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "aoi.h"
#include "base/checksum.h"
#include "expectations.h"
#include "input.h"
#include "record/format.h"
#include "texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    ALL_OPS = AOI_ENTER | AOI_LEAVE | AOI_MOVE | AOI_AREA_ENTER | AOI_AREA_LEAVE,
    SIDE = 64,            /* of the maps */
    INHABITANTS = 8,      /* who is there before, with ids from 1 */
    MOST_BYTES = 1 << 22, /* of memory, for a string of some thousand bytes */
    MOST_RECORDS = 32
};

/* ------------------------------------------------------------------ */
/* Spaces                                                              */
/* ------------------------------------------------------------------ */

/* Kinds of spaces, besides the engine. */
enum {
    DEFERRED = 1 << 0,
    CROWD = 1 << 1, /* deferred, too */
    SLACK = 1 << 2,
    SOLID = 1 << 3,     /* three dimensions */
    NO_RADIUS = 1 << 4, /* a grid is a classic nine-grid then */
    CLAMP = 1 << 5,
    NO_MAP = 1 << 6 /* of a grid */
};

struct variant {
    aoi_engine engine;
    unsigned what;
};

static const struct variant variants[] = {
    {AOI_GRID, NO_RADIUS},
    {AOI_GRID, SLACK | CLAMP},
    {AOI_CROSSLIST, 0},
    {AOI_CROSSLIST, NO_RADIUS | SLACK},
    {AOI_QUADTREE, 0},
    {AOI_QUADTREE, SOLID | NO_RADIUS},
    {AOI_GRID, DEFERRED},
    {AOI_GRID, DEFERRED | NO_RADIUS | CLAMP},
    {AOI_CROSSLIST, DEFERRED | SOLID},
    {AOI_QUADTREE, DEFERRED | SLACK},
    {AOI_GRID, CROWD},
    {AOI_GRID, CROWD | NO_RADIUS},
    {AOI_CROSSLIST, CROWD | SLACK},
    {AOI_QUADTREE, CROWD | SOLID},
    {AOI_GRID, NO_MAP},
    {AOI_GRID, NO_MAP | DEFERRED | SLACK},
    {AOI_GRID, NO_MAP | CROWD | SOLID},
};

static aoi_options options_of(const struct variant *variant) {
    aoi_options options = aoi_options_default(variant->engine);
    options.given = AOI_GIVEN_DEFERRED;
    options.deferred = (variant->what & (DEFERRED | CROWD)) != 0;
    options.collect = ALL_OPS;
    options.listen = ALL_OPS;
    if (variant->engine != AOI_CROSSLIST && !(variant->what & NO_MAP)) {
        options.given |= AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_CLAMP;
        options.width = options.height = SIDE;
        options.clamp = (variant->what & CLAMP) != 0;
    }
    if (!(variant->what & NO_RADIUS)) {
        options.given |= AOI_GIVEN_RADIUS;
        options.radius = SIDE / 4.0;
    } else if (variant->engine == AOI_GRID) {
        options.given |= AOI_GIVEN_COLS | AOI_GIVEN_ROWS;
        options.cols = options.rows = 5;
    }
    if (variant->what & SLACK) {
        options.given |= AOI_GIVEN_SLACK;
        options.slack = 2;
    }
    if (variant->what & SOLID) {
        options.given |= AOI_GIVEN_DIMS | AOI_GIVEN_SHAPE;
        options.dims = 3;
        options.shape = AOI_CIRCLE;
    }
    if (variant->what & CROWD) {
        options.given |= AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES;
        options.limit = 4;
        options.enter_budget = 2;
        options.rates = (aoi_rates){.count = 2, .rings = {{4, 1}, {INFINITY, 3}}};
    }
    return options;
}

/* A space with some inhabitants; for the same variant always the same. */
static aoi_space *new_space(const struct variant *variant, struct accountant *accountant) {
    const bool is_nine_grid = variant->engine == AOI_GRID && (variant->what & NO_RADIUS);
    aoi_options options = options_of(variant);
    const unsigned both_radii = AOI_TRAIT_RADIUS | AOI_TRAIT_VISIBLE_RADIUS;
    aoi_space *space = NULL;
    options.allocator = accountant_allocate;
    options.allocator_userdata = accountant;
    expect(aoi_create(&options, &space, NULL) == AOI_OK, "no space is made");
    for (aoi_id id = 1; id <= INHABITANTS; id++) {
        const aoi_point place = {(double)(id * 23 % SIDE), (double)(id * 37 % SIDE), (double)id};
        const aoi_traits traits = {.given = AOI_TRAIT_MODE | (is_nine_grid ? 0 : both_radii),
                                   .mode = id % 4 == 3 ? AOI_MARKER : AOI_WATCHER | AOI_MARKER,
                                   .radius = (double)(10 + id % 3 * 8),
                                   .visible_radius = id % 4 == 1 ? SIDE / 2.0 : 0};
        expect(aoi_enter(space, id, place, &traits) == AOI_OK, "nobody enters");
    }
    expect(aoi_set_sight(space, 2, 7, AOI_SIGHT_ALWAYS) == AOI_OK &&
               aoi_set_sight(space, 1, 5, AOI_SIGHT_NEVER) == AOI_OK,
           "no words");
    if (options.deferred)
        expect(aoi_tick(space) == AOI_OK, "no tick");
    if (variant->what & CROWD)
        expect(aoi_pin(space, 1, 8) == AOI_OK, "no pin");
    aoi_event event;
    while (aoi_next_event(space, &event))
        continue;
    return space;
}

static void end_space(aoi_space *space, const struct accountant *accountant) {
    aoi_destroy(space);
    expect(accountant->bytes == 0 && accountant->wrong_sizes == 0,
           "bytes are left, or old sizes are wrong");
}

static bool same_moment(aoi_moment a, aoi_moment b) {
    return a.calls == b.calls && a.ticks == b.ticks;
}

/* ------------------------------------------------------------------ */
/* Calls, as bytes                                                     */
/* ------------------------------------------------------------------ */

struct reader {
    const uint8_t *bytes;
    size_t at, end;
    bool is_bad;   /* there is no call of this form */
    uint64_t tick; /* of the last call, to which the space was to go */
};

static void pass_bytes(struct reader *reader, size_t count) {
    if (count > reader->end - reader->at)
        reader->is_bad = true;
    else
        reader->at += count;
}

static unsigned read_byte(struct reader *reader) {
    if (reader->at == reader->end)
        reader->is_bad = true;
    return reader->is_bad ? 0 : reader->bytes[reader->at++];
}

static uint64_t read_count(struct reader *reader) {
    uint64_t count = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const unsigned byte = read_byte(reader);
        reader->is_bad = reader->is_bad || (byte == 0 && shift > 0) || (shift == 63 && byte > 1);
        count |= (uint64_t)(byte % 128) << shift;
        if (byte < 128)
            return count;
    }
    return count;
}

static void pass_traits(struct reader *reader) {
    const unsigned given = read_byte(reader);
    reader->is_bad = reader->is_bad || given >= AOI_TRAIT_END * 2 - 2;
    if (given & AOI_TRAIT_RADIUS)
        pass_bytes(reader, 8);
    for (unsigned bit = AOI_TRAIT_MODE; bit <= AOI_TRAIT_IMPORTANCE; bit <<= 1) {
        if (given & bit)
            read_count(reader);
    }
    if (given & AOI_TRAIT_VISIBLE_RADIUS)
        pass_bytes(reader, 8);
}

/* Ids, each with a point of so many bytes behind it. */
static void pass_rows(struct reader *reader, uint64_t count, size_t point) {
    for (; count > 0 && !reader->is_bad; count--) {
        read_count(reader);
        pass_bytes(reader, point);
    }
}

/* Reads past the description of an area, see record/saved_area.h. */
static void pass_area(struct reader *reader, int dims) {
    const unsigned given = read_byte(reader);
    const size_t place = 8 * (size_t)dims;
    unsigned shape = 0;
    reader->is_bad = reader->is_bad || given >= AOI_AREA_GIVEN_SEES_LAYERS * 2;
    if (given & AOI_AREA_GIVEN_SHAPE) {
        shape = read_byte(reader);
        if (shape == AOI_AREA_CIRCLE || shape == AOI_AREA_SQUARE)
            pass_bytes(reader, given & AOI_AREA_GIVEN_LEAVE_RADIUS ? 16 : 8);
        else if (shape == AOI_AREA_RECT)
            pass_bytes(reader, 16);
        else
            reader->is_bad = reader->is_bad || shape != AOI_AREA_POLYGON;
    }
    if (given & AOI_AREA_GIVEN_PLACE)
        pass_bytes(reader, place);
    if (given & AOI_AREA_GIVEN_OWNER)
        pass_rows(reader, 1, place);
    if (given & AOI_AREA_GIVEN_SEES_LAYERS)
        read_count(reader);
    if (shape != AOI_AREA_POLYGON)
        return;
    const uint64_t rings = read_count(reader);
    uint64_t left = read_count(reader);
    reader->is_bad = reader->is_bad || rings == 0 || rings > left;
    for (uint64_t ring = 0; ring < rings && !reader->is_bad; ring++) {
        const uint64_t corners = read_count(reader);
        reader->is_bad = reader->is_bad || corners == 0 || corners > left;
        left -= corners;
        for (uint64_t i = 0; i < corners && !reader->is_bad; i++)
            pass_bytes(reader, 16);
    }
    reader->is_bad = reader->is_bad || left > 0;
}

/* Passes over the next call and returns its kind. The numbers in it may be bad ones. */
static enum call_kind pass_call(struct reader *reader, int dims) {
    const unsigned first = read_byte(reader);
    const unsigned kind = first % CALL_HAS_FLOATS;
    const bool has_traits = (first & CALL_HAS_TRAITS) != 0;
    const bool has_floats = (first & CALL_HAS_FLOATS) != 0;
    const size_t point = (has_floats ? 4U : 8U) * (size_t)dims;
    const unsigned parts = kind > 0 && kind < CALL_KINDS ? call_parts(kind) : 0;
    uint64_t count = 0;
    reader->is_bad = reader->is_bad || kind == 0 || kind >= CALL_KINDS ||
                     (has_traits && !(parts & PART_TRAITS)) ||
                     (has_floats && !(parts & (PART_PLACE | PART_ROWS)));
    if (parts & PART_ID)
        pass_rows(reader, parts & PART_OTHER ? 2 : 1, 0);
    if (parts & PART_PLACE)
        pass_bytes(reader, parts & PART_ANCHOR ? 2 * point : point);
    if (parts & PART_AREA)
        pass_area(reader, dims);
    if (parts & PART_BOUNDS)
        pass_bytes(reader, 32);
    if (parts & (PART_NUMBER | PART_TEXT | PART_IDS | PART_ROWS))
        count = read_count(reader);
    if (kind == CALL_TICK_TO)
        reader->tick = count;
    if (has_traits)
        pass_traits(reader);
    if (parts & PART_TEXT)
        pass_bytes(reader, count < SIZE_MAX ? (size_t)count : SIZE_MAX);
    if (parts & (PART_IDS | PART_ROWS))
        pass_rows(reader, count, parts & PART_ROWS ? point : 0);
    return (enum call_kind)kind;
}

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

/* Faults of the heads of the records. */
enum heads {
    RIGHT_HEADS,
    TWICE,         /* nothing, but each record comes twice */
    GAP,           /* a call is missing before the last record */
    OTHER_COUNT,   /* the last record has one call less than it says */
    OTHER_DIMS,    /* all records but the first are of a space with others; or the only one is */
    OTHER_HISTORY, /* before the last record there was one tick less than there were, or more */
    AS_IT_IS,      /* there are none: the bytes are the string */
    HEADS
};

struct records {
    struct text text;
    size_t starts[MOST_RECORDS];
    size_t count;
    aoi_moment from, to;
    bool is_bad; /* not all calls have the form of one */
    bool is_odd; /* a tick has no number that can follow: whether that is seen depends on heads */
    bool is_foreign; /* whole records may not be of the space */
};

/* Puts a record of these calls behind the others. */
static void add_record(struct records *records, const uint8_t *calls, size_t size, aoi_moment from,
                       aoi_moment to, int dims) {
    struct text text = new_text(RECORD_HEAD + size);
    memcpy(text.bytes, (const uint8_t[]){'A', 'O', 'R', RECORD_VERSION}, RECORD_LENGTH_AT);
    write_word(text.bytes + RECORD_LENGTH_AT, text.size);
    write_word(text.bytes + RECORD_FROM_AT, from.calls);
    write_word(text.bytes + RECORD_FROM_AT + 8, from.ticks);
    write_word(text.bytes + RECORD_TO_AT, to.calls);
    write_word(text.bytes + RECORD_TO_AT + 8, to.ticks);
    text.bytes[RECORD_DIMS_AT] = (uint8_t)dims;
    memcpy(text.bytes + RECORD_HEAD, calls, size);
    write_word(text.bytes + RECORD_SUM_AT,
               checksum_words(text.bytes + RECORD_FROM_AT, text.size - RECORD_FROM_AT));
    records->starts[records->count++] = records->text.size;
    records->text = join_texts(records->text, text);
}

/* The calls in the bytes as records of up to so many calls each, of a space at this moment. */
static struct records make_records(const struct input *input, enum heads heads, unsigned most,
                                   const aoi_space *space) {
    struct reader reader = {.bytes = input->bytes, .end = input->left};
    struct records records = {.text = new_text(0), .from = aoi_moment_of(space)};
    aoi_moment now = records.from;
    while (reader.at < reader.end) {
        const size_t start = reader.at;
        const bool has_room = records.count + 2 < MOST_RECORDS;
        const bool is_foreign = heads == OTHER_DIMS && (records.count > 0 || most == 0);
        const int dims = is_foreign ? 5 - aoi_dims(space) : aoi_dims(space);
        aoi_moment from = now;
        for (unsigned calls = 0; reader.at < reader.end && !reader.is_bad; calls++) {
            if (calls == most && most > 0 && has_room)
                break;
            const enum call_kind kind = pass_call(&reader, dims);
            now.calls++;
            now.ticks += kind == CALL_TICK;
            if (kind == CALL_TICK_TO && !reader.is_bad) {
                records.is_odd = records.is_odd || reader.tick <= now.ticks;
                now.ticks = reader.tick;
            }
            records.is_odd = records.is_odd || now.ticks > AOI_LAST_TICK;
        }
        if (reader.is_bad) /* what comes then is in no order */
            reader.at = reader.end;
        aoi_moment to = now;
        const bool is_last = reader.at == reader.end;
        from.calls += is_last && heads == GAP;
        to.calls += is_last && (heads == GAP || heads == OTHER_COUNT);
        if (is_last && heads == OTHER_HISTORY) {
            to.ticks += from.ticks > 0 ? UINT64_MAX : 1;
            from.ticks += from.ticks > 0 ? UINT64_MAX : 1;
        }
        for (int turn = heads == TWICE ? 2 : 1; turn > 0; turn--)
            add_record(&records, input->bytes + start, reader.at - start, from, to, dims);
    }
    records.to = now;
    records.is_bad = reader.is_bad;
    records.is_foreign = records.count > 0 &&
                         (heads == OTHER_DIMS ? most == 0 : heads == GAP || heads == OTHER_HISTORY);
    return records;
}

/* ------------------------------------------------------------------ */
/* One input                                                           */
/* ------------------------------------------------------------------ */

struct test {
    const struct variant *variant;
    struct records records;
    enum heads heads;
    unsigned step;   /* calls that are made at once */
    unsigned refuse; /* the allocation that is refused in each step; 0: none */
};

static aoi_status replay(const struct test *test, aoi_space *space, const struct text *text,
                         const aoi_moment *until, const struct accountant *accountant) {
    aoi_complaint complaint = {""};
    aoi_span span;
    const bool asks_first =
        test->step % 2 && aoi_record_span(text->bytes, text->size, &span, NULL) == AOI_OK;
    const aoi_status status =
        aoi_replay(space, text->bytes, text->size, asks_first ? &span : NULL, until, &complaint);
    trace("%zu bytes: status %d at call %llu %s", text->size, status,
          (unsigned long long)aoi_moment_of(space).calls, complaint.text);
    expect(status == AOI_OK || (status == AOI_INVALID && complaint.text[0] != 0) ||
               (status == AOI_NOMEM && accountant->refused > 0),
           "a status that can't be");
    return status;
}

/* A string that can't be of this space changes nothing. */
static void expect_refused(const struct test *test, aoi_space *space, const struct text *text,
                           const struct accountant *accountant) {
    struct text before = save_text(space, 0);
    const size_t recorded = aoi_recorded(space, NULL, 0);
    expect(replay(test, space, text, NULL, accountant) == AOI_INVALID, "bad records are replayed");
    expect(is_saved_as(space, &before) && aoi_recorded(space, NULL, 0) == recorded,
           "bad records change the space");
    free_text(&before);
}

/* Whether records from test->records are whole, and up to where. */
static aoi_status check_span(const struct test *test) {
    const struct records *records = &test->records;
    const struct text *text = &records->text;
    aoi_span span, again;
    aoi_complaint complaint = {""};
    const aoi_status status = aoi_record_span(text->bytes, text->size, &span, &complaint);
    expect(span.whole <= text->size && (span.whole == text->size) == (status == AOI_OK) &&
               (complaint.text[0] != 0) == (status == AOI_INVALID),
           "the span of records is wrong");
    expect(aoi_record_span(text->bytes, span.whole, &again, NULL) == AOI_OK &&
               again.whole == span.whole && same_moment(again.from, span.from) &&
               same_moment(again.to, span.to),
           "what is whole is not");
    if (test->heads == AS_IT_IS || text->size == 0)
        return status;
    expect(!records->is_bad || status == AOI_INVALID, "bad calls are good");
    expect(status != AOI_OK ||
               (test->heads != OTHER_COUNT && (test->heads <= TWICE || records->count == 1)),
           "bad heads are good");
    expect(status != AOI_OK || test->heads > TWICE ||
               (same_moment(span.from, records->from) && same_moment(span.to, records->to)),
           "records have another span");
    return status;
}

/* Checks the record that the space has made of it. */
static void check_record(const struct test *test, const struct text *before, aoi_space *space) {
    struct accountant accountant = {0};
    struct text record = take_record(space);
    const aoi_moment to = aoi_moment_of(space);
    aoi_space *twin = NULL;
    aoi_span span;
    expect(aoi_load(before->bytes, before->size, accountant_allocate, &accountant, &twin, NULL,
                    NULL) == AOI_OK,
           "a save can't be loaded");
    const aoi_moment from = aoi_moment_of(twin);
    expect(aoi_record_span(record.bytes, record.size, &span, NULL) == AOI_OK &&
               (record.size > 0) == (from.calls < to.calls) &&
               (record.size == 0 || (same_moment(span.from, from) && same_moment(span.to, to))),
           "a record is of other calls than were made");
    aoi_listen(twin, ALL_OPS, AOI_TELL_EVENT);
    expect(replay(test, twin, &record, NULL, &accountant) == AOI_OK, "a record is refused");
    expect(sum_events(twin) == sum_events(space) && are_alike(twin, space),
           "a record gives another space");
    end_space(twin, &accountant);
    free_text(&record);
}

/* Replays in steps, by calls or by ticks, each with an allocation refused at first. */
static void check_steps(const struct test *test, const aoi_space *space, aoi_status expected) {
    struct accountant accountant = {0};
    aoi_space *twin = new_space(test->variant, &accountant);
    const aoi_moment to = aoi_moment_of(space);
    aoi_moment now = aoi_moment_of(twin);
    aoi_status status = AOI_OK;
    while (now.calls < to.calls && status == AOI_OK) {
        const bool by_ticks = test->step % 4 == 3;
        const uint64_t next = now.calls + 1 + test->step / 4;
        const aoi_moment until = {by_ticks || next > to.calls ? to.calls : next,
                                  by_ticks ? now.ticks + 1 : UINT64_MAX};
        accountant_refuse(&accountant, test->refuse, test->step % 2 != 0);
        status = replay(test, twin, &test->records.text, &until, &accountant);
        accountant_refuse(&accountant, 0, false);
        if (status == AOI_NOMEM)
            status = replay(test, twin, &test->records.text, &until, &accountant);
        now = aoi_moment_of(twin);
        expect(status != AOI_OK || now.calls == until.calls || now.ticks >= until.ticks,
               "a replay ends too early");
        /* A tick may be several on. */
        expect(now.calls <= until.calls && (by_ticks || now.ticks <= until.ticks),
               "a replay goes too far");
    }
    expect(same_moment(now, to), "in steps it ends elsewhere");
    if (expected == AOI_INVALID)
        expect(replay(test, twin, &test->records.text, NULL, &accountant) == AOI_INVALID,
               "a bad call is made in a second attempt");
    sum_events(twin);
    expect(are_alike(twin, space), "in steps it becomes another space");
    end_space(twin, &accountant);
}

/* One byte is another, or it is cut off there: whole is what comes before that record. */
static void check_damaged(const struct test *test, struct input *input, aoi_space *space,
                          const struct accountant *accountant) {
    const struct records *records = &test->records;
    if (records->count == 0)
        return;
    const size_t at = (next_byte(input) << 8 | next_byte(input)) % records->text.size;
    const uint8_t change = (uint8_t)next_byte(input);
    struct text damaged = copy_text(records->text.bytes, change == 0 ? at : records->text.size);
    size_t whole = 0;
    for (size_t i = 0; i < records->count && records->starts[i] <= at; i++)
        whole = records->starts[i];
    if (change != 0)
        damaged.bytes[at] ^= change;
    aoi_span span;
    const aoi_status status = aoi_record_span(damaged.bytes, damaged.size, &span, NULL);
    expect(span.whole == whole && status == (whole == damaged.size ? AOI_OK : AOI_INVALID),
           "damage is not found where it is");
    if (status == AOI_INVALID)
        expect_refused(test, space, &damaged, accountant);
    free_text(&damaged);
}

/* Replays what is whole. */
static void check_replay(const struct test *test, struct input *damage) {
    struct accountant accountant = {.limit = MOST_BYTES};
    aoi_space *space = new_space(test->variant, &accountant);
    struct text before = save_text(space, 0);
    aoi_span span;
    aoi_record_span(test->records.text.bytes, test->records.text.size, &span, NULL);
    aoi_record(space, true);
    const aoi_status status = replay(test, space, &test->records.text, NULL, &accountant);
    const aoi_moment now = aoi_moment_of(space);
    expect(accountant.refused == 0 || test->variant->engine == AOI_GRID,
           "a short string takes much memory");
    accountant.limit = 0;
    if (test->records.count > 0)
        expect(status == AOI_OK ? same_moment(now, span.to) : now.calls < span.to.calls,
               "a replay ends elsewhere");
    check_record(test, &before, space);
    check_damaged(test, damage, space, &accountant);
    check_steps(test, space, status);
    end_space(space, &accountant);
    free_text(&before);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct input input = {bytes, size};
    struct test test = {.variant = &variants[choose(&input, sizeof variants / sizeof *variants)],
                        .heads = (enum heads)choose(&input, HEADS)};
    const unsigned most = choose(&input, 32);
    struct accountant accountant = {0};
    struct records *records = &test.records;
    test.step = next_byte(&input);
    test.refuse = choose(&input, 64);
    struct input damage = {input.bytes, input.left < 3 ? input.left : 3};
    for (int i = 0; i < 3; i++)
        next_byte(&input);
    aoi_space *space = new_space(test.variant, &accountant);
    if (test.heads == AS_IT_IS)
        *records = (struct records){.text = copy_text(input.bytes, input.left)};
    else
        *records = make_records(&input, test.heads, most, space);
    if (records->is_odd) { /* what is to be expected is not known */
        end_space(space, &accountant);
        free_text(&records->text);
        return 0;
    }
    const aoi_status status = check_span(&test);
    if (status != AOI_OK || records->is_foreign)
        expect_refused(&test, space, &records->text, &accountant);
    end_space(space, &accountant);
    if (status != AOI_OK) {
        aoi_span span;
        aoi_record_span(records->text.bytes, records->text.size, &span, NULL);
        struct text whole = copy_text(records->text.bytes, span.whole);
        free_text(&records->text);
        records->text = whole;
        while (records->count > 0 && records->starts[records->count - 1] >= whole.size)
            records->count--;
    }
    if (status != AOI_OK || !records->is_foreign)
        check_replay(&test, &damage);
    free_text(&records->text);
    return 0;
}
