/* saved_entities.c - entities and old states written and read: each pass_ function does either. */
#include "keep/saved_entities.h"

#include <math.h>

#include "entity/saved_fields.h"
#include "entity/traits.h"
#include "space/capability.h"
#include "space/change.h"

/* Flags of a state, see traits.h; the lowest two bits are the mode. */
#define FLAG_OF_TRAIT(bit, field, type, stored, flag) STATE_##bit = (flag),
enum { TRAITS(FLAG_OF_TRAIT) STATE_FLAGS = (1 << (TRAIT_COUNT + 1)) - 1 };
#define FLAG_OR(bit, field, type, stored, flag) | (flag)
_Static_assert((0 TRAITS(FLAG_OR)) == STATE_FLAGS, "the flags of the traits leave no gap");
/* One more of an old state, and no trait. */
enum { STATE_TOUCHED = STATE_FLAGS + 1 };

/* The fewest bytes of each. */
enum { LEAST_ENTITY = 18, LEAST_OLD_STATE = 2 };

/* An entity, or what it was at the last tick. */
struct state {
    const char *what; /* for complaints */
    size_t number;
    bool is_old;
    struct entity entity;
    aoi_point place; /* with slack: where it truly is; else as the entity */
};

/* The mode is in the flags, and the radius has rules of its own; what the other traits are is said
 * where it is not the usual. */
#define ONLY_THE_RADIUS(flag) _Static_assert((flag) == STATE_RADIUS, "saved by hand: the radius")
#define ONLY_THE_MODE(flag) _Static_assert((flag) == STATE_MODE, "saved by hand: the mode")

static uint8_t state_flags(const struct aoi_space *space, const struct entity *entity) {
    const struct entity usual = traits_usual(space->default_radius);
    uint32_t flags = entity->mode;
    if (!space_is_classic(space) && (space->own_radii || entity->radius != usual.radius))
        flags |= STATE_RADIUS;
#define NOTE_AOI_LENGTH(field, flag) ONLY_THE_RADIUS(flag);
#define NOTE_AOI_MODE(field, flag) ONLY_THE_MODE(flag);
#define NOTE_AOI_BITS(field, flag)                                                                 \
    if (entity->field != usual.field)                                                              \
        flags |= (flag);
#define NOTE(bit, field, type, stored, flag) NOTE_##type(field, flag)
    TRAITS(NOTE)
    return (uint8_t)flags;
}

static void pass_place(struct stream *stream, const struct aoi_space *space, aoi_point *point) {
    stream_number(stream, &point->x);
    stream_number(stream, &point->y);
    if (space->dims == 3)
        stream_number(stream, &point->z);
}

static void pass_state(struct stream *stream, const struct aoi_space *space, struct state *state) {
    struct entity *entity = &state->entity;
    uint8_t flags = entity->mode == 0 ? 0 : state_flags(space, entity);
    if (state->is_old && entity->was_touched)
        flags |= STATE_TOUCHED;
    stream_byte(stream, &flags);
    entity->mode = flags & STATE_MODE;
    if (state->is_old) {
        entity->was_touched = (flags & STATE_TOUCHED) != 0;
        flags &= (uint8_t)~STATE_TOUCHED;
    }
    if (flags & ~STATE_FLAGS || (entity->mode == 0 && (flags != 0 || !state->is_old)))
        stream_refuse(stream, "%s %zu has bad flags or no mode", state->what, state->number);
    if (entity->mode == 0)
        return;
    aoi_point anchor = {entity->x, entity->y, entity->z};
    pass_place(stream, space, &anchor);
    entity->x = anchor.x;
    entity->y = anchor.y;
    entity->z = anchor.z;
    if (space->slack.limit > 0)
        pass_place(stream, space, &state->place);
    else
        state->place = anchor;
    if (space_is_classic(space) && state->is_old) {
        stream_count32(stream, &entity->cell.column, "a column");
        stream_count32(stream, &entity->cell.row, "a row");
    }
    if (flags & STATE_RADIUS) {
        if (space_is_classic(space))
            stream_refuse(stream, "%s %zu has a radius, in a classic nine-grid", state->what,
                          state->number);
        else
            stream_number(stream, &entity->radius);
    } else if (space->own_radii) {
        stream_refuse(stream, "%s %zu has no radius", state->what, state->number);
    }
#define PASS_AOI_LENGTH(field, flag) ONLY_THE_RADIUS(flag);
#define PASS_AOI_MODE(field, flag) ONLY_THE_MODE(flag);
#define PASS_AOI_BITS(field, flag)                                                                 \
    if (flags & (flag))                                                                            \
        stream_field(stream, &entity->field, AOI_BITS, #field);
#define PASS(bit, field, type, stored, flag) PASS_##type(field, flag)
    TRAITS(PASS)
}

/* Checks what was read, and sets what follows from it. */
static void accept_state(struct stream *stream, const struct aoi_space *space,
                         struct state *state) {
    struct entity *entity = &state->entity;
    const aoi_point *place = &state->place;
    const char *what = state->what;
    const size_t number = state->number;
    if (!isfinite(entity->x) || !isfinite(entity->y) || !isfinite(entity->z) ||
        !isfinite(place->x) || !isfinite(place->y) || !isfinite(place->z))
        stream_refuse(stream, "%s %zu: its position is not finite", what, number);
    if (!slack_keeps_anchor(&space->slack, entity, *place))
        stream_refuse(stream, "%s %zu is farther from its anchor than the slack", what, number);
    if (space_is_classic(space))
        return;
    if (!(entity->radius >= 0))
        stream_refuse(stream, "%s %zu: its radius is %.17g, expected a number from 0 up", what,
                      number, entity->radius);
    else
        space_classify(space, entity);
}

/* The state of an entity, where a save says no other. */
static struct state blank_state(const struct aoi_space *space, const char *what, uint64_t number) {
    return (struct state){
        .what = what, .number = (size_t)number, .entity = traits_usual(space->default_radius)};
}

void save_entities(struct stream *stream, const struct aoi_space *space) {
    stream_write_count(stream, space->entities.count);
    for (uint32_t slot = 0; slot < space->entities.used; slot++) {
        struct state state = {.entity = space->entities.at[slot]};
        if (state.entity.mode == 0)
            continue;
        state.place = space_place(space, slot);
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

void load_entities(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_ENTITY, "entities");
    for (uint64_t number = 1; number <= count && stream_is_well(stream); number++) {
        struct state state = blank_state(space, "entity", number);
        const aoi_point *place = &state.place;
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        if (space->map.bounded && !space->map.clamp && !map_holds(&space->map, place->x, place->y))
            stream_refuse(stream, "entity %zu is outside the map", state.number);
        if (space_find(space, state.entity.id) != NO_SLOT)
            stream_refuse(stream, "entity %zu: its id %lld is there twice", state.number,
                          (long long)state.entity.id);
        if (!stream_is_well(stream))
            return;
        space_locate(space, &state.entity);
        if (!change_restore(space, &state.entity, state.place))
            stream->status = AOI_NOMEM;
    }
}

void save_old_states(struct stream *stream, const struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    stream_write_count(stream, old->count);
    for (size_t number = 0; number < old->count; number++) {
        struct state state = {.is_old = true, .entity = old->states[number]};
        if (space->slack.limit > 0)
            state.place = old->places.items[number];
        stream_id(stream, &state.entity.id);
        pass_state(stream, space, &state);
    }
}

/* Old cells may be those of a map before aoi_set_bounds; then everybody has an old state. */
static bool has_cell_of_map(const struct aoi_space *space, const struct entity *state) {
    struct entity located = *state;
    space_locate(space, &located);
    return located.cell.column == state->cell.column && located.cell.row == state->cell.row;
}

/* In a crowd space one who is gone has its slot still. */
static bool retire_slot(struct aoi_space *space, struct entity *state) {
    if (space->keeper == NULL)
        return true;
    struct entities *entities = &space->entities;
    if (!entities_reserve(entities, &space->memory.entities) ||
        !slack_reserve(&space->slack, &space->memory.entities, entities->capacity) ||
        !space->keeper->reserve_slots(space))
        return false;
    state->former_slot = entities_add_retired(entities, state->id);
    return true;
}

void load_old_states(struct stream *stream, struct aoi_space *space) {
    const struct old_states *old = &space->old_states;
    uint64_t count = 0;
    bool all_must_have_one = false;
    stream_length(stream, &count, LEAST_OLD_STATE, "old states");
    for (uint64_t number = 1; number <= count; number++) {
        struct state state = blank_state(space, "old state", number);
        struct entity *entity = &state.entity;
        state.is_old = true;
        stream_id(stream, &entity->id);
        pass_state(stream, space, &state);
        accept_state(stream, space, &state);
        uint32_t slot = space_find(space, entity->id);
        bool is_double =
            slot == NO_SLOT ? idmap_find(&old->gone, IDS_OF(old->states, id), entity->id) != NO_SLOT
                            : space->entities.at[slot].changed;
        if (is_double)
            stream_refuse(stream, "old state %zu: its id %lld is there twice", state.number,
                          (long long)entity->id);
        if (slot == NO_SLOT && entity->mode == 0)
            stream_refuse(stream, "old state %zu: its id %lld neither was nor is in the space",
                          state.number, (long long)entity->id);
        if (entity->mode != 0 && space_is_classic(space) && !has_cell_of_map(space, entity)) {
            all_must_have_one = true;
            if (entity->cell.column >= AOI_MOST_CELLS || entity->cell.row >= AOI_MOST_CELLS)
                stream_refuse(stream, "old state %zu: no map has its cell", state.number);
        }
        if (!stream_is_well(stream))
            return;
        if (!old_states_reserve(&space->old_states, 1) ||
            (slot == NO_SLOT && !retire_slot(space, entity))) {
            stream->status = AOI_NOMEM;
            return;
        }
        old_states_restore(&space->old_states, entity, state.place, slot);
    }
    if (all_must_have_one && old->count - old->gone.count < space->entities.count)
        stream_refuse(stream, "old states are in cells of another map");
}
