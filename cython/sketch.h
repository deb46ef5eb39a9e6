/* Dense parts of opauc-lr: matrices of W columns, with W a multiple of 8. */
#ifndef AUCBENCH_SKETCH_H
#define AUCBENCH_SKETCH_H

#include "dense.h"

/* y += sum of c[i] S[i] over the W rows of S */
AUCBENCH_CLONED(void, aucbench_combine, (size_t W, const double *c, const double *S, double *y),
                (W, c, S, y))
{
    aucbench_v8 u, v;
    for (size_t i = 0; i < W; i += 8, S += 8 * W)
        for (size_t j = 0; j < W; j += 8) {
            AUCBENCH_LOAD(v, y + j);
            for (size_t r = 0; r < 8; r++) {
                AUCBENCH_LOAD(u, S + r * W + j);
                v += u * c[i + r];
            }
            AUCBENCH_STORE(y + j, v);
        }
}

/* y[i] += S[i] . x for the W rows of S */
AUCBENCH_CLONED(void, aucbench_project, (size_t W, const double *S, const double *x, double *y),
                (W, S, x, y))
{
    aucbench_v8 s[4], u, v;
    for (size_t i = 0; i < W; i += 4, S += 4 * W) {
        s[0] = s[1] = s[2] = s[3] = (aucbench_v8){0};
        for (size_t j = 0; j < W; j += 8) {
            AUCBENCH_LOAD(v, x + j);
            for (size_t r = 0; r < 4; r++) {
                AUCBENCH_LOAD(u, S + r * W + j);
                s[r] += u * v;
            }
        }
        for (size_t r = 0; r < 4; r++)
            y[i + r] += aucbench_total(s[r]);
    }
}

/* four rows of S += sum of l[t] r[t]^T, in 8 or 16 columns, which stay in registers */
AUCBENCH_INLINE void aucbench_outer_part(
    size_t W, size_t count, const double *const *l, const double *const *r, size_t i, size_t j,
    size_t parts, double *S)
{
    aucbench_v8 s[8], u[2];
    for (size_t k = 0; k < 4; k++)
        for (size_t p = 0; p < parts; p++)
            AUCBENCH_LOAD(s[2 * k + p], S + k * W + 8 * p);
    for (size_t t = 0; t < count; t++) {
        for (size_t p = 0; p < parts; p++)
            AUCBENCH_LOAD(u[p], r[t] + j + 8 * p);
        for (size_t k = 0; k < 4; k++)
            for (size_t p = 0; p < parts; p++)
                s[2 * k + p] += u[p] * l[t][i + k];
    }
    for (size_t k = 0; k < 4; k++)
        for (size_t p = 0; p < parts; p++)
            AUCBENCH_STORE(S + k * W + 8 * p, s[2 * k + p]);
}

/* S += sum of l[t] r[t]^T over t < count; each part of S is read and written once */
AUCBENCH_CLONED(void, aucbench_outer,
                (size_t W, size_t count, const double *const *l, const double *const *r,
                 double *S), (W, count, l, r, S))
{
    for (size_t i = 0; i < W; i += 4, S += 4 * W) {
        size_t j = 0;
        for (; j + 16 <= W; j += 16)
            aucbench_outer_part(W, count, l, r, i, j, 2, S + j);
        if (j < W)
            aucbench_outer_part(W, count, l, r, i, j, 1, S + j);
    }
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
    aucbench_v8 s = {0}, u, v;
    for (size_t j = 0; j < W; j += 8) {
        AUCBENCH_LOAD(u, q + j);
        AUCBENCH_LOAD(v, b + j);
        v -= u * p;
        s += u * v;
        v *= -c;
        AUCBENCH_STORE(step + j, v);
    }
    return aucbench_total(s);
}

#endif
