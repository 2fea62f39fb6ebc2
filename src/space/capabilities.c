/* capabilities.c - all capabilities that there are. */
#include "space/capability.h"

const struct capability *const capabilities[] = {&areas_capability, &crowds_capability,
                                                 &ticks_capability, NULL};
