/* Passes over d doubles that compare magnitudes, 64 at a time.
 *
 * A magnitude is compared by its key (keys.h), so NaN is above infinity. The loops are plain C
 * that the compiler turns into SIMD for several machines (clones.h). (Rejected: intrinsics;
 * compressing stores are slower than these words of 64 bits, and need twice the code.)
 */
#ifndef AUCBENCH_SELECT_H
#define AUCBENCH_SELECT_H

#include "clones.h"
#include "keys.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Bit j: the key of x[j] is above t, for j < min(left, 64). The loop with the constant 64 is
 * unrolled by the compiler. */
AUCBENCH_INLINE uint64_t aucbench_word_above(const double *x, ptrdiff_t left, int64_t t)
{
    uint64_t word = 0;
    if (left >= 64) {
        for (int j = 0; j < 64; j++)
            word |= AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + j)) > t ? AUCBENCH_BIT[j] : 0;
        return word;
    }
    for (int j = 0; j < left; j++)
        word |= AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + j)) > t ? AUCBENCH_BIT[j] : 0;
    return word;
}

/* Copy the keys above t to out, in their order; stop early after more than `cap`. Returns how
 * many were copied. `out` has room for min(d, cap + 64). */
AUCBENCH_CLONED(ptrdiff_t, aucbench_gather_above,
                (const double *x, ptrdiff_t d, int64_t t, int64_t *out, ptrdiff_t cap),
                (x, d, t, out, cap))
{
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < d && n <= cap; i += 64) {
        uint64_t word = aucbench_word_above(x + i, d - i, t);
        for (; word; word &= word - 1)
            out[n++] = AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + i + aucbench_lowest_bit(word)));
    }
    return n;
}

/* x_i <- 0 for lo <= i < hi, unless the key of x_i is above t. */
AUCBENCH_CLONED(void, aucbench_keep_above, (double *x, ptrdiff_t lo, ptrdiff_t hi, int64_t t),
                (x, lo, hi, t))
{
    for (ptrdiff_t i = lo; i < hi; i++)
        x[i] = AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + i)) > t ? x[i] : 0.0;
}

/* Return the position after the q-th entry whose key is t; d if there are fewer. */
static ptrdiff_t aucbench_after_tie(const double *x, ptrdiff_t d, int64_t t, ptrdiff_t q)
{
    ptrdiff_t i = 0;
    for (; i < d && q > 0; i++)
        q -= AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + i)) == t;
    return i;
}

/* Keys of a sample of s <= d entries, one from each of s equal stretches. */
static void aucbench_sample_keys(const double *x, ptrdiff_t d, int64_t *out, ptrdiff_t s)
{
    const size_t stretch = (size_t)(d / s);
    for (ptrdiff_t i = 0; i < s; i++) {
        out[i] = AUCBENCH_MAGNITUDE_KEY(AUCBENCH_BITS_AT(x + aucbench_sampled((size_t)i, stretch)));
    }
}

/* Sum of |x_i|, and the largest |x_i| in *peak (a NaN shows only in the sum). Sums are taken in
 * lanes and in stretches of fixed size, so that the sum is the same on every machine and its
 * error does not grow like d. */
AUCBENCH_CLONED(double, aucbench_l1_norm, (const double *x, ptrdiff_t d, double *peak),
                (x, d, peak))
{
    double total = 0.0, top = 0.0;
    for (ptrdiff_t i = 0; i < d; i += 512) {
        const ptrdiff_t end = d - i < 512 ? d : i + 512;
        double sums[8] = {0.0}, tops[8] = {0.0};
        ptrdiff_t j = i;
        for (; j + 8 <= end; j += 8)
            for (int l = 0; l < 8; l++) {
                const double a = fabs(x[j + l]);
                sums[l] += a;
                tops[l] = a > tops[l] ? a : tops[l];
            }
        for (int l = 0; j < end; j++, l++) {
            sums[l] += fabs(x[j]);
            tops[l] = fabs(x[j]) > tops[l] ? fabs(x[j]) : tops[l];
        }
        for (int l = 0; l < 8; l++) {
            total += sums[l];
            top = tops[l] > top ? tops[l] : top;
        }
    }
    *peak = top;
    return total;
}

/* |x_i| <- max(0, delta - (peak - |x_i|)), signs kept. */
AUCBENCH_CLONED(void, aucbench_shrink, (double *x, ptrdiff_t d, double peak, double delta),
                (x, d, peak, delta))
{
    for (ptrdiff_t i = 0; i < d; i++) {
        const double a = delta - (peak - fabs(x[i]));
        x[i] = a > 0.0 ? copysign(a, x[i]) : 0.0;
    }
}
#endif
