"""Passes of SOLAM over rows in a given order."""

from libc.math cimport fmax, fmin, sqrt
from steps cimport capped
from rows cimport Rows, ahead, first, first_index, rows_of
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


def solam_pass(chunk, const int[::1] order, point):
    """Take a step of SOLAM or regSOLAM for each row of `order`: descend, ascend, then project.

    The attributes of `point` are those of `aucbench_plugins.online.solam.SaddlePoint`, and the
    step is `reference_update` of that module. The gradient of a row in w is
    share (x . w - ab[own] - side (1 + alpha)) x. Here own is 0 for a positive row, which has a, and
    1 for a negative one, side is its label, and share is twice that of the other class. A step
    costs O(stored values of the row).
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef const double[::1] square_norms = chunk.square_norms
    cdef double[::1] w_ = point.w, zeros = point.zeros, total = point.total
    cdef Scaled w = scaled(<double*> first(w_), <double*> first(zeros), <double*> first(total), X.d)
    cdef const int* order_ = first_index(order)
    cdef double xi = point.xi, full = point.n, R = point.R, lam = point.lam, kappa = point.kappa
    cdef double[2] ab = [point.a, point.b]
    cdef double alpha = point.alpha, weight = point.weight
    cdef double rows = point.rows, positives = point.positives
    cdef bint running = point.running
    cdef Norm norm
    cdef double p, s, gamma, share, side, g, curve
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, own
    with nogil:
        measure(&norm, &w)
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            rows += 1.0
            positives += y[i] > 0
            gamma = capped(xi, full, rows)
            weight += gamma
            p = positives / rows
            side = y[i]
            own = y[i] < 0
            share = 2.0 * (p if own else 1.0 - p)
            curve = 2.0 * p * (1.0 - p)
            if running:
                kappa = fmax(kappa, sqrt(square_norms[i]))
            count(&w, gamma)
            s = score(&w, &X, i)
            g = share * (s - ab[own] - side * (1.0 + alpha))
            ab[own] = clip(ab[own] + gamma * share * (s - ab[own]), R * kappa)
            alpha = clip(alpha - gamma * (side * share * s + curve * alpha), 2.0 * R * kappa)
            step(&norm, &w, R, 1.0 - gamma * lam, -gamma * g, s, &X, i, square_norms[i])
        fold(&w)
    point.a, point.b, point.alpha = ab[0], ab[1], alpha
    point.kappa, point.weight = kappa, weight
    point.rows, point.positives = rows, positives
