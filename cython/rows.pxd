"""Rows of X, dense (C order) or CSR, in one small struct.

Header only: a struct and `cdef inline` functions, so `cimport` needs no module at run time. The
question "dense or sparse?" is asked in this file, and in no kernel.
"""

from scipy.linalg.cython_blas cimport daxpy, ddot

cdef extern from "dense.h" nogil:
    void aucbench_dot4(size_t d, const double** x, const double* w, double* s)
    void aucbench_axpy4(size_t d, const double* c, const double** x, double* out)
    void aucbench_dot2(size_t d, const double* x, const double* u, const double* w, double* s)
    void aucbench_axpy2(size_t d, double a, double b, const double* x, double* u, double* w)
    double aucbench_inner(size_t W, const double* x, const double* y)
    void aucbench_mix(size_t W, double b, double c, const double* x, double* y)
    void AUCBENCH_PREFETCH(const void* p)


cdef struct Rows:
    const double* values      # (n * d,) in C order when dense, (nnz,) when CSR
    const int* columns        # (nnz,), NULL when dense
    const int* starts         # (n + 1,), NULL when dense
    int d


cdef inline const double* first(const double[::1] a) noexcept:
    """Return &a[0], or NULL for an empty array."""
    return &a[0] if a.shape[0] else NULL


cdef inline const int* first_index(const int[::1] a) noexcept:
    """Return &a[0], or NULL for an empty array or None."""
    if a is None or a.shape[0] == 0:
        return NULL
    return &a[0]


cdef inline Rows view(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d
) noexcept:
    return Rows(first(values), first_index(columns), first_index(starts), d)


cdef inline void prefetch(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Load the start of a CSR row early; the hardware cannot predict a random order."""
    cdef Py_ssize_t at
    if X.starts != NULL:
        at = X.starts[i]
        AUCBENCH_PREFETCH(X.values + at)
        AUCBENCH_PREFETCH(X.values + at + 8)
        AUCBENCH_PREFETCH(X.columns + at)


cdef inline void ahead(const Rows* X, const int* order, Py_ssize_t t, Py_ssize_t n) noexcept nogil:
    """At row t of n, load rows early that come later in a random order.

    For CSR this is the start of the row eight rows ahead, about the time of one memory access.
    For dense rows it is the whole next row, unless it is next in memory, where the hardware
    loads it.
    """
    cdef Py_ssize_t j
    if X.starts != NULL:
        if t + 8 < n:
            prefetch(X, order[t + 8])
    elif t + 1 < n and order[t + 1] != order[t] + 1:
        for j in range(begin(X, order[t + 1]), begin(X, order[t + 1] + 1), 8):
            AUCBENCH_PREFETCH(X.values + j)


cdef inline const double* dense_row(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Return the d values of dense row i, for loops in C that become SIMD; NULL for CSR."""
    return X.values + i * X.d if X.starts == NULL else NULL


cdef inline Py_ssize_t begin(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Return where row i begins in X.values; it ends where row i + 1 begins."""
    return i * <Py_ssize_t> X.d if X.starts == NULL else X.starts[i]


cdef inline int column(const Rows* X, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the column of the stored value j of row i."""
    return <int> (j - i * X.d) if X.columns == NULL else X.columns[j]


cdef inline double square(const Rows* X, Py_ssize_t i) noexcept nogil:
    """|X[i]|^2"""
    cdef Py_ssize_t j
    cdef double s = 0.0
    for j in range(begin(X, i), begin(X, i + 1)):
        s += X.values[j] * X.values[j]
    return s


cdef inline double dot(const Rows* X, Py_ssize_t i, const double* w) noexcept nogil:
    """X[i] . w"""
    cdef Py_ssize_t j, end
    cdef int one = 1
    cdef int d = X.d
    cdef double s = 0.0, r = 0.0  # two sums: each addition waits for the last one
    if X.starts == NULL:
        return ddot(&d, <double*> (X.values + i * X.d), &one, <double*> w, &one)
    j, end = X.starts[i], X.starts[i + 1]
    while j + 1 < end:
        s += X.values[j] * w[X.columns[j]]
        r += X.values[j + 1] * w[X.columns[j + 1]]
        j += 2
    if j < end:
        s += X.values[j] * w[X.columns[j]]
    return s + r


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


cdef inline void dot2(
    const Rows* X, Py_ssize_t i, const double* u, const double* w, double* s
) noexcept nogil:
    """s[0] = X[i] . u and s[1] = X[i] . w, in one reading of the row"""
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0
    if X.starts == NULL:
        aucbench_dot2(X.d, X.values + i * X.d, u, w, s)
        return
    for j in range(X.starts[i], X.starts[i + 1]):
        a += X.values[j] * u[X.columns[j]]
        b += X.values[j] * w[X.columns[j]]
    s[0], s[1] = a, b


cdef inline void axpy2(
    double a, double b, const Rows* X, Py_ssize_t i, double* u, double* w
) noexcept nogil:
    """u += a X[i] and w += b X[i], in one reading of the row; u and w do not overlap"""
    cdef Py_ssize_t j
    cdef int c
    if X.starts == NULL:
        aucbench_axpy2(X.d, a, b, X.values + i * X.d, u, w)
        return
    for j in range(X.starts[i], X.starts[i + 1]):
        c = X.columns[j]
        u[c] += a * X.values[j]
        w[c] += b * X.values[j]


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
