"""Sums of exponentials of distances over all pairs of a positive and a negative point."""

cdef extern from "logistic_pairs.h" nogil:
    const int AUCBENCH_TERMS
    void aucbench_exponentials(
        size_t n, ptrdiff_t begin, ptrdiff_t stride, const double* t, const double* mass,
        const signed char* side, const double* value, const double* slope, double* near,
        double* bend,
    )

TERMS = AUCBENCH_TERMS


def exponential_pass(
    const long long[::1] starts, const double[::1] t, const double[::1] mass,
    const signed char[::1] side, const double[::1] value, const double[::1] slope,
    double[:, ::1] near, double[:, ::1] bend,
):
    """Sum over the points of the other class that come before (row 0), and after (row 1).

    near[0, r] = sum over j < r of m_j sum_k value[k] e^{-(k+1)(t_r - t_j)}, and bend the same with
    slope, for t (n,) and the classes side (n,), within each of some blocks, which begin at starts
    (G + 1,), and in which t ascends. near and bend have the shape (2, n), value and slope have
    TERMS entries.
    """
    cdef Py_ssize_t g, lo, n
    with nogil:
        for g in range(starts.shape[0] - 1):
            lo, n = starts[g], starts[g + 1] - starts[g]
            if n == 0:
                continue
            aucbench_exponentials(
                n, 0, 1, &t[lo], &mass[lo], &side[lo], &value[0], &slope[0], &near[0, lo],
                &bend[0, lo],
            )
            aucbench_exponentials(
                n, n - 1, -1, &t[lo], &mass[lo], &side[lo], &value[0], &slope[0], &near[1, lo],
                &bend[1, lo],
            )
