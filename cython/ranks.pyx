"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Scores become keys: unsigned integers in the same order (keys.h). Each class is sorted
(aucbench/data/sorting.py), and both are merged (ranks.h).
"""

from keys cimport key_t
from libc.stdint cimport uint64_t

cdef extern from "ranks.h" nogil:
    ctypedef struct range_t "aucbench_range":
        key_t low, high
        key_t* pos
        key_t* neg
        size_t a, b, pos_room, neg_room
    void aucbench_split_keys(
        size_t n, const unsigned char* positive, const double* scores, range_t* to
    )
    uint64_t aucbench_concordant_twice(const key_t* of, size_t m, const key_t* within, size_t n)


def split_keys(
    const unsigned char[::1] positive, const double[::1] scores, key_t low, key_t high,
    key_t[::1] pos, key_t[::1] neg,
):
    """Write the keys from low to high of positive and of negative scores; return how many of each.

    Both arrays have one spare entry.
    """
    cdef range_t to = range_t(
        low, high, &pos[0], &neg[0], 0, 0, pos.shape[0] - 1, neg.shape[0] - 1
    )
    if scores.shape[0] > 0:
        with nogil:
            aucbench_split_keys(scores.shape[0], &positive[0], &scores[0], &to)
    return to.a, to.b


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
