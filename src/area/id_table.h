/* id_table.h - from an id to a number: open addressing with linear probing, the ids in the table.
 */
#ifndef AOI_ID_TABLE_H
#define AOI_ID_TABLE_H

#include "base/memory.h"

#define NO_NUMBER UINT32_MAX

struct id_entry {
    aoi_id id;
    uint32_t number; /* NO_NUMBER: empty */
};

struct id_table {
    struct id_entry *entries;
    unsigned bits; /* the table has 2^bits entries; 0: no table yet */
    size_t count;
};

/* The number of the id, or NO_NUMBER. O(1) expected. */
uint32_t id_table_find(const struct id_table *table, aoi_id id);

/* Room for `more` further ids. */
bool id_table_reserve(struct id_table *table, struct memory *memory, size_t more);

/* The id has this number from now on; a new one has had room reserved. */
void id_table_set(struct id_table *table, aoi_id id, uint32_t number);

/* Takes out an id that is there. */
void id_table_remove(struct id_table *table, aoi_id id);

void id_table_free(struct id_table *table, struct memory *memory);

#endif
