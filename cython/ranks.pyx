"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Scores become unsigned integers in the same order, which compare without branches on sign
and sort by digits: six passes, whatever the values, where a comparison sort of 10**6
doubles takes four times as long on machines whose NumPy has no vectorised sort.
"""

from keys cimport key_of, key_t
from keys cimport radix_sort as sort_keys


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
    """Sort `keys` ascending; `spare` has their size, `counts` the shape (6, 2048)."""
    if keys.shape[0] > 0:
        with nogil:
            sort_keys(keys.shape[0], &keys[0], &spare[0], NULL, NULL, &counts[0, 0])


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
