/* Whole numbers of 128 bits, in two's complement. */
#ifndef AUCBENCH_WIDE_H
#define AUCBENCH_WIDE_H

#include "compiler.h"

#include <math.h>
#include <stdint.h>

/* a b = high 2^64 + the result */
AUCBENCH_INLINE uint64_t aucbench_whole_product(uint64_t a, uint64_t b, uint64_t *high)
{
    const uint64_t LOW = UINT32_MAX;
    const uint64_t low = (a & LOW) * (b & LOW), right = (a & LOW) * (b >> 32);
    const uint64_t left = (a >> 32) * (b & LOW) + (low >> 32), middle = (left & LOW) + right;
    *high = (a >> 32) * (b >> 32) + (left >> 32) + (middle >> 32);
    return middle << 32 | (low & LOW);
}

#ifdef AUCBENCH_INT128

typedef AUCBENCH_INT128 aucbench_wide;

AUCBENCH_INLINE aucbench_wide aucbench_product(int64_t a, int64_t b)
{
    return (aucbench_wide)a * b;
}

AUCBENCH_INLINE aucbench_wide aucbench_plus(aucbench_wide a, aucbench_wide b)
{
    return a + b;
}

AUCBENCH_INLINE aucbench_wide aucbench_minus(aucbench_wide a, aucbench_wide b)
{
    return a - b;
}

AUCBENCH_INLINE double aucbench_nearest(aucbench_wide a)
{
    return (double)a;
}

#else

typedef struct {
    uint64_t low, high;
} aucbench_wide;

AUCBENCH_INLINE aucbench_wide aucbench_plus(aucbench_wide a, aucbench_wide b)
{
    const uint64_t low = a.low + b.low;
    return (aucbench_wide){low, a.high + b.high + (low < b.low)};
}

AUCBENCH_INLINE aucbench_wide aucbench_minus(aucbench_wide a, aucbench_wide b)
{
    return (aucbench_wide){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

/* As if both were without a sign; each negative one has counted the other 2^64 times too often. */
AUCBENCH_INLINE aucbench_wide aucbench_product(int64_t a, int64_t b)
{
    aucbench_wide to;
    to.low = aucbench_whole_product((uint64_t)a, (uint64_t)b, &to.high);
    to.high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return to;
}

/* The nearest double. The highest 64 bits are rounded; the last of them says whether others follow,
 * which decides where they lie in the middle of two doubles. */
AUCBENCH_INLINE double aucbench_nearest(aucbench_wide a)
{
    const aucbench_wide zero = {0, 0};
    const int negative = a.high >> 63 != 0;
    const aucbench_wide size = negative ? aucbench_minus(zero, a) : a;
    uint64_t top = size.high, rest = size.low;
    int exponent = 64;
    if (top == 0)
        top = rest, rest = 0, exponent = 0;
    else
        for (; !(top >> 63); exponent--)
            top = top << 1 | rest >> 63, rest <<= 1;
    top |= rest != 0;
    return ldexp(negative ? -(double)top : (double)top, exponent);
}

#endif

#endif
