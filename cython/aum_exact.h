/* The step at which two lines T + step d meet, rounded correctly for any doubles.
 *
 * It is a quotient of two differences. Each difference has a high and a low part, which gives
 * the quotient up to 2^-98 of it. This nearly always decides the rounding. Otherwise, or where
 * something may underflow, the sign of a sum of products says on which side of a midpoint the
 * quotient lies. The sum is a whole number of 4352 bits, enough for products of any doubles.
 */
#ifndef AUCBENCH_AUM_EXACT_H
#define AUCBENCH_AUM_EXACT_H

#include "clones.h"
#include "twice.h"
#include "wide.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define AUCBENCH_WORDS 68 /* of 64 bits */

typedef struct {
    double T, d;
} aucbench_line;

/* words += sign * a * b, in two's complement, least significant word first */
static void aucbench_add_product(uint64_t *words, int sign, double a, double b)
{
    int ea, eb, shift;
    long long ma = (long long)ldexp(frexp(a, &ea), 53), mb = (long long)ldexp(frexp(b, &eb), 53);
    uint64_t high, low = aucbench_whole_product((uint64_t)llabs(ma), (uint64_t)llabs(mb), &high);
    uint64_t part[3], carry;
    if (ma == 0 || mb == 0)
        return;
    if ((ma < 0) != (mb < 0))
        sign = -sign;
    shift = ea + eb + 2148; /* at least 2, as ea, eb >= -1073: the last bit weighs 2^-2254 */
    part[0] = low << (shift & 63);
    part[1] = high << (shift & 63) | low >> 1 >> (63 - (shift & 63));
    part[2] = high >> 1 >> (63 - (shift & 63));
    words += shift >> 6;
    carry = sign < 0; /* -x is ~x + 1 over all words */
    for (int k = 0; k < AUCBENCH_WORDS - (shift >> 6); k++) {
        const uint64_t x = k < 3 ? part[k] : 0, added = (sign < 0 ? ~x : x) + carry;
        words[k] += added;
        carry = added < carry || words[k] < added;
    }
}

/* The sign of 2 (T_b - T_a) - (p + q) (d_a - d_b) */
static int aucbench_side(const aucbench_line *a, const aucbench_line *b, double p, double q)
{
    uint64_t words[AUCBENCH_WORDS] = {0}, any = 0;
    for (int twice = 0; twice < 2; twice++) {
        double x = twice ? p : q;
        aucbench_add_product(words, 1, b->T, 1.0);
        aucbench_add_product(words, -1, a->T, 1.0);
        aucbench_add_product(words, -1, x, a->d);
        aucbench_add_product(words, 1, x, b->d);
    }
    for (int k = 0; k < AUCBENCH_WORDS; k++)
        any |= words[k];
    return (long long)words[AUCBENCH_WORDS - 1] < 0 ? -1 : any != 0;
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
