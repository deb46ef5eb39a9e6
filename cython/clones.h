/* AUCBENCH_CLONES before a function: build it for several instruction sets, and let the
 * loader pick one for the machine (x86-64 with glibc; other systems get the instruction set
 * the compiler was told to use). This is what keeps wheels portable without -march=native.
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

/* A function of its own would be built for the poorest machine. */
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
