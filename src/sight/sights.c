/* sights.c - words about pairs: found, set and ended; what they were at the last tick. */
#include "sight/sights.h"

#include "base/self_check.h"
#include "entity/idmap.h"

/* ------------------------------------------------------------------ */
/* Tables of numbers                                                   */
/* ------------------------------------------------------------------ */

static uint64_t mixed(uint64_t key) {
    key = (key ^ (key >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return key ^ (key >> 29);
}

/* The thing that a number in a table stands for. */
enum key_kind { OF_WATCHER, OF_MARKER, OF_FORMER, OF_FORMER_WATCHER };

static uint64_t former_key(aoi_id watcher, aoi_id marker) {
    return mixed((uint64_t)watcher) + (uint64_t)marker;
}

static uint64_t key_of(const struct sights *sights, enum key_kind kind, uint32_t number) {
    switch (kind) {
    case OF_WATCHER: return sights->items[number].watcher;
    case OF_MARKER: return (uint64_t)sights->items[number].marker;
    case OF_FORMER_WATCHER: return (uint64_t)sights->former.items[number].watcher;
    case OF_FORMER: break;
    }
    const struct former_sight *former = &sights->former.items[number];
    return former_key(former->watcher, former->marker);
}

/* Four bits for each place behind the places: that of a key which is in the table is set, and may
 * be left when it is not any more. */
enum { FILTER_BITS = 4 };

static size_t size_of_table(size_t room) {
    return room + room * FILTER_BITS / 32;
}

static uint32_t *filter_word(const struct first_sights *table, uint64_t key, uint32_t *bit) {
    const uint64_t number = mixed(key) >> 32 & (table->room * FILTER_BITS - 1);
    *bit = (uint32_t)1 << number % 32;
    return &table->at[table->room + number / 32];
}

static void set_filter(struct first_sights *table, uint64_t key) {
    uint32_t bit, *word = filter_word(table, key, &bit);
    *word |= bit;
}

/* Where the key stands first, or the free place where it would. */
static size_t place_of(const struct sights *sights, const struct first_sights *table,
                       enum key_kind kind, uint64_t key) {
    size_t at = (size_t)mixed(key) & (table->room - 1);
    while (table->at[at] != NO_SIGHT && key_of(sights, kind, table->at[at]) != key)
        at = (at + 1) & (table->room - 1);
    return at;
}

static uint32_t find_first(const struct sights *sights, const struct first_sights *table,
                           enum key_kind kind, uint64_t key) {
    uint32_t bit;
    return table->count == 0 || !(*filter_word(table, key, &bit) & bit)
               ? NO_SIGHT
               : table->at[place_of(sights, table, kind, key)];
}

static void add_number(const struct sights *sights, struct first_sights *table, enum key_kind kind,
                       uint32_t number) {
    size_t at = (size_t)mixed(key_of(sights, kind, number)) & (table->room - 1);
    while (table->at[at] != NO_SIGHT)
        at = (at + 1) & (table->room - 1);
    table->at[at] = number;
    table->count++;
    set_filter(table, key_of(sights, kind, number));
}

static void free_table(struct first_sights *table, struct memory *memory) {
    memory_resize(memory, table->at, size_of_table(table->room), 0, sizeof *table->at);
    *table = (struct first_sights){NULL, 0, 0};
}

/* Room for `more`: a table is full to seven eighths at most. */
static bool reserve_table(struct sights *sights, struct first_sights *table, enum key_kind kind,
                          size_t more) {
    struct first_sights larger = {NULL, table->room == 0 ? 16 : table->room, 0};
    while (larger.room / 8 * 7 < table->count + more)
        larger.room *= 2;
    if (larger.room == table->room)
        return true;
    larger.at =
        memory_resize(sights->memory, NULL, 0, size_of_table(larger.room), sizeof *larger.at);
    if (larger.at == NULL)
        return false;
    for (size_t at = 0; at < larger.room; at++)
        larger.at[at] = NO_SIGHT;
    for (size_t at = larger.room; at < size_of_table(larger.room); at++)
        larger.at[at] = 0;
    for (size_t at = 0; at < table->room; at++) {
        if (table->at[at] != NO_SIGHT)
            add_number(sights, &larger, kind, table->at[at]);
    }
    free_table(table, sights->memory);
    *table = larger;
    return true;
}

/* Takes out the number at a place; those behind it that could not stand there move up. */
static void take_out_of(const struct sights *sights, struct first_sights *table, enum key_kind kind,
                        size_t hole) {
    const size_t mask = table->room - 1;
    for (size_t at = (hole + 1) & mask; table->at[at] != NO_SIGHT; at = (at + 1) & mask) {
        const size_t home = (size_t)mixed(key_of(sights, kind, table->at[at])) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->at[hole] = table->at[at];
            hole = at;
        }
    }
    table->at[hole] = NO_SIGHT;
    table->count--;
}

/* ------------------------------------------------------------------ */
/* Words                                                               */
/* ------------------------------------------------------------------ */

uint32_t sights_of_watcher(const struct sights *sights, uint32_t watcher) {
    return find_first(sights, &sights->of_watchers, OF_WATCHER, watcher);
}

uint32_t sights_of_marker(const struct sights *sights, aoi_id marker) {
    return find_first(sights, &sights->of_markers, OF_MARKER, (uint64_t)marker);
}

static uint32_t find_number(const struct sights *sights, uint32_t watcher, aoi_id marker) {
    enum { FEW = 8 };
    uint32_t by_watcher = sights_of_watcher(sights, watcher);
    for (int i = 0; i < FEW && by_watcher != NO_SIGHT; i++) {
        if (sights->items[by_watcher].marker <= marker)
            return sights->items[by_watcher].marker == marker ? by_watcher : NO_SIGHT;
        by_watcher = sights_next_of_watcher(sights, by_watcher);
    }
    uint32_t by_marker = by_watcher == NO_SIGHT ? NO_SIGHT : sights_of_marker(sights, marker);
    while (by_watcher != NO_SIGHT && by_marker != NO_SIGHT) {
        if (sights->items[by_watcher].marker <= marker)
            return sights->items[by_watcher].marker == marker ? by_watcher : NO_SIGHT;
        if (sights->items[by_marker].watcher == watcher)
            return by_marker;
        by_watcher = sights_next_of_watcher(sights, by_watcher);
        by_marker = sights_next_of_marker(sights, by_marker);
    }
    return NO_SIGHT;
}

aoi_sight sights_find(const struct sights *sights, uint32_t watcher, aoi_id marker) {
    const uint32_t number = sights->count == 0 ? NO_SIGHT : find_number(sights, watcher, marker);
    return number == NO_SIGHT ? AOI_SIGHT_BY_RULE : sight_word(sights, number);
}

size_t sights_count_of(const struct sights *sights, uint32_t watcher) {
    size_t count = 0;
    for (uint32_t at = sights_of_watcher(sights, watcher); at != NO_SIGHT;
         at = sights_next_of_watcher(sights, at))
        count++;
    return count;
}

bool sights_reserve(struct sights *sights, size_t more) {
    if (more > sights->room - sights->count) {
        const size_t room = sights->count + more + sights->room / 16 + 8;
        if (room >= LAST_OF_WATCHER)
            return false;
        struct sight *items =
            memory_resize(sights->memory, sights->items, sights->room, room, sizeof *sights->items);
        if (items == NULL)
            return false;
        sights->items = items;
        sights->room = (uint32_t)room;
    }
    return reserve_table(sights, &sights->of_watchers, OF_WATCHER, more) &&
           reserve_table(sights, &sights->of_markers, OF_MARKER, more);
}

/* Puts a new word into the list of its watcher, which descends by marker: those that come in
 * ascending order are first each time. */
static void join_list_of_watcher(struct sights *sights, uint32_t number) {
    struct sight *sight = &sights->items[number];
    struct first_sights *table = &sights->of_watchers;
    const size_t place = place_of(sights, table, OF_WATCHER, sight->watcher);
    uint32_t before = NO_SIGHT, after = table->at[place];
    table->count += after == NO_SIGHT;
    set_filter(table, sight->watcher);
    after = after == NO_SIGHT ? LAST_OF_WATCHER : after;
    while (after != LAST_OF_WATCHER && sights->items[after].marker > sight->marker) {
        before = after;
        after = sights->items[after].next_of_watcher;
    }
    sight->next_of_watcher = after & LAST_OF_WATCHER;
    if (before == NO_SIGHT)
        table->at[place] = number;
    else
        sights->items[before].next_of_watcher = number & LAST_OF_WATCHER;
}

static void join_list_of_marker(struct sights *sights, uint32_t number) {
    struct sight *sight = &sights->items[number];
    struct first_sights *table = &sights->of_markers;
    const size_t place = place_of(sights, table, OF_MARKER, (uint64_t)sight->marker);
    set_filter(table, (uint64_t)sight->marker);
    sight->next_of_marker = table->at[place];
    sight->previous_of_marker = NO_SIGHT;
    table->at[place] = number;
    if (sight->next_of_marker == NO_SIGHT)
        table->count++;
    else
        sights->items[sight->next_of_marker].previous_of_marker = number;
}

/* The number of a new word that stands in no list. */
static uint32_t make_word(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word) {
    uint32_t number = sights->free;
    if (sights->used == sights->count)
        number = sights->used++;
    else
        sights->free = sights->items[number].next_of_watcher;
    sights->count++;
    sights->items[number] =
        (struct sight){.marker = marker, .watcher = watcher, .always = word == AOI_SIGHT_ALWAYS};
    return number;
}

static void add_word(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word) {
    const uint32_t number = make_word(sights, watcher, marker, word);
    join_list_of_watcher(sights, number);
    join_list_of_marker(sights, number);
}

uint32_t sights_restore(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word,
                        uint32_t last) {
    const bool follows = last != NO_SIGHT && sights->items[last].watcher == watcher;
    if (follows ? marker >= sights->items[last].marker
                : sights_of_watcher(sights, watcher) != NO_SIGHT)
        return NO_SIGHT;
    const uint32_t number = make_word(sights, watcher, marker, word);
    if (follows) {
        sights->items[number].next_of_watcher = LAST_OF_WATCHER;
        sights->items[last].next_of_watcher = number & LAST_OF_WATCHER;
    } else {
        join_list_of_watcher(sights, number);
    }
    join_list_of_marker(sights, number);
    return number;
}

static void leave_list_of_watcher(struct sights *sights, uint32_t number) {
    const struct sight *sight = &sights->items[number];
    struct first_sights *table = &sights->of_watchers;
    const size_t place = place_of(sights, table, OF_WATCHER, sight->watcher);
    uint32_t at = table->at[place];
    if (at != number) {
        while (sights->items[at].next_of_watcher != number)
            at = sights->items[at].next_of_watcher;
        sights->items[at].next_of_watcher = sight->next_of_watcher;
    } else if (sight->next_of_watcher != LAST_OF_WATCHER) {
        table->at[place] = sight->next_of_watcher;
    } else {
        take_out_of(sights, table, OF_WATCHER, place);
    }
}

static void leave_list_of_marker(struct sights *sights, uint32_t number) {
    const struct sight *sight = &sights->items[number];
    struct first_sights *table = &sights->of_markers;
    if (sight->next_of_marker != NO_SIGHT)
        sights->items[sight->next_of_marker].previous_of_marker = sight->previous_of_marker;
    if (sight->previous_of_marker != NO_SIGHT) {
        sights->items[sight->previous_of_marker].next_of_marker = sight->next_of_marker;
        return;
    }
    const size_t place = place_of(sights, table, OF_MARKER, (uint64_t)sight->marker);
    if (sight->next_of_marker != NO_SIGHT)
        table->at[place] = sight->next_of_marker;
    else
        take_out_of(sights, table, OF_MARKER, place);
}

static void remove_word(struct sights *sights, uint32_t number) {
    leave_list_of_watcher(sights, number);
    leave_list_of_marker(sights, number);
    sights->items[number].next_of_watcher = sights->free & LAST_OF_WATCHER;
    sights->free = number;
    sights->count--;
}

/* ------------------------------------------------------------------ */
/* Words at the last tick                                              */
/* ------------------------------------------------------------------ */

const struct former_sight *sights_find_note(const struct sights *sights, aoi_id watcher,
                                            aoi_id marker) {
    const struct first_sights *table = &sights->former_table;
    if (table->count == 0)
        return NULL;
    size_t at = (size_t)mixed(former_key(watcher, marker)) & (table->room - 1);
    for (; table->at[at] != NO_SIGHT; at = (at + 1) & (table->room - 1)) {
        const struct former_sight *former = &sights->former.items[table->at[at]];
        if (former->watcher == watcher && former->marker == marker)
            return former;
    }
    return NULL;
}

uint32_t sights_notes_of_watcher(const struct sights *sights, aoi_id watcher) {
    return find_first(sights, &sights->former_of_watchers, OF_FORMER_WATCHER, (uint64_t)watcher);
}

aoi_sight sights_find_then(const struct sights *sights, aoi_id watcher, uint32_t slot,
                           aoi_id marker) {
    const struct former_sight *former = sights_find_note(sights, watcher, marker);
    if (former != NULL)
        return former->word;
    return slot == NO_SLOT ? AOI_SIGHT_BY_RULE : sights_find(sights, slot, marker);
}

bool sights_reserve_notes(struct sights *sights, size_t changes) {
    return !sights->deferred || changes == 0 ||
           (array_reserve(&sights->former, sights->memory, changes) &&
            reserve_table(sights, &sights->former_table, OF_FORMER, changes) &&
            reserve_table(sights, &sights->former_of_watchers, OF_FORMER_WATCHER, changes));
}

/* Notes what a word was, if it has not changed before. */
static void note_former(struct sights *sights, aoi_id watcher, aoi_id marker, aoi_sight word) {
    if (!sights->deferred || sights_find_note(sights, watcher, marker) != NULL)
        return;
    struct first_sights *table = &sights->former_of_watchers;
    const size_t place = place_of(sights, table, OF_FORMER_WATCHER, (uint64_t)watcher);
    const uint32_t number = (uint32_t)sights->former.count++, next = table->at[place];
    sights->former.items[number] = (struct former_sight){watcher, marker, word, next};
    table->at[place] = number;
    table->count += next == NO_SIGHT;
    set_filter(table, (uint64_t)watcher);
    add_number(sights, &sights->former_table, OF_FORMER, number);
}

bool sights_restore_former(struct sights *sights, const struct former_sight *former) {
    if (!sights_reserve_notes(sights, 1))
        return false;
    note_former(sights, former->watcher, former->marker, former->word);
    return true;
}

void sights_forget_former(struct sights *sights) {
    array_free(&sights->former, sights->memory);
    free_table(&sights->former_table, sights->memory);
    free_table(&sights->former_of_watchers, sights->memory);
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

void sights_set(struct sights *sights, aoi_id id, uint32_t watcher, aoi_id marker, aoi_sight word) {
    const uint32_t number = sights->count == 0 ? NO_SIGHT : find_number(sights, watcher, marker);
    note_former(sights, id, marker,
                number == NO_SIGHT ? AOI_SIGHT_BY_RULE : sight_word(sights, number));
    if (word == AOI_SIGHT_BY_RULE) {
        if (number != NO_SIGHT)
            remove_word(sights, number);
    } else if (number == NO_SIGHT) {
        add_word(sights, watcher, marker, word);
    } else {
        sights->items[number].always = word == AOI_SIGHT_ALWAYS;
    }
}

void sights_end(struct sights *sights, aoi_id id, uint32_t watcher) {
    uint32_t number;
    while (sights->count > 0 && (number = sights_of_watcher(sights, watcher)) != NO_SIGHT) {
        note_former(sights, id, sights->items[number].marker, sight_word(sights, number));
        remove_word(sights, number);
    }
}

static void free_words(struct sights *sights) {
    memory_resize(sights->memory, sights->items, sights->room, 0, sizeof *sights->items);
    sights->items = NULL;
    sights->room = sights->used = 0;
    free_table(&sights->of_watchers, sights->memory);
    free_table(&sights->of_markers, sights->memory);
}

void sights_trim(struct sights *sights) {
    if (sights->count == 0)
        free_words(sights);
}

void sights_free(struct sights *sights) {
    free_words(sights);
    sights->count = 0;
    sights_forget_former(sights);
}

#ifdef AOI_SELF_CHECK
void sights_check(const struct sights *sights) {
    size_t by_watcher = 0, by_marker = 0;
    for (size_t at = 0; at < sights->of_watchers.room; at++) {
        for (uint32_t number = sights->of_watchers.at[at]; number != NO_SIGHT;
             number = sights_next_of_watcher(sights, number))
            by_watcher++;
    }
    for (size_t at = 0; at < sights->of_markers.room; at++) {
        uint32_t before = NO_SIGHT;
        for (uint32_t number = sights->of_markers.at[at]; number != NO_SIGHT;
             number = sights_next_of_marker(sights, number)) {
            SELF_CHECK(sights->items[number].previous_of_marker == before);
            before = number;
            by_marker++;
        }
    }
    SELF_CHECK(by_watcher == sights->count && by_marker == sights->count);
    SELF_CHECK(sights->former.count == sights->former_table.count);
}
#endif
