"""X_B w, X_B^T r, and both in one reading of X_B: the bulk reads of X.

A block B is rows lo..hi-1, or order[lo..hi-1] when `order` is given. Callers in
aucbench.data and aucbench.objectives check shapes and row numbers.
"""

from libc.math cimport exp
from rows cimport Rows, axpy, dot, first, first_index, view


def scores(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const double[::1] w, double[::1] out,
):
    """out[i - lo] = X[row i of B] . w"""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* row = first_index(order)
    cdef const double* w_ = first(w)
    cdef Py_ssize_t i
    with nogil:
        for i in range(lo, hi):
            out[i - lo] = dot(&X, i if row == NULL else row[i], w_)


def pullback(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const double[::1] r, double[::1] out,
):
    """out += sum over B of r[i - lo] X[row i of B]"""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* row = first_index(order)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t i
    with nogil:
        for i in range(lo, hi):
            axpy(r[i - lo], &X, i if row == NULL else row[i], out_)


cdef inline double affine(double s, int side, const double* slope, const double* shift) noexcept nogil:
    return slope[side] * s + shift[side]


def affine_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const signed char[::1] y,
    const double[::1] w, const double[::1] slope, const double[::1] shift,
    double[::1] out, double[::1] sums,
):
    """out += sum_B c_i x_i, sums[k] += sum of c_i, with c_i = slope[k] (x_i . w) + shift[k],

    k = 0 for a negative and 1 for a positive row. Each row is read from memory once.
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* row = first_index(order)
    cdef const double* w_ = first(w)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t i, j
    cdef int k
    cdef double c
    with nogil:
        for i in range(lo, hi):
            j = i if row == NULL else row[i]
            k = y[j] > 0
            c = affine(dot(&X, j, w_), k, &slope[0], &shift[0])
            axpy(c, &X, j, out_)
            sums[k] += c


def logistic_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, Py_ssize_t lo, Py_ssize_t hi, const signed char[::1] y,
    const double[::1] w, double[::1] out,
):
    """out += sum_B c_i x_i with c_i = -y_i / (1 + exp(y_i x_i . w)), each row read once."""
    cdef Rows X = view(values, columns, starts, d)
    cdef const int* row = first_index(order)
    cdef const double* w_ = first(w)
    cdef double* out_ = <double*> first(out)
    cdef Py_ssize_t i, j
    with nogil:
        for i in range(lo, hi):
            j = i if row == NULL else row[i]
            axpy(-y[j] / (1.0 + exp(y[j] * dot(&X, j, w_))), &X, j, out_)
