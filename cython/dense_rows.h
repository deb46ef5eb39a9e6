/* Dot products and sums of dense rows of AUCBENCH_NUMBER; dense.h includes this for each type. */

/* Column j of the next four rows, into the second cache. The hardware loads ahead within a page of
 * 4 kB, and a row of a thousand doubles has two: alone it leaves half of the bandwidth unused. The
 * first cache has no room for eight rows.
 */
AUCBENCH_INLINE void AUCBENCH_NAMED(aucbench_next4)(const AUCBENCH_NUMBER *const *next, size_t j)
{
    for (int r = 0; r < 4; r++)
        AUCBENCH_PREFETCH_FAR(next[r] + j);
}

#define AUCBENCH_LOOPS "dense_rows_loops.h"
#include "each_width.h"

/* s[r] = x_r . w for the rows x_0..x_3, stored at x[0]..x[3], while the rows of `next` are loaded */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_dot4),
                (size_t d, const AUCBENCH_NUMBER *const *x, const AUCBENCH_NUMBER *const *next,
                 const double *w, double *s), (d, x, next, w, s))
{
    AUCBENCH_UP_TO(AUCBENCH_WIDEST, AUCBENCH_NAMED(aucbench_dot4_), d, x, next, w, s);
}

/* out += c[0] x_0 + c[1] x_1 + c[2] x_2 + c[3] x_3, while the rows of `next` are loaded */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_axpy4),
                (size_t d, const double *c, const AUCBENCH_NUMBER *const *x,
                 const AUCBENCH_NUMBER *const *next, double *out), (d, c, x, next, out))
{
    AUCBENCH_UP_TO(AUCBENCH_WIDEST, AUCBENCH_NAMED(aucbench_axpy4_), d, c, x, next, out);
}

/* s[0] = x . u, s[1] = x . w */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_dot2),
                (size_t d, const AUCBENCH_NUMBER *x, const double *u, const double *w, double *s),
                (d, x, u, w, s))
{
    AUCBENCH_UP_TO(AUCBENCH_WIDEST, AUCBENCH_NAMED(aucbench_dot2_), d, x, u, w, s);
}

/* u += a x, w += b x; u and w do not overlap */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_axpy2),
                (size_t d, double a, double b, const AUCBENCH_NUMBER *x, double *u, double *w),
                (d, a, b, x, u, w))
{
    AUCBENCH_UP_TO(AUCBENCH_WIDEST, AUCBENCH_NAMED(aucbench_axpy2_), d, a, b, x, u, w);
}
