/* saved_fields.h - options and traits to and from a string of bytes; see base/stream.h. */
#ifndef AOI_SAVED_FIELDS_H
#define AOI_SAVED_FIELDS_H

#include "base/stream.h"

/* The field of an option or a trait. What is read is of its C type; whether it is in its range is
 * not looked at. */
void stream_field(struct stream *stream, void *field, aoi_type type, const char *name);

/* A byte of AOI_TRAIT_ bits, then the traits that are given. */
void stream_traits(struct stream *stream, aoi_traits *traits);

#endif
