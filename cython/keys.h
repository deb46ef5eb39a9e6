/* Keys: integers that are in the order of doubles, so that any two floats can be compared.
 *
 * Two orders are in use. `aucbench_key_of` is the order of x; `aucbench_magnitude_key` is the
 * order of |x|. Every other file takes its keys from here.
 */
#ifndef AUCBENCH_KEYS_H
#define AUCBENCH_KEYS_H

#include "clones.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t aucbench_key;

/* The key of x. -0.0 and 0.0 have the same key; each NaN has some key. */
AUCBENCH_INLINE aucbench_key aucbench_key_of(double x)
{
    aucbench_key bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((0 - (bits >> 63)) | UINT64_C(1) << 63);
}

/* The double that has this key, 0.0 for the key of both zeros. */
AUCBENCH_INLINE double aucbench_of_key(aucbench_key key)
{
    double x;
    key ^= (key >> 63) ? UINT64_C(1) << 63 : UINT64_MAX;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* The key of |x| from the bits of x: the sign is cleared. NaN is above infinity.
 * A macro, because loops over the bits of an array become SIMD with it.
 */
#define AUCBENCH_MAGNITUDE_KEY(bits) ((bits) & INT64_MAX)

AUCBENCH_INLINE int64_t aucbench_magnitude_key(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return AUCBENCH_MAGNITUDE_KEY(bits);
}

/* The magnitude that has this key. */
AUCBENCH_INLINE double aucbench_magnitude(int64_t key)
{
    double x;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* Entry i of a sample that takes one entry from each stretch of an array. The place within a
 * stretch is hashed, so that the sample has no period that the array may have too.
 */
AUCBENCH_INLINE size_t aucbench_sampled(size_t i, size_t stretch)
{
    const uint64_t hash = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return i * stretch + (size_t)(hash % stretch);
}

/* Bit j of a word says what was found at entry j of 64. This is a table, because compilers
 * turn `|= AUCBENCH_BIT[j]` into SIMD, but not `|= 1 << j`.
 */
#define AUCBENCH_BITS_8(b) 1ull << (b), 2ull << (b), 4ull << (b), 8ull << (b), \
                           16ull << (b), 32ull << (b), 64ull << (b), 128ull << (b)
static const uint64_t AUCBENCH_BIT[64] = {
    AUCBENCH_BITS_8(0), AUCBENCH_BITS_8(8), AUCBENCH_BITS_8(16), AUCBENCH_BITS_8(24),
    AUCBENCH_BITS_8(32), AUCBENCH_BITS_8(40), AUCBENCH_BITS_8(48), AUCBENCH_BITS_8(56)};

#endif
