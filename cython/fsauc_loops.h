/* Loops over vectors of one width; fsauc.h includes this for each width. */

/* The lanes of a fsauc_size; `kept` counts the entries of w that are not zero. */
typedef struct {
    AUCBENCH_VECTOR norm[AUCBENCH_PARTS], square[AUCBENCH_PARTS];
    AUCBENCH_MASK kept[AUCBENCH_PARTS];
} AUCBENCH_WIDE(fsauc_lanes_);

AUCBENCH_INLINE fsauc_size AUCBENCH_WIDE(fsauc_sum_)(
    const AUCBENCH_WIDE(fsauc_lanes_) *of, fsauc_size tail)
{
    AUCBENCH_LANES_OF(norms, of->norm);
    AUCBENCH_LANES_OF(squares, of->square);
    int64_t count[8];
    memcpy(count, of->kept, sizeof count);
    return (fsauc_size){tail.norm + FSAUC_SUM(norms), tail.square + FSAUC_SUM(squares),
                        tail.nonzeros + (double)FSAUC_SUM(count)};
}

/* w <- sign(w) max(|w| - theta, 0), and the size of the result; z is written if `write`. */
AUCBENCH_INLINE fsauc_size AUCBENCH_WIDE(fsauc_soften_)(
    size_t d, const double *c, double *z, double s, double theta, const int write)
{
    const AUCBENCH_MASK sign = (AUCBENCH_MASK){0} + INT64_MIN;
    AUCBENCH_WIDE(fsauc_lanes_) of = {{AUCBENCH_ZERO}, {AUCBENCH_ZERO}, {AUCBENCH_ZERO}};
    fsauc_size tail = {0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        AUCBENCH_PARTS_OF(p) {
            const size_t k = j + AUCBENCH_WIDTH * p;
            const AUCBENCH_VECTOR C = AUCBENCH_CONST_AT(c + k);
            AUCBENCH_VECTOR Z = AUCBENCH_CONST_AT(z + k) * s;
            const AUCBENCH_MASK W = AUCBENCH_BITS(C + Z);
            AUCBENCH_VECTOR A = AUCBENCH_OF_BITS(W & ~sign) - theta;
            const AUCBENCH_MASK above = AUCBENCH_FLAGS(A > 0.0);
            A = AUCBENCH_OF_BITS(AUCBENCH_BITS(A) & above);
            if (write) {
                Z = AUCBENCH_OF_BITS(AUCBENCH_BITS(A) | (W & sign)) - C;
                AUCBENCH_AT(z + k) = Z;
            }
            of.kept[p] -= above;
            of.norm[p] += A;
            of.square[p] += Z * Z;
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
    return AUCBENCH_WIDE(fsauc_sum_)(&of, tail);
}

/* z += e x, u += f x if `sum`, and the size of c + s z. */
AUCBENCH_INLINE fsauc_size AUCBENCH_WIDE(fsauc_step_)(
    size_t d, double e, double f, const double *x, const double *c, double s, double *z, double *u,
    const int sum)
{
    const AUCBENCH_MASK sign = (AUCBENCH_MASK){0} + INT64_MIN;
    AUCBENCH_WIDE(fsauc_lanes_) of = {{AUCBENCH_ZERO}, {AUCBENCH_ZERO}, {AUCBENCH_ZERO}};
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
            of.kept[p] -= AUCBENCH_FLAGS(W != 0.0);
            of.norm[p] += AUCBENCH_OF_BITS(AUCBENCH_BITS(W) & ~sign);
            of.square[p] += Z * Z;
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
    return AUCBENCH_WIDE(fsauc_sum_)(&of, tail);
}
