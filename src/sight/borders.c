/* borders.c - the cells that a border touches, row by row. */
#include "sight/borders.h"

#include <math.h>

#include "base/self_check.h"

/* Cells that one border touches at most, with its room; places of the table for each beacon. */
enum { MOST_CELLS = 100, PLACES_PER_BEACON = 128, LEAST_SIDE = 64 };

/* In cells: how far a beacon may go, on each axis, until its border is listed anew; and how much
 * wider it is listed to both sides: as far as it may have gone, and what is rounded. */
#define MOST_MOVED 0.25
#define LISTED_ROOM 0.375

static size_t size_of(const struct borders *borders) {
    return (size_t)borders->side * borders->side;
}

/* The number of the cell where a coordinate is, given in cells. */
static int64_t number_of(double place) {
    return border_cell_at(xy_of(place))[0] - border_cell_at(xy_of(0))[0];
}

/* ------------------------------------------------------------------ */
/* Lists                                                               */
/* ------------------------------------------------------------------ */

static void list_at(struct borders *borders, uint32_t *head, uint32_t beacon) {
    const uint32_t number = borders->free;
    borders->free = borders->listed.items[number].next;
    borders->listed.items[number] = (struct listed_border){beacon, *head};
    *head = number;
}

static void take_from(struct borders *borders, uint32_t *head, uint32_t beacon) {
    struct listed_border *listed = borders->listed.items;
    while (listed[*head].beacon != beacon)
        head = &listed[*head].next;
    const uint32_t number = *head;
    *head = listed[number].next;
    listed[number].next = borders->free;
    borders->free = number;
}

/* ------------------------------------------------------------------ */
/* The cells of a border                                               */
/* ------------------------------------------------------------------ */

/* A border comes into the lists, or goes. */
struct listing {
    struct borders *borders;
    uint32_t beacon;
    bool comes;
};

static void list_run(const struct listing *listing, int64_t row, int64_t from, int64_t to) {
    struct borders *borders = listing->borders;
    const uint32_t mask = borders->side - 1;
    uint32_t *heads = &borders->heads[(size_t)((uint32_t)row & mask) * borders->side];
    for (int64_t column = from; column <= to; column++) {
        uint32_t *head = &heads[(uint32_t)column & mask];
        if (listing->comes)
            list_at(borders, head, listing->beacon);
        else
            take_from(borders, head, listing->beacon);
    }
}

/* Of a row: the cells from the first to the second, and from the third to the fourth; or all. */
static void list_row(const struct listing *listing, int64_t row, const int64_t *cells,
                     bool is_full) {
    if (is_full || cells[2] <= cells[1]) {
        list_run(listing, row, cells[0], cells[3]);
        return;
    }
    list_run(listing, row, cells[0], cells[1]);
    list_run(listing, row, cells[2], cells[3]);
}

static double root_of(double square) {
    return square > 0 ? sqrt(square) : 0;
}

/* A border in units of cells, with its room. */
struct band {
    double x, y, inner, outer;
};

static struct band band_of(const struct border *border) {
    const double cells = border->inverse * BORDERS_PER_CELL, radius = border->radius * cells;
    return (struct band){border->x * cells, border->y * cells, radius - LISTED_ROOM,
                         radius + LISTED_ROOM};
}

/* Where it passes a row as far away from its middle. */
static void cells_of_circle(const struct band *band, double away, int64_t *cells) {
    const double nearest = away > 0.5 ? away - 0.5 : 0, farthest = away + 0.5;
    const double far = root_of(band->outer * band->outer - nearest * nearest);
    const double near = root_of(band->inner * band->inner - farthest * farthest);
    cells[0] = number_of(band->x - far);
    cells[1] = number_of(band->x - near);
    cells[2] = number_of(band->x + near);
    cells[3] = number_of(band->x + far);
}

static void list_border(struct borders *borders, uint32_t beacon, bool comes) {
    const struct border *border = &borders->at.items[beacon];
    if (border->radius == 0)
        return;
    const struct listing listing = {borders, beacon, comes};
    const struct band band = band_of(border);
    int64_t cells[4] = {number_of(band.x - band.outer), number_of(band.x - band.inner),
                        number_of(band.x + band.inner), number_of(band.x + band.outer)};
    const int64_t last = number_of(band.y + band.outer);
    for (int64_t row = number_of(band.y - band.outer); row <= last; row++) {
        const double away = fabs((double)row - band.y);
        if (border->is_round)
            cells_of_circle(&band, away, cells);
        list_row(&listing, row, cells, away + 0.5 >= band.inner);
    }
}

/* ------------------------------------------------------------------ */
/* The calls                                                           */
/* ------------------------------------------------------------------ */

static void empty_lists(struct borders *borders) {
    for (size_t cell = 0; cell < size_of(borders); cell++)
        borders->heads[cell] = NO_LISTED;
    for (size_t number = 0; number < borders->listed.capacity; number++)
        borders->listed.items[number].next = (uint32_t)number + 1;
    borders->free = 0;
}

bool borders_reserve(struct borders *borders, struct memory *memory, size_t beacons) {
    const size_t before = borders->room;
    if (beacons <= before)
        return true;
    size_t side = LEAST_SIDE;
    while (side * side < beacons * PLACES_PER_BEACON)
        side *= 2;
    if (!array_extend(&borders->listed, memory, beacons * MOST_CELLS))
        return false;
    uint32_t *heads = memory_resize(memory, NULL, 0, side * side, sizeof *heads);
    if (heads == NULL || !array_extend(&borders->at, memory, beacons)) {
        memory_resize(memory, heads, heads == NULL ? 0 : side * side, 0, sizeof *heads);
        return false;
    }
    memory_resize(memory, borders->heads, size_of(borders), 0, sizeof *borders->heads);
    borders->heads = heads;
    borders->side = (uint32_t)side;
    borders->room = beacons;
    for (size_t beacon = before; beacon < beacons; beacon++)
        borders->at.items[beacon] = (struct border){.radius = 0};
    empty_lists(borders);
    for (uint32_t beacon = 0; beacon < before; beacon++)
        list_border(borders, beacon, true);
    return true;
}

/* True when it may be listed as the other one is. */
static bool is_near(const struct border *border, const struct border *other) {
    const double most = MOST_MOVED / BORDERS_PER_CELL;
    return border->radius == other->radius && border->inverse == other->inverse &&
           border->is_round == other->is_round &&
           fabs(border->x - other->x) * border->inverse <= most &&
           fabs(border->y - other->y) * border->inverse <= most;
}

void borders_set(struct borders *borders, uint32_t beacon, const struct border *border) {
    if (is_near(border, &borders->at.items[beacon]))
        return;
    list_border(borders, beacon, false);
    borders->at.items[beacon] = *border;
    list_border(borders, beacon, true);
}

void borders_free(struct borders *borders, struct memory *memory) {
    memory_resize(memory, borders->heads, size_of(borders), 0, sizeof *borders->heads);
    array_free(&borders->listed, memory);
    array_free(&borders->at, memory);
    *borders = (struct borders){.heads = NULL};
}

#ifdef AOI_SELF_CHECK
static bool is_listed(const struct borders *borders, border_cell cell, uint32_t beacon) {
    for (uint32_t at = borders_first(borders, cell[0], cell[1]); at != NO_LISTED;
         at = borders->listed.items[at].next) {
        if (borders->listed.items[at].beacon == beacon)
            return true;
    }
    return false;
}

/* The middles of all four sides are listed. */
void borders_check(const struct borders *borders, uint32_t beacon, const struct border *border) {
    const double cells = border->inverse * BORDERS_PER_CELL;
    const xy middle = {border->x * cells, border->y * cells};
    const double radius = border->radius * cells;
    const xy sides[] = {{-radius, 0}, {radius, 0}, {0, -radius}, {0, radius}};
    for (int i = 0; i < 4; i++)
        SELF_CHECK(is_listed(borders, border_cell_at(middle + sides[i]), beacon));
}
#endif
