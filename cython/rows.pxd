"""Rows of X, dense (C order) or CSR, behind one small struct.

Header only: a struct and `cdef inline` functions, so that `cimport` leaves no trace at run
time. "Dense or sparse?" is asked in `dot`, `axpy` and their four-row forms, nowhere else.
"""

from scipy.linalg.cython_blas cimport daxpy, ddot

cdef extern from "dense.h" nogil:
    void aucbench_dot4(size_t d, const double** x, const double* w, double* s)
    void aucbench_axpy4(size_t d, const double* c, const double** x, double* out)
    void AUCBENCH_PREFETCH(const void* p)


cdef struct Rows:
    const double* values      # (n * d,) in C order when dense, (nnz,) when CSR
    const int* columns        # (nnz,), NULL when dense
    const int* starts         # (n + 1,), NULL when dense
    int d


cdef inline const double* first(const double[::1] a) noexcept:
    """&a[0], or NULL of an empty array."""
    return &a[0] if a.shape[0] else NULL


cdef inline const int* first_index(const int[::1] a) noexcept:
    """&a[0], or NULL of an empty array or None."""
    if a is None or a.shape[0] == 0:
        return NULL
    return &a[0]


cdef inline Rows view(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d
) noexcept:
    return Rows(first(values), first_index(columns), first_index(starts), d)


cdef inline void prefetch(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Ask for the start of a CSR row early: rows of a random block defeat the prefetcher."""
    cdef Py_ssize_t at
    if X.starts != NULL:
        at = X.starts[i]
        AUCBENCH_PREFETCH(X.values + at)
        AUCBENCH_PREFETCH(X.values + at + 8)
        AUCBENCH_PREFETCH(X.columns + at)


cdef inline double dot(const Rows* X, Py_ssize_t i, const double* w) noexcept nogil:
    """X[i] . w"""
    cdef Py_ssize_t j
    cdef int one = 1
    cdef int d = X.d
    cdef double s = 0.0
    if X.starts == NULL:
        return ddot(&d, <double*> (X.values + i * X.d), &one, <double*> w, &one)
    for j in range(X.starts[i], X.starts[i + 1]):
        s += X.values[j] * w[X.columns[j]]
    return s


cdef inline void axpy(double a, const Rows* X, Py_ssize_t i, double* out) noexcept nogil:
    """out += a X[i]"""
    cdef Py_ssize_t j
    cdef int one = 1
    cdef int d = X.d
    if X.starts == NULL:
        daxpy(&d, &a, <double*> (X.values + i * X.d), &one, out, &one)
        return
    for j in range(X.starts[i], X.starts[i + 1]):
        out[X.columns[j]] += a * X.values[j]


cdef inline void dot4(
    const Rows* X, const Py_ssize_t* i, const double* w, double* s
) noexcept nogil:
    """s[r] = X[i[r]] . w, r = 0..3"""
    cdef const double* x[4]
    cdef int r
    if X.starts == NULL:
        for r in range(4):
            x[r] = X.values + i[r] * X.d
        aucbench_dot4(X.d, x, w, s)
        return
    for r in range(4):
        s[r] = dot(X, i[r], w)


cdef inline void axpy4(
    const double* c, const Rows* X, const Py_ssize_t* i, double* out
) noexcept nogil:
    """out += sum of c[r] X[i[r]], r = 0..3"""
    cdef const double* x[4]
    cdef int r
    if X.starts == NULL:
        for r in range(4):
            x[r] = X.values + i[r] * X.d
        aucbench_axpy4(X.d, c, x, out)
        return
    for r in range(4):
        axpy(c[r], X, i[r], out)
