"""Steps that nobody gave: a share of 1 over the largest curvature that a row has had so far.

When a longer row comes, all lengths are measured in a larger unit. Weights that kept their
values would then score in a far larger range than before, as after a first pair of rows that
almost coincide; so they shrink with the unit.
"""

from libc.math cimport fmax, sqrt


cdef inline double widen(double* top, double square) noexcept nogil:
    """top = max(top, square), a squared length; returns by what w shrinks, 1 / length."""
    cdef double old = top[0]
    top[0] = fmax(old, fmax(square, 1e-300))  # so that 1 / top is finite
    return sqrt(old / top[0]) if 0.0 < old < top[0] else 1.0
