/*
 * dump.c - prints what packets say, as the C reader sees them; dump.mjs prints the same by the one
 * in JavaScript.
 *
 *     dump packets < file     each packet by itself: blocks and records, or what is wrong with it
 *     dump views < file       what one watcher sees after each packet, and is notified of
 *
 * A file is packets, each behind its length (four bytes, little endian).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aoi_packet.h"

enum { MOST_SEEN = 1000 };

static const char *const RECORDS[] = {"", "left", "entered", "entered", "moved", "changed"};

static void *grab(size_t size) {
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL)
        abort();
    return memory;
}

/* ------------------------------------------------------------------ */
/* Values                                                              */
/* ------------------------------------------------------------------ */

/* The bits; all that are no number look alike. */
static void print_place(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        printf(" nan");
    else
        printf(" %016" PRIx64, bits);
}

static void print_number(double value) {
    if (fabs(value) < 9007199254740992.0 && floor(value) >= value)
        printf("%" PRId64, (int64_t)value);
    else
        print_place(value);
}

static void print_bytes(aoi_packet_bytes bytes) {
    for (size_t i = 0; i < bytes.count; i++)
        printf("%02x", bytes.at[i]);
}

static void print_details(aoi_packet_details details) {
    aoi_packet_detail detail;
    while (aoi_packet_next_detail(&details, &detail)) {
        if (detail.kind == AOI_PACKET_DATA)
            printf(" data=");
        else
            printf(" %u=", detail.key);
        switch (detail.kind) {
        case AOI_PACKET_INTEGER: printf("%" PRId64, detail.integer); break;
        case AOI_PACKET_NUMBER: print_number(detail.number); break;
        case AOI_PACKET_REMOVED: printf("removed"); break;
        default: printf("bytes:"), print_bytes(detail.bytes);
        }
    }
}

/* ------------------------------------------------------------------ */
/* Packets                                                             */
/* ------------------------------------------------------------------ */

static void print_me(const aoi_packet_block *block) {
    aoi_packet_me me;
    if (aoi_packet_me_of(block, &me) != NULL || !me.told)
        return;
    printf("me %" PRIu32 " %s", me.pushes, me.whole ? "whole" : "part");
    if (me.placed) {
        print_place(me.x);
        print_place(me.y);
        print_place(me.z);
    }
    if (me.extras.count > 0) {
        printf(" extras=");
        print_bytes(me.extras);
    }
    print_details(aoi_packet_details_in(me.details));
    printf(" traits");
    print_details(aoi_packet_details_in(me.traits));
    printf("\n");
}

static void print_block(const aoi_packet_block *block) {
    aoi_packet_records records = aoi_packet_records_of(block);
    aoi_packet_record record;
    aoi_packet_bytes body;
    int64_t speaker;
    printf("block %u %u %" PRId64 " %" PRIu32 " %" PRIu32 "\n", block->kind, block->flags,
           block->watcher, block->stream, block->number);
    while (aoi_packet_next_record(&records, &record)) {
        printf("%s %" PRId64, RECORDS[record.kind], record.id);
        if (record.kind != AOI_PACKET_LEFT && record.kind != AOI_PACKET_CHANGED) {
            print_place(record.x);
            print_place(record.y);
            print_place(record.z);
        }
        for (size_t i = 0; i < record.extra_count; i++)
            print_place((double)record.extras[i]);
        print_details(aoi_packet_details_of(&record));
        printf("\n");
    }
    print_me(block);
    if (block->kind == AOI_PACKET_SAID && aoi_packet_said(block, &speaker, &body) == NULL) {
        printf("said %" PRId64 " ", speaker);
        print_bytes(body);
        printf("\n");
    }
    if (block->kind == AOI_PACKET_NOTIFIED && aoi_packet_notified(block, &body) == NULL) {
        printf("notified ");
        print_bytes(body);
        printf("\n");
    }
}

static void print_packet(const unsigned char *bytes, size_t size) {
    const char *error = aoi_packet_check(bytes, size);
    aoi_packet packet = aoi_packet_open(bytes, size);
    aoi_packet_block block;
    printf("packet %zu\n", size);
    if (error != NULL)
        printf("error %s\n", error);
    while (error == NULL && aoi_packet_next(&packet, &block))
        print_block(&block);
}

/* ------------------------------------------------------------------ */
/* Views                                                               */
/* ------------------------------------------------------------------ */

static struct {
    aoi_packet_stay stay;
    struct {
        int64_t id;
        double x;
        bool named;
    } seen[MOST_SEEN]; /* in the order of ids */
    size_t count;
} view;

static size_t place_of(int64_t id) {
    size_t at = 0;
    while (at < view.count && view.seen[at].id < id)
        at++;
    return at;
}

static bool is_seen(int64_t id, size_t at) {
    return at < view.count && view.seen[at].id == id;
}

static void remove_at(size_t at) {
    view.count--;
    memmove(&view.seen[at], &view.seen[at + 1], (view.count - at) * sizeof *view.seen);
}

static void apply(const aoi_packet_record *record) {
    const size_t at = place_of(record->id);
    const bool enters =
        record->kind == AOI_PACKET_ENTERED || record->kind == AOI_PACKET_ENTERED_WITH;
    if (enters && !is_seen(record->id, at)) {
        if (view.count == MOST_SEEN)
            abort();
        memmove(&view.seen[at + 1], &view.seen[at], (view.count - at) * sizeof *view.seen);
        view.count++;
        view.seen[at].id = record->id;
    }
    if (!is_seen(record->id, at))
        return;
    if (record->kind == AOI_PACKET_LEFT) {
        remove_at(at);
    } else if (record->kind != AOI_PACKET_CHANGED) {
        view.seen[at].x = record->x;
        view.seen[at].named = true;
    }
}

static void take_block(const aoi_packet_block *block) {
    const unsigned todo = aoi_packet_follow(&view.stay, block);
    aoi_packet_records records = aoi_packet_records_of(block);
    aoi_packet_record record;
    aoi_packet_bytes body;
    if ((todo & AOI_PACKET_APPLY) != 0 && aoi_packet_notified(block, &body) == NULL) {
        printf("notified:");
        print_bytes(body);
        printf(" ");
    }
    if ((todo & AOI_PACKET_FORGET) != 0)
        view.count = 0;
    for (size_t i = 0; i < view.count && (todo & AOI_PACKET_BEGIN) != 0; i++)
        view.seen[i].named = false;
    while ((todo & AOI_PACKET_APPLY) != 0 && aoi_packet_next_record(&records, &record))
        apply(&record);
    for (size_t i = view.count; i > 0 && (todo & AOI_PACKET_END) != 0; i--) {
        if (!view.seen[i - 1].named)
            remove_at(i - 1);
    }
    printf("%s", (todo & AOI_PACKET_ASK) != 0 ? "asks " : "");
}

static void take_packet(const unsigned char *bytes, size_t size) {
    aoi_packet packet = aoi_packet_open(bytes, size);
    aoi_packet_block block;
    while (aoi_packet_next(&packet, &block))
        take_block(&block);
    for (size_t i = 0; i < view.count; i++) {
        printf("%" PRId64 ":", view.seen[i].id);
        print_number(view.seen[i].x);
        printf(" ");
    }
    printf("\n");
}

int main(int count, char **words) {
    unsigned char head[4];
    const bool views = count > 1 && strcmp(words[1], "views") == 0;
    while (fread(head, sizeof head, 1, stdin) == 1) {
        const size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
        unsigned char *bytes =
            (unsigned char *)grab(size); /* no byte more, for the sanitizer to see */
        if (fread(bytes, 1, size, stdin) != size)
            abort();
        (views ? take_packet : print_packet)(bytes, size);
        free(bytes);
    }
    return 0;
}
