"""Passes of OAM over rows in a given order."""

from libc.math cimport fmax, fmin
from libc.string cimport memcmp
from rows cimport (
    Rows, ahead, axpy, axpy4, begin, column, dot, dot2, dot4, first, first_index, view)

cdef double NEAR = 1e-3             # of |x|^2 + |x'|^2: rows that are near each other


cdef struct Buffer:
    const Rows* fresh         # rows of this chunk: numbers from 0 on
    const Rows* kept          # rows of earlier chunks: numbers from -1 downwards
    const int* slots
    const double* squares     # |x'|^2
    Py_ssize_t size


cdef inline const Rows* pick(const Buffer* B, Py_ssize_t j, Py_ssize_t* row) noexcept nogil:
    """The rows in which slot j lies, and where."""
    cdef int number = B.slots[j]
    row[0] = number if number >= 0 else -1 - number
    return B.fresh if number >= 0 else B.kept


cdef struct Both:             # two rows, column by column, whatever their layouts
    const Rows* X[2]
    Py_ssize_t i[2]
    Py_ssize_t at[2]
    double x[2]               # their values in this column, of which one may not be stored
    int column


cdef inline Both both(const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row) noexcept nogil:
    return Both([X, Z], [i, row], [begin(X, i), begin(Z, row)], [0.0, 0.0], 0)


cdef inline bint advance(Both* B) noexcept nogil:
    """Go to the next column that one of the rows stores; False behind the last."""
    cdef int next[2]
    cdef int r, d = B.X[0].d
    for r in range(2):
        next[r] = d
        if B.at[r] < begin(B.X[r], B.i[r] + 1):
            next[r] = column(B.X[r], B.i[r], B.at[r])
    B.column = min(next[0], next[1])
    if B.column == d:
        return False
    for r in range(2):
        B.x[r] = 0.0
        if next[r] == B.column:
            B.x[r] = B.X[r].values[B.at[r]]
            B.at[r] += 1
    return True


cdef bint same(const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row) noexcept nogil:
    """Whether two rows of one layout are stored alike: most rows that are equal."""
    cdef Py_ssize_t j = begin(X, i), k = begin(Z, row), size = begin(X, i + 1) - j
    if size != begin(Z, row + 1) - k or (X.columns == NULL) != (Z.columns == NULL):
        return False
    if memcmp(X.values + j, Z.values + k, size * sizeof(double)) != 0:
        return False
    return X.columns == NULL or memcmp(X.columns + j, Z.columns + k, size * sizeof(int)) == 0


cdef double near_one(
    const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row,
    double side, double most, double c, double* w,
) noexcept nogil:
    """w += tau k (x - x') by the difference itself, where w is short of c x; tau k (x - x') . x"""
    cdef Both rows = both(X, i, Z, row), again = rows
    cdef double gap, tau, square = 0.0, at_x = 0.0, at_w = 0.0
    while advance(&rows):
        gap = rows.x[0] - rows.x[1]
        square += gap * gap
        at_x += gap * rows.x[0]
        at_w += gap * w[rows.column]
    tau = 1.0 - side * (at_w + c * at_x)
    if not (tau > 0.0 and square > 0.0):
        return 0.0
    tau = side * fmin(most, tau / square)
    while advance(&again):
        w[again.column] += tau * (again.x[0] - again.x[1])
    return tau * at_x


cdef inline void one_by_one(
    const Buffer* B, Py_ssize_t i, double side, double most,
    const double* x, double square, double s, double* w,
) noexcept nogil:
    """w += tau k (x - x') for each slot, w changing along the buffer; s = w . x at first.

    Meanwhile w = (what is stored) + c x: x is added once, at the end. That and the expanded
    |x - x'|^2 lose as many digits as it is smaller than |x|^2 + |x'|^2. Where more than three
    would go the difference itself is multiplied and added.
    """
    cdef const Rows* Z
    cdef double pair[2]
    cdef double c = 0.0, loss, gap, tau
    cdef Py_ssize_t j, row
    for j in range(B.size):
        Z = pick(B, j, &row)
        dot2(Z, row, x, w, pair)
        gap = square + B.squares[j] - 2.0 * pair[0]
        loss = 1.0 - side * ((s - pair[1]) + c * (square - pair[0]))
        if gap <= NEAR * (square + B.squares[j]):
            if not same(B.fresh, i, Z, row):
                s += near_one(B.fresh, i, Z, row, side, most, c, w)
        elif loss > 0.0:
            tau = side * fmin(most, loss / gap)
            axpy(-tau, Z, row, w)
            s -= tau * pair[0]
            c += tau
    axpy(c, B.fresh, i, w)


cdef inline Py_ssize_t close(
    const Rows* X, Py_ssize_t* rows, Py_ssize_t count, double side, double s, const double* w
) noexcept nogil:
    """Keep of the row numbers those with k (s - w . x') <= 1; how many there are."""
    cdef double u[4]
    cdef Py_ssize_t j, r, taken, found = 0
    for j in range(0, count, 4):
        taken = 4 if count - j >= 4 else count - j
        if taken == 4:
            dot4(X, rows + j, w, u)
        else:
            for r in range(taken):
                u[r] = dot(X, rows[j + r], w)
        for r in range(taken):
            if side * (s - u[r]) <= 1.0:
                rows[found] = rows[j + r]
                found += 1
    return found


cdef inline void spread(
    double c, const Rows* X, const Py_ssize_t* rows, Py_ssize_t count, double* w
) noexcept nogil:
    """w += c times the sum of the rows"""
    cdef double same[4]
    cdef Py_ssize_t j = 0
    same[0] = same[1] = same[2] = same[3] = c
    while j + 4 <= count:
        axpy4(same, X, rows + j, w)
        j += 4
    while j < count:
        axpy(c, X, rows[j], w)
        j += 1


cdef inline void all_at_once(
    const Buffer* B, Py_ssize_t i, double side, double step, Py_ssize_t* rows, double* w
) noexcept nogil:
    """w += step k (x - x') for each slot with k w . (x - x') <= 1, all at the old w.

    `rows` takes the row numbers: of this chunk from the left, of earlier ones from the right.
    """
    cdef double s = dot(B.fresh, i, w), c = step * side
    cdef Py_ssize_t j, row, left = 0, right = B.size, old
    for j in range(B.size):
        if pick(B, j, &row) == B.fresh:
            rows[left] = row
            left += 1
        else:
            right -= 1
            rows[right] = row
    left = close(B.fresh, rows, left, side, s, w)
    old = close(B.kept, rows + right, B.size - right, side, s, w)
    spread(-c, B.fresh, rows, left, w)
    spread(-c, B.kept, rows + right, old, w)
    axpy(c * (left + old), B.fresh, i, w)


cdef inline Py_ssize_t reservoir(
    Py_ssize_t size, long long seen, double chance, double place
) noexcept nogil:
    """Slot that the seen-th row of a class enters, or -1."""
    if seen <= size:
        return seen - 1
    if not chance < size / <double> seen:
        return -1
    return <Py_ssize_t> fmin(fmax(place, 0.0) * size, size - 1)


def oam_pass(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d,
    const double[::1] kept_values, const int[::1] kept_columns, const int[::1] kept_starts,
    const int[::1] order, const signed char[::1] y, const double[:, ::1] uniforms,
    double C, bint at_once, double[::1] w, double[::1] x, Py_ssize_t[::1] rows,
    int[:, ::1] slots, double[:, ::1] squares, long long[::1] seen,
):
    """Update w by each row against the buffered rows of the other class, then buffer the row.

    slots, squares (2, N) and seen (2,) have a line for the negatives and one for the
    positives; x (d,) holds zeros, before and after; rows (N,) is scratch. A step reads the
    whole buffer of the other class: O(N times the stored values of a row).
    """
    cdef Rows X = view(values, columns, starts, d)
    cdef Rows K = view(kept_values, kept_columns, kept_starts, d)
    cdef const int* order_ = first_index(order)
    cdef double* w_ = <double*> first(w)
    cdef double* x_ = <double*> first(x)
    cdef Py_ssize_t n = order.shape[0], N = slots.shape[1], t, slot
    cdef Buffer B
    cdef double own[2]        # |x|^2 and w . x
    cdef double most
    cdef int i, k
    own[0] = own[1] = 0.0
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            k = y[i] > 0
            seen[k] += 1
            B = Buffer(&X, &K, &slots[1 - k, 0], &squares[1 - k, 0], min(seen[1 - k], N))
            most = 0.5 * C * fmax(1.0, seen[1 - k] / <double> N)
            if at_once:
                all_at_once(&B, i, y[i], most, &rows[0], w_)
            else:
                axpy(1.0, &X, i, x_)
                dot2(&X, i, x_, w_, own)
                one_by_one(&B, i, y[i], most, x_, own[0], own[1], w_)
                axpy(-1.0, &X, i, x_)
            slot = reservoir(N, seen[k], uniforms[t, 0], uniforms[t, 1])
            if slot >= 0:
                slots[k, slot] = i
                squares[k, slot] = own[0]
