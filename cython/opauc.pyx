"""Passes of OPAUC over rows in a given order."""

from libc.math cimport sqrt
from steps cimport widen
from rows cimport Rows, ahead, axpy, first_index, rows_of
from scipy.linalg.cython_blas cimport daxpy, ddot, dgemv, dscal, dsymv, dsyrk


cdef struct Moments:
    double* n                 # rows of the class so far
    int* held                 # how many vectors of `pending` are not yet added to `scatter`
    double* mean              # (d,)
    double* scatter           # (d, d): sum of (x - mean)(x - mean)^T, upper triangle
    double* pending           # (slots, d): vectors v; v v^T is still to be added to `scatter`
    int slots
    int d


cdef inline void centred(
    const Rows* X, Py_ssize_t i, const double* mean, double* out
) noexcept nogil:
    """out = X[i] - mean"""
    cdef int j
    for j in range(X.d):
        out[j] = -mean[j]
    axpy(1.0, X, i, out)


cdef inline double square(int d, const double* v) noexcept nogil:
    """|v|^2"""
    cdef int step = 1
    return ddot(&d, <double*> v, &step, <double*> v, &step)


cdef inline void learn(Moments* m, const Rows* X, Py_ssize_t i, double* trace) noexcept nogil:
    """Welford's update of the moments; rank-one terms are added to the scatter in groups.

    A single term would read and write the whole triangle. A group is one matrix product, which
    runs at the speed of the processor. `trace`, unless NULL, is the trace of the scatter.
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
    if trace != NULL:
        trace[0] += square(m.d, v)
    m.held[0] += 1
    if m.held[0] == m.slots:
        dsyrk(b"L", b"N", &m.d, m.held, &one, m.pending, &m.d, &one, m.scatter, &m.d)
        m.held[0] = 0


cdef inline void covariance(
    const Moments* m, const double* w, double* out, double* inner
) noexcept nogil:
    """out = S w; `inner` has room for one number for each pending vector."""
    cdef double share = 1.0 / m.n[0], zero = 0.0, one = 1.0
    cdef double* w_ = <double*> w
    cdef int d = m.d, step = 1
    dsymv(b"L", &d, &share, m.scatter, &d, w_, &step, &zero, out, &step)
    if m.held[0]:
        dgemv(b"T", &d, m.held, &one, m.pending, &d, w_, &step, &zero, inner, &step)
        dgemv(b"N", &d, m.held, &share, m.pending, &d, inner, &step, &one, out, &step)


cdef inline double derived(
    double share, double lam, double* kappa, double trace, const double* q, int d, double* w
) noexcept nogil:
    """Return share / (lam + kappa), where kappa is the largest |q|^2 + tr S so far."""
    cdef double shrink = widen(kappa, square(d, q) + trace)
    cdef int step = 1
    if shrink < 1.0:
        dscal(&d, &shrink, w, &step)
    return share / (lam + kappa[0])


cdef inline void descend(
    const Moments* other, const double* q, double side, double eta, double lam,
    double* w, double[:, ::1] work
) noexcept nogil:
    """w -= eta (lam w - side q + (q . w) q + S w), with q = x - mean and S of the other class."""
    cdef double* Sw = &work[1, 0]
    cdef double move, shrink = 1.0 - eta * lam
    cdef int j, step = 1, d = other.d
    covariance(other, w, Sw, &work[2, 0])
    move = eta * (side - ddot(&d, <double*> q, &step, w, &step))
    for j in range(d):
        w[j] = shrink * w[j] + move * q[j] - eta * Sw[j]


def opauc_pass(chunk, const int[::1] order, memory, double[:, ::1] work):
    """Take a step of OPAUC for each row of `order`.

    The attributes of `memory` are those of `aucbench_plugins.online.opauc.Covariances`, and the
    step is `reference_update` of that module. work is (3, max(d, slots)). The product S w costs
    O(d^2) for CSR rows too, so other operations of O(d) do not matter.
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef double[::1] w = memory.w, n = memory.n, traces = memory.traces
    cdef double[:, ::1] mean = memory.mean
    cdef double[:, :, ::1] scatter = memory.scatter, pending = memory.pending
    cdef int[::1] held = memory.held
    cdef bint derive = memory.eta is None
    cdef double lam = memory.lam, share = memory.share, kappa = memory.kappa
    cdef double eta = 0.0 if derive else memory.eta
    cdef Moments[2] of
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t rows = order.shape[0], t
    cdef double* q = &work[0, 0]
    cdef int i, k, o
    for k in range(2):
        of[k] = Moments(
            &n[k], &held[k], &mean[k, 0], &scatter[k, 0, 0], &pending[k, 0, 0],
            <int> pending.shape[1], X.d)
    with nogil:
        for t in range(rows):
            i = order_[t]
            ahead(&X, order_, t, rows)
            k = y[i] > 0
            o = 1 - k
            learn(&of[k], &X, i, &traces[k] if derive else NULL)
            if of[o].n[0] > 0.0:
                centred(&X, i, of[o].mean, q)
                if derive:
                    eta = derived(share, lam, &kappa, traces[o] / of[o].n[0], q, X.d, &w[0])
                descend(&of[o], q, y[i], eta, lam, &w[0], work)
    memory.kappa = kappa
