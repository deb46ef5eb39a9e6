/* A number as the sum of two doubles, which has twice the digits, on every system: long double has
 * 64 bits on x86, 113 on other CPUs, and 53 for MSVC.
 */
#ifndef AUCBENCH_TWICE_H
#define AUCBENCH_TWICE_H

#include "compiler.h"

typedef struct {
    double high, low;
} aucbench_twice;

/* a + b, and in *low what its rounding cuts off (Møller, Knuth) */
AUCBENCH_INLINE double aucbench_sum2(double a, double b, double *low)
{
    double s = a + b, t = s - a;
    *low = (a - (s - t)) + (b - t);
    return s;
}

/* to += x */
AUCBENCH_INLINE void aucbench_include(aucbench_twice *to, double x)
{
    double cut;
    to->high = aucbench_sum2(to->high, x, &cut);
    to->low += cut;
}

/* One double; an infinite sum has no other part that means something. */
AUCBENCH_INLINE double aucbench_once(aucbench_twice of)
{
    return of.high - of.high == 0.0 ? of.high + of.low : of.high;
}

#endif
