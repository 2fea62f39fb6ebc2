/*
 * orientation.c - the sign of a determinant: rounded where that is certain,
 * else exact.
 *
 * The method is that of J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
 * Robust Geometric Predicates" (Discrete & Computational Geometry 18, 1997): rounded arithmetic
 * with a bound on its error decides nearly always; otherwise the determinant is computed without
 * error, as an expansion, a sum of doubles that do not overlap. There are no stages between the
 * two: points so near a line are few.
 */
#include "shape/orientation.h"

#include <math.h>

/* Half a unit in the last place of 1. */
#define EPSILON 0x1p-53
/* The largest error of the rounded determinant, as a share of the sizes of its products: bound A of
 * orient2d in the article. */
#define ERROR_BOUND ((3.0 + 16.0 * EPSILON) * EPSILON)

/* high + low is exactly what the operation gives; high is it rounded. */
struct two {
    double high, low;
};

static struct two two_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a, of_a = sum - of_b;
    return (struct two){sum, (a - of_a) + (b - of_b)};
}

/* Into halves of 26 bits, whose products are exact. */
static struct two split(double a) {
    const double c = 0x1.0p27 * a + a, high = c - (c - a);
    return (struct two){high, a - high};
}

static struct two two_product(double a, double b) {
    const double product = a * b;
    const struct two of_a = split(a), of_b = split(b);
    const double error =
        ((product - of_a.high * of_b.high) - of_a.low * of_b.high) - of_a.high * of_b.low;
    return (struct two){product, of_a.low * of_b.low - error};
}

/* A sum of doubles that do not overlap, the least first; its last one that is not 0 has its sign.
 */
struct expansion {
    double parts[16];
    int count;
};

static void expansion_add(struct expansion *sum, double number) {
    for (int i = 0; i < sum->count; i++) {
        const struct two two = two_sum(number, sum->parts[i]);
        sum->parts[i] = two.low;
        number = two.high;
    }
    sum->parts[sum->count++] = number;
}

/* Adds the product of two numbers that are sums themselves, with this sign. */
static void add_product(struct expansion *sum, struct two a, struct two b, double sign) {
    const double of_a[] = {a.low, a.high}, of_b[] = {b.low, b.high};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            const struct two product = two_product(of_a[i], sign * of_b[k]);
            expansion_add(sum, product.low);
            expansion_add(sum, product.high);
        }
    }
}

static int sign_of(double number) {
    return (number > 0) - (number < 0);
}

static int exact_orientation(struct corner a, struct corner b, struct corner p) {
    struct expansion sum = {.count = 0};
    add_product(&sum, two_sum(b.x, -a.x), two_sum(p.y, -a.y), 1);
    add_product(&sum, two_sum(b.y, -a.y), two_sum(p.x, -a.x), -1);
    int sign = 0;
    for (int i = 0; i < sum.count && sum.count > 0; i++) {
        if (sum.parts[i] != 0)
            sign = sign_of(sum.parts[i]);
    }
    return sign;
}

int orientation(struct corner a, struct corner b, struct corner p) {
    const double left = (b.x - a.x) * (p.y - a.y), right = (b.y - a.y) * (p.x - a.x);
    const double determinant = left - right;
    const double bound = ERROR_BOUND * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound)
        return sign_of(determinant);
    return exact_orientation(a, b, p);
}
