/* Soft-thresholding of all weights, which SPAM needs after each row: at once, or lazily.
 *
 * At once: one loop reads w, its sum and m, and writes w and the sum. Three functions would read
 * w three times. The sums of the dot product have 8 lanes (clones.h). Soft-thresholding works on
 * bits, because vectors have no ternary operator in C.
 *
 * Lazily: a weight that a row does not store changes in a known way. Take a window of steps. Let
 * q_k be the product of 1 + eta_i l2 over the steps i up to k, and C_k the sum of
 * l1 eta_i q_{i-1}. A weight that a row last stored at step h has |w_k| = max(0, K - C_k) / q_k
 * with K = |w_h| q_h + C_h, until a row stores it again. So the sum of its values follows from
 * two running sums. Say that a weight dies at the step at which it becomes 0; K determines that
 * step. Over the weights that live, w . m = (sum of m K - C_k times the sum of m sign(K)) / q_k.
 * Each step has a record of what the weights that die at it subtract from these sums. Weights
 * that are 0 already never die.
 *
 * A row of s values costs O(s), without branches that are hard to predict. To avoid them, a dead
 * weight subtracts from the record of a past step, and a weight that never dies from the record
 * of a step after the last. Most weights of a row live to the end of the window, or are 0 already,
 * before and after the step: they change no record. Four weights at a time are stepped as vectors;
 * those that do change a record are listed, and follow when all weights of the row are done.
 */
#ifndef AUCBENCH_SOFT_H
#define AUCBENCH_SOFT_H

#include "dense.h"

#include <math.h>
#include <stdint.h>

/* All functions of vectors are inlined: how vectors are passed to a function plays no part. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef int64_t aucbench_i8 __attribute__((vector_size(64)));

/* w <- soft(w, t) * shrink; sum += w; returns m . w. NaN stays NaN. */
AUCBENCH_CLONED(double, aucbench_soft,
                (size_t d, double t, double shrink, const double *restrict m, double *restrict w,
                 double *restrict sum), (d, t, shrink, m, w, sum))
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
        u = a + r * u; /* two sums in turn: each addition waits for the last */
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

typedef int64_t aucbench_i4 __attribute__((vector_size(32)));

#define AUCBENCH_NEVER 8 /* steps after the last; with one, additions would wait */
#define AUCBENCH_BINS 4  /* per step, so that most searches end in the first bin */

typedef struct {
    double K;     /* sign(w) (|w| q + C), when a row last stored w */
    double total; /* sum of its values, without (K, sign(w)) . (paid - paid then) */
    double m[2];  /* m_-, m_+ */
} aucbench_cell;

typedef struct {
    double C;          /* infinite after the last step */
    double q;
    aucbench_v2 paid;  /* sums of 1 / q and of -C / q over the steps before it */
    aucbench_v4 death; /* what the weights that die here subtract from the level */
} aucbench_step;

/* A window: the steps 0..size, where 0 is the state before the first, and d weights. */
typedef struct {
    aucbench_cell *cells;
    int *due; /* of each weight, the step at which it dies: the first with C >= |K| */
    aucbench_step *steps;
    int size;
    int *first; /* of each bin of |K|, the first step with C in that bin or a later one */
    double top, scale;
    aucbench_v4 level; /* sums over living weights of m_- K, m_- sign(K), m_+ K, m_+ sign(K) */
    double *old; /* K of the weights that a row stores, before it; there is room for 3 more */
    int *moved;  /* which of them are listed by aucbench_step4; room for 3 more */
} aucbench_window;

AUCBENCH_INLINE double aucbench_soft1(double x, double t)
{
    double c = t < x ? t : x;
    return x - (-t > c ? -t : c);
}

AUCBENCH_INLINE int aucbench_bin(double K, double top, double scale, int spread)
{
    return (int)((K < top ? K : top) * scale) + (K > top) * (1 + spread % AUCBENCH_NEVER);
}

/* The first step with C >= |K|, where |K| is in this bin. */
AUCBENCH_INLINE int aucbench_death(const aucbench_window *W, double K, int bin)
{
    int due = W->first[bin];
    while (W->steps[due].C < fabs(K))
        due++;
    return due;
}

AUCBENCH_INLINE double aucbench_sign(double x)
{
    return copysign(fabs(x) > 0 ? 1.0 : 0.0, x);
}

/* m_-, m_-, m_+, m_+ */
AUCBENCH_INLINE void aucbench_means(const aucbench_cell *c, aucbench_v4 *m)
{
    memcpy(m, c, sizeof *m);
    *m = __builtin_shuffle(*m, (aucbench_i4){2, 2, 3, 3});
}

#define AUCBENCH_TWICE(a) ((aucbench_v4){(a)[0], (a)[1], (a)[0], (a)[1]})

/* Set up the bins of C; with a NaN or an infinity there is one bin, and no index is wrong. */
static void aucbench_index(aucbench_window *W)
{
    double last = W->steps[W->size].C;
    int i = 0, k;
    W->top = last > 1e-300 && last < 1e300 ? last : 0.0;
    W->scale = W->top > 0 ? AUCBENCH_BINS * W->size / W->top : 0.0;
    for (k = 0; k <= W->size; k++)
        while (i <= aucbench_bin(fmin(W->steps[k].C, W->top), W->top, W->scale, 0))
            W->first[i++] = k;
    for (k = 0; k < AUCBENCH_NEVER; k++) {
        W->first[i + k] = W->size + 1 + k;
        W->steps[W->size + 1 + k].C = INFINITY;
    }
}

/* Begin a window: enter all weights with K = w. */
AUCBENCH_CLONED(void, aucbench_lazy_begin, (aucbench_window *to, int d), (to, d))
{
    aucbench_index(to);
    aucbench_window W = *to;
    W.level = (aucbench_v4){0};
    for (int j = 0; j < d; j++) {
        double K = W.cells[j].K, side = aucbench_sign(K);
        aucbench_v4 m;
        aucbench_means(W.cells + j, &m);
        m *= (aucbench_v4){K, side, K, side};
        W.level += m;
        W.due[j] = W.size + 1 + j % AUCBENCH_NEVER;
        if (fabs(K) <= W.top && side != 0) {
            W.due[j] = aucbench_death(&W, K, aucbench_bin(fabs(K), W.top, W.scale, j));
            W.steps[W.due[j]].death += m;
        }
    }
    *to = W;
}

/* End a window: K = w after the last step, and all sums are complete. */
AUCBENCH_CLONED(void, aucbench_lazy_end, (aucbench_window *W, int d), (W, d))
{
    const aucbench_step *last = W->steps + W->size, *s;
    for (int j = 0; j < d; j++) {
        aucbench_cell *c = W->cells + j;
        s = W->due[j] <= W->size ? W->steps + W->due[j] : last + 1;
        c->total += c->K * s->paid[0] + aucbench_sign(c->K) * s->paid[1];
        c->K = aucbench_soft1(c->K, last->C) / last->q;
    }
}

/* Four values at a time: bits of a where the mask is set, and of b elsewhere. */
AUCBENCH_INLINE aucbench_v4 aucbench_choose(aucbench_i4 mask, aucbench_v4 a, aucbench_v4 b)
{
    return (aucbench_v4)(((aucbench_i4)a & mask) | ((aucbench_i4)b & ~mask));
}

AUCBENCH_INLINE aucbench_v4 aucbench_where(aucbench_i4 mask, aucbench_v4 a)
{
    return (aucbench_v4)((aucbench_i4)a & mask);
}

AUCBENCH_INLINE aucbench_v4 aucbench_abs4(aucbench_v4 x)
{
    return (aucbench_v4)((aucbench_i4)x & INT64_MAX);
}

AUCBENCH_INLINE aucbench_v4 aucbench_copysign4(aucbench_v4 size, aucbench_v4 x)
{
    return (aucbench_v4)((aucbench_i4)size | ((aucbench_i4)x & INT64_MIN));
}

AUCBENCH_INLINE aucbench_v4 aucbench_soft4(aucbench_v4 x, aucbench_v4 t)
{
    aucbench_v4 c = aucbench_choose(t < x, t, x);
    return x - aucbench_choose(-t > c, -t, c);
}

/* The first `count` values at x, then zeros. */
AUCBENCH_INLINE aucbench_v4 aucbench_some4(const double *x, int count)
{
    aucbench_v4 v = {0};
    if (count == 4)
        memcpy(&v, x, sizeof v);
    else
        for (int l = 0; l < count; l++)
            v[l] = x[l];
    return v;
}

/* The products of up to four values at `at` with their weights; keeps K. */
AUCBENCH_INLINE aucbench_v4 aucbench_products(
    const aucbench_window *W, double C, int at, int count, const double *x, const int *columns)
{
    const aucbench_cell *c = W->cells;
    const int *j = columns + at;
    aucbench_v4 K = {0};
    if (count == 4)
        K = (aucbench_v4){c[j[0]].K, c[j[1]].K, c[j[2]].K, c[j[3]].K};
    else
        for (int l = 0; l < count; l++)
            K[l] = c[j[l]].K;
    memcpy(W->old + at, &K, sizeof K);
    return aucbench_some4(x + at, count) * aucbench_soft4(K, (aucbench_v4){0} + C);
}

/* w . x after step k */
AUCBENCH_CLONED_NARROW(double, aucbench_lazy_dot,
                       (const aucbench_window *W, int k, int stored, const double *x,
                        const int *columns),
                       (W, k, stored, x, columns))
{
    const double C = W->steps[k].C;
    aucbench_v2 s = {0, 0}; /* two sums: each addition waits for the last */
    aucbench_v4 p;
    int at = 0;
    for (; at + 4 <= stored; at += 4) {
        p = aucbench_products(W, C, at, 4, x, columns);
        for (int l = 0; l < 4; l += 2)
            s += (aucbench_v2){p[l], p[l + 1]};
    }
    if (at < stored) {
        p = aucbench_products(W, C, at, stored - at, x, columns);
        for (int l = 0; l < 4; l += 2)
            s += (aucbench_v2){p[l], p[l + 1]};
    }
    return (s[0] + s[1]) / W->steps[k].q;
}

/* Move the weight in column j, the value `at` of a row, from the record of one death to that of
 * another, and complete its sum. */
AUCBENCH_INLINE void aucbench_move(
    const aucbench_window *W, double C, aucbench_v2 paid, int at, int j)
{
    aucbench_cell *c = W->cells + j;
    aucbench_step *s = W->steps + W->due[j];
    const double K = W->old[at];
    const int bin = aucbench_bin(c->K == 0 ? INFINITY : fabs(c->K), W->top, W->scale, at);
    const aucbench_v2 old = {K, aucbench_sign(K)}, now = {c->K, aucbench_sign(c->K)};
    const aucbench_v2 alive = fabs(K) > C ? old : (aucbench_v2){0, 0};
    const aucbench_v2 sum = (old - alive) * s->paid - (now - alive) * paid;
    aucbench_v4 m;
    aucbench_means(c, &m);
    s->death -= m * AUCBENCH_TWICE(old);
    W->due[j] = aucbench_death(W, c->K, bin);
    W->steps[W->due[j]].death += m * AUCBENCH_TWICE(now);
    c->total += sum[0] + sum[1];
}

/* Negative where 0 < |K| <= top. Elsewhere K lives to the end of the window, or is 0 already.
 * Positive doubles are ordered as their bits are. */
AUCBENCH_INLINE aucbench_i4 aucbench_moves(aucbench_v4 K, double top)
{
    const aucbench_i4 size = (aucbench_i4)aucbench_abs4(K) - 1;
    return (size - (aucbench_i4)((aucbench_v4){0} + top)) & ~size;
}

AUCBENCH_INLINE int aucbench_any_negative(aucbench_i4 a)
{
    return ((a[0] | a[1]) | (a[2] | a[3])) < 0;
}

/* A row, and the step that it takes. */
typedef struct {
    double C, next; /* of the step before, and of this one */
    aucbench_v2 paid;
    double step;
    const double *x;
    const int *columns;
} aucbench_row;

/* Step up to four weights of a row, at `at`. Weights that the prox of the step makes 0 are 0 at
 * once, and they add 0 to a sum. No record of a weight that stays is read again, so none changes.
 * Those that move are added to the list, of `moved` so far; returns how long it is then. */
AUCBENCH_INLINE int aucbench_step4(
    aucbench_window *W, const aucbench_row *row, int at, int count, int moved)
{
    const aucbench_v4 one = (aucbench_v4){0} + 1.0, C = (aucbench_v4){0} + row->C;
    aucbench_v4 K, u, size, now, side, dK, dside, sum;
    aucbench_i4 lives, left, moves;
    memcpy(&K, W->old + at, sizeof K);
    u = aucbench_soft4(K, C) + row->step * aucbench_some4(row->x + at, count);
    size = aucbench_abs4(K);
    lives = size > C;
    side = aucbench_copysign4(aucbench_where(size > 0.0, one), K);
    left = ~(aucbench_abs4(u) + C <= row->next); /* NaN stays NaN */
    now = aucbench_where(left, u + aucbench_copysign4(C, u));
    dK = now - aucbench_where(lives, K);
    dside = aucbench_where(left, aucbench_copysign4(one, u)) - aucbench_where(lives, side);
    moves = aucbench_moves(K, W->top) | aucbench_moves(now, W->top);
    sum = aucbench_where(~(moves >> 63), dK * row->paid[0] + dside * row->paid[1]);
    if (aucbench_any_negative(moves))
        for (int l = 0; l < count; l++) {
            W->moved[moved] = at + l;
            moved += moves[l] < 0;
        }
    for (int l = 0; l < count; l++) {
        aucbench_cell *c = W->cells + row->columns[at + l];
        aucbench_v4 m;
        aucbench_means(c, &m);
        W->level += m * (aucbench_v4){dK[l], dside[l], dK[l], dside[l]};
        c->K = now[l];
        c->total -= sum[l];
    }
    return moved;
}

/* w += step x after step k, then the prox of step k + 1; after aucbench_lazy_dot of this row. The
 * cells of the next row, `soon`, are loaded early, into the second cache: the first has no room for
 * two rows. */
AUCBENCH_CLONED_NARROW(void, aucbench_lazy_step,
                       (aucbench_window *to, int k, double step, int stored, const double *x,
                        const int *columns, int later, const int *soon),
                       (to, k, step, stored, x, columns, later, soon))
{
    aucbench_window W = *to;
    const aucbench_step *s = W.steps + k;
    const aucbench_row row = {s[0].C, s[1].C, s[1].paid, step * s[0].q, x, columns};
    int at = 0, moved = 0;
    for (; at + 4 <= stored; at += 4) {
        if (at + 4 <= later)
            for (int l = 0; l < 4; l++)
                AUCBENCH_PREFETCH_FAR(W.cells + soon[at + l]);
        moved = aucbench_step4(&W, &row, at, 4, moved);
    }
    for (int l = later < at ? later & ~3 : at; l < later; l++)
        AUCBENCH_PREFETCH_FAR(W.cells + soon[l]);
    if (at < stored)
        moved = aucbench_step4(&W, &row, at, stored - at, moved);
    for (int l = 0; l < moved; l++)
        AUCBENCH_PREFETCH(W.due + columns[W.moved[l]]);
    for (int l = 0; l < moved; l++)
        AUCBENCH_PREFETCH(W.steps + W.due[columns[W.moved[l]]]);
    for (int l = 0; l < moved; l++)
        aucbench_move(&W, row.C, row.paid, W.moved[l], columns[W.moved[l]]);
    to->level = W.level - W.steps[k + 1].death;
}

#endif
