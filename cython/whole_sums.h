/* Sums of products of any two doubles, exactly: whole numbers of 4352 bits, in two's complement.
 *
 * The last bit weighs 2^-2254, and a product is below 2^2048, so there is room for 2^48 of them.
 */
#ifndef AUCBENCH_WHOLE_SUMS_H
#define AUCBENCH_WHOLE_SUMS_H

#include "wide.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define AUCBENCH_WORDS 68 /* of 64 bits, the least significant one first */

/* words += sign * a * b, for finite a and b */
static void aucbench_add_product(uint64_t *words, int sign, double a, double b)
{
    int ea, eb, shift;
    long long ma = (long long)ldexp(frexp(a, &ea), 53), mb = (long long)ldexp(frexp(b, &eb), 53);
    uint64_t high, low = aucbench_whole_product((uint64_t)llabs(ma), (uint64_t)llabs(mb), &high);
    uint64_t part[3], carry;
    if (ma == 0 || mb == 0)
        return;
    if ((ma < 0) != (mb < 0))
        sign = -sign;
    shift = ea + eb + 2148; /* at least 2, as ea, eb >= -1073: the last bit weighs 2^-2254 */
    part[0] = low << (shift & 63);
    part[1] = high << (shift & 63) | low >> 1 >> (63 - (shift & 63));
    part[2] = high >> 1 >> (63 - (shift & 63));
    words += shift >> 6;
    carry = sign < 0; /* -x is ~x + 1 over all words */
    for (int k = 0; k < AUCBENCH_WORDS - (shift >> 6); k++) {
        const uint64_t x = k < 3 ? part[k] : 0, added = (sign < 0 ? ~x : x) + carry;
        words[k] += added;
        carry = added < carry || words[k] < added;
    }
}

/* The sign of a sum: -1, 0 or 1 */
static int aucbench_sign_of(const uint64_t *words)
{
    uint64_t any = 0;
    for (int k = 0; k < AUCBENCH_WORDS; k++)
        any |= words[k];
    return words[AUCBENCH_WORDS - 1] >> 63 ? -1 : any != 0;
}

#endif
