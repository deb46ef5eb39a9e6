/* Tiles of rows: centred, in row-major doubles, with their scores. */
#ifndef AUCBENCH_BINS_H
#define AUCBENCH_BINS_H

#include "clones.h"

enum { AUCBENCH_TOGETHER = 8 }; /* rows whose scores are added up side by side, in registers */

/* t[i, j] = x[i, j] - c[j] and s[i] = t[i] . w for the rows at, at + 1, ..., at + m - 1 of d
 * columns, each of floats (single[j]) or doubles. A score adds up its d products in their order. */
AUCBENCH_CLONED(
    void, aucbench_tile_of_columns,
    (const void *const *x, const unsigned char *single, size_t at, size_t m, size_t d,
     const double *c, const double *w, double *t, double *s),
    (x, single, at, m, d, c, w, t, s))
{
    size_t i = 0;
    for (; i + AUCBENCH_TOGETHER <= m; i += AUCBENCH_TOGETHER) {
        double a[AUCBENCH_TOGETHER] = {0.0};
        for (size_t j = 0; j < d; j++) {
            double v[AUCBENCH_TOGETHER];
            double *out = t + i * d + j;
            if (single[j]) {
                const float *column = (const float *)x[j] + at + i;
                for (int r = 0; r < AUCBENCH_TOGETHER; r++)
                    v[r] = column[r] - c[j];
            } else {
                const double *column = (const double *)x[j] + at + i;
                for (int r = 0; r < AUCBENCH_TOGETHER; r++)
                    v[r] = column[r] - c[j];
            }
            for (int r = 0; r < AUCBENCH_TOGETHER; r++)
                a[r] += w[j] * v[r];
            for (int r = 0; r < AUCBENCH_TOGETHER; r++)
                out[r * d] = v[r];
        }
        for (int r = 0; r < AUCBENCH_TOGETHER; r++)
            s[i + r] = a[r];
    }
    for (; i < m; i++) {
        double a = 0.0;
        for (size_t j = 0; j < d; j++) {
            double v = single[j] ? ((const float *)x[j])[at + i] : ((const double *)x[j])[at + i];
            v -= c[j];
            a += w[j] * v;
            t[i * d + j] = v;
        }
        s[i] = a;
    }
}

/* The same for rows in C order, of floats or doubles; the other pointer is NULL. */
AUCBENCH_CLONED(
    void, aucbench_tile_of_rows,
    (const float *f, const double *x, size_t m, size_t d, const double *c, const double *w,
     double *t, double *s),
    (f, x, m, d, c, w, t, s))
{
    for (size_t i = 0; i < m; i++) {
        double *v = t + i * d, a = 0.0;
        if (f)
            for (size_t j = 0; j < d; j++)
                v[j] = f[i * d + j] - c[j];
        else
            for (size_t j = 0; j < d; j++)
                v[j] = x[i * d + j] - c[j];
        for (size_t j = 0; j < d; j++)
            a += w[j] * v[j];
        s[i] = a;
    }
}

/* sums[q[i]] += t[i] */
AUCBENCH_CLONED(
    void, aucbench_add_to_bins,
    (size_t m, size_t d, const int *q, const double *t, double *sums),
    (m, d, q, t, sums))
{
    for (size_t i = 0; i < m; i++) {
        double *to = sums + (size_t)q[i] * d;
        for (size_t j = 0; j < d; j++)
            to[j] += t[i * d + j];
    }
}

/* out += sum_i a[i] t[i]; the tile is added up by itself first. */
AUCBENCH_CLONED(
    void, aucbench_add_weighted,
    (size_t m, size_t d, const double *a, const double *t, double *tile, double *out),
    (m, d, a, t, tile, out))
{
    for (size_t j = 0; j < d; j++)
        tile[j] = 0.0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < d; j++)
            tile[j] += a[i] * t[i * d + j];
    for (size_t j = 0; j < d; j++)
        out[j] += tile[j];
}

/* Sums, sums of squares, minima and maxima of the columns of a tile, apart for each class. */
AUCBENCH_CLONED(
    void, aucbench_add_moments,
    (size_t m, size_t d, const signed char *y, const double *t, double *tile, double *sums,
     double *squares, double *low, double *high),
    (m, d, y, t, tile, sums, squares, low, high))
{
    for (size_t j = 0; j < 4 * d; j++)
        tile[j] = 0.0;
    for (size_t i = 0; i < m; i++) {
        const double *v = t + i * d;
        double *sum = tile + (y[i] > 0) * d, *square = sum + 2 * d;
        for (size_t j = 0; j < d; j++) {
            sum[j] += v[j];
            square[j] += v[j] * v[j];
            low[j] = v[j] < low[j] ? v[j] : low[j];
            high[j] = v[j] > high[j] ? v[j] : high[j];
        }
    }
    for (size_t j = 0; j < 2 * d; j++) {
        sums[j] += tile[j];
        squares[j] += tile[2 * d + j];
    }
}

#endif
