/* Dot products and sums of dense rows of AUCBENCH_NUMBER; dense.h includes this for each type. */

/* Column j of the next four rows, into the second cache. The hardware loads ahead within a page of
 * 4 kB, and a row of a thousand doubles has two: alone it leaves half of the bandwidth unused. The
 * first cache has no room for eight rows.
 */
AUCBENCH_INLINE void AUCBENCH_NAMED(aucbench_next4)(const AUCBENCH_NUMBER *const *next, size_t j)
{
    for (int r = 0; r < 4; r++)
        AUCBENCH_PREFETCH_FAR(next[r] + j);
}

/* s[r] = x_r . w for the rows x_0..x_3, stored at x[0]..x[3], while the rows of `next` are loaded */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_dot4),
                (size_t d, const AUCBENCH_NUMBER *const *x, const AUCBENCH_NUMBER *const *next,
                 const double *w, double *s), (d, x, next, w, s))
{
    aucbench_v8 a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, v, u;
    double t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    size_t j = 0;
    if (d)
        AUCBENCH_NAMED(aucbench_next4)(next, d - 1);
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, w + j);
        AUCBENCH_READ(u, x[0] + j);
        a0 += u * v;
        AUCBENCH_READ(u, x[1] + j);
        a1 += u * v;
        AUCBENCH_READ(u, x[2] + j);
        a2 += u * v;
        AUCBENCH_READ(u, x[3] + j);
        a3 += u * v;
        AUCBENCH_NAMED(aucbench_next4)(next, j);
    }
    for (; j < d; j++) {
        t0 += x[0][j] * w[j];
        t1 += x[1][j] * w[j];
        t2 += x[2][j] * w[j];
        t3 += x[3][j] * w[j];
    }
    for (int k = 0; k < 8; k++) {
        t0 += a0[k];
        t1 += a1[k];
        t2 += a2[k];
        t3 += a3[k];
    }
    s[0] = t0;
    s[1] = t1;
    s[2] = t2;
    s[3] = t3;
}

/* out += c[0] x_0 + c[1] x_1 + c[2] x_2 + c[3] x_3, while the rows of `next` are loaded */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_axpy4),
                (size_t d, const double *c, const AUCBENCH_NUMBER *const *x,
                 const AUCBENCH_NUMBER *const *next, double *out), (d, c, x, next, out))
{
    aucbench_v8 v, u;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_LOAD(v, out + j);
        AUCBENCH_READ(u, x[0] + j);
        v += u * c[0];
        AUCBENCH_READ(u, x[1] + j);
        v += u * c[1];
        AUCBENCH_READ(u, x[2] + j);
        v += u * c[2];
        AUCBENCH_READ(u, x[3] + j);
        v += u * c[3];
        memcpy(out + j, &v, sizeof v);
        AUCBENCH_NAMED(aucbench_next4)(next, j);
    }
    for (; j < d; j++)
        out[j] += c[0] * x[0][j] + c[1] * x[1][j] + c[2] * x[2][j] + c[3] * x[3][j];
}

/* s[0] = x . u, s[1] = x . w */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_dot2),
                (size_t d, const AUCBENCH_NUMBER *x, const double *u, const double *w, double *s),
                (d, x, u, w, s))
{
    aucbench_v8 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, v, y;
    double ta = 0, tb = 0;
    size_t j = 0;
    for (; j + 16 <= d; j += 16) {
        AUCBENCH_READ(v, x + j);
        AUCBENCH_LOAD(y, u + j);
        a0 += v * y;
        AUCBENCH_LOAD(y, w + j);
        b0 += v * y;
        AUCBENCH_READ(v, x + j + 8);
        AUCBENCH_LOAD(y, u + j + 8);
        a1 += v * y;
        AUCBENCH_LOAD(y, w + j + 8);
        b1 += v * y;
    }
    for (; j < d; j++) {
        ta += x[j] * u[j];
        tb += x[j] * w[j];
    }
    a0 += a1;
    b0 += b1;
    for (int k = 0; k < 8; k++) {
        ta += a0[k];
        tb += b0[k];
    }
    s[0] = ta;
    s[1] = tb;
}

/* u += a x, w += b x; u and w do not overlap */
AUCBENCH_CLONED(void, AUCBENCH_NAMED(aucbench_axpy2),
                (size_t d, double a, double b, const AUCBENCH_NUMBER *x, double *u, double *w),
                (d, a, b, x, u, w))
{
    aucbench_v8 v, y;
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        AUCBENCH_READ(v, x + j);
        AUCBENCH_LOAD(y, u + j);
        y += v * a;
        memcpy(u + j, &y, sizeof y);
        AUCBENCH_LOAD(y, w + j);
        y += v * b;
        memcpy(w + j, &y, sizeof y);
    }
    for (; j < d; j++) {
        u[j] += a * x[j];
        w[j] += b * x[j];
    }
}
