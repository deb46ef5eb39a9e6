/* Sums of e^{-k |t - t_j|}, k = 1 to AUCBENCH_TERMS, over points t_j that come in order. */
#ifndef AUCBENCH_LOGISTIC_PAIRS_H
#define AUCBENCH_LOGISTIC_PAIRS_H

#include "clones.h"

#include <math.h>
#include <stddef.h>

#define AUCBENCH_TERMS 20 /* logistic_sums.py derives the coefficients of this many terms */

/* Move both states (sums of each class) by z = e^{-step}: state[k] *= z^{k+1}. */
AUCBENCH_INLINE void aucbench_decay(double z, double *one, double *other)
{
    double power[AUCBENCH_TERMS];
    power[0] = z;
    for (int k = 1; k < AUCBENCH_TERMS; k++) /* two factors of half the exponent: short chains */
        power[k] = power[(k + 1) / 2 - 1] * power[k / 2];
    for (int k = 0; k < AUCBENCH_TERMS; k++) {
        one[k] *= power[k];
        other[k] *= power[k];
    }
}

AUCBENCH_INLINE double aucbench_combined(const double *a, const double *state)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < AUCBENCH_TERMS; k += 4)
        for (int j = 0; j < 4; j++)
            sum[j] += a[k + j] * state[k + j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* One direction over the sorted t: for each r the sums over the points of the other class before.
 *
 * near[r] = sum of m_j times the sum of value[k] e^{-(k+1)|t_r - t_j|}
 * bend[r] = the same with slope[k]
 * Points are read forwards (stride 1) or backwards (stride -1) from `begin`.
 */
AUCBENCH_CLONED(void, aucbench_exponentials,
                (size_t n, ptrdiff_t begin, ptrdiff_t stride, const double *t, const double *mass,
                 const signed char *side, const double *value, const double *slope, double *near,
                 double *bend), (n, begin, stride, t, mass, side, value, slope, near, bend))
{
    double states[2][AUCBENCH_TERMS] = {{0.0}};
    double last = n ? t[begin] : 0.0;
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t r = begin + (ptrdiff_t)i * stride;
        int own = side[r] > 0;
        aucbench_decay(exp(-fabs(t[r] - last)), states[0], states[1]);
        last = t[r];
        near[r] = aucbench_combined(value, states[!own]);
        bend[r] = aucbench_combined(slope, states[!own]);
        for (int k = 0; k < AUCBENCH_TERMS; k++)
            states[own][k] += mass[r];
    }
}

#endif
