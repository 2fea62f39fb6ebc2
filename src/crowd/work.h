/* work.h - the work of a tick of a crowd space, shared by its files. */
#ifndef AOI_WORK_H
#define AOI_WORK_H

#include "crowd/crowd.h"
#include "crowd/marker_tree.h"
#include "crowd/ranking.h"
#include "events/pairs.h"

/* The fate of a marker that was told until now. */
struct fate {
    aoi_id marker;
    uint32_t ring;   /* the period from now on, if it is told now; */
    uint32_t period; /* else */
    uint32_t age;    /* of one that is due: for how many ticks, up to OLDEST */
    bool stays;
    bool waits;  /* the marker has moved since it was told of */
    bool is_due; /* and it may be told now */
};

/* Pairs that have been due for more than 2^30 ticks count as equally old. */
enum { OLDEST = (1 << 30) + 1 };

/* A told set that will be another one when nothing can fail any more. */
struct choice {
    uint32_t watcher;     /* slot */
    bool is_waiting;      /* it will be; see struct member */
    bool is_moved;        /* into a block of its own; else the pairs are in the pool until then */
    struct told_set told; /* the new one */
};

/* The work of a tick of a crowd space; its arrays are in the pool, and end with the tick. */
struct crowd_work {
    struct aoi_space *space;
    struct pool *pool;
    int64_t tick; /* the number of this one */
    uint32_t ops; /* kinds of events that somebody wants */

    /* Where everybody takes part; else NULL, and the space's own indexes are asked. */
    struct stand *stands; /* of all markers, in the order of the tree: by place */
    uint32_t *places;     /* by slot; NO_SLOT: no marker */
    struct marker_tree tree;
    size_t slot_count;

    uint32_t *newcomers;       /* slots of those who came into each view, grouped by watcher; */
    uint32_t *newcomers_start; /* by slot: where its group begins; NULL: nobody has looked */

    uint32_t *watchers; /* slots of those whose told sets can change */
    bool *know_all;     /* of them: see struct member */
    size_t watcher_count;
    uint32_t *marks; /* by place, or slot: equal to mark if it needs no further look */
    uint32_t mark;   /* of the watcher whose turn it is */

    struct ranking ranking; /* the best so far, the last of them in front once it is full */
    struct full_ranking full;
    struct ranking free; /* newcomers that are free; in the end all newcomers */
    struct ranking told; /* with an enter_budget: all that were told and are ranked */
    struct ARRAY_OF(struct fate) fates; /* by place in the told set until now */

    struct ARRAY_OF(struct choice) choices; /* there is room for one of each watcher */
    struct pairs (*lists)[2];               /* the events; see tick.h */
};

/* ---- take_handed.c ---- */

/* Before a tick looks at anybody: gives the watchers that were handed in since the last one the
 * told sets that they came with, of those who are inside; the others leave them. False: no memory,
 * crowd_take_back_handed is to be called. */
bool crowd_take_handed(struct crowd_work *work);

/* The tick has failed: as before. */
void crowd_take_back_handed(struct crowd_work *work);

/* ---- choose.c, write_told.c ---- */

/* Makes the choice of the watcher in slot, and adds its events. *knows_all: see struct member. */
bool crowd_choose(struct crowd_work *work, uint32_t slot, bool *knows_all);

/* Makes the chosen told sets those that count, or drops them. */
void crowd_keep_choices(struct crowd_work *work);
void crowd_drop_choices(struct crowd_work *work);

/* ---- gather.c ---- */

/* Fills watchers, and sets up what they are chosen by. */
bool crowd_gather(struct crowd_work *work);

/* True when the entity in slot counts as moved at this tick. */
bool crowd_has_moved(const struct crowd_work *work, uint32_t slot);

/* How the entity in slot stands. */
void crowd_set_stand(const struct crowd_work *work, uint32_t slot, struct stand *stand);

/* The stand of a marker; NULL: it is none, or gone. *place: where its mark is. room: where it may
 * be put. */
static inline const struct stand *crowd_find_marker(const struct crowd_work *work, uint32_t slot,
                                                    struct stand *room, uint32_t *place) {
    if (work->stands != NULL) {
        *place = work->places[slot];
        return *place == NO_SLOT ? NULL : &work->stands[*place];
    }
    *place = slot;
    crowd_set_stand(work, slot, room);
    return work->space->entities.at[slot].mode & AOI_MARKER ? room : NULL;
}

#endif
