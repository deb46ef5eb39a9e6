"""Passes of SPAM over rows in a given order."""

from libc.math cimport fabs
from libc.string cimport memcpy, memset
from steps cimport capped
from rows cimport (
    Rows, ahead, axpy, begin, dot, doubles_of, first, first_index, rows_of, view,
)
from scaled cimport Scaled, add, count, fold, multiply, scaled, score

cdef extern from "soft.h" nogil:
    int AUCBENCH_NEVER
    ctypedef struct aucbench_cell:
        double K, total
        double m[2]
    ctypedef struct aucbench_step:
        double C, q
        double paid[2]
    ctypedef struct aucbench_window:
        aucbench_cell* cells
        int* due
        aucbench_step* steps
        int size
        int* first
        double level[4]
        double* old
        int* moved
    double aucbench_soft(
        size_t d, double t, double shrink, const double* m, double* w, double* sum)
    void aucbench_lazy_begin(aucbench_window* to, int d)
    void aucbench_lazy_end(aucbench_window* W, int d)
    double aucbench_lazy_dot(
        const aucbench_window* W, int k, int stored, const double* x, const int* columns)
    void aucbench_lazy_step(
        aucbench_window* to, int k, double step, int stored, const double* x, const int* columns,
        int later, const int* soon)

cdef double LOST = 2.0**14          # allowed error of w . m, in halves of the last place: 2e-12


cdef struct Constants:
    double p
    double l1
    double l2
    double xi
    double n
    double rows               # seen before this call


cdef inline Constants constants_of(point) except *:
    """The constants of a step; the attributes of `point` are those of `ProximalPoint`."""
    return Constants(point.p, point.l1, point.l2, point.xi, point.n, point.rows)


cdef inline double eta(const Constants* of, Py_ssize_t t) noexcept nogil:
    """The step of row t of this call, from 0."""
    return capped(of.xi, of.n, of.rows + t + 1.0)


cdef inline double share(const Constants* of, int positive) noexcept nogil:
    """The share of the other class."""
    return 1.0 - of.p if positive else of.p


def ridge_pass(chunk, const int[::1] order, point, levels):
    """w <- (w - eta_t g_t x) / (1 + eta_t l2) for each row, and total += w after each.

    The levels w . m_+ and w . m_- are updated with levels.cross[i] = (x_i . m_-, x_i . m_+,
    |x_i| |m| for the longer m). So a step costs O(stored values of the row). `lost` is a bound of
    their error. If it is not small beside the levels and the margin 1, for example after steps
    that were too long, the levels are computed anew. levels.zeros (d,) are zeros, before and after.
    """
    cdef Rows X = rows_of(chunk.rows), M = view(point.means.ravel(), None, None, X.d)
    cdef const signed char[::1] y = chunk.y
    cdef const double[:, ::1] cross = levels.cross
    cdef double[::1] w = point.w, total = point.total, zeros = levels.zeros
    cdef Scaled W = scaled(&w[0], &zeros[0], &total[0], X.d)
    cdef Constants of = constants_of(point)
    cdef const int* order_ = first_index(order)
    cdef double* level = [score(&W, &M, 1), score(&W, &M, 0)]
    cdef double size = 1.0 + fabs(level[0]) + fabs(level[1]), lost = size, shrink, step, move
    cdef Py_ssize_t n = order.shape[0], t
    cdef int i, k
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            k = y[i] > 0
            step = eta(&of, t)
            shrink = 1.0 / (1.0 + step * of.l2)
            move = -step * (2.0 * share(&of, k)) * (score(&W, &X, i) - level[k] - y[i]) * shrink
            multiply(&W, shrink)
            add(&W, move, &X, i)
            count(&W, 1.0)
            level[0] = level[0] * shrink + move * cross[i, 1]
            level[1] = level[1] * shrink + move * cross[i, 0]
            size = 1.0 + fabs(level[0]) + fabs(level[1])
            lost = lost * shrink + fabs(move) * cross[i, 2] + size
            if lost > LOST * size:
                level[0], level[1], lost = score(&W, &M, 1), score(&W, &M, 0), size
        fold(&W)
    point.rows += n


def soft_pass(chunk, const int[::1] order, point):
    """w <- soft(w - eta_t g_t x, eta_t l1) / (1 + eta_t l2) for each row, total += w after each.

    The gradient of a row needs either w . m_+ or w . m_-. The loop over w of the row before
    computes it. A step costs O(d).
    """
    cdef Rows X = rows_of(chunk.rows), M = view(point.means.ravel(), None, None, X.d)
    cdef const signed char[::1] y = chunk.y
    cdef double[::1] w = point.w, total = point.total
    cdef double* w_ = <double*> first(w)
    cdef double* total_ = <double*> first(total)
    cdef Constants of = constants_of(point)
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t n = order.shape[0], t
    cdef double step, level, move
    cdef int i, other
    with nogil:
        for t in range(n):
            i, step = order_[t], eta(&of, t)
            ahead(&X, order_, t, n)
            if t == 0:
                level = dot(&M, y[i] < 0, w_)
            move = -2.0 * step * share(&of, y[i] > 0) * (dot(&X, i, w_) - level - y[i])
            axpy(move, &X, i, w_)
            other = t + 1 < n and y[order_[t + 1]] < 0
            level = aucbench_soft(
                X.d, step * of.l1, 1.0 / (1.0 + step * of.l2),
                M.values + other * <Py_ssize_t> X.d, w_, total_)
    point.rows += n


cdef inline void plan(
    aucbench_window* W, const Rows* X, const int* order, Py_ssize_t t, Py_ssize_t n,
    int longest, Py_ssize_t budget, const Constants* of
) noexcept nogil:
    """Tabulate the steps from row t of n: at most `longest`, with about `budget` stored values.

    K and the sums grow with q. The window ends before they lose more than four digits. A single
    step that loses more is a window of its own.
    """
    cdef aucbench_step* s = W.steps
    cdef double[2] paid = [0.0, 0.0]
    cdef double step
    cdef Py_ssize_t seen = 0
    cdef int k = 0
    memset(s, 0, (longest + 1 + AUCBENCH_NEVER) * sizeof(aucbench_step))
    s.q = 1.0
    while k < longest and t + k < n and seen < budget:
        step = eta(of, t + k)
        if k > 0 and s.q * (1.0 + step * of.l2) > 1e4:
            break
        seen += begin(X, order[t + k] + 1) - begin(X, order[t + k])
        s[1].q = s.q * (1.0 + step * of.l2)
        s[1].C = s.C + of.l1 * step * s.q
        s += 1
        k += 1
        paid[0] += 1.0 / s.q
        paid[1] -= s.C / s.q
        memcpy(s[1].paid, paid, sizeof(paid))
    W.size = k


cdef inline void lazy_row(
    aucbench_window* W, const Rows* X, Py_ssize_t i, Py_ssize_t next, int k, double sign,
    double rate, double* room
) noexcept nogil:
    """Do step k + 1 of the window with row i, before row `next`.

    rate = 2 eta times the share of the other class.
    """
    cdef Py_ssize_t at = begin(X, i), to = begin(X, next)
    cdef int stored = <int> (begin(X, i + 1) - at), later = <int> (begin(X, next + 1) - to)
    cdef const double* x = doubles_of(X, i, room)
    cdef const int* columns = X.columns + at
    cdef double* sums = W.level + 2 * (sign < 0.0)
    cdef double level = (sums[0] - W.steps[k].C * sums[1]) / W.steps[k].q
    cdef double s = aucbench_lazy_dot(W, k, stored, x, columns)
    aucbench_lazy_step(
        W, k, -rate * (s - level - sign), stored, x, columns, later, X.columns + to)


cdef inline bint faded(const aucbench_window* W, int k, double* lost) noexcept nogil:
    """Return whether the levels at step k are too small beside the sums they come from."""
    cdef const double* sums = W.level
    cdef double C = W.steps[k].C, size = W.steps[k].q
    cdef int r
    for r in range(0, 4, 2):
        lost[0] += fabs(sums[r]) + C * fabs(sums[r + 1])
        size += fabs(sums[r] - C * sums[r + 1])
    return lost[0] > LOST * size


def soft_lazy(chunk, const int[::1] order, point, window):
    """Do as `soft_pass`, over CSR rows; a step costs O(stored values of the row), amortised.

    The end of a window (soft.h) costs O(d). A window ends after window.budget stored values, after
    T steps, when q has grown a lot, or when the levels have become small. Scratch arrays of
    `window`: cells (d, 4), steps (T + 9, 8), row (3, d + 3), due (d,), bins (4 T + 9,).
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef const double[:, ::1] means = point.means
    cdef double[::1] w = point.w, total = point.total
    cdef double[:, ::1] cells = window.cells, steps = window.steps, row = window.row
    cdef int[::1] due = window.due, bins = window.bins
    cdef Constants of = constants_of(point)
    cdef const int* order_ = first_index(order)
    cdef int longest = <int> steps.shape[0] - 1 - AUCBENCH_NEVER, j, k
    cdef Py_ssize_t n = order.shape[0], t = 0, budget = window.budget, i
    cdef double lost, rate
    cdef aucbench_window W
    W.cells, W.steps = <aucbench_cell*> &cells[0, 0], <aucbench_step*> &steps[0, 0]
    W.due, W.first = &due[0], &bins[0]
    W.old, W.moved = &row[0, 0], <int*> &row[2, 0]
    with nogil:
        for j in range(X.d):
            W.cells[j] = aucbench_cell(w[j], total[j], [means[0, j], means[1, j]])
        while t < n:
            plan(&W, &X, order_, t, n, longest, budget, &of)
            aucbench_lazy_begin(&W, X.d)
            lost = 0.0
            for k in range(W.size):
                i = order_[t]
                ahead(&X, order_, t, n)
                rate = 2.0 * eta(&of, t) * share(&of, y[i] > 0)
                lazy_row(
                    &W, &X, i, order_[min(t + 1, n - 1)], k, y[i], rate, &row[1, 0])
                t += 1
                if faded(&W, k + 1, &lost):
                    W.size = k + 1
                    break
            aucbench_lazy_end(&W, X.d)
        for j in range(X.d):
            w[j], total[j] = W.cells[j].K, W.cells[j].total
    point.rows += n
