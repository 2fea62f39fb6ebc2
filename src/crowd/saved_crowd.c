/* saved_crowd.c - members of a crowd written and read; a save is not trusted. */
#include "crowd/saved_crowd.h"

#include "crowd/crowd.h"
#include "entity/saved_fields.h"
#include "entity/traits.h"

/* Flags of a member, beside those of its traits. */
enum { MEMBER_WAITS = 1 << CROWD_TRAIT_COUNT };
enum { MEMBER_FLAGS = 2 * MEMBER_WAITS - 1, LEAST_PIN = 1, LEAST_TOLD = 3 };

void pass_period(struct stream *stream, uint32_t *period) {
    uint32_t count = *period == PERIOD_NEVER ? 0 : *period;
    stream_count32(stream, &count, "a period");
    if (count > AOI_LONGEST_PERIOD)
        stream_refuse(stream, "a period is %lu, expected at most %d", (unsigned long)count,
                      AOI_LONGEST_PERIOD);
    *period = count == 0 ? PERIOD_NEVER : count;
}

static uint8_t member_flags(const struct crowd *crowd, const struct member *member) {
    unsigned flags = member->is_waiting ? MEMBER_WAITS : 0;
#define NOTE_CROWD(bit, field, type, stored, flag)                                                 \
    if (member->traits.field != crowd->usual.field)                                                \
        flags |= (flag);
    CROWD_TRAITS(NOTE_CROWD)
    return (uint8_t)flags;
}

static void pass_member_traits(struct stream *stream, const struct aoi_space *space,
                               struct member *member) {
    const struct crowd *crowd = space->crowd;
    uint8_t flags = member_flags(crowd, member);
    uint64_t ago = space->moment.ticks - (uint64_t)member->moved;
    stream_byte(stream, &flags);
    if (flags & ~MEMBER_FLAGS)
        stream_refuse(stream, "a member of the crowd has bad flags");
    aoi_traits traits = {.given = 0};
#define PASS_CROWD(bit, field, type, stored, flag)                                                 \
    traits.field = member->traits.field;                                                           \
    if (flags & (flag)) {                                                                          \
        traits.given |= AOI_TRAIT_##bit;                                                           \
        stream_field(stream, &traits.field, type, #field);                                         \
    }
    CROWD_TRAITS(PASS_CROWD)
    struct entity unused = traits_usual(0);
    if (traits_take(&unused, &traits, true, true) != AOI_OK)
        stream_refuse(stream, "a member of the crowd has a bad limit or importance");
    else
        traits_take_crowd(&member->traits, &traits);
    stream_count(stream, &ago);
    if (ago > space->moment.ticks)
        stream_refuse(stream, "a member of the crowd moved too long ago");
    member->moved = (int64_t)(space->moment.ticks - ago);
    member->is_waiting = (flags & MEMBER_WAITS) != 0;
}

static void save_member(struct stream *stream, const struct aoi_space *space, uint32_t slot) {
    struct member member = space->crowd->members.items[slot];
    pass_member_traits(stream, space, &member);
    stream_write_count(stream, member.pins.count);
    for (size_t i = 0; i < member.pins.count; i++)
        stream_id(stream, &member.pins.ids[i]);
    stream_write_count(stream, member.told.count);
    for (uint32_t i = 0; i < member.told.count; i++) {
        struct told pair = member.told.pairs[i];
        stream_id(stream, &space->entities.at[pair.slot].id);
        stream_write_count(stream, space->moment.ticks - (uint64_t)pair.since);
        pass_period(stream, &pair.period);
    }
}

/* The entity of this id as it was at the last tick; NULL: it was not inside. */
static const struct entity *state_at_last_tick(const struct aoi_space *space, aoi_id id,
                                               uint32_t *slot) {
    const struct old_states *old = &space->old_states;
    const struct entity *entity;
    *slot = space_find(space, id);
    if (*slot != NO_SLOT) {
        entity = &space->entities.at[*slot];
        if (entity->changed)
            entity = &old->states[old->of_slot.items[*slot]];
        return entity->mode == 0 ? NULL : entity;
    }
    const uint32_t number = old_states_find_gone(old, id);
    if (number == NO_SLOT)
        return NULL;
    *slot = old->states[number].former_slot;
    return &old->states[number];
}

/* One pair of the told set of the watcher, as it was at the last tick (NULL: it was not there). */
static struct told load_pair(struct stream *stream, const struct aoi_space *space,
                             const struct entity *watcher, aoi_id watcher_id, aoi_id *id) {
    const uint64_t tick = space->moment.ticks;
    uint64_t ago = 0;
    uint32_t slot, period = 1;
    stream_id(stream, id);
    stream_count(stream, &ago);
    pass_period(stream, &period);
    const struct entity *marker = state_at_last_tick(space, *id, &slot);
    if (watcher == NULL || marker == NULL || *id == watcher_id ||
        !visibility_saw(&space->visibility, watcher, marker)) {
        stream_refuse(stream, "id %lld was told of id %lld, which it did not see",
                      (long long)watcher_id, (long long)*id);
        slot = 0;
    }
    if (ago > tick + 1) /* see bring_forward in hand_over.c */
        stream_refuse(stream, "id %lld was told of id %lld at a time that can't be",
                      (long long)watcher_id, (long long)*id);
    return (struct told){(int64_t)(tick - ago), slot, period};
}

static void load_told(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    struct crowd *crowd = space->crowd;
    struct told_set *told = &crowd->members.items[slot].told;
    const aoi_id id = space->entities.at[slot].id;
    uint32_t unused;
    const struct entity *watcher = state_at_last_tick(space, id, &unused);
    uint64_t count = 0;
    aoi_id last = 0;
    stream_length(stream, &count, LEAST_TOLD, "told markers");
    if (count > space->entities.used)
        stream_refuse(stream, "id %lld was told of more than there are", (long long)id);
    if (!stream_is_well(stream) || count == 0)
        return;
    if (!crowd_make_told(crowd, slot, (uint32_t)count)) {
        stream->status = AOI_NOMEM;
        return;
    }
    told->count = (uint32_t)count;
    for (uint32_t i = 0; i < told->count && stream_is_well(stream); i++) {
        aoi_id marker = 0;
        told->pairs[i] = load_pair(stream, space, watcher, id, &marker);
        if (i > 0 && marker <= last)
            stream_refuse(stream, "id %lld was told of id %lld out of turn", (long long)id,
                          (long long)marker);
        last = marker;
    }
}

static void load_pins(struct stream *stream, struct crowd *crowd, uint32_t slot) {
    uint64_t count = 0;
    aoi_id last = 0;
    stream_length(stream, &count, LEAST_PIN, "pins");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id id = 0;
        stream_id(stream, &id);
        if (i > 0 && id <= last)
            stream_refuse(stream, "pin %lld is out of turn", (long long)id);
        else if (!crowd_pin(crowd, slot, id))
            stream->status = AOI_NOMEM;
        last = id;
    }
}

static void load_member(struct stream *stream, struct aoi_space *space, uint32_t slot) {
    struct crowd *crowd = space->crowd;
    struct member *member = &crowd->members.items[slot];
    member->traits = crowd->usual;
    member->knows_all = false; /* nobody has found out: it may have seen many at the last tick */
    pass_member_traits(stream, space, member);
    crowd->waiting += member->is_waiting;
    load_pins(stream, crowd, slot);
    if (space->entities.at[slot].mode == 0 &&
        (member->pins.count > 0 || (member_flags(crowd, member) & ~(unsigned)MEMBER_WAITS)))
        stream_refuse(stream, "one who is gone has pins or traits");
    load_told(stream, space, slot);
}

void save_crowd(struct stream *stream, const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        if (space->entities.at[slot].mode != 0)
            save_member(stream, space, slot);
    }
    for (size_t number = 0; number < old->count; number++) {
        if (old->states[number].current_slot == NO_SLOT)
            save_member(stream, space, old->states[number].former_slot);
    }
}

void load_crowd(struct stream *stream, struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    for (uint32_t slot = 0; slot < space->entities.used && stream_is_well(stream); slot++) {
        if (space->entities.at[slot].mode != 0)
            load_member(stream, space, slot);
    }
    for (size_t number = 0; number < old->count && stream_is_well(stream); number++) {
        if (old->states[number].current_slot == NO_SLOT)
            load_member(stream, space, old->states[number].former_slot);
    }
}
