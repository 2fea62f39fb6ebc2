/*
 * fuzz_load.c - a fuzz target: gives its bytes to aoi_load, and uses what comes of it.
 *
 * The first byte says how the space is used; the rest is what stands between the head of a saved
 * string and its checksum. Length and checksum are put around it, so that it gets past them, but
 * for one use in sixteen, where the rest is given as it is.
 *
 * Expected are an answer, little memory (only options may ask for much), nothing left behind, and
 * that a loaded space is as good as any: it is saved as a string from which the same space comes
 * again, and the two go on alike. The self-checks of the test build look at every step.
 *
 * With FUZZ_TRACE in the environment it prints what aoi_load says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accountant.h"
#include "aoi.h"
#include "expectations.h"
#include "input.h"
#include "texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

long inputs_taken; /* that were loaded; replay.c reads it */

enum {
    ALL_OPS = AOI_ENTER | AOI_LEAVE | AOI_MOVE,
    ALL_WANTS = 15,
    AS_IT_IS = 15,        /* as the use: without head and checksum */
    MOST_BYTES = 1 << 18, /* of memory, for a short string; a quarter: borders */
    MOST_CELLS = 1024,    /* of a space that is used: the self-checks look at all of them */
    MOST_USED = 32,       /* entities that are moved and asked about */
    ROUNDS = 3
};

/* ------------------------------------------------------------------ */
/* Strings                                                             */
/* ------------------------------------------------------------------ */

/* The first bytes of every saved string, by aoi_save itself: the version is one of them. */
static const uint8_t *head_of_saves(void) {
    static uint8_t head[SAVE_LENGTH_AT];
    if (head[0] == 0) {
        const aoi_options options = aoi_options_default(AOI_CROSSLIST);
        aoi_complaint complaint = {""};
        aoi_space *space = NULL;
        if (aoi_create(&options, &space, &complaint) != AOI_OK)
            fail("%s", complaint.text);
        struct text saved = save_text(space, 0);
        memcpy(head, saved.bytes, sizeof head);
        free_text(&saved);
        aoi_destroy(space);
    }
    return head;
}

/* The string as it would be if aoi_save had written these contents. */
static struct text frame(const uint8_t *contents, size_t size) {
    struct text text = new_text(SAVE_HEAD + size + SAVE_SUM);
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    memcpy(text.bytes, head_of_saves(), SAVE_LENGTH_AT);
    write_word(text.bytes + SAVE_LENGTH_AT, text.size);
    if (size > 0)
        memcpy(text.bytes + SAVE_HEAD, contents, size);
    for (size_t i = 0; i < SAVE_HEAD + size; i++)
        sum = (sum ^ text.bytes[i]) * UINT64_C(0x100000001B3);
    write_word(text.bytes + SAVE_HEAD + size, sum);
    return text;
}

/* The engine stands behind the note, whose last byte is below 128. */
static bool is_crosslist(const struct text *text) {
    size_t at = SAVE_HEAD;
    while (at < text->size && text->bytes[at] >= 128)
        at++;
    return at + 1 < text->size && text->bytes[at + 1] == AOI_CROSSLIST;
}

/* A space from a string that aoi_save has written. */
static aoi_space *load(struct accountant *accountant, const struct text *text) {
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    aoi_status status = aoi_load(text->bytes, text->size, accountant_allocate, accountant, &space,
                                 NULL, &complaint);
    if (status != AOI_OK)
        fail("%s", complaint.text);
    return space;
}

/* ------------------------------------------------------------------ */
/* Use                                                                 */
/* ------------------------------------------------------------------ */

/* Takes out so many tellings; true when nothing waits any more. */
static bool tell(aoi_space *space, int count) {
    aoi_telling telling;
    for (; count != 0; count--) {
        if (!aoi_peek(space, &telling))
            return true;
        aoi_told(space);
    }
    return false;
}

static void ask(aoi_space *space, aoi_id id) {
    aoi_list list;
    aoi_point place;
    double radius;
    expect(aoi_has(space, id) && aoi_position(space, id, &place) == AOI_OK &&
               aoi_radius(space, id, &radius) == AOI_OK &&
               aoi_markers_of(space, id, &list) == AOI_OK &&
               aoi_watchers_of(space, id, &list) == AOI_OK &&
               aoi_query_nearest(space, place, 3, radius, UINT32_MAX, &list) == AOI_OK &&
               aoi_query_circle(space, place, radius, UINT32_MAX, &list) == AOI_OK,
           "a question is not answered");
}

/* True when the list has the id, once. */
static bool has_once(const aoi_list *list, aoi_id id) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->ids[i] == id;
    return count == 1;
}

/* Each of whom id was told, and who is still there, was told to id; and the other way round. */
static void ask_told(aoi_space *space, aoi_id id) {
    for (int way = 0; way < 2; way++) {
        aoi_id others[MOST_USED];
        aoi_list list;
        aoi_status status = way == 0 ? aoi_told_markers_of(space, id, &list)
                                     : aoi_told_watchers_of(space, id, &list);
        expect(status == AOI_OK, "who was told is not answered");
        const size_t count = list.count < MOST_USED ? list.count : MOST_USED;
        if (count > 0)
            memcpy(others, list.ids, count * sizeof *others);
        for (size_t i = 0; i < count; i++) {
            aoi_reason reason;
            size_t rank;
            status = way == 0 ? aoi_told_watchers_of(space, others[i], &list)
                              : aoi_told_markers_of(space, others[i], &list);
            expect(status == (aoi_has(space, others[i]) ? AOI_OK : AOI_NOT_FOUND) &&
                       (status != AOI_OK || has_once(&list, id)),
                   "who was told of whom, and to whom, differ");
            expect(aoi_explain(space, id, others[i], &reason, &rank) == AOI_OK,
                   "nothing is explained");
        }
    }
}

/* Calls of crowd spaces only; elsewhere they must be refused. */
static void change_in_crowd(aoi_space *space, aoi_id id, unsigned round) {
    const aoi_traits traits = {.given = AOI_TRAIT_LIMIT | AOI_TRAIT_IMPORTANCE,
                               .limit = round == 0 ? AOI_UNLIMITED : round,
                               .importance = (uint32_t)id % 2};
    const aoi_status touched = aoi_touch(space, id);
    const aoi_status pinned = aoi_pin(space, id, (aoi_id)round);
    expect(touched == AOI_OK || touched == AOI_INVALID, "touch");
    expect(pinned == AOI_NO_CROWD || (pinned == AOI_OK && touched == AOI_OK), "pin");
    expect(id % 2 != 0 || aoi_set_traits(space, id, &traits) == pinned, "traits of crowds");
    expect(round != 2 || aoi_unpin(space, id, 1) == pinned, "unpin");
}

static void change(aoi_space *space, aoi_id id, unsigned round) {
    aoi_point place = {0, 0, 0};
    aoi_position(space, id, &place);
    expect(aoi_move(space, id, place) == AOI_OK, "an entity is where none can go");
    place.x += round;
    place.y -= 1;
    if (id % ROUNDS == round)
        aoi_leave(space, id);
    else
        aoi_move(space, id, place);
}

static void widen_map(aoi_space *space) {
    aoi_map map = aoi_map_of(space);
    aoi_set_bounds(space, map.x - 1, map.y, map.width + 2, map.height, NULL, NULL);
}

/* Hears all that waits, and with another choice of tellings on the way. */
static void hear(aoi_space *space, uint32_t wants, unsigned round) {
    aoi_listen(space, ALL_OPS, wants);
    if (!tell(space, 3) && round == 1) {
        wants = (wants * 5 & ALL_WANTS) | AOI_TELL_VIEW;
        aoi_listen(space, ALL_OPS, wants);
    }
    tell(space, -1);
    expect(aoi_pending(space) == 0, "events wait when all has been told");
}

/* A little of everything, the same for the same space. */
static void use(aoi_space *space, unsigned round) {
    aoi_id ids[MOST_USED];
    aoi_list list;
    aoi_event event;
    aoi_cursor cursor = {0, 0};
    expect(aoi_ids(space, &list) == AOI_OK && list.count == aoi_count(space), "ids are missing");
    size_t count = list.count < MOST_USED ? list.count : MOST_USED;
    if (count > 0)
        memcpy(ids, list.ids, count * sizeof *ids);
    for (size_t i = 0; i < count; i++) {
        ask(space, ids[i]);
        ask_told(space, ids[i]);
        if (ids[i] % 4 == 1)
            change_in_crowd(space, ids[i], round);
        change(space, ids[i], round);
    }
    if (round == 1)
        widen_map(space);
    aoi_update(space, round, (aoi_point){round, 1, 1}, NULL, NULL);
    aoi_tick(space);
    aoi_tick(space); /* in a crowd some wait for it */
    while (aoi_collected_event(space, &cursor, &event))
        continue;
}

/* ------------------------------------------------------------------ */
/* One input                                                           */
/* ------------------------------------------------------------------ */

static bool same_moment(aoi_moment a, aoi_moment b) {
    return a.calls == b.calls && a.ticks == b.ticks;
}

/* Makes the calls of the record up to the moment. */
static void replay(aoi_space *space, const struct text *record, aoi_moment until) {
    aoi_complaint complaint = {""};
    if (aoi_replay(space, record->bytes, record->size, NULL, &until, &complaint) != AOI_OK)
        fail("%s", complaint.text);
    expect(aoi_moment_of(space).calls == until.calls, "a replay ends elsewhere");
}

/* Two loaded from the string listen from then on. What one records while it is used, the other
 * makes again, in two parts: it becomes the same, and tells the same. */
static void use_recorded(const struct text *saved, struct accountant *accountant, unsigned round) {
    aoi_space *space = load(accountant, saved), *twin = load(accountant, saved);
    aoi_complaint complaint = {""};
    aoi_span span;
    aoi_listen(space, ALL_OPS, AOI_TELL_EVENT);
    aoi_listen(twin, ALL_OPS, AOI_TELL_EVENT);
    const aoi_moment from = aoi_moment_of(space);
    aoi_record(space, true);
    use(space, round);
    aoi_drop_oldest_collected(space, round);
    const aoi_moment to = aoi_moment_of(space);
    struct text record = take_record(space);
    if (aoi_record_span(record.bytes, record.size, &span, &complaint) != AOI_OK)
        fail("%s", complaint.text);
    expect(span.whole == record.size && (record.size > 0) == (from.calls < to.calls) &&
               (record.size == 0 || (same_moment(span.from, from) && same_moment(span.to, to))),
           "a record is of other calls than were made");
    replay(twin, &record, (aoi_moment){from.calls + (to.calls - from.calls) / 2, UINT64_MAX});
    replay(twin, &record, (aoi_moment){to.calls, UINT64_MAX});
    expect(sum_events(space) == sum_events(twin), "calls made again tell something else");
    expect(are_alike(space, twin), "calls made again give another space");
    free_text(&record);
    aoi_destroy(space);
    aoi_destroy(twin);
}

/* Uses the space and one saved and loaded from it alike. */
static void use_twins(aoi_space *space, struct accountant *accountant, uint32_t wants) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct text saved = save_text(space, 0);
        aoi_space *twin = load(accountant, &saved);
        expect(is_saved_as(twin, &saved), "save, load, save: two strings");
        use_recorded(&saved, accountant, round);
        free_text(&saved);
        hear(space, wants, round);
        use(space, round);
        hear(twin, wants, round);
        use(twin, round);
        expect(are_alike(space, twin), "a loaded space goes on in another way");
        aoi_destroy(twin);
        /* The next twin comes in the middle of a change, and goes on for the same listeners. */
        aoi_listen(space, ALL_OPS, wants);
        tell(space, 3 * (int)round);
        if (round > 0)
            aoi_drop_collected(space);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct input input = {bytes, size};
    struct accountant accountant;
    aoi_space *space = NULL;
    aoi_stats stats;
    aoi_complaint complaint = {""};
    unsigned how = next_byte(&input);
    uint32_t note = 0, wants = how & ALL_WANTS;
    struct text text;
    if (how >> 4 == AS_IT_IS) {
        text = copy_text(input.bytes, input.left);
    } else {
        text = frame(input.bytes, input.left);
    }
    memset(&accountant, 0, sizeof accountant);
    accountant.limit = MOST_BYTES;
    aoi_status status = aoi_load(text.bytes, text.size, accountant_allocate, &accountant, &space,
                                 &note, &complaint);
    if (getenv("FUZZ_TRACE") != NULL)
        fprintf(stderr, "%zu bytes: status %d %s\n", text.size, status, complaint.text);
    expect(status == AOI_OK || (status == AOI_INVALID && complaint.text[0] != 0) ||
               (status == AOI_NOMEM && accountant.refused > 0),
           "a status that can't be");
    expect(accountant.refused == 0 || !is_crosslist(&text), "a short string takes much memory");
    accountant.limit = 0;
    if (status == AOI_OK) {
        inputs_taken++;
        aoi_get_stats(space, &stats);
        expect(stats.bytes == accountant.bytes, "aoi_get_stats is wrong");
        if (stats.cells <= MOST_CELLS)
            use_twins(space, &accountant, wants == 0 ? AOI_TELL_EVENT : wants);
        aoi_destroy(space);
    }
    free_text(&text);
    expect(accountant.bytes == 0 && accountant.wrong_sizes == 0,
           "bytes are left, or old sizes are wrong");
    return 0;
}
