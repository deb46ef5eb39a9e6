"""Counts of ordered pairs of two samples: the Mann-Whitney statistic, exactly.

Each class is sorted (aucbench/data/sorting.py), and both are merged (ranks.h).
"""

from libc.stdint cimport uint64_t

cdef extern from "ranks.h" nogil:
    ctypedef struct range_t "aucbench_range":
        double low, high
        double* pos
        double* neg
        size_t a, b, pos_room, neg_room
    void aucbench_split(
        size_t n, const unsigned char* positive, const double* scores, range_t* to
    )
    uint64_t aucbench_concordant_twice(const double* of, size_t m, const double* within, size_t n)
    void aucbench_masses_below(
        const double* of, size_t m, const double* within, size_t n, const double* mass,
        size_t* first, double* twice
    )
    void aucbench_split_weighted(
        size_t n, const unsigned char* positive, const double* scores, const double* weights,
        double* pos, double* pos_weights, double* neg, double* neg_weights
    )


def split(
    const unsigned char[::1] positive, const double[::1] scores, double low, double high,
    double[::1] pos, double[::1] neg,
):
    """Write the positive and the negative scores from low to high; return how many of each.

    Both arrays have one spare entry.
    """
    cdef range_t to = range_t(
        low, high, &pos[0], &neg[0], 0, 0, pos.shape[0] - 1, neg.shape[0] - 1
    )
    if scores.shape[0] > 0:
        with nogil:
            aucbench_split(scores.shape[0], &positive[0], &scores[0], &to)
    return to.a, to.b


def concordant_twice(const double[::1] pos, const double[::1] neg):
    """Return 2 #{(i, j): pos_i > neg_j} + #{(i, j): pos_i = neg_j}; both arrays ascend.

    It is exact in 64 bits if pos.size * neg.size <= 2**62. It takes one merge, and a second one if
    there are ties: O(n_+ + n_-).
    """
    cdef uint64_t total = 0
    if pos.shape[0] > 0 and neg.shape[0] > 0:
        with nogil:
            total = aucbench_concordant_twice(&pos[0], pos.shape[0], &neg[0], neg.shape[0])
    return total


def split_weighted(
    const unsigned char[::1] positive, const double[::1] scores, const double[::1] weights,
    double[::1] pos, double[::1] pos_weights, double[::1] neg, double[::1] neg_weights,
):
    """Write the scores and the weights of each class; the arrays have one spare entry."""
    if scores.shape[0] > 0:
        with nogil:
            aucbench_split_weighted(
                scores.shape[0], &positive[0], &scores[0], &weights[0], &pos[0], &pos_weights[0],
                &neg[0], &neg_weights[0],
            )


def masses_below(
    const double[::1] of, const double[::1] within, const double[::1] mass,
    size_t[::1] first, double[::1] twice,
):
    """twice[i] = mass[#{j: within_j < of_i}] + mass[#{j: within_j <= of_i}]

    `of` and `within` ascend and have no NaN, and mass has one entry more than `within`. `first`
    becomes the first of these numbers. It takes one merge: O(m + n).
    """
    if of.shape[0] > 0 and within.shape[0] > 0:
        with nogil:
            aucbench_masses_below(
                &of[0], of.shape[0], &within[0], within.shape[0], &mass[0], &first[0], &twice[0]
            )
