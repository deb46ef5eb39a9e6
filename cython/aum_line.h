/* Loops over the examples a_i + eta b_i of one class, for a line search of the AUM at one step.
 * aum_fold.h has the loops for two steps, aum_contact.h those for the tangent at a step.
 *
 * Loops that decide the speed are built for several machines (clones.h). Each loop ends and stays
 * in bounds for any floats. A NaN is neither above c, nor below c, nor equal to c.
 */
#ifndef AUCBENCH_AUM_LINE_H
#define AUCBENCH_AUM_LINE_H

#include "clones.h"
#include "dense.h"
#include "keys.h"
#include "twice.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { AUCBENCH_CHUNK = 512 }; /* terms of a partial sum: less rounding */

/* The number of some examples, and their sums of b, of |b|, and of a (or of distances to c). */
typedef struct {
    ptrdiff_t count;
    double a, b, mass;
} aucbench_sums;

/* p / q as IEEE defines it: for parallel lines it is infinite or NaN, and comparisons handle it. */
static double aucbench_over(double p, double q)
{
    return p / q;
}

/* Position of draw i of q among m: one in each of q equal stretches, hashed against periods. */
static ptrdiff_t aucbench_place(ptrdiff_t i, ptrdiff_t m, ptrdiff_t q)
{
    int64_t from = (int64_t)i * m / q, to = (int64_t)(i + 1) * m / q;
    return (ptrdiff_t)(from + (uint32_t)(i + 1) * 2654435769u % (uint64_t)(to - from));
}

/* Copy the scores and minus the direction, shifted and scaled, positives first. */
static void aucbench_pack(ptrdiff_t n, ptrdiff_t n_pos, const double *scores,
                          const double *direction, const signed char *y, const double *shift,
                          const double *scale, double *a, double *b)
{
    ptrdiff_t pos = 0, neg = n_pos;
    for (ptrdiff_t i = 0; i < n; i++) {
        int is = y[i] > 0;
        ptrdiff_t at = is ? pos : neg;
        a[at] = (scores[i] - shift[0]) * scale[0];
        b[at] = (shift[1] - direction[i]) * scale[1];
        pos += is;
        neg += 1 - is;
    }
}

/* out = a + eta b. Scores are rounded only here, so that all passes agree on ties. No clones: with
 * AVX-512 the last entries of an array may be fused, that is, rounded differently. Then an
 * example could change its place when other examples are dropped.
 */
static void aucbench_keys(ptrdiff_t m, const double *a, const double *b, double eta, double *out)
{
    for (ptrdiff_t i = 0; i < m; i++)
        out[i] = a[i] + eta * b[i];
}

/* The numbers of x > hi, x >= hi, x > lo and x >= lo. */
AUCBENCH_CLONED(void, aucbench_ranked,
                (ptrdiff_t m, const double *x, double lo, double hi, ptrdiff_t *number),
                (m, x, lo, hi, number))
{
    int64_t above = 0, from = 0, over = 0, reach = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        above += x[i] > hi;
        from += x[i] >= hi;
        over += x[i] > lo;
        reach += x[i] >= lo;
    }
    number[0] = above;
    number[1] = from;
    number[2] = over;
    number[3] = reach;
}

/* Bit j: lo <= x[j] <= hi, for j < min(left, 64). The loop with the constant 64 is unrolled by the
 * compiler. */
AUCBENCH_INLINE uint64_t aucbench_word_between(
    const double *x, ptrdiff_t left, double lo, double hi)
{
    uint64_t word = 0;
    if (left >= 64) {
        for (int j = 0; j < 64; j++)
            word |= ((x[j] >= lo) & (x[j] <= hi)) ? AUCBENCH_BIT[j] : 0;
        return word;
    }
    for (int j = 0; j < left; j++)
        word |= ((x[j] >= lo) & (x[j] <= hi)) ? AUCBENCH_BIT[j] : 0;
    return word;
}

/* Keep those with lo <= x <= hi, in their order; out may be x. Returns their number. */
AUCBENCH_CLONED(ptrdiff_t, aucbench_keep,
                (ptrdiff_t m, const double *x, double lo, double hi, double *out),
                (m, x, lo, hi, out))
{
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < m; i += 64) {
        uint64_t word = aucbench_word_between(x + i, m - i, lo, hi);
        for (; word; word &= word - 1)
            out[k++] = x[i + aucbench_lowest_bit(word)];
    }
    return k;
}

/* Keep sign b of those with key = c. Returns their number. */
static ptrdiff_t aucbench_tied(ptrdiff_t m, const double *key, const double *b, double c,
                               double sign, double *out)
{
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        out[k] = sign * b[i];
        k += key[i] == c;
    }
    return k;
}

/* aucbench_sums while they are added up, and how many examples have z = 0. */
typedef struct {
    ptrdiff_t count, ties;
    aucbench_twice a, b, mass;
} aucbench_one_side;

#define AUCBENCH_LOOPS "aum_line_loops.h"
#include "each_width.h"

/* Sums over the examples with z = sign (key - c) > 0; a is the sum of z. Returns how many have
 * z = 0. */
AUCBENCH_CLONED(ptrdiff_t, aucbench_side,
                (ptrdiff_t m, const double *key, const double *b, double c, double sign,
                 aucbench_sums *out), (m, key, b, c, sign, out))
{
    aucbench_one_side to = {0};
    ptrdiff_t i = 0, end;
    for (; i + 8 <= m; i = end) {
        end = m - i > AUCBENCH_CHUNK ? i + AUCBENCH_CHUNK : i + (m - i) / 8 * 8;
        AUCBENCH_BY_WIDTH(aucbench_side_, i, end, key, b, c, sign, &to);
    }
    for (; i < m; i++) {
        const double z = sign * (key[i] - c);
        to.ties += z == 0.0;
        if (z > 0.0) {
            to.count++;
            aucbench_include(&to.a, z);
            aucbench_include(&to.b, b[i]);
            aucbench_include(&to.mass, fabs(b[i]));
        }
    }
    *out = (aucbench_sums){
        to.count, aucbench_once(to.a), aucbench_once(to.b), aucbench_once(to.mass)};
    return to.ties;
}

/* Add to b, |b| and count those with key = c and side (b - slope) > 0 */
static void aucbench_tied_side(ptrdiff_t m, const double *key, const double *b, double c,
                               double side, double slope, aucbench_sums *to)
{
    for (ptrdiff_t i = 0; i < m; i++)
        if (key[i] == c && side * (b[i] - slope) > 0.0) {
            to->count++;
            to->b += b[i];
            to->mass += fabs(b[i]);
        }
}

/* Mean distance to the pivot's line at eta of negatives above it, plus that of positives below. */
static double aucbench_area(ptrdiff_t n, ptrdiff_t n_pos, const double *scores,
                            const double *direction, const signed char *y, const double *shift,
                            const double *scale, const double *pivot, double eta)
{
    aucbench_twice sum[2] = {{0, 0}, {0, 0}};
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t end = n - i > AUCBENCH_CHUNK ? i + AUCBENCH_CHUNK : n;
        double below = 0, above = 0;
        for (; i < end; i++) {
            double z = ((scores[i] - shift[0]) * scale[0] - pivot[0])
                       + eta * ((shift[1] - direction[i]) * scale[1] - pivot[1]);
            below += ((y[i] > 0) & (z < 0.0)) ? -z : 0.0;
            above += ((y[i] <= 0) & (z > 0.0)) ? z : 0.0;
        }
        aucbench_include(&sum[0], below);
        aucbench_include(&sum[1], above);
    }
    return aucbench_once(sum[0]) / n_pos + aucbench_once(sum[1]) / (n - n_pos);
}

/* Sort a few values with their weights, descending: Shell's sort, which needs no memory. */
static void aucbench_sort(int m, double *x, long long *w)
{
    static const int GAPS[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (int g = 0; g < 8; g++)
        for (int gap = GAPS[g], i = gap; i < m; i++) {
            double v = x[i];
            long long u = w[i];
            int j = i;
            for (; j >= gap && x[j - gap] < v; j -= gap) {
                x[j] = x[j - gap];
                w[j] = w[j - gap];
            }
            x[j] = v;
            w[j] = u;
        }
}

#endif
