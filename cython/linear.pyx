"""X_B w, X_B^T r, and both in one reading of X_B.

A block B is the rows lo..hi-1, or the rows order[lo..hi-1] if `order` is given. Callers in
aucbench.data and aucbench.objectives check shapes and row numbers. Rows are read four at a time
(see dense.h).
"""

from libc.math cimport exp
from rows cimport Rows, axpy, axpy4, dot, dot4, first, first_index, prefetch, square, view


cdef enum:
    AHEAD = 16  # rows between a prefetch and its use: about the time of one memory access


cdef inline Py_ssize_t pick(const int* order, Py_ssize_t i) noexcept nogil:
    """Row number of the i-th row of the block."""
    return i if order == NULL else order[i]


cdef inline int gather(
    const Rows* X, const int* order, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t* rows
) noexcept nogil:
    """Find the next rows of the block, at most four; return how many there are.

    Rows that come later are loaded early: rows[4..7] are those after the next dense rows; CSR rows
    are AHEAD places away. In place of dense rows that do not exist stands the last one of the
    block.
    """
    cdef int count = 4 if hi - lo >= 4 else <int> (hi - lo)
    cdef int r
    for r in range(count):
        rows[r] = pick(order, lo + r)
    if X.starts == NULL:
        for r in range(count, 4):
            rows[r] = rows[count - 1]
        for r in range(4, 8):
            rows[r] = pick(order, min(lo + r, hi - 1))
    elif order != NULL:
        for r in range(count):
            if lo + r + AHEAD < hi:
                prefetch(X, order[lo + r + AHEAD])
    return count


cdef inline void dots(
    const Rows* X, const Py_ssize_t* rows, int count, const double* w, double* s
) noexcept nogil:
    """s[r] = X[rows[r]] . w, with all sums in one order, so that equal rows have equal ones."""
    cdef double t[4]
    cdef int r
    if count == 4:
        dot4(X, rows, rows + 4, w, s)
        return
    if X.starts == NULL:
        dot4(X, rows, rows + 4, w, t)
    for r in range(count):
        s[r] = t[r] if X.starts == NULL else dot(X, rows[r], w)


cdef inline void axpys(
    const double* c, const Rows* X, const Py_ssize_t* rows, int count, double* out
) noexcept nogil:
    cdef int r
    if count == 4:
        axpy4(c, X, rows, rows + 4, out)
        return
    for r in range(count):
        axpy(c[r], X, rows[r], out)


def scores(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const double[::1] w, double[::1] out,
):
    """out[i - lo] = X[row i of B] . w"""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* order_ = first_index(order)
    cdef const double* w_ = first(w)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t rows[8]
    cdef Py_ssize_t i
    with nogil:
        for i in range(lo, hi, 4):
            dots(&X, rows, gather(&X, order_, i, hi, rows), w_, out_ + (i - lo))


def pullback(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const double[::1] r, double[::1] out,
):
    """out += sum over B of r[i - lo] X[row i of B]"""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* order_ = first_index(order)
    cdef const double* r_ = first(r)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t rows[8]
    cdef Py_ssize_t i
    with nogil:
        for i in range(lo, hi, 4):
            axpys(r_ + (i - lo), &X, rows, gather(&X, order_, i, hi, rows), out_)


def square_norms(
    values, const int[::1] columns, const int[::1] starts, int d,
    Py_ssize_t n, double[::1] out,
):
    """out[i] = |X[i]|^2"""
    cdef Rows X = view(values, columns, starts, d)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t i
    with nogil:
        for i in range(n):
            out_[i] = square(&X, i)


def affine_pass(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const signed char[::1] y,
    const double[::1] w, const double[::1] slope, const double[::1] shift,
    double[::1] out, double[::1] sums,
):
    """out += sum over B of c_i x_i, and sums[k] += c_i, with c_i = slope[k] (x_i . w) + shift[k].

    k is 0 for a negative row and 1 for a positive row. Each row is read from memory once.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* order_ = first_index(order)
    cdef const double* w_ = first(w)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t rows[8]
    cdef double c[4]
    cdef Py_ssize_t i
    cdef int count, r, k
    with nogil:
        for i in range(lo, hi, 4):
            count = gather(&X, order_, i, hi, rows)
            dots(&X, rows, count, w_, c)
            for r in range(count):
                k = y[rows[r]] > 0
                c[r] = slope[k] * c[r] + shift[k]
                sums[k] += c[r]
            axpys(c, &X, rows, count, out_)


def margin_pass(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const signed char[::1] y,
    const double[::1] w, const double[::1] weight, bint logistic, double[::1] out,
    double shift=0.0,
):
    """out += sum over B of c_i x_i, c_i = -y_i weight[k] g(y_i (x_i . w + shift)); return sum c_i.

    k is 0 for a negative row and 1 for a positive row. -g is the derivative of the loss of a
    margin m: g = 1 / (1 + exp(m)) for the logistic loss, exp(-m) for the exponential loss. Each
    row is read from memory once.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* order_ = first_index(order)
    cdef const double* w_ = first(w)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t rows[8]
    cdef double c[4]
    cdef Py_ssize_t i
    cdef double m, total = 0.0
    cdef int count, r, side
    with nogil:
        for i in range(lo, hi, 4):
            count = gather(&X, order_, i, hi, rows)
            dots(&X, rows, count, w_, c)
            for r in range(count):
                side = y[rows[r]]
                m = side * (c[r] + shift)
                c[r] = -side * weight[side > 0]
                c[r] *= 1.0 / (1.0 + exp(m)) if logistic else exp(-m)
                total += c[r]
            axpys(c, &X, rows, count, out_)
    return total
