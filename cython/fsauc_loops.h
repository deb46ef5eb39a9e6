/* Loops over vectors of one width; fsauc.h includes this for each width. */

/* w <- sign(w) max(|w| - theta, 0), and the size of the result; z is written if `write`. */
AUCBENCH_INLINE fsauc_size AUCBENCH_WIDE(fsauc_soften_)(
    size_t d, const double *c, double *z, double s, double theta, const int write)
{
    const AUCBENCH_MASK sign = (AUCBENCH_MASK){0} + INT64_MIN;
    AUCBENCH_VECTOR norm[AUCBENCH_PARTS] = {{0}}, square[AUCBENCH_PARTS] = {{0}};
    AUCBENCH_MASK kept[AUCBENCH_PARTS] = {{0}};
    fsauc_size tail = {0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR C = AUCBENCH_CONST_AT(c + k);
            AUCBENCH_VECTOR Z = AUCBENCH_CONST_AT(z + k) * s;
            const AUCBENCH_MASK W = (AUCBENCH_MASK)(C + Z);
            AUCBENCH_VECTOR A = (AUCBENCH_VECTOR)(W & ~sign) - theta;
            const AUCBENCH_MASK above = A > 0.0;
            A = (AUCBENCH_VECTOR)((AUCBENCH_MASK)A & above);
            if (write) {
                Z = (AUCBENCH_VECTOR)((AUCBENCH_MASK)A | (W & sign)) - C;
                AUCBENCH_AT(z + k) = Z;
            }
            kept[p] -= above;
            norm[p] += A;
            square[p] += Z * Z;
        }
    for (; j < d; j++) {
        double y = z[j] * s, w = c[j] + y, a = fabs(w) - theta;
        a = a > 0 ? a : 0.0;
        if (write)
            z[j] = y = copysign(a, w) - c[j];
        tail.norm += a;
        tail.square += y * y;
        tail.nonzeros += a > 0;
    }
    AUCBENCH_LANES_OF(norms, norm);
    AUCBENCH_LANES_OF(squares, square);
    int64_t count[8];
    memcpy(count, kept, sizeof count);
    return (fsauc_size){tail.norm + FSAUC_SUM(norms), tail.square + FSAUC_SUM(squares),
                        tail.nonzeros + (double)FSAUC_SUM(count)};
}

/* z += e x, u += f x if `sum`, and the size of c + s z. */
AUCBENCH_INLINE fsauc_size AUCBENCH_WIDE(fsauc_step_)(
    size_t d, double e, double f, const double *x, const double *c, double s, double *z, double *u,
    const int sum)
{
    const AUCBENCH_MASK sign = (AUCBENCH_MASK){0} + INT64_MIN;
    AUCBENCH_VECTOR norm[AUCBENCH_PARTS] = {{0}}, square[AUCBENCH_PARTS] = {{0}};
    AUCBENCH_MASK kept[AUCBENCH_PARTS] = {{0}};
    fsauc_size tail = {0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR X = AUCBENCH_CONST_AT(x + k);
            AUCBENCH_VECTOR Z = AUCBENCH_CONST_AT(z + k) + X * e, W;
            AUCBENCH_AT(z + k) = Z;
            if (sum)
                AUCBENCH_AT(u + k) = AUCBENCH_CONST_AT(u + k) + X * f;
            Z *= s;
            W = AUCBENCH_CONST_AT(c + k) + Z;
            kept[p] -= (AUCBENCH_MASK)(W != 0.0);
            norm[p] += (AUCBENCH_VECTOR)((AUCBENCH_MASK)W & ~sign);
            square[p] += Z * Z;
        }
    for (; j < d; j++) {
        z[j] += e * x[j];
        if (sum)
            u[j] += f * x[j];
        const double y = s * z[j], w = c[j] + y;
        tail.norm += fabs(w);
        tail.square += y * y;
        tail.nonzeros += w != 0;
    }
    AUCBENCH_LANES_OF(norms, norm);
    AUCBENCH_LANES_OF(squares, square);
    int64_t count[8];
    memcpy(count, kept, sizeof count);
    return (fsauc_size){tail.norm + FSAUC_SUM(norms), tail.square + FSAUC_SUM(squares),
                        tail.nonzeros + (double)FSAUC_SUM(count)};
}
