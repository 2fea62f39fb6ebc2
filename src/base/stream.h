/*
 * stream.h - numbers to and from a string of bytes, by one description for both ways: each call
 * writes its value, or reads it. Everything is little endian.
 */
#ifndef AOI_STREAM_H
#define AOI_STREAM_H

#include "base/complaint.h"

/* To or from a string. Writing past `end` writes nothing and only counts; after a bad byte has been
 * read, all that is read is 0. */
struct stream {
    uint8_t *to;         /* NULL: loading */
    const uint8_t *from; /* NULL: saving */
    size_t at, end;
    aoi_status status;
    aoi_complaint *complaint;
};

static inline bool stream_is_loading(const struct stream *stream) {
    return stream->from != NULL;
}

static inline bool stream_is_well(const struct stream *stream) {
    return stream->status == AOI_OK;
}

/* Says what is wrong with the string, as printf does. The first complaint stays. */
LIKE_PRINTF(2, 3) void stream_refuse(struct stream *stream, const char *format, ...);

void stream_byte(struct stream *stream, uint8_t *byte);
void stream_word(struct stream *stream, uint64_t *word);   /* 8 bytes */
void stream_number(struct stream *stream, double *number); /* 8 bytes */
void stream_float(struct stream *stream, double *number);  /* 4 bytes; only to be read */

/* An unsigned number in the shortest form of 7 bits a byte, lowest first, the 8th bit set in all
 * bytes but the last. */
void stream_count(struct stream *stream, uint64_t *count);
void stream_write_count(struct stream *stream, uint64_t count);
uint64_t stream_read_count(struct stream *stream);

/* A count up to 2^32 - 1. what: for the complaint. */
void stream_count32(struct stream *stream, uint32_t *count, const char *what);

/* 0, -1, 1, -2, 2, ... as 0, 1, 2, 3, 4, ... */
static inline uint64_t zigzag_of(int64_t id) {
    return (uint64_t)id << 1 ^ (id < 0 ? UINT64_MAX : 0);
}

/* A count of the zigzag form. */
void stream_id(struct stream *stream, int64_t *id);

/* How many items follow; each takes `least` bytes or more, so that an invented count is refused
 * before anything is done for it. */
void stream_length(struct stream *stream, uint64_t *length, size_t least, const char *what);

#endif
