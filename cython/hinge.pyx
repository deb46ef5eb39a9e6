"""Sums over all pairs of two classes, over the pairs of groups, and over given pairs.

**Two classes**, by one sort of the smaller one. A pair of an upper row i and a lower row j is
active if s_j > t_i = s_i - 1. Let a be the values of the class that is sorted, and b those of the
other class. If the upper rows are sorted, a = t and b = s. If the lower rows are sorted, a = -s and
b = -t. In both cases a pair is active if b > a, and its hinge is b - a. A pair counts for the
product of the masses of its rows.

With a_0 <= a_1 <= ..., the rank of b is #{r: a_r < b}. A grid with a `table` narrows the search
for it to one cell. The active pairs of a_r are those with the b of a rank above r. So the other
class needs neither a sort nor a merge.

**Groups** of rows whose keys are in order: see blocks.h. Rows come group after group, and in the
order of their keys within a group. In each group the keys are numbers from 0. `a` and `b` are the
shares of a row as upper and as lower row.
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

cdef extern from "blocks.h" nogil:
    const int AUCBENCH_LEAF
    const int AUCBENCH_LOWERS
    ctypedef struct aucbench_order:
        int mode
        double shift
        int keys
        const int* first
        const double* x
        const double* a
        const double* b
        const double* u
        double* out
        double mass
        int even
        double** xs
        double** us
        double** sums
        int** place
        double* t
        double* at
        double* ut
        double* before
        double* behind
        double* before_x
        double* behind_x
        int* leaf_from "from"
        int* of_upper
        int* of_lower
        double* leaf
        size_t room
    void aucbench_leaf(aucbench_order* o, int lo, int hi, const int* key_of_row)
    double aucbench_loss(const aucbench_order* o, int n)
    void aucbench_node(
        aucbench_order* o, int bit, long long key, int start, const int* key_of_row
    )

cdef enum:
    BLOCK = 256  # values whose memory accesses overlap

MODES = ("hinge", "squared", "bend", "concordance")
OF_LEAF = 12  # vectors of a leaf
LOWERS = AUCBENCH_LOWERS


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


cdef inline const double* start_of(const double[::1] x) noexcept nogil:
    return NULL if x is None else &x[0]


cdef inline double of_lowest(
    Py_ssize_t r, double x, const double* masses, const double* sums
) noexcept nogil:
    """The mass of the r lowest a; with `sums`, the sum of x - a over them, each times its mass."""
    cdef double mass = r if masses == NULL else masses[r]
    return mass if sums == NULL else mass * x - sums[r]


def lowest_sums(
    const double[::1] a, const int[::1] order, const double[::1] mass, double[::1] masses,
    double[::1] sums,
):
    """sums[r] = the sum of a - a_0 over the r lowest a, r = 0..m, each times its mass.

    masses[r] becomes the sum of these masses. Without `mass` each is 1, and `masses` is not set.
    """
    cdef Py_ssize_t r, m = order.shape[0]
    cdef double own = 1.0, part = 0.0, whole = 0.0, base = a[0]
    cdef bint weighted = mass is not None, summed = sums is not None
    with nogil:
        for r in range(m + 1):
            if weighted:
                masses[r] = whole
            if summed:
                sums[r] = part
            if r == m:
                break
            if weighted:
                own = mass[order[r]]
                whole += own
            part += own * (a[r] - base)


def other_rows(
    classes, const double[::1] s, Py_ssize_t lo, Py_ssize_t hi, int[::1] counts, double[::1] c,
):
    """c[row] = +-step times the mass of the active pairs of the row, for others[lo..hi-1].

    With sums it is +-2 step times the sum of b - a over them. The attributes of `classes` are those
    of `aucbench.pairs.sums.ClassSums`; its first masses and sums are those of `lowest_sums`. lo is
    a multiple of BLOCK. counts[r] (m + 1,) becomes how many of these b have the rank r, and
    parts[k] their share in the loss of block k: that of b - a_0 in place of b - a. rank[at] becomes
    the rank of b, if it is kept.
    """
    cdef const int[::1] rows = classes.others, table = classes.table
    cdef const double[::1] a = classes.a
    cdef const double[::1] mass = classes.mass, masses = classes.masses[0], sums = classes.sums[0]
    cdef double[::1] parts = classes.parts
    cdef int[::1] rank = classes.rank
    cdef double sign = classes.sign, shift = classes.other_shift, step = sign / classes.total
    cdef double centre = classes.centre, scale = classes.scale
    cdef Py_ssize_t at = lo, row
    cdef double own, part, x, base = a[0], factor = step if sums is None else 2.0 * step
    cdef double b[BLOCK]
    cdef int memory[BLOCK]
    cdef int* found = memory
    cdef int i, r
    cdef const double* mass_ = start_of(mass)
    cdef const double* masses_ = start_of(masses)
    cdef const double* sums_ = start_of(sums)
    with nogil:
        memset(&counts[0], 0, counts.shape[0] * sizeof(int))
        while at < hi:
            part = 0.0
            if rank is not None:
                found = &rank[at]
            for i in range(ranks(
                &s[0], &rows[at], hi - at, sign, shift, &a[0], centre, scale, table, b, found
            )):
                r, row, x = found[i], rows[at + i], b[i] - base
                counts[r] += 1
                own = of_lowest(r, x, masses_, sums_)
                if mass_ != NULL:
                    own *= mass_[row]
                c[row] = factor * own
                part += own * x
            parts[at // BLOCK] = part
            at += BLOCK


def rank_sums(
    const double[::1] s, const int[::1] rows, double sign, double shift, double base,
    const double[::1] mass, const int[::1] rank, double[::1] masses, double[::1] sums,
):
    """sums[r] = the sum of b - base over the b of rank r, each times its mass.

    masses[r] becomes the sum of these masses. Without `mass` each is 1, and `masses` is not set.
    """
    cdef Py_ssize_t at
    cdef double own = 1.0
    cdef bint weighted = mass is not None, summed = sums is not None
    with nogil:
        if weighted:
            memset(&masses[0], 0, masses.shape[0] * sizeof(double))
        if summed:
            memset(&sums[0], 0, sums.shape[0] * sizeof(double))
        for at in range(rows.shape[0]):
            if weighted:
                own = mass[rows[at]]
                masses[rank[at]] += own
            if summed:
                sums[rank[at]] += own * ((sign * s[rows[at]] + shift) - base)


def sorted_rows(
    double step, const double[::1] a, const int[::1] order, const double[::1] mass,
    const int[::1] counts, const double[::1] masses, const double[::1] sums,
    const double[::1] parts, double[::1] c,
):
    """Return the loss of the active pairs, and their mass; set c of the sorted rows.

    counts and parts are those of `other_rows`, masses and sums those of `rank_sums`.
    c[row] = -+step times the mass of the active pairs of the row; with `sums` it is -+2 step times
    the sum of b - a over them.
    """
    cdef Py_ssize_t m = order.shape[0], r
    cdef double above = 0.0, active = 0.0, high = 0.0, own = 1.0, part = 0.0, total = 0.0
    cdef double pull, x, base = a[0], factor = -step if sums is None else -2.0 * step
    cdef bint weighted = mass is not None, summed = sums is not None
    with nogil:
        for r in range(parts.shape[0]):
            total += parts[r]
        for r in range(m - 1, -1, -1):
            above += masses[r + 1] if weighted else counts[r + 1]
            pull, x = above, a[r] - base
            if summed:
                high += sums[r + 1]
                pull = high - above * x
            if weighted:
                own = mass[order[r]]
                pull *= own
            active += own * above
            c[order[r]] = factor * pull
            part -= pull * x
            if r % BLOCK == 0:
                total += part
                part = 0.0
    return total, active


def bend(
    const double[::1] u, const int[::1] rows, double step, const int[::1] order,
    const double[::1] mass, const int[::1] counts, const int[::1] rank, double[:, ::1] lowest,
    double[:, ::1] of_rank, double[::1] out,
):
    """out[row] = 2 step times the sum of u[row] - u[partner] over the active pairs of the row.

    Which pairs are active is known from the order of the sorted rows, and from counts and rank of
    `other_rows`. lowest and of_rank (2, m + 1) are memory, for sums and masses.
    """
    cdef Py_ssize_t m = order.shape[0], at, row, r
    cdef double above = 0.0, high = 0.0, own = 1.0, part = 0.0, whole = 0.0
    cdef double x, base = u[order[0]]
    cdef bint weighted = mass is not None
    cdef double* sums = &lowest[0, 0]
    cdef double* masses = &lowest[1, 0]
    cdef double* other_sums = &of_rank[0, 0]
    cdef double* other_masses = &of_rank[1, 0]
    with nogil:
        memset(other_sums, 0, (m + 1 + (m + 1) * weighted) * sizeof(double))
        for r in range(m):
            sums[r] = part
            if weighted:
                masses[r] = whole
                own = mass[order[r]]
                whole += own
            part += own * (u[order[r]] - base)
        sums[m], masses[m] = part, whole
        for at in range(rows.shape[0]):
            row, r = rows[at], rank[at]
            x = u[row] - base
            if weighted:
                own = mass[row]
                other_masses[r] += own
                other_sums[r] += own * x
                out[row] = 2.0 * step * (own * (masses[r] * x - sums[r]))
            else:
                other_sums[r] += x
                out[row] = 2.0 * step * (r * x - sums[r])
        for r in range(m - 1, -1, -1):
            row = order[r]
            if weighted:
                own = mass[row]
            above += other_masses[r + 1] if weighted else counts[r + 1]
            high += other_sums[r + 1]
            out[row] = 2.0 * step * (own * (above * (u[row] - base) - high))


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


def small_groups(
    of, const long long[::1] groups, size_t room, int mode, double shift, const double[::1] x,
    const double[::1] u, double[::1] scratch, double[::1] out, double[:, ::1] found,
):
    """Set out[r] for the rows of some groups of at most `room` rows, by all pairs of each.

    The attributes of `of` are those of `aucbench.pairs.Members`. found[0, g] and found[1, g] become
    the loss of group g and its active share. scratch has 12 (room + 8) entries. Without BEND, u is
    not read and may have one entry.
    """
    cdef const long long[::1] starts = of.starts
    cdef const int[::1] key = of.key
    cdef const double[::1] a = of.a, b = of.b
    cdef aucbench_order o
    cdef Py_ssize_t k
    cdef long long g, lo, hi
    memset(&o, 0, sizeof(o))
    o.mode, o.shift, o.room, o.leaf = mode, shift, room, &scratch[0]
    with nogil:
        for k in range(groups.shape[0]):
            g = groups[k]
            lo, hi = starts[g], starts[g + 1]
            o.x, o.a, o.b, o.out = &x[lo], &a[lo], &b[lo], &out[lo]
            o.u = &u[lo] if mode == 2 else &u[0]
            o.mass = 0.0
            memset(o.out, 0, (hi - lo) * sizeof(double))
            aucbench_leaf(&o, 0, <int> (hi - lo), &key[lo])
            found[0, g], found[1, g] = aucbench_loss(&o, <int> (hi - lo)), o.mass


def large_group(
    group, memory, int mode, double shift, const double[::1] x, const double[::1] u,
    double[::1] out,
):
    """Set out (m,) for the rows of one group; return its loss and its active share.

    `group` has the keys of the rows, in order; `first` (K + 1,), where the rows of each key begin;
    and the shares a and b. The arrays of `memory` are work space, but sorted_x[0] has the scores in
    ascending order, place[0] their rows, and sorted_u[0] has u in that order (with BEND).
    """
    cdef const int[::1] first = group.first, key = group.key
    cdef const double[::1] a = group.a, b = group.b
    cdef double[:, ::1] sorted_x = memory.sorted_x, sorted_u = memory.sorted_u
    cdef double[:, ::1] scratch = memory.scratch
    cdef int[:, ::1] place = memory.place, places = memory.places
    cdef double[::1] leaf = memory.leaf
    cdef bint even = group.even
    cdef aucbench_order o
    cdef int k, bit = -1
    cdef Py_ssize_t m = x.shape[0]
    cdef double value
    memset(&o, 0, sizeof(o))
    o.mode, o.shift, o.keys, o.first = mode, shift, <int> first.shape[0] - 1, &first[0]
    o.x, o.a, o.b, o.u, o.out = &x[0], &a[0], &b[0], &u[0], &out[0]
    for k in range(2):
        o.xs[k], o.sums[k], o.place[k] = &sorted_x[k, 0], &scratch[k, 0], &place[k, 0]
        o.us[k] = &sorted_u[k, 0] if mode == 2 else NULL
    o.t, o.at, o.ut = &scratch[2, 0], &scratch[3, 0], &scratch[4, 0]
    o.before, o.behind = &scratch[5, 0], &scratch[6, 0]
    o.before_x, o.behind_x = &scratch[7, 0], &scratch[8, 0]
    o.leaf_from, o.of_upper, o.of_lower = &places[0, 0], &places[1, 0], &places[2, 0]
    o.leaf, o.room, o.even = &leaf[0], AUCBENCH_LEAF, even
    while o.keys - 1 >> (bit + 1):
        bit += 1
    with nogil:
        memset(o.sums[0], 0, m * sizeof(double))
        aucbench_node(&o, bit, 0, 0, &key[0])
        value = aucbench_loss(&o, <int> m)
    return value, o.mass


def leaf_room():
    """Return how many entries `leaf` of `large_group` needs."""
    return OF_LEAF * (AUCBENCH_LEAF + AUCBENCH_LOWERS)


def running_sums(
    const long long[::1] starts, const double[:, ::1] x, double[:, ::1] out, bint backwards
):
    """out[r] = sum of x[starts[g]], ..., x[r] for the rows r of each group g, column by column.

    Backwards it is the sum of x[r], ..., x[starts[g + 1] - 1]. The sums of a group have no rounding
    error of another group, as a difference of one running sum over all of them would have.
    """
    cdef Py_ssize_t g, j, r, k, step = -1 if backwards else 1
    cdef long long first
    with nogil:
        for g in range(starts.shape[0] - 1):
            first = starts[g + 1] - 1 if backwards else starts[g]
            for k in range(starts[g + 1] - starts[g]):
                r = first + k * step
                for j in range(x.shape[1]):
                    out[r, j] = x[r, j] if k == 0 else out[r - step, j] + x[r, j]
