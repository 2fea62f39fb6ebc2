/* c_rows.c - batches, and rows of them as bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_world.h"
#include "expectations.h"

/* Draws rows that are mostly good, or few batches would come to an end. */
static void draw_rows(struct world *world, enum model_batch batch, aoi_row *rows, size_t count) {
    bool wants_inside = batch != MODEL_ENTER_ALL;
    for (size_t i = 0; i < count; i++) {
        int who = (int)draw(world, MODEL_ENTITIES);
        for (int step = 0;
             step < MODEL_ENTITIES && model.entities[who].inside != wants_inside && who % 5 != 0;
             step++)
            who = (who + 1) % MODEL_ENTITIES;
        rows[i] = (aoi_row){model_id(who), draw_point(world)};
    }
}

/* The batch of these rows, in the core and in the model. False: the allocator has refused. */
static bool run_batch(struct world *world, enum model_batch batch, const aoi_row *rows,
                      const aoi_row *own, size_t count, const aoi_traits *traits, bool skips) {
    size_t counted = 0, bad_row = SIZE_MAX, core_counted = 0, core_bad_row = SIZE_MAX;
    aoi_space *space = world->space;
    const aoi_traits *given = traits->given == 0 ? NULL : traits;
    aoi_status status = AOI_OK;
    trace("batch %d of %zu rows, skips %d given %x radius %.17g mode %u layer %u sees %u", batch,
          count, skips, traits->given, traits->radius, traits->mode, traits->layers,
          traits->sees_layers);
    for (size_t i = 0; i < count; i++)
        trace("  row %lld (%.17g, %.17g, %.17g)", (long long)own[i].id, own[i].position.x,
              own[i].position.y, own[i].position.z);
    switch (batch) {
    case MODEL_ENTER_ALL: status = aoi_enter_all(space, rows, count, given, &core_bad_row); break;
    case MODEL_MOVE_ALL:
        status = aoi_move_all(space, rows, count, skips ? &core_counted : NULL, &core_bad_row);
        break;
    case MODEL_LEAVE_ALL: status = aoi_leave_all(space, rows, count, &core_bad_row); break;
    case MODEL_UPDATE_ALL:
        status = aoi_update_all(space, rows, count, given, &core_counted, &core_bad_row);
        break;
    }
    if (!went_well(world, status))
        return false;
    expect_status(status,
                  model_batch(&model, batch, own, count, traits, skips, &counted, &bad_row));
    if (status != AOI_OK && core_bad_row != bad_row)
        fail("bad_row is %zu, expected %zu", core_bad_row, bad_row);
    if (status == AOI_OK && core_counted != counted)
        fail("%zu rows are counted, expected %zu", core_counted, counted);
    return true;
}

void call_batch(struct world *world, enum model_batch batch) {
    aoi_row own[MOST_ROWS], *rows = own;
    size_t count = draw(world, MOST_ROWS + 1);
    bool skips = batch == MODEL_MOVE_ALL && draw(world, 2);
    aoi_traits traits = draw_traits(world);
    if (batch != MODEL_ENTER_ALL && batch != MODEL_UPDATE_ALL)
        memset(&traits, 0, sizeof traits);
    if (draw(world, 2)) {
        aoi_status status = aoi_rows(world->space, count, &rows);
        if (!went_well(world, status))
            return;
        expect_status(status, MAY_RETURN(AOI_OK));
    }
    draw_rows(world, batch, own, count);
    if (rows != own && count > 0)
        memcpy(rows, own, count * sizeof *rows);
    run_batch(world, batch, rows, own, count, &traits, skips);
}

/* The lowest byte first, whatever the machine. */
static void put_bytes(uint8_t *to, uint64_t word, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(word >> (8 * i));
}

uint64_t get_bytes(const uint8_t *from, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)from[i] << (8 * i);
    return word;
}

/* Packs a coordinate in so many bytes; it becomes what will be read from them. */
static void pack_coordinate(double *coordinate, uint8_t *to, size_t size) {
    uint64_t word = 0;
    if (size == sizeof(float)) {
        float number = (float)*coordinate;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        word = bits;
        *coordinate = (double)number;
    } else {
        memcpy(&word, coordinate, sizeof word);
    }
    put_bytes(to, word, size);
}

static int model_dims(void) {
    return (model.options.given & AOI_GIVEN_DIMS) ? model.options.dims : 2;
}

struct exact_bytes exact_bytes_of(struct world *world, size_t size) {
    const unsigned shift = draw(world, 8);
    struct exact_bytes exact = {malloc(shift + size + 1), NULL, size};
    if (exact.block == NULL)
        fail("no memory for %zu bytes", size);
    exact.block = realloc(exact.block, shift + size > 0 ? shift + size : 1);
    exact.bytes = exact.block + shift;
    return exact;
}

/* Packs the rows, which become what will be read from them. */
static struct exact_bytes pack_rows(struct world *world, aoi_row_format format, aoi_row *rows,
                                    size_t count) {
    const size_t number = format == AOI_ROWS_OF_FLOATS ? 4 : 8;
    const int dims = format == AOI_ROWS_OF_IDS ? 0 : model_dims();
    const size_t row_size = 8 + number * (size_t)dims;
    const size_t over = draw(world, 8) == 7 ? draw(world, (unsigned)row_size) : 0;
    if (aoi_packed_row_size(world->space, format) != row_size)
        fail("aoi_packed_row_size is wrong");
    struct exact_bytes packed = exact_bytes_of(world, count * row_size + over);
    uint8_t *to = packed.bytes;
    for (size_t i = 0; i < count; i++, to += row_size) {
        double *axes[] = {&rows[i].position.x, &rows[i].position.y, &rows[i].position.z};
        put_bytes(to, (uint64_t)rows[i].id, 8);
        for (int axis = 0; axis < 3; axis++) {
            if (axis < dims)
                pack_coordinate(axes[axis], to + 8 + number * (size_t)axis, number);
            else
                *axes[axis] = 0;
        }
    }
    memset(to, 0xEE, over);
    return packed;
}

static bool is_finite_row(const aoi_row *row) {
    return isfinite(row->position.x) && isfinite(row->position.y) && isfinite(row->position.z);
}

/* Of -0.0 and NaN, too; which NaN does not matter. */
static bool same_coordinate(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void expect_rows(const aoi_row *rows, const aoi_row *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const aoi_point *place = &rows[i].position, *other = &expected[i].position;
        if (rows[i].id != expected[i].id || !same_coordinate(place->x, other->x) ||
            !same_coordinate(place->y, other->y) || !same_coordinate(place->z, other->z))
            fail("row %zu is not as it was packed", i);
    }
}

/* Reads the rows from bytes; returns how many can go on to a batch. */
static size_t unpack_rows(struct world *world, aoi_row_format format, aoi_row *own, size_t count,
                          aoi_row **rows) {
    struct exact_bytes packed = pack_rows(world, format, own, count);
    const size_t row_size = aoi_packed_row_size(world->space, format);
    const bool whole = packed.size % row_size == 0;
    size_t good = 0, core_good = SIZE_MAX;
    while (good < count && (!whole || is_finite_row(&own[good])))
        good++;
    trace("unpack %zu bytes of format %d, %zu rows", packed.size, format, count);
    aoi_status status =
        aoi_unpack_rows(world->space, format, packed.bytes, packed.size, rows, &core_good);
    free(packed.block);
    if (!went_well(world, status))
        return 0;
    expect_status(status, MAY_RETURN(whole && good == count ? AOI_OK : AOI_INVALID));
    if (core_good != good)
        fail("%zu good rows, expected %zu", core_good, good);
    if (!whole)
        return 0;
    expect_rows(*rows, own, good < count ? good + 1 : good);
    return good;
}

/* A batch of rows that come as bytes, and perhaps another one of the same rows: they stay valid. */
void call_packed_batch(struct world *world, enum model_batch batch) {
    static const aoi_row_format formats[] = {AOI_ROWS_OF_DOUBLES, AOI_ROWS_OF_FLOATS};
    aoi_row own[MOST_ROWS], *rows = NULL;
    size_t count = draw(world, MOST_ROWS + 1);
    bool skips = batch == MODEL_MOVE_ALL && draw(world, 2);
    aoi_traits traits = draw_traits(world);
    if (batch != MODEL_ENTER_ALL && batch != MODEL_UPDATE_ALL)
        memset(&traits, 0, sizeof traits);
    aoi_row_format format = batch == MODEL_LEAVE_ALL ? AOI_ROWS_OF_IDS : formats[draw(world, 2)];
    draw_rows(world, batch, own, count);
    count = unpack_rows(world, format, own, count, &rows);
    if (count == 0 || !run_batch(world, batch, rows, own, count, &traits, skips))
        return;
    if (format != AOI_ROWS_OF_IDS && draw(world, 4) == 3)
        run_batch(world, MODEL_UPDATE_ALL, rows, own, count, &traits, false);
    if (draw(world, 4) == 3) {
        memset(&traits, 0, sizeof traits);
        run_batch(world, MODEL_LEAVE_ALL, rows, own, count, &traits, false);
    }
}

/* The ids of all, to bytes and back. */
void call_pack_ids(struct world *world) {
    aoi_list list;
    if (!went_well(world, aoi_ids(world->space, &list)))
        return;
    struct exact_bytes packed = exact_bytes_of(world, list.count * 8);
    aoi_id ids[MODEL_ENTITIES];
    aoi_pack_ids(list.ids, list.count, packed.bytes);
    aoi_unpack_ids(packed.bytes, list.count, ids);
    for (size_t i = 0; i < list.count; i++) {
        if (get_bytes(packed.bytes + 8 * i, 8) != (uint64_t)list.ids[i] || ids[i] != list.ids[i])
            fail("id %lld is packed wrong", (long long)list.ids[i]);
    }
    free(packed.block);
}

void call_pack_positions(struct world *world) {
    aoi_row rows[MOST_ROWS];
    const size_t count = draw(world, MOST_ROWS + 1), dims = (size_t)model_dims();
    for (size_t i = 0; i < count; i++)
        rows[i] = (aoi_row){model_id((int)draw(world, MODEL_ENTITIES)), {0, 0, 0}};
    struct exact_bytes packed = exact_bytes_of(world, count * dims * 8);
    aoi_pack_positions(world->space, rows, count, packed.bytes);
    for (size_t i = 0; i < count; i++) {
        const struct model_entity *entity = &model.entities[model_number(rows[i].id)];
        for (size_t axis = 0; axis < dims; axis++) {
            const uint64_t word = get_bytes(packed.bytes + (i * dims + axis) * 8, 8);
            double number;
            memcpy(&number, &word, sizeof number);
            if (entity->inside ? !same_number(number, along(entity->position, (int)axis))
                               : word != UINT64_C(0x7FF8000000000000))
                fail("the position of %lld is packed wrong", (long long)rows[i].id);
        }
    }
    free(packed.block);
}
