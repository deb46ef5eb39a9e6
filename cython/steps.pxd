"""Step sizes: those that fall with the number of rows, and those from the longest row so far.

When a longer row comes, the unit of length grows. If the weights stayed, the scores would be in
a much larger range than before, for example after a first pair of rows that are almost equal. So
the weights shrink with the unit.
"""

from libc.math cimport fmax, sqrt


cdef inline double widen(double* top, double square) noexcept nogil:
    """top = max(top, square), a squared length; return the factor by which w shrinks."""
    cdef double old = top[0]
    top[0] = fmax(old, fmax(square, 1e-300))  # so that 1 / top is finite
    return sqrt(old / top[0]) if 0.0 < old < top[0] else 1.0


cdef inline double capped(double first, double n, double t) noexcept nogil:
    """Return first min(1, sqrt(n / t)), as `aucbench.optim.capped` does."""
    cdef double share = sqrt(n / t)
    return first * (share if share < 1.0 else 1.0)
