"""Weighted selection from two classes of values, each with one weight: header only."""

from libc.math cimport INFINITY, nextafter, sqrt
from libc.string cimport memset

cdef extern from "weighted.h" nogil:
    void aucbench_ranked(
        Py_ssize_t m, const double* x, double lo, double hi, Py_ssize_t* number)
    Py_ssize_t aucbench_keep(Py_ssize_t m, const double* x, double lo, double hi, double* out)
    Py_ssize_t aucbench_place(Py_ssize_t i, Py_ssize_t m, Py_ssize_t q)
    void aucbench_sort(int m, double* x, long long* w)

cdef enum:
    SORTED = 128  # up to this number of values, all are sorted
    DRAWN = 1024  # largest number of values drawn to narrow a selection


cdef inline int draw(
    const double** x, const Py_ssize_t* m, const long long* weight, double* value,
    long long* mass, double* error,
) noexcept nogil:
    """Draw sorted values with weights from both classes; error: about 2.5 deviations of a sum."""
    cdef Py_ssize_t total = m[0] + m[1], most, q, i
    cdef int k, size = 0
    error[0] = 0.0
    most = SORTED if total <= SORTED else min(max(total >> 7, 40), DRAWN // 2)
    for k in range(2):
        q = min(m[k], most)
        for i in range(q):
            value[size + i] = x[k][aucbench_place(i, m[k], q)]
            mass[size + i] = weight[k] * m[k] // q
        if q < m[k]:
            error[0] += (<double> weight[k] * m[k]) ** 2 / q
        size += q
    error[0] = 1.25 * sqrt(error[0])
    aucbench_sort(size, value, mass)
    return size


cdef inline double reached(
    int size, const double* value, const long long* mass, double target, double missed
) noexcept nogil:
    """Return the first value, from above, at which the weight reaches target, or `missed`."""
    cdef long long sum = 0
    cdef int i
    for i in range(size):
        sum += mass[i]
        if sum >= target:
            return value[i]
    return missed


cdef inline double weighted(
    const double** x, double** kept, const Py_ssize_t* sizes, const long long* weight,
    long long target, Py_ssize_t* read,
) noexcept nogil:
    """Return the largest value with a weight >= target at or above it, in expected O(n).

    `kept` has room for as many values, and may be x, which is then overwritten. There is at least
    one value, and target >= 1. If no value has that weight, the result is the least one.

    A sample gives two bounds, and one reading of the values says whether it is one of them, as
    it often is with many ties, or where it lies. A second reading keeps the values there, and the
    search goes on among them. `read` becomes the number of values read: about 2.2 n.
    """
    cdef double value[DRAWN]
    cdef long long mass[DRAWN]
    cdef const double* source[2]
    cdef Py_ssize_t m[2]
    cdef Py_ssize_t number[4]
    cdef long long up_to[4]  # weight of x > hi, x >= hi, x > lo, x >= lo
    cdef double error, lo, hi, least
    cdef Py_ssize_t held
    cdef int k, r, size, turn
    read[0] = 0
    for k in range(2):
        source[k], m[k] = x[k], sizes[k]
    for turn in range(1000):
        size = draw(source, m, weight, value, mass, &error)
        held = m[0] + m[1]
        read[0] += size
        least = value[size - 1] if size else 0.0
        if held <= SORTED:
            return reached(size, value, mass, <double> target, least)
        hi = reached(size, value, mass, target - error, least) if target > error else INFINITY
        lo = reached(size, value, mass, target + error, -INFINITY) if error > 0.0 else hi
        memset(up_to, 0, sizeof(up_to))
        read[0] += held
        for k in range(2):
            aucbench_ranked(m[k], source[k], lo, hi, number)
            for r in range(4):
                up_to[r] += weight[k] * number[r]
        if target <= up_to[0]:
            lo, hi = nextafter(hi, INFINITY), INFINITY
        elif target <= up_to[1]:
            return hi
        elif target <= up_to[2]:
            target -= up_to[1]
            lo, hi = nextafter(lo, INFINITY), nextafter(hi, -INFINITY)
        elif target <= up_to[3]:
            return lo
        else:
            target -= up_to[3]
            lo, hi = -INFINITY, nextafter(lo, -INFINITY)
        for k in range(2):
            read[0] += m[k]
            m[k] = aucbench_keep(m[k], source[k], lo, hi, kept[k])
            source[k] = kept[k]
    return lo
