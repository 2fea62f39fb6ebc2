/*
 * core.c - measures the C interface without Lua: uses aoi.h and nothing else.
 *
 *     core ROUNDS MOVES QUICK in-order|shuffled
 *
 * Prints one line per case, separated by tabs: name, words, events a call,
 * then the nanoseconds a move of each round. After each call the events are
 * pulled with aoi_next_event, as the Lua binding does. The worlds and their
 * random numbers are those of bench/worlds.lua, shuffled those of
 * bench/messages.lua; positions are computed before the clock runs, and a
 * first round is dropped. The kinds of space in a world take turns.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aoi.h"

#define RADIUS 50
#define STEP 3
#define PI 3.141592653589793

struct settings {
    int rounds;
    long moves;
    bool quick;
};

/* A walk there and back: the rows of all steps in the order of the calls, those of a step one after
 * the other. Rows of aoi.h, so that a batch takes those of a step as they are. */
struct world {
    long entities, steps;
    double size;
    bool shuffled;
    aoi_row *start, *there, *back;
};

static void stop(const char *reason) {
    fprintf(stderr, "bench/core: %s\n", reason);
    exit(1);
}

static void expect(bool ok, const char *what) {
    if (!ok)
        stop(what);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    expect(memory != NULL, "no memory");
    return memory;
}

/* CPU time of this process in nanoseconds. */
static double cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A number from 0 up to, not including, 1; as spec/support/random.lua gives it. */
static double draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 33) * 0x1p-31;
}

static uint64_t seeded(uint64_t seed) {
    for (int i = 0; i < 8; i++)
        draw(&seed);
    return seed;
}

/* One step along an axis; at the border it turns. */
static double step_along(double value, double *step, double limit) {
    value += *step;
    if (value < 0 || value > limit) {
        value = value < 0 ? -value : 2 * limit - value;
        *step = -*step;
    }
    return value;
}

/* Everybody at the start, with the ids from 1, and their steps along x and y. */
static void place(aoi_row *start, double *steps, long entities, double size, double cluster,
                  uint64_t *state) {
    for (long i = 0; i < entities; i++) {
        double limit = cluster > 0 && i % 2 == 1 ? cluster : size;
        double x = draw(state) * limit, y = draw(state) * limit, angle = draw(state) * 2 * PI;
        start[i] = (aoi_row){i + 1, {x, y, 0}};
        steps[2 * i] = STEP * cos(angle);
        steps[2 * i + 1] = STEP * sin(angle);
    }
}

/* The rows of the ways there and back in order. */
static struct world make_world(long entities, double size, double cluster, bool teleport,
                               long steps) {
    struct world world = {.entities = entities, .steps = steps, .size = size};
    const size_t n = (size_t)entities, moves = n * (size_t)steps;
    /* The frames of all steps lie behind the start: the way back is without the last one. */
    world.start = allocate(n + moves, sizeof *world.start);
    world.there = world.start + n;
    world.back = allocate(moves, sizeof *world.back);
    double *directions = allocate(2 * n, sizeof *directions);
    uint64_t state = seeded(20240601);
    place(world.start, directions, entities, size, cluster, &state);
    for (size_t k = 0; k < moves; k++) {
        const size_t i = k % n;
        const aoi_row before = world.start[k];
        double limit = cluster > 0 && i % 2 == 1 ? cluster : size;
        double x, y;
        if (teleport) {
            x = draw(&state) * size;
            y = draw(&state) * size;
        } else {
            x = step_along(before.position.x, &directions[2 * i], limit);
            y = step_along(before.position.y, &directions[2 * i + 1], limit);
        }
        world.there[k] = (aoi_row){before.id, {x, y, 0}};
    }
    for (size_t step = 0; step < (size_t)steps; step++)
        memcpy(world.back + step * n, world.start + ((size_t)steps - 1 - step) * n,
               n * sizeof *world.back);
    free(directions);
    return world;
}

static int64_t draw_id(uint64_t *state) {
    uint64_t high = (uint64_t)(draw(state) * 0x1p32);
    return (int64_t)(high << 32 | (uint64_t)(draw(state) * 0x1p32));
}

/* Gives the entities ids spread over 64 bits, and each step an order of its own: backward that is
 * the opposite one. */
static void shuffle_world(struct world *world) {
    const size_t n = (size_t)world->entities, moves = n * (size_t)world->steps;
    uint64_t state = seeded(20240602);
    size_t *order = allocate(n, sizeof *order);
    aoi_row *there = allocate(moves, sizeof *there);
    for (size_t i = 0; i < n; i++) {
        const int64_t id = draw_id(&state);
        order[i] = i;
        for (size_t k = i; k < n + moves; k += n)
            world->start[k].id = id;
    }
    for (size_t first = 0; first < moves; first += n) {
        for (size_t i = n; i-- > 1;) {
            size_t j = (size_t)(draw(&state) * (double)(i + 1)), other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        for (size_t k = 0; k < n; k++) {
            there[first + k] = world->there[first + order[k]];
            world->back[moves - 1 - (first + k)] = world->start[first + order[k]];
        }
    }
    memcpy(world->there, there, moves * sizeof *there);
    world->shuffled = true;
    free(there);
    free(order);
}

static void free_world(struct world *world) {
    free(world->start);
    free(world->back);
}

/* A kind of space. */
struct kind {
    const char *name, *words, *worlds; /* worlds: where it is measured */
    aoi_engine engine;
    bool folded;         /* a grid without a map */
    bool classic, moves; /* moves: of others are told, too */
    bool deferred;       /* a tick a step */
    bool batch;          /* the moves of a step are one call */
    double slack;
};

static aoi_space *make_space(const struct kind *kind, const struct world *world) {
    aoi_options options = aoi_options_default(kind->engine);
    options.listen = AOI_ENTER | AOI_LEAVE | (kind->moves ? (uint32_t)AOI_MOVE : 0);
    if (kind->deferred) {
        options.given |= AOI_GIVEN_DEFERRED;
        options.deferred = true;
    }
    if (kind->slack > 0) {
        options.given |= AOI_GIVEN_SLACK;
        options.slack = kind->slack;
    }
    if (kind->engine != AOI_CROSSLIST && !kind->folded) {
        options.given |= AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
        options.width = options.height = world->size;
    }
    if (kind->classic) {
        options.given |= AOI_GIVEN_COLS | AOI_GIVEN_ROWS;
        options.cols = options.rows = (int64_t)ceil(world->size / RADIUS);
    } else {
        options.given |= AOI_GIVEN_RADIUS;
        options.radius = RADIUS;
    }
    aoi_space *space = NULL;
    aoi_complaint complaint;
    memset(&complaint, 0, sizeof complaint);
    if (aoi_create(&options, &space, &complaint) != AOI_OK)
        stop(complaint.text);
    return space;
}

/* Takes all waiting events; returns how many. */
static long pull(aoi_space *space) {
    long events = 0;
    aoi_event event;
    while (aoi_next_event(space, &event))
        events++;
    return events;
}

static long tick(aoi_space *space) {
    expect(aoi_tick(space) == AOI_OK, "tick failed");
    return pull(space);
}

static void enter_everybody(aoi_space *space, const struct kind *kind, const struct world *world) {
    for (long i = 0; i < world->entities; i++) {
        const aoi_row *row = &world->start[i];
        expect(aoi_enter(space, row->id, row->position, NULL) == AOI_OK, "enter failed");
        pull(space);
    }
    if (kind->deferred)
        tick(space);
}

/* All moves of one round, there or back; returns the number of events. */
static long walk(aoi_space *space, const struct kind *kind, const struct world *world,
                 bool forward) {
    const aoi_row *row = forward ? world->there : world->back;
    long events = 0;
    for (long step = 0; step < world->steps; step++) {
        const aoi_row *end = row + world->entities;
        if (kind->batch) {
            if (aoi_move_all(space, row, (size_t)world->entities, NULL, NULL) != AOI_OK)
                stop("move_all failed");
            events += pull(space);
            row = end;
        }
        for (; row < end; row++) {
            if (aoi_move(space, row->id, row->position) != AOI_OK)
                stop("move failed");
            events += pull(space);
        }
        if (kind->deferred)
            events += tick(space);
    }
    return events;
}

static void print_times(const char *name, const char *words, double events, const double *times,
                        int rounds) {
    printf("%s\t%s\t%.4f", name, words, events);
    for (int i = 0; i < rounds; i++)
        printf("\t%.3f", times[i]);
    printf("\n");
    fflush(stdout);
}

/* A kind of space in a world, and what is measured there. */
struct walk_case {
    const struct kind *kind;
    aoi_space *space;
    double *times, events;
};

static void time_round(const struct settings *settings, struct walk_case *walked,
                       const struct world *world, int round) {
    const double calls = (double)(world->steps * world->entities);
    double start = cpu_time();
    long told = walk(walked->space, walked->kind, world, round % 2 == 0);
    double elapsed = cpu_time() - start;
    if (round > 0) {
        walked->times[round - 1] = elapsed / calls;
        walked->events += (double)told / calls / settings->rounds;
    }
}

/* These kinds of spaces take turns. */
static void measure_walks(const struct settings *settings, const char *name,
                          struct walk_case *cases, size_t count, const struct world *world) {
    for (size_t i = 0; i < count; i++) {
        cases[i].times = allocate((size_t)settings->rounds, sizeof *cases[i].times);
        cases[i].space = make_space(cases[i].kind, world);
        enter_everybody(cases[i].space, cases[i].kind, world);
    }
    for (int round = 0; round <= settings->rounds; round++)
        for (size_t i = 0; i < count; i++)
            time_round(settings, &cases[i], world, round);
    for (size_t i = 0; i < count; i++) {
        char id[64], words[64];
        snprintf(id, sizeof id, "%s%s/%s", world->shuffled ? "shuffled/" : "", cases[i].kind->name,
                 name);
        snprintf(words, sizeof words, "%s: %s", name, cases[i].kind->words);
        print_times(id, words, cases[i].events, cases[i].times, settings->rounds);
        free(cases[i].times);
        aoi_destroy(cases[i].space);
    }
}

/* Batches of newcomers enter among those inside; between the batches they leave again, not timed.
 */
static void measure_enter(const struct settings *settings, const char *name, const char *words,
                          const struct kind *kind, const struct world *world) {
    enum { BATCH = 1000 };
    double *times = allocate((size_t)settings->rounds, sizeof *times);
    double events = 0;
    uint64_t state = seeded(11);
    long batches = settings->quick ? 2 : 20;
    aoi_space *space = make_space(kind, world);
    enter_everybody(space, kind, world);
    for (int round = 0; round <= settings->rounds; round++) {
        double elapsed = 0;
        long told = 0;
        for (long batch = 0; batch < batches; batch++) {
            static const aoi_point nowhere;
            aoi_point points[BATCH];
            for (int i = 0; i < BATCH; i++) {
                points[i] = nowhere;
                points[i].x = draw(&state) * world->size;
                points[i].y = draw(&state) * world->size;
            }
            double start = cpu_time();
            for (int i = 0; i < BATCH; i++) {
                if (aoi_enter(space, world->entities + 1 + i, points[i], NULL) != AOI_OK)
                    stop("enter failed");
                told += pull(space);
            }
            elapsed += cpu_time() - start;
            for (int i = 0; i < BATCH; i++) {
                expect(aoi_leave(space, world->entities + 1 + i) == AOI_OK, "leave failed");
                pull(space);
            }
        }
        double calls = (double)(batches * BATCH);
        if (round > 0) {
            times[round - 1] = elapsed / calls;
            events += (double)told / calls / settings->rounds;
        }
    }
    print_times(name, words, events, times, settings->rounds);
    free(times);
    aoi_destroy(space);
}

static const struct {
    const char *name;
    long entities;
    double size, cluster;
    bool teleport;
} worlds[] = {{"A", 1000, 1000, 0, false},      {"B", 10000, 3200, 0, false},
              {"C", 10000, 1000, 0, false},     {"D", 100000, 10000, 0, false},
              {"1M", 1000000, 31623, 0, false}, {"B2", 10000, 3200, 400, false},
              {"F", 10000, 3200, 0, true}};

enum { GRID, FOLDED, CROSSLIST, KINDS = 9 };
static const struct kind kinds[KINDS] = {
    [GRID] = {"grid", "grid, radius 50", "A B C D 1M B2 F", .engine = AOI_GRID},
    [FOLDED] = {"folded", "grid without a map, radius 50", "A B C D 1M B2 F", .engine = AOI_GRID,
                .folded = true},
    [CROSSLIST] = {"crosslist", "cross-list, radius 50", "A B C D B2 F", .engine = AOI_CROSSLIST},
    {"grid-batch", "grid, move_all a step", "B D 1M", .engine = AOI_GRID, .batch = true},
    {"deferred", "grid, deferred, a tick a step", "A B C D 1M", .engine = AOI_GRID,
     .deferred = true},
    {"deferred-batch", "the same, move_all a step", "B D 1M", .engine = AOI_GRID, .deferred = true,
     .batch = true},
    {"slack", "grid, slack 12", "A B C D", .engine = AOI_GRID, .slack = 12},
    {"classic", "classic nine-grid, cell 50", "A B C D B2 F", .engine = AOI_GRID, .classic = true},
    {"classic-moves", "classic, with move events", "B", .engine = AOI_GRID, .classic = true,
     .moves = true},
};

static bool is_measured_in(const struct kind *kind, const char *world) {
    char all[64], one[16];
    snprintf(all, sizeof all, " %s ", kind->worlds);
    snprintf(one, sizeof one, " %s ", world);
    return strstr(all, one) != NULL;
}

/* An entity with slack must go a long way: to and fro near one place would show too little. A
 * million take time enough in one step. */
static long count_steps(const struct settings *settings, long entities) {
    enum { LONG_WAY = 6, LARGE = 100000 };
    const long steps = settings->moves / entities;
    if (entities > LARGE)
        return 1;
    return steps > LONG_WAY ? steps : LONG_WAY;
}

static void measure_worlds(const struct settings *settings, bool shuffled) {
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        /* Quick: a tenth of the entities, as dense as before. */
        long entities = settings->quick ? worlds[w].entities / 10 : worlds[w].entities;
        double scale = settings->quick ? sqrt(0.1) : 1;
        if (settings->quick && entities > 1000)
            continue;
        struct world world = make_world(entities, scale * worlds[w].size, scale * worlds[w].cluster,
                                        worlds[w].teleport, count_steps(settings, entities));
        if (shuffled)
            shuffle_world(&world);
        struct walk_case cases[KINDS] = {{0}};
        size_t count = 0;
        for (size_t k = 0; k < KINDS; k++)
            if (is_measured_in(&kinds[k], worlds[w].name))
                cases[count++].kind = &kinds[k];
        measure_walks(settings, worlds[w].name, cases, count, &world);
        free_world(&world);
    }
}

static void measure_newcomers(const struct settings *settings) {
    struct world inside = make_world(10000, 3200, 0, true, 1);
    measure_enter(settings, "enter/crosslist", "cross-list: enter among 10,000", &kinds[CROSSLIST],
                  &inside);
    measure_enter(settings, "enter/grid", "grid: enter among 10,000", &kinds[GRID], &inside);
    free_world(&inside);
}

int main(int argc, char **argv) {
    const bool shuffled = argc == 5 && strcmp(argv[4], "shuffled") == 0;
    if (argc != 5 || (!shuffled && strcmp(argv[4], "in-order") != 0)) {
        fprintf(stderr, "usage: core ROUNDS MOVES QUICK in-order|shuffled\n");
        return 2;
    }
#if !defined(NDEBUG) || defined(AOI_SELF_CHECK)
    stop("refuses to measure a build with assertions or self-checks");
#endif
    const struct settings settings = {(int)strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10),
                                      strtol(argv[3], NULL, 10) != 0};
    expect(settings.rounds > 0 && settings.moves > 0, "ROUNDS and MOVES must be positive");
    measure_worlds(&settings, shuffled);
    if (!shuffled)
        measure_newcomers(&settings);
    return 0;
}
