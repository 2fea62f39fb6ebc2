/*
 * trips.c - which functions of the core a call passes: a step in a grid, a tick of a deferred space
 * and one of a crowd, a hand-over.
 *
 * Prints a line for each function that a trip has passed: the trip and the address, with a tab
 * between. Is built with the core by -finstrument-functions, without optimising. Every trip is made
 * some times before, so that all memory is there. tools/count_trips.lua does the rest.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "aoi.h"

#define NOT_COUNTED __attribute__((no_instrument_function))

enum { MOST_FUNCTIONS = 1 << 14, ENTITIES = 400, WARMING_UP = 12 };

static void *passed[MOST_FUNCTIONS]; /* a hash table; NULL: free */
static bool counts;

NOT_COUNTED void __cyg_profile_func_enter(void *function, void *caller);
NOT_COUNTED void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    size_t at = ((size_t)function >> 2) % MOST_FUNCTIONS;
    while (counts && passed[at] != NULL && passed[at] != function)
        at = (at + 1) % MOST_FUNCTIONS;
    if (counts)
        passed[at] = function;
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}

NOT_COUNTED static void expect(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "bench/trips: %s\n", what);
    exit(1);
}

/* The trip so far is not counted: from here on it is. */
NOT_COUNTED static void depart(void) {
    for (size_t i = 0; i < MOST_FUNCTIONS; i++)
        passed[i] = NULL;
    counts = true;
}

NOT_COUNTED static void end_trip(const char *name) {
    counts = false;
    for (size_t i = 0; i < MOST_FUNCTIONS; i++) {
        if (passed[i] != NULL)
            printf("%s\t%p\n", name, passed[i]);
    }
}

/* A space of 400 entities on a square. */
NOT_COUNTED static aoi_space *new_space(bool deferred, bool crowd) {
    aoi_options options = aoi_options_default(AOI_GRID);
    options.given |= AOI_GIVEN_RADIUS | AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT | AOI_GIVEN_DEFERRED |
                     (crowd ? AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET : 0U);
    options.radius = 50;
    options.width = options.height = 1000;
    options.deferred = deferred;
    options.limit = 8;
    options.enter_budget = 4;
    options.listen = AOI_ENTER | AOI_LEAVE | (deferred ? AOI_MOVE : 0U);
    aoi_space *space;
    expect(aoi_create(&options, &space, NULL) == AOI_OK, "no space");
    return space;
}

NOT_COUNTED static aoi_point place_of(int number, int step) {
    const int column = number % 20, row = number / 20;
    return (aoi_point){column * 40 + 20 + (number * 7 + step * 3) % 30,
                       row * 40 + 20 + (number * 11 + step * 5) % 30, 0};
}

NOT_COUNTED static void fill(aoi_space *space) {
    for (int number = 0; number < ENTITIES; number++)
        expect(aoi_enter(space, number, place_of(number, 0), NULL) == AOI_OK, "enter");
}

NOT_COUNTED static void move_all(aoi_space *space, int step) {
    for (int number = 0; number < ENTITIES; number++)
        expect(aoi_move(space, number, place_of(number, step)) == AOI_OK, "move");
}

NOT_COUNTED static void take_events(aoi_space *space) {
    aoi_event event;
    while (aoi_next_event(space, &event))
        continue;
}

NOT_COUNTED static void step_in_grid(void) {
    aoi_space *space = new_space(false, false);
    fill(space);
    for (int step = 0; step < WARMING_UP; step++) {
        move_all(space, step);
        take_events(space);
    }
    depart(); /* a round of all, so that every kind of step is in it */
    move_all(space, WARMING_UP);
    end_trip("a move in a grid");
    aoi_destroy(space);
}

NOT_COUNTED static void tick(const char *name, bool crowd) {
    aoi_space *space = new_space(true, crowd);
    fill(space);
    for (int step = 0; step <= WARMING_UP; step++) {
        move_all(space, step);
        if (step == WARMING_UP)
            depart();
        expect(aoi_tick(space) == AOI_OK, "tick");
        if (step == WARMING_UP)
            end_trip(name);
        take_events(space);
    }
    aoi_destroy(space);
}

/* An entity in an area, with one of its own, goes from here to there. */
NOT_COUNTED static void hand_over(aoi_space *here, aoi_space *there) {
    unsigned char bytes[4096];
    size_t size;
    expect(aoi_handed(here, 1, NULL, 0, &size) == AOI_OK && size <= sizeof bytes, "size");
    expect(aoi_handed(here, 1, bytes, sizeof bytes, &size) == AOI_OK, "handed");
    expect(aoi_hand_out(here, 1) == AOI_OK, "hand_out");
    expect(aoi_hand_in(there, bytes, size, NULL) == AOI_OK, "hand_in");
}

NOT_COUNTED static void hand_over_and_back(void) {
    aoi_space *spaces[] = {new_space(true, false), new_space(true, false)};
    const aoi_area still = {.struct_size = sizeof still,
                            .given = AOI_AREA_GIVEN_SHAPE | AOI_AREA_GIVEN_PLACE,
                            .shape = AOI_AREA_CIRCLE,
                            .radius = 60,
                            .x = 60,
                            .y = 40};
    const aoi_area own = {.struct_size = sizeof own,
                          .given = AOI_AREA_GIVEN_SHAPE | AOI_AREA_GIVEN_OWNER,
                          .shape = AOI_AREA_CIRCLE,
                          .radius = 30,
                          .owner = 1};
    fill(spaces[0]);
    for (int i = 0; i < 2; i++)
        expect(aoi_add_area(spaces[i], 1, &still, NULL) == AOI_OK, "area");
    expect(aoi_add_area(spaces[0], 2, &own, NULL) == AOI_OK, "owned area");
    for (int step = 0; step <= WARMING_UP; step++) {
        for (int i = 0; i < 2; i++) {
            expect(aoi_tick(spaces[i]) == AOI_OK, "tick");
            take_events(spaces[i]);
        }
        if (step == WARMING_UP)
            depart();
        hand_over(spaces[step % 2], spaces[(step + 1) % 2]);
    }
    end_trip("a hand-over");
    for (int i = 0; i < 2; i++)
        aoi_destroy(spaces[i]);
}

NOT_COUNTED int main(void) {
    step_in_grid();
    tick("a tick of a deferred space", false);
    tick("a tick of a crowd", true);
    hand_over_and_back();
    return 0;
}
