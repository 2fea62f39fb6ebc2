/* sights.c - words about pairs: found, set and ended. */
#include "sight/former_sights.h"

#include "base/self_check.h"
#include "entity/idmap.h"

/* ------------------------------------------------------------------ */
/* Links                                                               */
/* ------------------------------------------------------------------ */

/* The thing that the words of a list have in common. */
enum side { OF_WATCHER, OF_MARKER };

static uint32_t number_in(uint32_t link) {
    link &= SIGHT_NUMBER;
    return link == SIGHT_NUMBER ? NO_SIGHT : link;
}

static void set_number(uint32_t *link, uint32_t number) {
    *link = (*link & ~(uint32_t)SIGHT_NUMBER) | (number & SIGHT_NUMBER);
}

/* Where the list with this first word names the first word of the next one in its chain. */
static uint32_t *next_list(const struct sights *sights, enum side side, uint32_t first) {
    struct sight *sight = &sights->items[first];
    if (side == OF_MARKER)
        return &sight->previous_of_marker;
    if (sight->next_of_watcher & LAST_OF_WATCHER)
        return &sight->next_of_watcher;
    return &sights->items[sight->next_of_watcher & SIGHT_NUMBER].watcher;
}

static uint64_t key_of(const struct sights *sights, enum side side, uint32_t first) {
    return side == OF_WATCHER ? sights->items[first].watcher
                              : (uint64_t)sights->items[first].marker;
}

/* ------------------------------------------------------------------ */
/* Tables of lists                                                     */
/* ------------------------------------------------------------------ */

/* For each chain so many bits: that of a key which is in the table is set, and may be left when it
 * is not any more. */
enum { FILTER_BITS = 8 };

/* Lists to a chain: what is kept of a word grows with their inverse. */
enum { MOST_TO_A_CHAIN = 3 };

static struct sight_lists *lists_of(struct sights *sights, enum side side) {
    return side == OF_WATCHER ? &sights->of_watchers : &sights->of_markers;
}

static size_t size_of_lists(size_t room) {
    return room + room * FILTER_BITS / 32;
}

static uint32_t *chain_of(const struct sight_lists *lists, uint64_t key) {
    return &lists->chains[sights_mixed(key) & (lists->room - 1)];
}

static uint32_t *filter_word(const struct sight_lists *lists, uint64_t key, uint32_t *bit) {
    const uint64_t number = sights_mixed(key) >> 32 & (lists->room * FILTER_BITS - 1);
    *bit = (uint32_t)1 << number % 32;
    return &lists->chains[lists->room + number / 32];
}

/* A list, by its first word, and the one before it in the chain; NO_SIGHT: there is none. */
struct found_list {
    uint32_t first, before;
};

static struct found_list find_list(const struct sights *sights, enum side side, uint64_t key) {
    const struct sight_lists *lists =
        side == OF_WATCHER ? &sights->of_watchers : &sights->of_markers;
    struct found_list found = {NO_SIGHT, NO_SIGHT};
    uint32_t bit;
    if (lists->count == 0 || !(*filter_word(lists, key, &bit) & bit))
        return found;
    found.first = *chain_of(lists, key);
    while (found.first != NO_SIGHT && key_of(sights, side, found.first) != key) {
        found.before = found.first;
        found.first = number_in(*next_list(sights, side, found.first));
    }
    return found;
}

/* Puts the list with this first word into a table. */
static void add_list(struct sights *sights, struct sight_lists *lists, enum side side,
                     uint32_t first) {
    const uint64_t key = key_of(sights, side, first);
    uint32_t *chain = chain_of(lists, key);
    set_number(next_list(sights, side, first), *chain);
    *chain = first;
    uint32_t bit, *word = filter_word(lists, key, &bit);
    *word |= bit;
    lists->count++;
}

/* The chain goes on with this word where it did with the list found. */
static void replace_list(struct sights *sights, enum side side, uint64_t key,
                         const struct found_list *found, uint32_t first) {
    if (found->before != NO_SIGHT)
        set_number(next_list(sights, side, found->before), first);
    else
        *chain_of(lists_of(sights, side), key) = first;
}

static void free_lists(struct sights *sights, struct sight_lists *lists) {
    memory_resize(sights->memory, lists->chains, size_of_lists(lists->room), 0,
                  sizeof *lists->chains);
    *lists = (struct sight_lists){NULL, 0, 0};
}

static bool reserve_chains(struct sights *sights, enum side side, size_t more) {
    struct sight_lists *lists = lists_of(sights, side);
    struct sight_lists larger = {NULL, lists->room == 0 ? 16 : lists->room, 0};
    while (larger.room * MOST_TO_A_CHAIN < lists->count + more)
        larger.room *= 2;
    if (larger.room == lists->room)
        return true;
    larger.chains =
        memory_resize(sights->memory, NULL, 0, size_of_lists(larger.room), sizeof *larger.chains);
    if (larger.chains == NULL)
        return false;
    for (size_t at = 0; at < size_of_lists(larger.room); at++)
        larger.chains[at] = at < larger.room ? NO_SIGHT : 0;
    for (size_t at = 0; at < lists->room; at++) {
        for (uint32_t first = lists->chains[at], next; first != NO_SIGHT; first = next) {
            next = number_in(*next_list(sights, side, first));
            add_list(sights, &larger, side, first);
        }
    }
    free_lists(sights, lists);
    *lists = larger;
    return true;
}

/* ------------------------------------------------------------------ */
/* The words of a watcher: they descend by marker                      */
/* ------------------------------------------------------------------ */

/* Takes the link to the next list out of the words, so that they can be linked in another way;
 * returns that list. The other way round: the words can be found again. */
static uint32_t open_words(struct sights *sights, uint32_t first) {
    struct sight *sight = &sights->items[first];
    const uint32_t next = number_in(*next_list(sights, OF_WATCHER, first));
    if (!(sight->next_of_watcher & LAST_OF_WATCHER)) {
        struct sight *second = &sights->items[sight->next_of_watcher & SIGHT_NUMBER];
        second->watcher = sight->watcher;
        second->next_of_watcher &= ~SECOND_OF_WATCHER;
    }
    return next;
}

static void close_words(struct sights *sights, uint32_t first, uint32_t next) {
    struct sight *sight = &sights->items[first];
    if (!(sight->next_of_watcher & LAST_OF_WATCHER)) {
        struct sight *second = &sights->items[sight->next_of_watcher & SIGHT_NUMBER];
        second->next_of_watcher |= SECOND_OF_WATCHER;
        if (second->next_of_watcher & LAST_OF_WATCHER) /* it has its watcher from there */
            set_number(&second->next_of_watcher, first);
    }
    set_number(next_list(sights, OF_WATCHER, first), next);
}

/* Links a word behind another; in front of the one that was there, if it was not the last. */
static void link_behind(struct sights *sights, uint32_t before, uint32_t number) {
    struct sight *sight = &sights->items[number], *other = &sights->items[before];
    const uint32_t what_follows = SIGHT_NUMBER | LAST_OF_WATCHER;
    sight->next_of_watcher &= ~what_follows;
    sight->next_of_watcher |= other->next_of_watcher & what_follows;
    other->next_of_watcher = (other->next_of_watcher & ~what_follows) | number;
}

/* Words that come in ascending order are first each time. last: the word to stand behind, if that
 * is known. */
static void join_words(struct sights *sights, uint32_t number, uint32_t last) {
    struct sight *sight = &sights->items[number];
    const struct found_list found = find_list(sights, OF_WATCHER, sight->watcher);
    if (found.first == NO_SIGHT) {
        sight->next_of_watcher |= LAST_OF_WATCHER;
        add_list(sights, &sights->of_watchers, OF_WATCHER, number);
        return;
    }
    const uint32_t next = open_words(sights, found.first);
    uint32_t before = last, after = last == NO_SIGHT ? found.first : NO_SIGHT;
    while (after != NO_SIGHT && sights->items[after].marker > sight->marker) {
        before = after;
        after = sights_next_of_watcher(sights, after);
    }
    if (before != NO_SIGHT) {
        link_behind(sights, before, number);
        close_words(sights, found.first, next);
        return;
    }
    set_number(&sight->next_of_watcher, after);
    close_words(sights, number, next);
    replace_list(sights, OF_WATCHER, sight->watcher, &found, number);
}

static void leave_words(struct sights *sights, uint32_t number) {
    const uint32_t watcher = sight_watcher(sights, number);
    const struct found_list found = find_list(sights, OF_WATCHER, watcher);
    const uint32_t next = open_words(sights, found.first);
    const uint32_t after = sights_next_of_watcher(sights, number);
    if (found.first != number) {
        uint32_t before = found.first;
        while (sights_next_of_watcher(sights, before) != number)
            before = sights_next_of_watcher(sights, before);
        uint32_t *link = &sights->items[before].next_of_watcher;
        set_number(link, after);
        *link |= after == NO_SIGHT ? LAST_OF_WATCHER : 0;
        close_words(sights, found.first, next);
    } else if (after != NO_SIGHT) {
        close_words(sights, after, next);
        replace_list(sights, OF_WATCHER, watcher, &found, after);
    } else {
        replace_list(sights, OF_WATCHER, watcher, &found, next);
        sights->of_watchers.count--;
    }
}

/* ------------------------------------------------------------------ */
/* The words about a marker                                            */
/* ------------------------------------------------------------------ */

static void join_words_about(struct sights *sights, uint32_t number) {
    struct sight *sight = &sights->items[number];
    const uint64_t marker = (uint64_t)sight->marker;
    const struct found_list found = find_list(sights, OF_MARKER, marker);
    sight->next_of_marker = found.first;
    sight->previous_of_marker = FIRST_OF_MARKER;
    if (found.first == NO_SIGHT) {
        add_list(sights, &sights->of_markers, OF_MARKER, number);
        return;
    }
    sight->previous_of_marker = sights->items[found.first].previous_of_marker;
    sights->items[found.first].previous_of_marker = number;
    replace_list(sights, OF_MARKER, marker, &found, number);
}

static void leave_words_about(struct sights *sights, uint32_t number) {
    const struct sight *sight = &sights->items[number];
    const uint32_t after = sight->next_of_marker, before = sight->previous_of_marker;
    if (before & FIRST_OF_MARKER) {
        const uint64_t marker = (uint64_t)sight->marker;
        const struct found_list found = find_list(sights, OF_MARKER, marker);
        replace_list(sights, OF_MARKER, marker, &found,
                     after == NO_SIGHT ? number_in(before) : after);
        sights->of_markers.count -= after == NO_SIGHT;
    } else {
        sights->items[before].next_of_marker = after;
    }
    if (after != NO_SIGHT)
        sights->items[after].previous_of_marker = before;
}

/* ------------------------------------------------------------------ */
/* Words                                                               */
/* ------------------------------------------------------------------ */

uint32_t sights_of_watcher(const struct sights *sights, uint32_t watcher) {
    return find_list(sights, OF_WATCHER, watcher).first;
}

uint32_t sights_of_marker(const struct sights *sights, aoi_id marker) {
    return find_list(sights, OF_MARKER, (uint64_t)marker).first;
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
        if (sight_watcher(sights, by_marker) == watcher)
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

aoi_sight sights_find_then(const struct sights *sights, aoi_id watcher, uint32_t slot,
                           aoi_id marker) {
    const struct former_sight *former = sights_find_note(sights, watcher, marker);
    if (former != NULL)
        return former->word;
    return slot == NO_SLOT ? AOI_SIGHT_BY_RULE : sights_find(sights, slot, marker);
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
        const size_t room = sights->count + more + sights->room / 24 + 8;
        if (room > SIGHT_NUMBER)
            return false;
        struct sight *items =
            memory_resize(sights->memory, sights->items, sights->room, room, sizeof *sights->items);
        if (items == NULL)
            return false;
        sights->items = items;
        sights->room = (uint32_t)room;
    }
    return reserve_chains(sights, OF_WATCHER, more) && reserve_chains(sights, OF_MARKER, more);
}

/* last: as of join_words. Returns its number. */
static uint32_t add_word(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word,
                         uint32_t last) {
    uint32_t number = sights->free;
    if (sights->used == sights->count)
        number = sights->used++;
    else
        sights->free = sights->items[number].next_of_watcher;
    sights->count++;
    sights->items[number] =
        (struct sight){.marker = marker,
                       .watcher = watcher,
                       .next_of_watcher = word == AOI_SIGHT_ALWAYS ? SIGHT_IS_ALWAYS : 0};
    join_words(sights, number, last);
    join_words_about(sights, number);
    return number;
}

uint32_t sights_restore(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word,
                        uint32_t last) {
    const bool follows = last != NO_SIGHT && sight_watcher(sights, last) == watcher;
    if (follows ? marker >= sights->items[last].marker
                : sights_of_watcher(sights, watcher) != NO_SIGHT)
        return NO_SIGHT;
    return add_word(sights, watcher, marker, word, follows ? last : NO_SIGHT);
}

static void remove_word(struct sights *sights, uint32_t number) {
    leave_words(sights, number);
    leave_words_about(sights, number);
    sights->items[number].next_of_watcher = sights->free;
    sights->free = number;
    sights->count--;
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

void sights_set(struct sights *sights, aoi_id id, uint32_t watcher, aoi_id marker, aoi_sight word) {
    const uint32_t number = sights->count == 0 ? NO_SIGHT : find_number(sights, watcher, marker);
    sights_note(sights, id, marker,
                number == NO_SIGHT ? AOI_SIGHT_BY_RULE : sight_word(sights, number));
    if (word == AOI_SIGHT_BY_RULE) {
        if (number != NO_SIGHT)
            remove_word(sights, number);
    } else if (number == NO_SIGHT) {
        add_word(sights, watcher, marker, word, NO_SIGHT);
    } else {
        sights->items[number].next_of_watcher ^= SIGHT_IS_ALWAYS;
    }
}

void sights_end(struct sights *sights, aoi_id id, uint32_t watcher) {
    uint32_t number;
    while (sights->count > 0 && (number = sights_of_watcher(sights, watcher)) != NO_SIGHT) {
        sights_note(sights, id, sights->items[number].marker, sight_word(sights, number));
        remove_word(sights, number);
    }
}

static void free_words(struct sights *sights) {
    memory_resize(sights->memory, sights->items, sights->room, 0, sizeof *sights->items);
    sights->items = NULL;
    sights->room = sights->used = 0;
    free_lists(sights, &sights->of_watchers);
    free_lists(sights, &sights->of_markers);
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
static void check_words_of_watchers(const struct sights *sights) {
    size_t words = 0, count = 0;
    for (size_t at = 0; at < sights->of_watchers.room; at++) {
        for (uint32_t first = sights->of_watchers.chains[at]; first != NO_SIGHT;
             first = number_in(*next_list(sights, OF_WATCHER, first))) {
            const uint32_t watcher = sights->items[first].watcher;
            SELF_CHECK(sights_of_watcher(sights, watcher) == first);
            count++;
            for (uint32_t number = first, before = NO_SIGHT; number != NO_SIGHT;
                 before = number, number = sights_next_of_watcher(sights, number)) {
                SELF_CHECK(sight_watcher(sights, number) == watcher);
                SELF_CHECK(before == NO_SIGHT ||
                           sights->items[before].marker > sights->items[number].marker);
                words++;
            }
        }
    }
    SELF_CHECK(words == sights->count && count == sights->of_watchers.count);
}

static void check_words_about_markers(const struct sights *sights) {
    size_t words = 0, count = 0;
    for (size_t at = 0; at < sights->of_markers.room; at++) {
        for (uint32_t first = sights->of_markers.chains[at]; first != NO_SIGHT;
             first = number_in(*next_list(sights, OF_MARKER, first))) {
            const aoi_id marker = sights->items[first].marker;
            SELF_CHECK(sights_of_marker(sights, marker) == first);
            SELF_CHECK(sights->items[first].previous_of_marker & FIRST_OF_MARKER);
            count++;
            for (uint32_t number = first, before = NO_SIGHT; number != NO_SIGHT;
                 before = number, number = sights_next_of_marker(sights, number)) {
                SELF_CHECK(sights->items[number].marker == marker);
                SELF_CHECK(number == first || sights->items[number].previous_of_marker == before);
                words++;
            }
        }
    }
    SELF_CHECK(words == sights->count && count == sights->of_markers.count);
}

void sights_check(const struct sights *sights) {
    check_words_of_watchers(sights);
    check_words_about_markers(sights);
    SELF_CHECK(sights->former.count == sights->former_of_pairs.count);
}
#endif
