/* former_sights.c - the words that have changed since the last tick, as they were then. */
#include "sight/former_sights.h"

/* ------------------------------------------------------------------ */
/* Tables                                                              */
/* ------------------------------------------------------------------ */

/* The key by which a note stands in a table: its pair; or its watcher, and there only the last note
 * of each. */
enum key_kind { OF_PAIR, OF_WATCHER };

static uint64_t pair_key(aoi_id watcher, aoi_id marker) {
    return sights_mixed((uint64_t)watcher) + (uint64_t)marker;
}

static uint64_t note_key(const struct sights *sights, enum key_kind kind, uint32_t number) {
    const struct former_sight *former = &sights->former.items[number];
    return kind == OF_WATCHER ? (uint64_t)former->watcher
                              : pair_key(former->watcher, former->marker);
}

/* Where the key stands first, or the free place where it would. */
static size_t place_of(const struct sights *sights, const struct former_table *table,
                       enum key_kind kind, uint64_t key) {
    size_t at = (size_t)sights_mixed(key) & (table->room - 1);
    while (table->at[at] != NO_SIGHT && note_key(sights, kind, table->at[at]) != key)
        at = (at + 1) & (table->room - 1);
    return at;
}

static void add_number(const struct sights *sights, struct former_table *table, enum key_kind kind,
                       uint32_t number) {
    size_t at = (size_t)sights_mixed(note_key(sights, kind, number)) & (table->room - 1);
    while (table->at[at] != NO_SIGHT)
        at = (at + 1) & (table->room - 1);
    table->at[at] = number;
    table->count++;
}

static void free_table(struct former_table *table, struct memory *memory) {
    memory_resize(memory, table->at, table->room, 0, sizeof *table->at);
    *table = (struct former_table){NULL, 0, 0};
}

/* Room for `more`: a table is half full at most. */
static bool reserve_table(struct sights *sights, struct former_table *table, enum key_kind kind,
                          size_t more) {
    struct former_table larger = {NULL, table->room == 0 ? 16 : table->room, 0};
    while (larger.room / 2 < table->count + more)
        larger.room *= 2;
    if (larger.room == table->room)
        return true;
    larger.at = memory_resize(sights->memory, NULL, 0, larger.room, sizeof *larger.at);
    if (larger.at == NULL)
        return false;
    for (size_t at = 0; at < larger.room; at++)
        larger.at[at] = NO_SIGHT;
    for (size_t at = 0; at < table->room; at++) {
        if (table->at[at] != NO_SIGHT)
            add_number(sights, &larger, kind, table->at[at]);
    }
    free_table(table, sights->memory);
    *table = larger;
    return true;
}

/* ------------------------------------------------------------------ */
/* Notes                                                               */
/* ------------------------------------------------------------------ */

const struct former_sight *sights_find_note(const struct sights *sights, aoi_id watcher,
                                            aoi_id marker) {
    const struct former_table *table = &sights->former_of_pairs;
    if (table->count == 0)
        return NULL;
    size_t at = (size_t)sights_mixed(pair_key(watcher, marker)) & (table->room - 1);
    for (; table->at[at] != NO_SIGHT; at = (at + 1) & (table->room - 1)) {
        const struct former_sight *former = &sights->former.items[table->at[at]];
        if (former->watcher == watcher && former->marker == marker)
            return former;
    }
    return NULL;
}

uint32_t sights_notes_of_watcher(const struct sights *sights, aoi_id watcher) {
    const struct former_table *table = &sights->former_of_watchers;
    return table->count == 0 ? NO_SIGHT
                             : table->at[place_of(sights, table, OF_WATCHER, (uint64_t)watcher)];
}

bool sights_reserve_notes(struct sights *sights, size_t changes) {
    return !sights->deferred || changes == 0 ||
           (array_reserve(&sights->former, sights->memory, changes) &&
            reserve_table(sights, &sights->former_of_pairs, OF_PAIR, changes) &&
            reserve_table(sights, &sights->former_of_watchers, OF_WATCHER, changes));
}

void sights_note(struct sights *sights, aoi_id watcher, aoi_id marker, aoi_sight word) {
    if (!sights->deferred || sights_find_note(sights, watcher, marker) != NULL)
        return;
    struct former_table *table = &sights->former_of_watchers;
    const size_t place = place_of(sights, table, OF_WATCHER, (uint64_t)watcher);
    const uint32_t number = (uint32_t)sights->former.count++, next = table->at[place];
    sights->former.items[number] = (struct former_sight){watcher, marker, word, next};
    table->at[place] = number;
    table->count += next == NO_SIGHT;
    add_number(sights, &sights->former_of_pairs, OF_PAIR, number);
}

bool sights_restore_former(struct sights *sights, const struct former_sight *former) {
    if (!sights_reserve_notes(sights, 1))
        return false;
    sights_note(sights, former->watcher, former->marker, former->word);
    return true;
}

void sights_forget_former(struct sights *sights) {
    array_free(&sights->former, sights->memory);
    free_table(&sights->former_of_pairs, sights->memory);
    free_table(&sights->former_of_watchers, sights->memory);
}
