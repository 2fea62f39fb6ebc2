/* saved_area.c - the fields and rings of an area's description, written or read. */
#include "record/saved_area.h"

enum { MOST_BITS = (AOI_AREA_GIVEN_SEES_LAYERS << 1) - 1, CORNER_SIZE = 16, MOST_COUNT = 10 };

static void stream_numbers(struct stream *stream, double *x, double *y, double *z, int dims) {
    stream_number(stream, x);
    stream_number(stream, y);
    if (dims == 3)
        stream_number(stream, z);
}

static void stream_shape(struct stream *stream, aoi_area *area) {
    uint8_t shape = (uint8_t)area->shape;
    stream_byte(stream, &shape);
    area->shape = (aoi_area_shape)shape;
    switch (area->shape) {
    case AOI_AREA_CIRCLE:
    case AOI_AREA_SQUARE:
        stream_number(stream, &area->radius);
        if (area->given & AOI_AREA_GIVEN_LEAVE_RADIUS)
            stream_number(stream, &area->leave_radius);
        break;
    case AOI_AREA_RECT:
        stream_number(stream, &area->width);
        stream_number(stream, &area->height);
        break;
    case AOI_AREA_POLYGON: break;
    default: stream_refuse(stream, "an area has the shape %d", shape);
    }
}

void stream_area(struct stream *stream, aoi_area *area, int dims) {
    uint8_t given = (uint8_t)area->given;
    stream_byte(stream, &given);
    if (given & ~MOST_BITS)
        stream_refuse(stream, "an area has something that this version does not know");
    area->struct_size = sizeof *area;
    area->given = given;
    if (given & AOI_AREA_GIVEN_SHAPE)
        stream_shape(stream, area);
    if (given & AOI_AREA_GIVEN_PLACE)
        stream_numbers(stream, &area->x, &area->y, &area->z, dims);
    if (given & AOI_AREA_GIVEN_OWNER) {
        stream_id(stream, &area->owner);
        stream_numbers(stream, &area->dx, &area->dy, &area->dz, dims);
    }
    if (given & AOI_AREA_GIVEN_SEES_LAYERS)
        stream_count32(stream, &area->sees_layers, "what an area sees");
}

/* ------------------------------------------------------------------ */
/* Rings                                                               */
/* ------------------------------------------------------------------ */

static bool is_polygon(const aoi_area *area) {
    return (area->given & AOI_AREA_GIVEN_SHAPE) && area->shape == AOI_AREA_POLYGON;
}

static size_t corners_of(const aoi_area *area) {
    size_t corners = 0;
    for (size_t i = 0; i < area->ring_count; i++)
        corners += area->rings[i].count;
    return corners;
}

static void write_rings(struct stream *stream, const aoi_area *area) {
    stream_write_count(stream, area->ring_count);
    stream_write_count(stream, corners_of(area));
    for (size_t ring = 0; ring < area->ring_count; ring++) {
        const size_t count = area->rings[ring].count;
        stream_write_count(stream, count);
        for (size_t i = 0; i < 2 * count; i++) {
            double number = area->rings[ring].corners[i];
            stream_number(stream, &number);
        }
    }
}

static void read_rings(struct stream *stream, aoi_area *area, struct memory *memory,
                       struct ring_room *room) {
    const uint64_t rings = stream_read_count(stream);
    uint64_t corners = 0;
    stream_length(stream, &corners, CORNER_SIZE, "corners");
    if (rings == 0 || rings > corners)
        stream_refuse(stream, "a polygon has too many rings, or none");
    if (!stream_is_well(stream))
        return;
    if (room != NULL && !ring_room_reserve(room, memory, (size_t)rings, (size_t)corners)) {
        stream->status = AOI_NOMEM;
        return;
    }
    double *to = room == NULL ? NULL : room->corners.items;
    for (uint64_t ring = 0; ring < rings && stream_is_well(stream); ring++) {
        const uint64_t count = stream_read_count(stream);
        if (count == 0 || count > corners || (ring + 1 == rings && count != corners)) {
            stream_refuse(stream, "the rings of a polygon do not have as many corners as it says");
            return;
        }
        corners -= count;
        if (room != NULL)
            room->rings.items[ring] = (aoi_ring){to, (size_t)count};
        for (uint64_t i = 0; i < 2 * count; i++) {
            double number = 0;
            stream_number(stream, &number);
            if (to != NULL)
                *to++ = number;
        }
    }
    area->rings = room == NULL ? NULL : room->rings.items;
    area->ring_count = (size_t)rings;
}

void stream_rings(struct stream *stream, aoi_area *area, struct memory *memory,
                  struct ring_room *room) {
    if (!is_polygon(area))
        return;
    if (stream_is_loading(stream))
        read_rings(stream, area, memory, room);
    else
        write_rings(stream, area);
}

size_t saved_area_most(const aoi_area *area) {
    enum { MOST_NUMBERS = 2 + 3 + 3, REST = 2 + 2 * MOST_COUNT };
    size_t most = MOST_NUMBERS * sizeof(double) + REST;
    if (is_polygon(area))
        most += (2 + area->ring_count) * MOST_COUNT + corners_of(area) * CORNER_SIZE;
    return most;
}
