"""w = s v, so that w *= c costs O(1), and a weighted sum of the values w has had.

The sum is total + S v - u, where S adds the c s of each value counted since the last fold. A
step v += e x must not change what was counted before it, hence u += e S x: both vectors
change at the stored values of x only. `fold` costs O(d) and goes back to s = 1, S = 0, u = 0;
it is due before s loses digits, so a step that shrinks w by 1 - c folds every 9/c steps.

S v - u loses the digits by which S v exceeds what is counted of v. Each v is counted with an s
of at least 1e-4, hence no more than four go, if whoever adds a long step and then scales it down
folds between the two what was counted before. To scale first and add after is simpler.
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
    """w = v, with the sum `total` of what came before; u holds zeros."""
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
