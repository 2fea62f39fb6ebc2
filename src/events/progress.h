/*
 * progress.h - how far the change at the head of a queue has been told: the
 * delivery cursor.
 *
 * A change is told in up to three stages: to the views, to the groups, event
 * by event. Its state says which stage it is in, and what of progress counts
 * there. Events leave the queue in the last of the wanted stages only.
 *
 *     NOT_BEGUN --> IN_VIEWS --> GROUPS_NEXT --> IN_GROUPS --> IN_EVENTS
 *
 * Stages that nobody wants are gone through without a stop. A queue begins
 * anew with each change (progress_restart).
 */
#ifndef AOI_PROGRESS_H
#define AOI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUEUE_KINDS = 3 }; /* see queue_order */

enum progress_state {
    NOT_BEGUN,   /* nobody has asked for it in groups; zero */
    IN_VIEWS,    /* arranged for views, and `views` is known */
    GROUPS_NEXT, /* the views are over; not yet arranged for groups */
    IN_GROUPS,   /* arranged for groups */
    IN_EVENTS    /* what has not left the queue is told event by event */
};

#define PROGRESS_NO_SEGMENT SIZE_MAX

/* Places are words from the head of the queue. */
struct progress {
    enum progress_state state;
    bool viewed, grouped;      /* something has been told by a view, by a group */
    size_t views[QUEUE_KINDS]; /* IN_VIEWS: the next segment whose subject watches, for each op */
    size_t segment, index;     /* IN_VIEWS, IN_GROUPS: the next segment, and its next pair */
    size_t events;             /* told in the last of the wanted stages: they wait no longer */
};

/* The change has been told to nobody. */
static inline void progress_restart(struct progress *progress) {
    *progress = (struct progress){.state = NOT_BEGUN};
}

/* Begins a stage; what has been told stays told. */
static inline void progress_enter(struct progress *progress, enum progress_state state) {
    progress->state = state;
    progress->segment = progress->index = 0;
}

/* Goes on to the next segment, `words` further on. */
static inline void progress_next_segment(struct progress *progress, size_t words) {
    progress->segment += words;
    progress->index = 0;
}

/* The stage of views, begun or not. */
static inline bool progress_before_groups(const struct progress *progress) {
    return progress->state <= IN_VIEWS;
}

static inline bool progress_at_groups(const struct progress *progress) {
    return progress->state == GROUPS_NEXT || progress->state == IN_GROUPS;
}

#endif
