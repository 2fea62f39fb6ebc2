/* scratch.c - the memory that ticks keep for the next one. */
#include <string.h>

#include "tick/stages.h"

static void free_partition(struct partition *partition, struct memory *memory) {
    memory_resize(memory, partition->spots, partition->capacity, 0, sizeof *partition->spots);
    aligned_free(memory, &partition->unsorted_array);
    aligned_free(memory, &partition->participant_array);
    point_rows_free(&partition->points, memory);
}

static void free_scratch(struct tick_scratch *scratch, struct memory *memory) {
    for (int kind = 0; kind < PARTITIONS; kind++)
        free_partition(&scratch->partitions[kind], memory);
    memory_resize(memory, scratch->found.firsts, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->found.seconds, scratch->found_capacity, 0, sizeof(uint32_t));
    memory_resize(memory, scratch->found.outcomes, scratch->found_capacity, 0, 1);
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        pairs_free(&scratch->pairs[outcome][0], memory);
        pairs_free(&scratch->pairs[outcome][1], memory);
    }
    pairs_free(&scratch->spare, memory);
    memory_resize(memory, scratch, 1, 0, sizeof *scratch);
}

bool tick_create_scratch(struct aoi_space *space) {
    if (space->tick_scratch != NULL)
        return true;
    struct tick_scratch *scratch = memory_resize(&space->memory, NULL, 0, 1, sizeof *scratch);
    if (scratch == NULL)
        return false;
    memset(scratch, 0, sizeof *scratch);
    for (int partition = 0; partition < PARTITIONS; partition++)
        point_rows_init(&scratch->partitions[partition].points);
    space->tick_scratch = scratch;
    space->free_tick_scratch = free_scratch;
    return true;
}

bool tick_reserve_found(struct tick_scratch *scratch, struct memory *memory, size_t points) {
    size_t needed = ENOUGH_PAIRS + points + 16;
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

/* What a space holds grows with its entities: a list that more pairs have made longer than that is
 * not kept. The others are, as fresh memory costs more than to fill it. */
static size_t most_kept(const struct aoi_space *space) {
    enum { KEPT_PER_ENTITY = 256, KEPT_ANYWAY = 4 * ENOUGH_PAIRS };
    return (size_t)space->entities.count * KEPT_PER_ENTITY + KEPT_ANYWAY;
}

static void trim_if_long(struct aoi_space *space, struct pairs *pairs) {
    if (pairs->capacity > most_kept(space))
        pairs_free(pairs, &space->memory);
}

void tick_trim_pairs(struct aoi_space *space) {
    struct tick_scratch *scratch = space->tick_scratch;
    if (scratch == NULL)
        return;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        trim_if_long(space, &scratch->pairs[outcome][0]);
        trim_if_long(space, &scratch->pairs[outcome][1]);
    }
    trim_if_long(space, &scratch->spare);
}
