/* Passes over d doubles that compare magnitudes, 64 at a time.
 *
 * A magnitude is compared as its key: the bits of the double with the sign cleared, read as
 * an integer. Keys are in the order of |x|, NaN above infinity, and any two can be compared.
 * The loops are plain C that a compiler turns into SIMD, for each machine its own (clones.h).
 * Intrinsics were rejected: compressing stores are slower than these words of 64 bits, and
 * twice the code.
 */
#ifndef AUCBENCH_SELECT_H
#define AUCBENCH_SELECT_H

#include "clones.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
typedef int64_t __attribute__((may_alias)) double_bits;
#else
typedef int64_t double_bits;
#endif

#define KEY(x) ((x) & INT64_MAX)

AUCBENCH_INLINE double magnitude(int64_t key)
{
    double x;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* A table, because compilers turn `|= BIT[j]` into SIMD but not `|= 1 << j`. */
#define BITS_8(b) 1ull << (b), 2ull << (b), 4ull << (b), 8ull << (b), \
                  16ull << (b), 32ull << (b), 64ull << (b), 128ull << (b)
static const uint64_t BIT[64] = {BITS_8(0), BITS_8(8), BITS_8(16), BITS_8(24),
                                 BITS_8(32), BITS_8(40), BITS_8(48), BITS_8(56)};

AUCBENCH_INLINE int64_t key_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return KEY(bits);
}

/* Bit j: KEY(x[j]) > t, for j < min(left, 64). The constant 64 is what gets unrolled. */
AUCBENCH_INLINE uint64_t word_above(const double_bits *x, ptrdiff_t left, int64_t t)
{
    uint64_t word = 0;
    if (left >= 64) {
        for (int j = 0; j < 64; j++)
            word |= KEY(x[j]) > t ? BIT[j] : 0;
        return word;
    }
    for (int j = 0; j < left; j++)
        word |= KEY(x[j]) > t ? BIT[j] : 0;
    return word;
}

/* Copy the keys above t to out, in their order; stop early once there are more than `cap`.
 * Returns how many were copied. `out` has room for min(d, cap + 64). */
AUCBENCH_CLONES
static ptrdiff_t gather_above(const double *v, ptrdiff_t d, int64_t t, int64_t *out, ptrdiff_t cap)
{
    const double_bits *x = (const double_bits *)v;
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < d && n <= cap; i += 64) {
        uint64_t word = word_above(x + i, d - i, t);
        for (; word; word &= word - 1)
            out[n++] = KEY(x[i + aucbench_lowest_bit(word)]);
    }
    return n;
}

/* x_i <- 0 for lo <= i < hi unless KEY(x_i) > t. */
AUCBENCH_CLONES
static void keep_above(double *v, ptrdiff_t lo, ptrdiff_t hi, int64_t t)
{
    double_bits *x = (double_bits *)v;
    for (ptrdiff_t i = lo; i < hi; i++)
        x[i] = KEY(x[i]) > t ? x[i] : 0;
}

/* Return the position after the q-th entry whose key is t, d when there are fewer. */
static ptrdiff_t after_tie(const double *v, ptrdiff_t d, int64_t t, ptrdiff_t q)
{
    const double_bits *x = (const double_bits *)v;
    ptrdiff_t i = 0;
    for (; i < d && q > 0; i++)
        q -= KEY(x[i]) == t;
    return i;
}

/* s <= d keys, one from each of s equal stretches. The place within a stretch is hashed, so
 * that no period of v meets the period of the sample. */
static void sample_keys(const double *v, ptrdiff_t d, int64_t *out, ptrdiff_t s)
{
    const double_bits *x = (const double_bits *)v;
    const uint64_t stretch = (uint64_t)(d / s);
    for (ptrdiff_t i = 0; i < s; i++) {
        uint64_t hash = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        out[i] = KEY(x[(uint64_t)i * stretch + hash % stretch]);
    }
}

/* Sum of |x_i|, and the largest in *peak (NaN shows in the sum only). Lanes and stretches of
 * fixed size: the same sum on every machine, and an error that does not grow like d. */
AUCBENCH_CLONES
static double l1_norm(const double *x, ptrdiff_t d, double *peak)
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
AUCBENCH_CLONES
static void shrink(double *x, ptrdiff_t d, double peak, double delta)
{
    for (ptrdiff_t i = 0; i < d; i++) {
        const double a = delta - (peak - fabs(x[i]));
        x[i] = a > 0.0 ? copysign(a, x[i]) : 0.0;
    }
}
#endif
