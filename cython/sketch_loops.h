/* Loops over vectors of one width; sketch.h includes this for each width. */

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_combine_)(
    size_t W, const double *c, const double *S, double *y)
{
    for (size_t i = 0; i < W; i += 8, S += 8 * W)
        for (size_t j = 0; j < W; j += AUCBENCH_WIDTH) {
            AUCBENCH_VECTOR v = AUCBENCH_CONST_AT(y + j);
            for (size_t r = 0; r < 8; r++)
                v += AUCBENCH_CONST_AT(S + r * W + j) * c[i + r];
            AUCBENCH_AT(y + j) = v;
        }
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_project_)(
    size_t W, const double *S, const double *x, double *y)
{
    for (size_t i = 0; i < W; i += 4, S += 4 * W) {
        AUCBENCH_VECTOR s[4][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}};
        for (size_t j = 0; j < W; j += 8)
            AUCBENCH_PARTS_OF(p) {
                const double *at = S + j + AUCBENCH_WIDTH * p;
                const AUCBENCH_VECTOR v = AUCBENCH_CONST_AT(x + j + AUCBENCH_WIDTH * p);
                for (size_t r = 0; r < 4; r++)
                    s[r][p] += AUCBENCH_CONST_AT(at + r * W) * v;
            }
        for (size_t r = 0; r < 4; r++) {
            AUCBENCH_LANES_OF(v, s[r]);
            y[i + r] += aucbench_total(v);
        }
    }
}

/* four rows of S += sum of l[t] r[t]^T, in `parts` registers of columns for each row */
AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_outer_part_)(
    const size_t parts, size_t W, size_t count, const double *const *l, const double *const *r,
    size_t i, size_t j, double *S)
{
    AUCBENCH_VECTOR s[4][2];
    for (size_t k = 0; k < 4; k++)
        for (size_t p = 0; p < parts; p++)
            s[k][p] = AUCBENCH_CONST_AT(S + k * W + AUCBENCH_WIDTH * p);
    for (size_t t = 0; t < count; t++)
        for (size_t p = 0; p < parts; p++) {
            const AUCBENCH_VECTOR u = AUCBENCH_CONST_AT(r[t] + j + AUCBENCH_WIDTH * p);
            for (size_t k = 0; k < 4; k++)
                s[k][p] += u * l[t][i + k];
        }
    for (size_t k = 0; k < 4; k++)
        for (size_t p = 0; p < parts; p++)
            AUCBENCH_AT(S + k * W + AUCBENCH_WIDTH * p) = s[k][p];
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_outer_)(
    size_t W, size_t count, const double *const *l, const double *const *r, double *S)
{
    for (size_t i = 0; i < W; i += 4, S += 4 * W) {
        size_t j = 0;
        for (; j + 2 * AUCBENCH_WIDTH <= W; j += 2 * AUCBENCH_WIDTH)
            AUCBENCH_WIDE(aucbench_outer_part_)(2, W, count, l, r, i, j, S + j);
        if (j < W)
            AUCBENCH_WIDE(aucbench_outer_part_)(1, W, count, l, r, i, j, S + j);
    }
}

AUCBENCH_INLINE double AUCBENCH_WIDE(aucbench_turn_)(
    size_t W, const double *b, double p, const double *q, double c, double *step)
{
    AUCBENCH_VECTOR s[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    for (size_t j = 0; j < W; j += 8)
        AUCBENCH_PARTS_OF(r) {
            const size_t k = j + AUCBENCH_WIDTH * r;
            const AUCBENCH_VECTOR u = AUCBENCH_CONST_AT(q + k);
            const AUCBENCH_VECTOR v = AUCBENCH_CONST_AT(b + k) - u * p;
            s[r] += u * v;
            AUCBENCH_AT(step + k) = v * -c;
        }
    AUCBENCH_LANES_OF(v, s);
    return aucbench_total(v);
}
