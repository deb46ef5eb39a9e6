/* The orders of points of the plane along its directions, exactly for any finite doubles.
 *
 * A direction e is given by a turn d: e is d turned back by a right angle, e = (d.y, -d.x). So
 * e . v = v.x d.y - v.y d.x, and where a direction moves on, by a turn to the left, it moves to d.
 * A pair of points whose difference is d is level at e, and just after e the first one is above.
 * All that is asked of directions is therefore the sign of (p - q) x (r - s), of four points.
 */
#ifndef AUCBENCH_DIRECTIONS_H
#define AUCBENCH_DIRECTIONS_H

#include "twice.h"
#include "whole_sums.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { AUCBENCH_SHORT = 16 }; /* rows that are compared pair by pair */

typedef struct {
    double x, y;
} aucbench_spot;

AUCBENCH_INLINE int aucbench_sign(double a)
{
    return (a > 0.0) - (a < 0.0);
}

/* The sign of (p - q) x (r - s), where it is 0 or near it. */
static int aucbench_side_closely(aucbench_spot p, aucbench_spot q, aucbench_spot r,
                                 aucbench_spot s)
{
    double a_low, b_low, c_low, d_low, left_low, right_low, size, low;
    const double a = aucbench_sum2(p.x, -q.x, &a_low), b = aucbench_sum2(r.y, -s.y, &b_low);
    const double c = aucbench_sum2(p.y, -q.y, &c_low), d = aucbench_sum2(r.x, -s.x, &d_low);
    const double left = a * b, right = c * d;
    const int left_sign = aucbench_sign(a) * aucbench_sign(b);
    const int right_sign = aucbench_sign(c) * aucbench_sign(d);
    uint64_t words[AUCBENCH_WORDS] = {0};
    if (left_sign != right_sign || left_sign == 0) /* the sign of a difference is exact */
        return aucbench_sign(left_sign - right_sign);
    size = fabs(left) + fabs(right);
    if (size > 1e-250 && size < 1e300) {
        left_low = fma(a, b, -left);
        right_low = fma(c, d, -right);
        if (left == right && left_low == right_low && a_low == 0.0 && b_low == 0.0 &&
            c_low == 0.0 && d_low == 0.0)
            return 0;
        /* left - right is exact as they are near each other; what follows errs by 50 2^-106 */
        low = (left_low - right_low) + ((a * b_low + a_low * b) - (c * d_low + c_low * d));
        low += left - right;
        if (fabs(low) > 2e-30 * size)
            return aucbench_sign(low);
    }
    if (!(isfinite(p.x) && isfinite(p.y) && isfinite(q.x) && isfinite(q.y) && isfinite(r.x) &&
          isfinite(r.y) && isfinite(s.x) && isfinite(s.y)))
        return 0;
    aucbench_add_product(words, 1, p.x, r.y);
    aucbench_add_product(words, -1, p.x, s.y);
    aucbench_add_product(words, -1, q.x, r.y);
    aucbench_add_product(words, 1, q.x, s.y);
    aucbench_add_product(words, -1, p.y, r.x);
    aucbench_add_product(words, 1, p.y, s.x);
    aucbench_add_product(words, 1, q.y, r.x);
    aucbench_add_product(words, -1, q.y, s.x);
    return aucbench_sign_of(words);
}

/* The sign of (p - q) x (r - s) */
AUCBENCH_INLINE int aucbench_side_of(aucbench_spot p, aucbench_spot q, aucbench_spot r,
                                     aucbench_spot s)
{
    const double left = (p.x - q.x) * (r.y - s.y), right = (p.y - q.y) * (r.x - s.x);
    const double size = fabs(left) + fabs(right), gap = left - right;
    if (fabs(gap) > 1e-15 * size && size > 1e-250) /* it errs by 4 2^-53 of the size */
        return gap > 0.0 ? 1 : -1;
    return aucbench_side_closely(p, q, r, s);
}

/* Sort the numbers of items in place, stably; fast where nearly all are in order. `after` need not
 * be an order: it ends, and keeps each item. */
#define AUCBENCH_EXACT_SORT(name, context, after)                                               \
    static void name(const context *of, int32_t *items, int32_t *spare, size_t n)               \
    {                                                                                           \
        for (size_t width = 1; width < n; width *= 2)                                           \
            for (size_t start = 0; start + width < n; start += 2 * width) {                     \
                const size_t end = n - start < 2 * width ? n : start + 2 * width;               \
                size_t i = 0, j = start + width, k = start;                                     \
                if (!after(of, items[j - 1], items[j]))                                         \
                    continue;                                                                   \
                memcpy(spare, items + start, width * sizeof *items);                            \
                while (i < width && j < end)                                                    \
                    items[k++] = after(of, spare[i], items[j]) ? items[j++] : spare[i++];       \
                memcpy(items + k, spare + i, (width - i) * sizeof *items);                      \
            }                                                                                   \
    }

/* The direction at which p passes above q, and the points. */
typedef struct {
    const aucbench_spot *points;
    aucbench_spot p, q;
} aucbench_direction;

/* Whether point i is above j (1), level (0) or below (-1) */
AUCBENCH_INLINE int aucbench_level(const aucbench_direction *at, int32_t i, int32_t j)
{
    return aucbench_side_of(at->points[i], at->points[j], at->p, at->q);
}

/* Whether i is above j just after the direction. Where they are level, i - j is a multiple of d. */
AUCBENCH_INLINE int aucbench_above(const aucbench_direction *at, int32_t i, int32_t j)
{
    const aucbench_spot a = at->points[i], b = at->points[j];
    const int level = aucbench_level(at, i, j), turn = aucbench_sign(at->p.x - at->q.x);
    if (level != 0)
        return level > 0;
    return turn != 0 ? aucbench_sign(a.x - b.x) * turn > 0
                     : aucbench_sign(a.y - b.y) * aucbench_sign(at->p.y - at->q.y) > 0;
}

AUCBENCH_EXACT_SORT(aucbench_sort_points, aucbench_direction, aucbench_above)

/* Sort the points by their places just after a direction, and write these places, and those just
 * before it, where points that are level have the opposite order. twice[0] and twice[1] become
 * 2 #{concordant pairs} + #{pairs of equal points}, before and after. */
static void aucbench_places(const aucbench_direction *at, size_t n, const int64_t *pos,
                            const int64_t *neg, int32_t *order, int32_t *spare, int32_t *before,
                            int32_t *after, int64_t *twice)
{
    int64_t below = 0;
    aucbench_sort_points(at, order, spare, n);
    twice[0] = twice[1] = 0;
    for (size_t start = 0, end; start < n; start = end) {
        int64_t under = below;
        for (end = start + 1; end < n && aucbench_level(at, order[end - 1], order[end]) == 0;)
            end++;
        for (size_t k = start; k < end; k++) {
            const int32_t up = order[k], down = order[start + end - 1 - k];
            after[up] = (int32_t)k;
            before[down] = (int32_t)k;
            twice[1] += pos[up] * (2 * below + neg[up]);
            twice[0] += pos[down] * (2 * under + neg[down]);
            below += neg[up];
            under += neg[down];
        }
    }
}

/* Pairs of a point of P, which holds positive rows, and one of N that change their order between
 * two directions. Some of them are listed: one of each `stride`, up to `room`. */
typedef struct {
    const int32_t *first;      /* places at the first direction */
    const int64_t *pos, *neg;  /* rows of each point */
    int64_t *spare;            /* for the larger of P and N */
    int64_t gain;              /* pairs of rows that become concordant */
    int64_t count, next, stride;
    size_t room, listed;
    int32_t *up, *low;         /* of each listed pair, the point that passes above the other one */
    unsigned char *gains;
} aucbench_turns;

/* An item is the place of a point at the second direction, and its number. */
AUCBENCH_INLINE int32_t aucbench_point_of(int64_t item)
{
    return (int32_t)(item & INT32_MAX);
}

AUCBENCH_INLINE void aucbench_list(aucbench_turns *t, int64_t item, const int64_t *others,
                                   size_t m, unsigned char gains)
{
    const int32_t own = aucbench_point_of(item);
    for (; t->next < t->count + (int64_t)m && t->listed < t->room; t->next += t->stride) {
        const int32_t other = aucbench_point_of(others[t->next - t->count]);
        t->up[t->listed] = gains ? own : other;
        t->low[t->listed] = gains ? other : own;
        t->gains[t->listed++] = gains;
    }
    t->count += (int64_t)m;
}

static void aucbench_insert(int64_t *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const int64_t item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1] > item; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Merge the sorted items before and from `half` on. */
static void aucbench_merge_items(int64_t *items, size_t half, size_t n, int64_t *spare)
{
    size_t i = 0, j = half, k = 0;
    if (half == 0 || half == n || items[half - 1] <= items[half])
        return;
    memcpy(spare, items, half * sizeof *items);
    while (i < half && j < n)
        items[k++] = spare[i] <= items[j] ? spare[i++] : items[j++];
    memcpy(items + k, spare + i, (half - i) * sizeof *items);
}

/* How many of the items, which ascend at the first direction, are below a place there. */
static size_t aucbench_items_below(const aucbench_turns *t, const int64_t *items, size_t n,
                                   int32_t place)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->first[aucbench_point_of(items[middle])] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pairs of P from the lower half and N from the upper one that P passes, which gain, and the other
 * way round. Items of both halves ascend at the second direction. */
static void aucbench_across(aucbench_turns *t, const int64_t *P, size_t p, size_t P_half,
                            const int64_t *N, size_t n, size_t N_half)
{
    int64_t mass = 0;
    size_t i, j = N_half;
    for (i = 0; i < P_half; i++) {
        for (; j < n && N[j] < P[i]; j++)
            mass += t->neg[aucbench_point_of(N[j])];
        t->gain += t->pos[aucbench_point_of(P[i])] * mass;
        aucbench_list(t, P[i], N + N_half, j - N_half, 1);
    }
    for (j = N_half, i = p; i-- > P_half;) {
        while (j > 0 && N[j - 1] > P[i])
            j--;
        aucbench_list(t, P[i], N + j, N_half - j, 0);
    }
}

/* Count the pairs among P and N, which ascend at the first direction, and sort them by the second.
 * The larger of both is halved, so that it is at most 64 calls deep. */
static void aucbench_count_turns(aucbench_turns *t, int64_t *P, size_t p, int64_t *N, size_t n)
{
    size_t P_half = p / 2, N_half = n / 2;
    if (p + n <= AUCBENCH_SHORT) {
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < n; j++) {
                const int32_t a = aucbench_point_of(P[i]), b = aucbench_point_of(N[j]);
                const int up = t->first[a] < t->first[b];
                if (t->first[a] != t->first[b] && up == (P[i] > N[j])) {
                    t->gain += up ? t->pos[a] * t->neg[b] : 0;
                    aucbench_list(t, P[i], N + j, 1, (unsigned char)up);
                }
            }
        aucbench_insert(P, p);
        aucbench_insert(N, n);
        return;
    }
    if (p > n)
        N_half = aucbench_items_below(t, N, n, t->first[aucbench_point_of(P[P_half])]);
    else
        P_half = aucbench_items_below(t, P, p, t->first[aucbench_point_of(N[N_half])]);
    aucbench_count_turns(t, P, P_half, N, N_half);
    aucbench_count_turns(t, P + P_half, p - P_half, N + N_half, n - N_half);
    aucbench_across(t, P, p, P_half, N, n, N_half);
    aucbench_merge_items(P, P_half, p, t->spare);
    aucbench_merge_items(N, N_half, n, t->spare);
}

/* Listed pairs in the order of the directions at which they are level. */
typedef struct {
    const aucbench_spot *points;
    const int32_t *up, *low;
} aucbench_events;

/* Whether event i is before j (1), at the same direction (0) or after it (-1) */
AUCBENCH_INLINE int aucbench_sooner(const aucbench_events *of, int32_t i, int32_t j)
{
    const aucbench_spot *x = of->points;
    return aucbench_side_of(x[of->up[i]], x[of->low[i]], x[of->up[j]], x[of->low[j]]);
}

AUCBENCH_INLINE int aucbench_later(const aucbench_events *of, int32_t i, int32_t j)
{
    return aucbench_sooner(of, i, j) < 0;
}

AUCBENCH_EXACT_SORT(aucbench_sort_events, aucbench_events, aucbench_later)

typedef struct {
    int64_t twice;           /* the largest count of an open arc between two directions, or -1 */
    double width;            /* the widest arc with this count, in units of the keys */
    ptrdiff_t before, after; /* the events at its ends; -1 and n are the ends of all */
} aucbench_arc;

/* The best arc between events of a width of at least `least`, where `twice` is the count before all
 * of them. Keys in [0, 1] ascend as the events do, up to rounding. */
static aucbench_arc aucbench_best_arc(const aucbench_events *of, const unsigned char *gains,
                                      const int64_t *pos, const int64_t *neg, const double *keys,
                                      double least, int64_t twice, int32_t *order,
                                      int32_t *spare, size_t n)
{
    aucbench_arc best = {-1, 0.0, -1, 0};
    ptrdiff_t last = -1;
    size_t k = 0;
    aucbench_sort_events(of, order, spare, n);
    for (;;) {
        const double width = (k < n ? keys[order[k]] : 1.0) - (last < 0 ? 0.0 : keys[last]);
        if (width >= least &&
            (twice > best.twice || (twice == best.twice && width > best.width)))
            best = (aucbench_arc){twice, width, last, k < n ? order[k] : (ptrdiff_t)n};
        if (k == n)
            return best;
        last = order[k];
        do {
            const int32_t up = of->up[order[k]], low = of->low[order[k]];
            twice += gains[order[k]] ? 2 * pos[up] * neg[low] : -2 * neg[up] * pos[low];
            k++;
        } while (k < n && aucbench_sooner(of, last, order[k]) == 0);
    }
}

#endif
