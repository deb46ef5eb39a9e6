/* The lowest of some examples, for vectors of one width; aum_contact.h includes this for each. */

/* The least side (a + t b), from the pivot, of the examples from..end-1 with place = side. */
AUCBENCH_INLINE double AUCBENCH_WIDE(aucbench_lowest_)(
    ptrdiff_t from, ptrdiff_t end, const double *place, const double *a, const double *b,
    double side, const double *pivot, double t)
{
    AUCBENCH_VECTOR low[AUCBENCH_PARTS];
    double least = INFINITY;
    ptrdiff_t i = from;
    AUCBENCH_PARTS_OF(p)
        low[p] = (AUCBENCH_VECTOR){0} + INFINITY;
    for (; i + 8 <= end; i += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = (size_t)i + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR y = AUCBENCH_CONST_AT(b + k) - pivot[1];
            const AUCBENCH_VECTOR x =
                side * ((AUCBENCH_CONST_AT(a + k) - pivot[0]) + t * y);
            const AUCBENCH_MASK lower = AUCBENCH_FLAGS(x < low[p])
                                        & AUCBENCH_FLAGS(AUCBENCH_CONST_AT(place + k) == side);
            low[p] = AUCBENCH_OF_BITS(
                (AUCBENCH_BITS(x) & lower) | (AUCBENCH_BITS(low[p]) & ~lower));
        }
    AUCBENCH_LANES_OF(v, low);
    for (int r = 0; r < 8; r++)
        least = v[r] < least ? v[r] : least;
    for (; i < end; i++) {
        const double v = side * ((a[i] - pivot[0]) + t * (b[i] - pivot[1]));
        least = place[i] == side && v < least ? v : least;
    }
    return least;
}
