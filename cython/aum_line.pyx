"""Exact minimum of the AUM of binary labels along a line, without a sort.

With the scores s = a + eta b, the AUM is h(eta) = min_c mean_- [s - c]_+ + mean_+ [c - s]_+.
It is convex and piecewise linear. c is a weighted median of s, and the side of c on which each
example lies gives the slope.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, sqrt
from aum_point cimport (
    Lines, Point, aucbench_area, aucbench_over, aucbench_pack, aucbench_sums, contact, crossing,
    evaluate, falls, fold, level, rises, take)
from weighted cimport aucbench_place, weighted

cdef double NEAR = 2.0**-16  # how far from a flat piece the next point is taken, as a share
cdef enum:
    SAMPLE = 2048  # largest number of examples of a class in the sample that is solved first


cdef void narrow(Lines* P, Point* lo, Point* hi, Py_ssize_t few) noexcept nogil:
    """Take tangent steps and fold, until few examples are open or a step does not help."""
    cdef Point p
    cdef Py_ssize_t before
    cdef double eta
    cdef int t, rest = 0
    for t in range(100):
        before = P.m[0] + P.m[1]
        if before <= few:
            return
        if rest == 0:
            fold(P, lo, hi)
            rest = 2 if 4 * (P.m[0] + P.m[1]) > 3 * before else 0
        else:
            rest -= 1
        eta = crossing(lo, hi)
        if t % 4 == 3:
            eta = lo.at[0] + 0.5 * (hi.at[0] - lo.at[0])
        if not lo.at[0] < eta < hi.at[0]:
            return
        evaluate(P, eta, &p)
        if not take(&p, lo, hi):
            return


cdef double boundary(Lines* P, Point* lo, Point* hi, int above) noexcept nogil:
    """Return the step at which the slope stops being < -tol (or <= tol if `above`).

    Both ends are moved. Only slopes are used, because near the minimum the values of h differ
    by less than their rounding.
    """
    cdef Point p
    cdef double pivot[2]
    cdef double t = contact(P, lo, hi.at[0], lo.at[0], pivot)
    cdef double u = contact(P, hi, lo.at[0], hi.at[0], pivot)
    cdef double eta
    cdef bint low[2]
    cdef int turn, k
    for turn in range(200):
        if not u - t > 8.0 * DBL_EPSILON * u:
            return t
        eta = crossing(lo, hi)
        if not falls(lo):  # h is flat up to t, so look just after t
            eta = min(eta, t + NEAR * (u - t))
        elif not rises(hi):
            eta = max(eta, u - NEAR * (u - t))
        elif turn % 3 == 2:
            eta = t + 0.5 * (u - t)
        if not t < eta < u:
            eta = t + 0.5 * (u - t)
        evaluate(P, eta, &p)
        for k in range(2):
            low[k] = p.slope[k] <= p.tol if above else p.slope[k] < -p.tol
        if low[0]:
            lo[0] = p
            lo.side = low[1]
            t = contact(P, lo, hi.at[0], lo.at[0], pivot)
        if not low[1]:
            hi[0] = p
            hi.side = low[0]
            u = contact(P, hi, lo.at[0], hi.at[0], pivot)
    return t


cdef void far(Lines* P, double start, Point* hi) noexcept nogil:
    """Find a point on the last linear piece of h, after start.

    At large steps the scores are in the order of (b, a). That is also the order of b + a / eta
    at 1 / eta = 0, where the same code can be used.
    """
    cdef Lines Q = P[0]
    cdef Point p
    cdef double pivot[2]
    cdef double tau
    cdef int k
    for k in range(2):
        Q.a[k], Q.b[k] = P.b[k], P.a[k]
    evaluate(&Q, 0.0, &p)
    p.side = 1
    tau = contact(&Q, &p, aucbench_over(1.0, start), 0.0, pivot)
    evaluate(P, min(aucbench_over(2.0, tau), 1e300) if tau > 0.0 else 1e300, hi)
    hi.side = 1


cdef void bracket(Lines* P, Point* lo, Point* hi, double first, double second) noexcept nogil:
    """Find a point where h falls and one where it rises, from two guesses.

    If there are none, the points are 0, and a point on the last piece.
    """
    cdef Point p
    cdef int t
    cdef double eta, further
    lo.at[0] = hi.at[0] = -1.0
    if second > 0.0:
        evaluate(P, first, &p)
        take(&p, lo, hi)
        if hi.at[0] < 0.0:
            evaluate(P, second, &p)
            take(&p, lo, hi)
    if lo.at[0] < 0.0:
        evaluate(P, 0.0, &p)
        if not take(&p, lo, hi) or p.slope[1] > p.tol:
            lo[0] = p
            lo.side = 1
    eta = max(lo.at[0], second)
    for t in range(3):
        if hi.at[0] >= 0.0:
            break
        further = aucbench_over(lo.h, -lo.slope[lo.side]) if falls(lo) else 1.0
        eta = max(2.0 * eta, lo.at[0] + further)
        evaluate(P, eta if 0.0 < eta < 1e100 else 1.0, &p)
        eta = p.at[0]
        take(&p, lo, hi)
    if hi.at[0] < 0.0:
        far(P, eta, hi)


cdef void minimise(
    Lines* P, double first, double second, Py_ssize_t few, double* interval, double* pivot,
) noexcept nogil:
    """Find the ends of the interval of minimisers, a step in it, and the pivot's line there."""
    cdef Point lo, hi, end
    bracket(P, &lo, &hi, first, second)
    interval[0], interval[1] = 0.0, INFINITY
    if lo.at[0] < hi.at[0]:
        narrow(P, &lo, &hi, few)
    end = lo
    if falls(&lo):
        end = hi
        interval[0] = boundary(P, &lo, &end, 0)
    if rises(&end):
        interval[1] = interval[0]
    elif rises(&hi):
        interval[1] = max(interval[0], boundary(P, &end, &hi, 1))
    interval[2] = interval[0] + 0.5 * (min(interval[1], hi.at[0]) - interval[0])
    evaluate(P, interval[2], &end)
    end.side = 1
    level(P, &end, pivot)


cdef void sample(const Lines* P, double* store, Lines* Q) noexcept nogil:
    """Copy at most SAMPLE examples of each class, as a smaller problem in the same memory."""
    cdef Py_ssize_t i, at
    cdef int k
    Q[0] = P[0]
    for k in range(2):
        Q.m[k] = min(P.m[k], <Py_ssize_t> SAMPLE)
        Q.n[k] = Q.weight[1 - k] = Q.m[k]
        Q.a[k], Q.b[k] = store + 2 * k * SAMPLE, store + (2 * k + 1) * SAMPLE
        for i in range(Q.m[k]):
            at = aucbench_place(i, P.m[k], Q.m[k])
            Q.a[k][i], Q.b[k][i] = P.a[k][at], P.b[k][at]
    Q.target = Q.weight[0] * Q.weight[1]


cdef inline double towards(const Point* end, const Point* p, double want) noexcept nogil:
    """Return the step where the slope is about `want`, between an end and a point inside."""
    cdef double have = end.slope[end.side]
    cdef double t = aucbench_over(want - have, p.slope[1] - have)
    return end.at[0] + (t * (p.at[0] - end.at[0]) if 0.0 < t < 1.0 else 0.0)


cdef void guess(Lines* Q, double* steps) noexcept nogil:
    """Find two steps, from a sample Q, between which the minimum of all examples probably lies.

    The slope of a sample is a mean with a deviation of about mass / sqrt(examples in it).
    """
    cdef Point lo, hi, p
    cdef double margin
    cdef int t
    bracket(Q, &lo, &hi, 0.0, 0.0)
    steps[0] = steps[1] = 0.0
    if not (falls(&lo) and rises(&hi)):
        return
    for t in range(50):
        evaluate(Q, crossing(&lo, &hi), &p)
        margin = 3.0 * p.tol / (8.0 * DBL_EPSILON) / sqrt(max(p.counted, 1.0))
        if fabs(p.slope[1]) <= margin or not lo.at[0] < p.at[0] < hi.at[0]:
            break
        if not take(&p, &lo, &hi):
            break
    steps[0], steps[1] = towards(&lo, &p, -margin), towards(&hi, &p, margin)


def line_min(
    const double[::1] scores, const double[::1] direction, const signed char[::1] y,
    const double[:, ::1] units, Py_ssize_t few, Py_ssize_t sampled, double[::1] work,
    double[::1] out,
):
    """out = first and last minimiser of the AUM of a + eta b over eta >= 0, and its minimum.

    `units` has rows shift, scale: a = (scores - shift_0) scale_0 and
    b = (shift_1 - direction) scale_1, with |a|, |b| <= 1.
    Both classes occur. work has 4 n + 8192 entries. Up to `few` examples are not folded. From
    `sampled` examples on, the search starts from the minimum of a sample.
    """
    cdef Lines P, Q
    cdef double steps[2]
    cdef double interval[3]
    cdef double pivot[2]
    cdef Py_ssize_t n = scores.shape[0], n_pos = 0, i
    cdef int k
    with nogil:
        for i in range(n):
            n_pos += y[i] > 0
        for k in range(2):
            P.a[k] = &work[0] + k * n_pos
            P.b[k], P.key[k], P.spare[k] = P.a[k] + n, P.a[k] + 2 * n, P.a[k] + 3 * n
            P.m[k] = n - n_pos if k else n_pos
            P.n[k] = P.weight[1 - k] = P.m[k]
            P.settled[k] = aucbench_sums(0, 0.0, 0.0, 0.0)
        P.target = P.weight[0] * P.weight[1]
        aucbench_pack(
            n, n_pos, &scores[0], &direction[0], &y[0], &units[0, 0], &units[1, 0], P.a[0],
            P.b[0])
        steps[0] = steps[1] = 0.0
        if n >= sampled:
            sample(&P, &work[4 * n], &Q)
            guess(&Q, steps)
        minimise(&P, steps[0], steps[1], few, interval, pivot)
        out[0], out[1] = interval[0], interval[1]
        out[2] = aucbench_area(
            n, n_pos, &scores[0], &direction[0], &y[0], &units[0, 0], &units[1, 0], pivot,
            interval[2])


def weighted_median(
    const double[::1] pos, const double[::1] neg, long long target, double[::1] kept_pos,
    double[::1] kept_neg,
):
    """Return the largest value with a weight >= target at or above it, and how many were read.

    A positive has the weight n_-, a negative n_+. For the tests: how many are read cannot be seen
    in the minimum.
    """
    cdef const double* x[2]
    cdef double* kept[2]
    cdef Py_ssize_t m[2]
    cdef long long weight[2]
    cdef Py_ssize_t read
    cdef double found
    m[0], m[1] = pos.shape[0], neg.shape[0]
    weight[0], weight[1] = m[1], m[0]
    x[0], x[1], kept[0], kept[1] = &pos[0], &neg[0], &kept_pos[0], &kept_neg[0]
    found = weighted(x, kept, m, weight, target, &read)
    return found, read
