/*
 * sights.h - the words of the game about single pairs: a watcher always sees a marker, or never.
 *
 * A word belongs to a watcher by its slot, and to a marker by its id, which need not be inside. The
 * words of one watcher, and those about one marker, are linked.
 */
#ifndef AOI_SIGHTS_H
#define AOI_SIGHTS_H

#include "aoi.h"
#include "base/array.h"
#include "entity/idmap.h"

#define NO_SIGHT UINT32_MAX

/*
 * A word, in two lists: of its watcher's words, and of the words about its marker. Each list stands
 * in a chain of a hash table by its first word, so most words need none of their links for their
 * lists: a chain goes on in a link that the first words have no other use for. Of the words of one
 * watcher that is the second one's watcher, as the word behind has the same.
 */
struct sight {
    aoi_id marker;
    uint32_t watcher;         /* slot; in a second word, the next list in the chain */
    uint32_t next_of_watcher; /* with the three bits below; in an only word, the next list */
    uint32_t next_of_marker;
    uint32_t previous_of_marker; /* in a first word, FIRST_OF_MARKER and the next list */
};
_Static_assert(sizeof(struct sight) == 24, "what is kept for a pair, beside two hash tables");

enum { SIGHT_NUMBER = (1 << 29) - 1 }; /* the bits of a number in a link; all: none */
#define SECOND_OF_WATCHER (UINT32_C(1) << 29)
#define LAST_OF_WATCHER (UINT32_C(1) << 30)
#define SIGHT_IS_ALWAYS (UINT32_C(1) << 31) /* else never */
#define FIRST_OF_MARKER (UINT32_C(1) << 31)

/* A hash table of lists: the first word of the first list of each chain. It is mostly asked for
 * what is not there: bits behind the chains tell that at once. */
struct sight_lists {
    uint32_t *chains; /* NO_SIGHT where empty */
    size_t room;      /* a power of two, or 0 */
    size_t count;
};

/* A word as it was at the last tick. */
struct former_sight {
    aoi_id watcher, marker;
    aoi_sight word;
    uint32_t next_of_watcher; /* or NO_SIGHT */
};

/* An open hash table of their numbers, by pair. */
struct former_table {
    uint32_t *at; /* NO_SIGHT where empty */
    size_t room;  /* a power of two, or 0 */
    size_t count;
};

struct sights {
    struct memory *memory; /* the space's */
    bool deferred;
    struct sight *items;
    uint32_t room, used, free; /* items; those ever in use; the first free one */
    size_t count;
    struct sight_lists of_watchers, of_markers;

    /* Deferred: those that changed since the last tick, in that order; by pair, and the last of
     * each watcher. */
    struct ARRAY_OF(struct former_sight) former;
    struct former_table former_of_pairs;
    struct idmap former_of_watchers;
};

static inline bool sights_any(const struct sights *sights) {
    return sights->count + sights->former.count > 0;
}

/* The first word of the watcher in slot, in descending order of the markers, or about the marker,
 * in no order; and the one after: NO_SIGHT ends. */
uint32_t sights_of_watcher(const struct sights *sights, uint32_t watcher);
uint32_t sights_of_marker(const struct sights *sights, aoi_id marker);

static inline uint32_t sights_next_of_watcher(const struct sights *sights, uint32_t number) {
    const uint32_t next = sights->items[number].next_of_watcher;
    return next & LAST_OF_WATCHER ? NO_SIGHT : next & SIGHT_NUMBER;
}

static inline uint32_t sights_next_of_marker(const struct sights *sights, uint32_t number) {
    return sights->items[number].next_of_marker;
}

static inline uint32_t sight_watcher(const struct sights *sights, uint32_t number) {
    const struct sight *sight = &sights->items[number];
    return sight->next_of_watcher & SECOND_OF_WATCHER
               ? sights->items[sight->next_of_watcher & SIGHT_NUMBER].watcher
               : sight->watcher;
}

static inline aoi_sight sight_word(const struct sights *sights, uint32_t number) {
    return sights->items[number].next_of_watcher & SIGHT_IS_ALWAYS ? AOI_SIGHT_ALWAYS
                                                                   : AOI_SIGHT_NEVER;
}

/* The word of the watcher in slot about the marker. O(the shorter of both lists). */
aoi_sight sights_find(const struct sights *sights, uint32_t watcher, aoi_id marker);

/* The word at the last tick, of the watcher that has this id, and this slot now (NO_SLOT: gone). */
aoi_sight sights_find_then(const struct sights *sights, aoi_id watcher, uint32_t slot,
                           aoi_id marker);

/* Room for `more` words, and for so many changes to be noted. */
bool sights_reserve(struct sights *sights, size_t more);
bool sights_reserve_notes(struct sights *sights, size_t changes);

/* How many words the watcher in slot has. O(answer). */
size_t sights_count_of(const struct sights *sights, uint32_t watcher);

/* The watcher, which has this id, has this word about the marker from now on; room is reserved. */
void sights_set(struct sights *sights, aoi_id id, uint32_t watcher, aoi_id marker, aoi_sight word);

/* All words of the watcher end; room for notes is reserved. */
void sights_end(struct sights *sights, aoi_id id, uint32_t watcher);

/* Gives all memory of words back when none is left. A change that ends words calls it last: in the
 * middle it would take the room that is reserved for new ones. */
void sights_trim(struct sights *sights);

/* Adds a word as it was saved, those of a watcher one after the other. last: the number of the one
 * before, or NO_SIGHT. Returns its own; NO_SIGHT: it can't be the next one. */
uint32_t sights_restore(struct sights *sights, uint32_t watcher, aoi_id marker, aoi_sight word,
                        uint32_t last);

/* Adds what a word was at the last tick, as it was saved. False: no memory. */
bool sights_restore_former(struct sights *sights, const struct former_sight *former);

/* The former word of this pair that is noted, or NULL. */
const struct former_sight *sights_find_note(const struct sights *sights, aoi_id watcher,
                                            aoi_id marker);

/* The last of those of the watcher that has this id; NO_SIGHT: it has none. */
uint32_t sights_notes_of_watcher(const struct sights *sights, aoi_id watcher);

/* A tick is over. */
void sights_forget_former(struct sights *sights);

/* Forgets everything, also the memory. */
void sights_free(struct sights *sights);

#ifdef AOI_SELF_CHECK
void sights_check(const struct sights *sights);
#endif

#endif
