/* crowd_capability.c - all that a space asks of crowds. */
#include "crowd/crowd.h"

const struct capability crowds_capability = {
    .reserve_slots = crowd_reserve_slots,
    .take_slot = crowd_take_slot,
    .leave_slot = crowd_leave_slot,
    .traits_at = crowd_traits_at,
    .tick = crowd_tick,
    .create = crowd_create,
    .clear = crowd_clear,
    .destroy = crowd_destroy,
};
