"""Sums over all pairs (positive i, negative j), by one sort of the smaller class.

A pair is active if s_j > t_i = s_i - 1. Let a be the values of the class that is sorted, and b
those of the other class. If the positives are sorted, a = t and b = s. If the negatives are
sorted, a = -s and b = -t. In both cases a pair is active if b > a, and its hinge is b - a.

With a_0 <= a_1 <= ..., the rank of b is #{r: a_r < b}. A grid with a `table` narrows the search
for it to one cell. The number of active pairs of a_r is the number of b with a rank above r. So
the other class needs neither a sort nor a merge.
"""

from libc.string cimport memset

cdef extern from "hinge.h" nogil:
    void aucbench_gather(
        size_t count, const double* s, const int* rows, double sign, double shift, double* out
    )
    void aucbench_cells(
        size_t count, const double* x, double centre, double scale, int cells, int* out
    )
    void aucbench_ranks(
        size_t count, const double* b, const double* a, const int* table, const int* cell,
        int* rank,
    )

cdef enum:
    BLOCK = 256  # values whose memory accesses overlap


def read(const double[::1] s, const int[::1] rows, double sign, double shift, double[::1] a):
    """a[r] = sign s[rows[r]] + shift"""
    with nogil:
        aucbench_gather(rows.shape[0], &s[0], &rows[0], sign, shift, &a[0])


def spread(
    const double[::1] a, const int[::1] rows, double centre, double scale, int[::1] cell,
    int[::1] table, double[::1] sorted_a, int[::1] order,
):
    """Sort a (m,) and its rows by their cells; the order within a cell stays.

    table has two entries more than there are cells; cell k begins at table[k].
    """
    cdef Py_ssize_t m = rows.shape[0], r, k, to
    cdef int cells = <int> table.shape[0] - 2, total = 0
    with nogil:
        aucbench_cells(m, &a[0], centre, scale, cells, &cell[0])
        memset(&table[0], 0, (cells + 2) * sizeof(int))
        for r in range(m):
            table[cell[r] + 2] += 1
        for k in range(2, cells + 2):
            total += table[k]
            table[k] = total
        for r in range(m):
            to = table[cell[r] + 1]
            table[cell[r] + 1] += 1
            sorted_a[to] = a[r]
            order[to] = rows[r]


def index(
    const double[::1] a, Py_ssize_t m, double centre, double scale, int[::1] cell, int[::1] table,
):
    """Fill the table for m sorted values."""
    cdef Py_ssize_t r, k
    cdef int cells = <int> table.shape[0] - 2, last = 0
    with nogil:
        aucbench_cells(m, &a[0], centre, scale, cells, &cell[0])
        memset(&table[0], 0, (cells + 2) * sizeof(int))
        for r in range(m):
            table[cell[r] + 1] = <int> r + 1
        for k in range(cells + 2):
            last = table[k] if table[k] > last else last
            table[k] = last


def mend(double[::1] a, int[::1] order, Py_ssize_t moves):
    """Sort almost sorted values by insertion; return False after more than `moves` moves."""
    cdef Py_ssize_t r, k
    cdef double x
    cdef int row
    with nogil:
        for r in range(1, order.shape[0]):
            x = a[r]
            if not x < a[r - 1]:
                continue
            row = order[r]
            k = r
            while k > 0 and x < a[k - 1]:
                a[k] = a[k - 1]
                order[k] = order[k - 1]
                k -= 1
            a[k] = x
            order[k] = row
            moves -= r - k
            if moves < 0:
                break
    return moves >= 0


cdef inline int ranks(
    const double* s, const int* rows, Py_ssize_t count, double sign, double shift,
    const double* a, double centre, double scale, const int[::1] table, double* b, int* rank,
) noexcept nogil:
    """Compute b and rank of the next rows of the other class, at most BLOCK; return how many."""
    cdef int cell[BLOCK]
    cdef int size = <int> (count if count < BLOCK else BLOCK)
    aucbench_gather(size, s, rows, sign, shift, b)
    aucbench_cells(size, b, centre, scale, <int> table.shape[0] - 2, cell)
    aucbench_ranks(size, b, a, &table[0], cell, rank)
    return size


def linear_rows(
    const double[::1] s, const int[::1] rows, Py_ssize_t lo, Py_ssize_t hi, double sign,
    double shift, double step, const double[::1] a, double centre, double scale,
    const int[::1] table, int[::1] counts, double[::1] parts, double[::1] c,
):
    """c[row] = +-step times the number of active pairs of the row, for rows[lo..hi-1].

    lo is a multiple of BLOCK. counts[r] (m + 1,) becomes how many of these b have the rank r, and
    parts[k] the sum of b - a_0 over the active pairs of block k.
    """
    cdef Py_ssize_t at = lo, r
    cdef double part, base = a[0]
    cdef double b[BLOCK]
    cdef int rank[BLOCK]
    cdef int i
    with nogil:
        memset(&counts[0], 0, counts.shape[0] * sizeof(int))
        while at < hi:
            part = 0.0
            for i in range(ranks(
                &s[0], &rows[at], hi - at, sign, shift, &a[0], centre, scale, table, b, rank
            )):
                r = rank[i]
                counts[r] += 1
                c[rows[at + i]] = step * r
                part += r * (b[i] - base)
            parts[at // BLOCK] = part
            at += BLOCK


def linear_sorted(
    double step, const double[::1] a, const int[::1] order, const int[::1] counts,
    const double[::1] parts, double[::1] c,
):
    """Return the sum of b - a over the active pairs, and their number, after `linear_rows`.

    c[row] = -+step times the number of active pairs of the row, for the sorted rows.
    """
    cdef Py_ssize_t m = order.shape[0], r
    cdef long long active = 0, above = 0
    cdef double part = 0.0, total = 0.0, base = a[0]
    with nogil:
        for r in range(parts.shape[0]):
            total += parts[r]
        for r in range(m - 1, -1, -1):
            above += counts[r + 1]
            active += above
            c[order[r]] = -step * above
            part -= above * (a[r] - base)
            if r % BLOCK == 0:
                total += part
                part = 0.0
    return total, active


def square_below(const double[::1] a, Py_ssize_t m, double[::1] below):
    """below[r] = the sum of a - a_0 over the r lowest a, r = 0..m"""
    cdef double part = 0.0, base = a[0]
    cdef Py_ssize_t r
    with nogil:
        for r in range(m):
            below[r] = part
            part += a[r] - base
        below[m] = part


def square_rows(
    const double[::1] s, const int[::1] rows, Py_ssize_t lo, Py_ssize_t hi, double sign,
    double shift, double step, const double[::1] a, double centre, double scale,
    const int[::1] table, int[::1] counts, double[::1] parts, const double[::1] below,
    int[::1] rank, double[::1] c,
):
    """c[row] = +-2 step times the sum of b - a over the active pairs of the row.

    Arguments are those of `linear_rows`. rank[at] becomes the rank of b, for at = lo..hi-1.
    """
    cdef Py_ssize_t at = lo, r
    cdef double loss, part, x, base = a[0]
    cdef double b[BLOCK]
    cdef int i
    with nogil:
        memset(&counts[0], 0, counts.shape[0] * sizeof(int))
        while at < hi:
            part = 0.0
            for i in range(ranks(
                &s[0], &rows[at], hi - at, sign, shift, &a[0], centre, scale, table, b,
                &rank[at],
            )):
                r = rank[at + i]
                x = b[i] - base
                counts[r] += 1
                loss = r * x - below[r]
                c[rows[at + i]] = 2.0 * step * loss
                part += x * loss
            parts[at // BLOCK] = part
            at += BLOCK


def square_sorted(
    const double[::1] s, const int[::1] rows, double sign, double shift, double step,
    const double[::1] a, const int[::1] order, const int[::1] counts, const double[::1] parts,
    const int[::1] rank, double[::1] sums, double[::1] c,
):
    """Return the sum of (b - a)^2 over the active pairs, and their number, after `square_rows`.

    c[row] = -+2 step times the sum of b - a over the active pairs of the row, for the sorted rows.
    """
    cdef Py_ssize_t q = rows.shape[0], m = order.shape[0], at, r
    cdef long long active = 0, above = 0
    cdef double loss, part = 0.0, x, total = 0.0, base = a[0], high = 0.0
    with nogil:
        memset(&sums[0], 0, (m + 1) * sizeof(double))
        for at in range(q):
            sums[rank[at]] += (sign * s[rows[at]] + shift) - base
        for r in range(parts.shape[0]):
            total += parts[r]
        for r in range(m - 1, -1, -1):
            above += counts[r + 1]
            active += above
            high += sums[r + 1]
            x = a[r] - base
            loss = high - above * x
            c[order[r]] = -2.0 * step * loss
            part -= x * loss
            if r % BLOCK == 0:
                total += part
                part = 0.0
    return total, active


def square_bend(
    const double[::1] u, const int[::1] rows, double step, const int[::1] order,
    const int[::1] counts, const int[::1] rank, double[::1] below, double[::1] sums,
    double[::1] out,
):
    """out[row] = 2 step times the sum of u[row] - u[partner] over the active pairs of the row.

    Which pairs are active is known from order, counts and rank of `square_rows`.
    """
    cdef Py_ssize_t q = rows.shape[0], m = order.shape[0], at, r
    cdef long long above = 0
    cdef double x, part = 0.0, high = 0.0, base = u[order[0]]
    with nogil:
        memset(&sums[0], 0, (m + 1) * sizeof(double))
        for r in range(m):
            below[r] = part
            part += u[order[r]] - base
        below[m] = part
        for at in range(q):
            r = rank[at]
            x = u[rows[at]] - base
            sums[r] += x
            out[rows[at]] = 2.0 * step * (r * x - below[r])
        for r in range(m - 1, -1, -1):
            above += counts[r + 1]
            high += sums[r + 1]
            out[order[r]] = 2.0 * step * (above * (u[order[r]] - base) - high)


def pair_pass(
    const double[::1] s, const int[::1] positives, const int[::1] negatives, double step,
    double[::1] c,
):
    """Return the sum of the hinges, and how many are above 0.

    For each of these pairs, c[i] -= step and c[j] += step.
    """
    cdef Py_ssize_t pairs = positives.shape[0], k, active = 0
    cdef double loss, pull, part = 0.0, total = 0.0
    cdef int i, j
    with nogil:
        for k in range(pairs):
            i, j = positives[k], negatives[k]
            loss = s[j] - (s[i] - 1.0)
            pull = step if loss > 0.0 else 0.0
            active += loss > 0.0
            part += 0.0 if loss <= 0.0 else loss  # NaN stays NaN
            c[i] -= pull
            c[j] += pull
            if k % BLOCK == 0:
                total += part
                part = 0.0
    return total + part, active
