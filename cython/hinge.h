/* Ranks of many unsorted values among few sorted ones, a block at a time.
 *
 * Each stage of a block is a loop without branches that depend on the data. So the memory
 * accesses of a whole block overlap, and none waits for a mispredicted branch.
 */
#ifndef AUCBENCH_HINGE_H
#define AUCBENCH_HINGE_H

#include "clones.h"
#include "dense.h"

#include <math.h>
#include <stddef.h>

#define AUCBENCH_PAD 4     /* entries after the sorted values, filled with infinity */

/* out[i] = sign s[rows[i]] + shift, i < count */
AUCBENCH_CLONED(void, aucbench_gather,
                (size_t count, const double *s, const int *rows, double sign, double shift,
                 double *out), (count, s, rows, sign, shift, out))
{
    for (size_t i = 0; i < count; i++)
        out[i] = sign * s[rows[i]] + shift;
}

/* The cell of each x in a grid of `cells` that is fine at the centre and coarse far from it.
 *
 * The formula is u / (1 + |u|) with u = (x - centre) scale. It is computed by operations that
 * keep the order when they are rounded, so the cell never falls as x grows. It is in bounds for
 * any x, and 0 for NaN.
 */
AUCBENCH_CLONED(void, aucbench_cells,
                (size_t count, const double *x, double centre, double scale, int cells, int *out),
                (count, x, centre, scale, cells, out))
{
    double half = 0.5 * cells, last = cells - 1;
    for (size_t i = 0; i < count; i++) {
        double u = (x[i] - centre) * scale;
        double at = (1.0 + copysign(1.0 - 1.0 / (1.0 + fabs(u)), u)) * half;
        at = at > 0.0 ? at : 0.0;
        out[i] = (int)(at < last ? at : last);
    }
}

/* rank[i] = #{r: a_r < b_i}, a ascending; cell k holds a[table[k]] up to a[table[k + 1]] */
AUCBENCH_CLONED(void, aucbench_ranks,
                (size_t count, const double *b, const double *a, const int *table, const int *cell,
                 int *rank), (count, b, a, table, cell, rank))
{
    for (size_t i = 0; i < count; i++)
        rank[i] = table[cell[i]];
    for (size_t i = 0; i < count; i++)
        AUCBENCH_PREFETCH(a + rank[i]);
    for (size_t i = 0; i < count; i++) {
        const double *p = a + rank[i];
        double x = b[i];
        int more = (p[0] < x) + (p[1] < x) + (p[2] < x) + (p[3] < x);
        int start = rank[i] + more, end;
        if (more == AUCBENCH_PAD) { /* a crowded cell */
            end = table[cell[i] + 1];
            while (start < end) {
                int half = start + (end - start) / 2;
                if (a[half] < x)
                    start = half + 1;
                else
                    end = half;
            }
        }
        rank[i] = start;
    }
}

#endif
