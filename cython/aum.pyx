"""Area under the minimum of false positives and false negatives, and its derivatives.

Design
  a. Any breakpoints: one walk along the sorted thresholds, a group of equal ones at a time.
     The running errors are kept as two doubles each, since a million equal rates, each
     rounded the same way, drift by 1e-11.
  b. Binary labels: up to the threshold c where the errors of both kinds meet, the minimum
     is the false positives, after it the false negatives. So each example's part depends on
     its class and side of c alone, and c is a weighted median of the scores, found by a sample
     that brackets it, one pass over all scores, and digits of the few keys in the bracket.
     Weights are whole numbers, whatever the classes' sizes.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

cdef extern from "aum.h" nogil:
    ctypedef uint64_t key_t "aucbench_key"
    ctypedef struct Rule "aucbench_aum_rule":
        double c, neg, neg_left, neg_right, pos, pos_left, pos_right
    key_t key_of "aucbench_key_of"(double x)
    double of_key "aucbench_of_key"(key_t key)
    size_t sampled "aucbench_sampled"(size_t i, size_t stretch)
    void gather "aucbench_aum_gather"(
        size_t n, const double* s, const signed char* y, double lo, double hi, key_t* pos,
        key_t* neg, int64_t* count)
    double write "aucbench_aum_write"(
        size_t n, const double* s, const signed char* y, const Rule* rule, double* left,
        double* right)

cdef enum:
    DIGITS = 256
    BITS = 8
    SAMPLED = 8192      # scores from which a sample pays
    SAMPLE = 4096       # its largest size

cdef double INF = float("inf")


cdef struct Sum:        # of two doubles, their exact value to twice the digits
    double high, low


cdef inline Sum plus(Sum a, double x) noexcept nogil:
    """a + x by the exact error of a rounded sum (Møller, Knuth)."""
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
    """AUM of breakpoints at ascending thresholds t; adds to the derivatives of each example.

    t[k] is the threshold of breakpoint order[k]. Those of one example in a group of equal
    thresholds move together when they are neighbours in it.
    """
    cdef Py_ssize_t B = t.shape[0], start = 0, end, k
    cdef Sum fp = Sum(0.0, 0.0), fn = Sum(0.0, 0.0), fp_before, fn_before, area = Sum(0.0, 0.0)
    cdef double before = 0.0, after, df, dn
    cdef int b, e
    with nogil:
        for k in range(B):
            fn = plus(fn, -fn_diff[k])
        while start < B:
            if before != 0.0:  # else an infinite step of thresholds would make NaN
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


cdef struct Side:       # keys of one class, its weight, and how many lie above the range
    key_t* keys
    Py_ssize_t size, above
    int64_t weight


cdef inline void reach(Side side, key_t* low, key_t* high) noexcept nogil:
    """Widen low..high to all keys of the side."""
    cdef Py_ssize_t i
    for i in range(side.size):
        low[0] = min(low[0], side.keys[i])
        high[0] = max(high[0], side.keys[i])


cdef inline void count(Side side, key_t low, int shift, int64_t* counts) noexcept nogil:
    cdef Py_ssize_t i
    memset(counts, 0, DIGITS * sizeof(int64_t))
    for i in range(side.size):
        counts[(side.keys[i] - low) >> shift] += 1


cdef inline Py_ssize_t keep(Side side, key_t low, int shift, key_t digit) noexcept nogil:
    """Move the keys with this digit to the front; their number."""
    cdef Py_ssize_t i, kept = 0
    cdef key_t key
    for i in range(side.size):
        key = side.keys[i]
        side.keys[i] = side.keys[kept]
        side.keys[kept] = key
        kept += (key - low) >> shift == digit
    return kept


cdef key_t meet(Side* pos, Side* neg, int64_t target) noexcept nogil:
    """Largest key with weight `target` at and above it, else the least; one key there is.

    Narrows both sides to that key and counts what is above it. Permutes the keys. At most
    eight rounds, as each settles eight more bits.
    """
    cdef int64_t pos_counts[DIGITS]
    cdef int64_t neg_counts[DIGITS]
    cdef int64_t more
    cdef key_t low, high
    cdef int shift, digit
    while True:
        low, high = <key_t> -1, 0
        reach(pos[0], &low, &high)
        reach(neg[0], &low, &high)
        if low >= high:
            return low
        shift = 0
        while (high - low) >> shift >= DIGITS:
            shift += 1
        count(pos[0], low, shift, pos_counts)
        count(neg[0], low, shift, neg_counts)
        digit = <int> ((high - low) >> shift)
        while digit > 0:
            more = pos_counts[digit] * pos.weight + neg_counts[digit] * neg.weight
            if more > 0 and more >= target:
                break
            target -= more
            pos.above += pos_counts[digit]
            neg.above += neg_counts[digit]
            digit -= 1
        pos.size = keep(pos[0], low, shift, digit)
        neg.size = keep(neg[0], low, shift, digit)


cdef void bracket(
    const double* s, const signed char* y, Py_ssize_t n, key_t* pos, key_t* neg, double share,
    double* lo, double* hi,
) noexcept nogil:
    """lo..hi that probably holds c, by three standard deviations of a sample.

    share: that of the positives when errors are counted, negative when they are rates.
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
    """Derivatives from the whole errors before and after the group at c, over `unit`."""
    cdef int64_t fp = neg.above * neg.weight, fn = target - pos.above * pos.weight
    cdef int64_t fp_after = fp + neg.size * neg.weight, fn_after = fn - pos.size * pos.weight
    cdef int64_t before = min(fp, fn), after = min(fp_after, fn_after)
    cdef Rule rule
    rule.c = of_key(c)
    rule.neg = neg.weight / unit
    rule.pos = -(pos.weight / unit)
    rule.neg_right = (min(fp + neg.weight, fn) - before) / unit
    rule.neg_left = (after - min(fp_after - neg.weight, fn_after)) / unit
    rule.pos_right = (min(fp, fn - pos.weight) - before) / unit
    rule.pos_left = (after - min(fp_after, fn_after + pos.weight)) / unit
    return rule


def binary_loss(
    const double[::1] s, const signed char[::1] y, Py_ssize_t n_pos, bint rates,
    key_t[::1] keys, double[::1] left, double[::1] right,
):
    """AUM of scores s of labels y, n_pos of them positive; fills the derivatives. n >= 1.

    keys.size >= n + 2. NaN or infinite when a score is.
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
        value = write(n, &s[0], &y[0], &rule, &left[0], &right[0])
    return value
