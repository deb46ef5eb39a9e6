"""One reading of a piece: scores in bins, and what rows add up to, by bin and class.

A piece is rows in C order, CSR rows, or columns. It is read in tiles of rows, which stay in the
cache. Callers in aucbench.scale check shapes.
"""

from libc.stdint cimport int64_t, uintptr_t
from rows cimport Rows, axpy, dot, view

cdef extern from "bins.h" nogil:
    void aucbench_tile_of_columns(
        const void* const* x, const unsigned char* single, size_t at, size_t m, size_t d,
        const double* c, const double* w, double* t, double* s)
    void aucbench_tile_of_rows(
        const float* f, const double* x, size_t m, size_t d, const double* c, const double* w,
        double* t, double* s)
    void aucbench_add_to_bins(size_t m, size_t d, const int* q, const double* t, double* sums)
    void aucbench_add_weighted(
        size_t m, size_t d, const double* a, const double* t, double* tile, double* out)
    void aucbench_add_moments(
        size_t m, size_t d, const signed char* y, const double* t, double* tile, double* sums,
        double* squares, double* low, double* high)


cdef struct Source:
    Rows rows                      # where there are no columns
    const void* const* columns     # (d,), or NULL
    const unsigned char* single    # (d,), which columns hold floats
    const double* centre           # (d,); not read for CSR rows
    Py_ssize_t n
    Py_ssize_t d


cdef struct Tile:
    double* rows      # (m, d), centred; nothing for CSR rows
    double* scores    # (m,)
    Py_ssize_t m      # rows at a time


cdef Source source(piece, const double[::1] centre) except *:
    """The rows of a piece: (values, columns, starts, d, n) or (begins, singles, n)."""
    cdef Source X
    cdef const uintptr_t[::1] begins
    cdef const unsigned char[::1] singles
    X.centre = &centre[0]
    X.columns = NULL
    if len(piece) == 3:
        begins, singles = piece[0], piece[1]
        X.columns = <const void* const*> &begins[0]
        X.single = &singles[0]
        X.n, X.d = piece[2], begins.shape[0]
        return X
    X.rows = view(piece[0], piece[1], piece[2], piece[3])
    X.n, X.d = piece[4], piece[3]
    return X


cdef inline bint is_sparse(const Source* X) noexcept nogil:
    return X.columns == NULL and X.rows.starts != NULL


cdef void fill(
    const Source* X, Py_ssize_t at, Py_ssize_t m, const double* w, Tile* tile
) noexcept nogil:
    """Take m rows from `at` into the tile, with their scores; of CSR rows only the scores."""
    cdef Py_ssize_t i
    cdef const float* singles = NULL
    cdef const double* doubles = NULL
    if X.columns != NULL:
        aucbench_tile_of_columns(
            X.columns, X.single, at, m, X.d, X.centre, w, tile.rows, tile.scores
        )
    elif X.rows.starts != NULL:
        for i in range(m):
            tile.scores[i] = dot(&X.rows, at + i, w)
    else:
        if X.rows.singles != NULL:
            singles = X.rows.singles + at * X.d
        else:
            doubles = X.rows.values + at * X.d
        aucbench_tile_of_rows(singles, doubles, m, X.d, X.centre, w, tile.rows, tile.scores)


cdef inline int place(double s, double low, double inverse, int bins) noexcept nogil:
    """The bin of a score; those outside the range are in the first and the last one."""
    cdef double v = (s - low) * inverse
    if not v > 0.0:
        return 0
    return bins - 1 if v >= bins else <int> v


def scores(piece, const double[::1] centre, const double[::1] w, double[::1] out,
           double[:, ::1] room):
    """out[i] = (x_i - centre) . w; the centre is not subtracted from CSR rows."""
    cdef Source X = source(piece, centre)
    cdef Tile tile = Tile(&room[0, 0], NULL, room.shape[0])
    cdef Py_ssize_t at
    with nogil:
        at = 0
        while at < X.n:
            tile.scores = &out[at]
            fill(&X, at, min(tile.m, X.n - at), &w[0], &tile)
            at += tile.m


def binned(
    piece, const signed char[::1] y, const double[::1] centre, const double[::1] w,
    const double[::1] low, double inverse, int64_t[:, ::1] counts, double[:, :, ::1] sums,
    double[:, ::1] ends, double[:, ::1] room, double[::1] own, int[::1] places,
):
    """Add up rows by class k (0 negative, 1 positive) and bin floor((s - low[k]) inverse).

    counts[k, b] is how many rows, and sums[k, b] the sum of x - centre; no sums if it is None.
    ends[k] are the lowest and the highest score. `room` (m, d), `own` (m,) and `places` (m,) are
    memory for a tile.
    """
    cdef Source X = source(piece, centre)
    cdef Tile tile = Tile(&room[0, 0], &own[0], room.shape[0])
    cdef int bins = <int> counts.shape[1]
    cdef double* sums_ = NULL if sums is None else &sums[0, 0, 0]
    cdef int64_t* counts_ = &counts[0, 0]
    cdef int* q = &places[0]
    cdef Py_ssize_t at, i, m
    cdef double s
    cdef int k
    with nogil:
        at = -tile.m
        while at + tile.m < X.n:
            at += tile.m
            m = min(tile.m, X.n - at)
            fill(&X, at, m, &w[0], &tile)
            for i in range(m):
                s = tile.scores[i]
                k = y[at + i] > 0
                q[i] = k * bins + place(s, low[k], inverse, bins)
                counts_[q[i]] += 1
                ends[k, 0] = min(ends[k, 0], s)
                ends[k, 1] = max(ends[k, 1], s)
            if sums_ == NULL:
                continue
            if is_sparse(&X):
                for i in range(m):
                    axpy(1.0, &X.rows, at + i, sums_ + q[i] * X.d)
            else:
                aucbench_add_to_bins(m, X.d, q, tile.rows, sums_)


def pulled(
    piece, const signed char[::1] y, const double[::1] centre, const double[::1] w,
    const double[::1] low, double inverse, const double[:, ::1] c, double[::1] out,
    double[:, ::1] room, double[::1] own, double[::1] sub,
):
    """out += sum_i c[k_i, b_i] (x_i - centre), for the classes and bins of `binned`.

    `sub` (d,) is memory for the sum of a tile.
    """
    cdef Source X = source(piece, centre)
    cdef Tile tile = Tile(&room[0, 0], &own[0], room.shape[0])
    cdef int bins = <int> c.shape[1]
    cdef Py_ssize_t at, i, m
    cdef int k
    with nogil:
        at = -tile.m
        while at + tile.m < X.n:
            at += tile.m
            m = min(tile.m, X.n - at)
            fill(&X, at, m, &w[0], &tile)
            for i in range(m):
                k = y[at + i] > 0
                tile.scores[i] = c[k, place(tile.scores[i], low[k], inverse, bins)]
                if is_sparse(&X):
                    axpy(tile.scores[i], &X.rows, at + i, &out[0])
            if not is_sparse(&X):
                aucbench_add_weighted(m, X.d, tile.scores, tile.rows, &sub[0], &out[0])


def moments(
    piece, const signed char[::1] y, const double[::1] centre, double[:, ::1] sums,
    double[:, ::1] squares, double[::1] low, double[::1] high, double[:, ::1] room,
    double[::1] own, double[::1] sub,
):
    """Add the sums of x - centre and of its squares by class (2, d); update minima and maxima.

    Of CSR rows the stored values count only, less the centre too. `sub` (4 d,) is memory for the sums of a tile.
    """
    cdef Source X = source(piece, centre)
    cdef Tile tile = Tile(&room[0, 0], &own[0], room.shape[0])
    cdef Py_ssize_t at, i, e, m
    cdef double v
    cdef int k, j
    with nogil:
        at = -tile.m
        while at + tile.m < X.n:
            at += tile.m
            m = min(tile.m, X.n - at)
            if not is_sparse(&X):
                fill(&X, at, m, &centre[0], &tile)
                aucbench_add_moments(
                    m, X.d, &y[at], tile.rows, &sub[0], &sums[0, 0], &squares[0, 0], &low[0],
                    &high[0]
                )
                continue
            for i in range(at, at + m):
                k = y[i] > 0
                for e in range(X.rows.starts[i], X.rows.starts[i + 1]):
                    j = X.rows.columns[e]
                    v = X.rows.values[e] if X.rows.singles == NULL else X.rows.singles[e]
                    v -= centre[j]
                    sums[k, j] += v
                    squares[k, j] += v * v
                    low[j] = min(low[j], v)
                    high[j] = max(high[j], v)


def added(
    piece, const double[::1] a, const double[::1] centre, double[::1] out, double[:, ::1] room,
    double[::1] own, double[::1] sub,
):
    """out += sum_i a[i] (x_i - centre); the centre is not subtracted from CSR rows.

    `own` (m,) and `sub` (d,) are memory for a tile.
    """
    cdef Source X = source(piece, centre)
    cdef Tile tile = Tile(&room[0, 0], &own[0], room.shape[0])
    cdef Py_ssize_t at, i, m
    with nogil:
        at = -tile.m
        while at + tile.m < X.n:
            at += tile.m
            m = min(tile.m, X.n - at)
            if is_sparse(&X):
                for i in range(at, at + m):
                    axpy(a[i], &X.rows, i, &out[0])
                continue
            fill(&X, at, m, &centre[0], &tile)
            aucbench_add_weighted(m, X.d, &a[at], tile.rows, &sub[0], &out[0])
