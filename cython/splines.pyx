"""Functions with B-spline coefficients at the numbers of a column, written into their features."""


cdef enum:
    MOST = 3  # degree


cdef inline Py_ssize_t span(const double* t, Py_ssize_t lo, Py_ssize_t hi, double u) noexcept nogil:
    """Return the last i in lo..hi-1 with t[i] <= u, or lo."""
    cdef Py_ssize_t middle
    while hi - lo > 1:
        middle = (lo + hi) // 2
        if t[middle] <= u:
            lo = middle
        else:
            hi = middle
    return lo


cdef inline void basis(
    const double* t, Py_ssize_t i, int degree, double u, double* N
) noexcept nogil:
    """The B-splines i - degree, ..., i at u in [t[i], t[i + 1]], by their recursion."""
    cdef double left[MOST + 1]
    cdef double right[MOST + 1]
    cdef double saved, part
    cdef int j, r
    N[0] = 1.0
    for j in range(1, degree + 1):
        left[j] = u - t[i + 1 - j]
        right[j] = t[i + j] - u
        saved = 0.0
        for r in range(j):
            part = N[r] / (right[r + 1] + left[j - r])
            N[r] = saved + right[r + 1] * part
            saved = left[j - r] * part
        N[j] = saved


def curves(
    const double[:] x, double low, double high, const double[::1] knots, int degree,
    const double[:, ::1] C, double[:, :] out,
):
    """out[r, k] = sum_i C[i, k] B_i(u_r), u = (x - low) / (high - low), which is kept in [0, 1].

    The knots ascend from 0 to 1; both ends are there degree + 1 times, and no other one twice. The
    rows of `out` are contiguous. Halves of x, low and high cannot overflow.
    """
    cdef Py_ssize_t r, k, i, q = C.shape[1], last = C.shape[0]
    cdef const double* t = &knots[0]
    cdef const double* row
    cdef double* to
    cdef double N[MOST + 1]
    cdef double u, base = low / 2, width = high / 2 - low / 2, a
    cdef int j
    if not 1 <= degree <= MOST:
        raise ValueError(f"degree is {degree}, from 1 to {MOST} is wanted")
    with nogil:
        for r in range(x.shape[0]):
            u = (x[r] / 2 - base) / width
            u = min(max(u, 0.0), 1.0)
            i = span(t, degree, last, u)
            basis(t, i, degree, u, N)
            to = &out[r, 0]
            row = &C[i - degree, 0]
            a = N[0]
            for k in range(q):
                to[k] = a * row[k]
            for j in range(1, degree + 1):
                row += q
                a = N[j]
                for k in range(q):
                    to[k] += a * row[k]
