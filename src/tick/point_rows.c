/* point_rows.c - points sorted into rows, and searched in several at once. */
#include "tick/point_rows.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"

/* ------------------------------------------------------------------ */
/* Scanning a run of points                                            */
/* ------------------------------------------------------------------ */

enum { LANES = 8 };

static inline size_t scan_plainly(const struct point_rows *points, struct run run,
                                  const struct around *around, uint32_t *hits) {
    size_t count = 0;
    for (size_t at = run.from; at < run.to && points->columns[at] <= run.last; at++) {
        float x = fabsf(points->x[at] - around->x), y = fabsf(points->y[at] - around->y);
        float distance = x > y ? x : y;
        hits[count] = (uint32_t)at;
        count += (size_t)((distance <= around->outer) & (distance >= around->inner));
    }
    return count;
}

#ifdef HAVE_VECTORS
/* Appends those of the points at..at + 7 that are around the point, and before `to`. */
FOR_AVX2 static inline size_t scan_eight(const struct point_rows *points, size_t at, size_t to,
                                         const struct around *around, uint32_t *hits) {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    __m256 x = _mm256_sub_ps(_mm256_loadu_ps(points->x + at), _mm256_set1_ps(around->x));
    __m256 y = _mm256_sub_ps(_mm256_loadu_ps(points->y + at), _mm256_set1_ps(around->y));
    __m256 distance = _mm256_max_ps(_mm256_andnot_ps(sign, x), _mm256_andnot_ps(sign, y));
    __m256 ring = _mm256_and_ps(_mm256_cmp_ps(distance, _mm256_set1_ps(around->outer), _CMP_LE_OQ),
                                _mm256_cmp_ps(distance, _mm256_set1_ps(around->inner), _CMP_GE_OQ));
    const unsigned left = to - at < LANES ? (unsigned)(to - at) : LANES;
    unsigned mask = _bzhi_u32((unsigned)_mm256_movemask_ps(ring), left);
    __m256i positions = _mm256_add_epi32(_mm256_set1_epi32((int)(uint32_t)at),
                                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return store_lanes(hits, positions, mask);
}

/* Looks up the column only once for eight points: who is past it is too far away. The first eight
 * are compared in any case: how many there are can't be foreseen. */
FOR_AVX2 static inline size_t scan_avx2(const struct point_rows *points, struct run run,
                                        const struct around *around, uint32_t *hits) {
    size_t count = 0, at = run.from;
    do {
        count += scan_eight(points, at, run.to, around, hits + count);
        at += LANES;
    } while (at < run.to && points->columns[at] <= run.last);
    return count;
}
#endif

/* ------------------------------------------------------------------ */
/* Rows and columns                                                    */
/* ------------------------------------------------------------------ */

enum { MOST_PER_AXIS = 1 << 16, COLUMNS_IN_REACH = 8 };

/* Further out than this a float can't follow; nobody is near anybody there by accident. */
static const double farthest_float = 1e30;

static xy place_of_spot(const struct spot *spot) {
    return (xy){spot->x, spot->y};
}

static xy cut(xy relative) {
    return xy_lesser(xy_greater(relative, xy_of(-farthest_float)), xy_of(farthest_float));
}

struct row_column {
    uint32_t column, row;
};

/* Ascends with the coordinates; what is outside counts in the first or the last. */
static inline struct row_column row_column_at(const struct point_rows *points, xy place) {
    const xy steps = (place - points->corner) * points->per_unit;
    const xy last = {points->cols - 1, points->rows - 1};
    struct row_column found;
    xy_truncate(xy_lesser(xy_greater(steps, xy_of(0)), last), &found.column, &found.row);
    return found;
}

struct range {
    double low, high;
};

/* Where most of the values on an axis (0: x, 1: y) are: the middle three quarters of a sample, and
 * as much again on both sides, as far as there are any. */
static struct range usual_range(const struct spot *spots, size_t count, int axis,
                                struct range all) {
    enum { SAMPLE = 64 };
    double sample[SAMPLE] = {0};
    size_t taken = count < SAMPLE ? count : SAMPLE;
    for (size_t i = 0; i < taken; i++) {
        double value = place_of_spot(&spots[i * (count / taken)])[axis];
        size_t at = i;
        for (; at > 0 && sample[at - 1] > value; at--)
            sample[at] = sample[at - 1];
        sample[at] = value;
    }
    double first = sample[taken / 8], last = sample[taken - 1 - taken / 8];
    double span = last - first;
    return (struct range){fmax(all.low, first - span), fmin(all.high, last + span)};
}

/* How many steps of at least `size` cover the range; sets how many fit into one unit. */
static uint32_t steps_of(struct range range, double size, size_t most, double *steps_per_unit) {
    double span = range.high - range.low;
    double step = fmax(size, span / (double)(most < MOST_PER_AXIS ? most : MOST_PER_AXIS - 1));
    *steps_per_unit = 1 / step;
    if (isfinite(span) && isnormal(*steps_per_unit))
        return (uint32_t)(span / step) + 1;
    *steps_per_unit = 0;
    return 1;
}

/* The most that a difference at this coordinate may lose: by rounding to double, and, relative to
 * the corner, to float, whose least distance is 2^-149. */
static double rounding(double coordinate, double relative, double reach) {
    return fabs(coordinate) * 0x1p-49 + (fabs(relative) + reach) * 0x1p-21 + 0x1p-147;
}

/* The loss on both axes of a point given relative to the corner. */
static double slip_at(const struct point_rows *points, double x, double y, double reach) {
    double slip_x = rounding(x + points->corner[0], x, reach);
    double slip_y = rounding(y + points->corner[1], y, reach);
    return slip_x > slip_y ? slip_x : slip_y;
}

/* Of all rows that there may be, one has so many points at least. */
enum { LEAST_A_ROW = 8 };

bool point_rows_reserve(struct point_rows *points, struct pool *pool, size_t count) {
    points->count = count;
    if (count >= UINT32_MAX - LANES)
        return false;
    const size_t room = count + LANES;
    points->columns = pool_take(pool, room, sizeof *points->columns);
    points->keys = pool_take(pool, room, sizeof *points->keys);
    points->spare = pool_take(pool, room, sizeof *points->spare);
    points->row_starts = pool_take(pool, count / LEAST_A_ROW + 3, sizeof *points->row_starts);
    return points->columns != NULL && points->keys != NULL && points->spare != NULL &&
           points->row_starts != NULL;
}

static unsigned bits_of(uint32_t count) {
    unsigned bits = 0;
    while (bits < 32 && count > (uint64_t)1 << bits)
        bits++;
    return bits;
}

/* Sorts the keys by their lowest `bits` bits: a stable radix sort with few, wide digits. */
static void sort_keys(struct point_rows *points, unsigned bits) {
    enum { WIDEST = 11 };
    unsigned passes = (bits + WIDEST - 1) / WIDEST;
    for (unsigned pass = 0; pass < passes; pass++) {
        unsigned width = (bits + passes - 1) / passes, shift = pass * width;
        uint32_t starts[1 << WIDEST] = {0}, mask = (1U << width) - 1, sum = 0;
        for (size_t i = 0; i < points->count; i++)
            starts[(points->keys[i].key >> shift) & mask]++;
        for (uint32_t digit = 0; digit <= mask; digit++) {
            uint32_t here = starts[digit];
            starts[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < points->count; i++)
            points->spare[starts[(points->keys[i].key >> shift) & mask]++] = points->keys[i];
        struct spot_key *sorted = points->spare;
        points->spare = points->keys;
        points->keys = sorted;
    }
}

/* Finds the rows and columns that cover the spots. */
static void lay_out(struct point_rows *points, const struct spot *spots, double reach) {
    const size_t count = points->count;
    xy least = xy_of(INFINITY), most = xy_of(-INFINITY);
    for (size_t i = 0; i < count; i++) {
        least = xy_lesser(place_of_spot(&spots[i]), least);
        most = xy_greater(place_of_spot(&spots[i]), most);
    }
    const struct range x = usual_range(spots, count, 0, (struct range){least[0], most[0]});
    const struct range y = usual_range(spots, count, 1, (struct range){least[1], most[1]});
    points->corner = (xy){x.low, y.low};
    double wide = rounding(fmax(fabs(x.low), fabs(x.high)), x.high - x.low, reach);
    double high = rounding(fmax(fabs(y.low), fabs(y.high)), y.high - y.low, reach);
    double rows_per_unit, columns_per_unit;
    points->rows = steps_of(y, reach + high, count / LEAST_A_ROW + 1, &rows_per_unit);
    points->cols = steps_of(x, (reach + wide) / (double)COLUMNS_IN_REACH, count, &columns_per_unit);
    points->per_unit = (xy){columns_per_unit, rows_per_unit};
    points->slip = fmax(wide, high);
    points->extent = (float)fmin(fmax(x.high - x.low, y.high - y.low), farthest_float);
}

/* Fills in what searches read, in the order of the keys. */
static void fill_rows(struct point_rows *points, const struct spot *spots, unsigned column_bits) {
    const size_t count = points->count;
    points->x = (float *)(void *)points->spare;
    points->y = points->x + count + LANES;
    uint32_t row = 0;
    points->row_starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const xy relative = cut(place_of_spot(&spots[points->keys[i].index]) - points->corner);
        uint32_t key = points->keys[i].key;
        points->x[i] = (float)relative[0];
        points->y[i] = (float)relative[1];
        points->columns[i] = (uint16_t)(key & (uint32_t)(((uint64_t)1 << column_bits) - 1));
        uint32_t own_row = (uint32_t)((uint64_t)key >> column_bits);
        while (row < own_row)
            points->row_starts[++row] = (uint32_t)i;
    }
    while (row < points->rows)
        points->row_starts[++row] = (uint32_t)count;
    for (size_t i = count; i < count + LANES; i++)
        points->x[i] = points->y[i] = 0; /* read, never used */
    points->most_near = 0;
    for (row = 0; row < points->rows; row++) {
        const uint32_t end = row + 2 < points->rows ? row + 2 : points->rows;
        const size_t near = points->row_starts[end] - points->row_starts[row];
        points->most_near = near > points->most_near ? near : points->most_near;
    }
}

void point_rows_build(struct point_rows *points, const struct spot *spots, double reach) {
    points->most_near = 0;
    if (points->count == 0)
        return;
    lay_out(points, spots, reach);
    unsigned column_bits = bits_of(points->cols), row_bits = bits_of(points->rows);
    for (size_t i = 0; i < points->count; i++) {
        const struct row_column at = row_column_at(points, place_of_spot(&spots[i]));
        points->keys[i] =
            (struct spot_key){(uint32_t)((uint64_t)at.row << column_bits) | at.column, (uint32_t)i};
    }
    sort_keys(points, column_bits + row_bits);
    fill_rows(points, spots, column_bits);
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* The most that rounding may take is added outside and inside. */
static struct around around_point(float x, float y, double outer, double inner, double slip) {
    /* Where coordinates had to be cut to fit a float, points that look near may be far apart. */
    const float far_out = (float)(farthest_float / 2);
    if (inner > farthest_float / 8 || fabsf(x) > far_out || fabsf(y) > far_out)
        inner = -1;
    return (struct around){x, y, (float)(outer + slip), (float)(inner - slip)};
}

static inline __attribute__((always_inline)) size_t
walk_pairs(const struct point_rows *points, struct row_walk *walk, double outer, double inner,
           size_t enough, uint32_t *firsts, uint32_t *seconds, run_scanner scan) {
    const uint16_t *columns = points->columns;
    const uint32_t *starts = points->row_starts;
    const size_t stop =
        points->count - walk->position > enough ? walk->position + enough : points->count;
    /* From a point's own column: its coordinate as a float may be cut. */
    const double steps = (outer + points->slip) * points->per_unit[0] + 2;
    const uint32_t span = steps < points->cols ? (uint32_t)steps : points->cols;
    const struct around usual = around_point(points->extent, 0, outer, inner, points->slip);
    size_t position = walk->position, found = 0;
    uint32_t row = walk->row;
    size_t next_begin = walk->next_begin;
    for (; position < stop && found < enough; position++) {
        if (position == 0 || position == starts[row + 1]) {
            while (position >= starts[row + 1])
                row++;
            next_begin = starts[row + 1];
        }
        const size_t row_end = starts[row + 1];
        const size_t next_end = row + 1 < points->rows ? starts[row + 2] : row_end;
        const uint32_t column = columns[position], last = column + span;
        const uint32_t first = column > span ? column - span : 0;
        /* In big steps, which a processor foresees: it may begin early, not late. */
        while (next_begin + LANES <= next_end && columns[next_begin + LANES - 1] < first)
            next_begin += LANES;
        float x = points->x[position], y = points->y[position];
        struct around around = {x, y, usual.outer, usual.inner};
        if (fabsf(x) > points->extent || fabsf(y) > points->extent)
            around = around_point(x, y, outer, inner, slip_at(points, (double)x, (double)y, outer));
        size_t before = found;
        found += scan(points, (struct run){position + 1, row_end, last}, &around, seconds + found);
        found += scan(points, (struct run){next_begin, next_end, last}, &around, seconds + found);
        /* Eight in any case, mostly all: no branch that can't be foreseen. */
        size_t at = before;
        do {
            for (size_t lane = 0; lane < LANES; lane++)
                firsts[at + lane] = (uint32_t)position;
            at += LANES;
        } while (at < found);
    }
    *walk = (struct row_walk){position, row, next_begin};
    return found;
}

static size_t pairs_plainly(const struct point_rows *points, struct row_walk *walk, double outer,
                            double inner, size_t enough, uint32_t *firsts, uint32_t *seconds) {
    return walk_pairs(points, walk, outer, inner, enough, firsts, seconds, scan_plainly);
}

#ifdef HAVE_VECTORS
FOR_AVX2 static size_t pairs_avx2(const struct point_rows *points, struct row_walk *walk,
                                  double outer, double inner, size_t enough, uint32_t *firsts,
                                  uint32_t *seconds) {
    return walk_pairs(points, walk, outer, inner, enough, firsts, seconds, scan_avx2);
}
#endif

void point_rows_init(struct point_rows *points) {
    memset(points, 0, sizeof *points);
    points->find_pairs = pairs_plainly;
    points->scan = scan_plainly;
#ifdef HAVE_VECTORS
    if (has_avx2()) {
        points->find_pairs = pairs_avx2;
        points->scan = scan_avx2;
    }
#endif
}

/* The first position in begin..end - 1 whose column is at least `column`; end if there is none. */
static size_t first_in_column(const struct point_rows *points, size_t begin, size_t end,
                              uint32_t column) {
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (points->columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

size_t point_rows_around(const struct point_rows *points, double x, double y, double outer,
                         double inner, uint32_t *hits) {
    if (points->count == 0)
        return 0;
    const xy place = {x, y}, relative = cut(place - points->corner);
    const float from_x = (float)relative[0], from_y = (float)relative[1];
    const double slip = slip_at(points, (double)from_x, (double)from_y, outer) +
                        (fabs(x) + fabs(y)) * 0x1p-49; /* the floats may be cut */
    const struct around around = around_point(from_x, from_y, outer, inner, slip);
    const xy reach = xy_of(outer + slip);
    const struct row_column low = row_column_at(points, place - reach);
    const struct row_column high = row_column_at(points, place + reach);
    size_t found = 0;
    for (uint32_t row = low.row; row <= high.row; row++) {
        size_t row_end = points->row_starts[row + 1];
        size_t begin = first_in_column(points, points->row_starts[row], row_end, low.column);
        found +=
            points->scan(points, (struct run){begin, row_end, high.column}, &around, hits + found);
    }
    return found;
}
