/* Loops over vectors of one width; oam.h includes this for each width. */

/* Some registers of p = sum of x[l] F[c[l]] over the rows c[l] of F, or over all where c is NULL */
AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_part_)(
    const size_t parts, size_t W, size_t count, const double *x, const int *c, const double *F,
    double *p)
{
    AUCBENCH_VECTOR s[8] = {AUCBENCH_ZERO};
    for (size_t l = 0; l < count; l++) {
        const double *at = F + (c ? (size_t)c[l] : l) * W;
        for (size_t r = 0; r < parts; r++)
            s[r] += AUCBENCH_CONST_AT(at + AUCBENCH_WIDTH * r) * x[l];
    }
    for (size_t r = 0; r < parts; r++)
        AUCBENCH_AT(p + AUCBENCH_WIDTH * r) = s[r];
}

AUCBENCH_INLINE void AUCBENCH_WIDE(aucbench_columns_)(
    size_t W, size_t count, const double *x, const int *c, const double *F, double *p)
{
    enum { MANY = 8 * AUCBENCH_WIDTH, SOME = 4 * AUCBENCH_WIDTH };
    size_t j = 0;
    for (; j + MANY <= W; j += MANY)
        AUCBENCH_WIDE(aucbench_part_)(8, W, count, x, c, F + j, p + j);
    for (; j + SOME <= W; j += SOME)
        AUCBENCH_WIDE(aucbench_part_)(4, W, count, x, c, F + j, p + j);
    for (; j < W; j += 8)
        AUCBENCH_WIDE(aucbench_part_)(AUCBENCH_PARTS, W, count, x, c, F + j, p + j);
}

AUCBENCH_INLINE int AUCBENCH_WIDE(aucbench_any_)(const AUCBENCH_MASK *m)
{
    int64_t any = 0;
    for (size_t i = 0; i < AUCBENCH_WIDTH; i++)
        any |= AUCBENCH_LANE(*m, i);
    return any != 0;
}

/* Whether one of the next `parts` registers of slots has a loss > 0 */
AUCBENCH_INLINE int AUCBENCH_WIDE(aucbench_any_loss_)(
    const size_t parts, double side, double s, double c, double square, const double *u,
    const double *p)
{
    AUCBENCH_MASK found = {0};
    for (size_t r = 0; r < parts; r++) {
        const AUCBENCH_VECTOR x = AUCBENCH_CONST_AT(u + AUCBENCH_WIDTH * r);
        const AUCBENCH_VECTOR z = AUCBENCH_CONST_AT(p + AUCBENCH_WIDTH * r);
        found |= AUCBENCH_FLAGS(1.0 - side * ((s - x) + c * (square - z)) > 0.0);
    }
    return AUCBENCH_WIDE(aucbench_any_)(&found);
}

AUCBENCH_INLINE size_t AUCBENCH_WIDE(aucbench_next_loss_)(
    size_t from, size_t size, double side, double s, double c, double square, const double *u,
    const double *p)
{
    size_t j = from & ~(size_t)7;
    while (j < size) {
        const size_t parts = size - j >= 4 * AUCBENCH_WIDTH ? 4 : 1;
        const size_t end = j + parts * AUCBENCH_WIDTH;
        const int any =
            parts == 4 ? AUCBENCH_WIDE(aucbench_any_loss_)(4, side, s, c, square, u + j, p + j)
                       : AUCBENCH_WIDE(aucbench_any_loss_)(1, side, s, c, square, u + j, p + j);
        for (size_t i = any ? j : end; i < end; i++)
            if (i >= from && i < size && 1.0 - side * ((s - u[i]) + c * (square - p[i])) > 0.0)
                return i;
        j = end;
    }
    return size;
}

AUCBENCH_INLINE size_t AUCBENCH_WIDE(aucbench_next_near_)(
    size_t from, size_t size, double near, double square, const double *squares, const double *p)
{
    size_t j = from;
    for (; j + AUCBENCH_WIDTH <= size; j += AUCBENCH_WIDTH) {
        const AUCBENCH_VECTOR x = AUCBENCH_CONST_AT(squares + j) + square;
        const AUCBENCH_MASK close =
            AUCBENCH_FLAGS(x - 2.0 * AUCBENCH_CONST_AT(p + j) <= near * x);
        if (AUCBENCH_WIDE(aucbench_any_)(&close))
            break;
    }
    for (; j < size; j++)
        if (square + squares[j] - 2.0 * p[j] <= near * (square + squares[j]))
            break;
    return j;
}
