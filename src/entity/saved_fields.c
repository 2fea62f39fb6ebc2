/* saved_fields.c - options and traits by their types, written or read. */
#include "entity/saved_fields.h"

#include <string.h>

_Static_assert(sizeof(aoi_shape) == sizeof(int), "shapes are passed like dims");

static void stream_rates(struct stream *stream, aoi_rates *rates) {
    uint64_t count = rates->count;
    stream_count(stream, &count);
    if (count > AOI_MOST_RATES) {
        stream_refuse(stream, "option rates has %llu rings, expected at most %d",
                      (unsigned long long)count, (int)AOI_MOST_RATES);
        count = 0;
    }
    rates->count = (size_t)count;
    for (size_t ring = 0; ring < rates->count; ring++) {
        stream_number(stream, &rates->rings[ring].bound);
        stream_id(stream, &rates->rings[ring].period);
    }
}

void stream_field(struct stream *stream, void *field, aoi_type type, const char *name) {
    uint8_t byte;
    double value;
    int64_t integer;
    uint32_t bits;
    int small;
    bool truth;
    switch (type) {
    case AOI_NUMBER:
    case AOI_LENGTH:
        memcpy(&value, field, sizeof value);
        stream_number(stream, &value);
        memcpy(field, &value, sizeof value);
        break;
    case AOI_INTEGER:
        memcpy(&integer, field, sizeof integer);
        stream_id(stream, &integer);
        memcpy(field, &integer, sizeof integer);
        break;
    case AOI_SHAPE:
    case AOI_DIMS:
        memcpy(&small, field, sizeof small);
        byte = (uint8_t)small;
        stream_byte(stream, &byte);
        small = byte;
        memcpy(field, &small, sizeof small);
        break;
    case AOI_BOOLEAN:
        memcpy(&truth, field, sizeof truth);
        byte = truth;
        stream_byte(stream, &byte);
        if (byte > 1)
            stream_refuse(stream, "option %s is %d, expected 0 or 1", name, byte);
        truth = byte == 1;
        memcpy(field, &truth, sizeof truth);
        break;
    case AOI_MODE:
    case AOI_BITS:
    case AOI_LIMIT:
    case AOI_IMPORTANCE:
        memcpy(&bits, field, sizeof bits);
        stream_count32(stream, &bits, name);
        memcpy(field, &bits, sizeof bits);
        break;
    case AOI_RATES: stream_rates(stream, field); break;
    }
}

void stream_traits(struct stream *stream, aoi_traits *traits) {
    size_t count;
    const aoi_trait_info *table = aoi_trait_table(&count);
    uint8_t given = (uint8_t)(traits->given & ((1U << count) - 1));
    stream_byte(stream, &given);
    if (given >> count != 0)
        stream_refuse(stream, "there is a trait that this version does not know");
    traits->given = given;
    for (size_t i = 0; i < count; i++) {
        if (given & table[i].bit)
            stream_field(stream, (char *)traits + table[i].offset, table[i].type, table[i].name);
    }
}
