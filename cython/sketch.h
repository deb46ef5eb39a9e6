/* Dense parts of opauc-lr: matrices of W columns, with W a multiple of 8. */
#ifndef AUCBENCH_SKETCH_H
#define AUCBENCH_SKETCH_H

#include "dense.h"

#define AUCBENCH_LOOPS "sketch_loops.h"
#include "each_width.h"

/* y += sum of c[i] S[i] over the W rows of S */
AUCBENCH_CLONED(void, aucbench_combine, (size_t W, const double *c, const double *S, double *y),
                (W, c, S, y))
{
    AUCBENCH_BY_WIDTH(aucbench_combine_, W, c, S, y);
}

/* y[i] += S[i] . x for the W rows of S */
AUCBENCH_CLONED(void, aucbench_project, (size_t W, const double *S, const double *x, double *y),
                (W, S, x, y))
{
    AUCBENCH_BY_WIDTH(aucbench_project_, W, S, x, y);
}

/* S += sum of l[t] r[t]^T over t < count; each part of S is read and written once */
AUCBENCH_CLONED(void, aucbench_outer,
                (size_t W, size_t count, const double *const *l, const double *const *r,
                 double *S), (W, count, l, r, S))
{
    AUCBENCH_BY_WIDTH(aucbench_outer_, W, count, l, r, S);
}

/* trace[0] = tr S + |c|^2, with c = column tau of B / n and S = |Z - c q^T|^2 / n, from G = B^T B
 * and share = 1 / n; trace[1] bounds the magnitudes in this sum
 */
AUCBENCH_CLONED(void, aucbench_traces,
                (size_t W, size_t tau, const double *G, const double *q, double share,
                 double *trace), (W, tau, G, q, share, trace))
{
    double c = G[tau * (W + 1)] * share * share, diagonal = 0, square = 0, cross = 0;
    for (size_t r = 0; r < tau; r++) {
        diagonal += G[r * (W + 1)];
        square += q[r] * q[r];
        cross += q[r] * G[tau * W + r];
    }
    trace[1] = c + (diagonal + square * c) * share;
    trace[0] = trace[1] - 2.0 * cross * share * share;
}

/* step = -c v with v = b - p q; return q . v */
AUCBENCH_CLONED(double, aucbench_turn,
                (size_t W, const double *b, double p, const double *q, double c, double *step),
                (W, b, p, q, c, step))
{
    return AUCBENCH_BY_WIDTH(aucbench_turn_, W, b, p, q, c, step);
}

#endif
