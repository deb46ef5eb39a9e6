/* Loops over vectors of one width; dense_rows.h includes this for each type of numbers. */

AUCBENCH_INLINE void AUCBENCH_WIDE(AUCBENCH_NAMED(aucbench_dot4_))(
    size_t d, const AUCBENCH_NUMBER *const *x, const AUCBENCH_NUMBER *const *next,
    const double *w, double *s)
{
    AUCBENCH_VECTOR a[4][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}};
    double t[4] = {0};
    size_t j = 0;
    if (d)
        AUCBENCH_NAMED(aucbench_next4)(next, d - 1);
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR v = AUCBENCH_CONST_AT(w + k);
            for (size_t r = 0; r < 4; r++)
                a[r][p] += AUCBENCH_READ(x[r] + k) * v;
        }
        AUCBENCH_NAMED(aucbench_next4)(next, j);
    }
    for (; j < d; j++)
        for (size_t r = 0; r < 4; r++)
            t[r] += x[r][j] * w[j];
    for (size_t r = 0; r < 4; r++) {
        AUCBENCH_LANES_OF(v, a[r]);
        for (size_t k = 0; k < 8; k++)
            t[r] += v[k];
        s[r] = t[r];
    }
}

AUCBENCH_INLINE void AUCBENCH_WIDE(AUCBENCH_NAMED(aucbench_axpy4_))(
    size_t d, const double *factors, const AUCBENCH_NUMBER *const *rows,
    const AUCBENCH_NUMBER *const *coming, double *out)
{
    /* Copies: a store to out could change those of the caller, so each step would load them. */
    const AUCBENCH_NUMBER *const x[4] = {rows[0], rows[1], rows[2], rows[3]};
    const AUCBENCH_NUMBER *const next[4] = {coming[0], coming[1], coming[2], coming[3]};
    const double c[4] = {factors[0], factors[1], factors[2], factors[3]};
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            AUCBENCH_VECTOR v = AUCBENCH_CONST_AT(out + k);
            for (size_t r = 0; r < 4; r++)
                v += AUCBENCH_READ(x[r] + k) * c[r];
            AUCBENCH_AT(out + k) = v;
        }
        AUCBENCH_NAMED(aucbench_next4)(next, j);
    }
    for (; j < d; j++)
        out[j] += c[0] * x[0][j] + c[1] * x[1][j] + c[2] * x[2][j] + c[3] * x[3][j];
}

AUCBENCH_INLINE void AUCBENCH_WIDE(AUCBENCH_NAMED(aucbench_dot2_))(
    size_t d, const AUCBENCH_NUMBER *x, const double *u, const double *w, double *s)
{
    AUCBENCH_VECTOR a[2][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}};
    AUCBENCH_VECTOR b[2][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}};
    double ta = 0, tb = 0;
    size_t j = 0;
    for (; j + 16 <= d; j += 16)
        for (size_t h = 0; h < 2; h++)
            AUCBENCH_PARTS_OF(p) {
                const size_t k = j + 8 * h + AUCBENCH_WIDTH * p;
                const AUCBENCH_VECTOR v = AUCBENCH_READ(x + k);
                a[h][p] += v * AUCBENCH_CONST_AT(u + k);
                b[h][p] += v * AUCBENCH_CONST_AT(w + k);
            }
    for (; j < d; j++) {
        ta += x[j] * u[j];
        tb += x[j] * w[j];
    }
    AUCBENCH_PARTS_OF(p) {
        a[0][p] += a[1][p];
        b[0][p] += b[1][p];
    }
    AUCBENCH_LANES_OF(va, a[0]);
    AUCBENCH_LANES_OF(vb, b[0]);
    for (size_t k = 0; k < 8; k++) {
        ta += va[k];
        tb += vb[k];
    }
    s[0] = ta;
    s[1] = tb;
}

AUCBENCH_INLINE void AUCBENCH_WIDE(AUCBENCH_NAMED(aucbench_axpy2_))(
    size_t d, double a, double b, const AUCBENCH_NUMBER *x, double *u, double *w)
{
    size_t j = 0;
    for (; j + AUCBENCH_WIDTH <= d; j += AUCBENCH_WIDTH) {
        const AUCBENCH_VECTOR v = AUCBENCH_READ(x + j);
        AUCBENCH_AT(u + j) = AUCBENCH_CONST_AT(u + j) + v * a;
        AUCBENCH_AT(w + j) = AUCBENCH_CONST_AT(w + j) + v * b;
    }
    for (; j < d; j++) {
        u[j] += a * x[j];
        w[j] += b * x[j];
    }
}
