/*
 * crowd.h - the data of a crowd space beside its entities: traits of crowds,
 * pins, and the told set of each watcher. src/crowd/ makes ticks of it.
 *
 * All of it goes by slot. The slot of one that left stays its own until the
 * next tick (entities.h: retired), so a slot in a told set always means the one
 * that was told, and an id that comes back within the tick finds everything as
 * it was.
 */
#ifndef AOI_CROWD_H
#define AOI_CROWD_H

#include "base/id_list.h"
#include "entity/traits.h"
#include "space/capability.h"

/* The period of AOI_NEVER. */
#define PERIOD_NEVER UINT32_MAX

/* One of whom a watcher was told. Ticks are their numbers. */
struct told {
    int64_t since; /* the tick of the last ENTER or MOVE */
    uint32_t slot;
    uint32_t period; /* it is due so many ticks after that one: a MOVE may be told. The smallest of
                        the rings in which it has been since */
};
_Static_assert(sizeof(struct told) == 16, "what is kept for a pair, as the contract has it");

struct told_set {
    struct told *pairs; /* in ascending order of the markers' ids */
    uint32_t count, room;
};

struct member {
    struct told_set told;
    struct id_list pins; /* ascending */
    struct crowd_traits traits;
    int64_t moved; /* the last tick at which its place was another than at the one before; 0, which
                      none is, for who came since: nobody was told of it before */
    bool is_waiting; /* as a watcher: the next tick may tell it something though nothing changes */
    bool knows_all;  /* as a watcher: at the last tick it was told of all that it saw; false also
                        where nobody has found out */
};

struct crowd {
    struct memory *memory; /* the space's, as entities */
    const struct entities *entities;
    struct ARRAY_OF(struct member) members; /* by slot */
    size_t waiting;                         /* members that are */

    /* The watchers that each was told to, made when they are asked for; they hold until the next
     * tick: slots of watchers, grouped by marker; by slot where its group begins, and one more. */
    struct ARRAY_OF(uint32_t) told_watchers, told_watchers_start;

    struct crowd_traits usual;
    uint32_t limit_layers;
    double keep_square;
    uint32_t enter_budget, move_budget;
    size_t borders; /* between rings */
    double border_squares[AOI_MOST_RATES];
    uint32_t periods[AOI_MOST_RATES]; /* one more than borders */
};

/* The functions that a space asks of crowds: see capability.h. */
bool crowd_create(struct aoi_space *space);
void crowd_clear(struct aoi_space *space);
void crowd_destroy(struct aoi_space *space);
bool crowd_reserve_slots(struct aoi_space *space);
uint32_t crowd_take_slot(struct aoi_space *space, const struct entity *entity);
void crowd_leave_slot(struct aoi_space *space, uint32_t slot, bool may_come_back);
struct crowd_traits *crowd_traits_at(const struct aoi_space *space, uint32_t slot);

/* Chooses the new told sets and queues the events of the tick of this number; the old states
 * stay. */
bool crowd_tick(struct aoi_space *space, uint64_t number);

/* All pins of the member in slot end. */
void crowd_drop_pins(struct crowd *crowd, uint32_t slot);

/* Makes room for so many pairs in the told set, which has none. Forgets the told set. */
bool crowd_make_told(struct crowd *crowd, uint32_t slot, uint32_t count);
void crowd_forget_told(struct crowd *crowd, uint32_t slot);

/* Forgets the member in slot: it will not come back. */
void crowd_forget(struct crowd *crowd, uint32_t slot);

/* True when the marker has a layer that the limit is about. */
static inline bool crowd_counts(const struct crowd *crowd, const struct entity *marker) {
    return (marker->layers & crowd->limit_layers) != 0;
}

/* Adds a pin of the watcher in slot, if it is not there yet. */
bool crowd_pin(struct crowd *crowd, uint32_t slot, aoi_id marker);
void crowd_unpin(struct crowd *crowd, uint32_t slot, aoi_id marker);

/* The pair of the told set whose marker has this id, or NULL. O(log told). */
const struct told *crowd_find_told(const struct crowd *crowd, uint32_t watcher, aoi_id marker);

/* Sorts out told_watchers. O(told pairs), if it has not been since the last tick. */
bool crowd_sort_told_to(struct crowd *crowd);
void crowd_drop_told_to(struct crowd *crowd);

/* How many ticks after one telling the next may come, at this squared distance. Bounds ascend, so
 * those that are too near are the first ones; no branches, as nobody can foresee them. */
static inline uint32_t crowd_period(const struct crowd *crowd, double square) {
    size_t ring = 0;
    for (size_t i = 0; i < crowd->borders; i++)
        ring += !(square <= crowd->border_squares[i]);
    return crowd->periods[ring];
}

/* For how many pairs there shall be room in a told set that has room for so many, and is to have
 * `count`: some more, so that few changes of the number need another block. */
static inline uint32_t told_room(uint32_t room, uint32_t count) {
    enum { STEP = 8 };
    if (count > 0 && count <= room && room - count < 2 * STEP)
        return room;
    return (count + STEP - 1) / STEP * STEP;
}

#endif
