/* The prox of the elastic net over a dense vector, fused with what a step of SPAM needs of it.
 *
 * One sweep reads w, the sum and m, and writes w and the sum: three functions would read w
 * three times. Lanes of 8 keep eight sums of the dot product (clones.h); soft-thresholding
 * works on the bits, as vectors have no ternary operator in C.
 */
#ifndef AUCBENCH_SOFT_H
#define AUCBENCH_SOFT_H

#include "dense.h"

#include <math.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

typedef int64_t aucbench_i8 __attribute__((vector_size(64)));

/* w <- soft(w, t) * shrink; sum += w; returns m . w. NaN stays NaN. */
AUCBENCH_CLONES
static double aucbench_soft(
    size_t d, double t, double shrink, const double *restrict m, double *restrict w,
    double *restrict sum)
{
    aucbench_v8 v, u, r, a = {0}, b = {0};
    const aucbench_i8 magnitude = (aucbench_i8){0} + INT64_MAX;
    aucbench_i8 dead;
    double s = 0;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, w + j);
        r = (aucbench_v8)((aucbench_i8)v & magnitude) - t;
        dead = r <= 0.0;
        r = (aucbench_v8)(((aucbench_i8)r | ((aucbench_i8)v & ~magnitude)) & ~dead) * shrink;
        memcpy(w + j, &r, sizeof r);
        AUCBENCH_LOAD(u, sum + j);
        u += r;
        memcpy(sum + j, &u, sizeof u);
        AUCBENCH_LOAD(u, m + j);
        u = a + r * u; /* two sums that take turns: one would wait for itself */
        a = b;
        b = u;
    }
    for (; j < d; j++) {
        double left = fabs(w[j]) - t;
        w[j] = left <= 0 ? 0.0 : copysign(left, w[j]) * shrink;
        sum[j] += w[j];
        s += w[j] * m[j];
    }
    a += b;
    return s + ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

typedef double aucbench_v2 __attribute__((vector_size(16)));

/* A weight of the lazy pass. */
typedef struct {
    double K;      /* sign(w) (|w| q + C), as it was when w last moved */
    double total;  /* the sum of its values, once K (Q - Q') - sign(w) (E - E') is added */
    aucbench_v2 m; /* (m_-, m_+) */
} aucbench_cell;

/* What a window knows of its steps 0..size; step size + 1 stands for never. */
typedef struct {
    aucbench_cell *cells;
    int *due;            /* weight -> the step at which it dies: the first with C >= |K| */
    double *q;           /* product of 1 + eta l2 */
    double *C;           /* l1 times the sum of eta q, q before the step; infinite at never */
    double *Q;           /* sum of 1 / q */
    double *E;           /* sum of C / q */
    aucbench_v2 *deaths; /* step -> what those that die there take from K and A */
    int *first;          /* the first step with C scale >= i */
    double scale;
    int size;
    aucbench_v2 K;       /* sum of K (m_-, m_+) over the living */
    aucbench_v2 A;       /* and of sign(K) (m_-, m_+) */
} aucbench_window;

INLINE double aucbench_soft1(double x, double t)
{
    double c = t < x ? t : x;
    return x - (-t > c ? -t : c);
}

/* The first step with C >= size. */
INLINE int aucbench_death(const aucbench_window *W, double size)
{
    double at = (W->C[W->size] < size ? 0.0 : size) * W->scale;
    int k = W->C[W->size] < size ? W->size + 1 : W->first[(int)at];
    k += W->C[k] < size;
    while (W->C[k] < size)
        k++;
    return k;
}

/* Weight j had its K until step k and has another one, of sign `side`, afterwards. */
INLINE void aucbench_enter(aucbench_window *W, int at, int j, int k, double K, double size, double side)
{
    aucbench_cell *c = W->cells + j;
    int due = aucbench_death(W, size);
    due = due > k ? due : k + 1;
    W->due[j] = due;
    c->K = K;
    c->total -= K * W->Q[k] - side * W->E[k];
    due += (due > W->size) * (at & 7);
    W->deaths[2 * due] += c->m * K;
    W->deaths[2 * due + 1] += c->m * side;
    W->K += c->m * K;
    W->A += c->m * side;
}

INLINE void aucbench_leave(aucbench_window *W, int at, int j, int k)
{
    aucbench_cell *c = W->cells + j;
    int due = W->due[j], end = due <= k ? due - 1 : k;
    double alive = due > k, side = copysign(1.0, c->K);
    c->total += c->K * W->Q[end] - side * W->E[end];
    due += (due > W->size) * (at & 7);
    W->deaths[2 * due] -= c->m * c->K;
    W->deaths[2 * due + 1] -= c->m * side;
    W->K -= c->m * (alive * c->K);
    W->A -= c->m * (alive * side);
}

/* w . x after step k */
AUCBENCH_CLONES
static double aucbench_lazy_dot(
    const aucbench_window *W, int k, int stored, const double *x, const int *columns)
{
    double s = 0, r = 0, t = W->C[k], u;
    for (int at = 0; at < stored; at++) {
        u = s + x[at] * aucbench_soft1(W->cells[columns[at]].K, t);
        s = r;
        r = u;
    }
    return (s + r) / W->q[k];
}

/* w += step x after step k, then the prox of step k + 1 */
AUCBENCH_CLONES
static void aucbench_lazy_step(
    aucbench_window *to, int k, double step, int stored, const double *x, const int *columns)
{
    aucbench_window W = *to;
    double t = W.C[k], u, side;
    step *= W.q[k];
    for (int at = 0; at < stored; at++) {
        int j = columns[at];
        u = aucbench_soft1(W.cells[j].K, t) + step * x[at];
        side = copysign(1.0, u);
        aucbench_leave(&W, at, j, k);
        aucbench_enter(&W, at, j, k, u + side * t, fabs(u) + t, side);
    }
    to->K = W.K - W.deaths[2 * k + 2];
    to->A = W.A - W.deaths[2 * k + 3];
}

/* Bring all weights up to date with the window that ended, in its last step. */
AUCBENCH_CLONES
static void aucbench_lazy_end(aucbench_window *W, int d)
{
    int B = W->size;
    for (int j = 0; j < d; j++) {
        aucbench_cell *c = W->cells + j;
        int end = W->due[j] <= B ? W->due[j] - 1 : B;
        c->total += c->K * W->Q[end] - copysign(1.0, c->K) * W->E[end];
        c->K = aucbench_soft1(c->K, W->C[B]) / W->q[B];
    }
}

AUCBENCH_CLONES
static void aucbench_lazy_begin(aucbench_window *to, int d)
{
    aucbench_window W = *to;
    W.K = W.A = (aucbench_v2){0};
    for (int j = 0; j < d; j++) {
        double w = W.cells[j].K;
        aucbench_enter(&W, j, j, 0, w, fabs(w), copysign(1.0, w));
    }
    *to = W;
}

#endif
