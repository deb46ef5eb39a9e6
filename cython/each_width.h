/* Includes AUCBENCH_LOOPS for vectors of 2, 4 and 8 doubles, a register of each level (clones.h).
 *
 * GCC keeps a vector that is wider than a register on the stack, and each step of a loop reads and
 * writes it there. So sums of 8 lanes are AUCBENCH_PARTS vectors, which stay in registers. Each
 * width has functions AUCBENCH_WIDE(f), and AUCBENCH_BY_WIDTH(f, ...) calls those of the level:
 * it stands in the body of AUCBENCH_CLONED, where `lanes` is a constant. AUCBENCH_UP_TO(4, f, ...)
 * leaves the widest vectors out: floats become doubles faster four at a time than eight.
 *
 * A compiler without vectors (compiler.h) includes the loops once, for vectors of one double. The
 * lanes are the same, so the bits are. AUCBENCH_MASK is as many integers: AUCBENCH_FLAGS(a < b) has
 * all bits of a lane set where the comparison is true, and AUCBENCH_BITS and AUCBENCH_OF_BITS keep
 * the bits of doubles.
 *
 * AUCBENCH_FLOATS_AT(p) lists each number. GCC makes one instruction of the list, but several of
 * __builtin_convertvector: one for each half of a register, or for each number.
 */
#ifndef AUCBENCH_BY_WIDTH

#define AUCBENCH_JOIN(a, b) a##b
#define AUCBENCH_JOINED(a, b) AUCBENCH_JOIN(a, b)
#define AUCBENCH_WIDE(f) AUCBENCH_JOINED(f, AUCBENCH_WIDTH)
#define AUCBENCH_VECTOR AUCBENCH_JOINED(aucbench_v, AUCBENCH_WIDTH)
#define AUCBENCH_MASK AUCBENCH_JOINED(aucbench_m, AUCBENCH_WIDTH)
#define AUCBENCH_FLOATS_AT(p) AUCBENCH_JOINED(AUCBENCH_FLOATS_, AUCBENCH_WIDTH)(p)
#define AUCBENCH_PARTS (8 / AUCBENCH_WIDTH)

#ifdef AUCBENCH_VECTORS
#define AUCBENCH_UP_TO(most, f, ...)                                \
    (lanes == 8 && (most) == 8 ? AUCBENCH_JOINED(f, 8)(__VA_ARGS__) \
     : lanes >= 4              ? AUCBENCH_JOINED(f, 4)(__VA_ARGS__) \
                               : AUCBENCH_JOINED(f, 2)(__VA_ARGS__))
#define AUCBENCH_FLOATS_2(p) ((aucbench_v2){(p)[0], (p)[1]})
#define AUCBENCH_FLOATS_4(p) ((aucbench_v4){(p)[0], (p)[1], (p)[2], (p)[3]})
#define AUCBENCH_FLOATS_8(p) \
    ((aucbench_v8){(p)[0], (p)[1], (p)[2], (p)[3], (p)[4], (p)[5], (p)[6], (p)[7]})
#define AUCBENCH_FLAGS(condition) ((AUCBENCH_MASK)(condition))
#define AUCBENCH_BITS(v) ((AUCBENCH_MASK)(v))
#define AUCBENCH_OF_BITS(m) ((AUCBENCH_VECTOR)(m))
#define AUCBENCH_LANE(m, i) ((m)[i])
#define AUCBENCH_ZERO {0} /* a vector in the initialiser of an array */
#else
typedef double aucbench_v1;
typedef int64_t aucbench_m1;
#define AUCBENCH_UP_TO(most, f, ...) AUCBENCH_JOINED(f, 1)(__VA_ARGS__)
#define AUCBENCH_FLOATS_1(p) ((double)*(p))
#define AUCBENCH_FLAGS(condition) (-(int64_t)(condition))
#define AUCBENCH_BITS(v) aucbench_bits_of(v)
#define AUCBENCH_OF_BITS(m) aucbench_of_bits(m)
#define AUCBENCH_LANE(m, i) (m)
#define AUCBENCH_ZERO 0
#endif

#define AUCBENCH_BY_WIDTH(f, ...) AUCBENCH_UP_TO(8, f, __VA_ARGS__)
#define AUCBENCH_PARTS_OF(i) for (size_t i = 0; i < AUCBENCH_PARTS; i++)
#define AUCBENCH_AT(p) (*(AUCBENCH_VECTOR *)(p))
#define AUCBENCH_CONST_AT(p) (*(const AUCBENCH_VECTOR *)(p))

/* v has the 8 lanes of a sum */
#define AUCBENCH_LANES_OF(v, sum) \
    double v[8];                  \
    memcpy(v, (sum), sizeof v)

#endif

#ifdef AUCBENCH_VECTORS
#define AUCBENCH_WIDTH 2
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDTH
#define AUCBENCH_WIDTH 4
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDTH
#define AUCBENCH_WIDTH 8
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDTH
#else
#define AUCBENCH_WIDTH 1
#include AUCBENCH_LOOPS
#undef AUCBENCH_WIDTH
#endif
#undef AUCBENCH_LOOPS
