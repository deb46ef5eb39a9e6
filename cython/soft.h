/* Soft-thresholding of all weights, which SPAM needs after each row: at once, or lazily.
 *
 * At once: one loop reads w, its sum and m, and writes w and the sum. Three functions would read
 * w three times. The sums of the dot product have 8 lanes (each_width.h). Soft-thresholding works
 * on bits, because vectors have no ternary operator in C.
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
 * before and after the step: they change no record. Loops that become SIMD step four weights at a
 * time; those that do change a record are listed, and follow when all weights of the row are done.
 */
#ifndef AUCBENCH_SOFT_H
#define AUCBENCH_SOFT_H

#include "dense.h"

#include <math.h>
#include <stdint.h>

#define AUCBENCH_LOOPS "soft_loops.h"
#include "each_width.h"

/* w <- soft(w, t) * shrink; sum += w; returns m . w. NaN stays NaN. */
AUCBENCH_CLONED(double, aucbench_soft,
                (size_t d, double t, double shrink, const double *m, double *w, double *sum),
                (d, t, shrink, m, w, sum))
{
    return AUCBENCH_BY_WIDTH(aucbench_soft_, d, t, shrink, m, w, sum);
}

#define AUCBENCH_NEVER 8 /* steps after the last; with one, additions would wait */
#define AUCBENCH_BINS 4  /* per step, so that most searches end in the first bin */

typedef struct {
    double K;     /* sign(w) (|w| q + C), when a row last stored w */
    double total; /* sum of its values, without (K, sign(w)) . (paid - paid then) */
    double m[2];  /* m_-, m_+ */
} aucbench_cell;

typedef struct {
    double C;        /* infinite after the last step */
    double q;
    double paid[2];  /* sums of 1 / q and of -C / q over the steps before it */
    double death[4]; /* what the weights that die here subtract from the level */
} aucbench_step;

/* A window: the steps 0..size, where 0 is the state before the first, and d weights. */
typedef struct {
    aucbench_cell *cells;
    int *due; /* of each weight, the step at which it dies: the first with C >= |K| */
    aucbench_step *steps;
    int size;
    int *first; /* of each bin of |K|, the first step with C in that bin or a later one */
    double top, scale;
    double level[4]; /* sums over living weights of m_- K, m_- sign(K), m_+ K, m_+ sign(K) */
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

/* sums += (m_- K, m_- side, m_+ K, m_+ side) */
AUCBENCH_INLINE void aucbench_enter(double *sums, const double *m, double K, double side)
{
    const double of[4] = {m[0], m[0], m[1], m[1]}, by[4] = {K, side, K, side};
    for (int l = 0; l < 4; l++)
        sums[l] += of[l] * by[l];
}

/* sums -= the same */
AUCBENCH_INLINE void aucbench_leave(double *sums, const double *m, double K, double side)
{
    const double of[4] = {m[0], m[0], m[1], m[1]}, by[4] = {K, side, K, side};
    for (int l = 0; l < 4; l++)
        sums[l] -= of[l] * by[l];
}

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
    memset(W.level, 0, sizeof W.level);
    for (int j = 0; j < d; j++) {
        const double K = W.cells[j].K, side = aucbench_sign(K);
        aucbench_enter(W.level, W.cells[j].m, K, side);
        W.due[j] = W.size + 1 + j % AUCBENCH_NEVER;
        if (fabs(K) <= W.top && side != 0) {
            W.due[j] = aucbench_death(&W, K, aucbench_bin(fabs(K), W.top, W.scale, j));
            aucbench_enter(W.steps[W.due[j]].death, W.cells[j].m, K, side);
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

/* w . x after step k; keeps K */
AUCBENCH_CLONED_NARROW(double, aucbench_lazy_dot,
                       (const aucbench_window *W, int k, int stored, const double *x,
                        const int *columns),
                       (W, k, stored, x, columns))
{
    const double C = W->steps[k].C;
    double *old = W->old;
    double s[2] = {0, 0}; /* two sums: each addition waits for the last */
    int at = 0;
    for (; at + 4 <= stored; at += 4) {
        double p[4];
        for (int l = 0; l < 4; l++)
            old[at + l] = W->cells[columns[at + l]].K;
        for (int l = 0; l < 4; l++)
            p[l] = x[at + l] * aucbench_soft1(old[at + l], C);
        for (int l = 0; l < 4; l++)
            s[l & 1] += p[l];
    }
    for (int l = 0; at < stored; at++, l++) {
        old[at] = W->cells[columns[at]].K;
        s[l & 1] += x[at] * aucbench_soft1(old[at], C);
    }
    return (s[0] + s[1]) / W->steps[k].q;
}

/* Move the weight in column j, the value `at` of a row, from the record of one death to that of
 * another, and complete its sum. */
AUCBENCH_INLINE void aucbench_move(
    const aucbench_window *W, double C, const double *paid, int at, int j)
{
    aucbench_cell *c = W->cells + j;
    aucbench_step *s = W->steps + W->due[j];
    const double K = W->old[at], side = aucbench_sign(K), now = aucbench_sign(c->K);
    const double alive = fabs(K) > C ? K : 0, living = fabs(K) > C ? side : 0;
    const int bin = aucbench_bin(c->K == 0 ? INFINITY : fabs(c->K), W->top, W->scale, at);
    aucbench_leave(s->death, c->m, K, side);
    W->due[j] = aucbench_death(W, c->K, bin);
    aucbench_enter(W->steps[W->due[j]].death, c->m, c->K, now);
    c->total += ((K - alive) * s->paid[0] - (c->K - alive) * paid[0])
              + ((side - living) * s->paid[1] - (now - living) * paid[1]);
}

/* Whether 0 < |K| <= top. Elsewhere K lives to the end of the window, or is 0 already. */
AUCBENCH_INLINE int aucbench_moves(double K, double top)
{
    return (fabs(K) > 0) & (fabs(K) <= top);
}

/* A row, and the step that it takes. */
typedef struct {
    double C, next; /* of the step before, and of this one */
    double paid[2];
    double step;
    const double *x;
    const int *columns;
} aucbench_row;

/* Step up to four weights of a row, at `at`. Weights that the prox of the step makes 0 are 0 at
 * once, and they add 0 to a sum. No record of a weight that stays is read again, so none changes.
 * Those that move are added to the list, of `moved` so far; returns how long it is then. */
AUCBENCH_INLINE int aucbench_step4(
    aucbench_window *W, const aucbench_row *row, int at, const int count, int moved)
{
    const double C = row->C, top = W->top;
    const double *old = W->old + at, *x = row->x + at;
    double now[4], dK[4], dside[4], sum[4];
    int64_t moves[4], any = 0;
    for (int l = 0; l < count; l++) {
        const double K = old[l], u = aucbench_soft1(K, C) + row->step * x[l];
        const double size = fabs(K), side = copysign(size > 0 ? 1.0 : 0.0, K);
        const int lives = size > C, left = !(fabs(u) + C <= row->next); /* NaN stays NaN */
        now[l] = left ? u + copysign(C, u) : 0;
        dK[l] = now[l] - (lives ? K : 0);
        dside[l] = (left ? copysign(1.0, u) : 0) - (lives ? side : 0);
        moves[l] = aucbench_moves(K, top) | aucbench_moves(now[l], top);
        sum[l] = moves[l] ? 0 : dK[l] * row->paid[0] + dside[l] * row->paid[1];
    }
    for (int l = 0; l < count; l++)
        any |= moves[l];
    if (any)
        for (int l = 0; l < count; l++) {
            W->moved[moved] = at + l;
            moved += (int)moves[l];
        }
    for (int l = 0; l < count; l++) {
        aucbench_cell *c = W->cells + row->columns[at + l];
        aucbench_enter(W->level, c->m, dK[l], dside[l]);
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
    const aucbench_row row = {
        s[0].C, s[1].C, {s[1].paid[0], s[1].paid[1]}, step * s[0].q, x, columns};
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
    for (int l = 0; l < 4; l++)
        to->level[l] = W.level[l] - s[1].death[l];
}

#endif
