/* scratch.c - the memory that ticks keep for the next one. */
#include <string.h>

#include "space/capability.h"
#include "tick/stages.h"

static void free_lists(struct tick_scratch *scratch, struct memory *memory) {
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        array_free(&scratch->pairs[outcome][0], memory);
        array_free(&scratch->pairs[outcome][1], memory);
    }
    array_free(&scratch->spare, memory);
}

static void free_scratch(struct aoi_space *space) {
    struct memory *memory = &space->memory.tick;
    pool_free(&space->tick_pool);
    if (space->tick_scratch == NULL)
        return;
    free_lists(space->tick_scratch, memory);
    memory_resize(memory, space->tick_scratch, 1, 0, sizeof *space->tick_scratch);
    space->tick_scratch = NULL;
}

bool tick_create_scratch(struct aoi_space *space) {
    if (space->tick_scratch != NULL)
        return true;
    struct tick_scratch *scratch = memory_resize(&space->memory.tick, NULL, 0, 1, sizeof *scratch);
    if (scratch == NULL)
        return false;
    memset(scratch, 0, sizeof *scratch);
    for (int partition = 0; partition < PARTITIONS; partition++)
        point_rows_init(&scratch->partitions[partition]);
    space->tick_scratch = scratch;
    return true;
}

/* A tick is over: empties the scratch, and gives back what few ticks need; see high_water.h. */
static void end_scratch(struct aoi_space *space, bool done) {
    struct tick_scratch *scratch = space->tick_scratch;
    (void)done;
    pool_end(&space->tick_pool);
    if (scratch == NULL)
        return;
    for (int kind = 0; kind < PARTITIONS; kind++)
        scratch->partitions[kind].count = 0;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        for (int by = 0; by < 2; by++) {
            high_water_note(&scratch->use, scratch->pairs[outcome][by].count);
            scratch->pairs[outcome][by].count = 0;
        }
    }
    if (high_water_end(&scratch->use, QUIET_TICKS))
        free_lists(scratch, &space->memory.tick);
}

const struct capability ticks_capability = {.finish_tick = end_scratch, .clear = free_scratch};
