/* stream.c - values of a stream: bytes, words, counts, ids, each written or read. */
#include "base/stream.h"

#include <string.h>

#include "base/little_endian.h"

void stream_refuse(struct stream *stream, const char *format, ...) {
    if (!stream_is_well(stream))
        return;
    va_list values;
    va_start(values, format);
    stream->status = complain_with(stream->complaint, format, values);
    va_end(values);
}

void stream_byte(struct stream *stream, uint8_t *byte) {
    if (stream_is_loading(stream)) {
        *byte = 0;
        if (!stream_is_well(stream))
            return;
        if (stream->at == stream->end)
            stream_refuse(stream, "the string ends too early");
        else
            *byte = stream->from[stream->at++];
        return;
    }
    if (stream->at < stream->end)
        stream->to[stream->at] = *byte;
    stream->at++;
}

void stream_word(struct stream *stream, uint64_t *word) {
    uint64_t result = 0;
    if (stream_is_well(stream) && stream->end >= sizeof *word &&
        stream->at <= stream->end - sizeof *word) { /* nearly always: as a whole */
        if (stream_is_loading(stream))
            *word = load_word(stream->from + stream->at);
        else
            store_word(stream->to + stream->at, *word);
        stream->at += sizeof *word;
        return;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        uint8_t byte = (uint8_t)(*word >> shift);
        stream_byte(stream, &byte);
        result |= (uint64_t)byte << shift;
    }
    *word = result;
}

void stream_number(struct stream *stream, double *number) {
    uint64_t word;
    memcpy(&word, number, sizeof word);
    stream_word(stream, &word);
    memcpy(number, &word, sizeof word);
}

void stream_float(struct stream *stream, double *number) {
    uint8_t bytes[4] = {0};
    for (size_t i = 0; i < sizeof bytes; i++)
        stream_byte(stream, &bytes[i]);
    *number = load_float(bytes);
}

enum { COUNT_BITS = 7, COUNT_GOES_ON = 1 << COUNT_BITS, LAST_COUNT_SHIFT = 63 };

void stream_write_count(struct stream *stream, uint64_t count) {
    uint8_t byte;
    if (count < COUNT_GOES_ON && stream->at < stream->end) { /* nearly always: one byte */
        stream->to[stream->at++] = (uint8_t)count;
        return;
    }
    for (; count >= COUNT_GOES_ON; count >>= COUNT_BITS) {
        byte = (uint8_t)(count | COUNT_GOES_ON);
        stream_byte(stream, &byte);
    }
    byte = (uint8_t)count;
    stream_byte(stream, &byte);
}

uint64_t stream_read_count(struct stream *stream) {
    if (stream_is_well(stream) && stream->at < stream->end &&
        stream->from[stream->at] < COUNT_GOES_ON) /* mostly one byte */
        return stream->from[stream->at++];
    uint64_t count = 0;
    uint8_t byte = COUNT_GOES_ON;
    for (int shift = 0; byte & COUNT_GOES_ON; shift += COUNT_BITS) {
        stream_byte(stream, &byte);
        if ((byte == 0 && shift > 0) || (shift == LAST_COUNT_SHIFT && byte > 1)) {
            stream_refuse(stream, "a count at byte %zu is not in its shortest form", stream->at);
            return 0;
        }
        count |= (uint64_t)(byte & (COUNT_GOES_ON - 1)) << shift;
    }
    return count;
}

void stream_count(struct stream *stream, uint64_t *count) {
    if (stream_is_loading(stream))
        *count = stream_read_count(stream);
    else
        stream_write_count(stream, *count);
}

void stream_count32(struct stream *stream, uint32_t *count, const char *what) {
    uint64_t wide = *count;
    stream_count(stream, &wide);
    if (wide > UINT32_MAX)
        stream_refuse(stream, "%s is above 4294967295", what);
    *count = (uint32_t)wide;
}

void stream_id(struct stream *stream, int64_t *id) {
    uint64_t zigzag = zigzag_of(*id);
    stream_count(stream, &zigzag);
    *id = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

void stream_length(struct stream *stream, uint64_t *length, size_t least, const char *what) {
    stream_count(stream, length);
    if (stream_is_loading(stream) && *length > (stream->end - stream->at) / least) {
        stream_refuse(stream, "%s: %llu are announced, more than fit in the rest of the string",
                      what, (unsigned long long)*length);
        *length = 0;
    }
}
