/* The step at which two lines T + step d meet, rounded correctly for any doubles.
 *
 * It is a quotient of two differences. Each difference has a high and a low part, which gives
 * the quotient up to 2^-98 of it. This nearly always decides the rounding. Otherwise, or where
 * something may underflow, the sign of a sum of products says on which side of a midpoint the
 * quotient lies (whole_sums.h).
 */
#ifndef AUCBENCH_AUM_EXACT_H
#define AUCBENCH_AUM_EXACT_H

#include "clones.h"
#include "twice.h"
#include "whole_sums.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    double T, d;
} aucbench_line;

/* The sign of 2 (T_b - T_a) - (p + q) (d_a - d_b) */
static int aucbench_side(const aucbench_line *a, const aucbench_line *b, double p, double q)
{
    uint64_t words[AUCBENCH_WORDS] = {0};
    for (int twice = 0; twice < 2; twice++) {
        double x = twice ? p : q;
        aucbench_add_product(words, 1, b->T, 1.0);
        aucbench_add_product(words, -1, a->T, 1.0);
        aucbench_add_product(words, -1, x, a->d);
        aucbench_add_product(words, 1, x, b->d);
    }
    return aucbench_sign_of(words);
}

/* Return p or its neighbour q, the one with an even last bit. */
static double aucbench_even(double p, double q)
{
    uint64_t bits;
    memcpy(&bits, &p, sizeof bits);
    return bits & 1 ? q : p;
}

/* (T_b - T_a) / (d_a - d_b) >= 0, rounded to nearest even; the guess q is a few floats away. */
static double aucbench_rounded(const aucbench_line *a, const aucbench_line *b, double q)
{
    if (!(isfinite(a->T) && isfinite(b->T) && isfinite(a->d) && isfinite(b->d)))
        return q;
    for (int tries = 0; tries < 64 && q >= 0 && q < DBL_MAX / 2; tries++) {
        double up = nextafter(q, INFINITY), down = nextafter(q, 0.0);
        int above = aucbench_side(a, b, q, up), below;
        if (above > 0) {
            q = up;
            continue;
        }
        if (above == 0)
            return aucbench_even(q, up);
        below = q > 0 ? aucbench_side(a, b, down, q) : 1;
        if (below >= 0)
            return below ? q : aucbench_even(q, down);
        q = down;
    }
    return q;
}

typedef struct {
    double high, low, n, n_low, d_low;
} aucbench_quotient;

/* (T_b - T_a) / (d_a - d_b) = high + low, up to 2^-98 of it */
AUCBENCH_INLINE aucbench_quotient aucbench_divide(aucbench_line a, aucbench_line b)
{
    aucbench_quotient q;
    double d = aucbench_sum2(a.d, -b.d, &q.d_low), inverse = 1.0 / d;
    q.n = aucbench_sum2(b.T, -a.T, &q.n_low);
    q.high = q.n / d;
    q.low = fma(-q.high, d, q.n) + (q.n_low - q.high * q.d_low);
    /* The inverse is computed before q.high is; it is useless when d is subnormal. */
    q.low = fabs(d) > 1e-300 ? q.low * inverse : q.low / d;
    return q;
}

/* The step at which the neighbours a and b meet, rounded correctly; infinite if they never do. */
AUCBENCH_INLINE double aucbench_meeting(aucbench_line a, aucbench_line b)
{
    aucbench_quotient q;
    double error, least, most;
    if (!(a.d > b.d))
        return INFINITY;
    q = aucbench_divide(a, b);
    error = q.high * 3.2e-30; /* above 2^-98 */
    least = q.high + (q.low - error);
    most = q.high + (q.low + error);
    if (!(least == most && q.n > 1e-270 && q.high > 1e-270 && q.high < 1e300))
        least = q.n_low == 0 && q.d_low == 0 ? q.high : aucbench_rounded(&a, &b, q.high);
    return least < DBL_MAX / 4 ? least : INFINITY;
}

/* sum += (a - b) (m + m_low) */
AUCBENCH_INLINE void aucbench_add(double *sum, double a, double b, double m, double m_low)
{
    double low, tail, d = aucbench_sum2(a, -b, &low), p = d * m;
    low = fma(d, m, -p) + (low * m + d * m_low);
    sum[0] = aucbench_sum2(sum[0], p, &tail);
    sum[1] += low + tail;
}

#endif
