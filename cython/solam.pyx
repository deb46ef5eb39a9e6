"""Passes of SOLAM over rows in a given order."""

from libc.math cimport fmax, fmin, sqrt
from rows cimport Rows, ahead, dot, first, first_index, view
from scaled cimport Scaled, add, count, fold, multiply, scaled, score


cdef struct Norm:
    double square             # |w|^2, kept up to date in O(1)
    double peak               # its largest value since it was last computed


cdef inline void renew(Norm* norm, const Scaled* w) noexcept nogil:
    """Compute |w|^2 once it has lost digits: it is a thousandth of what it was."""
    cdef Py_ssize_t j
    cdef double total = 0.0
    norm.peak = fmax(norm.peak, norm.square)
    if norm.square >= 1e-3 * norm.peak:
        return
    for j in range(w.d):
        total += w.v[j] * w.v[j]
    norm.square = norm.peak = w.s * w.s * total


cdef inline void project(Scaled* w, Norm* norm, double R) noexcept nogil:
    """Nearest point with |w| <= R."""
    if norm.square > R * R:
        multiply(w, R / sqrt(norm.square))
        norm.square = R * R


cdef inline double clip(double a, double limit) noexcept nogil:
    return fmin(fmax(a, -limit), limit)


def solam_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[::1] square_norms,
    const double[::1] steps, double lam, double R, bint running,
    double[::1] w, double[::1] u, double[::1] total, double[::1] numbers,
):
    """Descend in (w, a, b), ascend in alpha, project, for each row; total += step w before it.

    numbers = [a, b, alpha, kappa, rows seen, positives seen, sum of steps]; kappa is the
    largest |x| seen when `running`. u holds zeros, before and after. The gradient of row x is
    2 share (x . w - own + sign (1 + alpha)), with the share of the other class; that of a
    (of b) has the same first term. A step costs O(stored values of the row).
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled W = scaled(<double*> first(w), <double*> first(u), <double*> first(total), d)
    cdef const int* order_ = first_index(order)
    cdef double* m = &numbers[0]
    cdef Norm norm = Norm(0.0, 1.0)
    cdef double p, s, eta, share, side, shrink, g, curve
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, own
    with nogil:
        renew(&norm, &W)
        for t in range(n):
            i, eta = order_[t], steps[t]
            ahead(&X, order_, t, n)
            m[4] += 1.0
            m[5] += y[i] > 0
            m[6] += eta
            p = m[5] / m[4]
            side = y[i]
            own = y[i] < 0
            share = 2.0 * (p if own else 1.0 - p)
            curve = 2.0 * p * (1.0 - p)
            if running:
                m[3] = fmax(m[3], sqrt(square_norms[i]))
            count(&W, eta)
            s = score(&W, &X, i)
            g = share * (s - m[own] - side * (1.0 + m[2]))
            m[own] = clip(m[own] + eta * share * (s - m[own]), R * m[3])
            m[2] = clip(m[2] - eta * (side * share * s + curve * m[2]), 2.0 * R * m[3])
            shrink = 1.0 - eta * lam
            multiply(&W, shrink)
            add(&W, -eta * g, &X, i)
            norm.square = (shrink * norm.square - 2.0 * eta * g * s) * shrink \
                + eta * eta * g * g * square_norms[i]
            renew(&norm, &W)
            project(&W, &norm, R)
        fold(&W)
