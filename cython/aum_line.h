/* Loops over the examples a_i + eta b_i of one class, for a line search of the AUM: at one step,
 * at two steps (folding), and for the tangent at a step (contact).
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

/* ---- folding: examples that stay on one side of c between two steps ------------------- */

/* out = larger (smaller) of the distances to c at two steps, lo[0] = eta, lo[1] = c */
AUCBENCH_CLONED(void, aucbench_reach,
                (ptrdiff_t m, const double *a, const double *b, const double *lo, const double *hi,
                 int larger, double *out), (m, a, b, lo, hi, larger, out))
{
    double sign = larger ? 1.0 : -1.0;
    for (ptrdiff_t i = 0; i < m; i++) {
        double p = sign * (a[i] + lo[0] * b[i] - lo[1]), q = sign * (a[i] + hi[0] * b[i] - hi[1]);
        out[i] = sign * (p > q ? p : q);
    }
}

/* Drop the examples that stay on one side of c between two steps; keep the others in their order.
 *
 * An example is dropped if both its distances to c are > hi, or both are < lo. `above` counts
 * those > hi. `sums` adds up those > hi if `counts_above`, else those < lo. Returns how many are
 * kept.
 */
static ptrdiff_t aucbench_settle(ptrdiff_t m, double *a, double *b, const double *from,
                                 const double *to, double lo, double hi, int counts_above,
                                 ptrdiff_t *above, aucbench_sums *sums)
{
    aucbench_twice a_sum = {sums->a, 0}, b_sum = {sums->b, 0}, mass = {sums->mass, 0};
    ptrdiff_t k = 0, i = 0, n_above = 0, n_below = 0;
    while (i < m) {
        ptrdiff_t end = m - i > AUCBENCH_CHUNK ? i + AUCBENCH_CHUNK : m;
        double ta = 0, tb = 0, tm = 0;
        for (; i < end; i++) {
            double x = a[i], v = b[i];
            double p = x + from[0] * v - from[1], q = x + to[0] * v - to[1];
            int over = (p > hi) & (q > hi), under = (p < lo) & (q < lo);
            int counted = counts_above ? over : under;
            a[k] = x;
            b[k] = v;
            k += !(over | under);
            n_above += over;
            n_below += under;
            ta += counted ? x : 0.0;
            tb += counted ? v : 0.0;
            tm += counted ? fabs(v) : 0.0;
        }
        aucbench_include(&a_sum, ta);
        aucbench_include(&b_sum, tb);
        aucbench_include(&mass, tm);
    }
    sums->count += counts_above ? n_above : n_below;
    sums->a = aucbench_once(a_sum);
    sums->b = aucbench_once(b_sum);
    sums->mass = aucbench_once(mass);
    *above += n_above;
    return k;
}

/* ---- contact: how far the tangent at a step touches ------------------------------------- */

/* An extreme example at some eta: its value relative to a pivot, and its line. */
typedef struct {
    double value, a, b;
} aucbench_extreme;

/* Count the examples above and level with (c, slope), in the order of (key, side b), descending.
 *
 * key becomes 1 above, 0 level, -1 below. pivot[0] becomes a of an example that is level.
 */
static void aucbench_level(ptrdiff_t m, double *key, const double *a, const double *b, double c,
                           double side, double slope, ptrdiff_t *above, ptrdiff_t *level,
                           double *pivot)
{
    ptrdiff_t over = 0, equal = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        double z = key[i] == c ? side * (b[i] - slope) : key[i] - c;
        over += z > 0.0;
        equal += z == 0.0;
        *pivot = z == 0.0 ? a[i] : *pivot;
        key[i] = (z > 0.0) - (z < 0.0);
    }
    *above = over;
    *level = equal;
}

/* Replace `to` by the lowest example, times side, at step t of those with place = side. */
AUCBENCH_CLONED(void, aucbench_extreme_of,
                (ptrdiff_t m, const double *place, const double *a, const double *b, double side,
                 const double *pivot, double t, aucbench_extreme *to),
                (m, place, a, b, side, pivot, t, to))
{
    ptrdiff_t best = -1, i = 0, end;
    double least = side * to->value;
    for (; i < m; i = end) {
        end = m - i > AUCBENCH_CHUNK ? i + AUCBENCH_CHUNK : m;
        const double here =
            AUCBENCH_BY_WIDTH(aucbench_lowest_, i, end, place, a, b, side, pivot, t);
        if (here < least) {
            least = here;
            best = i;
        }
    }
    if (best < 0)
        return;
    for (i = best; i < m && i < best + AUCBENCH_CHUNK; i++) {
        double v = (a[i] - pivot[0]) + t * (b[i] - pivot[1]);
        if (place[i] == side && side * (v - to->value) < 0.0)
            *to = (aucbench_extreme){v, a[i], b[i]};
    }
}

#endif
