/* AUCBENCH_CLONES before a function builds it for several instruction sets. The loader picks the
 * one that fits the machine. This works on x86-64 with glibc; other systems get the instruction
 * set that the compiler uses by default. So wheels are portable without -march=native.
 */
#ifndef AUCBENCH_CLONES_H
#define AUCBENCH_CLONES_H

#include <stddef.h> /* defines __GLIBC__ where there is one */
#include <stdint.h>
#include <stdlib.h>

#if defined(__has_attribute) && defined(__x86_64__) && defined(__GLIBC__)
#if __has_attribute(target_clones)
#define AUCBENCH_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef AUCBENCH_CLONES
#define AUCBENCH_CLONES
#endif

/* Always inlined: a separate function would be built for the machine without SIMD. */
#if defined(__GNUC__)
#define AUCBENCH_INLINE static inline __attribute__((always_inline))
#else
#define AUCBENCH_INLINE static inline
#endif

AUCBENCH_INLINE int aucbench_lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int j = 0;
    while (!(word >> j & 1))
        j++;
    return j;
#endif
}

#endif
