"""Passes of Online Uni-Exp over rows in a given order."""

from libc.math cimport INFINITY, exp, fmin
from steps cimport widen
from rows cimport Rows, ahead, first, first_index, rows_of
from scaled cimport Scaled, add, fold, multiply, scaled, score


cdef inline double derived_step(
    double share, double lam, double p, double top
) noexcept nogil:
    """Return share / (lam + top / (2 p)), from the curvature at w = 0 in the rarer class."""
    return 2.0 * p * share / (2.0 * p * lam + top)


def uni_exp_pass(chunk, const int[::1] order, point):
    """w <- (1 - eta lam) w + eta y exp(-y (w . x + c)) x / (2 p_y) for each row of `order`.

    The attributes of `point` are those of `aucbench_plugins.online.uni_exp.Univariate`, and the
    step is `reference_update` of that module. A step costs O(stored values of the row).
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef bint derived = point.eta is None, moves = point.intercept
    cdef const double[::1] square_norms = chunk.square_norms if derived else None
    cdef double[::1] w_ = point.w
    cdef long long[::1] seen = point.seen
    cdef Scaled w = scaled(<double*> first(w_), NULL, NULL, X.d)
    cdef const int* order_ = first_index(order)
    cdef double share = point.share, lam = point.lam, L = point.longest, c = point.offset
    cdef double step = 0.0 if derived else point.eta
    cdef double rows, side, pull, reach, most = INFINITY
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, k
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            side, k = y[i], y[i] > 0
            seen[k] += 1
            rows = seen[0] + seen[1]
            if derived:
                multiply(&w, widen(&L, square_norms[i]))
                reach = 2.0 * L if moves else L
                step = derived_step(share, lam, min(seen[0], seen[1]) / rows, reach)
                most = 1.0 / reach
            pull = 0.5 * step * rows / seen[k] * exp(-side * (score(&w, &X, i) + c))
            pull = side * fmin(pull, most)
            multiply(&w, 1.0 - step * lam)
            add(&w, pull, &X, i)
            if moves:
                c += pull * L if derived else pull
        fold(&w)
    point.longest, point.offset = L, c
