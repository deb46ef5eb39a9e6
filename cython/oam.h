/* Products with the slots of a buffer, and searches among them, eight at a time. */
#ifndef AUCBENCH_OAM_H
#define AUCBENCH_OAM_H

#include "dense.h"

typedef int64_t aucbench_m8 __attribute__((vector_size(64)));

AUCBENCH_INLINE int aucbench_any(aucbench_m8 m)
{
    return (((m[0] | m[1]) | (m[2] | m[3])) | ((m[4] | m[5]) | (m[6] | m[7]))) != 0;
}

/* Some registers of p = sum of x[l] F[c[l]] over the rows c[l] of F, or over all where c is NULL */
AUCBENCH_INLINE void aucbench_part(
    size_t parts, size_t W, size_t count, const double *x, const int *c, const double *F, double *p)
{
    aucbench_v8 s[8] = {{0}}, v;
    for (size_t l = 0; l < count; l++) {
        const double *at = F + (c ? (size_t)c[l] : l) * W;
        for (size_t r = 0; r < parts; r++) {
            AUCBENCH_LOAD(v, at + 8 * r);
            s[r] += v * x[l];
        }
    }
    for (size_t r = 0; r < parts; r++)
        memcpy(p + 8 * r, &s[r], sizeof v);
}

/* p = sum of x[l] F[c[l]], for rows of W numbers */
AUCBENCH_CLONED(void, aucbench_columns,
                (size_t W, size_t count, const double *x, const int *c, const double *F,
                 double *p), (W, count, x, c, F, p))
{
    size_t j = 0;
    for (; j + 64 <= W; j += 64)
        aucbench_part(8, W, count, x, c, F + j, p + j);
    for (; j + 32 <= W; j += 32)
        aucbench_part(4, W, count, x, c, F + j, p + j);
    for (; j < W; j += 8)
        aucbench_part(1, W, count, x, c, F + j, p + j);
}

AUCBENCH_INLINE aucbench_v8 aucbench_losses(
    double side, double s, double c, double square, const double *u, const double *p)
{
    aucbench_v8 x, z;
    AUCBENCH_LOAD(x, u);
    AUCBENCH_LOAD(z, p);
    return 1.0 - side * ((s - x) + c * (square - z));
}

/* First slot j >= from with a loss 1 - side ((s - u[j]) + c (square - p[j])) > 0, else size.
 * u and p can be read up to the next multiple of 8. To test a register takes longer than to
 * compute it, so four are tested together where possible.
 */
AUCBENCH_CLONED(size_t, aucbench_next_loss,
                (size_t from, size_t size, double side, double s, double c, double square,
                 const double *u, const double *p), (from, size, side, s, c, square, u, p))
{
    size_t j = from & ~(size_t)7;
    while (j < size) {
        size_t parts = size - j >= 32 ? 4 : 1;
        aucbench_m8 found = {0};
        for (size_t r = 0; r < parts; r++)
            found |= aucbench_losses(side, s, c, square, u + j + 8 * r, p + j + 8 * r) > 0.0;
        if (aucbench_any(found))
            for (size_t r = 0; r < parts; r++, j += 8) {
                aucbench_v8 loss = aucbench_losses(side, s, c, square, u + j, p + j);
                for (size_t i = 0; i < 8; i++)
                    if (loss[i] > 0.0 && j + i >= from && j + i < size)
                        return j + i;
            }
        else
            j += 8 * parts;
    }
    return size;
}

/* First slot j >= from with |x - x'|^2 <= near (|x|^2 + |x'|^2), else size; squares are |x'|^2 */
AUCBENCH_CLONED(size_t, aucbench_next_near,
                (size_t from, size_t size, double near, double square, const double *squares,
                 const double *p), (from, size, near, square, squares, p))
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
