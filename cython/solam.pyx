"""Passes of SOLAM over rows in a given order."""

from libc.math cimport fmax, fmin, sqrt
from rows cimport Rows, ahead, dot, first, first_index, view
from scaled cimport Scaled, add, count, fold, multiply, scaled, score

cdef double LOST = 2.0**12          # allowed error of |w|^2, in units of rounding: 5e-13


cdef struct Norm:
    double square             # |w|^2, kept up to date in O(1)
    double lost               # bound of its error, in units of the rounding of 1


cdef inline void measure(Norm* norm, const Scaled* w) noexcept nogil:
    cdef Py_ssize_t j
    cdef double total = 0.0
    for j in range(w.d):
        total += w.v[j] * w.v[j]
    norm.square = norm.lost = w.s * w.s * total


cdef inline void step(
    Norm* norm, Scaled* w, double R, double shrink, double c, double s, const Rows* X, Py_ssize_t i,
    double square
) noexcept nogil:
    """w <- shrink w + c X[i], then its nearest point with |w| <= R; s = w . X[i]."""
    cdef double kept = shrink * shrink * norm.square, added = c * c * square, f
    cdef double most = 2.0 * (kept + added)  # (p + q)^2 <= 2 p^2 + 2 q^2
    w.s *= shrink
    # Keep s in its range, also after the projection has scaled w down by R / sqrt(most).
    if not 1e-8 * (most + R * R) < w.s * w.s * R * R < 4.0 * R * R:
        fold(w)
    add(w, c, X, i)
    norm.square = kept + 2.0 * shrink * c * s + added
    norm.lost = shrink * shrink * norm.lost + most
    if not norm.lost <= LOST * norm.square:
        measure(norm, w)
    if norm.square > R * R:
        f = R / sqrt(norm.square)
        multiply(w, f)
        norm.lost *= f * f
        norm.square = R * R


cdef inline double clip(double a, double limit) noexcept nogil:
    return fmin(fmax(a, -limit), limit)


def solam_pass(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[::1] square_norms,
    const double[::1] steps, double lam, double R, bint running,
    double[::1] w, double[::1] u, double[::1] total, double[::1] numbers,
):
    """For each row: total += step w, descend in (w, a, b), ascend in alpha, then project.

    numbers = [a, b, alpha, kappa, rows seen, positives seen, sum of steps]. If `running`, kappa is
    the largest |x| seen. u holds zeros, before and after. The gradient of a row in w is
    2 share (x . w - own - side (1 + alpha)) x. Here own is a for a positive and b for a negative
    row, side is its label, and share is that of the other class. A step costs O(stored values of
    the row).
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled W = scaled(<double*> first(w), <double*> first(u), <double*> first(total), d)
    cdef const int* order_ = first_index(order)
    cdef double* m = &numbers[0]
    cdef Norm norm
    cdef double p, s, eta, share, side, g, curve
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, own
    with nogil:
        measure(&norm, &W)
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
            step(&norm, &W, R, 1.0 - eta * lam, -eta * g, s, &X, i, square_norms[i])
        fold(&W)
