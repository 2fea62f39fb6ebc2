/* c_saves.c - saves, records, and spaces that take the place of others. */
#include <string.h>

#include "c_world.h"
#include "expectations.h"

static struct text save(struct world *world, const aoi_space *space, uint32_t note) {
    const struct accountant before = world->accountant;
    struct text saved = save_text(space, note);
    if (aoi_save(space, note, saved.bytes, saved.size - 1) != saved.size ||
        aoi_save(space, note, saved.bytes, saved.size) != saved.size)
        fail("aoi_save returns different sizes");
    if (world->accountant.requests != before.requests || world->accountant.bytes != before.bytes)
        fail("aoi_save takes memory");
    return saved;
}

/* One byte changed, or the last ones cut off: the string must be refused. */
static void check_damaged(struct world *world, const struct text *saved) {
    expect(saved->size > 0, "a save is empty");
    size_t at = (draw(world, 256) << 8 | draw(world, 256)) % saved->size, size = saved->size;
    uint8_t change = (uint8_t)next_byte(&world->input);
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    if (change == 0)
        size = at;
    saved->bytes[at] ^= change;
    aoi_status status = aoi_load(saved->bytes, size, accountant_allocate, &world->accountant,
                                 &space, NULL, &complaint);
    saved->bytes[at] ^= change;
    if (status != AOI_INVALID || space != NULL || complaint.text[0] == 0)
        fail("a damaged string is loaded: status %d", status);
}

static void expect_same_stats(const aoi_space *a, const aoi_space *b) {
    aoi_stats of_a, of_b;
    aoi_get_stats(a, &of_a);
    aoi_get_stats(b, &of_b);
    if (of_a.entities != of_b.entities || of_a.pending != of_b.pending ||
        of_a.collected != of_b.collected || of_a.changed != of_b.changed ||
        of_a.delivered != of_b.delivered)
        fail("a loaded space has other stats");
}

/* The space as loaded from a string, or NULL when the allocator has refused. */
static aoi_space *load(struct world *world, const struct text *saved, uint32_t note) {
    const size_t bytes = world->accountant.bytes;
    aoi_space *space = NULL;
    aoi_complaint complaint = {""};
    uint32_t loaded_note = ~note;
    aoi_status status = aoi_load(saved->bytes, saved->size, accountant_allocate, &world->accountant,
                                 &space, &loaded_note, &complaint);
    if (!went_well(world, status)) {
        if (world->accountant.bytes != bytes)
            fail("a space that was not loaded keeps memory");
        return NULL;
    }
    if (status != AOI_OK)
        fail("a saved space is refused: %s", complaint.text);
    if (loaded_note != note)
        fail("the note has changed");
    return space;
}

static void keep_recorded(struct world *world) {
    const unsigned long requests = world->accountant.requests;
    world->record = join_texts(world->record, take_record(world->space));
    if (world->accountant.requests != requests)
        fail("to take a record takes memory");
}

/* A space made from this one takes its place; what is kept of the record goes on with it. */
static void replace_space(struct world *world, aoi_space *space) {
    if (world->keeps_record)
        keep_recorded(world);
    aoi_destroy(world->space);
    world->space = space;
    aoi_record(space, world->keeps_record);
}

/* From here on a loaded space takes the place of the old one, and the model must not notice. */
void call_save(struct world *world) {
    uint32_t note = draw(world, 2) ? draw(world, 256) : UINT32_MAX;
    unsigned count = draw(world, 8);
    bool listens = draw(world, 4) != 3;
    struct text saved = save(world, world->space, note);
    const uint32_t listen = model.listen, wants = model.wants;
    trace("save %zu bytes; %u tellings before it listens: %d", saved.size, count, listens);
    if (draw(world, 4) == 0)
        check_damaged(world, &saved);
    aoi_space *space = load(world, &saved, note);
    if (space != NULL) {
        struct text again = save(world, space, note);
        if (again.size != saved.size || memcmp(again.bytes, saved.bytes, saved.size) != 0)
            fail("a loaded space is saved as another string");
        free_text(&again);
        expect_same_stats(space, world->space);
        replace_space(world, space);
        model_load(&model);
        while (count-- > 0 && take(world, count % 2))
            continue;
        if (listens) {
            aoi_listen(space, listen, wants);
            model_listen(&model, listen, wants, true);
        }
        world->is_unheard = !listens;
    }
    free_text(&saved);
}

void forget_record(struct world *world) {
    world->keeps_record = false;
    aoi_record(world->space, false);
    keep_recorded(world);
    free_text(&world->save);
    free_text(&world->record);
}

static void begin_record(struct world *world) {
    trace("begin a record");
    world->save = save(world, world->space, 0);
    world->record = new_text(0);
    world->keeps_record = true;
    aoi_record(world->space, true);
}

/* Makes the calls of the record that is kept on a space loaded from the save, in two parts. */
static void replay(struct world *world, aoi_space *space, aoi_moment to) {
    const struct text *record = &world->record;
    const aoi_moment now = aoi_moment_of(space);
    const aoi_moment parts[] = {{now.calls + draw(world, 64), now.ticks + draw(world, 64)},
                                {UINT64_MAX, UINT64_MAX}};
    aoi_complaint complaint = {""};
    for (int part = 0; part < 2; part++) {
        aoi_status status = AOI_NOMEM;
        for (int attempt = 0; attempt < 2 && status == AOI_NOMEM; attempt++) {
            status = aoi_replay(space, record->bytes, record->size, NULL, &parts[part], &complaint);
            went_well(world, status);
        }
        if (status != AOI_OK)
            fail("status %d of a record: %s", status, complaint.text);
    }
    const aoi_moment end = aoi_moment_of(space);
    if (end.calls != to.calls || end.ticks != to.ticks)
        fail("a replay ends elsewhere");
}

static void check_span(const struct world *world, const aoi_space *loaded, aoi_moment to) {
    aoi_span span;
    aoi_complaint complaint = {""};
    const aoi_moment from = aoi_moment_of(loaded);
    if (aoi_record_span(world->record.bytes, world->record.size, &span, &complaint) != AOI_OK)
        fail("a record is refused: %s", complaint.text);
    if (span.whole != world->record.size || (span.whole == 0) != (from.calls == to.calls) ||
        (span.whole > 0 && (span.from.calls != from.calls || span.from.ticks != from.ticks ||
                            span.to.calls != to.calls || span.to.ticks != to.ticks)))
        fail("a record is of other calls than were made");
}

/* From here on a space from the save and the record takes the place of the one that recorded, and
 * the model must not notice; but nothing waits any more. */
void replace_by_record(struct world *world) {
    const uint32_t listen = model.listen;
    const aoi_moment now = aoi_moment_of(world->space);
    keep_recorded(world);
    trace("replay %zu bytes", world->record.size);
    aoi_space *space = load(world, &world->save, 0);
    if (space == NULL)
        return;
    check_span(world, space, now);
    const size_t limit = world->accountant.limit;
    world->accountant.limit = 0;
    replay(world, space, now);
    world->accountant.limit = limit;
    aoi_drop_pending(space);
    model.pending.count = 0;
    aoi_listen(space, listen, model.wants);
    model_listen(&model, listen, model.wants, true);
    replace_space(world, space);
    world->is_unheard = false;
    if (draw(world, 2))
        forget_record(world);
}

void call_record(struct world *world) {
    if (!world->keeps_record)
        begin_record(world);
    else if (draw(world, 4) == 0)
        keep_recorded(world);
    else
        replace_by_record(world);
}
