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
#define AUCBENCH_PREFETCH_FAR(p) __builtin_prefetch(p, 0, 2)
#else
#define AUCBENCH_PREFETCH(p) ((void)(p))
#define AUCBENCH_PREFETCH_FAR(p) ((void)(p))
#endif

typedef double aucbench_v8 __attribute__((vector_size(64)));

#define AUCBENCH_LOAD(into, from) memcpy(&(into), (from), sizeof(aucbench_v8))

#define AUCBENCH_STORE(into, from) memcpy((into), &(from), sizeof(aucbench_v8))

AUCBENCH_INLINE double aucbench_total(aucbench_v8 v)
{
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/* Rows of doubles, then rows of floats: their values become doubles when they are read. */
#define AUCBENCH_NUMBER double
#define AUCBENCH_NAMED(f) f
#define AUCBENCH_READ(into, from) AUCBENCH_LOAD(into, from)
#include "dense_rows.h"
#undef AUCBENCH_NUMBER
#undef AUCBENCH_NAMED
#undef AUCBENCH_READ

typedef float aucbench_f8 __attribute__((vector_size(32)));

#define AUCBENCH_NUMBER float
#define AUCBENCH_NAMED(f) f##_f
#define AUCBENCH_READ(into, from)                                                                  \
    do {                                                                                           \
        aucbench_f8 read_;                                                                         \
        memcpy(&read_, (from), sizeof read_);                                                      \
        (into) = __builtin_convertvector(read_, aucbench_v8);                                      \
    } while (0)
#include "dense_rows.h"

/* x . w, one row: BLAS has no product of floats and doubles */
AUCBENCH_CLONED(double, aucbench_dot_f, (size_t d, const float *x, const double *w), (d, x, w))
{
    aucbench_v8 a[4] = {{0}}, v, u;
    double t = 0;
    size_t j = 0;
    for (; j + 32 <= d; j += 32)
        for (int k = 0; k < 4; k++) {
            AUCBENCH_READ(u, x + j + 8 * k);
            AUCBENCH_LOAD(v, w + j + 8 * k);
            a[k] += u * v;
        }
    for (; j < d; j++)
        t += x[j] * w[j];
    return t + aucbench_total((a[0] + a[1]) + (a[2] + a[3]));
}

/* out += a x */
AUCBENCH_CLONED(void, aucbench_axpy_f, (size_t d, double a, const float *x, double *out),
                (d, a, x, out))
{
    aucbench_v8 u, v;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_READ(u, x + j);
        AUCBENCH_LOAD(v, out + j);
        v += u * a;
        AUCBENCH_STORE(out + j, v);
    }
    for (; j < d; j++)
        out[j] += a * x[j];
}

/* x . y, for W a multiple of 8 */
AUCBENCH_CLONED(double, aucbench_inner, (size_t W, const double *x, const double *y), (W, x, y))
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
AUCBENCH_CLONED(void, aucbench_mix, (size_t W, double b, double c, const double *x, double *y),
                (W, b, c, x, y))
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
