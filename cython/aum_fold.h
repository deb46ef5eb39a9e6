/* Folding: examples that stay on one side of c between two steps of a line search. */
#ifndef AUCBENCH_AUM_FOLD_H
#define AUCBENCH_AUM_FOLD_H

#include "aum_line.h"

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

#endif
