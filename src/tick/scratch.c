/* scratch.c - the memory that ticks keep for the next one. */
#include <string.h>

#include "space/capability.h"
#include "tick/stages.h"

static void free_partition(struct partition *partition, struct memory *memory) {
    memory_resize(memory, partition->spots, partition->capacity, 0, sizeof *partition->spots);
    aligned_free(memory, &partition->unsorted_array);
    aligned_free(memory, &partition->participant_array);
    partition->spots = NULL;
    partition->unsorted = partition->participants = NULL;
    partition->capacity = 0;
    point_rows_free(&partition->points, memory);
}

static void free_found(struct tick_scratch *scratch, struct memory *memory) {
    struct found *found = &scratch->found;
    memory_resize(memory, found->firsts, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, found->seconds, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, found->outcomes, scratch->found_capacity, 0, 1);
    *found = (struct found){.count = 0};
    scratch->found_capacity = 0;
}

static void free_pairs(struct tick_scratch *scratch, struct memory *memory) {
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        pairs_free(&scratch->pairs[outcome][0], memory);
        pairs_free(&scratch->pairs[outcome][1], memory);
    }
    pairs_free(&scratch->spare, memory);
}

static void free_scratch(struct aoi_space *space) {
    struct tick_scratch *scratch = space->tick_scratch;
    struct memory *memory = &space->memory.tick;
    pool_free(&space->tick_pool);
    if (scratch == NULL)
        return;
    for (int kind = 0; kind < PARTITIONS; kind++)
        free_partition(&scratch->partitions[kind], memory);
    free_found(scratch, memory);
    free_pairs(scratch, memory);
    memory_resize(memory, scratch, 1, 0, sizeof *scratch);
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
        point_rows_init(&scratch->partitions[partition].points);
    space->tick_scratch = scratch;
    return true;
}

bool tick_reserve_found(struct tick_scratch *scratch, struct memory *memory, size_t points) {
    size_t needed = ENOUGH_PAIRS + points + 16;
    high_water_note(&scratch->found_use, points);
    if (needed <= scratch->found_capacity)
        return true;
    size_t capacity = memory_next_capacity(scratch->found_capacity, needed);
    if (capacity == 0)
        return false;
    struct found *found = &scratch->found, grown;
    grown.firsts = memory_resize(memory, NULL, 0, capacity, sizeof(uint32_t));
    grown.seconds = memory_resize(memory, NULL, 0, capacity, sizeof(uint32_t));
    grown.outcomes = memory_resize(memory, NULL, 0, capacity, 1);
    grown.count = 0;
    bool done = grown.firsts != NULL && grown.seconds != NULL && grown.outcomes != NULL;
    struct found old = done ? *found : grown;
    size_t old_capacity = done ? scratch->found_capacity : capacity;
    memory_resize(memory, old.firsts, old_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, old.seconds, old_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, old.outcomes, old_capacity, 0, 1);
    if (!done)
        return false;
    *found = grown;
    scratch->found_capacity = capacity;
    return true;
}

bool tick_reserve_members(struct partition *partition, struct memory *memory, size_t more) {
    high_water_note(&partition->use, partition->count + more);
    if (more <= partition->capacity - partition->count)
        return true;
    size_t capacity = memory_next_capacity(partition->capacity, partition->count + more);
    if (capacity == 0 || capacity >= NO_STATE)
        return false;
    if (!aligned_grow(memory, &partition->unsorted_array, partition->count, capacity,
                      sizeof(struct participant)))
        return false;
    partition->unsorted = partition->unsorted_array.items;
    if (!aligned_grow(memory, &partition->participant_array, 0, capacity,
                      sizeof(struct participant)))
        return false;
    partition->participants = partition->participant_array.items;
    struct spot *spots =
        memory_resize(memory, partition->spots, partition->capacity, capacity, sizeof *spots);
    if (spots == NULL)
        return false;
    partition->spots = spots;
    partition->capacity = capacity;
    return true;
}

static void end_partition(struct partition *partition, struct memory *memory) {
    partition->count = 0;
    if (high_water_end(&partition->use, QUIET_TICKS))
        free_partition(partition, memory);
}

static void end_found(struct tick_scratch *scratch, struct memory *memory) {
    if (high_water_end(&scratch->found_use, QUIET_TICKS))
        free_found(scratch, memory);
}

static void end_pairs(struct tick_scratch *scratch, struct memory *memory) {
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        for (int by = 0; by < 2; by++) {
            high_water_note(&scratch->pairs_use, scratch->pairs[outcome][by].count);
            scratch->pairs[outcome][by].count = 0;
        }
    }
    if (high_water_end(&scratch->pairs_use, QUIET_TICKS))
        free_pairs(scratch, memory);
}

/* A tick is over: empties the scratch, and gives back what few ticks need; see high_water.h. */
static void end_scratch(struct aoi_space *space, bool done) {
    struct tick_scratch *scratch = space->tick_scratch;
    struct memory *memory = &space->memory.tick;
    (void)done;
    pool_end(&space->tick_pool);
    if (scratch == NULL)
        return;
    for (int kind = 0; kind < PARTITIONS; kind++)
        end_partition(&scratch->partitions[kind], memory);
    end_found(scratch, memory);
    end_pairs(scratch, memory);
}

const struct capability ticks_capability = {.finish_tick = end_scratch, .clear = free_scratch};
