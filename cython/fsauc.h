/* Passes over w = c + s z: its l1 norm, its non-zeros, its distance to c, and the l1 ball.
 *
 * Sums have 8 lanes, in vectors that fill a register (each_width.h). A comparison that is true
 * gives the integer -1. So counting subtracts it, and a bitwise `and` keeps the entries for which
 * it is true.
 */
#ifndef AUCBENCH_FSAUC_H
#define AUCBENCH_FSAUC_H

#include "dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FSAUC_SUM(v) (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))

/* The limit of Newton steps to theta. The sum is convex, so each step divides excess * non-zeros by
 * at least 4. About 550 steps lead from 1e300 to the last bit; usual inputs need a few. */
#define FSAUC_STEPS 600

typedef struct {
    double norm;     /* |w|_1 */
    double square;   /* |w - c|^2 */
    double nonzeros; /* of w */
} fsauc_size;

#define AUCBENCH_LOOPS "fsauc_loops.h"
#include "each_width.h"

/* The size of w = c + s z. */
AUCBENCH_CLONED(void, fsauc_measure,
                (size_t d, const double *c, double *z, double s, fsauc_size *size),
                (d, c, z, s, size))
{
    *size = AUCBENCH_BY_WIDTH(fsauc_soften_, d, c, z, s, 0.0, 0);
}

/* Move w = c + s z with |w|_1 > limit to the nearest point with |w|_1 = R <= limit; write it as
 * c + z. `size` is the size of w, before and after. Too large a number of non-zeros only costs
 * time.
 *
 * sum max(|w_j| - theta, 0) = R is solved by Newton steps from the left. Each step is applied to w
 * at once, because thresholds theta and then theta' have the effect of theta + theta'. The first
 * theta is the mean excess, or a Newton step from the theta that `crowd` suggests, the value that
 * the last call returned; a step from the right of the solution ends on its left. Returns
 * excess / theta. */
AUCBENCH_CLONED(double, fsauc_ball,
                (size_t d, const double *c, double *z, double s, double R, double limit,
                 double crowd, fsauc_size *size), (d, c, z, s, R, limit, crowd, size))
{
    fsauc_size now = *size;
    const double excess = now.norm - R;
    double theta = excess / now.nonzeros, trial = excess / crowd, total = 0.0;
    if (trial > theta) {
        const fsauc_size at = AUCBENCH_BY_WIDTH(fsauc_soften_, d, c, z, s, trial, 0);
        trial += (at.norm - R) / at.nonzeros;
        theta = trial > theta ? trial : theta;
    }
    for (int k = 0; k < FSAUC_STEPS && now.norm > limit; k++) {
        theta *= 1.0 - 2 * DBL_EPSILON; /* so that rounding keeps it left of the solution */
        now = AUCBENCH_BY_WIDTH(fsauc_soften_, d, c, z, s, theta, 1);
        s = 1.0;
        total += theta;
        theta = (now.norm - R) / now.nonzeros;
    }
    *size = now;
    return excess / total;
}

AUCBENCH_CLONED(void, fsauc_move,
                (size_t d, double e, double f, const double *x, const double *c, double s,
                 double *z, double *u, fsauc_size *size), (d, e, f, x, c, s, z, u, size))
{
    *size = f == 0.0 ? AUCBENCH_BY_WIDTH(fsauc_step_, d, e, f, x, c, s, z, u, 0)
                     : AUCBENCH_BY_WIDTH(fsauc_step_, d, e, f, x, c, s, z, u, 1);
}

/* total += s z */
AUCBENCH_CLONED(void, fsauc_add, (size_t d, double s, const double *z, double *total),
                (d, s, z, total))
{
    for (size_t j = 0; j < d; j++)
        total[j] += s * z[j];
}
#endif
