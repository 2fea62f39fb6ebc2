/*
 * core.c - measures the C interface without Lua: uses aoi.h and nothing else.
 *
 *     core ROUNDS MOVES QUICK in-order|shuffled
 *
 * Prints one line per case, separated by tabs: name, words, events a call,
 * then the nanoseconds a call of each round. After each call the events are
 * pulled with aoi_next_event, as the Lua binding does. The worlds and their
 * random numbers are those of bench/worlds.lua, shuffled those of
 * bench/messages.lua; positions are computed before the clock runs, and a
 * first round is dropped.
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

/* What a network brings: somebody's new position; and the one before, for the way back. */
struct message {
    int64_t id;
    aoi_point to, back;
};

struct world {
    long entities, steps;
    double size;
    double *positions;        /* x, y of each at the start, then after each step */
    struct message *messages; /* the moves in shuffled order, or NULL */
    int64_t *ids;             /* those of the messages, by entity */
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

static struct world make_world(long entities, double size, double cluster, bool teleport,
                               long moves) {
    struct world world = {entities, moves / entities > 1 ? moves / entities : 1, size, NULL, NULL,
                          NULL};
    size_t frame = 2 * (size_t)entities;
    world.positions = allocate(frame * ((size_t)world.steps + 1), sizeof *world.positions);
    double *steps = allocate(frame, sizeof *steps);
    uint64_t state = seeded(20240601);
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

static int64_t draw_id(uint64_t *state) {
    uint64_t high = (uint64_t)(draw(state) * 0x1p32);
    return (int64_t)(high << 32 | (uint64_t)(draw(state) * 0x1p32));
}

/* Gives the entities ids spread over 64 bits, and each step an order of its own. */
static void shuffle_world(struct world *world) {
    const size_t entities = (size_t)world->entities;
    uint64_t state = seeded(20240602);
    size_t *order = allocate(entities, sizeof *order);
    world->ids = allocate(entities, sizeof *world->ids);
    world->messages = allocate(entities * (size_t)world->steps, sizeof *world->messages);
    for (size_t i = 0; i < entities; i++) {
        world->ids[i] = draw_id(&state);
        order[i] = i;
    }
    struct message *message = world->messages;
    const double *before = world->positions, *after = before + 2 * entities;
    for (long step = 0; step < world->steps; step++) {
        for (size_t i = entities; i-- > 1;) {
            size_t j = (size_t)(draw(&state) * (double)(i + 1)), other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        for (size_t k = 0; k < entities; k++) {
            size_t i = order[k];
            *message++ = (struct message){world->ids[i],
                                          {after[2 * i], after[2 * i + 1], 0},
                                          {before[2 * i], before[2 * i + 1], 0}};
        }
        before = after;
        after += 2 * entities;
    }
    free(order);
}

static void free_world(struct world *world) {
    free(world->positions);
    free(world->messages);
    free(world->ids);
}

/* A kind of space. */
struct kind {
    const char *name, *words;
    aoi_engine engine;
    bool classic, moves; /* moves: of others are told, too */
    bool deferred;       /* a tick a step; only in shuffled worlds, whose steps are counted */
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
    if (kind->engine != AOI_CROSSLIST) {
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
        aoi_point point = {world->positions[2 * i], world->positions[2 * i + 1], 0};
        int64_t id = world->ids != NULL ? world->ids[i] : i + 1;
        expect(aoi_enter(space, id, point, NULL) == AOI_OK, "enter failed");
        pull(space);
    }
    if (kind->deferred)
        tick(space);
}

/* The same in shuffled order. */
static long walk_shuffled(aoi_space *space, const struct kind *kind, const struct world *world,
                          bool forward) {
    const long moves = world->entities * world->steps;
    long events = 0;
    for (long i = 0; i < moves; i++) {
        const struct message *message = &world->messages[forward ? i : moves - 1 - i];
        if (aoi_move(space, message->id, forward ? message->to : message->back) != AOI_OK)
            stop("move failed");
        events += pull(space);
        if (kind->deferred && (i + 1) % world->entities == 0)
            events += tick(space);
    }
    return events;
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
                         const struct kind *kind, const struct world *world) {
    double *times = allocate((size_t)settings->rounds, sizeof *times);
    double calls = (double)(world->steps * world->entities), events = 0;
    aoi_space *space = make_space(kind, world);
    enter_everybody(space, kind, world);
    for (int round = 0; round <= settings->rounds; round++) {
        const bool forward = round % 2 == 0;
        double start = cpu_time();
        long told = world->messages != NULL ? walk_shuffled(space, kind, world, forward)
                                            : walk(space, world, forward);
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
} worlds[] = {{"A", 1000, 1000, 0, false},     {"B", 10000, 3200, 0, false},
              {"C", 10000, 1000, 0, false},    {"D", 100000, 10000, 0, false},
              {"B2", 10000, 3200, 400, false}, {"F", 10000, 3200, 0, true}};

static const struct kind grid = {"grid", "grid, radius 50", .engine = AOI_GRID};
static const struct kind crosslist = {"crosslist", "cross-list, radius 50",
                                      .engine = AOI_CROSSLIST};
static const struct kind classic = {"classic", "classic nine-grid, cell 50", .engine = AOI_GRID,
                                    .classic = true};
static const struct kind classic_moves = {"classic-moves", "classic, with move events",
                                          .engine = AOI_GRID, .classic = true, .moves = true};
static const struct kind deferred = {"deferred", "grid, deferred, a tick a step",
                                     .engine = AOI_GRID, .deferred = true};
static const struct kind slack = {"slack", "grid, slack 12", .engine = AOI_GRID, .slack = 12};

/* The kinds of each order, as far as the first NULL. */
static const struct kind *const in_order[] = {&classic, &classic_moves, &grid, &crosslist, NULL};
static const struct kind *const in_disorder[] = {&classic, &classic_moves, &grid, &deferred,
                                                 &slack,   &crosslist,     NULL};

/* One kind of space in one world. */
static void measure_kind(const struct settings *settings, size_t w, const struct kind *kind,
                         const struct world *world) {
    char name[64], words[64];
    if (kind->moves && strcmp(worlds[w].name, "B") != 0)
        return;
    snprintf(name, sizeof name, "%s%s/%s", world->messages != NULL ? "shuffled/" : "", kind->name,
             worlds[w].name);
    snprintf(words, sizeof words, "%s: %s", worlds[w].name, kind->words);
    measure_walk(settings, name, words, kind, world);
}

static void measure_worlds(const struct settings *settings, bool shuffled) {
    enum { SHUFFLED_WORLDS = 4, LONG_WAY = 6 };
    const size_t count = shuffled ? SHUFFLED_WORLDS : sizeof worlds / sizeof *worlds;
    for (size_t w = 0; w < count; w++) {
        /* Quick: a tenth of the entities, as dense as before. */
        long entities = settings->quick ? worlds[w].entities / 10 : worlds[w].entities;
        double scale = settings->quick ? sqrt(0.1) : 1;
        if (settings->quick && entities > 1000)
            continue;
        long moves = settings->moves;
        if (shuffled && moves < LONG_WAY * entities)
            moves = LONG_WAY * entities;
        struct world world = make_world(entities, scale * worlds[w].size, scale * worlds[w].cluster,
                                        worlds[w].teleport, moves);
        if (shuffled)
            shuffle_world(&world);
        for (const struct kind *const *kind = shuffled ? in_disorder : in_order; *kind; kind++)
            measure_kind(settings, w, *kind, &world);
        free_world(&world);
    }
}

static void measure_newcomers(const struct settings *settings) {
    struct world inside = make_world(10000, 3200, 0, true, settings->moves);
    measure_enter(settings, "enter/crosslist", "cross-list: enter among 10,000", &crosslist,
                  &inside);
    measure_enter(settings, "enter/grid", "grid: enter among 10,000", &grid, &inside);
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
