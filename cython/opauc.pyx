"""Passes of OPAUC over rows in a given order."""

from libc.math cimport sqrt
from rows cimport Rows, ahead, axpy, first_index, view
from scipy.linalg.cython_blas cimport daxpy, ddot, dgemv, dscal, dsymv, dsyrk


cdef struct Moments:
    double* n                 # rows of the class so far
    int* held                 # how many of `pending` wait to be added to `scatter`
    double* mean              # (d,)
    double* scatter           # (d, d): sum of (x - mean)(x - mean)^T, upper triangle
    double* pending           # (slots, d): v that stand for v v^T
    int slots
    int d


cdef inline Moments moments(
    int k, double[::1] n, int[::1] held, double[:, ::1] mean, double[:, :, ::1] scatter,
    double[:, :, ::1] pending
) noexcept:
    return Moments(
        &n[k], &held[k], &mean[k, 0], &scatter[k, 0, 0], &pending[k, 0, 0],
        <int> pending.shape[1], <int> pending.shape[2],
    )


cdef inline void centred(
    const Rows* X, Py_ssize_t i, const double* mean, double* out
) noexcept nogil:
    """out = X[i] - mean"""
    cdef int j
    for j in range(X.d):
        out[j] = -mean[j]
    axpy(1.0, X, i, out)


cdef inline void learn(Moments* m, const Rows* X, Py_ssize_t i) noexcept nogil:
    """Welford's update; the rank-one terms are added to the scatter in groups.

    One by one they would read and write the whole triangle for each row; a group costs one
    matrix product, at the speed of the processor instead of the cache.
    """
    cdef double* v = m.pending + m.held[0] * <Py_ssize_t> m.d
    cdef double share, one = 1.0
    cdef int step = 1
    centred(X, i, m.mean, v)
    m.n[0] += 1.0
    share = 1.0 / m.n[0]
    daxpy(&m.d, &share, v, &step, m.mean, &step)
    share = sqrt((m.n[0] - 1.0) / m.n[0])
    dscal(&m.d, &share, v, &step)
    m.held[0] += 1
    if m.held[0] == m.slots:
        dsyrk(b"L", b"N", &m.d, m.held, &one, m.pending, &m.d, &one, m.scatter, &m.d)
        m.held[0] = 0


cdef inline void covariance(
    const Moments* m, const double* w, double* out, double* inner
) noexcept nogil:
    """out = S w; `inner` has room for a number per pending vector."""
    cdef double share = 1.0 / m.n[0], zero = 0.0, one = 1.0
    cdef double* w_ = <double*> w
    cdef int d = m.d, step = 1
    dsymv(b"L", &d, &share, m.scatter, &d, w_, &step, &zero, out, &step)
    if m.held[0]:
        dgemv(b"T", &d, m.held, &one, m.pending, &d, w_, &step, &zero, inner, &step)
        dgemv(b"N", &d, m.held, &share, m.pending, &d, inner, &step, &one, out, &step)


cdef inline void descend(
    const Moments* other, const Rows* X, Py_ssize_t i, double side, double eta, double lam,
    double* w, double[:, ::1] work
) noexcept nogil:
    """w -= eta (lam w - side q + (q . w) q + S w), q = x - mean, of the other class."""
    cdef double* q = &work[0, 0]
    cdef double* Sw = &work[1, 0]
    cdef double move, shrink = 1.0 - eta * lam
    cdef int j, step = 1, d = X.d
    centred(X, i, other.mean, q)
    covariance(other, w, Sw, &work[2, 0])
    move = eta * (side - ddot(&d, q, &step, w, &step))
    for j in range(d):
        w[j] = shrink * w[j] + move * q[j] - eta * Sw[j]


def opauc_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, double eta, double lam,
    double[::1] n, int[::1] held, double[:, ::1] mean, double[:, :, ::1] scatter,
    double[:, :, ::1] pending, double[::1] w, double[:, ::1] work,
):
    """Count each row into the moments of its class (0: -1, 1: +1), then step.

    There is no step before the first row of the other class. `work` is (3, max(d, slots)).
    The product S w costs O(d^2) for a CSR row too, so that all else may cost O(d).
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Moments[2] of
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t rows = order.shape[0], t
    cdef int i, k
    for k in range(2):
        of[k] = moments(k, n, held, mean, scatter, pending)
    with nogil:
        for t in range(rows):
            i = order_[t]
            ahead(&X, order_, t, rows)
            k = y[i] > 0
            learn(&of[k], &X, i)
            if of[1 - k].n[0] > 0.0:
                descend(&of[1 - k], &X, i, y[i], eta, lam, &w[0], work)
