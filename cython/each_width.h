/* Includes AUCBENCH_LOOPS for vectors of 2, 4 and 8 doubles, a register of each level (clones.h).
 *
 * GCC keeps a vector that is wider than a register on the stack, and each step of a loop reads and
 * writes it there. So sums of 8 lanes are AUCBENCH_PARTS vectors, which stay in registers. Each
 * width has functions AUCBENCH_WIDE(f), and AUCBENCH_BY_WIDTH(f, ...) calls those of the level:
 * it stands in the body of AUCBENCH_CLONED, where `lanes` is a constant. AUCBENCH_UP_TO(4, f, ...)
 * leaves the widest vectors out: floats become doubles faster four at a time than eight.
 *
 * AUCBENCH_FLOATS_AT(p) lists each number. GCC makes one instruction of the list, but several of
 * __builtin_convertvector: one for each half of a register, or for each number.
 */
#ifndef AUCBENCH_BY_WIDTH

typedef double aucbench_v2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double aucbench_v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double aucbench_v8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t aucbench_m2 __attribute__((vector_size(16)));
typedef int64_t aucbench_m4 __attribute__((vector_size(32)));
typedef int64_t aucbench_m8 __attribute__((vector_size(64)));

#define AUCBENCH_JOIN(a, b) a##b
#define AUCBENCH_JOINED(a, b) AUCBENCH_JOIN(a, b)
#define AUCBENCH_BY_WIDTH(f, ...) AUCBENCH_UP_TO(8, f, __VA_ARGS__)
#define AUCBENCH_UP_TO(most, f, ...)                                \
    (lanes == 8 && (most) == 8 ? AUCBENCH_JOINED(f, 8)(__VA_ARGS__) \
     : lanes >= 4              ? AUCBENCH_JOINED(f, 4)(__VA_ARGS__) \
                               : AUCBENCH_JOINED(f, 2)(__VA_ARGS__))

#define AUCBENCH_PARTS_OF(i) for (size_t i = 0; i < AUCBENCH_PARTS; i++)
#define AUCBENCH_AT(p) (*(AUCBENCH_VECTOR *)(p))
#define AUCBENCH_CONST_AT(p) (*(const AUCBENCH_VECTOR *)(p))

/* v has the 8 lanes of a sum */
#define AUCBENCH_LANES_OF(v, sum) \
    double v[8];                  \
    memcpy(v, (sum), sizeof v)

#endif

#define AUCBENCH_WIDE(f) AUCBENCH_JOINED(f, 2)
#define AUCBENCH_VECTOR aucbench_v2
#define AUCBENCH_FLOATS_AT(p) ((AUCBENCH_VECTOR){(p)[0], (p)[1]})
#define AUCBENCH_MASK aucbench_m2
#define AUCBENCH_WIDTH 2
#define AUCBENCH_PARTS 4
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDE
#undef AUCBENCH_VECTOR
#undef AUCBENCH_FLOATS_AT
#undef AUCBENCH_MASK
#undef AUCBENCH_WIDTH
#undef AUCBENCH_PARTS

#define AUCBENCH_WIDE(f) AUCBENCH_JOINED(f, 4)
#define AUCBENCH_VECTOR aucbench_v4
#define AUCBENCH_FLOATS_AT(p) ((AUCBENCH_VECTOR){(p)[0], (p)[1], (p)[2], (p)[3]})
#define AUCBENCH_MASK aucbench_m4
#define AUCBENCH_WIDTH 4
#define AUCBENCH_PARTS 2
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDE
#undef AUCBENCH_VECTOR
#undef AUCBENCH_FLOATS_AT
#undef AUCBENCH_MASK
#undef AUCBENCH_WIDTH
#undef AUCBENCH_PARTS

#define AUCBENCH_WIDE(f) AUCBENCH_JOINED(f, 8)
#define AUCBENCH_VECTOR aucbench_v8
#define AUCBENCH_FLOATS_AT(p) \
    ((AUCBENCH_VECTOR){(p)[0], (p)[1], (p)[2], (p)[3], (p)[4], (p)[5], (p)[6], (p)[7]})
#define AUCBENCH_MASK aucbench_m8
#define AUCBENCH_WIDTH 8
#define AUCBENCH_PARTS 1
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDE
#undef AUCBENCH_VECTOR
#undef AUCBENCH_FLOATS_AT
#undef AUCBENCH_MASK
#undef AUCBENCH_WIDTH
#undef AUCBENCH_PARTS
#undef AUCBENCH_LOOPS
