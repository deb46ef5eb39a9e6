"""Sums of decision trees: the nodes of all trees are in one list, children after their parents.

Callers check that features, children and roots lie inside; a leaf has a feature below 0.
"""


def scores(
    const double[:, ::1] X,
    const int[::1] feature,
    const double[::1] threshold,
    const int[::1] left,
    const int[::1] right,
    const double[::1] value,
    const int[::1] roots,
    double[::1] out,
):
    """out[i] = the sum over the trees of the value of the leaf of row i, in the order of the roots.

    A row goes left where x <= threshold, and right where x is NaN.
    """
    cdef Py_ssize_t i, t
    cdef int node
    cdef double total
    with nogil:
        for i in range(X.shape[0]):
            total = 0.0
            for t in range(roots.shape[0]):
                node = roots[t]
                while feature[node] >= 0:
                    if X[i, feature[node]] <= threshold[node]:
                        node = left[node]
                    else:
                        node = right[node]
                total += value[node]
            out[i] = total
