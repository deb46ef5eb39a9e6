/* Searches among the slots of a buffer, eight at a time. */
#ifndef AUCBENCH_OAM_H
#define AUCBENCH_OAM_H

#include "dense.h"

typedef int64_t aucbench_m8 __attribute__((vector_size(64)));

AUCBENCH_INLINE int aucbench_any(aucbench_m8 m)
{
    return (((m[0] | m[1]) | (m[2] | m[3])) | ((m[4] | m[5]) | (m[6] | m[7]))) != 0;
}

/* First slot j >= from with a loss 1 - side ((s - u[j]) + c (square - p[j])) > 0, else size.
 * u and p can be read up to the next multiple of 8.
 */
AUCBENCH_CLONES
static size_t aucbench_next_loss(
    size_t from, size_t size, double side, double s, double c, double square, const double *u,
    const double *p)
{
    aucbench_v8 x, z, loss;
    for (size_t j = from & ~(size_t)7; j < size; j += 8) {
        AUCBENCH_LOAD(x, u + j);
        AUCBENCH_LOAD(z, p + j);
        loss = 1.0 - side * ((s - x) + c * (square - z));
        if (aucbench_any(loss > 0.0))
            for (size_t r = 0; r < 8 && j + r < size; r++)
                if (j + r >= from && loss[r] > 0.0)
                    return j + r;
    }
    return size;
}

/* First slot j >= from with |x - x'|^2 <= near (|x|^2 + |x'|^2), else size; squares are |x'|^2 */
AUCBENCH_CLONES
static size_t aucbench_next_near(
    size_t from, size_t size, double near, double square, const double *squares, const double *p)
{
    aucbench_v8 x, z;
    size_t j = from;
    for (; j + 8 <= size; j += 8) {
        AUCBENCH_LOAD(x, squares + j);
        AUCBENCH_LOAD(z, p + j);
        x += square;
        if (aucbench_any(x - 2.0 * z <= near * x))
            break;
    }
    for (; j < size; j++)
        if (square + squares[j] - 2.0 * p[j] <= near * (square + squares[j]))
            break;
    return j;
}

#endif
