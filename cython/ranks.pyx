"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Scores become keys: unsigned integers in the same order (keys.h). Each class is sorted
(aucbench/data/sorting.py), and both are merged (ranks.h).
"""

from keys cimport key_of, key_t
from libc.stdint cimport uint64_t

cdef extern from "ranks.h" nogil:
    uint64_t aucbench_concordant_twice(const key_t* of, size_t m, const key_t* within, size_t n)


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


def concordant_twice(const key_t[::1] pos, const key_t[::1] neg):
    """Return 2 #{(i, j): pos_i > neg_j} + #{(i, j): pos_i = neg_j}; both arrays ascend.

    It is exact in 64 bits if pos.size * neg.size <= 2**62. It takes one merge, and a second one if
    there are ties: O(n_+ + n_-).
    """
    cdef uint64_t total = 0
    if pos.shape[0] > 0 and neg.shape[0] > 0:
        with nogil:
            total = aucbench_concordant_twice(&pos[0], pos.shape[0], &neg[0], neg.shape[0])
    return total
