/*
 * area_found.h - leaves and enters of areas that the change under way was found
 * to bring, until they are queued.
 */
#ifndef AOI_AREA_FOUND_H
#define AOI_AREA_FOUND_H

#include "area/areas.h"

/* Begins a change, of which those who look for pairs may queue a part first. Forgets what another
 * change has found. */
void areas_begin_change(struct aoi_space *space);

/* Notes a leave, or an enter, for which a keeping area (NULL: another) makes room. */
bool areas_note_leave(struct aoi_space *space, aoi_id area, aoi_id marker);
bool areas_note_enter(struct aoi_space *space, struct area *keeping, aoi_id area, aoi_id marker);

/* Notes what it means that an area (NULL: none) that was here becomes another (NULL: none) there:
 * its members may change. all (NULL: not asked for): gets those of the latter, in no order. */
bool areas_find_difference(struct aoi_space *space, const struct area *before,
                           const aoi_point *from, const struct area *after, const aoi_point *to,
                           struct id_list *all);

/* The ring where a step of the area can change who is in it; false: it is no such step. */
bool area_ring_of_step(const struct area *area, const aoi_point *from, const aoi_point *to,
                       bool with_z, struct ring *ring);

/* Nobody who was noted is coming any more. */
void areas_forget_coming(struct areas *areas);

/* Room for the events of what was noted, behind those that another part of the change is going to
 * queue; areas_queue_events then queues them. areas_drop_room: it is not needed any more. */
bool areas_reserve_events(struct aoi_space *space);
void areas_queue_events(struct aoi_space *space);
void areas_drop_room(struct aoi_space *space);

/* A period is over: gives back scratch by the rule of high_water.h. */
void areas_trim_scratch(struct aoi_space *space, unsigned quiet_periods);

#endif
