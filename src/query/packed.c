/*
 * packed.c - packed rows: changes that come as a string of bytes, and answers that go out as one.
 */
#include <math.h>

#include "base/always_inline.h"
#include "base/little_endian.h"
#include "events/reading.h"
#include "space/space.h"

enum { ID_SIZE = sizeof(uint64_t), DOUBLE_SIZE = sizeof(uint64_t), FLOAT_SIZE = sizeof(uint32_t) };

size_t aoi_packed_row_size(const aoi_space *space, aoi_row_format format) {
    const size_t dims = (size_t)space->dims;
    switch (format) {
    case AOI_ROWS_OF_DOUBLES: return ID_SIZE + dims * DOUBLE_SIZE;
    case AOI_ROWS_OF_FLOATS: return ID_SIZE + dims * FLOAT_SIZE;
    case AOI_ROWS_OF_IDS: return ID_SIZE;
    }
    return 0;
}

/* ------------------------------------------------------------------ */
/* In                                                                  */
/* ------------------------------------------------------------------ */

/* The coordinate `axis` of those that begin at these bytes. */
ALWAYS_INLINE double load_coordinate(const uint8_t *bytes, size_t axis, bool floats) {
    return floats ? load_float(bytes + axis * FLOAT_SIZE) : load_double(bytes + axis * DOUBLE_SIZE);
}

/* Reads rows up to the first that has a coordinate that is not finite; returns how many are good. A
 * loop of its own for each kind of row: how long they are is a constant in it. */
ALWAYS_INLINE size_t unpack(const uint8_t *bytes, aoi_row *rows, size_t count, bool floats,
                            int dims) {
    const size_t row_size = ID_SIZE + (size_t)(dims * (floats ? FLOAT_SIZE : DOUBLE_SIZE));
    for (size_t row = 0; row < count; row++, bytes += row_size) {
        const uint8_t *place = bytes + ID_SIZE;
        const double x = load_coordinate(place, 0, floats), y = load_coordinate(place, 1, floats);
        const double z = dims == 3 ? load_coordinate(place, 2, floats) : 0;
        rows[row] = (aoi_row){(aoi_id)load_word(bytes), {x, y, z}};
        if (!isfinite(x) || !isfinite(y) || !isfinite(z))
            return row;
    }
    return count;
}

aoi_status aoi_unpack_rows(aoi_space *space, aoi_row_format format, const void *bytes, size_t size,
                           aoi_row **rows, size_t *count) {
    const size_t row_size = aoi_packed_row_size(space, format);
    const bool floats = format == AOI_ROWS_OF_FLOATS;
    *count = row_size == 0 ? 0 : size / row_size;
    if (row_size == 0 || size % row_size != 0)
        return AOI_INVALID;
    const aoi_status status = aoi_rows(space, *count, rows);
    if (status != AOI_OK)
        return status;
    const size_t all = *count;
    for (size_t row = 0; row < all && format == AOI_ROWS_OF_IDS; row++)
        (*rows)[row] =
            (aoi_row){(aoi_id)load_word((const uint8_t *)bytes + row * ID_SIZE), {0, 0, 0}};
    if (format == AOI_ROWS_OF_IDS)
        return AOI_OK;
    if (space->dims == 3)
        *count = floats ? unpack(bytes, *rows, all, true, 3) : unpack(bytes, *rows, all, false, 3);
    else
        *count = floats ? unpack(bytes, *rows, all, true, 2) : unpack(bytes, *rows, all, false, 2);
    return *count == all ? AOI_OK : AOI_INVALID;
}

void aoi_unpack_ids(const void *bytes, size_t count, aoi_id *ids) {
    const uint8_t *from = bytes;
    for (size_t i = 0; i < count; i++)
        ids[i] = (aoi_id)load_word(from + i * ID_SIZE);
}

/* ------------------------------------------------------------------ */
/* Out                                                                 */
/* ------------------------------------------------------------------ */

void aoi_pack_ids(const aoi_id *ids, size_t count, void *bytes) {
    uint8_t *to = bytes;
    for (size_t i = 0; i < count; i++)
        store_word(to + i * ID_SIZE, (uint64_t)ids[i]);
}

void aoi_pack_positions(const aoi_space *space, const aoi_row *rows, size_t count, void *bytes) {
    static const uint8_t nan_bytes[DOUBLE_SIZE] = {0, 0, 0, 0, 0, 0, 0xF8, 0x7F};
    const double nan = load_double(nan_bytes); /* NAN may have other bits elsewhere */
    const aoi_point nowhere = {nan, nan, nan};
    const size_t row_size = (size_t)space->dims * DOUBLE_SIZE;
    uint8_t *to = bytes;
    for (size_t row = 0; row < count; row++, to += row_size) {
        const uint32_t slot = space_find(space, rows[row].id);
        const aoi_point place = slot == NO_SLOT ? nowhere : space_place(space, slot);
        store_double(to, place.x);
        store_double(to + DOUBLE_SIZE, place.y);
        if (space->dims == 3)
            store_double(to + DOUBLE_SIZE + DOUBLE_SIZE, place.z);
    }
}

size_t aoi_collected_events(const aoi_space *space, aoi_cursor *cursor, size_t count,
                            aoi_event *events) {
    return queue_read_many(&space->collected, cursor, count, events, false);
}

size_t aoi_collected_packed(const aoi_space *space, aoi_cursor *cursor, size_t count, void *bytes) {
    return queue_read_many(&space->collected, cursor, count, bytes, true);
}
