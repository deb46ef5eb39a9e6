"""One point of the AUM along a line: its value, its slopes, and how far its tangent touches.

Header only. Examples that stay on one side of c in a whole bracket of steps are folded: they are
dropped, and only their sums are kept.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs
from weighted cimport weighted

cdef extern from "aum_line.h" nogil:
    ctypedef struct aucbench_sums:
        Py_ssize_t count
        double a, b, mass
    void aucbench_pack(
        Py_ssize_t n, Py_ssize_t n_pos, const double* scores, const double* direction,
        const signed char* y, const double* shift, const double* scale, double* a, double* b)
    void aucbench_keys(
        Py_ssize_t m, const double* a, const double* b, double eta, double* out)
    Py_ssize_t aucbench_tied(
        Py_ssize_t m, const double* key, const double* b, double c, double sign, double* out)
    Py_ssize_t aucbench_side(
        Py_ssize_t m, const double* key, const double* b, double c, double sign,
        aucbench_sums* out)
    void aucbench_tied_side(
        Py_ssize_t m, const double* key, const double* b, double c, double side, double slope,
        aucbench_sums* to)
    double aucbench_over(double p, double q)
    double aucbench_area(
        Py_ssize_t n, Py_ssize_t n_pos, const double* scores, const double* direction,
        const signed char* y, const double* shift, const double* scale, const double* pivot,
        double eta)
    void aucbench_reach(
        Py_ssize_t m, const double* a, const double* b, const double* lo, const double* hi,
        int larger, double* out)
    Py_ssize_t aucbench_settle(
        Py_ssize_t m, double* a, double* b, const double* start, const double* stop, double lo,
        double hi, int counts_above, Py_ssize_t* above, aucbench_sums* sums)
    ctypedef struct aucbench_extreme:
        double value, a, b
    void aucbench_level(
        Py_ssize_t m, double* key, const double* a, const double* b, double c, double side,
        double slope, Py_ssize_t* above, Py_ssize_t* level, double* pivot)
    void aucbench_extreme_of(
        Py_ssize_t m, const double* place, const double* a, const double* b, double side,
        const double* pivot, double t, aucbench_extreme* to)


cdef struct Lines:  # the examples whose side of c is not known yet: [0] positive, [1] negative
    double* a[2]
    double* b[2]
    double* key[2]       # a + eta b
    double* spare[2]
    Py_ssize_t m[2]
    long long weight[2]  # n_-, n_+: whole numbers, so that weights are exact
    long long target     # weight at or above c: n_+ n_-, minus what was folded above c
    Py_ssize_t read      # values that the last weighted selection read
    double n[2]          # n_+, n_-
    aucbench_sums settled[2]  # positives below c, negatives above


cdef struct Point:
    double at[2]     # eta, c
    double h, tol
    double slope[2]  # of h, to the left and to the right
    double gamma[2]  # of c
    int side         # which of the two slopes is meant
    double counted   # number of examples in the slope


cdef inline double slope(
    Lines* P, Point* p, const aucbench_sums* strict, int side, long long needed
) noexcept nogil:
    """Return a one-sided derivative of h; tied scores are ordered by side b, descending."""
    cdef double sign = 1.0 if side else -1.0, gamma
    cdef double total[2]
    cdef double mass = 0.0, counted = 0.0
    cdef aucbench_sums s
    cdef Py_ssize_t tied[2]
    cdef int k
    for k in range(2):
        tied[k] = aucbench_tied(P.m[k], P.key[k], P.b[k], p.at[1], sign, P.spare[k])
    gamma = sign * weighted(<const double**> P.spare, P.spare, tied, P.weight, needed, &P.read)
    for k in range(2):
        s = strict[k]
        if tied[0] + tied[1] > 1:
            aucbench_tied_side(
                P.m[k], P.key[k], P.b[k], p.at[1], sign if k else -sign, gamma, &s)
        s.count += P.settled[k].count
        total[k] = (P.settled[k].b + s.b - s.count * gamma) / P.n[k]
        mass += (P.settled[k].mass + s.mass + s.count * fabs(gamma)) / P.n[k]
        counted += s.count
    p.gamma[side], p.counted = gamma, counted
    p.tol = max(p.tol, 8.0 * DBL_EPSILON * mass)
    return total[1] - total[0]


cdef inline void evaluate(Lines* P, double eta, Point* p) noexcept nogil:
    """Compute h and its one-sided derivatives at eta (at 0 only the right one)."""
    cdef aucbench_sums s[2]
    cdef Py_ssize_t ties[2]
    cdef long long above
    cdef int k
    for k in range(2):
        aucbench_keys(P.m[k], P.a[k], P.b[k], eta, P.key[k])
    p.at[0], p.tol, p.h = eta, 0.0, 0.0
    p.at[1] = weighted(<const double**> P.key, P.spare, P.m, P.weight, P.target, &P.read)
    for k in range(2):
        ties[k] = aucbench_side(
            P.m[k], P.key[k], P.b[k], p.at[1], 1.0 if k else -1.0, &s[k])
        p.h += s[k].a / P.n[k]
        p.h += (1 if k else -1) / P.n[k] * (
            P.settled[k].a + eta * P.settled[k].b - P.settled[k].count * p.at[1])
    above = s[1].count * P.weight[1] + (P.m[0] - s[0].count - ties[0]) * P.weight[0]
    p.slope[1] = slope(P, p, s, 1, P.target - above)
    p.slope[0], p.gamma[0] = p.slope[1], p.gamma[1]
    if ties[0] + ties[1] > 1 and eta != 0.0:
        p.slope[0] = slope(P, p, s, 0, P.target - above)


cdef inline long long level(Lines* P, const Point* p, double* pivot) noexcept nogil:
    """Find the pivot's line (a, b); return the target minus the weight not below the pivot.

    P.key becomes the place of each example: 1 above the pivot, 0 level with it, -1 below.
    """
    cdef Py_ssize_t above, equal
    cdef long long needed = P.target
    cdef int k
    pivot[0], pivot[1] = p.at[1], p.gamma[p.side]
    for k in range(2):
        aucbench_keys(P.m[k], P.a[k], P.b[k], p.at[0], P.key[k])
        aucbench_level(
            P.m[k], P.key[k], P.a[k], P.b[k], p.at[1], 1.0 if p.side else -1.0, pivot[1],
            &above, &equal, pivot)
        needed -= (above + equal) * P.weight[k]
    return needed


cdef inline double contact(
    Lines* P, const Point* p, double start, double stop, double* pivot
) noexcept nogil:
    """Return the last step, from p towards `start`, up to which the tangent at p touches h.

    It touches as long as the examples above the pivot stay above those below it. Their distance
    is a concave function of the step, and Newton's method from `start` finds its zero. Each
    iterate is the step at which two lines meet.
    """
    cdef aucbench_extreme lowest, highest
    cdef double t = start, meet
    cdef long long needed = level(P, p, pivot)
    cdef int k, turn
    for turn in range(1000):
        lowest = aucbench_extreme(0.0, pivot[0], pivot[1])
        highest = lowest
        if needed == 0:  # all of the pivot's weight is above, so c may leave its line
            highest.value = -INFINITY
        for k in range(2):
            aucbench_extreme_of(P.m[k], P.key[k], P.a[k], P.b[k], 1.0, pivot, t, &lowest)
            aucbench_extreme_of(P.m[k], P.key[k], P.a[k], P.b[k], -1.0, pivot, t, &highest)
        if not lowest.value < highest.value:
            return t
        meet = aucbench_over(lowest.a - highest.a, highest.b - lowest.b)
        if not (meet - t) * (start - stop) < 0.0:
            return t
        t = meet
        if not (t - stop) * (start - stop) > 0.0:
            return stop
    return t


cdef inline void fold(Lines* P, const Point* lo, const Point* hi) noexcept nogil:
    """Drop the examples that stay on one side of c between lo and hi; keep their sums.

    Distances are measured to the chord between the two values of c. Each example has two
    distances, at lo and at hi. The weighted median of the distances at any step between lies
    between the median of the smaller ones and the median of the larger ones.
    """
    cdef double bound[2]
    cdef double pad = 8.0 * DBL_EPSILON * (1.0 + hi.at[0])  # distances are rounded
    cdef Py_ssize_t above
    cdef int k, larger
    for larger in range(2):
        for k in range(2):
            aucbench_reach(P.m[k], P.a[k], P.b[k], lo.at, hi.at, larger, P.key[k])
        bound[larger] = weighted(
            <const double**> P.key, P.spare, P.m, P.weight, P.target, &P.read)
    for k in range(2):
        above = 0
        P.m[k] = aucbench_settle(
            P.m[k], P.a[k], P.b[k], lo.at, hi.at, bound[0] - pad, bound[1] + pad, k, &above,
            &P.settled[k])
        P.target -= above * P.weight[k]


cdef inline bint falls(const Point* p) noexcept nogil:
    return p.slope[p.side] < -p.tol


cdef inline bint rises(const Point* p) noexcept nogil:
    return p.slope[p.side] > p.tol


cdef inline int take(const Point* p, Point* lo, Point* hi) noexcept nogil:
    """Let p replace an end of the bracket; return 0 if p is a minimiser."""
    cdef bint before = p.slope[1] < -p.tol, beyond = p.slope[0] > p.tol
    if p.slope[0] < -p.tol:
        lo[0] = p[0]
        lo.side = before
    if p.slope[1] > p.tol:
        hi[0] = p[0]
        hi.side = not beyond
    return before or beyond


cdef inline double crossing(const Point* lo, const Point* hi) noexcept nogil:
    """Return the step at which the tangents of the two ends meet."""
    cdef double d = hi.at[0] - lo.at[0], up = hi.slope[hi.side], down = lo.slope[lo.side]
    return lo.at[0] + aucbench_over(lo.h - hi.h + up * d, up - down)
