/* former_sights.c - the words that have changed since the last tick, as they were then. */
#include "sight/former_sights.h"

/* ------------------------------------------------------------------ */
/* The table of pairs                                                  */
/* ------------------------------------------------------------------ */

/* Where a search for the note of a pair begins. */
static size_t home_of(const struct former_table *table, aoi_id watcher, aoi_id marker) {
    return (size_t)sights_mixed(sights_mixed((uint64_t)watcher) + (uint64_t)marker) &
           (table->room - 1);
}

static void add_pair(const struct sights *sights, struct former_table *table, uint32_t number) {
    const struct former_sight *former = &sights->former.items[number];
    size_t at = home_of(table, former->watcher, former->marker);
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
static bool reserve_table(struct sights *sights, struct former_table *table, size_t more) {
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
            add_pair(sights, &larger, table->at[at]);
    }
    free_table(table, sights->memory);
    *table = larger;
    return true;
}

/* ------------------------------------------------------------------ */
/* Notes                                                               */
/* ------------------------------------------------------------------ */

static struct id_column watchers_of(const struct sights *sights) {
    return IDS_OF(sights->former.items, watcher);
}

const struct former_sight *sights_find_note(const struct sights *sights, aoi_id watcher,
                                            aoi_id marker) {
    const struct former_table *table = &sights->former_of_pairs;
    if (table->count == 0)
        return NULL;
    size_t at = home_of(table, watcher, marker);
    for (; table->at[at] != NO_SIGHT; at = (at + 1) & (table->room - 1)) {
        const struct former_sight *former = &sights->former.items[table->at[at]];
        if (former->watcher == watcher && former->marker == marker)
            return former;
    }
    return NULL;
}

uint32_t sights_notes_of_watcher(const struct sights *sights, aoi_id watcher) {
    return idmap_find(&sights->former_of_watchers, watchers_of(sights), watcher);
}

bool sights_reserve_notes(struct sights *sights, size_t changes) {
    return !sights->deferred || changes == 0 ||
           (array_reserve(&sights->former, sights->memory, changes) &&
            reserve_table(sights, &sights->former_of_pairs, changes) &&
            idmap_reserve(&sights->former_of_watchers, sights->memory, watchers_of(sights),
                          changes));
}

void sights_note(struct sights *sights, aoi_id watcher, aoi_id marker, aoi_sight word) {
    if (!sights->deferred || sights_find_note(sights, watcher, marker) != NULL)
        return;
    const uint32_t number = (uint32_t)sights->former.count++;
    const uint32_t next = sights_notes_of_watcher(sights, watcher);
    sights->former.items[number] = (struct former_sight){watcher, marker, word, next};
    add_pair(sights, &sights->former_of_pairs, number);
    if (next != NO_SIGHT)
        idmap_remove(&sights->former_of_watchers, watchers_of(sights), next);
    idmap_add(&sights->former_of_watchers, watchers_of(sights), number);
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
    idmap_free(&sights->former_of_watchers, sights->memory);
}
