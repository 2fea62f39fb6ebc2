/* borders.c - the cells that a border touches, row by row. */
#include "sight/borders.h"

#include <math.h>

#include "base/self_check.h"

/* Cells that one border touches at most, with its room; places of the table for each beacon. */
#ifdef AOI_TINY
enum { MOST_CELLS = 100, PLACES_PER_BEACON = 8, LEAST_SIDE = 4 };
#else
enum { MOST_CELLS = 100, PLACES_PER_BEACON = 128, LEAST_SIDE = 64 };
#endif

/* In cells: how far a beacon may go, on each axis, until its border is listed anew; and how much
 * wider it is listed to both sides: as far as it may have gone, and what is rounded. */
#define MOST_MOVED 0.25
#define LISTED_ROOM 0.375

static size_t size_of(const struct borders *borders) {
    return (size_t)borders->side * borders->side;
}

/* The number of the cell where a coordinate is, given in cells. */
static int64_t number_of(double place) {
    const border_cells cells = border_cells_at((xy){0, place});
    return cells[1] - cells[0];
}

/* True when it stands in no cells. */
static bool is_apart(const struct border *border) {
    return border->inverse == 0;
}

/* ------------------------------------------------------------------ */
/* The beacons of a cell                                               */
/* ------------------------------------------------------------------ */

static uint32_t *last_of(struct border_cell *cell) {
    return &cell->at_hand[AT_HAND - 1];
}

static void chain(struct borders *borders, struct border_cell *cell, uint32_t place) {
    const uint32_t number = borders->free, last = *last_of(cell);
    borders->free = borders->chained.items[number].next;
    borders->chained.items[number].place = place;
    borders->chained.items[number].next = last & IN_CHAIN ? last & ~IN_CHAIN : NOT_CHAINED;
    *last_of(cell) = IN_CHAIN | number;
}

/* Takes one out of the chain. */
static uint32_t unchain(struct borders *borders, uint32_t *link) {
    struct chained_border *chained = borders->chained.items;
    const uint32_t number = *link;
    *link = chained[number].next;
    chained[number].next = borders->free;
    borders->free = number;
    return chained[number].place;
}

static void add_to_cell(struct borders *borders, struct border_cell *cell, uint32_t place) {
    for (int i = 0; i < AT_HAND; i++) {
        if (cell->at_hand[i] == 0) {
            cell->at_hand[i] = place;
            return;
        }
    }
    const uint32_t last = *last_of(cell);
    if (!(last & IN_CHAIN))
        chain(borders, cell, last);
    chain(borders, cell, place);
}

static void take_from_cell(struct borders *borders, struct border_cell *cell, uint32_t place) {
    uint32_t *at_hand = cell->at_hand, *last = last_of(cell);
    const bool has_chain = border_cell_has_chain(cell);
    const int most = has_chain ? AT_HAND - 1 : AT_HAND;
    int i = 0;
    while (i < most && at_hand[i] != place)
        i++;
    if (!has_chain) {
        while (*last == 0)
            last--;
        at_hand[i] = *last;
        *last = 0;
        return;
    }
    const struct chained_border *chained = borders->chained.items;
    uint32_t first = *last & ~IN_CHAIN, *link = &first;
    if (i < most) {
        at_hand[i] = unchain(borders, &first);
    } else {
        while (chained[*link].place != place)
            link = &borders->chained.items[*link].next;
        unchain(borders, link);
    }
    *last = chained[first].next == NOT_CHAINED ? unchain(borders, &first) : IN_CHAIN | first;
}

bool borders_are_aside(const struct borders *borders, const struct border_cell *cell, xy from,
                       xy to) {
    const struct limits *limits = borders->limits.items;
    const struct chained_border *chained = borders->chained.items;
    struct border_cell next = *cell;
    uint32_t at = NOT_CHAINED;
    if (border_cell_has_chain(cell)) {
        at = *last_of(&next) & ~IN_CHAIN;
        *last_of(&next) = 0;
    }
    while (limits_are_kept(limits, next.at_hand, borders->is_round, from, to)) {
        if (at == NOT_CHAINED)
            return true;
        for (int i = 0; i < AT_HAND; i++) {
            next.at_hand[i] = at == NOT_CHAINED ? 0 : chained[at].place;
            at = at == NOT_CHAINED ? at : chained[at].next;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ */
/* The cells of a border                                               */
/* ------------------------------------------------------------------ */

/* A border comes into cells, or goes. */
struct listing {
    struct borders *borders;
    uint32_t place; /* of its limits */
    bool comes;
};

static void list_in(const struct listing *listing, struct border_cell *cell) {
    if (listing->comes)
        add_to_cell(listing->borders, cell, listing->place);
    else
        take_from_cell(listing->borders, cell, listing->place);
}

static double root_of(double square) {
    return square > 0 ? sqrt(square) : 0;
}

/* Cells of a row: from the first to the second, and from the third to the fourth. */
struct runs {
    int64_t at[4];
};

static bool are_in(const struct runs *runs, int64_t column) {
    const int64_t *at = runs->at;
    return (at[0] <= column && column <= at[1]) || (at[2] <= column && column <= at[3]);
}

/* A border in units of cells, with its room. */
struct band {
    double x, y, inner, outer;
    int64_t first_row, last_row;
    struct runs sides; /* where the sides of a square are */
};

static struct band band_of(const struct border *border) {
    const double cells = border->inverse * BORDERS_PER_CELL, radius = border->radius * cells;
    const double x = border->x * cells, y = border->y * cells;
    const double inner = radius - LISTED_ROOM, outer = radius + LISTED_ROOM;
    return (struct band){
        x,
        y,
        inner,
        outer,
        number_of(y - outer),
        number_of(y + outer),
        {{number_of(x - outer), number_of(x - inner), number_of(x + inner), number_of(x + outer)}}};
}

/* Where it passes a row as far away from its middle. */
static struct runs runs_of_circle(const struct band *band, double away) {
    const double nearest = away > 0.5 ? away - 0.5 : 0, farthest = away + 0.5;
    const double far = root_of(band->outer * band->outer - nearest * nearest);
    const double near = root_of(band->inner * band->inner - farthest * farthest);
    return (struct runs){{number_of(band->x - far), number_of(band->x - near),
                          number_of(band->x + near), number_of(band->x + far)}};
}

/* The cells of a row that it touches. */
static struct runs runs_of(const struct band *band, bool is_round, int64_t row) {
    const double away = fabs((double)row - band->y);
    if (row < band->first_row || row > band->last_row)
        return (struct runs){{1, 0, 1, 0}};
    struct runs runs = is_round ? runs_of_circle(band, away) : band->sides;
    if (away + 0.5 >= band->inner || runs.at[2] <= runs.at[1])
        runs.at[1] = runs.at[2] - 1; /* all of them: the two meet */
    return runs;
}

static void list_run(const struct listing *listing, int64_t row, const int64_t *run,
                     const struct runs *others) {
    for (int64_t column = run[0]; column <= run[1]; column++) {
        if (!are_in(others, column))
            list_in(listing, borders_cell(listing->borders, column, row));
    }
}

/* A border comes into its cells, or goes, but for those that the other one touches, too: those of a
 * beacon that has moved are mostly the same as before. */
static void list_border(const struct listing *listing, const struct border *border,
                        const struct border *other) {
    struct borders *borders = listing->borders;
    if (border->radius == 0)
        return;
    if (is_apart(border)) {
        list_in(listing, &borders->apart);
        return;
    }
    const bool is_round = borders->is_round;
    const struct band band = band_of(border);
    struct band others = band_of(other);
    if (other->radius == 0 || other->inverse != border->inverse)
        others.last_row = others.first_row - 1; /* it has no such cells */
    for (int64_t row = band.first_row; row <= band.last_row; row++) {
        const struct runs runs = runs_of(&band, is_round, row);
        const struct runs kept = runs_of(&others, is_round, row);
        list_run(listing, row, &runs.at[0], &kept);
        list_run(listing, row, &runs.at[2], &kept);
    }
}

/* ------------------------------------------------------------------ */
/* The calls                                                           */
/* ------------------------------------------------------------------ */

static void empty_cells(struct borders *borders) {
    for (size_t cell = 0; cell < size_of(borders); cell++)
        borders->cells[cell] = (struct border_cell){{0}};
    borders->apart = (struct border_cell){{0}};
    for (size_t number = 0; number < borders->chained.capacity; number++)
        borders->chained.items[number].next = (uint32_t)number + 1;
    borders->free = 0;
}

bool borders_reserve(struct borders *borders, struct memory *memory, size_t beacons) {
    const size_t before = borders->room;
    if (beacons <= before)
        return true;
    size_t side = LEAST_SIDE;
    while (side * side < beacons * PLACES_PER_BEACON)
        side *= 2;
    if (!array_extend(&borders->chained, memory, beacons * MOST_CELLS) ||
        !array_extend(&borders->at, memory, beacons) ||
        !array_extend(&borders->limits, memory, beacons + 1))
        return false;
    struct border_cell *cells = memory_resize(memory, NULL, 0, side * side, sizeof *cells);
    if (cells == NULL)
        return false;
    memory_resize(memory, borders->cells, size_of(borders), 0, sizeof *borders->cells);
    borders->cells = cells;
    borders->side = (uint32_t)side;
    borders->room = beacons;
    for (size_t beacon = before; beacon < beacons; beacon++)
        borders->at.items[beacon] = (struct border){.radius = 0};
    borders->limits.items[0] = (struct limits){.inner = INFINITY, .outer = INFINITY};
    empty_cells(borders);
    for (uint32_t beacon = 0; beacon < before; beacon++) {
        const struct listing listing = {borders, beacon + 1, true};
        list_border(&listing, &borders->at.items[beacon], &(struct border){.radius = 0});
    }
    return true;
}

/* True when it may be listed as the other one is. */
static bool is_near(const struct border *border, const struct border *other) {
    const double most = MOST_MOVED / BORDERS_PER_CELL;
    return border->radius == other->radius && border->inverse == other->inverse &&
           fabs(border->x - other->x) * border->inverse <= most &&
           fabs(border->y - other->y) * border->inverse <= most;
}

/* Floats round places, distances and their squares by far less than a millionth. Of numbers too
 * large for them nothing is certain. */
static struct limits limits_of(const struct border *border, bool is_round) {
    const double size = fabs(border->x) + fabs(border->y) + border->radius;
    if (!(size < 0x1p60))
        return (struct limits){.outer = INFINITY};
    const double off = size * 0x1p-20 + 0x1p-60;
    const float outer = float_above(border->radius + off);
    const float inner = border->radius > off ? float_below(border->radius - off) : 0;
    return (struct limits){(float)border->x, (float)border->y, is_round ? inner * inner : inner,
                           is_round ? outer * outer : outer};
}

void borders_set(struct borders *borders, uint32_t beacon, const struct border *border) {
    borders->limits.items[beacon + 1] = limits_of(border, borders->is_round);
    const struct border before = borders->at.items[beacon];
    if (is_near(border, &before))
        return;
    struct listing listing = {borders, beacon + 1, false};
    list_border(&listing, &before, border);
    listing.comes = true;
    list_border(&listing, border, &before);
    borders->at.items[beacon] = *border;
}

void borders_free(struct borders *borders, struct memory *memory) {
    memory_resize(memory, borders->cells, size_of(borders), 0, sizeof *borders->cells);
    array_free(&borders->chained, memory);
    array_free(&borders->at, memory);
    array_free(&borders->limits, memory);
    *borders = (struct borders){.is_round = borders->is_round};
}

#ifdef AOI_SELF_CHECK
static bool is_listed(const struct borders *borders, const struct border_cell *cell,
                      uint32_t beacon) {
    const struct chained_border *chained = borders->chained.items;
    for (int i = 0; i < AT_HAND; i++) {
        if (cell->at_hand[i] == beacon + 1)
            return true;
    }
    const uint32_t last = cell->at_hand[AT_HAND - 1];
    uint32_t at = last & IN_CHAIN ? last & ~IN_CHAIN : NOT_CHAINED;
    while (at != NOT_CHAINED && chained[at].place != beacon + 1)
        at = chained[at].next;
    return at != NOT_CHAINED;
}

/* The middles of all four sides are listed. */
void borders_check(const struct borders *borders, uint32_t beacon, const struct border *border) {
    const double cells = border->inverse * BORDERS_PER_CELL, radius = border->radius * cells;
    const xy middle = {border->x * cells, border->y * cells};
    const xy sides[] = {{-radius, 0}, {radius, 0}, {0, -radius}, {0, radius}};
    const struct limits *limits = &borders->limits.items[beacon + 1];
    SELF_CHECK(limits->outer == INFINITY || limits->x == (float)border->x);
    if (is_apart(&borders->at.items[beacon])) {
        SELF_CHECK(is_listed(borders, &borders->apart, beacon));
        return;
    }
    for (int i = 0; i < 4; i++) {
        const border_cells at = border_cells_at(middle + sides[i]);
        SELF_CHECK(is_listed(borders, borders_cell(borders, at[0], at[1]), beacon));
    }
}
#endif
