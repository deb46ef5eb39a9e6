/* Four dense rows at a time: dot products with w, and a weighted sum into out.
 *
 * Four rows share each load of w, and each load and store of out. With one row at a time, the
 * traffic of out costs more than reading a row from the cache. Vectors have 8 doubles; the
 * compiler translates them to what the machine has (clones.h): AVX-512, AVX2 or SSE2.
 */
#ifndef AUCBENCH_DENSE_H
#define AUCBENCH_DENSE_H

#include "clones.h"

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
#define AUCBENCH_PREFETCH(p) __builtin_prefetch(p)
#else
#define AUCBENCH_PREFETCH(p) ((void)(p))
#endif

typedef double aucbench_v8 __attribute__((vector_size(64)));

#define AUCBENCH_LOAD(into, from) memcpy(&(into), (from), sizeof(aucbench_v8))

/* s[r] = x_r . w for the rows x_0..x_3, stored at x[0]..x[3] */
AUCBENCH_CLONES
static void aucbench_dot4(size_t d, const double *const *x, const double *w, double *s)
{
    aucbench_v8 a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, v, u;
    double t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, w + j);
        AUCBENCH_LOAD(u, x[0] + j);
        a0 += u * v;
        AUCBENCH_LOAD(u, x[1] + j);
        a1 += u * v;
        AUCBENCH_LOAD(u, x[2] + j);
        a2 += u * v;
        AUCBENCH_LOAD(u, x[3] + j);
        a3 += u * v;
    }
    for (; j < d; j++) {
        t0 += x[0][j] * w[j];
        t1 += x[1][j] * w[j];
        t2 += x[2][j] * w[j];
        t3 += x[3][j] * w[j];
    }
    for (int k = 0; k < 8; k++) {
        t0 += a0[k];
        t1 += a1[k];
        t2 += a2[k];
        t3 += a3[k];
    }
    s[0] = t0;
    s[1] = t1;
    s[2] = t2;
    s[3] = t3;
}

/* out += c[0] x_0 + c[1] x_1 + c[2] x_2 + c[3] x_3 */
AUCBENCH_CLONES
static void aucbench_axpy4(size_t d, const double *c, const double *const *x, double *out)
{
    aucbench_v8 v, u;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, out + j);
        AUCBENCH_LOAD(u, x[0] + j);
        v += u * c[0];
        AUCBENCH_LOAD(u, x[1] + j);
        v += u * c[1];
        AUCBENCH_LOAD(u, x[2] + j);
        v += u * c[2];
        AUCBENCH_LOAD(u, x[3] + j);
        v += u * c[3];
        memcpy(out + j, &v, sizeof v);
    }
    for (; j < d; j++)
        out[j] += c[0] * x[0][j] + c[1] * x[1][j] + c[2] * x[2][j] + c[3] * x[3][j];
}

/* s[0] = x . u, s[1] = x . w */
AUCBENCH_CLONES
static void aucbench_dot2(size_t d, const double *x, const double *u, const double *w, double *s)
{
    aucbench_v8 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, v, y;
    double ta = 0, tb = 0;
    size_t j = 0;
    for (; j + 16 <= d; j += 16) {
        AUCBENCH_LOAD(v, x + j);
        AUCBENCH_LOAD(y, u + j);
        a0 += v * y;
        AUCBENCH_LOAD(y, w + j);
        b0 += v * y;
        AUCBENCH_LOAD(v, x + j + 8);
        AUCBENCH_LOAD(y, u + j + 8);
        a1 += v * y;
        AUCBENCH_LOAD(y, w + j + 8);
        b1 += v * y;
    }
    for (; j < d; j++) {
        ta += x[j] * u[j];
        tb += x[j] * w[j];
    }
    a0 += a1;
    b0 += b1;
    for (int k = 0; k < 8; k++) {
        ta += a0[k];
        tb += b0[k];
    }
    s[0] = ta;
    s[1] = tb;
}

/* u += a x, w += b x; u and w do not overlap */
AUCBENCH_CLONES
static void aucbench_axpy2(size_t d, double a, double b, const double *x, double *u, double *w)
{
    aucbench_v8 v, y;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, x + j);
        AUCBENCH_LOAD(y, u + j);
        y += v * a;
        memcpy(u + j, &y, sizeof y);
        AUCBENCH_LOAD(y, w + j);
        y += v * b;
        memcpy(w + j, &y, sizeof y);
    }
    for (; j < d; j++) {
        u[j] += a * x[j];
        w[j] += b * x[j];
    }
}

#define AUCBENCH_STORE(into, from) memcpy((into), &(from), sizeof(aucbench_v8))

AUCBENCH_INLINE double aucbench_total(aucbench_v8 v)
{
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/* x . y, for W a multiple of 8 */
AUCBENCH_CLONES
static double aucbench_inner(size_t W, const double *x, const double *y)
{
    aucbench_v8 s = {0}, u, v;
    for (size_t j = 0; j < W; j += 8) {
        AUCBENCH_LOAD(u, x + j);
        AUCBENCH_LOAD(v, y + j);
        s += u * v;
    }
    return aucbench_total(s);
}

/* y = b y + c x, for W a multiple of 8 */
AUCBENCH_CLONES
static void aucbench_mix(size_t W, double b, double c, const double *x, double *y)
{
    aucbench_v8 u, v;
    for (size_t j = 0; j < W; j += 8) {
        AUCBENCH_LOAD(u, x + j);
        AUCBENCH_LOAD(v, y + j);
        v = v * b + u * c;
        AUCBENCH_STORE(y + j, v);
    }
}

#endif
