/* borders.c - the cells that a border touches, row by row. */
#include "sight/borders.h"

#include <math.h>
#include <string.h>

#include "base/self_check.h"

/* Counts for a beacon: a border touches a quarter as many at most. */
enum { COUNTS_PER_BEACON = 16 * BORDERS_PER_CELL, LEAST_SIDE = 64 };

static size_t size_of(const struct borders *borders) {
    return (size_t)borders->side * borders->side;
}

bool borders_reserve(struct borders *borders, struct memory *memory, size_t beacons) {
    size_t side = LEAST_SIDE;
    while (side * side < beacons * COUNTS_PER_BEACON)
        side *= 2;
    if (side <= borders->side)
        return true;
    uint8_t *counts = memory_resize(memory, NULL, 0, side * side, sizeof *counts);
    if (counts == NULL)
        return false;
    borders_free(borders, memory);
    memset(counts, 0, side * side);
    *borders = (struct borders){counts, (uint32_t)side};
    return true;
}

void borders_free(struct borders *borders, struct memory *memory) {
    memory_resize(memory, borders->counts, size_of(borders), 0, sizeof *borders->counts);
    *borders = (struct borders){NULL, 0};
}

/* The number of the cell where a coordinate is, given in cells. */
static int64_t number_of(double place) {
    return border_cell_at(xy_of(place))[0] - border_cell_at(xy_of(0))[0];
}

static void count_run(struct borders *borders, int64_t row, int64_t from, int64_t to, int change) {
    for (int64_t column = from; column <= to; column++) {
        uint8_t *count = &borders->counts[borders_place(borders, column, row)];
        if (*count < UINT8_MAX)
            *count = (uint8_t)(*count + change);
    }
}

/* Of a row: the cells from the first to the second, and from the third to the fourth; or all. */
static void count_row(struct borders *borders, int64_t row, const int64_t *cells, bool is_full,
                      int change) {
    count_run(borders, row, cells[0], is_full ? cells[3] : cells[1], change);
    if (!is_full)
        count_run(borders, row, cells[2], cells[3], change);
}

static double root_of(double square) {
    return square > 0 ? sqrt(square) : 0;
}

/* A border in units of cells, with more to both sides than what is rounded makes. */
struct band {
    double x, y, inner, outer;
};

static struct band band_of(const struct border *border) {
    const double cells = border->inverse * BORDERS_PER_CELL, slip = 1.0 / 64;
    const double radius = border->radius * cells;
    return (struct band){border->x * cells, border->y * cells, radius - slip, radius + slip};
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

void borders_count(struct borders *borders, const struct border *border, int change) {
    const struct band band = band_of(border);
    int64_t cells[4] = {number_of(band.x - band.outer), number_of(band.x - band.inner),
                        number_of(band.x + band.inner), number_of(band.x + band.outer)};
    const int64_t last = number_of(band.y + band.outer);
    for (int64_t row = number_of(band.y - band.outer); row <= last; row++) {
        const double away = fabs((double)row - band.y);
        if (border->is_round)
            cells_of_circle(&band, away, cells);
        count_row(borders, row, cells, away + 0.5 >= band.inner, change);
    }
}

bool borders_alike(const struct border *border, const struct border *other) {
    const struct band a = band_of(border), b = band_of(other);
    return !border->is_round && border->inverse == other->inverse &&
           number_of(a.x - a.outer) == number_of(b.x - b.outer) &&
           number_of(a.x - a.inner) == number_of(b.x - b.inner) &&
           number_of(a.x + a.inner) == number_of(b.x + b.inner) &&
           number_of(a.x + a.outer) == number_of(b.x + b.outer) &&
           number_of(a.y - a.outer) == number_of(b.y - b.outer) &&
           number_of(a.y - a.inner) == number_of(b.y - b.inner) &&
           number_of(a.y + a.inner) == number_of(b.y + b.inner) &&
           number_of(a.y + a.outer) == number_of(b.y + b.outer);
}

#ifdef AOI_SELF_CHECK
/* The middles of all four sides are counted. */
void borders_check(const struct borders *borders, const struct border *border) {
    const struct band band = band_of(border);
    const double radius = (band.inner + band.outer) / 2;
    const xy places[] = {{band.x - radius, band.y},
                         {band.x + radius, band.y},
                         {band.x, band.y - radius},
                         {band.x, band.y + radius}};
    for (int i = 0; i < 4; i++) {
        const border_cell cell = border_cell_at(places[i]);
        SELF_CHECK(borders->counts[borders_place(borders, cell[0], cell[1])] > 0);
    }
}
#endif
