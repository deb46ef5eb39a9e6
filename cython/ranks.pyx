"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Scores become keys: unsigned integers in the same order (keys.h). Keys are compared without
branches on the sign, and they are sorted by digits in six passes. A comparison sort of 10**6
doubles takes four times as long where NumPy has no vectorised sort.
"""

from keys cimport key_of, key_t
from keys cimport radix_sort as sort_keys


def split_keys(
    const unsigned char[::1] positive, const double[::1] scores, key_t[::1] pos, key_t[::1] neg,
):
    """Write the keys of positive and of negative scores; both arrays have one spare entry."""
    cdef Py_ssize_t i, a = 0, b = 0
    cdef Py_ssize_t a_end = pos.shape[0] - 1, b_end = neg.shape[0] - 1
    cdef key_t key
    with nogil:
        for i in range(scores.shape[0]):
            key = key_of(scores[i])
            pos[a] = key
            neg[b] = key
            # Each key is written to both arrays, and only one moves on: no branch to mispredict.
            a += (positive[i] != 0) & (a < a_end)
            b += (positive[i] == 0) & (b < b_end)


def radix_sort(key_t[::1] keys, key_t[::1] spare, unsigned int[:, ::1] counts):
    """Sort `keys` ascending; `spare` has their size, `counts` the shape (6, 2048)."""
    if keys.shape[0] > 0:
        with nogil:
            sort_keys(keys.shape[0], &keys[0], &spare[0], NULL, NULL, &counts[0, 0])


def concordant_twice(const key_t[::1] pos, const key_t[::1] neg):
    """Return 2 #{(i, j): pos_i > neg_j} + #{(i, j): pos_i = neg_j}; both arrays ascend.

    It is exact in 64 bits if pos.size * neg.size <= 2**62. It takes one merge: O(n_+ + n_-).
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
