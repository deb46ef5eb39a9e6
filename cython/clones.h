/* AUCBENCH_CLONED builds a function for several instruction sets; each call takes the set in use.
 *
 *     AUCBENCH_CLONED(double, twice, (size_t n, const double *x), (n, x))
 *     {
 *         the body of double twice(size_t n, const double *x)
 *     }
 *
 * The body is inlined into one function for each level, and compiled for the instructions of that
 * level. So wheels are portable without -march=native. The level in use is the best one of the
 * CPU, or what AUCBENCH_SIMD names; each compiled module reads it when it is loaded. Elsewhere
 * than on x86-64 with GCC or Clang there is one level, for which the compiler has its default.
 *
 * In the body, `lanes` is a constant: the number of doubles in a register of the level, for
 * AUCBENCH_BY_WIDTH of each_width.h.
 *
 * Every level gives the same bits. Sums have as many lanes as the source says, and setup.py
 * forbids the compiler to fuse products and sums. fma() is one instruction but on the lowest level.
 * (Rejected: target_clones. The loader of the system chooses among its functions, so no test can
 * choose another one, and it needs glibc.)
 */
#ifndef AUCBENCH_CLONES_H
#define AUCBENCH_CLONES_H

#include "compiler.h"

#include <stdlib.h>

enum { AUCBENCH_NONE, AUCBENCH_AVX2, AUCBENCH_AVX512, AUCBENCH_LEVELS };

#define AUCBENCH_LEVEL_NAMES {"none", "avx2", "avx512"}

#define AUCBENCH_LISTED(...) __VA_ARGS__

#ifdef AUCBENCH_X86

static int aucbench_simd; /* set once, before any call */

/* The best level of this CPU. */
static inline int aucbench_best_simd(void)
{
    return aucbench_has_avx512() ? AUCBENCH_AVX512
           : aucbench_has_avx2() ? AUCBENCH_AVX2
                                 : AUCBENCH_NONE;
}

#define AUCBENCH_EACH_LEVEL(type, name, parameters, arguments)                                    \
    AUCBENCH_INLINE type name##_body(const int lanes, AUCBENCH_LISTED parameters);                \
    AUCBENCH_AVX512_CODE static type name##_avx512 parameters                                     \
    {                                                                                             \
        return name##_body(8, AUCBENCH_LISTED arguments);                                         \
    }                                                                                             \
    AUCBENCH_AVX2_CODE static type name##_avx2 parameters                                         \
    {                                                                                             \
        return name##_body(4, AUCBENCH_LISTED arguments);                                         \
    }                                                                                             \
    static type name##_none parameters { return name##_body(2, AUCBENCH_LISTED arguments); }      \
    static inline type name parameters                                                            \
    {                                                                                             \
        return aucbench_simd == AUCBENCH_AVX512 ? name##_avx512 arguments                         \
               : aucbench_simd == AUCBENCH_AVX2 ? name##_avx2 arguments                           \
                                                 : name##_none arguments;                         \
    }                                                                                             \
    AUCBENCH_INLINE type name##_body(const int lanes, AUCBENCH_LISTED parameters)

/* For loops over four doubles: code for AVX2 is as good on the best level, or better. */
#define AUCBENCH_CLONED_NARROW(type, name, parameters, arguments)                                 \
    AUCBENCH_INLINE type name##_body parameters;                                                  \
    AUCBENCH_AVX2_CODE static type name##_avx2 parameters { return name##_body arguments; }       \
    static type name##_none parameters { return name##_body arguments; }                          \
    static inline type name parameters                                                            \
    {                                                                                             \
        return aucbench_simd >= AUCBENCH_AVX2 ? name##_avx2 arguments : name##_none arguments;    \
    }                                                                                             \
    AUCBENCH_INLINE type name##_body parameters

#else

static inline int aucbench_best_simd(void)
{
    return AUCBENCH_NONE;
}

#ifdef AUCBENCH_VECTORS
#define AUCBENCH_EACH_LEVEL(type, name, parameters, arguments)                       \
    AUCBENCH_INLINE type name##_body(const int lanes, AUCBENCH_LISTED parameters);    \
    static type name parameters { return name##_body(2, AUCBENCH_LISTED arguments); } \
    AUCBENCH_INLINE type name##_body(const int lanes, AUCBENCH_LISTED parameters)
#else
#define AUCBENCH_EACH_LEVEL(type, name, parameters, arguments) \
    static inline type name parameters
#endif
#define AUCBENCH_CLONED_NARROW(type, name, parameters, arguments) \
    static inline type name parameters

#endif

/* A macro of its own, so that `name` may be a macro too. */
#define AUCBENCH_CLONED(type, name, parameters, arguments) \
    AUCBENCH_EACH_LEVEL(type, name, parameters, arguments)

/* The level that AUCBENCH_SIMD names, the best one if it names none; -1 for another word, and for
 * a level that this CPU does not have. */
static inline int aucbench_asked_simd(void)
{
    static const char *const names[] = AUCBENCH_LEVEL_NAMES;
    const char *asked = getenv("AUCBENCH_SIMD");
    const int best = aucbench_best_simd();
    if (asked == NULL || *asked == '\0')
        return best;
    for (int level = 0; level <= best; level++)
        if (strcmp(asked, names[level]) == 0)
            return level;
    return -1;
}

#ifdef AUCBENCH_X86
/* When the module is loaded. What is wrong is refused by aucbench.kernels. */
AUCBENCH_WHEN_LOADED static void aucbench_set_simd(void)
{
    const int asked = aucbench_asked_simd();
    aucbench_simd = asked < 0 ? AUCBENCH_NONE : asked;
}
#endif

#endif
