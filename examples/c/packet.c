/* packet.c - reads the packet of docs/packets.md with clients/c/aoi_packet.h, as a client in C
 * does. */
#include <inttypes.h>
#include <stdio.h>

#include "aoi_packet.h"

static const unsigned char PACKET[] = {
    0x01, 0x08, 0x2c, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x00, 0x02, 0x0c, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x41, 0x00, 0x00, 0xa0,
    0x41, 0x03, 0x1a, 0x00, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0x41, 0x00, 0x00, 0xb0,
    0x40, 0x0c, 0x00, 0x00, 0x03, 0x00, 0x6f, 0x72, 0x63, 0x01, 0x01, 0x64, 0x00, 0x00, 0x00,
    0x02, 0x20, 0x09, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00,
    0x00, 0x09, 0x00, 0x00, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
};

static void print_details(const aoi_packet_record *record) {
    aoi_packet_details details = aoi_packet_details_of(record);
    aoi_packet_detail detail;
    while (aoi_packet_next_detail(&details, &detail)) {
        if (detail.kind == AOI_PACKET_DATA)
            printf(", data %.*s", (int)detail.bytes.count, (const char *)detail.bytes.at);
        else if (detail.kind == AOI_PACKET_INTEGER)
            printf(", property %u is %" PRId64, detail.key, detail.integer);
    }
    printf("\n");
}

static void print_view(const aoi_packet_block *block) {
    aoi_packet_records records = aoi_packet_records_of(block);
    aoi_packet_record record;
    while (aoi_packet_next_record(&records, &record)) {
        if (record.kind == AOI_PACKET_LEFT) {
            printf("%" PRId64 " is out of view\n", record.id);
        } else {
            printf("%" PRId64 " at %g, %g", record.id, record.x, record.y);
            print_details(&record);
        }
    }
}

int main(void) {
    aoi_packet packet = aoi_packet_open(PACKET, sizeof PACKET);
    aoi_packet_block block;
    if (aoi_packet_check(PACKET, sizeof PACKET) != NULL)
        return 1;
    while (aoi_packet_next(&packet, &block)) {
        int64_t speaker;
        aoi_packet_bytes said;
        printf("to %" PRId64 ", stream %" PRIu32 ", number %" PRIu32 "\n", block.watcher,
               block.stream, block.number);
        print_view(&block);
        if (aoi_packet_said(&block, &speaker, &said) == NULL)
            printf("%" PRId64 " says %.*s\n", speaker, (int)said.count, (const char *)said.at);
    }
    return 0;
}
