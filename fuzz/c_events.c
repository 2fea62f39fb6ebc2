/* c_events.c - the events that a space tells and gathers, held against the model. */
#include <stdlib.h>
#include <string.h>

#include "c_world.h"
#include "expectations.h"

static void expect_same_list(const aoi_list *a, const aoi_list *b) {
    if (a->count != b->count ||
        (a->count > 0 && memcmp(a->ids, b->ids, a->count * sizeof *a->ids) != 0))
        fail("two looks at one telling differ");
}

/* Takes all that waits, unchecked: a lack of memory leaves it open how it is grouped. */
static void take_unchecked(struct world *world) {
    aoi_telling telling;
    while (aoi_peek(world->space, &telling))
        aoi_told(world->space);
    model.pending.count = 0;
}

/* Takes the oldest telling, if one waits. */
static bool take_telling(struct world *world) {
    aoi_telling telling, again;
    if (!aoi_peek(world->space, &telling)) {
        expect_agreement(model_nothing_waits(&model));
        return false;
    }
    if (world->accountant.refused > 0) { /* then its groups may be smaller than they should */
        accountant_refuse(&world->accountant, 0, false);
        take_unchecked(world);
        return true;
    }
    if (!aoi_peek(world->space, &again) || again.number != telling.number ||
        again.kind != telling.kind)
        fail("two looks at one telling differ");
    expect_same_list(&telling.others, &again.others);
    expect_same_list(&telling.left, &again.left);
    expect_same_list(&telling.entered, &again.entered);
    expect_same_list(&telling.moved, &again.moved);
    trace("told kind %u subject %lld op %d others %zu left %zu entered %zu moved %zu event %lld "
          "%lld %d",
          telling.kind, (long long)telling.subject, telling.op, telling.others.count,
          telling.left.count, telling.entered.count, telling.moved.count,
          (long long)telling.event.watcher, (long long)telling.event.marker, telling.event.op);
    if (aoi_is_midway(world->space) != model_is_midway(&model))
        fail("aoi_is_midway is wrong");
    expect_agreement(model_take_telling(&model, &telling));
    aoi_told(world->space);
    expect_agreement(model_check_pending(&model, aoi_pending(world->space)));
    if (aoi_peek(world->space, &again) && again.number == telling.number)
        fail("another telling has the same number");
    return true;
}

static bool take_event(struct world *world) {
    aoi_event event;
    if (!aoi_next_event(world->space, &event)) {
        expect_agreement(model_nothing_waits(&model));
        return false;
    }
    trace("event %lld %lld %d", (long long)event.watcher, (long long)event.marker, event.op);
    expect_agreement(model_take_event(&model, &event));
    expect_agreement(model_check_pending(&model, aoi_pending(world->space)));
    return true;
}

/* As the listeners want it. */
bool take(struct world *world, bool single) {
    const bool by_event = model.wants == AOI_TELL_EVENT && !aoi_is_midway(world->space);
    return by_event && single ? take_event(world) : take_telling(world);
}

void take_all(struct world *world, bool single) {
    while (take(world, single))
        continue;
}

static bool same_event(const aoi_event *a, const aoi_event *b) {
    return a->watcher == b->watcher && a->marker == b->marker && a->op == b->op;
}

static void expect_packed_event(const uint8_t *row, const aoi_event *expected) {
    if (get_bytes(row, 8) != (uint64_t)expected->watcher ||
        get_bytes(row + 8, 8) != (uint64_t)expected->marker || row[16] != expected->op)
        fail("a gathered event is packed wrong");
}

/* Reads up to `count` events at the cursor, in one of the three ways; returns how many. */
static size_t read_gathered(struct world *world, aoi_cursor *cursor, size_t count,
                            const aoi_event *expected) {
    enum { MOST_AT_ONCE = 40 };
    const unsigned way = draw(world, 3);
    const size_t asked = 1 + draw(world, MOST_AT_ONCE);
    const size_t least = asked < count ? asked : count;
    aoi_event event, events[MOST_AT_ONCE];
    size_t read = 0;
    if (way == 0) {
        read = aoi_collected_event(world->space, cursor, &event) ? 1 : 0;
        if (read != (count > 0 ? 1 : 0) || (read == 1 && !same_event(&event, expected)))
            fail("aoi_collected_event differs");
    } else if (way == 1) {
        read = aoi_collected_events(world->space, cursor, asked, events);
        if (read != least)
            fail("aoi_collected_events gives %zu events, expected %zu", read, least);
        for (size_t i = 0; i < read; i++) {
            if (!same_event(&events[i], &expected[i]))
                fail("aoi_collected_events differs");
        }
    } else {
        struct exact_bytes packed = exact_bytes_of(world, least * AOI_PACKED_EVENT);
        read = aoi_collected_packed(world->space, cursor, asked, packed.bytes);
        if (read != least)
            fail("aoi_collected_packed gives %zu events, expected %zu", read, least);
        for (size_t i = 0; i < read; i++)
            expect_packed_event(packed.bytes + i * AOI_PACKED_EVENT, &expected[i]);
        free(packed.block);
    }
    return read;
}

/* All ways to read what is gathered, in turns, give the same. */
void call_read_gathered(struct world *world) {
    static aoi_event events[MODEL_EVENTS];
    const size_t count = aoi_collected(world->space);
    aoi_cursor cursor = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (!aoi_collected_event(world->space, &cursor, &events[i]))
            fail("gathered events are missing");
    }
    cursor = (aoi_cursor){0, 0};
    size_t at = 0;
    trace("read %zu gathered events", count);
    while (at < count)
        at += read_gathered(world, &cursor, count - at, events + at);
    read_gathered(world, &cursor, 0, events);
}

/* Which events of a change are the oldest is left open: where the drop is made again, no change can
 * be dropped in part. */
static size_t whole_changes(size_t count) {
    const struct model_event *items = model.collected.items;
    if (count >= model.collected.count)
        return count;
    while (count > 0 && items[count - 1].change == items[count].change)
        count--;
    return count;
}

void call_drop_oldest(struct world *world) {
    enum { MOST = 24 };
    size_t count = draw(world, MOST);
    if (world->keeps_record)
        count = whole_changes(count);
    aoi_event events[MOST];
    aoi_cursor cursor = {0, 0};
    trace("drop the oldest %zu gathered events", count);
    const size_t dropped = aoi_collected_events(world->space, &cursor, count, events);
    const aoi_status status = aoi_drop_oldest_collected(world->space, count);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    for (size_t i = 0; i < dropped; i++)
        expect_agreement(model_drop_collected(&model, &events[i]));
}

void call_drop_collected(struct world *world) {
    const aoi_status status = aoi_drop_collected(world->space);
    if (!went_well(world, status))
        return;
    expect_status(status, MAY_RETURN(AOI_OK));
    model.collected.count = 0;
}
