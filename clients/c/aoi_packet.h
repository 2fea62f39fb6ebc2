/*
 * aoi_packet.h - reads the packets that a scene sends: version 3, docs/packets.md.
 *
 * For clients and gates in C11 or C++. Copy this file and aoi_packet.c: they need nothing else, not
 * even the rest of lua-aoi. Nothing is allocated and nothing is copied: what is read points into
 * the packet, which must stay where it is meanwhile. Bytes may stand at any address and the machine
 * may be of either byte order; floats and doubles must be those of IEEE 754.
 *
 *     aoi_packet packet = aoi_packet_open(bytes, size);
 *     aoi_packet_block block;
 *     while (aoi_packet_next(&packet, &block)) {
 *         aoi_packet_records records = aoi_packet_records_of(&block);
 *         aoi_packet_record record;
 *         while (aoi_packet_next_record(&records, &record))
 *             ...
 *     }
 *
 * A packet may come from anybody: nothing outside of it is read, each loop ends after at most one
 * round for each of its bytes, and what is wrong is named by `error`. Who calls aoi_packet_check
 * first needs to look at no other `error`.
 *
 * No function keeps anything; all are of constant time, but for aoi_packet_check and
 * aoi_packet_me_of.
 */
#ifndef AOI_PACKET_H
#define AOI_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of blocks. A reader passes over those that it does not know. */
enum {
    AOI_PACKET_VIEW = 1,    /* what the watcher sees: read by aoi_packet_records_of */
    AOI_PACKET_SAID = 2,    /* what another one says: read by aoi_packet_said */
    AOI_PACKET_REFUSED = 3, /* a command was refused; the body is packed by skynet */
    AOI_PACKET_OVER = 4,    /* the watcher has left the scene, or that has ended */
    AOI_PACKET_NOTIFIED = 6 /* a message to the watcher itself: read by aoi_packet_notified */
};

/* Flags of a block. */
enum {
    AOI_PACKET_LONG_IDS = 1,  /* ids have 64 bits, else 32 */
    AOI_PACKET_DOUBLES = 2,   /* coordinates are doubles, else floats */
    AOI_PACKET_THREE = 4,     /* places have a z */
    AOI_PACKET_REPLACES = 8,  /* what this list does not name is gone */
    AOI_PACKET_MORE = 16,     /* the list goes on in the next block of this watcher */
    AOI_PACKET_TEXT = 32,     /* of SAID, NOTIFIED: one string as it was, else packed by skynet */
    AOI_PACKET_LOST = 64,     /* of OVER: in a world, lost with its region; it may enter again */
    AOI_PACKET_EXPELLED = 128 /* of OVER: in a world, the node left it; others may take over */
};

/* Most numbers that go along with a place. */
enum { AOI_PACKET_EXTRAS = 4 };

/* Kinds of records. */
enum {
    AOI_PACKET_LEFT = 1,         /* it is out of view, or gone */
    AOI_PACKET_ENTERED = 2,      /* it came into view, and has no details */
    AOI_PACKET_ENTERED_WITH = 3, /* it came into view, with all its details */
    AOI_PACKET_MOVED = 4,        /* it has moved within the view */
    AOI_PACKET_CHANGED = 5       /* its details have changed: those that are named */
};

/* Kinds of details. */
enum {
    AOI_PACKET_DATA = 0,    /* bytes, as the game packed them; the only one without a key */
    AOI_PACKET_INTEGER = 1, /* a property: integer */
    AOI_PACKET_NUMBER = 3,  /* a property: number */
    AOI_PACKET_STRING = 4,  /* a property: bytes */
    AOI_PACKET_REMOVED = 5  /* a property: it has none any more */
};

/* Some bytes of a packet; not ended by a zero. */
typedef struct aoi_packet_bytes {
    const unsigned char *at;
    size_t count;
} aoi_packet_bytes;

/* ------------------------------------------------------------------ */
/* Blocks                                                              */
/* ------------------------------------------------------------------ */

/* The part of a packet that is not read yet. error: NULL, or the fault of its next block. */
typedef struct aoi_packet {
    aoi_packet_bytes rest;
    const char *error;
} aoi_packet;

typedef struct aoi_packet_block {
    unsigned kind, flags;
    int64_t watcher; /* the entity whose view it is about */
    uint32_t stream; /* which stay of the watcher */
    uint32_t number; /* counts the blocks of that stay from 1 */
    aoi_packet_bytes body;
    aoi_packet_bytes whole; /* head and body: what a gate passes on */
} aoi_packet_block;

aoi_packet aoi_packet_open(const void *bytes, size_t size);

/* The next block; false at the end, or when `error` says what is wrong. It reads the head only. */
bool aoi_packet_next(aoi_packet *packet, aoi_packet_block *block);

/* NULL when a whole packet can be read without an error, else the first one. Linear in size. */
const char *aoi_packet_check(const void *bytes, size_t size);

/* ------------------------------------------------------------------ */
/* Records of a view                                                   */
/* ------------------------------------------------------------------ */

/* The records of a block that are not read yet. */
typedef struct aoi_packet_records {
    aoi_packet_bytes rest;    /* sections */
    aoi_packet_bytes section; /* the rest of the one that is being read */
    aoi_packet_bytes extras;  /* those of the records that come next */
    size_t extra_count;       /* how many a record has */
    unsigned kind;            /* of its records */
    unsigned flags;           /* of the block */
    const char *error;
} aoi_packet_records;

typedef struct aoi_packet_record {
    unsigned kind;
    int64_t id;
    double x, y, z; /* of ENTERED, ENTERED_WITH, MOVED; elsewhere, and z in two dimensions: 0 */
    aoi_packet_bytes details; /* of ENTERED_WITH, CHANGED; elsewhere none */
    size_t extra_count;       /* numbers that go along with the place; 0: the scene has none */
    float extras[AOI_PACKET_EXTRAS];
} aoi_packet_record;

/* The records of a block; none unless it is a VIEW. */
aoi_packet_records aoi_packet_records_of(const aoi_packet_block *block);

/* The next record; false at the end, or when `error` says what is wrong. */
bool aoi_packet_next_record(aoi_packet_records *records, aoi_packet_record *record);

/* ------------------------------------------------------------------ */
/* Details of an entity                                                */
/* ------------------------------------------------------------------ */

typedef struct aoi_packet_details {
    aoi_packet_bytes rest;
    const char *error;
} aoi_packet_details;

typedef struct aoi_packet_detail {
    unsigned kind;
    unsigned key;           /* 0 to 255; of DATA: 0 */
    int64_t integer;        /* of INTEGER */
    double number;          /* of NUMBER; of INTEGER: the nearest */
    aoi_packet_bytes bytes; /* of DATA, STRING */
} aoi_packet_detail;

aoi_packet_details aoi_packet_details_of(const aoi_packet_record *record);

/* The details in bytes that aoi_packet_me_of gives. */
aoi_packet_details aoi_packet_details_in(aoi_packet_bytes bytes);

/* The next detail; false at the end, or when `error` says what is wrong. Details from one of an
 * unknown kind on are passed over. */
bool aoi_packet_next_detail(aoi_packet_details *details, aoi_packet_detail *detail);

/* ------------------------------------------------------------------ */
/* The watcher itself                                                  */
/* ------------------------------------------------------------------ */

/* Keys of traits, in place of those of properties. */
enum {
    AOI_PACKET_RADIUS = 1,
    AOI_PACKET_VISIBLE_RADIUS = 2,
    AOI_PACKET_MODE = 3, /* bytes: wm, w or m */
    AOI_PACKET_LAYERS = 4,
    AOI_PACKET_SEES_LAYERS = 5,
    AOI_PACKET_LIMIT = 6,
    AOI_PACKET_IMPORTANCE = 7
};

/* What a VIEW tells the watcher of itself. */
typedef struct aoi_packet_me {
    bool told;       /* false: nothing, and the rest is zeros */
    bool whole;      /* it is all that there is; else what others have changed */
    bool placed;     /* there is a place */
    uint32_t pushes; /* how often others have set the place: goes along with the next step */
    double x, y, z;
    aoi_packet_bytes extras;  /* floats */
    aoi_packet_bytes details; /* for aoi_packet_details_in, as those of others */
    aoi_packet_bytes traits;  /* the same, with keys of traits */
} aoi_packet_me;

/* Reads that; of several the last. Returns NULL, or the fault. Linear in the number of sections. */
const char *aoi_packet_me_of(const aoi_packet_block *block, aoi_packet_me *me);

/* ------------------------------------------------------------------ */
/* Words that are said                                                  */
/* ------------------------------------------------------------------ */

/* Reads the speaker and its words. Returns NULL, or the fault: the block is no SAID, or too
 * short. */
const char *aoi_packet_said(const aoi_packet_block *block, int64_t *speaker,
                            aoi_packet_bytes *body);

/* Reads a message to the watcher itself. Returns NULL, or the fault: the block is no NOTIFIED. */
const char *aoi_packet_notified(const aoi_packet_block *block, aoi_packet_bytes *body);

/* ------------------------------------------------------------------ */
/* Streams and numbers                                                 */
/* ------------------------------------------------------------------ */

/* The state of one watcher's stream: all that was heard so far. All zeros at first. */
typedef struct aoi_packet_stay {
    uint32_t stream, number; /* of the last block */
    bool begun;              /* a block was heard */
    bool over;               /* the stay has ended */
    bool missing;            /* a block was missed, and no list has replaced all since */
    bool replacing;          /* pieces of a list that replaces are coming */
    bool waiting;            /* the list that a stay begins with has not come yet */
} aoi_packet_stay;

/* Steps to take for a block, in this order; 0: none, it is of an older stay. The known entities
 * outlast the beginning of another stay: the list that this begins with replaces them. A message to
 * the watcher itself is to be read in any case: nothing else says it. */
enum {
    AOI_PACKET_FORGET = 1, /* all that is known of this watcher's view is gone: the stay is over */
    AOI_PACKET_BEGIN = 2,  /* a list begins that names all: note from now on what is named */
    AOI_PACKET_APPLY = 4,  /* the block is to be read */
    AOI_PACKET_END = 8,    /* the list has ended: what it did not name is gone */
    AOI_PACKET_ASK = 16    /* something is missing: ask for a resync, at most once a second */
};

/* Takes note of the next block of a watcher, and says what is to be done with it. A block that is
 * not counted (REFUSED) is to be read, and changes nothing. */
unsigned aoi_packet_follow(aoi_packet_stay *stay, const aoi_packet_block *block);

#ifdef __cplusplus
}
#endif

#endif
