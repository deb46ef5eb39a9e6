"""Counts of ordered pairs of two sorted samples: the Mann-Whitney statistic, exactly."""


def concordant_twice(const double[::1] pos, const double[::1] neg):
    """2 #{(i, j): pos_i > neg_j} + #{(i, j): pos_i = neg_j}, both arrays ascending.

    Exact in 64 bits while pos.size * neg.size <= 2**62. One merge, O(n_+ + n_-).
    """
    cdef unsigned long long total = 0
    cdef Py_ssize_t below = 0, upto = 0, i
    cdef Py_ssize_t n_pos = pos.shape[0], n_neg = neg.shape[0]
    cdef double s
    with nogil:
        for i in range(n_pos):
            s = pos[i]
            while below < n_neg and neg[below] < s:
                below += 1
            if upto < below:
                upto = below
            while upto < n_neg and neg[upto] <= s:
                upto += 1
            total += <unsigned long long> (below + upto)
    return total
