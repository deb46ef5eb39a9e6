/* Two passes over the scores of binary labels: one gathers a bracket, one adds up the area. */
#ifndef AUCBENCH_AUM_H
#define AUCBENCH_AUM_H

#include "clones.h"
#include "keys.h"

#include <stddef.h>
#include <stdint.h>

enum { AUCBENCH_PLACES = 8 }; /* six are used; with eight, any three bits are a valid index */

/* Bit j is set unless s[j] is outside lo..hi. Also counts the scores above hi, and their
 * positives. */
AUCBENCH_INLINE uint64_t aucbench_aum_word(const double *s, const signed char *y, int size,
                                           double lo, double hi, int64_t *above, int64_t *pos)
{
    uint64_t word = 0;
    int64_t a = 0, p = 0;
    for (int j = 0; j < size; j++) {
        const double x = s[j];
        a += x > hi;
        p += (x > hi) & (y[j] > 0);
        word |= ((x > hi) | (x < lo)) ? 0 : AUCBENCH_BIT[j];
    }
    *above += a;
    *pos += p;
    return word;
}

/* Copy the scores that are not outside lo..hi (NaN is not), by class.
 *
 * count: positives and negatives above hi, then positives and negatives copied. Each output has
 * one spare entry. A score is written to both outputs, and only one of them moves on,
 * so no branch is needed.
 */
AUCBENCH_CLONED(void, aucbench_aum_gather,
                (size_t n, const double *s, const signed char *y, double lo, double hi,
                 double *pos, double *neg, int64_t *count),
                (n, s, y, lo, hi, pos, neg, count))
{
    int64_t above = 0, above_pos = 0;
    size_t p = 0, q = 0;
    for (size_t i = 0; i < n; i += 64) {
        uint64_t word =
            n - i >= 64 ? aucbench_aum_word(s + i, y + i, 64, lo, hi, &above, &above_pos)
                        : aucbench_aum_word(s + i, y + i, (int)(n - i), lo, hi, &above, &above_pos);
        for (; word; word &= word - 1) {
            const size_t k = i + (size_t)aucbench_lowest_bit(word);
            pos[p] = neg[q] = s[k];
            p += y[k] > 0;
            q += y[k] <= 0;
        }
    }
    count[0] = above_pos;
    count[1] = above - above_pos;
    count[2] = (int64_t)p;
    count[3] = (int64_t)q;
}

/* Derivatives by place. The place of an example is class + 2 (0 below c, 1 at c, 2 above c). */
typedef struct {
    double c;
    double left[AUCBENCH_PLACES], right[AUCBENCH_PLACES];
} aucbench_aum_rule;

/* Fill the places of up to 512 scores, and `area` with what each score adds to the AUM. */
AUCBENCH_INLINE void aucbench_aum_rows(
    int size, const double *AUCBENCH_RESTRICT s, const signed char *AUCBENCH_RESTRICT y,
    aucbench_aum_rule r, signed char *AUCBENCH_RESTRICT place, double *AUCBENCH_RESTRICT area)
{
    for (int j = 0; j < size; j++) {
        const double d = s[j] - r.c;
        const int64_t positive = y[j] > 0;
        const double above = positive ? 0.0 : r.left[4], below = positive ? r.left[1] : 0.0;
        area[j] = (d > 0.0 ? above : below) * d; /* 0 times NaN is NaN: the sum shows it */
        place[j] = (signed char)(positive + (d > 0.0 ? 4 : 0) + (d == 0.0 ? 2 : 0));
    }
}

/* Fill the places of all scores; return the AUM. Sums are taken in lanes and in stretches of fixed
 * size, so that their error does not grow like n. */
AUCBENCH_CLONED(double, aucbench_aum_place,
                (size_t n, const double *s, const signed char *y, const aucbench_aum_rule *rule,
                 signed char *place), (n, s, y, rule, place))
{
    const aucbench_aum_rule r = *rule;
    double area[512], total = 0.0;
    for (size_t i = 0; i < n; i += 512) {
        const int size = n - i < 512 ? (int)(n - i) : 512;
        double sums[8] = {0.0};
        aucbench_aum_rows(size, s + i, y + i, r, place + i, area);
        for (int j = size; j % 8; j++)
            area[j] = 0.0;
        for (int j = 0; j < size; j += 8)
            for (int l = 0; l < 8; l++)
                sums[l] += area[j + l];
        for (int l = 0; l < 8; l++)
            total += sums[l];
    }
    return total;
}

AUCBENCH_CLONED(void, aucbench_aum_look_up,
                (size_t n, const signed char *place, const double *of, double *out),
                (n, place, of, out))
{
    for (size_t i = 0; i < n; i++)
        out[i] = of[place[i] & 7];
}

#endif
