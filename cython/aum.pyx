"""Area under the minimum of false positives and false negatives, and its derivatives.

Design
  a. Any breakpoints: one walk along the sorted thresholds, a group of equal ones at a time.
     Running errors are two doubles each, because a million equal rates, all rounded in the
     same direction, would drift by 1e-11.
  b. Binary labels: below the threshold c at which both kinds of errors are equal, the minimum
     is the false positives; above c it is the false negatives. So what an example adds depends
     only on its class and its side of c. These are its place, one byte. c is a weighted median
     of the scores. A sample gives a bracket of c, one pass gathers the keys in the bracket, and
     their digits give c. Weights are whole numbers, so they are exact.
"""

from aum_digits cimport Side, meet
from keys cimport key_of, key_t, of_key, sampled
from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

cdef extern from "aum.h" nogil:
    ctypedef struct Rule "aucbench_aum_rule":
        double c
        double left[8]
        double right[8]
    void gather "aucbench_aum_gather"(
        size_t n, const double* s, const signed char* y, double lo, double hi, key_t* pos,
        key_t* neg, int64_t* count)
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


cdef void bracket(
    const double* s, const signed char* y, Py_ssize_t n, key_t* pos, key_t* neg, double share,
    double* lo, double* hi,
) noexcept nogil:
    """Set lo and hi so that c is probably between them, by three deviations of a sample.

    share: the share of positives when errors are counts, a negative number when they are rates.
    """
    cdef Py_ssize_t m = min(n // 16, <Py_ssize_t> SAMPLE), stretch = n // m, i, k, p = 0, q = 0
    cdef Side a, b
    cdef int64_t total, target, margin
    for i in range(m):
        k = sampled(i, stretch)
        pos[p] = key_of(s[k])
        neg[q] = pos[p]
        p += y[k] > 0
        q += y[k] <= 0
    a = Side(pos, p, 0, q if share < 0.0 else 1)
    b = Side(neg, q, 0, p if share < 0.0 else 1)
    total = a.weight * p + b.weight * q
    target = total // 2 if share < 0.0 else <int64_t> (share * m)
    margin = max(a.weight, b.weight) + <int64_t> (1.5 * sqrt(
        <double> a.weight * a.weight * p + <double> b.weight * b.weight * q))
    lo[0], hi[0] = -INF, INF
    if target > margin:
        hi[0] = of_key(meet(&a, &b, target - margin))
    if target + margin < total:
        a.size, b.size = p, q
        lo[0] = of_key(meet(&a, &b, target + margin))


cdef Rule settle(Side pos, Side neg, key_t c, int64_t target, double unit) noexcept nogil:
    """Return the derivatives by place, from the whole errors before and after c, over `unit`."""
    cdef int64_t fp = neg.above * neg.weight, fn = target - pos.above * pos.weight
    cdef int64_t fp_after = fp + neg.size * neg.weight, fn_after = fn - pos.size * pos.weight
    cdef int64_t before = min(fp, fn), after = min(fp_after, fn_after)
    cdef Rule rule
    memset(&rule, 0, sizeof(rule))
    rule.c = of_key(c)
    rule.left[1] = rule.right[1] = -(pos.weight / unit)
    rule.left[2] = (after - min(fp_after - neg.weight, fn_after)) / unit
    rule.right[2] = (min(fp + neg.weight, fn) - before) / unit
    rule.left[3] = (after - min(fp_after, fn_after + pos.weight)) / unit
    rule.right[3] = (min(fp, fn - pos.weight) - before) / unit
    rule.left[4] = rule.right[4] = neg.weight / unit
    return rule


def binary_loss(
    const double[::1] s, const signed char[::1] y, Py_ssize_t n_pos, bint rates,
    key_t[::1] keys, signed char[::1] place, double[:, ::1] slopes,
):
    """Return the AUM of scores s of labels y, of which n_pos are positive.

    n >= 1 and keys.size >= n + 2. Fills the place of each example, and the derivatives (left,
    right) of each place. The AUM is NaN or infinite if a score is.
    """
    cdef Py_ssize_t n = s.shape[0], n_neg = n - n_pos
    cdef key_t* p = &keys[0]
    cdef key_t* q = &keys[n_pos + 1]
    cdef int64_t target = <int64_t> n_pos * (n_neg if rates else 1), rest
    cdef int64_t found[4]
    cdef double lo = -INF, hi = INF, value
    cdef Side pos, neg
    cdef Rule rule
    with nogil:
        if n >= SAMPLED:
            bracket(&s[0], &y[0], n, p, q, -1.0 if rates else n_pos / <double> n, &lo, &hi)
        while True:
            gather(n, &s[0], &y[0], lo, hi, p, q, found)
            pos = Side(p, found[2], found[0], n_neg if rates else 1)
            neg = Side(q, found[3], found[1], n_pos if rates else 1)
            rest = target - pos.above * pos.weight - neg.above * neg.weight
            if (lo == -INF and hi == INF) or (
                0 < rest <= pos.size * pos.weight + neg.size * neg.weight
            ):
                break
            lo, hi = -INF, INF
        rule = settle(pos, neg, meet(&pos, &neg, rest), target, <double> target if rates else 1.0)
        value = place_all(n, &s[0], &y[0], &rule, &place[0])
        memcpy(&slopes[0, 0], rule.left, sizeof(rule.left))
        memcpy(&slopes[1, 0], rule.right, sizeof(rule.right))
    return value


def look_up(const signed char[::1] place, const double[::1] of, double[::1] out):
    """out = of[place]; `of` has at least PLACES numbers."""
    with nogil:
        look_up_all(place.shape[0], &place[0], &of[0], &out[0])
