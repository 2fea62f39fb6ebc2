/* take_handed.h - crowd spaces: the told sets of those who were handed in since the last tick. */
#ifndef AOI_TAKE_HANDED_H
#define AOI_TAKE_HANDED_H

#include "crowd/work.h"

/* Before a tick looks at anybody: gives these watchers the told sets that they came with, of those
 * who are inside; the others leave them. False: no memory, crowd_take_back_handed is to be called.
 */
bool crowd_take_handed(struct crowd_work *work);

/* The tick has failed: as before. */
void crowd_take_back_handed(struct crowd_work *work);

#endif
