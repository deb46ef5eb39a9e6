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
 * of a step after the last. Where most weights of a row live to the end of the window, or are 0
 * already, these change no record: that saves three accesses to memory for each of them.
 */
#ifndef AUCBENCH_SOFT_H
#define AUCBENCH_SOFT_H

#include "dense.h"

#include <math.h>
#include <stdint.h>

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
    aucbench_v2 *old, *now; /* (K, sign(K)) of the weights that a row stores, before and after it */
    double *live;           /* 1 for those that lived before it */
    int *bin;               /* the bins of |K| after it */
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
        int bin = aucbench_bin(side == 0 ? INFINITY : fabs(K), W.top, W.scale, j);
        W.due[j] = aucbench_death(&W, K, bin);
        W.steps[W.due[j]].death += m;
        W.level += m;
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

/* w . x after step k */
AUCBENCH_CLONED(double, aucbench_lazy_dot,
                (const aucbench_window *W, int k, int stored, const double *x, const int *columns),
                (W, k, stored, x, columns))
{
    const double C = W->steps[k].C;
    double s = 0, r = 0, u;
    aucbench_v2 *old = W->old;
    for (int at = 0; at < stored; at++) {
        double K = W->cells[columns[at]].K;
        old[at] = (aucbench_v2){K, aucbench_sign(K)};
        u = s + x[at] * aucbench_soft1(K, C);
        s = r;
        r = u;
    }
    return (s + r) / W->steps[k].q;
}

/* Step the weights of a row, without a branch or an index, so that it becomes SIMD. Weights that
 * the prox of the step makes 0 are 0 at once, and they add 0 to a sum. */
AUCBENCH_INLINE void aucbench_push(
    const aucbench_window *W, int stored, double C, double next, double step,
    const double *restrict x, const double *restrict old, double *restrict now,
    double *restrict live, int *restrict bin)
{
    const double top = W->top, scale = W->scale;
    for (int at = 0; at < stored; at++) {
        double K = old[2 * at], u = aucbench_soft1(K, C) + step * x[at], size = fabs(u) + C;
        live[at] = fabs(K) > C ? 1.0 : 0.0;
        now[2 * at] = size <= next ? 0.0 : u + copysign(C, u);
        now[2 * at + 1] = size <= next ? 0.0 : copysign(1.0, u);
        bin[at] = aucbench_bin(size <= next ? INFINITY : size, top, scale, at);
    }
}

/* Whether a weight with this K lives to the end of the window, or is 0 already. */
AUCBENCH_INLINE int aucbench_stays(double K, double top)
{
    return (fabs(K) > top) | (K == 0);
}

/* Whether many of the first weights of a row do not stay, before or after the step. */
AUCBENCH_INLINE int aucbench_many_move(
    int stored, double top, const double *old, const double *now)
{
    const int looked = stored < 32 ? stored : 32;
    int count = 0;
    for (int at = 0; at < looked; at++)
        count += !(aucbench_stays(old[2 * at], top) & aucbench_stays(now[2 * at], top));
    return 4 * count > looked;
}

/* Change the sums by weight `at` of a row, in column j, and the records of its deaths. */
AUCBENCH_INLINE void aucbench_change(aucbench_window *W, int at, int j, aucbench_v2 paid)
{
    aucbench_cell *c = W->cells + j;
    aucbench_step *s = W->steps + W->due[j];
    aucbench_v2 old = W->old[at], now = W->now[at], alive = old * W->live[at];
    aucbench_v2 change = now - alive, sum = (old - alive) * s->paid - change * paid;
    aucbench_v4 m;
    aucbench_means(c, &m);
    s->death -= m * AUCBENCH_TWICE(old);
    W->level += m * AUCBENCH_TWICE(change);
    W->due[j] = aucbench_death(W, now[0], W->bin[at]);
    W->steps[W->due[j]].death += m * AUCBENCH_TWICE(now);
    c->K = now[0];
    c->total += sum[0] + sum[1];
}

/* The same for a weight that stays, of which no record is read again. */
AUCBENCH_INLINE void aucbench_change_sums(aucbench_window *W, int at, int j, aucbench_v2 paid)
{
    aucbench_cell *c = W->cells + j;
    aucbench_v2 now = W->now[at], change = now - W->old[at], sum = change * paid;
    aucbench_v4 m;
    aucbench_means(c, &m);
    W->level += m * AUCBENCH_TWICE(change);
    c->K = now[0];
    c->total -= sum[0] + sum[1];
}

/* w += step x after step k, then the prox of step k + 1; after aucbench_lazy_dot of this row. The
 * cells of the next row, `soon`, are loaded early. */
AUCBENCH_CLONED(void, aucbench_lazy_step,
                (aucbench_window *to, int k, double step, int stored, const double *x,
                 const int *columns, int later, const int *soon),
                (to, k, step, stored, x, columns, later, soon))
{
    aucbench_window W = *to;
    const aucbench_v2 paid = W.steps[k + 1].paid;
    double *old = (double *)W.old, *now = (double *)W.now;
    aucbench_push(&W, stored, W.steps[k].C, W.steps[k + 1].C, step * W.steps[k].q, x, old, now,
        W.live, W.bin);
    /* Where many move, a branch for each is hard to predict and saves little. */
    const int many = aucbench_many_move(stored, W.top, old, now);
    for (int at = 0; at < stored; at++) {
        if (at < later)
            AUCBENCH_PREFETCH(W.cells + soon[at]);
        if (many || !(aucbench_stays(old[2 * at], W.top) & aucbench_stays(now[2 * at], W.top)))
            aucbench_change(&W, at, columns[at], paid);
        else
            aucbench_change_sums(&W, at, columns[at], paid);
    }
    for (int at = stored; at < later; at++)
        AUCBENCH_PREFETCH(W.cells + soon[at]);
    to->level = W.level - W.steps[k + 1].death;
}

#endif
