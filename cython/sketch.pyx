"""Passes of the low-rank OPAUC over rows in a given order."""

from libc.math cimport fabs, fmax
from reach cimport widen
from rows cimport (
    AUCBENCH_PREFETCH, Rows, ahead, aucbench_axpy2, aucbench_axpy4, axpy, begin, column, dot,
    first, first_index, square, view,
)
from scipy.linalg.cython_blas cimport daxpy, dcopy, ddot, dgemv, dger, dscal


cdef struct Sketch:
    double* B                 # (d, 2 K): sketch and sum of rows of the negatives, then positives
    double* G                 # B^T B
    double* h                 # B^T u
    double* u                 # w = s u + B a
    double* a
    double* s
    double* spent             # how much of B was changed since the last refresh, in rows of B
    double* g                 # scratch, (2 K,): B^T x
    double* e                 # scratch, (K,): B += x e^T in the block of its class
    double* b                 # scratch, (K,): B^T w of the other class
    int K
    int m                     # 2 K
    int d


cdef inline double* row(const Sketch* S, const Rows* X, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the row of B for the stored value j of row i."""
    return S.B + column(X, i, j) * <Py_ssize_t> S.m


cdef inline void prefetch(const Sketch* S, const double* at) noexcept nogil:
    """Load a row of B early; the hardware cannot predict scattered rows."""
    cdef int j
    for j in range(0, S.m, 8):
        AUCBENCH_PREFETCH(at + j)


cdef inline void absorb(Sketch* S, const Rows* X, Py_ssize_t i, int k) noexcept nogil:
    """g = B^T x, then B += x e^T in the block of class k; each row of B is read once."""
    cdef Py_ssize_t j = begin(X, i), end = begin(X, i + 1), skip = k * S.K
    cdef double* to[4]
    cdef int r, step = 1
    for r in range(S.m):
        S.g[r] = 0.0
    while j + 4 <= end:
        for r in range(4):
            to[r] = row(S, X, i, j + r)
            if j + r + 8 < end:
                prefetch(S, row(S, X, i, j + r + 8))
        aucbench_axpy4(S.m, X.values + j, <const double**> to, S.g)
        for r in range(0, 4, 2):
            aucbench_axpy2(
                S.K, X.values[j + r], X.values[j + r + 1], S.e, to[r] + skip, to[r + 1] + skip
            )
        j += 4
    while j < end:
        to[0] = row(S, X, i, j)
        daxpy(&S.m, <double*> (X.values + j), to[0], &step, S.g, &step)
        daxpy(&S.K, <double*> (X.values + j), S.e, &step, to[0] + skip, &step)
        j += 1


cdef inline void add(Sketch* S, double c, const Rows* X, Py_ssize_t i) noexcept nogil:
    """w += c x, with g = B^T x"""
    cdef double share = c / S.s[0]
    cdef int step = 1
    axpy(share, X, i, S.u)
    daxpy(&S.m, &share, S.g, &step, S.h, &step)


cdef inline void multiply(Sketch* S, double c) noexcept nogil:
    """w *= c"""
    cdef int step = 1
    dscal(&S.m, &c, S.a, &step)
    S.s[0] *= c
    if not 1e-4 < fabs(S.s[0]) < 1e4:
        dscal(&S.d, S.s, S.u, &step)
        dscal(&S.m, S.s, S.h, &step)
        S.s[0] = 1.0


cdef inline void refresh(Sketch* S) noexcept nogil:
    """Set u = w and a = 0; otherwise u and B a would grow and cancel each other."""
    cdef double one = 1.0, zero = 0.0
    cdef int r, step = 1
    dgemv(b"T", &S.m, &S.d, &one, S.B, &S.m, S.a, &step, S.s, S.u, &step)
    dgemv(b"N", &S.m, &S.d, &one, S.B, &S.m, S.u, &step, &zero, S.h, &step)
    for r in range(S.m):
        S.a[r] = 0.0
    S.s[0], S.spent[0] = 1.0, 0.0


cdef inline double learn(Sketch* S, const Rows* X, Py_ssize_t i, int k) noexcept nogil:
    """Add x e^T to B and update all that depends on it; w stays. Return w . x."""
    cdef double inner = dot(X, i, S.u), norm = square(X, i), half = norm / 2.0, one = 1.0, score
    cdef int step = 1, K = S.K
    absorb(S, X, i, k)
    score = S.s[0] * inner + ddot(&S.m, S.a, &step, S.g, &step)
    daxpy(&K, &inner, S.e, &step, S.h + k * K, &step)
    daxpy(&K, &half, S.e, &step, S.g + k * K, &step)  # G gains g e^T + e g^T with this g
    dger(&S.m, &K, &one, S.g, &step, S.e, &step, S.G + k * K * S.m, &S.m)
    dger(&K, &S.m, &one, S.e, &step, S.g, &step, S.G + k * K, &S.m)
    daxpy(&K, &half, S.e, &step, S.g + k * K, &step)  # B^T x with the new B
    add(S, -ddot(&K, S.e, &step, S.a + k * K, &step), X, i)
    return score


cdef inline double reach(
    const Sketch* S, const Rows* X, Py_ssize_t i, int o, double n, const double* q
) noexcept nogil:
    """Return |x - c|^2 + tr S plus a bound of its rounding; c and S are of class o.

    tr S = |Z - c q^T|^2 / n. G has the inner products of the columns of B, g those with x.
    """
    cdef const double* G = S.G + o * S.K * (S.m + 1)
    cdef int last = S.K - 1, r
    cdef double c = G[last * (S.m + 1)] / n / n, size = square(X, i) + c
    cdef double found = size - 2.0 * S.g[o * S.K + last] / n
    for r in range(last):
        size += (G[r * (S.m + 1)] + q[r] * q[r] * c) / n
        found += (G[r * (S.m + 1)] + q[r] * (q[r] * c - 2.0 * G[r * S.m + last] / n)) / n
    return fmax(found, 0.0) + 1e-14 * size


cdef inline void descend(
    Sketch* S, const Rows* X, Py_ssize_t i, int o, double score, double side, double eta,
    double lam, double n, const double* q
) noexcept nogil:
    """w -= eta (lam w - side (x - c) + ((x - c) . w) (x - c) + S w); c and S are of class o.

    S w = (Z v - (q . v) c) / n with v = Z^T w - (c . w) q, a combination of the columns of B.
    """
    cdef int K = S.K, step = 1, r
    cdef double* a = S.a + o * K
    cdef double one = 1.0, project, move, inner = 0.0, v
    dcopy(&K, S.h + o * K, &step, S.b, &step)
    dgemv(b"T", &S.m, &K, &one, S.G + o * K * S.m, &S.m, S.a, &step, S.s, S.b, &step)
    project = S.b[K - 1] / n
    move = eta * (side - (score - project))
    multiply(S, 1.0 - eta * lam)
    for r in range(K - 1):
        v = S.b[r] - project * q[r]
        inner += q[r] * v
        a[r] -= eta * v / n
    a[K - 1] += (eta * inner / n - move) / n
    add(S, move, X, i)


def sketch_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[:, ::1] noise,
    double eta, double lam, double[::1] n, double[:, ::1] q, double[:, ::1] B,
    double[:, ::1] G, double[:, ::1] ha, double[::1] u, double[::1] numbers,
    double[:, ::1] work, double[::1] spread=None,
):
    """Add each row to the sketch of its class (0: negative, 1: positive), then step.

    noise[t] is the vector r of row order[t]: Z += x r^T and q += r. ha = [h, a], numbers =
    [s, spent], and `work` is (3, 2 K). There is no step before the first row of the other class.
    With K columns for each class, a step costs O(K times the stored values of the row + K^2).
    With `spread` = [kappa], eta is a share of 1 / (lam + kappa), where kappa is the largest
    |x - c|^2 + tr S so far.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef int K = <int> q.shape[1] + 1, tau = K - 1, step = 1, i, k, o
    cdef Sketch S = Sketch(
        &B[0, 0], &G[0, 0], &ha[0, 0], &u[0], &ha[1, 0], &numbers[0], &numbers[1],
        &work[0, 0], &work[1, 0], &work[2, 0], K, 2 * K, d,
    )
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t rows = order.shape[0], t
    cdef double* top = NULL if spread is None else &spread[0]
    cdef double one = 1.0, length = eta, score, shrink
    S.e[tau] = 1.0
    with nogil:
        for t in range(rows):
            i = order_[t]
            ahead(&X, order_, t, rows)
            k = y[i] > 0
            n[k] += 1.0
            dcopy(&tau, <double*> &noise[t, 0], &step, S.e, &step)
            daxpy(&tau, &one, S.e, &step, &q[k, 0], &step)
            score = learn(&S, &X, i, k)
            o = 1 - k
            if n[o] > 0.0:
                if top != NULL:
                    shrink = widen(top, reach(&S, &X, i, o, n[o], &q[o, 0]))
                    multiply(&S, shrink)
                    score *= shrink
                    length = eta / (lam + top[0])
                descend(&S, &X, i, o, score, y[i], length, lam, n[o], &q[o, 0])
            S.spent[0] += begin(&X, i + 1) - begin(&X, i) + S.m
            if S.spent[0] >= 16.0 * d:
                refresh(&S)
