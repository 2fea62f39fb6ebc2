/*
 * capability.h - capabilities of a space beside its views: the places where it
 * asks for them.
 *
 * A capability (areas, for one) is a folder above this one, which knows spaces.
 * Spaces do not know it, but for its name in one list: capabilities.c.
 * NULL stands for a function where there is nothing to be done. What of it
 * takes part in changes is asked of space->follower, and of nobody while that is
 * NULL:
 *
 *     switch (follower->before(space, slot, after, &place)) ...
 *     status = (the change)
 *     follower->after(space, slot, after, status == AOI_OK);
 */
#ifndef AOI_CAPABILITY_H
#define AOI_CAPABILITY_H

#include "base/stream.h"
#include "entity/traits.h"
#include "space/space.h"

/* The answer of a follower to a change of an entity. */
enum following {
    FOLLOWING_NO_MEMORY, /* nothing changed */
    FOLLOWING_NOTHING,   /* it is not asked after the change */
    FOLLOWING_FOUND      /* room is reserved: nothing can fail after the change */
};

struct capability {
    /* ---- a change ---- */

    /* Before the entity in slot (NO_SLOT: a new one) becomes `after` (itself: it moves; NULL: it
     * leaves, or is a row of a batch that is to leave), truly at `place`; and after that. */
    enum following (*before)(struct aoi_space *space, uint32_t slot, const struct entity *after,
                             const aoi_point *place);
    void (*after)(struct aoi_space *space, uint32_t slot, const struct entity *after, bool done);

    /* The entity in slot has been put back; it is about to be removed. */
    void (*follow)(struct aoi_space *space, uint32_t slot);
    void (*forget)(struct aoi_space *space, uint32_t slot);

    /* Around the rows of a batch; not done: they were taken back. */
    void (*begin_batch)(struct aoi_space *space);
    void (*end_batch)(struct aoi_space *space, bool done);

    /* ---- slots: asked of space->keeper, and of nobody while that is NULL ---- */

    /* Room for as many slots as there are entities. Takes a slot for an entity; leaves it, of one
     * that may come back before the next tick or not. */
    bool (*reserve_slots)(struct aoi_space *space);
    uint32_t (*take_slot)(struct aoi_space *space, const struct entity *entity);
    void (*leave_slot)(struct aoi_space *space, uint32_t slot, bool may_come_back);

    /* The traits that stand apart from the entity in slot. */
    struct crowd_traits *(*traits_at)(const struct aoi_space *space, uint32_t slot);

    /* Makes the net change of the tick of this number. */
    bool (*tick)(struct aoi_space *space, uint64_t number);

    /* ---- a tick: found before anything else of it is done ---- */
    bool (*find_tick)(struct aoi_space *space);
    void (*finish_tick)(struct aoi_space *space, bool done);

    /* ---- the life of a space ---- */
    bool (*create)(struct aoi_space *space); /* by its options */
    void (*clear)(struct aoi_space *space);
    void (*destroy)(struct aoi_space *space);                      /* which is cleared */
    void (*trim)(struct aoi_space *space, unsigned quiet_periods); /* a period is over */
    void (*describe)(const struct aoi_space *space, aoi_stats *stats);
    void (*check)(const struct aoi_space *space);
    void (*save)(struct stream *stream, const struct aoi_space *space);
    void (*load)(struct stream *stream, struct aoi_space *space);

    /* ---- hand-overs: the stream is told what fails ---- */

    /* Finds what goes along with the entity in slot, if there is some; writes it; it is gone. */
    void (*find_luggage)(struct stream *stream, struct aoi_space *space, uint32_t slot, bool *some);
    void (*write_luggage)(struct stream *stream, struct aoi_space *space, uint32_t slot);
    void (*drop_luggage)(struct aoi_space *space, uint32_t slot);

    /* Reads what comes along, so many ids of it behind handed.areas; it belongs to the entity in
     * slot from now on; frees all that was read and does not. */
    void (*read_luggage)(struct stream *stream, struct aoi_space *space, size_t *listed);
    void (*take_luggage)(struct aoi_space *space, uint32_t slot);
    void (*free_luggage)(struct aoi_space *space);
};

/* All that there are, and the list of them, which NULL ends. */
extern const struct capability areas_capability, crowds_capability, ticks_capability;
extern const struct capability *const capabilities[];

/* Has all that can do it do something: ASK_ALL(trim, space, quiet_periods). */
#define ASK_ALL(what, ...)                                                                         \
    do {                                                                                           \
        for (const struct capability *const *each = capabilities; *each != NULL; each++) {         \
            if ((*each)->what != NULL)                                                             \
                (*each)->what(__VA_ARGS__);                                                        \
        }                                                                                          \
    } while (0)

#endif
