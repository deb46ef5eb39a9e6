"""Rows of one stage of FSAUC.

Design
  a. w = c + s z, where c is the start of the stage. To scale w - c to length r, only s changes.
     The stage's sum of w - c is kept lazily (scaled.pxd). So a step that stays in the l1 ball
     costs O(stored values of the row). Before a step that is long beside the balls, the lazy sum
     is folded, because the projection will scale that step down.
  b. |w|_1 and |w - c|^2 are updated from the values that a step changes. After a scaling only an
     upper bound of |w|_1 is known, by convexity. It is measured when the bound leaves the ball.
  c. The projection on the l1 ball moves every non-zero of w by theta. The projection on the l2
     ball then moves all of w towards c. No scalar can represent both, so the first costs O(d). A
     search tree could do the first alone in O(log d) per stored value, but the second would
     destroy its order. Up to thousands of non-zeros, a few vectorised passes are faster.
"""

from libc.math cimport INFINITY, fabs, sqrt

from rows cimport (
    Rows, ahead, axpy, begin, dense_row, dot2, first, first_index, rows_of, value,
)
from scaled cimport Scaled, count, fold, multiply, scaled

cdef extern from "fsauc.h" nogil:
    ctypedef struct Size "fsauc_size":
        double norm
        double square
        double nonzeros
    void measure "fsauc_measure"(
        size_t d, const double* c, double* z, double s, Size* size)
    double ball "fsauc_ball"(
        size_t d, const double* c, double* z, double s, double R, double limit,
        double crowd, Size* size)
    void dense_move "fsauc_move"(
        size_t d, double e, double f, const double* x, const double* c, double s,
        double* z, double* u, Size* size)
    void add_to "fsauc_add"(size_t d, double s, const double* z, double* total)

cdef double LONG = 1e2              # a step is long if it exceeds this times a radius
cdef Py_ssize_t FRESH = 1024        # rows after which norms are computed anew, against rounding
cdef double ROUNDING = 1e-13        # a relative excess over R up to this counts as inside


cdef struct Saddle:
    double a
    double b
    double alpha


cdef struct Primal:
    Scaled away                     # w - c
    const double* c
    double norm                     # |c|_1
    Size size                       # of w; unless measured, its norm is only a bound and
    bint measured                   # its non-zeros are unknown
    double crowd                    # excess / theta of the last projection on the l1 ball


cdef inline double clip(double x, double limit) noexcept nogil:
    return limit if x > limit else -limit if x < -limit else x


cdef inline void refresh(Primal* w) noexcept nogil:
    fold(&w.away)
    measure(w.away.d, w.c, w.away.v, 1.0, &w.size)
    w.measured = True


cdef inline double ascend(
    Saddle* v, double s, double p, bint positive, double eta
) noexcept nogil:
    """Step a, b and alpha for a row with score s; return the coefficient of x in the step of w."""
    cdef double slope, fit
    if positive:
        slope, fit = 1.0 - p, s - v.a
        v.a += eta * slope * fit
        fit -= 1.0 + v.alpha
        v.alpha -= eta * slope * (s + p * v.alpha)
    else:
        slope, fit = p, s - v.b
        v.b += eta * slope * fit
        fit += 1.0 + v.alpha
        v.alpha += eta * slope * (s - (1.0 - p) * v.alpha)
    return -eta * slope * fit


cdef inline void move(
    Primal* w, double e, const Rows* X, Py_ssize_t i, double* room
) noexcept nogil:
    """w += s e x, and update its size."""
    cdef double s = w.away.s, f = e * w.away.S, x, old, new
    cdef double* z = w.away.v
    cdef double* u = w.away.u
    cdef const double* c = w.c
    cdef double norm = 0.0, square = 0.0
    cdef Py_ssize_t j
    cdef int k, kept = 0
    cdef const double* whole = dense_row(X, i, room)
    if whole != NULL:
        dense_move(X.d, e, f, whole, c, s, z, u, &w.size)
        w.measured = True
        return
    for j in range(begin(X, i), begin(X, i + 1)):
        k, x = X.columns[j], value(X, j)
        old = z[k]
        new = old + e * x
        z[k] = new
        square += (new - old) * (new + old)
        old, new = c[k] + s * old, c[k] + s * new
        norm += fabs(new) - fabs(old)
        kept += (new != 0.0) - (old != 0.0)
    if f != 0.0:
        axpy(f, X, i, u)
    w.size.norm += norm
    w.size.square += s * s * square
    w.size.nonzeros += kept


cdef inline bint into_ball(Primal* w, double R) noexcept nogil:
    """Project w on the l1 ball of radius R; return whether it moved."""
    cdef double limit = R * (1.0 + ROUNDING)
    if not limit < w.size.norm:
        return False
    if not w.measured:
        measure(w.away.d, w.c, w.away.v, w.away.s, &w.size)
    if not limit < w.size.norm < INFINITY:
        return False
    if w.away.S != 0.0:
        fold(&w.away)
    w.crowd = ball(w.away.d, w.c, w.away.v, w.away.s, R, limit, w.crowd, &w.size)
    w.away.s, w.measured = 1.0, True
    return True


cdef inline void into_radius(Primal* w, Saddle* v, const Saddle* v0, double r) noexcept nogil:
    """Scale (w, a, b) minus the start of the stage to length r, if it is longer."""
    cdef double a = v.a - v0.a, b = v.b - v0.b, f
    cdef double square = w.size.square + a * a + b * b
    if not square > r * r:
        return
    f = r / sqrt(square)
    v.a, v.b = v0.a + f * a, v0.b + f * b
    w.size.norm = f * w.size.norm + (1.0 - f) * w.norm
    w.size.square *= f * f
    w.measured = False
    multiply(&w.away, f)


def stage_rows(chunk, const int[::1] order, stage):
    """Take a projected saddle-point step for each row of `order`; add up the points after them.

    The attributes of `stage` are those of `aucbench_plugins.online.fsauc.Stage`, and the step is
    `reference_update` of that module.
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef const signed char[::1] y = chunk.y
    cdef const double[::1] square_norms = chunk.square_norms, c = stage.w0
    cdef double[::1] z = stage.z, total = stage.total, seen = stage.seen
    cdef double[:, ::1] work = stage.work, sums = stage.sums
    cdef double eta = stage.eta, R = stage.R, r = stage.r, D = stage.D, bound = R * stage.kappa
    cdef Primal w = Primal(
        scaled(&z[0], &work[0, 0], &total[0], X.d), first(c), 0.0, Size(0.0, 0.0, 0.0), False, X.d)
    cdef Saddle v = Saddle(stage.a, stage.b, stage.alpha)
    cdef Saddle v0 = Saddle(stage.a0, stage.b0, stage.alpha0)
    cdef const int* order_ = first_index(order)
    cdef Py_ssize_t n = order.shape[0], t
    cdef double dots[2]
    cdef double p, s, e, reach = LONG * min(R, r) * LONG * min(R, r), sum_a = 0.0, sum_b = 0.0
    cdef bint positive, projected
    cdef int i
    with nogil:
        measure(X.d, w.c, w.away.v, 0.0, &w.size)
        w.norm = w.size.norm
        for t in range(n):
            if t % FRESH == 0:
                refresh(&w)
            i = order_[t]
            ahead(&X, order_, t, n)
            positive = y[i] > 0
            axpy(1.0, &X, i, &sums[positive, 0])
            seen[positive] += 1.0
            p = seen[1] / (seen[0] + seen[1])
            dot2(&X, i, w.c, w.away.v, dots)
            s = dots[0] + w.away.s * dots[1]
            e = ascend(&v, s, p, positive, eta)
            if e * e * square_norms[i] > reach:
                fold(&w.away)
            move(&w, e / w.away.s, &X, i, &work[1, 0])
            projected = into_ball(&w, R)
            v.a, v.b, v.alpha = clip(v.a, bound), clip(v.b, bound), clip(v.alpha, 2.0 * bound)
            into_radius(&w, &v, &v0, r)
            v.alpha = v0.alpha + clip(v.alpha - v0.alpha, D)
            if projected:
                add_to(X.d, w.away.s, w.away.v, w.away.total)
            else:
                count(&w.away, 1.0)
            sum_a += v.a
            sum_b += v.b
        fold(&w.away)
    stage.a, stage.b, stage.alpha = v.a, v.b, v.alpha
    stage.total_a += sum_a
    stage.total_b += sum_b
    stage.rows += n
