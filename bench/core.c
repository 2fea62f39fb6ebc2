/*
 * core.c - measures the C interface without Lua: uses aoi.h and nothing else.
 *
 *     core ROUNDS MOVES QUICK
 *
 * Prints one line per case, separated by tabs: name, words, events a call,
 * then the nanoseconds a call of each round. After each call the events are
 * pulled with aoi_next_event, as the Lua binding does. The worlds and their
 * random numbers are those of bench/worlds.lua; positions are computed before
 * the clock runs, and a first round is dropped.
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

struct world {
    long entities, steps;
    double size;
    double *positions; /* x, y of each at the start, then after each step */
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

/* A number from 0 up to, not including, 1: xorshift64*. */
static double draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * UINT64_C(0x2545F4914F6CDD1D)) >> 11) * 0x1p-53;
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

static struct world make_world(long entities, double size, double cluster, bool teleport,
                               long moves) {
    struct world world = {entities, moves / entities > 1 ? moves / entities : 1, size, NULL};
    size_t frame = 2 * (size_t)entities;
    world.positions = allocate(frame * ((size_t)world.steps + 1), sizeof *world.positions);
    double *steps = allocate(frame, sizeof *steps);
    uint64_t state = 20240601;
    for (size_t i = 0; i < frame; i += 2) {
        double limit = cluster > 0 && i % 4 == 2 ? cluster : size;
        world.positions[i] = draw(&state) * limit;
        world.positions[i + 1] = draw(&state) * limit;
        double angle = draw(&state) * 2 * PI;
        steps[i] = STEP * cos(angle);
        steps[i + 1] = STEP * sin(angle);
    }
    double *now = world.positions + frame;
    for (long step = 0; step < world.steps; step++, now += frame) {
        for (size_t i = 0; i < frame; i++) {
            double limit = cluster > 0 && i % 4 >= 2 ? cluster : size;
            now[i] = teleport ? draw(&state) * size
                              : step_along(now[(ptrdiff_t)(i - frame)], &steps[i], limit);
        }
    }
    free(steps);
    return world;
}

static aoi_space *make_space(aoi_engine engine, bool classic, const struct world *world,
                             uint32_t listen) {
    aoi_options options = aoi_options_default(engine);
    options.listen = listen;
    if (engine != AOI_CROSSLIST) {
        options.given |= AOI_GIVEN_WIDTH | AOI_GIVEN_HEIGHT;
        options.width = options.height = world->size;
    }
    if (classic) {
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

static void enter_everybody(aoi_space *space, const struct world *world) {
    for (long i = 0; i < world->entities; i++) {
        aoi_point point = {world->positions[2 * i], world->positions[2 * i + 1], 0};
        expect(aoi_enter(space, i + 1, point, NULL) == AOI_OK, "enter failed");
        pull(space);
    }
}

/* All moves of one round, forward or backward; returns the number of events. */
static long walk(aoi_space *space, const struct world *world, bool forward) {
    long events = 0;
    for (long step = 1; step <= world->steps; step++) {
        long frame = forward ? step : world->steps - step;
        const double *now = world->positions + 2 * world->entities * frame;
        for (long i = 0; i < world->entities; i++) {
            aoi_point point = {now[2 * i], now[2 * i + 1], 0};
            if (aoi_move(space, i + 1, point) != AOI_OK)
                stop("move failed");
            events += pull(space);
        }
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

static void measure_walk(const struct settings *settings, const char *name, const char *words,
                         aoi_space *space, const struct world *world) {
    double *times = allocate((size_t)settings->rounds, sizeof *times);
    double calls = (double)(world->steps * world->entities), events = 0;
    enter_everybody(space, world);
    for (int round = 0; round <= settings->rounds; round++) {
        double start = cpu_time();
        long told = walk(space, world, round % 2 == 0);
        double elapsed = cpu_time() - start;
        if (round > 0) {
            times[round - 1] = elapsed / calls;
            events += (double)told / calls / settings->rounds;
        }
    }
    print_times(name, words, events, times, settings->rounds);
    free(times);
    aoi_destroy(space);
}

/* Batches of newcomers enter among those inside; between the batches they leave again, not timed.
 */
static void measure_enter(const struct settings *settings, const char *name, const char *words,
                          aoi_space *space, const struct world *world) {
    enum { BATCH = 1000 };
    double *times = allocate((size_t)settings->rounds, sizeof *times);
    double events = 0;
    uint64_t state = 11;
    long batches = settings->quick ? 2 : 20;
    enter_everybody(space, world);
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

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: core ROUNDS MOVES QUICK\n");
        return 2;
    }
#if !defined(NDEBUG) || defined(AOI_SELF_CHECK)
    stop("refuses to measure a build with assertions or self-checks");
#endif
    const struct settings settings = {(int)strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10),
                                      strtol(argv[3], NULL, 10) != 0};
    expect(settings.rounds > 0 && settings.moves > 0, "ROUNDS and MOVES must be positive");
    const uint32_t seen = AOI_ENTER | AOI_LEAVE, all = AOI_ENTER | AOI_LEAVE | AOI_MOVE;
    static const struct {
        const char *name;
        long entities;
        double size, cluster;
        bool teleport;
    } worlds[] = {{"A", 1000, 1000, 0, false},     {"B", 10000, 3200, 0, false},
                  {"C", 10000, 1000, 0, false},    {"D", 100000, 10000, 0, false},
                  {"B2", 10000, 3200, 400, false}, {"F", 10000, 3200, 0, true}};
    static const struct {
        const char *name, *words;
        aoi_engine engine;
        bool classic, moves;
    } kinds[] = {{"classic", "classic nine-grid, cell 50", AOI_GRID, true, false},
                 {"classic-moves", "classic, with move events", AOI_GRID, true, true},
                 {"grid", "grid, radius 50", AOI_GRID, false, false},
                 {"crosslist", "cross-list, radius 50", AOI_CROSSLIST, false, false}};
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        /* Quick: a tenth of the entities, as dense as before. */
        long entities = settings.quick ? worlds[w].entities / 10 : worlds[w].entities;
        double scale = settings.quick ? sqrt(0.1) : 1;
        if (settings.quick && entities > 1000)
            continue;
        struct world world = make_world(entities, scale * worlds[w].size, scale * worlds[w].cluster,
                                        worlds[w].teleport, settings.moves);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char name[64], words[64];
            if (kinds[k].moves && strcmp(worlds[w].name, "B") != 0)
                continue;
            snprintf(name, sizeof name, "%s/%s", kinds[k].name, worlds[w].name);
            snprintf(words, sizeof words, "%s: %s", worlds[w].name, kinds[k].words);
            measure_walk(
                &settings, name, words,
                make_space(kinds[k].engine, kinds[k].classic, &world, kinds[k].moves ? all : seen),
                &world);
        }
        free(world.positions);
    }
    struct world inside = make_world(10000, 3200, 0, true, settings.moves);
    measure_enter(&settings, "enter/crosslist", "cross-list: enter among 10,000",
                  make_space(AOI_CROSSLIST, false, &inside, seen), &inside);
    measure_enter(&settings, "enter/grid", "grid: enter among 10,000",
                  make_space(AOI_GRID, false, &inside, seen), &inside);
    free(inside.positions);
    return 0;
}
