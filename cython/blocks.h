/* Sums over the pairs of rows whose keys are in order, of one group.
 *
 * Rows come in the order of their keys. A pair is an upper row i, of share a_i, and a lower row j
 * of a larger key, of share b_j; t_i = s_i - shift. What is summed over the pairs of each row:
 *
 *     HINGE        1 over the active pairs, s_j > t_i; minus for the upper row
 *     SQUARED      2 (s_j - t_i) over the active pairs; minus for the upper row
 *     BEND         2 (u of the row - u of its partner) over the active pairs
 *     CONCORDANCE  1[t_i > s_j] + 1[t_i = s_j] / 2
 *
 * times both shares. Two keys differ first at one bit, so that a pair lies in exactly one node of a
 * binary trie, its upper row on the side of bit 0. The rows come to the root in the order of their
 * scores. A node divides them by a bit, stably, merges both sides for the sums, and hands them
 * down. A node of few rows takes all its pairs instead, without branches that depend on the data.
 */
#ifndef AUCBENCH_BLOCKS_H
#define AUCBENCH_BLOCKS_H

#include "clones.h"
#include "dense.h"

#include <math.h>
#include <stddef.h>

enum { AUCBENCH_HINGE, AUCBENCH_SQUARED, AUCBENCH_BEND, AUCBENCH_CONCORDANCE };

#define AUCBENCH_LEAF 256  /* rows of a node whose pairs are all taken (measured) */
#define AUCBENCH_LOWERS 8    /* lower rows at a time */
#define AUCBENCH_UPPERS 4  /* upper rows at a time */

#define AUCBENCH_LOOPS "blocks_loops.h"
#include "each_width.h"

typedef struct {
    int mode;
    double shift;
    int keys;               /* K, and where the rows of each key begin: first (K + 1,) */
    const int *first;
    const double *x;        /* scores, shares and u (n,), in the order of the keys */
    const double *a, *b, *u;
    double *out;            /* the sums (n,) */
    double mass;            /* share of the active pairs, or of their hinges; see aucbench_loss */
    int even;               /* whether a is 0 or 1, and b is 1 */
    /* Rows on their way down, two of each: scores, u, sums so far, and places among the keys. */
    double *xs[2], *us[2], *sums[2];
    int *place[2];
    /* Of one node: the upper rows (t, a, u, where from), sums, and places of the merge. */
    double *t, *at, *ut, *before, *behind, *before_x, *behind_x;
    int *from, *of_upper, *of_lower;
    /* Of one leaf, each with room for AUCBENCH_LOWERS more. */
    double *leaf;
    size_t room;            /* rows for which `leaf` has room */
} aucbench_order;

/* All pairs of p upper rows and n lower rows; p is a multiple of 4 and n one of 8.
 *
 * The pair of k and j counts if key[j] > key_of[k]; it is looked for from start[k] on. Keys and
 * starts rise, and padding has the largest keys, infinite for upper rows, with shares of 0.
 */
#define AUCBENCH_EACH_PAIR(name, mode)                                                           \
    AUCBENCH_CLONED(void, name,                                                                  \
                    (size_t p, const double *t, const double *a, const double *key_of,           \
                     const double *v, const double *start, size_t n, const double *x,            \
                     const double *b, const double *key, const double *u, double *up,            \
                     double *low), (p, t, a, key_of, v, start, n, x, b, key, u, up, low))        \
    {                                                                                            \
        AUCBENCH_BY_WIDTH(aucbench_all_pairs_, mode, p, t, a, key_of, v, start, n, x, b, key, u, up, low);              \
    }

AUCBENCH_EACH_PAIR(aucbench_all_hinges, AUCBENCH_HINGE)
AUCBENCH_EACH_PAIR(aucbench_all_squares, AUCBENCH_SQUARED)
AUCBENCH_EACH_PAIR(aucbench_all_bends, AUCBENCH_BEND)
AUCBENCH_EACH_PAIR(aucbench_all_orders, AUCBENCH_CONCORDANCE)

/* The factor of what the rows of a pair have found: of the upper one, and of the lower one. */
#define AUCBENCH_OF_UPPER(mode)                                                              \
    ((mode) == AUCBENCH_HINGE ? -1.0 : (mode) == AUCBENCH_CONCORDANCE ? 1.0 : -2.0)
#define AUCBENCH_OF_LOWER(mode) \
    ((mode) == AUCBENCH_HINGE || (mode) == AUCBENCH_CONCORDANCE ? 1.0 : 2.0)

/* The loss of n rows, whose sums and active share are known: with t = s - shift it is the sum of
 * out times t of upper rows, and times s of lower ones, from any origin of the scores. */
static inline double aucbench_loss(const aucbench_order *o, int n)
{
    const double origin = n ? o->x[0] : 0.0;
    double part[4] = {0.0};
    for (int r = 0; r < n; r++)
        part[r & 3] += o->out[r] * (o->x[r] - origin);
    const double sum = (part[0] + part[1]) + (part[2] + part[3]);
    return (o->mode == AUCBENCH_SQUARED ? 0.5 * sum : sum) + o->shift * o->mass;
}

/* Add to out the sums over all pairs of the rows lo..hi-1, where hi - lo <= room. */
static void aucbench_leaf(aucbench_order *o, int lo, int hi, const int *key_of_row)
{
    const size_t m = (size_t)(hi - lo), gap = o->room + AUCBENCH_LOWERS;
    double *x = o->leaf, *b = x + gap, *key = b + gap, *u = key + gap, *low = u + gap;
    double *t = low + gap, *a = t + gap, *k = a + gap, *v = k + gap, *start = v + gap;
    double *up = start + gap, *from = up + gap;
    const int bends = o->mode == AUCBENCH_BEND;
    size_t p = 0, behind = 0, whole = (m + AUCBENCH_LOWERS - 1) / AUCBENCH_LOWERS * AUCBENCH_LOWERS;
    for (size_t r = 0; r < m; r++) {
        x[r] = o->x[lo + r];
        b[r] = o->b[lo + r];
        key[r] = key_of_row[lo + r];
        u[r] = bends ? o->u[lo + r] : 0.0;
    }
    for (size_t r = m; r < whole; r++) {
        x[r] = -INFINITY;
        b[r] = u[r] = 0.0;
        key[r] = key[m - 1];
    }
    memset(low, 0, whole * sizeof(double));
    for (size_t r = 0; r < m; r++) {
        while (behind < m && !(key[behind] > key[r]))
            behind++;
        if (behind == m)
            break;
        t[p] = x[r] - o->shift;
        a[p] = o->a[lo + r];
        k[p] = key[r];
        v[p] = u[r];
        start[p] = (double)(behind / AUCBENCH_LOWERS * AUCBENCH_LOWERS);
        from[p] = (double)r;
        p += a[p] > 0.0;
    }
    size_t padded = (p + AUCBENCH_UPPERS - 1) / AUCBENCH_UPPERS * AUCBENCH_UPPERS;
    for (size_t i = p; i < padded; i++) {
        t[i] = INFINITY;
        k[i] = k[p - 1];
        a[i] = v[i] = 0.0;
        start[i] = start[p - 1];
    }
    (o->mode == AUCBENCH_HINGE     ? aucbench_all_hinges
     : o->mode == AUCBENCH_SQUARED ? aucbench_all_squares
     : o->mode == AUCBENCH_BEND    ? aucbench_all_bends
                                   : aucbench_all_orders)(padded, t, a, k, v, start, whole, x, b,
                                                          key, u, up, low);
    const double upper = AUCBENCH_OF_UPPER(o->mode), lower = AUCBENCH_OF_LOWER(o->mode);
    for (size_t i = 0; i < p; i++) {
        o->mass += a[i] * up[i];
        o->out[lo + (size_t)from[i]] += upper * a[i] * up[i];
    }
    for (size_t r = 0; r < m; r++)
        o->out[lo + r] += lower * b[r] * low[r];
}

/* Places of the other side: of_upper[i] = #{j: x_j <= t_i}, of_lower[j] = #{i: t_i < x_j}; with
 * `ties`, #{j: x_j < t_i} and #{i: t_i <= x_j}.
 *
 * Both ends are merged at a time, so that a step of one need not wait for that of the other. Places
 * are written before it is known which row a step takes; the last one that is written holds.
 */
static inline void aucbench_merge(int ties, int p, const double *t, int n, const double *x,
                                  int *of_upper, int *of_lower)
{
    int i = 0, j = 0, a = p - 1, b = n - 1;
    while (i < a && j < b) {
        const int first = ties ? t[i] <= x[j] : t[i] < x[j];
        const int last = ties ? t[a] <= x[b] : t[a] < x[b];
        of_upper[i] = j;
        of_lower[j] = i;
        of_upper[a] = b + 1;
        of_lower[b] = a + 1;
        i += first;
        j += !first;
        b -= last;
        a -= !last;
    }
    while (i <= a && j <= b) {
        const int first = ties ? t[i] <= x[j] : t[i] < x[j];
        of_upper[i] = j;
        of_lower[j] = i;
        i += first;
        j += !first;
    }
    for (; i <= a; i++)
        of_upper[i] = b + 1;
    for (; j <= b; j++)
        of_lower[j] = a + 1;
}

/* before[i] = sum of the first i of m z, i = 0..n, where z is measured from `base`. */
static inline void aucbench_before(int n, const double *m, const double *z, double base,
                                   double *before)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        before[i] = sum;
        sum += z ? m[i] * (z[i] - base) : m[i];
    }
    before[n] = sum;
}

/* behind[j] = sum of the last n - j of m z */
static inline void aucbench_behind(int n, const double *m, const double *z, double base,
                                   double *behind)
{
    double sum = 0.0;
    behind[n] = 0.0;
    for (int j = n - 1; j >= 0; j--)
        behind[j] = sum += z ? m[j] * (z[j] - base) : m[j];
}

/* Two sorted sides of a node: p upper rows, of which o has t and so on, and n lower rows. */
typedef struct {
    int p, n;
    const double *x, *u, *share; /* of the lower rows; share is not read where shares are even */
    double *upper, *lower;       /* their sums */
} aucbench_sides;

static void aucbench_even_hinges(aucbench_order *o, const aucbench_sides *e)
{
    long long mass = 0;
    for (int i = 0; i < e->p; i++) {
        const int active = e->n - o->of_upper[i];
        mass += active;
        e->upper[o->from[i]] -= active;
    }
    for (int j = 0; j < e->n; j++)
        e->lower[j] += o->of_lower[j];
    o->mass += (double)mass;
}

static void aucbench_hinges(aucbench_order *o, const aucbench_sides *e)
{
    double mass = 0.0;
    aucbench_behind(e->n, e->share, NULL, 0.0, o->behind);
    aucbench_before(e->p, o->at, NULL, 0.0, o->before);
    for (int i = 0; i < e->p; i++) {
        const double active = o->at[i] * o->behind[o->of_upper[i]];
        mass += active;
        e->upper[o->from[i]] -= active;
    }
    for (int j = 0; j < e->n; j++)
        e->lower[j] += e->share[j] * o->before[o->of_lower[j]];
    o->mass += mass;
}

/* D = sum of m (z_partner - z), where z is the score (t of an upper row), or u in a bend. */
AUCBENCH_INLINE void aucbench_apart(aucbench_order *o, const aucbench_sides *e, const double *zt,
                                    const double *zx)
{
    const double base = e->p ? zt[0] : 0.0;
    double mass = 0.0;
    aucbench_behind(e->n, e->share, NULL, 0.0, o->behind);
    aucbench_before(e->p, o->at, NULL, 0.0, o->before);
    aucbench_behind(e->n, e->share, zx, base, o->behind_x);
    aucbench_before(e->p, o->at, zt, base, o->before_x);
    for (int i = 0; i < e->p; i++) {
        const int q = o->of_upper[i];
        const double apart = o->at[i] * (o->behind_x[q] - o->behind[q] * (zt[i] - base));
        mass += apart;
        e->upper[o->from[i]] -= 2.0 * apart;
    }
    for (int j = 0; j < e->n; j++) {
        const int q = o->of_lower[j];
        e->lower[j] += 2.0 * e->share[j] * (o->before[q] * (zx[j] - base) - o->before_x[q]);
    }
    o->mass += mass;
}

/* Half of those strictly in order, and half of those in order or tied. */
static void aucbench_ordered(aucbench_order *o, const aucbench_sides *e)
{
    aucbench_before(e->n, e->share, NULL, 0.0, o->before);
    aucbench_behind(e->p, o->at, NULL, 0.0, o->behind);
    for (int ties = 0; ties < 2; ties++) {
        if (ties)
            aucbench_merge(1, e->p, o->t, e->n, e->x, o->of_upper, o->of_lower);
        for (int i = 0; i < e->p; i++)
            e->upper[o->from[i]] += 0.5 * o->at[i] * o->before[o->of_upper[i]];
        for (int j = 0; j < e->n; j++)
            e->lower[j] += 0.5 * e->share[j] * o->behind[o->of_lower[j]];
    }
}

static void aucbench_both_sides(aucbench_order *o, const aucbench_sides *e)
{
    aucbench_merge(0, e->p, o->t, e->n, e->x, o->of_upper, o->of_lower);
    if (o->mode == AUCBENCH_HINGE && o->even)
        aucbench_even_hinges(o, e);
    else if (o->mode == AUCBENCH_HINGE)
        aucbench_hinges(o, e);
    else if (o->mode == AUCBENCH_SQUARED)
        aucbench_apart(o, e, o->t, e->x);
    else if (o->mode == AUCBENCH_BEND)
        aucbench_apart(o, e, o->ut, e->u);
    else
        aucbench_ordered(o, e);
}

static inline int aucbench_first_of(const aucbench_order *o, long long key)
{
    return o->first[key < o->keys ? key : o->keys];
}

/* The pairs inside a node of the trie: keys with the same bits from `bit` + 1 on. Its rows are in
 * `from`, at lo..hi-1, in the order of their scores. */
static void aucbench_node(aucbench_order *o, int bit, long long key, int from,
                          const int *key_of_row)
{
    int lo, mid, hi;
    for (;; bit--) { /* down to a bit that divides the rows */
        lo = aucbench_first_of(o, key);
        hi = bit < 0 ? lo : aucbench_first_of(o, key + (2LL << bit));
        mid = bit < 0 ? lo : aucbench_first_of(o, key + (1LL << bit));
        if (bit < 0 || (lo < mid && mid < hi))
            break;
        if (lo == mid && mid < hi)
            key += 1LL << bit;
    }
    if (bit < 0)
        hi = aucbench_first_of(o, key + 1);
    const double *xs = o->xs[from], *us = o->us[from], *sums = o->sums[from];
    const int *place = o->place[from];
    if (bit < 0 || hi - lo <= AUCBENCH_LEAF) {
        for (int r = lo; r < hi; r++)
            o->out[place[r]] = sums[r];
        if (bit >= 0)
            aucbench_leaf(o, lo, hi, key_of_row);
        return;
    }
    const int to = 1 - from, bends = o->mode == AUCBENCH_BEND;
    double *x = o->xs[to], *u = o->us[to], *sum = o->sums[to];
    int *at = o->place[to], low = lo, high = mid, p = 0;
    for (int r = lo; r < hi; r++) {
        const int row = place[r], right = row >= mid, go = right ? high : low;
        x[go] = xs[r];
        at[go] = row;
        sum[go] = sums[r];
        if (bends)
            u[go] = us[r];
        high += right;
        low += !right;
    }
    for (int r = lo; r < mid; r++) {
        o->t[p] = x[r] - o->shift;
        o->at[p] = o->a[at[r]];
        o->from[p] = r - lo;
        if (bends)
            o->ut[p] = u[r];
        p += o->at[p] > 0.0;
    }
    double *share = o->xs[from] + mid; /* where the rows came from is free now */
    if (!(o->even && o->mode == AUCBENCH_HINGE))
        for (int r = mid; r < hi; r++)
            share[r - mid] = o->b[at[r]];
    const aucbench_sides sides = {
        p, hi - mid, x + mid, bends ? u + mid : NULL, share, sum + lo, sum + mid};
    aucbench_both_sides(o, &sides);
    aucbench_node(o, bit - 1, key, to, key_of_row);
    aucbench_node(o, bit - 1, key + (1LL << bit), to, key_of_row);
}

#endif
