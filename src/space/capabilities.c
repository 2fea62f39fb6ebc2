/* capabilities.c - the list of all capabilities. */
#include "space/capability.h"

const struct capability *const capabilities[] = {&areas_capability, &crowds_capability,
                                                 &ticks_capability, NULL};
