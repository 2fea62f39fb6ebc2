/* aoi_packet.c - reads packets; aoi_packet.h says how it is used, docs/packets.md what they are. */
#include "aoi_packet.h"

#include <string.h>

enum {
    HEAD = 4,      /* bytes of kind, flags and length */
    SECTION = 3,   /* of a section's kind and length */
    EXTRAS = 7,    /* the kind of a section with the extras of the next one's records */
    DATA_HEAD = 3, /* of a detail's kind and length */
    KEY_HEAD = 2,  /* of a detail's kind and key */
    ME = 6,        /* the kind of the section about the watcher itself */
    ME_HEAD = 5    /* bytes of its count of pushes and its flags */
};

/* ------------------------------------------------------------------ */
/* Bytes                                                               */
/* ------------------------------------------------------------------ */

static uint64_t unsigned_at(const unsigned char *at, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

/* Without relying on what a conversion of too large a number gives. */
static int64_t signed_at(const unsigned char *at, size_t count) {
    uint64_t value = unsigned_at(at, count);
    int64_t result;
    if (count == 4 && value >> 31 != 0)
        value |= UINT64_C(0xFFFFFFFF00000000);
    memcpy(&result, &value, sizeof result);
    return result;
}

static double double_at(const unsigned char *at) {
    const uint64_t bits = unsigned_at(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_at(const unsigned char *at) {
    const uint32_t bits = (uint32_t)unsigned_at(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static aoi_packet_bytes bytes_of(const unsigned char *at, size_t count) {
    aoi_packet_bytes bytes;
    bytes.at = at;
    bytes.count = count;
    return bytes;
}

static void drop(aoi_packet_bytes *bytes, size_t count) {
    if (count > 0) {
        bytes->at += count;
        bytes->count -= count;
    }
}

/* Takes `length` bytes that stand behind `head` ones; false when they are not all there. */
static bool take(aoi_packet_bytes *from, size_t head, size_t length, aoi_packet_bytes *taken) {
    if (from->count - head < length)
        return false;
    *taken = bytes_of(from->at + head, length);
    drop(from, head + length);
    return true;
}

/* ------------------------------------------------------------------ */
/* Blocks                                                              */
/* ------------------------------------------------------------------ */

aoi_packet aoi_packet_open(const void *bytes, size_t size) {
    aoi_packet packet;
    packet.rest = bytes_of((const unsigned char *)bytes, size);
    packet.error = NULL;
    return packet;
}

static size_t id_size(unsigned flags) {
    return (flags & AOI_PACKET_LONG_IDS) != 0 ? 8 : 4;
}

bool aoi_packet_next(aoi_packet *packet, aoi_packet_block *block) {
    const unsigned char *const at = packet->rest.at;
    if (packet->rest.count == 0 || packet->error != NULL)
        return false;
    const unsigned flags = packet->rest.count > 1 ? at[1] : 0;
    const size_t ids = id_size(flags), head = HEAD + ids + 8;
    if (packet->rest.count < head) {
        packet->error = "the packet ends within the head of a block";
        return false;
    }
    block->kind = at[0];
    block->flags = flags;
    block->watcher = signed_at(at + HEAD, ids);
    block->stream = (uint32_t)unsigned_at(at + HEAD + ids, 4);
    block->number = (uint32_t)unsigned_at(at + HEAD + ids + 4, 4);
    if (!take(&packet->rest, head, (size_t)unsigned_at(at + 2, 2), &block->body)) {
        packet->error = "a block is longer than what is left of the packet";
        return false;
    }
    block->whole = bytes_of(at, head + block->body.count);
    return true;
}

static const char *check_details(aoi_packet_details details) {
    aoi_packet_detail detail;
    while (aoi_packet_next_detail(&details, &detail))
        continue;
    return details.error;
}

static const char *check_me(const aoi_packet_block *block) {
    aoi_packet_me me;
    const char *error = aoi_packet_me_of(block, &me);
    if (error == NULL)
        error = check_details(aoi_packet_details_in(me.details));
    return error != NULL ? error : check_details(aoi_packet_details_in(me.traits));
}

static const char *check_view(const aoi_packet_block *block) {
    aoi_packet_records records = aoi_packet_records_of(block);
    aoi_packet_record record;
    while (aoi_packet_next_record(&records, &record)) {
        const char *error = check_details(aoi_packet_details_of(&record));
        if (error != NULL)
            return error;
    }
    return records.error != NULL ? records.error : check_me(block);
}

static const char *check_heads(const void *bytes, size_t size) {
    aoi_packet packet = aoi_packet_open(bytes, size);
    aoi_packet_block block;
    while (aoi_packet_next(&packet, &block))
        continue;
    return packet.error;
}

const char *aoi_packet_check(const void *bytes, size_t size) {
    aoi_packet packet = aoi_packet_open(bytes, size);
    aoi_packet_block block;
    const char *error = check_heads(bytes, size);
    while (error == NULL && aoi_packet_next(&packet, &block)) {
        int64_t speaker;
        aoi_packet_bytes body;
        if (block.kind == AOI_PACKET_VIEW)
            error = check_view(&block);
        else if (block.kind == AOI_PACKET_SAID)
            error = aoi_packet_said(&block, &speaker, &body);
    }
    return error;
}

/* ------------------------------------------------------------------ */
/* Records                                                             */
/* ------------------------------------------------------------------ */

aoi_packet_records aoi_packet_records_of(const aoi_packet_block *block) {
    aoi_packet_records records;
    records.rest = bytes_of(block->body.at, block->kind == AOI_PACKET_VIEW ? block->body.count : 0);
    records.section = records.extras = bytes_of(block->body.at, 0);
    records.extra_count = 0;
    records.kind = 0;
    records.flags = block->flags;
    records.error = NULL;
    return records;
}

/* Goes on to the next section, of whatever kind; false at the end or with an error. */
static bool any_section(aoi_packet_records *records) {
    const unsigned char *const at = records->rest.at;
    if (records->rest.count == 0)
        return false;
    if (records->rest.count < SECTION) {
        records->error = "a block ends within the head of a section";
        return false;
    }
    if (!take(&records->rest, SECTION, (size_t)unsigned_at(at + 1, 2), &records->section)) {
        records->error = "a section is longer than what is left of its block";
        return false;
    }
    records->kind = at[0];
    return true;
}

/* A section of extras: how many a record has, then those of each. One with more than we know is
 * passed over. */
static void begin_extras(aoi_packet_records *records) {
    records->extras = records->section;
    records->extra_count = records->section.at[0];
    drop(&records->extras, 1);
    if (records->extra_count > AOI_PACKET_EXTRAS)
        records->extra_count = 0;
}

/* Goes on to the next section that is not empty and of a known kind. */
static bool next_section(aoi_packet_records *records) {
    while (any_section(records)) {
        if (records->kind == EXTRAS && records->section.count > 0)
            begin_extras(records);
        if (records->section.count > 0 && records->kind >= AOI_PACKET_LEFT &&
            records->kind <= AOI_PACKET_CHANGED)
            return true;
    }
    records->section.count = 0;
    return false;
}

static bool has_place(unsigned kind) {
    return kind == AOI_PACKET_ENTERED || kind == AOI_PACKET_ENTERED_WITH ||
           kind == AOI_PACKET_MOVED;
}

static bool has_details(unsigned kind) {
    return kind == AOI_PACKET_ENTERED_WITH || kind == AOI_PACKET_CHANGED;
}

static double coordinate_at(const unsigned char *at, unsigned flags) {
    return (flags & AOI_PACKET_DOUBLES) != 0 ? double_at(at) : float_at(at);
}

/* Takes the extras of a record with a place, the last of its section or not; false when these are
 * other than its section's. */
static bool take_extras(aoi_packet_records *records, aoi_packet_record *record) {
    const size_t count = has_place(records->kind) ? records->extra_count : 0;
    aoi_packet_bytes taken;
    record->extra_count = count;
    if (count == 0)
        return true;
    if (records->extras.count < 4 * count || !take(&records->extras, 0, 4 * count, &taken))
        return false;
    for (size_t i = 0; i < count; i++)
        record->extras[i] = float_at(taken.at + 4 * i);
    if (records->section.count > 0)
        return true;
    records->extra_count = 0;
    return records->extras.count == 0;
}

bool aoi_packet_next_record(aoi_packet_records *records, aoi_packet_record *record) {
    if (records->error != NULL || (records->section.count == 0 && !next_section(records)))
        return false;
    const unsigned flags = records->flags;
    const size_t ids = id_size(flags), coordinate = (flags & AOI_PACKET_DOUBLES) != 0 ? 8 : 4;
    const size_t dims = (flags & AOI_PACKET_THREE) != 0 ? 3 : 2;
    const size_t place = has_place(records->kind) ? dims * coordinate : 0;
    const size_t length = has_details(records->kind) ? 2 : 0;
    const unsigned char *const at = records->section.at;
    if (records->section.count < ids + place + length) {
        records->error = "a section ends within a record";
        return false;
    }
    record->kind = records->kind;
    record->id = signed_at(at, ids);
    record->x = place > 0 ? coordinate_at(at + ids, flags) : 0;
    record->y = place > 0 ? coordinate_at(at + ids + coordinate, flags) : 0;
    record->z = place > 0 && dims == 3 ? coordinate_at(at + ids + 2 * coordinate, flags) : 0;
    if (!take(&records->section, ids + place + length,
              (size_t)unsigned_at(at + ids + place, length), &record->details)) {
        records->error = "the details of an entity are longer than what is left of their section";
        return false;
    }
    if (!take_extras(records, record)) {
        records->error = "a section of extras has another number of records than the next one";
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* Details                                                             */
/* ------------------------------------------------------------------ */

aoi_packet_details aoi_packet_details_in(aoi_packet_bytes bytes) {
    aoi_packet_details details;
    details.rest = bytes;
    details.error = NULL;
    return details;
}

aoi_packet_details aoi_packet_details_of(const aoi_packet_record *record) {
    return aoi_packet_details_in(record->details);
}

enum { SHORT_INTEGER = 1, LONG_INTEGER = 2 }; /* tags that are given as AOI_PACKET_INTEGER */

/* The bytes that a detail has at least, by its tag; 0: the tag is unknown. */
static size_t least_size(unsigned tag) {
    switch (tag) {
    case AOI_PACKET_DATA: return DATA_HEAD;
    case SHORT_INTEGER: return KEY_HEAD + 4;
    case LONG_INTEGER:
    case AOI_PACKET_NUMBER: return KEY_HEAD + 8;
    case AOI_PACKET_STRING: return KEY_HEAD + 2;
    case AOI_PACKET_REMOVED: return KEY_HEAD;
    default: return 0;
    }
}

bool aoi_packet_next_detail(aoi_packet_details *details, aoi_packet_detail *detail) {
    const unsigned char *const at = details->rest.at;
    if (details->rest.count == 0 || details->error != NULL)
        return false;
    const unsigned tag = at[0];
    const size_t size = least_size(tag);
    if (size == 0) {
        drop(&details->rest, details->rest.count);
        return false;
    }
    if (details->rest.count < size) {
        details->error = "the details of an entity end within one of them";
        return false;
    }
    const bool has_bytes = tag == AOI_PACKET_DATA || tag == AOI_PACKET_STRING;
    detail->kind = tag == LONG_INTEGER ? (unsigned)AOI_PACKET_INTEGER : tag;
    detail->key = tag == AOI_PACKET_DATA ? 0 : at[1];
    detail->integer = 0;
    if (tag == SHORT_INTEGER || tag == LONG_INTEGER)
        detail->integer = signed_at(at + KEY_HEAD, tag == SHORT_INTEGER ? 4 : 8);
    detail->number = tag == AOI_PACKET_NUMBER ? double_at(at + KEY_HEAD) : (double)detail->integer;
    if (!take(&details->rest, size, has_bytes ? (size_t)unsigned_at(at + size - 2, 2) : 0,
              &detail->bytes)) {
        details->error = "a string is longer than what is left of the details";
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ */
/* The watcher itself                                                  */
/* ------------------------------------------------------------------ */

enum { ME_WHOLE = 1 };                                               /* a flag of the own section */
enum { ME_PLACE = 1, ME_EXTRAS = 2, ME_DETAILS = 3, ME_TRAITS = 4 }; /* tags of its fields */

static const char *const ME_CUT_OFF = "the own section is cut off";

static bool take_me_place(aoi_packet_me *me, aoi_packet_bytes field, size_t dims) {
    if (field.count < dims * 8)
        return false;
    me->placed = true;
    me->x = double_at(field.at);
    me->y = double_at(field.at + 8);
    me->z = dims == 3 ? double_at(field.at + 16) : 0;
    return true;
}

static const char *read_me(aoi_packet_bytes section, size_t dims, aoi_packet_me *me) {
    aoi_packet_bytes field;
    if (section.count < ME_HEAD)
        return ME_CUT_OFF;
    memset(me, 0, sizeof *me);
    me->told = true;
    me->pushes = (uint32_t)unsigned_at(section.at, 4);
    me->whole = (section.at[4] & ME_WHOLE) != 0;
    me->extras = me->details = me->traits = bytes_of(section.at, 0);
    drop(&section, ME_HEAD);
    while (section.count > 0) {
        const unsigned char *const at = section.at;
        if (section.count < SECTION ||
            !take(&section, SECTION, (size_t)unsigned_at(at + 1, 2), &field))
            return ME_CUT_OFF;
        switch (at[0]) {
        case ME_PLACE:
            if (!take_me_place(me, field, dims))
                return ME_CUT_OFF;
            break;
        case ME_EXTRAS: me->extras = field; break;
        case ME_DETAILS: me->details = field; break;
        case ME_TRAITS: me->traits = field; break;
        default: break; /* of a later version */
        }
    }
    return NULL;
}

const char *aoi_packet_me_of(const aoi_packet_block *block, aoi_packet_me *me) {
    aoi_packet_records records = aoi_packet_records_of(block);
    const char *error = NULL;
    memset(me, 0, sizeof *me);
    while (error == NULL && any_section(&records)) {
        if (records.kind == ME)
            error = read_me(records.section, (block->flags & AOI_PACKET_THREE) != 0 ? 3 : 2, me);
    }
    return error != NULL ? error : records.error;
}

/* ------------------------------------------------------------------ */
/* Words that are said                                                  */
/* ------------------------------------------------------------------ */

const char *aoi_packet_said(const aoi_packet_block *block, int64_t *speaker,
                            aoi_packet_bytes *body) {
    const size_t ids = id_size(block->flags);
    if (block->kind != AOI_PACKET_SAID)
        return "the block is about something else than what is said";
    if (block->body.count < ids)
        return "a block ends within the id of who speaks";
    *speaker = signed_at(block->body.at, ids);
    *body = block->body;
    drop(body, ids);
    return NULL;
}

const char *aoi_packet_notified(const aoi_packet_block *block, aoi_packet_bytes *body) {
    if (block->kind != AOI_PACKET_NOTIFIED)
        return "the block is about something else than a message to its watcher";
    *body = block->body;
    return NULL;
}

/* ------------------------------------------------------------------ */
/* Streams and numbers                                                 */
/* ------------------------------------------------------------------ */

/* Serial numbers: b comes after a when the way from a to b is less than half of all. */
static bool is_later(uint32_t b, uint32_t a) {
    return b != a && (uint32_t)(b - a) < UINT32_C(0x80000000);
}

/* A view: what its flags, and the pieces before it, make of it. */
static unsigned follow_list(aoi_packet_stay *stay, unsigned flags) {
    unsigned todo = AOI_PACKET_APPLY;
    if ((flags & AOI_PACKET_REPLACES) != 0) {
        todo |= AOI_PACKET_BEGIN;
        stay->replacing = true;
        stay->missing = stay->waiting = false;
    }
    if (stay->waiting)
        return 0;
    if (stay->replacing && (flags & AOI_PACKET_MORE) == 0) {
        todo |= AOI_PACKET_END;
        stay->replacing = false;
    }
    return todo;
}

static unsigned follow_over(aoi_packet_stay *stay) {
    stay->over = true;
    stay->missing = stay->replacing = stay->waiting = false;
    return AOI_PACKET_FORGET | AOI_PACKET_APPLY;
}

unsigned aoi_packet_follow(aoi_packet_stay *stay, const aoi_packet_block *block) {
    unsigned todo = AOI_PACKET_APPLY;
    bool overtaken = false;
    if (block->stream == 0 && block->number == 0)
        return todo;
    if (!stay->begun || is_later(block->stream, stay->stream)) {
        stay->begun = true;
        stay->over = stay->replacing = false;
        stay->stream = block->stream;
        stay->missing = stay->waiting = true;
    } else if (block->stream != stay->stream || stay->over) {
        return block->kind == AOI_PACKET_NOTIFIED ? AOI_PACKET_APPLY : 0;
    } else if (block->number != (uint32_t)(stay->number + 1)) {
        stay->missing = true;
        stay->replacing = false;
        overtaken = !is_later(block->number, stay->number);
    }
    if (!overtaken || (block->kind == AOI_PACKET_VIEW && (block->flags & AOI_PACKET_REPLACES) != 0))
        stay->number = block->number;
    if (block->kind == AOI_PACKET_VIEW)
        todo = follow_list(stay, block->flags);
    else if (block->kind == AOI_PACKET_OVER)
        todo = follow_over(stay);
    if (overtaken && !stay->over)
        stay->missing = true; /* also after a list: it may be out of date */
    if (stay->missing)
        todo |= AOI_PACKET_ASK;
    return todo;
}
