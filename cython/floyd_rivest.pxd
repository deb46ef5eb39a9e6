"""Selection of the k-th of some integer keys, in linear time on every input.

Header only: `cdef inline` functions. The method of Floyd and Rivest, Algorithm 489, CACM 18
(1975) 173, takes linear time on most inputs. On others it reaches its budget; then bisection of
the range of values finishes in at most 63 passes. (Rejected: random pivots, because kernels draw
no random numbers; median of medians, which is slower and longer than bisection.)
"""

from libc.math cimport copysign, exp, log, sqrt
from libc.stdint cimport int64_t

cdef enum:
    SMALL = 600     # Floyd and Rivest's limit: with fewer keys, a sample does not save time
    BUDGET = 16     # how often each key may be read on average; random orders need 2 to 4


cdef inline void swap(int64_t* x, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    x[i], x[j] = x[j], x[i]


cdef inline Py_ssize_t bisect(int64_t* x, Py_ssize_t l, Py_ssize_t r, Py_ssize_t k) noexcept nogil:
    """Select by bisection of the range of values; return the number of keys read."""
    cdef int64_t low = x[l], high = x[l], middle
    cdef Py_ssize_t i, j, seen = r - l + 1
    for i in range(l, r + 1):
        low = min(low, x[i])
        high = max(high, x[i])
    while low < high:
        middle = low + (high - low) // 2
        seen += r - l + 1
        j = l
        for i in range(l, r + 1):
            if x[i] <= middle:
                swap(x, i, j)
                j += 1
        if k < j:
            r, high = j - 1, middle
        else:
            l, low = j, middle + 1
    return seen


cdef inline Py_ssize_t partition(
    int64_t* x, Py_ssize_t l, Py_ssize_t r, Py_ssize_t k,
) noexcept nogil:
    """Move t = x[k] to its sorted place in l..r, smaller keys before it; return that place."""
    cdef int64_t t = x[k]
    cdef Py_ssize_t i = l, j = r
    swap(x, l, k)
    if x[r] > t:
        swap(x, r, l)
    while i < j:
        swap(x, i, j)
        i += 1
        j -= 1
        while x[i] < t:
            i += 1
        while x[j] > t:
            j -= 1
    if x[l] == t:
        swap(x, l, j)
    else:
        j += 1
        swap(x, j, r)
    return j


cdef inline Py_ssize_t narrow(
    int64_t* x, Py_ssize_t l, Py_ssize_t r, Py_ssize_t k, Py_ssize_t budget,
) noexcept nogil:
    """Do as `select`, but use bisection after more than `budget` keys were read."""
    cdef Py_ssize_t j, seen = 0
    cdef double n, i, z, s, sd
    while l < r:
        if seen > budget:
            return seen + bisect(x, l, r, k)
        if r - l > SMALL:
            n, i = r - l + 1, k - l + 1
            z = log(n)
            s = 0.5 * exp(2 * z / 3)
            sd = copysign(0.5 * sqrt(z * s * (n - s) / n), i - n / 2)
            seen += narrow(
                x, max(l, <Py_ssize_t> (k - i * s / n + sd)),
                min(r, <Py_ssize_t> (k + (n - i) * s / n + sd)), k, budget - seen)
        seen += r - l + 1
        j = partition(x, l, r, k)
        if j <= k:
            l = j + 1
        if k <= j:
            r = j - 1
    return seen


cdef inline Py_ssize_t select(
    int64_t* x, Py_ssize_t l, Py_ssize_t r, Py_ssize_t k,
) noexcept nogil:
    """Permute x[l..r] so that x[k] is in its sorted place; return the number of keys read."""
    return narrow(x, l, r, k, BUDGET * (r - l + 1))
