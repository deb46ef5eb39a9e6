/* Scores of two classes; and merges of two ascending arrays that count what is below each score.
 *
 * Which array has the next score is random, so a step has no branch on it. A step waits for the last
 * one, so the first array is cut into parts whose merges run at the same time.
 */
#ifndef AUCBENCH_RANKS_H
#define AUCBENCH_RANKS_H

#include "clones.h"

#include <stddef.h>
#include <stdint.h>

enum { AUCBENCH_MERGES = 4 };

/* The state of one merge: the next scores of both arrays, and the ends of both. */
typedef struct {
    const double *of, *of_end, *in, *in_end;
} aucbench_merge;

/* Positive and negative scores from low to high: where they go, and how many there are. */
typedef struct {
    double low, high, *pos, *neg;
    size_t a, b, pos_room, neg_room;
} aucbench_range;

/* Each score is written to both arrays, and only one moves on: no branch to mispredict. */
AUCBENCH_INLINE void aucbench_split_block(aucbench_range *to, const int roomy, size_t count,
                                          const unsigned char *positive, const double *scores)
{
    const double low = to->low, high = to->high;
    double *pos = to->pos, *neg = to->neg;
    size_t a = to->a, b = to->b;
    for (size_t i = 0; i < count; i++) {
        const double s = scores[i];
        const size_t within = (s >= low) & (s <= high), up = within & (positive[i] != 0);
        pos[a] = s;
        neg[b] = s;
        a += roomy ? up : up & (a < to->pos_room);
        b += roomy ? within ^ up : (within ^ up) & (b < to->neg_room);
    }
    to->a = a;
    to->b = b;
}

/* Write the scores from low to high; both arrays have room for one more than they hold. */
static void aucbench_split(size_t n, const unsigned char *positive, const double *scores,
                           aucbench_range *to)
{
    enum { BLOCK = 64 }; /* it is asked once for each block whether both arrays have room for it */
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        if (to->a + BLOCK <= to->pos_room && to->b + BLOCK <= to->neg_room)
            aucbench_split_block(to, 1, count, positive + i, scores + i);
        else
            aucbench_split_block(to, 0, count, positive + i, scores + i);
    }
}

/* One step: pass a score of `in` that is below the one of `of` (or equal, if `equal`), or else
 * count how many have been passed, and go on to the next score of `of`. */
#define AUCBENCH_STEP(m, equal, start, total, tied)              \
    do {                                                         \
        const double s = *(m).of, t = *(m).in;                   \
        const uint64_t passes = (equal) ? t <= s : t < s;        \
        (total) += (uint64_t)((m).in - (start)) & (passes - 1);  \
        (tied) |= t == s;                                        \
        (m).in += passes;                                        \
        (m).of += 1 - passes;                                    \
    } while (0)

/* The number of scores below s. */
static size_t aucbench_rank(const double *scores, size_t n, double s)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (scores[middle] < s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Steps that can be made before one of the arrays ends. */
AUCBENCH_INLINE ptrdiff_t aucbench_steps(aucbench_merge m)
{
    const ptrdiff_t a = m.of_end - m.of, b = m.in_end - m.in;
    return a < b ? a : b;
}

/* The sum over the scores s of `of` of the number of scores below s in `in` (up to s, if `equal`).
 * Sets *tied if there are equal scores in both arrays. */
AUCBENCH_INLINE uint64_t aucbench_sum_of_ranks(const double *of, size_t m,
                                               const double *in, size_t n, const int equal,
                                               int *tied)
{
    aucbench_merge at[AUCBENCH_MERGES];
    uint64_t total = 0;
    int met = 0;
    for (size_t k = 0; k < AUCBENCH_MERGES; k++) {
        const size_t first = m * k / AUCBENCH_MERGES, last = m * (k + 1) / AUCBENCH_MERGES;
        const size_t passed = first < last ? aucbench_rank(in, n, of[first]) : n;
        at[k] = (aucbench_merge){of + first, of + last, in + passed, in + n};
    }
    for (;;) {
        aucbench_merge a = at[0], b = at[1], c = at[2], d = at[3];
        ptrdiff_t steps = aucbench_steps(a);
        for (size_t k = 1; k < AUCBENCH_MERGES; k++)
            if (aucbench_steps(at[k]) < steps)
                steps = aucbench_steps(at[k]);
        if (steps <= 0)
            break;
        for (; steps > 0; steps--) {
            AUCBENCH_STEP(a, equal, in, total, met);
            AUCBENCH_STEP(b, equal, in, total, met);
            AUCBENCH_STEP(c, equal, in, total, met);
            AUCBENCH_STEP(d, equal, in, total, met);
        }
        at[0] = a, at[1] = b, at[2] = c, at[3] = d;
    }
    for (size_t k = 0; k < AUCBENCH_MERGES; k++) {
        aucbench_merge one = at[k];
        for (ptrdiff_t steps = aucbench_steps(one); steps > 0; steps = aucbench_steps(one))
            for (; steps > 0; steps--)
                AUCBENCH_STEP(one, equal, in, total, met);
        total += (uint64_t)(one.of_end - one.of) * n;
    }
    *tied = met;
    return total;
}

/* 2 #{(i, j): of_i > in_j} + #{(i, j): of_i = in_j}, exact if m n <= 2^62 */
static uint64_t aucbench_concordant_twice(const double *of, size_t m, const double *in, size_t n)
{
    int tied, again;
    const uint64_t below = aucbench_sum_of_ranks(of, m, in, n, 0, &tied);
    return below + (tied ? aucbench_sum_of_ranks(of, m, in, n, 1, &again) : below);
}

/* twice[i] = mass[#{j: in_j < of_i}] + mass[#{j: in_j <= of_i}], for ascending arrays without NaN;
 * mass has n + 1 sums, and `first` room for m numbers. A step of the first merge has no branch. In
 * the second one ties are rare or many, so its branch is easy to predict. */
static void aucbench_masses_below(const double *of, size_t m, const double *in, size_t n,
                                  const double *mass, size_t *first, double *twice)
{
    size_t i = 0, j = 0;
    while (i < m && j < n) {
        const size_t passes = in[j] < of[i];
        first[i] = j;
        j += passes;
        i += 1 - passes;
    }
    for (; i < m; i++)
        first[i] = n;
    for (i = 0, j = 0; i < m; i++) {
        j = j < first[i] ? first[i] : j;
        while (j < n && in[j] <= of[i])
            j++;
        twice[i] = mass[first[i]] + mass[j];
    }
}

/* The scores of positives and their weights, and those of negatives, each in their order. The
 * arrays have one spare entry. */
static void aucbench_split_weighted(size_t n, const unsigned char *positive, const double *scores,
                                    const double *weights, double *pos, double *pos_weights,
                                    double *neg, double *neg_weights)
{
    size_t a = 0, b = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t up = positive[i] != 0;
        pos[a] = neg[b] = scores[i];
        pos_weights[a] = neg_weights[b] = weights[i];
        a += up;
        b += 1 - up;
    }
}

#endif
