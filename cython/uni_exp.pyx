"""Passes of Online Uni-Exp over rows in a given order."""

from libc.math cimport INFINITY, exp, fmin
from reach cimport widen
from rows cimport Rows, ahead, first, first_index, view
from scaled cimport Scaled, add, fold, multiply, scaled, score


cdef inline double derived(
    double share, double lam, double p, double top
) noexcept nogil:
    """Return share / (lam + top / (2 p)), from the curvature at w = 0 in the rarer class."""
    return 2.0 * p * share / (2.0 * p * lam + top)


def uni_exp_pass(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, double eta, double lam,
    double[::1] w, long long[::1] seen, double[::1] longest=None,
    const double[::1] square_norms=None, double[::1] offset=None,
):
    """w <- (1 - eta lam) w + eta y exp(-y (w.x + c)) x / (2 p_y) for each row.

    seen = (negatives, positives) so far. p_y is the share of the row's class among them, with
    this row. A step costs O(stored values of the row). With `longest` = [the largest |x|^2 so
    far] and the square norms of all rows, eta is a share of 1 / (lam + longest / (2 p)), where p
    is the share of the rarer class. Then the factor of x is at most 1 / longest. With
    `offset` = [c], c moves without a ridge, like the weight of a feature 1. With `longest`, this
    feature is the root of it instead, so that it suits the unit of x, and counts in the step.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled W = scaled(<double*> first(w), NULL, NULL, d)
    cdef const int* order_ = first_index(order)
    cdef double* top = NULL if longest is None else &longest[0]
    cdef double rows, side, pull, reach, step = eta, most = INFINITY, c = 0.0
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, k
    cdef bint moves = offset is not None
    if moves:
        c = offset[0]
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            side, k = y[i], y[i] > 0
            seen[k] += 1
            rows = seen[0] + seen[1]
            if top != NULL:
                multiply(&W, widen(top, square_norms[i]))
                reach = 2.0 * top[0] if moves else top[0]
                step = derived(eta, lam, min(seen[0], seen[1]) / rows, reach)
                most = 1.0 / reach
            pull = 0.5 * step * rows / seen[k] * exp(-side * (score(&W, &X, i) + c))
            pull = side * fmin(pull, most)
            multiply(&W, 1.0 - step * lam)
            add(&W, pull, &X, i)
            if moves:
                c += pull if top == NULL else pull * top[0]
        fold(&W)
    if moves:
        offset[0] = c
