/* Products with the slots of a buffer, and searches among them, eight at a time. */
#ifndef AUCBENCH_OAM_H
#define AUCBENCH_OAM_H

#include "dense.h"

#define AUCBENCH_LOOPS "oam_loops.h"
#include "each_width.h"

/* p = sum of x[l] F[c[l]] over the rows c[l] of F, or over all where c is NULL. A row has W
 * numbers, and W is a multiple of 8 */
AUCBENCH_CLONED(void, aucbench_columns,
                (size_t W, size_t count, const double *x, const int *c, const double *F,
                 double *p), (W, count, x, c, F, p))
{
    AUCBENCH_BY_WIDTH(aucbench_columns_, W, count, x, c, F, p);
}

/* First slot j >= from with a loss 1 - side ((s - u[j]) + c (square - p[j])) > 0, else size.
 * u and p can be read up to the next multiple of 8. To test a register takes longer than to
 * compute it, so four registers are tested together where possible.
 */
AUCBENCH_CLONED(size_t, aucbench_next_loss,
                (size_t from, size_t size, double side, double s, double c, double square,
                 const double *u, const double *p), (from, size, side, s, c, square, u, p))
{
    return AUCBENCH_BY_WIDTH(aucbench_next_loss_, from, size, side, s, c, square, u, p);
}

/* First slot j >= from with |x - x'|^2 <= near (|x|^2 + |x'|^2), else size; squares are |x'|^2 */
AUCBENCH_CLONED(size_t, aucbench_next_near,
                (size_t from, size_t size, double near, double square, const double *squares,
                 const double *p), (from, size, near, square, squares, p))
{
    return AUCBENCH_BY_WIDTH(aucbench_next_near_, from, size, near, square, squares, p);
}

#endif
