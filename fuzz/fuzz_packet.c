/*
 * fuzz_packet.c - a fuzz target: gives its bytes to the reader of packets in clients/c.
 *
 * Expected are an end, nothing read or given outside of the bytes, blocks that are the packet again
 * when put behind one another, and no error after aoi_packet_check found none.
 */
#include <string.h>

#include "aoi_packet.h"
#include "expectations.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile unsigned sum; /* of all bytes that are given, so that they are read */

static void touch(aoi_packet_bytes bytes, aoi_packet_bytes within) {
    expect(bytes.count == 0 || (bytes.at >= within.at && bytes.count <= within.count &&
                                (size_t)(bytes.at - within.at) <= within.count - bytes.count),
           "bytes are given that stand outside of the packet");
    for (size_t i = 0; i < bytes.count; i++)
        sum += bytes.at[i];
}

static const char *read_details(aoi_packet_details details, aoi_packet_bytes packet) {
    aoi_packet_detail detail;
    while (aoi_packet_next_detail(&details, &detail)) {
        expect(detail.key < 256 && detail.kind <= AOI_PACKET_REMOVED, "a detail that can't be");
        touch(detail.bytes, packet);
    }
    return details.error;
}

static const char *read_me(const aoi_packet_block *block, aoi_packet_bytes packet) {
    aoi_packet_me me;
    const char *error = aoi_packet_me_of(block, &me);
    if (error != NULL || !me.told)
        return error;
    touch(me.extras, packet);
    error = read_details(aoi_packet_details_in(me.details), packet);
    return error != NULL ? error : read_details(aoi_packet_details_in(me.traits), packet);
}

static void read_extras(const aoi_packet_record *record) {
    expect(record->extra_count <= AOI_PACKET_EXTRAS, "more extras than there is room for");
    for (size_t i = 0; i < record->extra_count; i++)
        sum += record->extras[i] != 0;
}

static const char *read_block(const aoi_packet_block *block, aoi_packet_bytes packet) {
    aoi_packet_records records = aoi_packet_records_of(block);
    aoi_packet_record record;
    const char *error = NULL;
    while (error == NULL && aoi_packet_next_record(&records, &record)) {
        touch(record.details, packet);
        read_extras(&record);
        error = read_details(aoi_packet_details_of(&record), packet);
    }
    if (error == NULL && records.error == NULL)
        error = read_me(block, packet);
    if (block->kind == AOI_PACKET_SAID) {
        int64_t speaker;
        aoi_packet_bytes body;
        error = aoi_packet_said(block, &speaker, &body);
        if (error == NULL)
            touch(body, packet);
    } else if (block->kind == AOI_PACKET_NOTIFIED) {
        aoi_packet_bytes body;
        if (aoi_packet_notified(block, &body) == NULL)
            touch(body, packet);
    }
    return error != NULL ? error : records.error;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const aoi_packet_bytes all = {bytes, size};
    const char *const first = aoi_packet_check(bytes, size);
    const char *error = NULL;
    aoi_packet packet = aoi_packet_open(bytes, size);
    aoi_packet_block block;
    aoi_packet_stay stay;
    size_t at = 0;
    memset(&stay, 0, sizeof stay);
    while (aoi_packet_next(&packet, &block)) {
        expect(block.whole.at == bytes + at, "blocks do not stand behind one another");
        touch(block.whole, all);
        touch(block.body, block.whole);
        at += block.whole.count;
        const char *found = read_block(&block, all);
        error = error != NULL ? error : found;
        expect((aoi_packet_follow(&stay, &block) & ~31u) == 0, "something unknown is to be done");
    }
    expect((at == size) == (packet.error == NULL), "an error and all read, or none and not all");
    expect((first == NULL) == (packet.error == NULL && error == NULL),
           "aoi_packet_check says something else");
    return 0;
}
