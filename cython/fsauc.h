/* Passes over w = c + s z: its l1 norm, its non-zeros, its distance to c, and the l1 ball.
 *
 * Vectors have 8 doubles; the compiler translates them to what the machine has (clones.h). A
 * comparison that is true gives the integer -1. So counting subtracts it, and a bitwise `and`
 * keeps the entries for which it is true.
 */
#ifndef AUCBENCH_FSAUC_H
#define AUCBENCH_FSAUC_H

#include "clones.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double fsauc_v8 __attribute__((vector_size(64)));
typedef int64_t fsauc_i8 __attribute__((vector_size(64)));

#define FSAUC_LOAD(into, from) memcpy(&(into), (from), sizeof(fsauc_v8))
#define FSAUC_STORE(to, from) memcpy((to), &(from), sizeof(fsauc_v8))
#define FSAUC_SIGN ((fsauc_i8){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, \
                               INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN})

#define FSAUC_SUM(v) (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))

/* The limit of Newton steps to theta. The sum is convex, so each step divides excess * non-zeros by
 * at least 4. About 550 steps lead from 1e300 to the last bit; usual inputs need a few. */
#define FSAUC_STEPS 600

typedef struct {
    double norm;     /* |w|_1 */
    double square;   /* |w - c|^2 */
    double nonzeros; /* of w */
} fsauc_size;

/* w <- sign(w) max(|w| - theta, 0), and the size of the result; z is written if `write`. */
AUCBENCH_INLINE fsauc_size fsauc_soften(size_t d, const double *c, double *z, double s, double theta,
                                     const int write)
{
    const fsauc_i8 sign = FSAUC_SIGN;
    fsauc_v8 norm = {0}, square = {0}, C, Z, A;
    fsauc_i8 kept = {0}, W;
    fsauc_size tail = {0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        FSAUC_LOAD(C, c + j);
        FSAUC_LOAD(Z, z + j);
        Z *= s;
        W = (fsauc_i8)(C + Z);
        A = (fsauc_v8)(W & ~sign) - theta;
        kept -= (fsauc_i8)(A > 0.0);
        A = (fsauc_v8)((fsauc_i8)A & (fsauc_i8)(A > 0.0));
        if (write) {
            Z = (fsauc_v8)((fsauc_i8)A | (W & sign)) - C;
            FSAUC_STORE(z + j, Z);
        }
        norm += A;
        square += Z * Z;
    }
    for (; j < d; j++) {
        double y = z[j] * s, w = c[j] + y, a = fabs(w) - theta;
        a = a > 0 ? a : 0.0;
        if (write)
            z[j] = y = copysign(a, w) - c[j];
        tail.norm += a;
        tail.square += y * y;
        tail.nonzeros += a > 0;
    }
    return (fsauc_size){tail.norm + FSAUC_SUM(norm), tail.square + FSAUC_SUM(square),
                        tail.nonzeros + (double)FSAUC_SUM(kept)};
}

/* The size of w = c + s z. */
AUCBENCH_CLONED(void, fsauc_measure,
                (size_t d, const double *c, double *z, double s, fsauc_size *size),
                (d, c, z, s, size))
{
    *size = fsauc_soften(d, c, z, s, 0.0, 0);
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
        const fsauc_size at = fsauc_soften(d, c, z, s, trial, 0);
        trial += (at.norm - R) / at.nonzeros;
        theta = trial > theta ? trial : theta;
    }
    for (int k = 0; k < FSAUC_STEPS && now.norm > limit; k++) {
        theta *= 1.0 - 0x1p-51; /* so that rounding keeps it left of the solution */
        now = fsauc_soften(d, c, z, s, theta, 1);
        s = 1.0;
        total += theta;
        theta = (now.norm - R) / now.nonzeros;
    }
    *size = now;
    return excess / total;
}

/* z += e x, u += f x if `sum`, and the size of c + s z. */
AUCBENCH_INLINE fsauc_size fsauc_step(size_t d, double e, double f, const double *x, const double *c,
                                   double s, double *z, double *u, const int sum)
{
    const fsauc_i8 sign = FSAUC_SIGN;
    fsauc_v8 norm = {0}, square = {0}, X, Z, W;
    fsauc_i8 kept = {0};
    fsauc_size tail = {0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        FSAUC_LOAD(X, x + j);
        FSAUC_LOAD(Z, z + j);
        Z += X * e;
        FSAUC_STORE(z + j, Z);
        if (sum) {
            FSAUC_LOAD(W, u + j);
            W += X * f;
            FSAUC_STORE(u + j, W);
        }
        FSAUC_LOAD(W, c + j);
        Z *= s;
        W += Z;
        kept -= (fsauc_i8)(W != 0.0);
        norm += (fsauc_v8)((fsauc_i8)W & ~sign);
        square += Z * Z;
    }
    for (; j < d; j++) {
        z[j] += e * x[j];
        if (sum)
            u[j] += f * x[j];
        const double y = s * z[j], w = c[j] + y;
        tail.norm += fabs(w);
        tail.square += y * y;
        tail.nonzeros += w != 0;
    }
    return (fsauc_size){tail.norm + FSAUC_SUM(norm), tail.square + FSAUC_SUM(square),
                        tail.nonzeros + (double)FSAUC_SUM(kept)};
}

AUCBENCH_CLONED(void, fsauc_move,
                (size_t d, double e, double f, const double *x, const double *c, double s,
                 double *z, double *u, fsauc_size *size), (d, e, f, x, c, s, z, u, size))
{
    *size = f == 0.0 ? fsauc_step(d, e, f, x, c, s, z, u, 0) : fsauc_step(d, e, f, x, c, s, z, u, 1);
}

/* total += s z */
AUCBENCH_CLONED(void, fsauc_add, (size_t d, double s, const double *z, double *total),
                (d, s, z, total))
{
    for (size_t j = 0; j < d; j++)
        total[j] += s * z[j];
}
#endif
