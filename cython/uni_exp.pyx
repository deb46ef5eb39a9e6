"""Passes of Online Uni-Exp over rows in a given order."""

from libc.math cimport exp
from rows cimport Rows, ahead, first, first_index, view
from scaled cimport Scaled, add, fold, multiply, scaled, score


def uni_exp_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, double eta, double lam,
    double[::1] w, long long[::1] seen,
):
    """w <- (1 - eta lam) w + eta y exp(-y w.x) x / (2 p_y) for each row.

    seen = (negatives, positives) so far; p_y is the share of the row's class among them, the
    row included. A step costs O(stored values of the row).
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled W = scaled(<double*> first(w), NULL, NULL, d)
    cdef const int* order_ = first_index(order)
    cdef double side, pull
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, k
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            side, k = y[i], y[i] > 0
            seen[k] += 1
            pull = 0.5 * eta * (seen[0] + seen[1]) / seen[k] * exp(-side * score(&W, &X, i))
            multiply(&W, 1.0 - eta * lam)
            add(&W, side * pull, &X, i)
        fold(&W)
