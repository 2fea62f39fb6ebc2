/* point_rows.c - see point_rows.h. */
#include "point_rows.h"

#include <math.h>
#include <string.h>

#include "vectors.h"

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
/* Looks up the column only once for eight points: who is past it is too far away. */
FOR_AVX2 static inline size_t scan_avx2(const struct point_rows *points, struct run run,
                                        const struct around *around, uint32_t *hits) {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    size_t count = 0;
    for (size_t at = run.from; at < run.to && points->columns[at] <= run.last; at += LANES) {
        __m256 x = _mm256_sub_ps(_mm256_loadu_ps(points->x + at), _mm256_set1_ps(around->x));
        __m256 y = _mm256_sub_ps(_mm256_loadu_ps(points->y + at), _mm256_set1_ps(around->y));
        __m256 distance = _mm256_max_ps(_mm256_andnot_ps(sign, x), _mm256_andnot_ps(sign, y));
        __m256 ring =
            _mm256_and_ps(_mm256_cmp_ps(distance, _mm256_set1_ps(around->outer), _CMP_LE_OQ),
                          _mm256_cmp_ps(distance, _mm256_set1_ps(around->inner), _CMP_GE_OQ));
        size_t left = run.to - at;
        unsigned mask =
            (unsigned)_mm256_movemask_ps(ring) & ((1U << (left < LANES ? left : LANES)) - 1);
        __m256i positions = _mm256_add_epi32(_mm256_set1_epi32((int)(uint32_t)at),
                                             _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        count += store_lanes(hits + count, positions, mask);
    }
    return count;
}
#endif

/* ------------------------------------------------------------------ */
/* Rows and columns                                                    */
/* ------------------------------------------------------------------ */

enum { MOST_PER_AXIS = 1 << 16, COLUMNS_IN_REACH = 8 };

/* Further out than this a float can't follow; nobody is near anybody there by accident. */
static const double farthest_float = 1e30;

static float to_float(double relative) {
    if (relative > farthest_float)
        return (float)farthest_float;
    return relative < -farthest_float ? (float)-farthest_float : (float)relative;
}

/* Ascends with the coordinate; what is outside counts in the first or the last. */
static uint32_t step_of(double relative, double steps_per_unit, uint32_t steps) {
    double step = relative * steps_per_unit;
    if (!(step > 0))
        return 0;
    return step < steps ? (uint32_t)step : steps - 1;
}

static uint32_t row_of(const struct point_rows *points, double y) {
    return step_of(y - points->corner_y, points->rows_per_unit, points->rows);
}

static uint32_t column_of(const struct point_rows *points, double x) {
    return step_of(x - points->corner_x, points->cols_per_unit, points->cols);
}

struct range {
    double low, high;
};

static void widen(struct range *range, double value) {
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

/* axis: 0 for x, 1 for y. */
static double on_axis(const struct spot *spot, int axis) {
    return axis == 0 ? spot->x : spot->y;
}

/* Where most of the values are: the middle three quarters of a sample, and as much again on both
 * sides, as far as there are any. */
static struct range usual_range(const struct spot *spots, size_t count, int axis,
                                struct range all) {
    enum { SAMPLE = 64 };
    double sample[SAMPLE] = {0};
    size_t taken = count < SAMPLE ? count : SAMPLE;
    for (size_t i = 0; i < taken; i++) {
        double value = on_axis(&spots[i * (count / taken)], axis);
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

/* What may be lost of a difference at this coordinate: by rounding to double, and, relative to
 * the corner, to float. */
static double rounding(double coordinate, double relative, double reach) {
    return fabs(coordinate) * 0x1p-49 + (fabs(relative) + reach) * 0x1p-21;
}

/* The same for both axes of a point given relative to the corner. */
static double slip_at(const struct point_rows *points, double x, double y, double reach) {
    double slip_x = rounding(x + points->corner_x, x, reach);
    double slip_y = rounding(y + points->corner_y, y, reach);
    return slip_x > slip_y ? slip_x : slip_y;
}

static bool reserve(struct point_rows *points, struct memory *memory, size_t count) {
    if (count <= points->capacity)
        return true;
    size_t capacity = memory_next_capacity(points->capacity, count);
    if (capacity == 0 || capacity >= UINT32_MAX - LANES)
        return false;
    point_rows_free(points, memory); /* nothing of it is kept from one tick to the next */
    points->x = memory_resize(memory, NULL, 0, capacity + LANES, sizeof(float));
    points->y = memory_resize(memory, NULL, 0, capacity + LANES, sizeof(float));
    points->columns = memory_resize(memory, NULL, 0, capacity, sizeof(uint32_t));
    points->keys = memory_resize(memory, NULL, 0, capacity, sizeof(struct spot_key));
    points->spare = memory_resize(memory, NULL, 0, capacity, sizeof(struct spot_key));
    points->capacity = capacity;
    if (points->x != NULL && points->y != NULL && points->columns != NULL && points->keys != NULL &&
        points->spare != NULL)
        return true;
    point_rows_free(points, memory);
    return false;
}

static bool reserve_rows(struct point_rows *points, struct memory *memory) {
    size_t needed = (size_t)points->rows + 1;
    if (needed <= points->row_capacity)
        return true;
    uint32_t *starts =
        memory_resize(memory, points->row_starts, points->row_capacity, needed, sizeof(uint32_t));
    if (starts == NULL)
        return false;
    points->row_starts = starts;
    points->row_capacity = needed;
    return true;
}

void point_rows_free(struct point_rows *points, struct memory *memory) {
    if (points->x != NULL)
        memory_resize(memory, points->x, points->capacity + LANES, 0, sizeof(float));
    if (points->y != NULL)
        memory_resize(memory, points->y, points->capacity + LANES, 0, sizeof(float));
    memory_resize(memory, points->columns, points->capacity, 0, sizeof(uint32_t));
    memory_resize(memory, points->keys, points->capacity, 0, sizeof(struct spot_key));
    memory_resize(memory, points->spare, points->capacity, 0, sizeof(struct spot_key));
    memory_resize(memory, points->row_starts, points->row_capacity, 0, sizeof(uint32_t));
    struct point_rows empty = {.find_pairs = points->find_pairs, .scan = points->scan};
    *points = empty;
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

bool point_rows_build(struct point_rows *points, struct memory *memory, const struct spot *spots,
                      size_t count, double reach) {
    points->count = count;
    if (count == 0)
        return true;
    if (!reserve(points, memory, count))
        return false;
    points->count = count;
    struct range x = {INFINITY, -INFINITY}, y = x;
    for (size_t i = 0; i < count; i++) {
        widen(&x, spots[i].x);
        widen(&y, spots[i].y);
    }
    x = usual_range(spots, count, 0, x);
    y = usual_range(spots, count, 1, y);
    points->corner_x = x.low;
    points->corner_y = y.low;
    double wide = rounding(fmax(fabs(x.low), fabs(x.high)), x.high - x.low, reach);
    double high = rounding(fmax(fabs(y.low), fabs(y.high)), y.high - y.low, reach);
    points->rows = steps_of(y, reach + high, count, &points->rows_per_unit);
    points->cols = steps_of(x, (reach + wide) / COLUMNS_IN_REACH, count, &points->cols_per_unit);
    points->slip = fmax(wide, high);
    points->extent = to_float(fmax(x.high - x.low, y.high - y.low));
    if (!reserve_rows(points, memory))
        return false;
    unsigned column_bits = bits_of(points->cols), row_bits = bits_of(points->rows);
    for (size_t i = 0; i < count; i++) {
        uint32_t row = row_of(points, spots[i].y), column = column_of(points, spots[i].x);
        points->keys[i] =
            (struct spot_key){(uint32_t)((uint64_t)row << column_bits) | column, (uint32_t)i};
    }
    sort_keys(points, column_bits + row_bits);
    uint32_t row = 0;
    points->row_starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spot *spot = &spots[points->keys[i].index];
        uint32_t key = points->keys[i].key;
        points->x[i] = to_float(spot->x - points->corner_x);
        points->y[i] = to_float(spot->y - points->corner_y);
        points->columns[i] = key & (uint32_t)(((uint64_t)1 << column_bits) - 1);
        uint32_t own_row = (uint32_t)((uint64_t)key >> column_bits);
        while (row < own_row)
            points->row_starts[++row] = (uint32_t)i;
    }
    while (row < points->rows)
        points->row_starts[++row] = (uint32_t)count;
    for (size_t i = count; i < count + LANES; i++)
        points->x[i] = points->y[i] = 0; /* read, never used */
    return true;
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* What rounding may take is added outside and inside. */
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
    const uint32_t *columns = points->columns, *starts = points->row_starts;
    const size_t count = points->count;
    /* From a point's own column: its coordinate as a float may be cut. */
    const double steps = (outer + points->slip) * points->cols_per_unit + 2;
    const uint32_t span = steps < points->cols ? (uint32_t)steps : points->cols;
    const struct around usual = around_point(points->extent, 0, outer, inner, points->slip);
    size_t position = walk->position, found = 0;
    uint32_t row = walk->row;
    size_t next_begin = walk->next_begin;
    for (; position < count && found < enough; position++) {
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
        for (size_t at = before; at < found; at++)
            firsts[at] = (uint32_t)position;
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

size_t point_rows_pairs(const struct point_rows *points, struct row_walk *walk, double outer,
                        double inner, size_t enough, uint32_t *firsts, uint32_t *seconds) {
    return points->find_pairs(points, walk, outer, inner, enough, firsts, seconds);
}

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
    const float from_x = to_float(x - points->corner_x), from_y = to_float(y - points->corner_y);
    const double slip = slip_at(points, (double)from_x, (double)from_y, outer) +
                        (fabs(x) + fabs(y)) * 0x1p-49; /* the floats may be cut */
    const struct around around = around_point(from_x, from_y, outer, inner, slip);
    uint32_t first = column_of(points, x - outer - slip);
    uint32_t last = column_of(points, x + outer + slip);
    uint32_t top = row_of(points, y + outer + slip);
    size_t found = 0;
    for (uint32_t row = row_of(points, y - outer - slip); row <= top; row++) {
        size_t row_end = points->row_starts[row + 1];
        size_t begin = first_in_column(points, points->row_starts[row], row_end, first);
        found += points->scan(points, (struct run){begin, row_end, last}, &around, hits + found);
    }
    return found;
}
