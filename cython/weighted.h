/* Loops of a weighted selection (weighted.pxd). A NaN is neither above, nor below, nor equal. */
#ifndef AUCBENCH_WEIGHTED_H
#define AUCBENCH_WEIGHTED_H

#include "clones.h"
#include "keys.h"

#include <stddef.h>
#include <stdint.h>

/* Position of draw i of q among m: one in each of q equal stretches, hashed against periods. */
static ptrdiff_t aucbench_place(ptrdiff_t i, ptrdiff_t m, ptrdiff_t q)
{
    int64_t from = (int64_t)i * m / q, to = (int64_t)(i + 1) * m / q;
    return (ptrdiff_t)(from + (uint32_t)(i + 1) * 2654435769u % (uint64_t)(to - from));
}

/* The numbers of x > hi, x >= hi, x > lo and x >= lo. */
AUCBENCH_CLONED(void, aucbench_ranked,
                (ptrdiff_t m, const double *x, double lo, double hi, ptrdiff_t *number),
                (m, x, lo, hi, number))
{
    int64_t above = 0, from = 0, over = 0, reach = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        above += x[i] > hi;
        from += x[i] >= hi;
        over += x[i] > lo;
        reach += x[i] >= lo;
    }
    number[0] = above;
    number[1] = from;
    number[2] = over;
    number[3] = reach;
}

/* Bit j: lo <= x[j] <= hi, for j < min(left, 64). The loop with the constant 64 is unrolled by the
 * compiler. */
AUCBENCH_INLINE uint64_t aucbench_word_between(
    const double *x, ptrdiff_t left, double lo, double hi)
{
    uint64_t word = 0;
    if (left >= 64) {
        for (int j = 0; j < 64; j++)
            word |= ((x[j] >= lo) & (x[j] <= hi)) ? AUCBENCH_BIT[j] : 0;
        return word;
    }
    for (int j = 0; j < left; j++)
        word |= ((x[j] >= lo) & (x[j] <= hi)) ? AUCBENCH_BIT[j] : 0;
    return word;
}

/* Keep those with lo <= x <= hi, in their order; out may be x. Returns their number. */
AUCBENCH_CLONED(ptrdiff_t, aucbench_keep,
                (ptrdiff_t m, const double *x, double lo, double hi, double *out),
                (m, x, lo, hi, out))
{
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < m; i += 64) {
        uint64_t word = aucbench_word_between(x + i, m - i, lo, hi);
        for (; word; word &= word - 1)
            out[k++] = x[i + aucbench_lowest_bit(word)];
    }
    return k;
}

/* Sort a few values with their weights, descending: Shell's sort, which needs no memory. */
static void aucbench_sort(int m, double *x, long long *w)
{
    static const int GAPS[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (int g = 0; g < 8; g++)
        for (int gap = GAPS[g], i = gap; i < m; i++) {
            double v = x[i];
            long long u = w[i];
            int j = i;
            for (; j >= gap && x[j - gap] < v; j -= gap) {
                x[j] = x[j - gap];
                w[j] = w[j - gap];
            }
            x[j] = v;
            w[j] = u;
        }
}

#endif
