/*
 * c_world.h - the parts of the fuzz target fuzz_c.c: one space and what is known of it, and what
 * its files do with these.
 */
#ifndef FUZZ_C_WORLD_H
#define FUZZ_C_WORLD_H

#include "accountant.h"
#include "input.h"
#include "model.h"
#include "texts.h"

enum { MOST_ROWS = 10 }; /* of a batch */

struct world {
    struct input input;
    struct accountant accountant;
    double low[3], extent; /* where most coordinates lie */
    aoi_space *space;
    bool is_unheard;          /* it was loaded, and nobody has listened since */
    bool keeps_record;        /* of all calls since the save, in `record` and in the space */
    struct text save, record; /* empty when it does not */
};

/* Large, and a pointer to it would be everywhere. One history at a time. */
extern struct model model;

/* c_draw.c */
unsigned draw(struct world *world, unsigned count);
double along(aoi_point point, int axis);
double draw_coordinate(struct world *world, int axis);
aoi_point draw_point(struct world *world);
double draw_radius(struct world *world);
uint32_t draw_bits(struct world *world);
void draw_crowd_traits(struct world *world, aoi_traits *traits);
aoi_traits draw_traits(struct world *world);
aoi_options draw_options(struct world *world);
void bend_options(struct world *world, aoi_options *options);

/* c_check.c */
void expect_agreement(const char *wrong);
bool went_well(struct world *world, aoi_status status);
void expect_status(aoi_status status, unsigned allowed);
void expect_list(const aoi_list *list, const bool *expected, bool sorted, const char *what);
bool same_number(double a, double b);
void check_observers(struct world *world, int number);
void check_told(struct world *world, int number);
void check_explained(struct world *world, int watcher, int marker);
void check_all(struct world *world);

/* c_rows.c */
void call_batch(struct world *world, enum model_batch batch);
uint64_t get_bytes(const uint8_t *from, size_t size);
/* An array of its own size, so that a sanitizer sees its end; not aligned, mostly. */
struct exact_bytes {
    uint8_t *block, *bytes;
    size_t size;
};

struct exact_bytes exact_bytes_of(struct world *world, size_t size);
void call_packed_batch(struct world *world, enum model_batch batch);
void call_pack_ids(struct world *world);
void call_pack_positions(struct world *world);

/* c_events.c */
bool take(struct world *world, bool single);
void take_all(struct world *world, bool single);
void call_read_gathered(struct world *world);
void call_drop_oldest(struct world *world);
void call_drop_collected(struct world *world);

/* c_saves.c */
void call_save(struct world *world);
void forget_record(struct world *world);
void replace_by_record(struct world *world);
void call_record(struct world *world);

#endif
