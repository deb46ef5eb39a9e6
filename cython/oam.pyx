"""Passes of OAM over rows in a given order.

oam-seq keeps the products u = w . x' of all buffered rows x', and their products among each other.
Then a row x costs its own products with the buffer, p = sum of x_j times column j of the buffer,
and a few additions for each x' that moves w. This loses digits where rows are near each other:
then the rows are read themselves (`one_by_one`), as those of wide data always are.
"""

from libc.math cimport fmax, fmin
from libc.string cimport memcmp, memset
from rows cimport (
    Rows, address, ahead, aucbench_mix, axpy, axpy4, begin, column, dot,
    dot2, dot4, doubles_of, first, first_index, rows_of, square as length, value, width)

cdef extern from "oam.h" nogil:
    void aucbench_columns(
        size_t W, size_t count, const double* x, const int* c, const double* F, double* p)
    Py_ssize_t aucbench_next_loss(
        Py_ssize_t start, Py_ssize_t size, double side, double s, double c, double square,
        const double* u, const double* p)
    Py_ssize_t aucbench_next_near(
        Py_ssize_t start, Py_ssize_t size, double near, double square, const double* squares,
        const double* p)

cdef enum:
    AFRESH = 64               # rows after which u is computed afresh

cdef double NEAR = 1e-3             # rows are near if |x - x'|^2 is below this times |x|^2 + |x'|^2


cdef struct Buffer:
    const Rows* fresh         # rows of this chunk, with numbers 0, 1, 2, ...
    const Rows* kept          # rows of earlier chunks, with numbers -1, -2, ...
    const int* slots
    const double* squares     # |x'|^2
    Py_ssize_t size


cdef inline const Rows* pick(const Buffer* B, Py_ssize_t j, Py_ssize_t* row) noexcept nogil:
    """Return the matrix that holds slot j, and set the row number in it."""
    cdef int number = B.slots[j]
    row[0] = number if number >= 0 else -1 - number
    return B.fresh if number >= 0 else B.kept


cdef struct Both:             # two rows of any layouts, read together column by column
    const Rows* X[2]
    Py_ssize_t i[2]
    Py_ssize_t at[2]
    double x[2]               # their values in this column; 0 where none is stored
    int column


cdef inline Both both(const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row) noexcept nogil:
    return Both([X, Z], [i, row], [begin(X, i), begin(Z, row)], [0.0, 0.0], 0)


cdef inline bint advance(Both* B) noexcept nogil:
    """Go to the next column that one of the rows stores; return False after the last."""
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
            B.x[r] = value(B.X[r], B.at[r])
            B.at[r] += 1
    return True


cdef bint same(const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row) noexcept nogil:
    """Return whether two rows are stored identically, as most equal rows are."""
    cdef Py_ssize_t j = begin(X, i), k = begin(Z, row), size = begin(X, i + 1) - j
    if size != begin(Z, row + 1) - k or (X.columns == NULL) != (Z.columns == NULL):
        return False
    if width(X) != width(Z) or memcmp(address(X, j), address(Z, k), size * width(X)) != 0:
        return False
    return X.columns == NULL or memcmp(X.columns + j, Z.columns + k, size * sizeof(int)) == 0


cdef double near_one(
    const Rows* X, Py_ssize_t i, const Rows* Z, Py_ssize_t row,
    double side, double most, double c, double* w,
) noexcept nogil:
    """w += tau k (x - x'), where c x is still to be added to w; return tau k (x - x') . x.

    x - x' is computed itself, entry by entry.
    """
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
    """w += tau k (x - x') for each slot, one after the other; at first s = w . x.

    During the loop the true w is the stored one plus c x; x is added once, at the end. This, and
    |x - x'|^2 computed from products, lose digits where |x - x'|^2 is much smaller than
    |x|^2 + |x'|^2. Where more than three digits would be lost, x - x' itself is computed.
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
    """Keep the row numbers with k (s - w . x') <= 1; return how many there are."""
    cdef double u[4]
    cdef Py_ssize_t j, r, taken, found = 0
    for j in range(0, count, 4):
        taken = 4 if count - j >= 4 else count - j
        if taken == 4:
            dot4(X, rows + j, rows + min(j + 4, count - 4), w, u)
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
        axpy4(same, X, rows + j, rows + min(j + 4, count - 4), w)
        j += 4
    while j < count:
        axpy(c, X, rows[j], w)
        j += 1


cdef inline void all_at_once(
    const Buffer* B, Py_ssize_t i, double side, double step, Py_ssize_t* rows, double* w
) noexcept nogil:
    """w += step k (x - x') for each slot with k w . (x - x') <= 1, all with the old w.

    `rows` takes row numbers: those of this chunk from the left, of earlier ones from the right.
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


cdef struct Products:         # of both buffers; slot j of class k has the number k W + j
    double* features          # (2, d, W): the values of the buffered rows, 0 in free slots
    double* G                 # (m, m): products of the buffered rows
    double* p                 # (m,): products with x
    double* u                 # (m,): products with w
    double* room              # (d,): zeros, before and after
    Py_ssize_t W              # N rounded up to a multiple of 8
    Py_ssize_t m              # 2 W
    Py_ssize_t d


cdef inline void multiply(const Products* P, int k, const Rows* X, Py_ssize_t i) noexcept nogil:
    """p = products of the buffered rows of class k with x"""
    cdef Py_ssize_t at = begin(X, i), count = begin(X, i + 1) - at
    cdef const double* x = doubles_of(X, i, P.room)
    aucbench_columns(
        P.W, count, x, NULL if X.columns == NULL else X.columns + at,
        P.features + k * P.d * P.W, P.p + k * P.W)
    if x == P.room:
        memset(P.room, 0, count * sizeof(double))


cdef inline void afresh(Products* P, int k, const Buffer* B, const double* w) noexcept nogil:
    """u = products of the buffered rows of class k with w"""
    cdef const Rows* Z
    cdef Py_ssize_t j, row
    for j in range(B.size):
        Z = pick(B, j, &row)
        P.u[k * P.W + j] = dot(Z, row, w)


cdef inline bint apart(
    const Buffer* B, Py_ssize_t i, double square, const double* p
) noexcept nogil:
    """Return whether no buffered row is near x, but for rows that are equal to x."""
    cdef const Rows* Z
    cdef Py_ssize_t row, j = aucbench_next_near(0, B.size, NEAR, square, B.squares, p)
    while j < B.size:
        Z = pick(B, j, &row)
        if not same(B.fresh, i, Z, row):
            return False
        j = aucbench_next_near(j + 1, B.size, NEAR, square, B.squares, p)
    return True


cdef inline void by_products(
    Products* P, int o, const Buffer* B, Py_ssize_t i, double side, double most,
    double square, double s, double* w,
) noexcept nogil:
    """As `one_by_one`, where no row is near x but for equal ones; at first s = w . x."""
    cdef const double* p = P.p + o * P.W
    cdef const double* u = P.u + o * P.W
    cdef const Rows* Z
    cdef double c = 0.0, gap, tau
    cdef Py_ssize_t row, j = aucbench_next_loss(0, B.size, side, s, c, square, u, p)
    while j < B.size:
        gap = square + B.squares[j] - 2.0 * p[j]
        if gap > NEAR * (square + B.squares[j]):
            tau = 1.0 - side * ((s - u[j]) + c * (square - p[j]))
            tau = side * fmin(most, tau / gap)
            Z = pick(B, j, &row)
            axpy(-tau, Z, row, w)
            aucbench_mix(P.m, 1.0, -tau, P.G + (o * P.W + j) * P.m, P.u)
            s -= tau * p[j]
            c += tau
        j = aucbench_next_loss(j + 1, B.size, side, s, c, square, u, p)
    if c != 0.0:
        multiply(P, 1 - o, B.fresh, i)
        aucbench_mix(P.m, 1.0, c, P.p, P.u)
        axpy(c, B.fresh, i, w)


cdef inline void place(
    Products* P, int k, Py_ssize_t slot, const Buffer* B, Py_ssize_t i, const double* w
) noexcept nogil:
    """Put x into a slot of class k, perhaps in place of a row, and compute its products."""
    cdef const Rows* X = B.fresh
    cdef const Rows* Z
    cdef double* at = P.features + k * P.d * P.W + slot
    cdef Py_ssize_t l, row, j = k * P.W + slot
    if slot < B.size:
        Z = pick(B, slot, &row)
        for l in range(begin(Z, row), begin(Z, row + 1)):
            at[column(Z, row, l) * P.W] = 0.0
    for l in range(begin(X, i), begin(X, i + 1)):
        at[column(X, i, l) * P.W] = value(X, l)
    multiply(P, 0, X, i)
    multiply(P, 1, X, i)
    for l in range(P.m):
        P.G[j * P.m + l] = P.G[l * P.m + j] = P.p[l]
    P.u[j] = dot(X, i, w)


cdef inline Py_ssize_t reservoir(
    Py_ssize_t size, long long seen, double chance, double place
) noexcept nogil:
    """Return the slot for row number `seen` of a class, or -1 for none."""
    if seen <= size:
        return seen - 1
    if not chance < size / <double> seen:
        return -1
    return <Py_ssize_t> fmin(fmax(place, 0.0) * size, size - 1)


def oam_pass(chunk, const int[::1] order, memory, const double[:, ::1] uniforms, work):
    """Take a step of OAM for each row of `order`, and sample it into the buffer of its class.

    The attributes of `memory` are those of `aucbench_plugins.online.buffers.Buffers`, and the step
    is `reference_update` of `aucbench_plugins.online.oam`. Where memory.features is (2, 0, W), as
    it must be for `at_once`, the rows themselves are read. uniforms[t] is for row order[t]. work
    is room for products (2, 2 W), and for the numbers of N rows.
    """
    cdef Rows X = rows_of(chunk.rows)
    cdef Rows K = rows_of(memory.kept)
    cdef const signed char[::1] y = chunk.y
    cdef double[::1] w = memory.w, x = memory.zeros
    cdef double[:, ::1] line = work[0]
    cdef Py_ssize_t[::1] rows = work[1]
    cdef int[:, ::1] slots = memory.slots
    cdef long long[::1] seen = memory.seen
    cdef double[:, ::1] squares = memory.squares, products = memory.products
    cdef double[:, :, ::1] features = memory.features
    cdef bint at_once = memory.at_once, known = features.shape[1] > 0
    cdef double C = memory.C, most
    cdef const int* order_ = first_index(order)
    cdef double* w_ = <double*> first(w)
    cdef double* x_ = <double*> first(x)
    cdef Py_ssize_t n = order.shape[0], N = slots.shape[1], W = features.shape[2], t, slot
    cdef Products P = Products(NULL, NULL, NULL, NULL, NULL, W, 2 * W, X.d)
    cdef Buffer B[2]
    cdef double own[2]        # |x|^2 and w . x
    cdef int i, k, o, left = 0, away = 0  # rows until u is computed afresh; until it is used again
    own[0] = own[1] = 0.0
    for k in range(2):
        B[k] = Buffer(&X, &K, &slots[k, 0], &squares[k, 0], 0)
    if known:
        P = Products(
            &features[0, 0, 0], &products[0, 0], &line[0, 0], &line[1, 0], x_, W, 2 * W, X.d)
        memset(&line[0, 0], 0, 2 * P.m * sizeof(double))
    with nogil:
        for t in range(n):
            i = order_[t]
            ahead(&X, order_, t, n)
            k = y[i] > 0
            o = 1 - k
            B[o].size, B[k].size = min(seen[o], N), min(seen[k], N)
            seen[k] += 1
            most = 0.5 * C * fmax(1.0, seen[o] / <double> N)
            away = max(away - 1, 0)
            if known and away == 0:
                if left == 0:
                    left = AFRESH
                    afresh(&P, 0, B, w_)
                    afresh(&P, 1, B + 1, w_)
                left -= 1
                own[0] = length(&X, i)
                own[1] = dot(&X, i, w_)
                multiply(&P, o, &X, i)
                if not apart(B + o, i, own[0], P.p + o * P.W):
                    left, away = 0, AFRESH
            if at_once:
                all_at_once(B + o, i, y[i], most, &rows[0], w_)
            elif known and away == 0:
                by_products(&P, o, B + o, i, y[i], most, own[0], own[1], w_)
            else:
                axpy(1.0, &X, i, x_)
                dot2(&X, i, x_, w_, own)
                one_by_one(B + o, i, y[i], most, x_, own[0], own[1], w_)
                axpy(-1.0, &X, i, x_)
            slot = reservoir(N, seen[k], uniforms[t, 0], uniforms[t, 1])
            if slot >= 0:
                if known:
                    place(&P, k, slot, B + k, i, w_)
                slots[k, slot] = i
                squares[k, slot] = own[0]
