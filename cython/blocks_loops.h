/* All pairs of a few rows, for vectors of one width; blocks.h includes this for each width. */

/* Add the pairs of 4 upper rows and 8 lower rows to own and low; `checked`: those in order. */
AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_some_pairs_)(
    const int mode, const int checked, const double *t, const double *a, const double *key_of,
    const double *v, const double *x, const double *b, const double *key, const double *u,
    AUCBENCH_VECTOR own[AUCBENCH_UPPERS][AUCBENCH_PARTS], double *low)
{
    const AUCBENCH_VECTOR zero = {0};
    AUCBENCH_PARTS_OF(p) {
        const size_t l = AUCBENCH_WIDTH * p;
        const AUCBENCH_VECTOR xl = AUCBENCH_CONST_AT(x + l), bl = AUCBENCH_CONST_AT(b + l);
        const AUCBENCH_VECTOR kl = checked ? AUCBENCH_CONST_AT(key + l) : zero;
        const AUCBENCH_VECTOR ul = mode == AUCBENCH_BEND ? AUCBENCH_CONST_AT(u + l) : zero;
        AUCBENCH_VECTOR sum = AUCBENCH_CONST_AT(low + l);
        for (size_t i = 0; i < AUCBENCH_UPPERS; i++) {
            const AUCBENCH_MASK on = AUCBENCH_FLAGS(checked ? kl > zero + key_of[i] : zero == zero);
            const AUCBENCH_VECTOR ti = zero + t[i], one = zero + 1.0, half = zero + 0.5;
            AUCBENCH_MASK bits; /* of what the pair keeps */
            if (mode == AUCBENCH_HINGE)
                bits = AUCBENCH_BITS(one) & AUCBENCH_FLAGS(xl > ti);
            else if (mode == AUCBENCH_SQUARED)
                bits = AUCBENCH_BITS(xl - ti) & AUCBENCH_FLAGS(xl > ti);
            else if (mode == AUCBENCH_BEND)
                bits = AUCBENCH_BITS(ul - v[i]) & AUCBENCH_FLAGS(xl > ti);
            else
                bits = (AUCBENCH_BITS(one) & AUCBENCH_FLAGS(xl < ti))
                       | (AUCBENCH_BITS(half) & AUCBENCH_FLAGS(xl == ti));
            const AUCBENCH_VECTOR kept = AUCBENCH_OF_BITS(bits & on);
            own[i][p] += bl * kept;
            sum += a[i] * kept;
        }
        AUCBENCH_AT(low + l) = sum;
    }
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_all_pairs_)(
    const int mode, size_t p, const double *t, const double *a, const double *key_of,
    const double *v, const double *start, size_t n, const double *x, const double *b,
    const double *key, const double *u, double *up, double *low)
{
    for (size_t k = 0; k < p; k += AUCBENCH_UPPERS) {
        AUCBENCH_VECTOR own[AUCBENCH_UPPERS][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}};
        const double last = key_of[k + AUCBENCH_UPPERS - 1];
        size_t j = (size_t)start[k];
        for (; j < n && !(key[j] > last); j += 8)
            AUCBENCH_WIDE(aucbench_some_pairs_)(mode, 1, t + k, a + k, key_of + k, v + k, x + j,
                                                b + j, key + j, u + j, own, low + j);
        for (; j < n; j += 8)
            AUCBENCH_WIDE(aucbench_some_pairs_)(mode, 0, t + k, a + k, key_of + k, v + k, x + j,
                                                b + j, key + j, u + j, own, low + j);
        for (size_t i = 0; i < AUCBENCH_UPPERS; i++) {
            AUCBENCH_LANES_OF(lane, own[i]);
            up[k + i] = aucbench_total(lane);
        }
    }
}
