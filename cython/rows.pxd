"""Rows of X, dense (C order) or CSR, of doubles or floats, in one small struct.

Header only: a struct and `cdef inline` functions, so `cimport` needs no module at run time. The
questions "dense or sparse?" and "float64 or float32?" are asked in this file, and in no kernel.
Values are converted to double when they are read; everything is computed in double.
"""

from scipy.linalg.cython_blas cimport daxpy, ddot

cdef extern from "dense.h" nogil:
    void aucbench_dot4(
        size_t d, const double** x, const double** next, const double* w, double* s)
    void aucbench_axpy4(
        size_t d, const double* c, const double** x, const double** next, double* out)
    void aucbench_dot2(size_t d, const double* x, const double* u, const double* w, double* s)
    void aucbench_axpy2(size_t d, double a, double b, const double* x, double* u, double* w)
    void aucbench_dot4_f(
        size_t d, const float** x, const float** next, const double* w, double* s)
    void aucbench_axpy4_f(
        size_t d, const double* c, const float** x, const float** next, double* out)
    void aucbench_dot2_f(size_t d, const float* x, const double* u, const double* w, double* s)
    void aucbench_axpy2_f(size_t d, double a, double b, const float* x, double* u, double* w)
    double aucbench_dot_f(size_t d, const float* x, const double* w)
    void aucbench_axpy_f(size_t d, double a, const float* x, double* out)
    double aucbench_inner(size_t W, const double* x, const double* y)
    void aucbench_mix(size_t W, double b, double c, const double* x, double* y)
    void AUCBENCH_PREFETCH(const void* p)


ctypedef fused number:
    float
    double


cdef struct Rows:
    const double* values      # (n * d,) in C order when dense, (nnz,) when CSR; NULL for floats
    const int* columns        # (nnz,), NULL when dense
    const int* starts         # (n + 1,), NULL when dense
    int d
    const float* singles      # the values where they are stored as floats, else NULL


cdef inline const double* first(const double[::1] a) noexcept:
    """Return &a[0], or NULL for an empty array."""
    return &a[0] if a.shape[0] else NULL


cdef inline const int* first_index(const int[::1] a) noexcept:
    """Return &a[0], or NULL for an empty array or None."""
    if a is None or a.shape[0] == 0:
        return NULL
    return &a[0]


cdef inline Rows view(
    values, const int[::1] columns, const int[::1] starts, int d
) except *:
    """The rows of arrays that the caller keeps; values are float64 or float32."""
    cdef const double[::1] doubles
    cdef const float[::1] singles
    cdef Rows X = Rows(NULL, first_index(columns), first_index(starts), d, NULL)
    if values.itemsize == sizeof(float):
        singles = values
        X.singles = &singles[0] if singles.shape[0] else NULL
    else:
        doubles = values
        X.values = first(doubles)
    return X


cdef inline Rows rows_of(rows) except *:
    """The rows of an `aucbench.data.arrays.Rows`, which the caller keeps."""
    values, columns, starts, d = rows.stored_arrays
    return view(values, columns, starts, d)


cdef inline const char* address(const Rows* X, Py_ssize_t j) noexcept nogil:
    """Where the stored value j is in memory."""
    if X.singles != NULL:
        return <const char*> (X.singles + j)
    return <const char*> (X.values + j)


cdef inline Py_ssize_t width(const Rows* X) noexcept nogil:
    """Bytes of a stored value."""
    return sizeof(float) if X.singles != NULL else sizeof(double)


cdef inline void prefetch(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Load both ends of a CSR row early; the hardware cannot predict a random order.

    Rows of up to 16 values are loaded whole. In longer ones the hardware finds the way.
    """
    cdef Py_ssize_t at, end
    if X.starts != NULL:
        at, end = X.starts[i], X.starts[i + 1]
        AUCBENCH_PREFETCH(address(X, at))
        AUCBENCH_PREFETCH(address(X, at) + 64)
        AUCBENCH_PREFETCH(address(X, end) - 1)
        AUCBENCH_PREFETCH(X.columns + at)
        AUCBENCH_PREFETCH(X.columns + end - 1)


cdef inline void ahead(const Rows* X, const int* order, Py_ssize_t t, Py_ssize_t n) noexcept nogil:
    """At row t of n, load rows early that come later in a random order.

    For CSR this is the start of the row eight rows ahead, about the time of one memory access.
    For dense rows it is the whole next row, unless it is next in memory, where the hardware
    loads it.
    """
    cdef const char* row
    cdef Py_ssize_t j
    if X.starts != NULL:
        if t + 8 < n:
            prefetch(X, order[t + 8])
    elif t + 1 < n and order[t + 1] != order[t] + 1:
        row = address(X, begin(X, order[t + 1]))
        for j in range(0, X.d * width(X), 64):
            AUCBENCH_PREFETCH(row + j)


cdef inline Py_ssize_t begin(const Rows* X, Py_ssize_t i) noexcept nogil:
    """Return the place of the first value of row i; it ends where row i + 1 begins."""
    return i * <Py_ssize_t> X.d if X.starts == NULL else X.starts[i]


cdef inline int column(const Rows* X, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return the column of the stored value j of row i."""
    return <int> (j - i * X.d) if X.columns == NULL else X.columns[j]


cdef inline double value(const Rows* X, Py_ssize_t j) noexcept nogil:
    """Return the stored value j."""
    return <double> X.singles[j] if X.singles != NULL else X.values[j]


cdef inline const double* doubles_of(const Rows* X, Py_ssize_t i, double* room) noexcept nogil:
    """Return the stored values of row i as doubles; floats are converted into `room`."""
    cdef Py_ssize_t j, at = begin(X, i)
    if X.singles == NULL:
        return X.values + at
    for j in range(begin(X, i + 1) - at):
        room[j] = X.singles[at + j]
    return room


cdef inline const double* dense_row(const Rows* X, Py_ssize_t i, double* room) noexcept nogil:
    """Return `doubles_of` dense row i, for loops in C that become SIMD; NULL for CSR."""
    return doubles_of(X, i, room) if X.starts == NULL else NULL


cdef inline double square_of(const number* x, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t j
    cdef double s = 0.0
    for j in range(count):
        s += <double> x[j] * <double> x[j]
    return s


cdef inline double square(const Rows* X, Py_ssize_t i) noexcept nogil:
    """|X[i]|^2"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    if X.singles != NULL:
        return square_of(X.singles + at, count)
    return square_of(X.values + at, count)


cdef inline double sparse_dot(
    const number* x, const int* columns, Py_ssize_t count, const double* w
) noexcept nogil:
    cdef Py_ssize_t j = 0
    cdef double s = 0.0, r = 0.0  # two sums: each addition waits for the last one
    while j + 1 < count:
        s += x[j] * w[columns[j]]
        r += x[j + 1] * w[columns[j + 1]]
        j += 2
    if j < count:
        s += x[j] * w[columns[j]]
    return s + r


cdef inline double dot(const Rows* X, Py_ssize_t i, const double* w) noexcept nogil:
    """X[i] . w"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    cdef int one = 1
    cdef int d = X.d
    if X.singles != NULL:
        if X.starts == NULL:
            return aucbench_dot_f(d, X.singles + at, w)
        return sparse_dot(X.singles + at, X.columns + at, count, w)
    if X.starts == NULL:
        return ddot(&d, <double*> (X.values + at), &one, <double*> w, &one)
    return sparse_dot(X.values + at, X.columns + at, count, w)


cdef inline void sparse_axpy(
    double a, const number* x, const int* columns, Py_ssize_t count, double* out
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(count):
        out[columns[j]] += a * x[j]


cdef inline void axpy(double a, const Rows* X, Py_ssize_t i, double* out) noexcept nogil:
    """out += a X[i]"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    cdef int one = 1
    cdef int d = X.d
    if X.singles != NULL:
        if X.starts == NULL:
            aucbench_axpy_f(d, a, X.singles + at, out)
        else:
            sparse_axpy(a, X.singles + at, X.columns + at, count, out)
    elif X.starts == NULL:
        daxpy(&d, &a, <double*> (X.values + at), &one, out, &one)
    else:
        sparse_axpy(a, X.values + at, X.columns + at, count, out)


cdef inline void sparse_dot2(
    const number* x, const int* columns, Py_ssize_t count, const double* u, const double* w,
    double* s
) noexcept nogil:
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0
    for j in range(count):
        a += x[j] * u[columns[j]]
        b += x[j] * w[columns[j]]
    s[0], s[1] = a, b


cdef inline void dot2(
    const Rows* X, Py_ssize_t i, const double* u, const double* w, double* s
) noexcept nogil:
    """s[0] = X[i] . u and s[1] = X[i] . w, in one reading of the row"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    if X.singles != NULL:
        if X.starts == NULL:
            aucbench_dot2_f(X.d, X.singles + at, u, w, s)
        else:
            sparse_dot2(X.singles + at, X.columns + at, count, u, w, s)
    elif X.starts == NULL:
        aucbench_dot2(X.d, X.values + at, u, w, s)
    else:
        sparse_dot2(X.values + at, X.columns + at, count, u, w, s)


cdef inline void sparse_axpy2(
    double a, double b, const number* x, const int* columns, Py_ssize_t count, double* u, double* w
) noexcept nogil:
    cdef Py_ssize_t j
    cdef int c
    for j in range(count):
        c = columns[j]
        u[c] += a * x[j]
        w[c] += b * x[j]


cdef inline void axpy2(
    double a, double b, const Rows* X, Py_ssize_t i, double* u, double* w
) noexcept nogil:
    """u += a X[i] and w += b X[i], in one reading of the row; u and w do not overlap"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    if X.singles != NULL:
        if X.starts == NULL:
            aucbench_axpy2_f(X.d, a, b, X.singles + at, u, w)
        else:
            sparse_axpy2(a, b, X.singles + at, X.columns + at, count, u, w)
    elif X.starts == NULL:
        aucbench_axpy2(X.d, a, b, X.values + at, u, w)
    else:
        sparse_axpy2(a, b, X.values + at, X.columns + at, count, u, w)


cdef inline void four(
    const number* values, int d, const Py_ssize_t* i, const number** x
) noexcept nogil:
    cdef int r
    for r in range(4):
        x[r] = values + i[r] * d


cdef inline void dot4(
    const Rows* X, const Py_ssize_t* i, const Py_ssize_t* next, const double* w, double* s
) noexcept nogil:
    """s[r] = X[i[r]] . w, r = 0..3; dense rows next[0..3] are loaded meanwhile."""
    cdef const double* x[2][4]
    cdef const float* z[2][4]
    cdef int r
    if X.starts != NULL:
        for r in range(4):
            s[r] = dot(X, i[r], w)
    elif X.singles != NULL:
        four(X.singles, X.d, i, z[0])
        four(X.singles, X.d, next, z[1])
        aucbench_dot4_f(X.d, z[0], z[1], w, s)
    else:
        four(X.values, X.d, i, x[0])
        four(X.values, X.d, next, x[1])
        aucbench_dot4(X.d, x[0], x[1], w, s)


cdef inline void axpy4(
    const double* c, const Rows* X, const Py_ssize_t* i, const Py_ssize_t* next, double* out
) noexcept nogil:
    """out += sum of c[r] X[i[r]], r = 0..3; dense rows next[0..3] are loaded meanwhile."""
    cdef const double* x[2][4]
    cdef const float* z[2][4]
    cdef int r
    if X.starts != NULL:
        for r in range(4):
            axpy(c[r], X, i[r], out)
    elif X.singles != NULL:
        four(X.singles, X.d, i, z[0])
        four(X.singles, X.d, next, z[1])
        aucbench_axpy4_f(X.d, c, z[0], z[1], out)
    else:
        four(X.values, X.d, i, x[0])
        four(X.values, X.d, next, x[1])
        aucbench_axpy4(X.d, c, x[0], x[1], out)
