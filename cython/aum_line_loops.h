/* Sums of one side of c, and the lowest of some examples, for vectors of one width; aum_line.h
 * includes this for each width.
 */

/* Sums over whole blocks of 8 examples, from..end-1, of z, b and |b| where z = sign (key - c) > 0 */
AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_side_)(
    ptrdiff_t from, ptrdiff_t end, const double *key, const double *b, double c, double sign,
    aucbench_one_side *to)
{
    const AUCBENCH_MASK magnitude = (AUCBENCH_MASK){0} + INT64_MAX;
    AUCBENCH_VECTOR tz[AUCBENCH_PARTS] = {AUCBENCH_ZERO}, tb[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    AUCBENCH_VECTOR tm[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    AUCBENCH_MASK counted[AUCBENCH_PARTS] = {AUCBENCH_ZERO}, tied[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    for (ptrdiff_t i = from; i < end; i += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = (size_t)i + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR z = sign * (AUCBENCH_CONST_AT(key + k) - c);
            const AUCBENCH_MASK in = AUCBENCH_FLAGS(z > 0.0);
            const AUCBENCH_MASK v = AUCBENCH_BITS(AUCBENCH_CONST_AT(b + k)) & in;
            counted[p] -= in;
            tied[p] -= AUCBENCH_FLAGS(z == 0.0);
            tz[p] += AUCBENCH_OF_BITS(AUCBENCH_BITS(z) & in);
            tb[p] += AUCBENCH_OF_BITS(v);
            tm[p] += AUCBENCH_OF_BITS(v & magnitude);
        }
    AUCBENCH_LANES_OF(z, tz);
    AUCBENCH_LANES_OF(sum, tb);
    AUCBENCH_LANES_OF(mass, tm);
    aucbench_include(&to->a, aucbench_total(z));
    aucbench_include(&to->b, aucbench_total(sum));
    aucbench_include(&to->mass, aucbench_total(mass));
    AUCBENCH_PARTS_OF(p)
        for (size_t l = 0; l < AUCBENCH_WIDTH; l++) {
            to->count += AUCBENCH_LANE(counted[p], l);
            to->ties += AUCBENCH_LANE(tied[p], l);
        }
}

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
