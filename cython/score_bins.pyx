"""Counts of scores by bin and class, and the scores of chosen bins."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

cdef extern from "score_bins.h" nogil:
    enum:
        AUCBENCH_SCORES
    ctypedef struct intervals_t "aucbench_intervals":
        const double* edges
        const double* per
        const int32_t* first
        const int32_t* last
        int levels
    void aucbench_bins_of(size_t count, const double* s, const intervals_t* to, int32_t* at)

ctypedef fused score:
    float
    double

cdef enum:
    POS, NEG, VALUE, POS_MASS, NEG_MASS  # columns of a table

cdef double MIXED = float("nan")


cdef inline intervals_t intervals(
    const double[::1] edges, const double[::1] per, const int32_t[::1] first,
    const int32_t[::1] last, int levels,
) noexcept:
    return intervals_t(&edges[0], &per[0], &first[0], &last[0], levels)


cdef inline Py_ssize_t block(
    const score* scores, Py_ssize_t n, const intervals_t* to, double* s, int32_t* at,
) noexcept nogil:
    """Read the next scores and find their bins; return how many."""
    cdef Py_ssize_t count = n if n < AUCBENCH_SCORES else AUCBENCH_SCORES, i
    for i in range(count):
        s[i] = scores[i] + 0.0  # -0.0 becomes 0.0
    aucbench_bins_of(count, s, to, at)
    return count


def count(
    const score[::1] scores, const int8_t[::1] y, const double[::1] edges, const double[::1] per,
    const int32_t[::1] first, const int32_t[::1] last, int levels, int64_t[:, ::1] table,
    const double[::1] weights, double unit, double most, int64_t[::1] cut,
):
    """Add scores to a table with a line for each bin; return the first row that is refused, or -1.

    A line has the number of positives and of negatives, the bits of the one score that all its
    rows have, or of NaN if they have several, and, with weights, floor(v/unit) added up by class.
    cut[0] grows by the number of weights that are no multiple of the unit, a power of two. A NaN is
    refused, and so is v/unit unless it is above 0 and at most `most`; rows before it are added.
    `edges` has 2**levels entries, the others at least as many as there are numbers in it.
    """
    cdef Py_ssize_t n = scores.shape[0], start = 0, size, i, bad = -1
    cdef double[AUCBENCH_SCORES] s
    cdef int32_t[AUCBENCH_SCORES] at
    cdef intervals_t to = intervals(edges, per, first, last, levels)
    cdef bint weighted = weights is not None and weights.shape[0] > 0
    cdef int64_t* line
    cdef double* value
    cdef double mass
    cdef int side
    if n == 0:
        return -1
    with nogil:
        while start < n and bad < 0:
            size = block(&scores[start], n - start, &to, s, at)
            for i in range(size):
                if s[i] != s[i]:
                    bad = start + i
                    break
                line = &table[at[i], 0]
                value = <double*> (line + VALUE)
                if line[POS] + line[NEG] == 0:
                    value[0] = s[i]
                elif value[0] != s[i]:
                    value[0] = MIXED
                side = POS if y[start + i] > 0 else NEG
                line[side] += 1
                if weighted:
                    mass = weights[start + i] / unit
                    if not (mass > 0.0 and mass <= most):
                        bad = start + i
                        break
                    line[POS_MASS + side] += <int64_t> mass
                    cut[0] += mass != <double> <int64_t> mass
            start += size
    return bad


def gather(
    const score[::1] scores, const double[::1] edges, const double[::1] per,
    const int32_t[::1] first, const int32_t[::1] last, int levels, const uint8_t[::1] wanted,
    int32_t[::1] rows,
):
    """Write which rows are in a bin that is wanted; return how many. NaN is in no bin."""
    cdef Py_ssize_t n = scores.shape[0], start = 0, size, i, found = 0
    cdef double[AUCBENCH_SCORES] s
    cdef int32_t[AUCBENCH_SCORES] at
    cdef intervals_t to = intervals(edges, per, first, last, levels)
    if n == 0:
        return 0
    with nogil:
        while start < n:
            size = block(&scores[start], n - start, &to, s, at)
            for i in range(size):
                rows[found] = <int32_t> (start + i)
                found += s[i] == s[i] and wanted[at[i]] != 0
            start += size
    return found
