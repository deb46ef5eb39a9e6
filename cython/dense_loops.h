/* Loops over vectors of one width; dense.h includes this for each width. */

AUCBENCH_INLINE double AUCBENCH_WIDE(aucbench_inner_)(size_t W, const double *x, const double *y)
{
    AUCBENCH_VECTOR s[AUCBENCH_PARTS] = {AUCBENCH_ZERO};
    for (size_t j = 0; j < W; j += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            s[p] += AUCBENCH_CONST_AT(x + k) * AUCBENCH_CONST_AT(y + k);
        }
    AUCBENCH_LANES_OF(v, s);
    return aucbench_total(v);
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_mix_)(
    size_t W, double b, double c, const double *x, double *y)
{
    for (size_t j = 0; j < W; j += AUCBENCH_WIDTH)
        AUCBENCH_AT(y + j) = AUCBENCH_CONST_AT(y + j) * b + AUCBENCH_CONST_AT(x + j) * c;
}

AUCBENCH_INLINE double AUCBENCH_WIDE(aucbench_dot_f_)(size_t d, const float *x, const double *w)
{
    AUCBENCH_VECTOR a[4][AUCBENCH_PARTS] = {{AUCBENCH_ZERO}}, s[AUCBENCH_PARTS];
    double t = 0;
    size_t j = 0;
    for (; j + 32 <= d; j += 32)
        for (size_t k = 0; k < 4; k++)
            AUCBENCH_PARTS_OF(p) {
                const size_t i = j + 8 * k + AUCBENCH_WIDTH * p;
                a[k][p] += AUCBENCH_FLOATS_AT(x + i) * AUCBENCH_CONST_AT(w + i);
            }
    for (; j < d; j++)
        t += x[j] * w[j];
    AUCBENCH_PARTS_OF(p)
        s[p] = (a[0][p] + a[1][p]) + (a[2][p] + a[3][p]);
    AUCBENCH_LANES_OF(v, s);
    return t + aucbench_total(v);
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_axpy_f_)(
    size_t d, double a, const float *x, double *out)
{
    size_t j = 0;
    for (; j + AUCBENCH_WIDTH <= d; j += AUCBENCH_WIDTH)
        AUCBENCH_AT(out + j) = AUCBENCH_CONST_AT(out + j) + AUCBENCH_FLOATS_AT(x + j) * a;
    for (; j < d; j++)
        out[j] += a * x[j];
}
