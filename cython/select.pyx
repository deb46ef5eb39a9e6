"""The k-th largest magnitude, top_k and the l1 ball, each in O(d) operations.

Design
  a. Magnitudes are compared as integer keys (keys.h). Any two keys can be compared, so every
     loop ends on any floats. NaN ranks above infinity, so that top_k keeps it visible.
  b. A sample gives a threshold that a few more than k entries probably exceed. One SIMD pass
     copies these entries, and the selection works on the copies. If the guess was wrong, the
     count shows it; this costs one more pass, but the result is always right.
  c. The l1 ball is solved for delta = max|v| - theta in terms of the gaps max|v| - |v_i|, which
     are exact where they matter. theta itself would lose R to rounding if |v| is much larger.
"""

from floyd_rivest cimport select
from keys cimport magnitude, magnitude_key
from libc.math cimport isfinite, sqrt
from libc.stdint cimport INT64_MAX, int64_t

cdef extern from "select.h" nogil:
    double l1_norm "aucbench_l1_norm"(const double* x, Py_ssize_t d, double* peak)
    void shrink "aucbench_shrink"(double* x, Py_ssize_t d, double peak, double delta)
    Py_ssize_t gather_above "aucbench_gather_above"(
        const double* v, Py_ssize_t d, int64_t t, int64_t* out, Py_ssize_t cap)
    void keep_above "aucbench_keep_above"(
        double* v, Py_ssize_t lo, Py_ssize_t hi, int64_t t)
    Py_ssize_t after_tie "aucbench_after_tie"(
        const double* v, Py_ssize_t d, int64_t t, Py_ssize_t q)
    void sample_keys "aucbench_sample_keys"(
        const double* v, Py_ssize_t d, int64_t* out, Py_ssize_t s)

cdef Py_ssize_t SAMPLED = 512       # from this number of entries on, a sample saves time
cdef int FILTERS = 12               # passes of Michelot's filter before bisection by rank


cdef struct Kth:
    int64_t key                     # the key of the k-th largest magnitude, 0 if it is zero
    Py_ssize_t above                # number of entries with a larger key
    Py_ssize_t ties                 # number of entries with this key, or a larger number


cdef int64_t guess(
    const double* v, Py_ssize_t d, Py_ssize_t k, int64_t* keys, Py_ssize_t* cap,
) noexcept nogil:
    """Return a key that k to cap entries of v probably exceed, from a sample; 0 if unknown."""
    cdef Py_ssize_t s = max(<Py_ssize_t> 128, min(d // 64, <Py_ssize_t> 4096))
    cdef double expected = <double> k * s / d
    cdef Py_ssize_t rank = <Py_ssize_t> (expected + 3 * sqrt(expected) + 4)
    if rank >= s:
        return 0
    sample_keys(v, d, keys, s)
    select(keys, 0, s - 1, s - rank)
    cap[0] = min(d, <Py_ssize_t> (2.0 * rank * d / s))
    return keys[s - rank]


cdef Kth kth(const double* v, Py_ssize_t d, Py_ssize_t k, int64_t* keys) noexcept nogil:
    """Find the k-th largest magnitude of d entries, 1 <= k <= d; `keys` has room for d."""
    cdef Py_ssize_t cap = d, n, i
    cdef int64_t t = 0
    cdef Kth found = Kth(0, 0, 0)
    if d >= SAMPLED:
        t = guess(v, d, k, keys, &cap)
    n = gather_above(v, d, max(t, 1) - 1, keys, cap)
    if n > cap:
        n = gather_above(v, d, t, keys, d)
        if n < k:
            return Kth(t, n, d)
    elif n < k and t > 1:
        n = gather_above(v, d, 0, keys, d)
    if n < k:
        return found
    select(keys, 0, n - 1, n - k)
    found.key = keys[n - k]
    for i in range(n):
        found.above += keys[i] > found.key
        found.ties += keys[i] == found.key
    return found


def top_k(double[::1] v, Py_ssize_t d, Py_ssize_t k, int64_t[::1] keys):
    """Set all but the min(k, non-zeros) largest magnitudes of v[:d] to 0, in place.

    Of entries tied at the k-th magnitude, those with the lowest index stay. d <= v.size and
    keys.size >= d.
    """
    cdef double* x
    cdef Py_ssize_t cut
    cdef Kth least
    if k >= d:
        return
    x = &v[0]
    with nogil:
        if k <= 0:
            keep_above(x, 0, d, INT64_MAX)
        else:
            least = kth(x, d, k, &keys[0])
            if least.key > 0:
                cut = d
                if least.above + least.ties > k:
                    cut = after_tie(x, d, least.key, k - least.above)
                keep_above(x, 0, cut, least.key - 1)
                keep_above(x, cut, d, least.key)


def floyd_rivest(int64_t[::1] keys, Py_ssize_t k):
    """Permute `keys` so that keys[k] is in its sorted place; return how many keys were read.

    For the tests: `select` belongs to the public header, and only the count shows its bound.
    """
    cdef Py_ssize_t n = keys.shape[0], seen
    with nogil:
        seen = select(&keys[0], 0, n - 1, k)
    return seen


cdef double level_by_rank(int64_t* gaps, Py_ssize_t n, double R) noexcept nogil:
    """Do as `level`, by bisection of the ranks: each half is selected, then added up."""
    cdef Py_ssize_t lo = 0, hi = n, middle, i
    cdef double total = R, part
    while lo < hi:
        middle = lo + (hi - lo) // 2
        select(gaps, lo, hi - 1, middle)
        part = 0.0
        for i in range(lo, middle + 1):
            part += magnitude(gaps[i])
        if magnitude(gaps[middle]) < (total + part) / (middle + 1):
            total += part
            lo = middle + 1
        else:
            hi = middle
    return total / max(lo, <Py_ssize_t> 1)


cdef double level(int64_t* gaps, Py_ssize_t n, double R) noexcept nogil:
    """Return delta with sum max(0, delta - gap) = R; `gaps` are keys, the least is 0, n >= 1.

    Compute delta as if all gaps were below it. Gaps above this delta are also above the right
    one, so they are dropped, and delta is computed again (Michelot, J. Optim. Theory Appl. 50
    (1986) 195). On most inputs this ends after a few passes.
    """
    cdef double total, delta = R
    cdef Py_ssize_t kept, i
    cdef int64_t gap
    for _ in range(FILTERS):
        total, kept = R, 0
        for i in range(n):
            total += magnitude(gaps[i])
        delta = total / n
        for i in range(n):
            gap = gaps[i]
            gaps[kept] = gap
            kept += magnitude(gap) < delta
        if kept == n or kept == 0:
            return delta
        n = kept
    return level_by_rank(gaps, n, R)


def l1_ball(double[::1] v, double R, double limit, int64_t[::1] keys):
    """Move v to the nearest point with |v|_1 <= R, in place.

    v stays if |v|_1 <= limit, where limit >= R allows for rounding. It also stays if an entry is
    NaN or infinite, because then there is no nearest point. keys.size >= v.size.
    """
    cdef Py_ssize_t d = v.shape[0], n, i
    cdef double total, peak = 0.0, floor, after
    cdef double* x
    if d == 0:
        return
    x = &v[0]
    with nogil:
        total = l1_norm(x, d, &peak)
        if total > limit and isfinite(peak):
            # The mean excess, minus a margin for rounding of the sum, is at most theta.
            floor = max(0.0, peak - R, (total * (1 - 1e-9) - R) / d if isfinite(total) else 0.0)
            n = gather_above(x, d, min(magnitude_key(floor), magnitude_key(peak) - 1), &keys[0], d)
            for i in range(n):
                keys[i] = magnitude_key(peak - magnitude(keys[i]))
            shrink(x, d, peak, level(&keys[0], n, R))
            after = l1_norm(x, d, &peak)
            if after > R:
                for i in range(d):
                    x[i] *= R / after
