"""Passes of SPAM over rows in a given order."""

from libc.math cimport INFINITY
from libc.string cimport memset
from rows cimport Rows, ahead, axpy, begin, dot, first, first_index, view
from scaled cimport Scaled, add, count, fold, multiply, scaled, score

cdef extern from "soft.h" nogil:
    double aucbench_soft(
        size_t d, double t, double shrink, const double* m, double* w, double* sum
    )
    ctypedef struct aucbench_v2:
        pass
    ctypedef struct aucbench_cell:
        double K
        double total
        aucbench_v2 m
    ctypedef struct aucbench_window:
        aucbench_cell* cells
        int* due
        double* q
        double* C
        double* Q
        double* E
        aucbench_v2* deaths
        int* first
        double scale
        int size
        aucbench_v2 K
        aucbench_v2 A
    double aucbench_lazy_dot(
        const aucbench_window* W, int k, int stored, const double* x, const int* columns)
    void aucbench_lazy_step(
        aucbench_window* to, int k, double step, int stored, const double* x, const int* columns)
    void aucbench_lazy_end(aucbench_window* W, int d)
    void aucbench_lazy_begin(aucbench_window* to, int d)


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


def soft_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[::1] means,
    const double[::1] steps, double p, double l1, double l2,
    double[::1] w, double[::1] total,
):
    """w <- soft(w - eta_t g_t x, eta_t l1) / (1 + eta_t l2) for each row, total += w after each.

    means holds m_-, then m_+. The gradient of a row asks for one of a = w . m_+ and
    b = w . m_-, which the sweep of the row before computes. A step costs O(d).
    """
    cdef Rows X = view(values, columns, starts, d), M = view(means, None, None, d)
    cdef const int* order_ = first_index(order)
    cdef double* w_ = <double*> first(w)
    cdef double* total_ = <double*> first(total)
    cdef Py_ssize_t n = order.shape[0], t
    cdef double eta, level, move
    cdef int i, other
    with nogil:
        for t in range(n):
            i, eta = order_[t], steps[t]
            ahead(&X, order_, t, n)
            if t == 0:
                level = dot(&M, y[i] < 0, w_)
            move = -2.0 * eta * (p if y[i] < 0 else 1.0 - p) * (dot(&X, i, w_) - level - y[i])
            axpy(move, &X, i, w_)
            other = t + 1 < n and y[order_[t + 1]] < 0
            level = aucbench_soft(
                d, eta * l1, 1.0 / (1.0 + eta * l2), M.values + other * <Py_ssize_t> d, w_, total_
            )


cdef inline void plan(
    aucbench_window* W, const Rows* X, const int* order, const double* steps, Py_ssize_t rows,
    int longest, Py_ssize_t budget, double l1, double l2
) noexcept nogil:
    """Tables for the next rows: at most `longest`, about `budget` stored values, q in bounds."""
    cdef Py_ssize_t seen = 0
    cdef int k = 0, i = 0
    W.q[0], W.C[0], W.Q[0], W.E[0] = 1.0, 0.0, 0.0, 0.0
    while k < longest and k < rows and seen < budget and W.q[k] < 1e4:
        seen += begin(X, order[k] + 1) - begin(X, order[k])
        W.q[k + 1] = W.q[k] * (1.0 + steps[k] * l2)
        W.C[k + 1] = W.C[k] + l1 * steps[k] * W.q[k]
        k += 1
        W.Q[k] = W.Q[k - 1] + 1.0 / W.q[k]
        W.E[k] = W.E[k - 1] + W.C[k] / W.q[k]
    W.size = k
    W.scale = k / W.C[k] if 1e-300 < W.C[k] < 1e300 else 0.0
    W.C[k + 1] = INFINITY
    memset(W.deaths, 0, (k + 10) * 2 * sizeof(aucbench_v2))
    for k in range(1, W.size + 1):
        while i <= W.C[k] * W.scale:
            W.first[i] = k
            i += 1


def soft_lazy(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const signed char[::1] y, const double[::1] means,
    const double[::1] steps, double p, double l1, double l2, double[::1] w, double[::1] total,
    double[:, ::1] cells, int[::1] due, double[:, ::1] tables, double[:, ::1] deaths, int[::1] first_step,
    Py_ssize_t budget
):
    """`soft_pass` over CSR rows at a cost of O(stored values of the row) a step, amortised."""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* order_ = first_index(order)
    cdef const double* steps_ = first(steps)
    cdef aucbench_window W
    cdef int longest = tables.shape[1] - 2, i, k, j, other, stored
    cdef Py_ssize_t n = order.shape[0], t = 0, at
    cdef double level, eta, push
    with nogil:
        W.cells = <aucbench_cell*> &cells[0, 0]
        W.due = &due[0]
        W.q, W.C, W.Q, W.E = &tables[0, 0], &tables[1, 0], &tables[2, 0], &tables[3, 0]
        W.deaths = <aucbench_v2*> &deaths[0, 0]
        W.first = &first_step[0]
        for j in range(d):
            W.cells[j].K, W.cells[j].total = w[j], total[j]
            (<double*> &W.cells[j].m)[0], (<double*> &W.cells[j].m)[1] = means[j], means[d + j]
        while t < n:
            plan(&W, &X, order_ + t, steps_ + t, n - t, longest, budget, l1, l2)
            aucbench_lazy_begin(&W, d)
            for k in range(W.size):
                i, eta = order_[t + k], steps_[t + k]
                ahead(&X, order_, t + k, n)
                other = y[i] < 0
                at = begin(&X, i)
                stored = begin(&X, i + 1) - at
                level = ((<double*> &W.K)[other] - W.C[k] * (<double*> &W.A)[other]) / W.q[k]
                push = -2.0 * eta * (p if other else 1.0 - p)
                push *= aucbench_lazy_dot(&W, k, stored, X.values + at, X.columns + at) - level - y[i]
                aucbench_lazy_step(&W, k, push, stored, X.values + at, X.columns + at)
            aucbench_lazy_end(&W, d)
            t += W.size
        for j in range(d):
            w[j], total[j] = W.cells[j].K, W.cells[j].total
