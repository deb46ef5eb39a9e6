"""Area under the minimum of false positives and false negatives, and its derivatives.

Design
  a. Any breakpoints: one walk along the sorted thresholds, a group of equal ones at a time.
     Running errors are two doubles each, because a million equal rates, all rounded in the
     same direction, would drift by 1e-11.
  b. Binary labels: below the threshold c at which both kinds of errors are equal, the minimum
     is the false positives; above c it is the false negatives. So what an example adds depends
     only on its class and its side of c. These are its place, one byte. c is a weighted median
     of the scores. A sample gives a bracket of c, one pass gathers the scores in the bracket, and
     c is selected among them. Weights are whole numbers, so they are exact.
"""

from keys cimport sampled
from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset
from weighted cimport aucbench_ranked, weighted

cdef extern from "aum.h" nogil:
    ctypedef struct Rule "aucbench_aum_rule":
        double c
        double left[8]
        double right[8]
    void gather "aucbench_aum_gather"(
        size_t n, const double* s, const signed char* y, double lo, double hi, double* pos,
        double* neg, int64_t* count)
    double place_all "aucbench_aum_place"(
        size_t n, const double* s, const signed char* y, const Rule* rule, signed char* place)
    void look_up_all "aucbench_aum_look_up"(
        size_t n, const signed char* place, const double* of, double* out)
    int AUCBENCH_PLACES

cdef enum:
    SAMPLED = 8192      # from this number of scores on, a sample saves time
    SAMPLE = 4096       # the largest size of the sample

cdef double INF = float("inf")
PLACES = AUCBENCH_PLACES


cdef struct Sum:        # a number as the sum of two doubles, which has twice the digits
    double high, low


cdef inline Sum plus(Sum a, double x) noexcept nogil:
    """Return a + x; the rounding error of the sum is computed exactly (Møller, Knuth)."""
    cdef double total = a.high + x
    cdef double part = total - a.high
    return Sum(total, a.low + ((a.high - (total - part)) + (x - part)))


cdef inline double least(Sum fp, double df, Sum fn, double dn) noexcept nogil:
    """min(FP + df, FN + dn)"""
    return min((fp.high + df) + fp.low, (fn.high + dn) + fn.low)


def sweep_loss(
    const double[::1] t, const int[::1] order, const int[::1] example,
    const double[::1] fp_diff, const double[::1] fn_diff, double[::1] left, double[::1] right,
):
    """Return the AUM of breakpoints at ascending thresholds t; add up one-sided derivatives.

    t[k] is the threshold of breakpoint order[k]. In a group of equal thresholds, neighbouring
    breakpoints of one example move together.
    """
    cdef Py_ssize_t B = t.shape[0], start = 0, end, k
    cdef Sum fp = Sum(0.0, 0.0), fn = Sum(0.0, 0.0), fp_before, fn_before, area = Sum(0.0, 0.0)
    cdef double before = 0.0, after, df, dn
    cdef int b, e
    with nogil:
        for k in range(B):
            fn = plus(fn, -fn_diff[k])
        while start < B:
            if before != 0.0:  # 0 times an infinite gap would be NaN
                area = plus(area, (t[start] - t[start - 1]) * before)
            fp_before, fn_before, end = fp, fn, start
            while True:
                fp = plus(fp, fp_diff[order[end]])
                fn = plus(fn, fn_diff[order[end]])
                end += 1
                if end == B or t[end] != t[start]:
                    break
            before = least(fp_before, 0.0, fn_before, 0.0)
            after = least(fp, 0.0, fn, 0.0)
            while start < end:
                e, df, dn = example[order[start]], 0.0, 0.0
                while start < end and example[order[start]] == e:
                    b = order[start]
                    df += fp_diff[b]
                    dn += fn_diff[b]
                    start += 1
                right[e] += least(fp_before, df, fn_before, dn) - before
                left[e] += after - least(fp, -df, fn, -dn)
            before = after
    return area.high + area.low


cdef struct Gathered:   # of positives [0] and negatives [1]: the scores that may be c
    double* x[2]
    double* kept[2]      # room for as many
    Py_ssize_t m[2]
    long long weight[2]
    int64_t above[2]     # how many scores are above c, or above all of x
    int64_t tied[2]      # how many are c


cdef inline double reach(Gathered* of, long long target) noexcept nogil:
    """Return the largest score with a weight of at least `target` at or above it."""
    cdef Py_ssize_t read
    return weighted(<const double**> of.x, of.kept, of.m, of.weight, max(target, 1), &read)


cdef void bracket(
    const double* s, const signed char* y, Py_ssize_t n, Gathered of, double share, double* lo,
    double* hi,
) noexcept nogil:
    """Set lo and hi so that c is probably between them, by three deviations of a sample.

    share: the share of positives when errors are counts, a negative number when they are rates.
    """
    cdef Py_ssize_t m = min(n // 32, <Py_ssize_t> SAMPLE), stretch = n // m, i, k, p = 0, q = 0
    cdef int64_t total, target, margin
    for i in range(m):
        k = sampled(i, stretch)
        of.x[0][p] = of.x[1][q] = s[k]
        p += y[k] > 0
        q += y[k] <= 0
    of.m[0], of.m[1] = p, q
    of.weight[0] = q if share < 0.0 else 1
    of.weight[1] = p if share < 0.0 else 1
    total = of.weight[0] * p + of.weight[1] * q
    target = total // 2 if share < 0.0 else <int64_t> (share * m)
    margin = max(of.weight[0], of.weight[1]) + <int64_t> (1.5 * sqrt(
        <double> of.weight[0] * of.weight[0] * p + <double> of.weight[1] * of.weight[1] * q))
    lo[0], hi[0] = -INF, INF
    if target > margin:
        hi[0] = reach(&of, target - margin)
    if target + margin < total:
        lo[0] = reach(&of, target + margin)


cdef Rule settle(const Gathered* of, double c, int64_t target, double unit) noexcept nogil:
    """Return the derivatives by place, from the whole errors before and after c, over `unit`."""
    cdef int64_t pos = of.weight[0], neg = of.weight[1]
    cdef int64_t fp = of.above[1] * neg, fn = target - of.above[0] * pos
    cdef int64_t fp_after = fp + of.tied[1] * neg, fn_after = fn - of.tied[0] * pos
    cdef int64_t before = min(fp, fn), after = min(fp_after, fn_after)
    cdef Rule rule
    memset(&rule, 0, sizeof(rule))
    rule.c = c
    rule.left[1] = rule.right[1] = -(pos / unit)
    rule.left[2] = (after - min(fp_after - neg, fn_after)) / unit
    rule.right[2] = (min(fp + neg, fn) - before) / unit
    rule.left[3] = (after - min(fp_after, fn_after + pos)) / unit
    rule.right[3] = (min(fp, fn - pos) - before) / unit
    rule.left[4] = rule.right[4] = neg / unit
    return rule


def binary_loss(
    const double[::1] s, const signed char[::1] y, Py_ssize_t n_pos, bint rates,
    double[::1] work, signed char[::1] place, double[:, ::1] slopes,
):
    """Return the AUM of scores s of labels y, of which n_pos are positive.

    n >= 1 and work.size >= 2 n + 4. Fills the place of each example, and the derivatives (left,
    right) of each place. The AUM is NaN or infinite if a score is.
    """
    cdef Py_ssize_t n = s.shape[0], n_neg = n - n_pos
    cdef int64_t target = <int64_t> n_pos * (n_neg if rates else 1), rest
    cdef int64_t found[4]
    cdef Py_ssize_t number[4]
    cdef double lo = -INF, hi = INF, value, c
    cdef Gathered of
    cdef Rule rule
    cdef int k
    of.x[0], of.x[1] = &work[0], &work[n_pos + 1]
    of.kept[0], of.kept[1] = of.x[0] + n + 2, of.x[1] + n + 2
    with nogil:
        if n >= SAMPLED:
            bracket(&s[0], &y[0], n, of, -1.0 if rates else n_pos / <double> n, &lo, &hi)
        of.weight[0], of.weight[1] = n_neg if rates else 1, n_pos if rates else 1
        while True:
            gather(n, &s[0], &y[0], lo, hi, of.x[0], of.x[1], found)
            rest = target
            for k in range(2):
                of.above[k], of.m[k] = found[k], found[2 + k]
                rest -= of.above[k] * of.weight[k]
            if (lo == -INF and hi == INF) or (
                0 < rest <= of.m[0] * of.weight[0] + of.m[1] * of.weight[1]
            ):
                break
            lo, hi = -INF, INF
        c = reach(&of, rest)
        for k in range(2):
            aucbench_ranked(of.m[k], of.x[k], c, c, number)
            of.above[k] += number[0]
            of.tied[k] = number[1] - number[0]
        rule = settle(&of, c, target, <double> target if rates else 1.0)
        value = place_all(n, &s[0], &y[0], &rule, &place[0])
        memcpy(&slopes[0, 0], rule.left, sizeof(rule.left))
        memcpy(&slopes[1, 0], rule.right, sizeof(rule.right))
    return value


def look_up(const signed char[::1] place, const double[::1] of, double[::1] out):
    """out = of[place]; `of` has at least PLACES numbers."""
    with nogil:
        look_up_all(place.shape[0], &place[0], &of[0], &out[0])
