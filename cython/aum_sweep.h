/* The sweep of the AUM along a line: thresholds T + eta d in their order, and their crossings.
 *
 * The step at which two neighbours meet is the quotient (T_b - T_a) / (d_a - d_b), rounded
 * correctly (aum_exact.h). Correct rounding is monotone: equal steps stay equal, and no two steps
 * change their order. Events whose steps are the same double are one entry. Within an entry the
 * order of the swaps does not matter. The entry ends when no neighbours meet at its step or
 * before it. Then the lines are in the order after the step, because any other order has two
 * neighbours in the wrong order.
 *
 * Adjacent slots whose neighbours meet at the same step are one run. A run is reversed at once:
 * of lines a, b, c in a run, a and c meet between (a, b) and (b, c).
 *
 * The next step is the root of a tree of minima over the slots (aum_tree.h).
 *
 * Errors are whole multiples of a unit (a power of two). So their sums, and the AUC, are exact in
 * any order. AUM = aum[0] + eta slope[0], both with twice the precision of a double.
 */
#ifndef AUCBENCH_AUM_SWEEP_H
#define AUCBENCH_AUM_SWEEP_H

#include "aum_exact.h"
#include "aum_tree.h"

enum { AUCBENCH_FULL, AUCBENCH_EXHAUSTED, AUCBENCH_STOPPED, AUCBENCH_STEP_LIMIT };

typedef struct {
    long long fp, fn; /* before a line */
} aucbench_level;

typedef struct {
    double aum[2], slope[2]; /* high and low part */
    double step, unit;
    aucbench_wide auc, tied; /* twice the area; tied: exactly at step 0 */
    long long lines, started;
    long long given; /* lines before equal ones were merged */
} aucbench_sum;

typedef struct {
    aucbench_line *line;
    aucbench_level *level;
    aucbench_tree tree;
    aucbench_sum sum;
} aucbench_sweep;

/* ---- sums -------------------------------------------------------------------------- */

AUCBENCH_INLINE long long aucbench_least(aucbench_level at)
{
    return at.fp < at.fn ? at.fp : at.fn;
}

/* Change both sums by m units times a - b. */
AUCBENCH_INLINE void aucbench_move(aucbench_sum *to, aucbench_line a, aucbench_line b, long long m)
{
    double high = (double)m, low = (double)(m - (long long)high) * to->unit;
    high *= to->unit;
    aucbench_add(to->aum, a.T, b.T, high, low);
    aucbench_add(to->slope, a.d, b.d, high, low);
}

/* ---- events ------------------------------------------------------------------------ */

/* Load the memory of a slot early, because one of the next events is there. */
AUCBENCH_INLINE void aucbench_announce(const aucbench_sweep *of, size_t slot)
{
    AUCBENCH_PREFETCH(of->tree.key[0] + slot);
    AUCBENCH_PREFETCH(of->tree.key[1] + slot / 8);
    AUCBENCH_PREFETCH(of->line + slot);
    AUCBENCH_PREFETCH(of->level + slot);
    AUCBENCH_PREFETCH(of->level + slot + 2);
}

/* Reverse the lines of the slots first..last; update sums and levels. */
AUCBENCH_INLINE void aucbench_reverse(aucbench_sweep *to, size_t first, size_t last)
{
    aucbench_line *a = to->line + first, line;
    aucbench_level *at = to->level + first, from = at[0], end, sum, level;
    size_t k = last - first + 2, i;
    long long outer;
    aucbench_wide area = {0};
    end = at[k];
    outer = aucbench_least(from) + aucbench_least(end);
    sum.fp = from.fp + end.fp;
    sum.fn = from.fn + end.fn;
    for (i = 1; i < k; i++) {
        aucbench_level other = {sum.fp - at[i].fp, sum.fn - at[i].fn};
        long long m = aucbench_least(at[i]) + aucbench_least(other) - outer;
        aucbench_move(&to->sum, a[i - 1], a[i], m);
        area = aucbench_plus(
            area, aucbench_minus(
                      aucbench_product(at[i].fp - from.fp, at[i].fn - at[i + 1].fn),
                      aucbench_product(at[i + 1].fp - at[i].fp, from.fn - at[i].fn)));
    }
    to->sum.auc = aucbench_plus(to->sum.auc, aucbench_plus(area, area));
    for (i = 0; i < k / 2; i++)
        line = a[i], a[i] = a[k - 1 - i], a[k - 1 - i] = line;
    for (i = 1; i <= k / 2; i++) {
        level = at[i];
        at[i].fp = sum.fp - at[k - i].fp, at[i].fn = sum.fn - at[k - i].fn;
        at[k - i].fp = sum.fp - level.fp, at[k - i].fn = sum.fn - level.fn;
    }
}

/* Do all events at `step`; return the step with twice the precision, or 0 if there is none. */
AUCBENCH_INLINE aucbench_quotient aucbench_pass(aucbench_sweep *to, double step)
{
    aucbench_quotient exact = {0};
    double *key = to->tree.key[0];
    size_t last_slot = to->tree.slots - 1;
    while (aucbench_first(&to->tree) <= step) {
        size_t first = (size_t)to->tree.winner[to->tree.top][0], last = first;
        while (first > 0 && key[first - 1] <= step)
            first--;
        while (last < last_slot && key[last + 1] <= step)
            last++;
        exact = aucbench_divide(to->line[first], to->line[last + 1]);
        aucbench_reverse(to, first, last);
        for (size_t q = first; q <= last; q++)
            key[q] = INFINITY;
        if (first > 0) {
            first--;
            key[first] = aucbench_meeting(to->line[first], to->line[first + 1]);
        }
        if (last < last_slot) {
            last++;
            key[last] = aucbench_meeting(to->line[last], to->line[last + 1]);
        }
        aucbench_announce(to, aucbench_lift(&to->tree, first, last));
    }
    return exact;
}

/* aum + slope * step */
AUCBENCH_INLINE double aucbench_value(const aucbench_sum *of, aucbench_quotient step)
{
    double tail, p = of->slope[0] * step.high;
    double low = fma(of->slope[0], step.high, -p)
               + (of->slope[0] * step.low + of->slope[1] * step.high);
    double high = aucbench_sum2(of->aum[0], p, &tail);
    return high + (tail + (low + of->aum[1]));
}

/* Write entries until `out` (5, capacity) is full, no event is left, or the AUM rises. */
AUCBENCH_CLONED(int, aucbench_run,
                (aucbench_sweep *to, double step_limit, int until_aum_rises, size_t capacity,
                 double *out, size_t *rows),
                (to, step_limit, until_aum_rises, capacity, out, rows))
{
    aucbench_sum *sum = &to->sum;
    double area = 4.0 * (double)to->level[sum->lines].fp * (double)to->level[0].fn;
    aucbench_quotient zero = {0};
    size_t r;
    for (r = 0; r < capacity; r++) {
        double step = sum->started ? aucbench_first(&to->tree) : 0.0;
        double aum = aucbench_value(sum, zero); /* at step 0, to which some events may round */
        aucbench_wide at = sum->started ? sum->auc : aucbench_plus(sum->tied, sum->tied);
        aucbench_quotient exact;
        *rows = r;
        if (!(step < INFINITY))
            return AUCBENCH_EXHAUSTED;
        if (step > step_limit)
            return AUCBENCH_STEP_LIMIT;
        exact = aucbench_pass(to, step);
        if (sum->started) {
            at = aucbench_plus(at, sum->auc);
            aum = aucbench_value(sum, exact);
        }
        sum->started = 1;
        sum->step = step > sum->step ? step : sum->step;
        out[r] = sum->step;
        out[capacity + r] = aum;
        out[2 * capacity + r] = sum->slope[0] + sum->slope[1];
        out[3 * capacity + r] = aucbench_nearest(at) / area;
        out[4 * capacity + r] = 2.0 * aucbench_nearest(sum->auc) / area;
        *rows = r + 1;
        if (until_aum_rises && out[2 * capacity + r] >= 0.0)
            return AUCBENCH_STOPPED;
    }
    *rows = capacity;
    return AUCBENCH_FULL;
}

/* ---- the start --------------------------------------------------------------------- */

/* Copy the lines in the given order, merge equal neighbours, and compute the levels. */
AUCBENCH_INLINE size_t aucbench_gather(
    aucbench_sweep *to, size_t count, const int *order, const double *T, const double *d,
    const long long *fp, const long long *fn)
{
    aucbench_level now = {0, 0};
    size_t lines = 0;
    for (size_t r = 0; r < count; r++)
        now.fn -= fn[r];
    for (size_t r = 0; r < count; r++) {
        size_t i = (size_t)order[r];
        aucbench_line line = {T[i], d[i]};
        if (!lines || line.T != to->line[lines - 1].T || line.d != to->line[lines - 1].d) {
            to->line[lines] = line;
            to->level[lines++] = now;
        }
        now.fp += fp[i];
        now.fn += fn[i];
    }
    to->level[lines] = now;
    return lines;
}

/* Compute AUM, slope and AUC of the lines in their order; in `tied`, equal T are one group. */
AUCBENCH_INLINE void aucbench_count(aucbench_sweep *to)
{
    const aucbench_level *at = to->level;
    size_t lines = (size_t)to->sum.lines, from = 0;
    long long all = at[0].fn;
    for (size_t q = 0; q < lines; q++) {
        to->sum.auc = aucbench_plus(
            to->sum.auc,
            aucbench_product(at[q + 1].fp - at[q].fp, 2 * all - at[q].fn - at[q + 1].fn));
        if (q + 1 < lines) {
            aucbench_move(&to->sum, to->line[q + 1], to->line[q], aucbench_least(at[q + 1]));
            if (to->line[q + 1].T == to->line[q].T)
                continue;
        }
        to->sum.tied = aucbench_plus(
            to->sum.tied,
            aucbench_product(at[q + 1].fp - at[from].fp, 2 * all - at[from].fn - at[q + 1].fn));
        from = q + 1;
    }
}

AUCBENCH_CLONED(void, aucbench_begin,
                (aucbench_sweep *to, size_t count, const int *order, const double *T,
                 const double *d, const long long *fp, const long long *fn),
                (to, count, order, T, d, fp, fn))
{
    to->sum.lines = (long long)aucbench_gather(to, count, order, T, d, fp, fn);
    aucbench_count(to);
    aucbench_root(&to->tree, (size_t)to->sum.lines);
    for (size_t q = 0; q < to->tree.slots; q++)
        to->tree.key[0][q] = aucbench_meeting(to->line[q], to->line[q + 1]);
    aucbench_grow(&to->tree);
}

/* ---- the memory of a sweep, which Python made large enough --------------------------- */

enum { AUCBENCH_HEAD = (sizeof(aucbench_sum) + 63) / 64 * 8 }; /* doubles */

/* The doubles for a sweep over some lines. Two blocks are aligned. */
static inline size_t aucbench_room_size(size_t lines)
{
    return AUCBENCH_HEAD + 4 * lines + 2 + 2 * aucbench_tree_size(lines) + 16;
}

static inline double *aucbench_aligned(double *x)
{
    return x + (64 - (uintptr_t)x % 64) % 64 / sizeof *x;
}

/* Set where the blocks of a sweep over some lines are. The eight children of a node of the tree
 * fill a cache line.
 */
static inline aucbench_sweep aucbench_blocks(double *room, size_t lines)
{
    aucbench_sweep of = {0};
    double *at = aucbench_aligned(room) + AUCBENCH_HEAD;
    of.line = (aucbench_line *)at;
    of.level = (aucbench_level *)(at + 2 * lines);
    of.tree.key[0] = aucbench_aligned(at + 4 * lines + 2);
    of.tree.winner[1] = (int *)(of.tree.key[0] + aucbench_tree_size(lines));
    return of;
}

/* Start a sweep in `room`; `aucbench_go_on` continues it. */
static inline void aucbench_start(double *room, size_t count, const int *order, const double *T,
                                  const double *d, const long long *fp, const long long *fn,
                                  double unit)
{
    aucbench_sweep S = aucbench_blocks(room, count);
    S.sum.unit = unit;
    S.sum.given = (long long)count;
    aucbench_begin(&S, count, order, T, d, fp, fn);
    memcpy(aucbench_aligned(room), &S.sum, sizeof S.sum);
}

static inline int aucbench_go_on(double *room, double step_limit, int until_aum_rises,
                                 size_t capacity, double *out, size_t *rows)
{
    aucbench_sum sum;
    aucbench_sweep S;
    int ending;
    memcpy(&sum, aucbench_aligned(room), sizeof sum);
    S = aucbench_blocks(room, (size_t)sum.given);
    S.sum = sum;
    aucbench_root(&S.tree, (size_t)sum.lines);
    ending = aucbench_run(&S, step_limit, until_aum_rises, capacity, out, rows);
    memcpy(aucbench_aligned(room), &S.sum, sizeof S.sum);
    return ending;
}

#endif
