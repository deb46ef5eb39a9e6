/* Four dense rows at a time: dot products with w, and a weighted sum into out.
 *
 * Four rows share each load of w, and each load and store of out. With one row at a time, the
 * traffic of out costs more than reading a row from the cache. Sums have 8 lanes, in vectors that
 * fill a register of the level in use (each_width.h).
 */
#ifndef AUCBENCH_DENSE_H
#define AUCBENCH_DENSE_H

#include "clones.h"

#include <stddef.h>
#include <string.h>

/* The sum of 8 lanes. */
AUCBENCH_INLINE double aucbench_total(const double *v)
{
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

#define AUCBENCH_LOOPS "dense_loops.h"
#include "each_width.h"

/* Rows of doubles, then rows of floats: their values become doubles when they are read. */
#define AUCBENCH_NUMBER double
#define AUCBENCH_NAMED(f) f
#define AUCBENCH_READ(p) AUCBENCH_CONST_AT(p)
#define AUCBENCH_WIDEST 8
#include "dense_rows.h"
#undef AUCBENCH_NUMBER
#undef AUCBENCH_NAMED
#undef AUCBENCH_READ
#undef AUCBENCH_WIDEST

#define AUCBENCH_NUMBER float
#define AUCBENCH_NAMED(f) f##_f
#define AUCBENCH_READ(p) AUCBENCH_FLOATS_AT(p)
#define AUCBENCH_WIDEST 4
#include "dense_rows.h"
#undef AUCBENCH_NUMBER
#undef AUCBENCH_NAMED
#undef AUCBENCH_READ
#undef AUCBENCH_WIDEST

/* x . w, one row: BLAS has no product of floats and doubles */
AUCBENCH_CLONED(double, aucbench_dot_f, (size_t d, const float *x, const double *w), (d, x, w))
{
    return AUCBENCH_UP_TO(4, aucbench_dot_f_, d, x, w);
}

/* out += a x */
AUCBENCH_CLONED(void, aucbench_axpy_f, (size_t d, double a, const float *x, double *out),
                (d, a, x, out))
{
    AUCBENCH_UP_TO(4, aucbench_axpy_f_, d, a, x, out);
}

/* x . y, for W a multiple of 8 */
AUCBENCH_CLONED(double, aucbench_inner, (size_t W, const double *x, const double *y), (W, x, y))
{
    return AUCBENCH_BY_WIDTH(aucbench_inner_, W, x, y);
}

/* y = b y + c x, for W a multiple of 8 */
AUCBENCH_CLONED(void, aucbench_mix, (size_t W, double b, double c, const double *x, double *y),
                (W, b, c, x, y))
{
    AUCBENCH_BY_WIDTH(aucbench_mix_, W, b, c, x, y);
}

#endif
