"""Passes of SPAM over rows in a given order."""

from rows cimport Rows, ahead, first_index, view
from scaled cimport Scaled, add, count, fold, multiply, scaled, score


def ridge_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[:, ::1] cross,
    const double[::1] steps, double p, double l2,
    double[::1] w, double[::1] u, double[::1] total, double[::1] ab,
):
    """w <- (w - eta_t g_t x) / (1 + eta_t l2) for each row, and total += w after each.

    a = w . m_+ and b = w . m_- follow from cross[i] = (x_i . m_-, x_i . m_+), so that a step
    costs O(stored values of the row). ab holds them; u holds zeros, before and after.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled W = scaled(&w[0], &u[0], &total[0], d)
    cdef double a = ab[0], b = ab[1], shrink, move
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            if y[i] > 0:
                move = -steps[t] * 2.0 * (1.0 - p) * (score(&W, &X, i) - b - 1.0)
            else:
                move = -steps[t] * 2.0 * p * (score(&W, &X, i) - a + 1.0)
            shrink = 1.0 / (1.0 + steps[t] * l2)
            add(&W, move, &X, i)
            multiply(&W, shrink)
            count(&W, 1.0)
            a = (a + move * cross[i, 1]) * shrink
            b = (b + move * cross[i, 0]) * shrink
        fold(&W)
    ab[0], ab[1] = a, b
