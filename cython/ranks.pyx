"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Scores become unsigned integers in the same order, which compare without branches on sign
and sort by digits: six passes, whatever the values, where a comparison sort of 10**6
doubles takes four times as long on machines whose NumPy has no vectorised sort.
"""

from libc.string cimport memcpy, memset

ctypedef unsigned long long key_t

cdef enum:
    BITS = 11
    RADIX = 2048
    PASSES = 6


cdef inline key_t key_of(double s) noexcept nogil:
    """Order-preserving bits of a double that is not NaN; -0.0 and 0.0 are one key."""
    cdef key_t bits
    s += 0.0
    memcpy(&bits, &s, 8)
    return bits ^ ((-(bits >> 63)) | (<key_t> 1 << 63))


def split_keys(
    const unsigned char[::1] positive, const double[::1] scores, key_t[::1] pos, key_t[::1] neg,
):
    """Keys of the positive and of the negative scores; both arrays have one place to spare."""
    cdef Py_ssize_t i, a = 0, b = 0
    cdef Py_ssize_t a_end = pos.shape[0] - 1, b_end = neg.shape[0] - 1
    cdef key_t key
    with nogil:
        for i in range(scores.shape[0]):
            key = key_of(scores[i])
            pos[a] = key
            neg[b] = key
            # The spare place takes what belongs to the other class: no branch to mispredict.
            a += (positive[i] != 0) & (a < a_end)
            b += (positive[i] == 0) & (b < b_end)


def radix_sort(key_t[::1] keys, key_t[::1] spare, unsigned int[:, ::1] counts):
    """Sort `keys` ascending; `spare` has their size, `counts` the shape (6, 2048).

    Least significant digit first, 11 bits a pass; a digit that all keys share is skipped.
    """
    cdef Py_ssize_t n = keys.shape[0], i
    cdef int level, digit
    cdef unsigned int total, count
    cdef key_t* source
    cdef key_t* target
    cdef key_t* other
    cdef key_t key
    if n == 0:
        return
    source, target = &keys[0], &spare[0]
    with nogil:
        memset(&counts[0, 0], 0, PASSES * RADIX * sizeof(unsigned int))
        for i in range(n):
            key = source[i]
            for level in range(PASSES):
                counts[level, (key >> (BITS * level)) & (RADIX - 1)] += 1
        for level in range(PASSES):
            if counts[level, (source[0] >> (BITS * level)) & (RADIX - 1)] == n:
                continue
            total = 0
            for digit in range(RADIX):
                count = counts[level, digit]
                counts[level, digit] = total
                total += count
            for i in range(n):
                key = source[i]
                digit = (key >> (BITS * level)) & (RADIX - 1)
                target[counts[level, digit]] = key
                counts[level, digit] += 1
            other = source
            source = target
            target = other
        if source != &keys[0]:
            memcpy(&keys[0], source, n * sizeof(key_t))


def concordant_twice(const key_t[::1] pos, const key_t[::1] neg):
    """2 #{(i, j): pos_i > neg_j} + #{(i, j): pos_i = neg_j}, both arrays ascending.

    Exact in 64 bits while pos.size * neg.size <= 2**62. One merge, O(n_+ + n_-).
    """
    cdef key_t total = 0, s
    cdef Py_ssize_t below = 0, upto = 0, i
    cdef Py_ssize_t n_pos = pos.shape[0], n_neg = neg.shape[0]
    with nogil:
        for i in range(n_pos):
            s = pos[i]
            while below < n_neg and neg[below] < s:
                below += 1
            if upto < below:
                upto = below
            while upto < n_neg and neg[upto] <= s:
                upto += 1
            total += <key_t> (below + upto)
    return total
