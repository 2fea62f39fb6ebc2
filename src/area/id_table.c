/* id_table.c - the entries of the table: linear probing, and removal without tombstones. */
#include "area/id_table.h"

static size_t mask_of(const struct id_table *table) {
    return ((size_t)1 << table->bits) - 1;
}

/* Where a search for the id begins: Fibonacci hashing, as in entity/idmap.h. */
static size_t home_of(const struct id_table *table, aoi_id id) {
    return (size_t)(((uint64_t)id + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask_of(table);
}

/* Where the id stands, or the empty place where it would. */
static size_t find_entry(const struct id_table *table, aoi_id id) {
    size_t at = home_of(table, id);
    while (table->entries[at].number != NO_NUMBER && table->entries[at].id != id)
        at = (at + 1) & mask_of(table);
    return at;
}

uint32_t id_table_find(const struct id_table *table, aoi_id id) {
    return table->bits == 0 ? NO_NUMBER : table->entries[find_entry(table, id)].number;
}

/* True when so many ids leave enough of the table empty. */
static bool has_room(const struct id_table *table, size_t ids) {
    return table->bits > 0 && ids <= (mask_of(table) + 1) / 4 * 3;
}

bool id_table_reserve(struct id_table *table, struct memory *memory, size_t more) {
    enum { FEWEST_BITS = 3, MOST_BITS = 32 };
    const size_t ids = table->count + more;
    if (has_room(table, ids))
        return true;
    struct id_table larger = {.bits = FEWEST_BITS};
    while (larger.bits < MOST_BITS - 1 && !has_room(&larger, ids))
        larger.bits++;
    larger.entries = memory_resize(memory, NULL, 0, mask_of(&larger) + 1, sizeof *larger.entries);
    if (larger.entries == NULL)
        return false;
    for (size_t i = 0; i <= mask_of(&larger); i++)
        larger.entries[i].number = NO_NUMBER;
    for (size_t i = 0; table->bits > 0 && i <= mask_of(table); i++) {
        if (table->entries[i].number != NO_NUMBER)
            id_table_set(&larger, table->entries[i].id, table->entries[i].number);
    }
    id_table_free(table, memory);
    *table = larger;
    return true;
}

void id_table_set(struct id_table *table, aoi_id id, uint32_t number) {
    struct id_entry *entry = &table->entries[find_entry(table, id)];
    table->count += entry->number == NO_NUMBER;
    *entry = (struct id_entry){id, number};
}

void id_table_remove(struct id_table *table, aoi_id id) {
    const size_t mask = mask_of(table);
    size_t hole = find_entry(table, id);
    /* Entries behind that could not stand where they belong move up. */
    for (size_t at = (hole + 1) & mask; table->entries[at].number != NO_NUMBER;
         at = (at + 1) & mask) {
        const size_t home = home_of(table, table->entries[at].id);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->entries[hole] = table->entries[at];
            hole = at;
        }
    }
    table->entries[hole].number = NO_NUMBER;
    table->count--;
}

void id_table_free(struct id_table *table, struct memory *memory) {
    memory_resize(memory, table->entries, mask_of(table) + 1, 0, sizeof *table->entries);
    *table = (struct id_table){NULL, 0, 0};
}
