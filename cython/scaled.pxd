"""A vector w = s v, so that w *= c costs O(1), and a weighted sum of all past values of w.

The sum is total + S v - u, where S adds up c s for each value counted since the last fold. A step
v += e x must not change values that were counted before, so it also does u += e S x. Both vectors
change only at the stored values of x. `fold` costs O(d) and resets s = 1, S = 0 and u = 0. It
must run before s loses digits: if each step multiplies w by 1 - c, that is every 9/c steps.

S v - u loses digits where S v is larger than what was counted of v. Each v is counted with an s of
at least 1e-4, so at most four digits are lost. There is one exception: a caller that adds a long
step and then scales it down must fold between the two. It is simpler to scale first.
"""

from libc.math cimport fabs
from rows cimport Rows, axpy, axpy2, dot


cdef struct Scaled:
    double* v
    double* u                 # zeros after a fold; NULL when no sum is kept
    double* total
    Py_ssize_t d
    double s
    double S


cdef inline Scaled scaled(double* v, double* u, double* total, Py_ssize_t d) noexcept nogil:
    """Return w = v with the sum `total` of its past values; u holds zeros."""
    return Scaled(v, u, total, d, 1.0, 0.0)


cdef inline void fold(Scaled* w) noexcept nogil:
    cdef Py_ssize_t j
    if w.u != NULL and w.S != 0.0:
        for j in range(w.d):
            w.total[j] += w.S * w.v[j] - w.u[j]
            w.u[j] = 0.0
    if w.s != 1.0:
        for j in range(w.d):
            w.v[j] *= w.s
    w.s, w.S = 1.0, 0.0


cdef inline double score(const Scaled* w, const Rows* X, Py_ssize_t i) noexcept nogil:
    """w . X[i]"""
    return w.s * dot(X, i, w.v)


cdef inline void add(Scaled* w, double c, const Rows* X, Py_ssize_t i) noexcept nogil:
    """w += c X[i]"""
    cdef double e = c * (1.0 / w.s)  # 1 / s does not wait for c
    if w.u == NULL:
        axpy(e, X, i, w.v)
    else:
        axpy2(e, e * w.S, X, i, w.v, w.u)


cdef inline void multiply(Scaled* w, double c) noexcept nogil:
    """w *= c"""
    w.s *= c
    if not 1e-4 < fabs(w.s) < 2.0:
        fold(w)


cdef inline void count(Scaled* w, double c) noexcept nogil:
    """sum += c w"""
    w.S += c * w.s
