/* What the compiler has beyond C99: the one file that uses its extensions.
 *
 * GCC and Clang have vectors, functions for instruction sets (clones.h), 128-bit integers and
 * prefetches. Elsewhere, as with MSVC, each of them has plain C in its place, which gives the same
 * bits: AUCBENCH_VECTORS is not defined, and a vector is one double (each_width.h). A build with
 * AUCBENCH_PORTABLE defined takes plain C with any compiler. All other files are C99, which
 * tests/kernels/test_portable.py checks.
 */
#ifndef AUCBENCH_COMPILER_H
#define AUCBENCH_COMPILER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(AUCBENCH_PORTABLE)

#define AUCBENCH_VECTORS
/* Always inlined: a separate function would be built for the machine without SIMD. */
#define AUCBENCH_INLINE static inline __attribute__((always_inline))
#define AUCBENCH_INT128 __int128
#define AUCBENCH_LOWEST_BIT(word) __builtin_ctzll(word)

typedef double aucbench_v2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double aucbench_v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double aucbench_v8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t aucbench_m2 __attribute__((vector_size(16)));
typedef int64_t aucbench_m4 __attribute__((vector_size(32)));
typedef int64_t aucbench_m8 __attribute__((vector_size(64)));
typedef int64_t __attribute__((may_alias)) aucbench_bits;

/* The bits of the double at p. A function would hide from the compiler that a loop is SIMD. */
#define AUCBENCH_BITS_AT(p) (*(const aucbench_bits *)(p))

/* GCC takes a function that only calls __builtin_prefetch for one without effect, and drops its
 * calls unless it inlines them early. Assembly that is volatile stays. */
#if defined(__x86_64__)
#define AUCBENCH_PREFETCH(p) __asm__ volatile("prefetcht0 %0" : : "m"(*(const char *)(p)))
#else
#define AUCBENCH_PREFETCH(p) __builtin_prefetch(p)
#endif
#define AUCBENCH_PREFETCH_FAR(p) __builtin_prefetch(p, 0, 2)

#if defined(__x86_64__)
#define AUCBENCH_X86
#define AUCBENCH_AVX2_CODE __attribute__((target("avx2,fma")))
#define AUCBENCH_AVX512_CODE __attribute__((target("avx512f,fma")))
#define AUCBENCH_WHEN_LOADED __attribute__((constructor))

static inline int aucbench_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline int aucbench_has_avx512(void)
{
    return aucbench_has_avx2() && __builtin_cpu_supports("avx512f");
}
#endif

#else

#if defined(_MSC_VER)
#pragma fp_contract(off) /* a fused product and sum would round once; see setup.py */
#define AUCBENCH_INLINE static __forceinline
#else
#define AUCBENCH_INLINE static inline
#endif

AUCBENCH_INLINE int64_t aucbench_bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

AUCBENCH_INLINE double aucbench_of_bits(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The place of the only bit of word & -word, by a sequence of de Bruijn (Leiserson, Prokop and
 * Randall 1998). */
AUCBENCH_INLINE int aucbench_bit_of(uint64_t word)
{
    static const unsigned char PLACES[64] = {
        0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,  62, 55, 59, 36, 53, 51,
        43, 22, 45, 39, 33, 30, 24, 18, 12, 5,  63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21,
        44, 32, 23, 11, 46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6};
    return PLACES[(word & (0 - word)) * UINT64_C(0x03f79d71b4cb0a89) >> 58];
}

#define AUCBENCH_LOWEST_BIT(word) aucbench_bit_of(word)
#define AUCBENCH_BITS_AT(p) aucbench_bits_of(*(p))
#define AUCBENCH_PREFETCH(p) ((void)(p))
#define AUCBENCH_PREFETCH_FAR(p) ((void)(p))

#endif

#if defined(_MSC_VER)
#define AUCBENCH_RESTRICT __restrict
#else
#define AUCBENCH_RESTRICT restrict
#endif

AUCBENCH_INLINE int aucbench_lowest_bit(uint64_t word)
{
    return AUCBENCH_LOWEST_BIT(word);
}

#endif
