/* Soft-thresholding at once, for vectors of one width; soft.h includes this for each width. */

AUCBENCH_INLINE double AUCBENCH_WIDE(aucbench_soft_)(
    size_t d, double t, double shrink, const double *m, double *w, double *sum)
{
    const AUCBENCH_MASK magnitude = (AUCBENCH_MASK){0} + INT64_MAX;
    /* Two sums in turn: each addition waits for the last. */
    AUCBENCH_VECTOR a[AUCBENCH_PARTS] = {AUCBENCH_ZERO}, b[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    double s = 0;
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            const AUCBENCH_MASK v = AUCBENCH_BITS(AUCBENCH_CONST_AT(w + k));
            const AUCBENCH_VECTOR left = AUCBENCH_OF_BITS(v & magnitude) - t;
            const AUCBENCH_MASK dead = AUCBENCH_FLAGS(left <= 0.0);
            const AUCBENCH_VECTOR r =
                AUCBENCH_OF_BITS((AUCBENCH_BITS(left) | (v & ~magnitude)) & ~dead) * shrink;
            const AUCBENCH_VECTOR u = AUCBENCH_CONST_AT(sum + k) + r;
            const AUCBENCH_VECTOR next = a[p] + r * AUCBENCH_CONST_AT(m + k);
            AUCBENCH_AT(w + k) = r;
            AUCBENCH_AT(sum + k) = u;
            a[p] = b[p];
            b[p] = next;
        }
    for (; j < d; j++) {
        double left = fabs(w[j]) - t;
        w[j] = left <= 0 ? 0.0 : copysign(left, w[j]) * shrink;
        sum[j] += w[j];
        s += w[j] * m[j];
    }
    AUCBENCH_PARTS_OF(p)
        a[p] += b[p];
    AUCBENCH_LANES_OF(v, a);
    return s + ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}
